package citation

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/textlayer"
)

// openAIResponse is what is parsed, in errors.
const openAIResponse = "a response of OpenAI's API"

type openAIText struct {
	Type        string             `json:"type"`
	Text        string             `json:"text"`
	Annotations []openAIAnnotation `json:"annotations"`
}

// An openAIAnnotation is of any type. Offsets are code points of the text.
type openAIAnnotation struct {
	Type        string `json:"type"`
	URL         string `json:"url,omitempty"`
	Title       string `json:"title,omitempty"`
	StartIndex  *int64 `json:"start_index,omitempty"`
	EndIndex    *int64 `json:"end_index,omitempty"` // exclusive
	FileID      string `json:"file_id,omitempty"`
	Filename    string `json:"filename,omitempty"`
	ContainerID string `json:"container_id,omitempty"`
	Index       *int64 `json:"index,omitempty"` // of a file_citation: the place of its mark
}

// OpenAI returns the answer in the form of OpenAI's Responses API: the content
// "output_text" of a message, with a url_citation for each citation of each claim: its
// url is the address. The form has no place for the quote. A claim that is not in the text is an error
// matching [citekit.ErrRange].
func (a *Answer) OpenAI() ([]byte, error) {
	offsets := textlayer.NewOffsets(a.Text)
	output := openAIText{Type: "output_text", Text: a.Text, Annotations: []openAIAnnotation{}}
	for _, claim := range a.Claims {
		part, err := claim.Part.CodePoints(offsets)
		if err != nil {
			return nil, err
		}
		for i := range claim.Citations {
			c := &claim.Citations[i]
			output.Annotations = append(output.Annotations, openAIAnnotation{
				Type: "url_citation", URL: c.Address.String(), Title: c.Label(), StartIndex: &part.Start, EndIndex: &part.End,
			})
		}
	}
	return json.Marshal(output)
}

// ParseOpenAI reads data that OpenAI's API returned: a response, a message, its
// content, or an output text; also a message of chat completions. A cited URL that is
// not an address becomes Work.Path. For a citation of an uploaded file,
// Work.Path is the file name. For offsets outside the text the error matches
// [citekit.ErrRange], and for JSON of another shape [citekit.ErrSyntax].
func ParseOpenAI(data []byte) (*Answer, error) {
	texts, err := readOpenAITexts(data)
	if err != nil {
		return nil, err
	}
	answer := &Answer{}
	var all strings.Builder
	for _, t := range texts {
		offsets := textlayer.NewOffsets(t.Text)
		before := int64(all.Len())
		all.WriteString(t.Text)
		for i, a := range t.Annotations {
			claim, err := a.claim(offsets)
			if err != nil {
				return nil, fmt.Errorf("annotation %d: %w", i+1, err)
			}
			claim.Part.Start += before
			claim.Part.End += before
			answer.Claims = append(answer.Claims, claim)
		}
	}
	answer.Text = all.String()
	return answer, nil
}

// claim returns the claim that the annotation makes about the text.
func (a *openAIAnnotation) claim(text Converter) (Claim, error) {
	c := Citation{Work: Work{Title: a.Title, Path: a.Filename}}
	start, end := a.StartIndex, a.EndIndex
	switch a.Type {
	case "url_citation":
		if address, err := citekit.ParseAddress(a.URL); err == nil {
			c.Address = address
		} else {
			c.Work.Path = a.URL
		}
	case "file_citation", "file_path":
		start, end = a.Index, a.Index
		if c.Work.Path == "" {
			c.Work.Path = a.FileID
		}
	case "container_file_citation":
	default:
		return Claim{}, fmt.Errorf("type %s; known are url_citation, file_citation, container_file_citation and file_path: %w", message.Quote(a.Type), citekit.ErrSyntax)
	}
	if start == nil || end == nil {
		return Claim{}, fmt.Errorf("%s without its place in the text: %w", a.Type, citekit.ErrSyntax)
	}
	part, err := CodePointRange{Start: *start, End: *end}.Bytes(text)
	return Claim{Part: part, Citations: []Citation{c}}, err
}

// An openAIBody is any of the objects that hold texts.
type openAIBody struct {
	Type        string          `json:"type"`
	Output      []openAIBody    `json:"output"`
	Content     json.RawMessage `json:"content"`
	Text        json.RawMessage `json:"text"`
	Annotations []struct {
		openAIAnnotation
		URLCitation *openAIAnnotation `json:"url_citation"` // of chat completions
	} `json:"annotations"`
	Choices []struct {
		Message openAIBody `json:"message"`
	} `json:"choices"`
}

func readOpenAITexts(data []byte) ([]openAIText, error) {
	var list []openAIBody
	if json.Unmarshal(data, &list) != nil {
		var one openAIBody
		if err := json.Unmarshal(data, &one); err != nil {
			return nil, wrongShape(openAIResponse, err.Error())
		}
		list = []openAIBody{one}
	}
	var texts []openAIText
	for i := range list {
		texts = list[i].texts(texts, maxOpenAINested)
	}
	if texts == nil {
		return nil, wrongShape(openAIResponse, "it has no text")
	}
	return texts, nil
}

// maxOpenAINested is the maximum number of objects around a text.
const maxOpenAINested = 4

// texts adds the texts in b to a list.
func (b *openAIBody) texts(texts []openAIText, depth int) []openAIText {
	if depth == 0 {
		return texts
	}
	for i := range b.Output {
		texts = b.Output[i].texts(texts, depth-1)
	}
	for i := range b.Choices {
		texts = b.Choices[i].Message.texts(texts, depth-1)
	}
	content := b.Content
	if b.Type == "output_text" {
		content = b.Text
	}
	var text string
	if json.Unmarshal(content, &text) == nil && content != nil {
		return append(texts, openAIText{Text: text, Annotations: b.own()})
	}
	var blocks []openAIBody
	if json.Unmarshal(content, &blocks) == nil {
		for i := range blocks {
			texts = blocks[i].texts(texts, depth-1)
		}
	}
	return texts
}

func (b *openAIBody) own() []openAIAnnotation {
	var list []openAIAnnotation
	for _, a := range b.Annotations {
		if a.URLCitation != nil {
			nested := *a.URLCitation
			nested.Type = a.Type
			list = append(list, nested)
			continue
		}
		list = append(list, a.openAIAnnotation)
	}
	return list
}
