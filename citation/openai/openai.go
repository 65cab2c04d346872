// Package openai has citations in the form of OpenAI's Responses API: the
// annotations of an output text. [Parse] reads an answer of a model, whose
// citations package verify can then check. [OutputText] writes an answer in
// this form, for programs that expect one. Nothing is sent.
package openai

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/citation"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/textlayer"
)

type outputText struct {
	Type        string       `json:"type"`
	Text        string       `json:"text"`
	Annotations []annotation `json:"annotations"`
}

// An annotation is of any type. Offsets are code points of the text.
type annotation struct {
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

// OutputText returns an answer as the content "output_text" of a message, with
// a url_citation for each citation of each claim: its url is the address. The
// form has no place for the quote. A claim that is not in the text is an error
// matching [citekit.ErrRange].
func OutputText(a *citation.Answer) ([]byte, error) {
	offsets := textlayer.NewOffsets(a.Text)
	output := outputText{Type: "output_text", Text: a.Text, Annotations: []annotation{}}
	for _, claim := range a.Claims {
		part, err := claim.Part.CodePoints(offsets)
		if err != nil {
			return nil, err
		}
		for i := range claim.Citations {
			c := &claim.Citations[i]
			output.Annotations = append(output.Annotations, annotation{
				Type: "url_citation", URL: c.Address.String(), Title: c.Label(), StartIndex: &part.Start, EndIndex: &part.End,
			})
		}
	}
	return json.Marshal(output)
}

// Parse reads data that the API returned: a response, a message, its content,
// or an output text; also a message of chat completions. A cited URL that is
// not an address becomes Work.Path. For a citation of an uploaded file,
// Work.Path is the file name. For offsets outside the text the error matches
// [citekit.ErrRange], and for JSON of another shape [citekit.ErrSyntax].
func Parse(data []byte) (*citation.Answer, error) {
	texts, err := readTexts(data)
	if err != nil {
		return nil, err
	}
	answer := &citation.Answer{}
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
func (a *annotation) claim(text citation.Converter) (citation.Claim, error) {
	c := citation.Citation{Work: citation.Work{Title: a.Title, Path: a.Filename}}
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
		return citation.Claim{}, fmt.Errorf("type %s; known are url_citation, file_citation, container_file_citation and file_path: %w", message.Quote(a.Type), citekit.ErrSyntax)
	}
	if start == nil || end == nil {
		return citation.Claim{}, fmt.Errorf("%s without its place in the text: %w", a.Type, citekit.ErrSyntax)
	}
	part, err := citation.CodePointRange{Start: *start, End: *end}.Bytes(text)
	return citation.Claim{Part: part, Citations: []citation.Citation{c}}, err
}

// A body is any of the objects that hold texts.
type body struct {
	Type        string          `json:"type"`
	Output      []body          `json:"output"`
	Content     json.RawMessage `json:"content"`
	Text        json.RawMessage `json:"text"`
	Annotations []struct {
		annotation
		URLCitation *annotation `json:"url_citation"` // of chat completions
	} `json:"annotations"`
	Choices []struct {
		Message body `json:"message"`
	} `json:"choices"`
}

func readTexts(data []byte) ([]outputText, error) {
	var list []body
	if json.Unmarshal(data, &list) != nil {
		var one body
		if err := json.Unmarshal(data, &one); err != nil {
			return nil, wrongShape(err.Error())
		}
		list = []body{one}
	}
	var texts []outputText
	for i := range list {
		texts = list[i].texts(texts, maxNested)
	}
	if texts == nil {
		return nil, wrongShape("it has no text")
	}
	return texts, nil
}

// maxNested is the maximum number of objects around a text.
const maxNested = 4

// texts adds the texts in b to a list.
func (b *body) texts(texts []outputText, depth int) []outputText {
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
		return append(texts, outputText{Text: text, Annotations: b.own()})
	}
	var blocks []body
	if json.Unmarshal(content, &blocks) == nil {
		for i := range blocks {
			texts = blocks[i].texts(texts, depth-1)
		}
	}
	return texts
}

func (b *body) own() []annotation {
	var list []annotation
	for _, a := range b.Annotations {
		if a.URLCitation != nil {
			nested := *a.URLCitation
			nested.Type = a.Type
			list = append(list, nested)
			continue
		}
		list = append(list, a.annotation)
	}
	return list
}

func wrongShape(why string) error {
	return fmt.Errorf("this is not a response of OpenAI's API, %s: %w", strings.TrimSpace(message.Clip(why)), citekit.ErrSyntax)
}
