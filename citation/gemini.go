package citation

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/textlayer"
)

// geminiResponse is what is parsed, in errors.
const geminiResponse = "a response of the Gemini API"

type geminiCandidate struct {
	Content   geminiContent   `json:"content"`
	Grounding *geminiMetadata `json:"groundingMetadata,omitempty"`
}

type geminiContent struct {
	Role  string       `json:"role,omitempty"`
	Parts []geminiPart `json:"parts"`
}

type geminiPart struct {
	Text    string `json:"text,omitempty"`
	Thought bool   `json:"thought,omitempty"`
}

type geminiMetadata struct {
	Chunks   []geminiChunk   `json:"groundingChunks"`
	Supports []geminiSupport `json:"groundingSupports"`
}

type geminiChunk struct {
	Web       *geminiReference `json:"web,omitempty"`
	Retrieved *geminiReference `json:"retrievedContext,omitempty"`
	Maps      *geminiReference `json:"maps,omitempty"`
	Image     *geminiReference `json:"image,omitempty"`
}

type geminiReference struct {
	URI       string     `json:"uri,omitempty"`
	SourceURI string     `json:"sourceUri,omitempty"` // of an image
	Title     string     `json:"title,omitempty"`
	Text      string     `json:"text,omitempty"`
	Page      int        `json:"pageNumber,omitempty"` // from 1
	RAG       *geminiRAG `json:"ragChunk,omitempty"`
}

type geminiRAG struct {
	Text  string `json:"text,omitempty"`
	Pages *struct {
		First int `json:"firstPage,omitempty"` // from 1
		Last  int `json:"lastPage,omitempty"`  // inclusive
	} `json:"pageSpan,omitempty"`
}

type geminiSupport struct {
	Segment geminiSegment `json:"segment"`
	Indices []int         `json:"groundingChunkIndices"`
}

// A geminiSegment is a range of a part, in bytes of UTF-8; zeros are omitted.
type geminiSegment struct {
	Part  int    `json:"partIndex,omitempty"`
	Start int64  `json:"startIndex,omitempty"`
	End   int64  `json:"endIndex,omitempty"` // exclusive
	Text  string `json:"text,omitempty"`
}

// Gemini returns the answer in the form of the Gemini API: a candidate with grounding
// metadata, which has a chunk "retrievedContext" for each citation, with the address as its uri and the quote
// as its text, and a support for each claim. A claim that is not in the text is an
// error matching [citekit.ErrRange].
func (a *Answer) Gemini() ([]byte, error) {
	if err := a.Check(); err != nil {
		return nil, err
	}
	grounding := &geminiMetadata{Chunks: []geminiChunk{}, Supports: []geminiSupport{}}
	known := make(map[geminiReference]int)
	for _, claim := range a.Claims {
		s := geminiSupport{Segment: geminiSegment{Start: claim.Part.Start, End: claim.Part.End, Text: a.Text[claim.Part.Start:claim.Part.End]}}
		for i := range claim.Citations {
			r := geminiReferenceTo(&claim.Citations[i])
			index, ok := known[r]
			if !ok {
				index = len(grounding.Chunks)
				known[r] = index
				grounding.Chunks = append(grounding.Chunks, geminiChunk{Retrieved: &r})
			}
			s.Indices = append(s.Indices, index)
		}
		grounding.Supports = append(grounding.Supports, s)
	}
	return json.Marshal(geminiCandidate{geminiContent{"model", []geminiPart{{Text: a.Text}}}, grounding})
}

func geminiReferenceTo(c *Citation) geminiReference {
	r := geminiReference{URI: c.Address.String(), Title: c.Label(), Text: c.Quote}
	if l := c.Address.Location; l.PageCount() == 1 && l.Member == "" && l.Part == "" && l.Message == 0 {
		r.Page = l.Pages[0].First
	}
	return r
}

// ParseGemini reads data that the Gemini API returned: a candidate, or a response,
// whose first candidate it reads. A uri that is not an address becomes Work.Path. If
// such a chunk has a page number, its Address has that page and no Resource. If
// a segment is outside its part, the error matches [citekit.ErrRange]. For
// missing chunks and for JSON of another shape it matches [citekit.ErrSyntax].
func ParseGemini(data []byte) (*Answer, error) {
	var response struct {
		geminiCandidate
		Candidates []geminiCandidate `json:"candidates"`
	}
	if err := json.Unmarshal(data, &response); err != nil {
		return nil, wrongShape(geminiResponse, err.Error())
	}
	one := &response.geminiCandidate
	if len(response.Candidates) > 0 {
		one = &response.Candidates[0]
	}
	if len(one.Content.Parts) == 0 {
		return nil, wrongShape(geminiResponse, "it has no content with parts")
	}
	return one.answer()
}

func (c *geminiCandidate) answer() (*Answer, error) {
	answer := &Answer{}
	before := make([]int64, len(c.Content.Parts))
	var text strings.Builder
	for i, p := range c.Content.Parts {
		before[i] = int64(text.Len())
		if !p.Thought {
			text.WriteString(p.Text)
		}
	}
	answer.Text = text.String()
	if c.Grounding == nil {
		return answer, nil
	}
	offsets := make([]*textlayer.Offsets, len(before))
	for i, s := range c.Grounding.Supports {
		n := s.Segment.Part
		if n < 0 || n >= len(before) || c.Content.Parts[n].Thought {
			return nil, fmt.Errorf("support %d is of part %d of %d: %w", i+1, n, len(before), citekit.ErrSyntax)
		}
		if offsets[n] == nil {
			offsets[n] = textlayer.NewOffsets(c.Content.Parts[n].Text)
		}
		part := ByteRange{Start: s.Segment.Start, End: s.Segment.End}
		if _, err := part.CodePoints(offsets[n]); err != nil {
			return nil, fmt.Errorf("the segment of support %d: %w", i+1, err)
		}
		claim := Claim{Part: ByteRange{Start: part.Start + before[n], End: part.End + before[n]}}
		for _, index := range s.Indices {
			if index < 0 || index >= len(c.Grounding.Chunks) {
				return nil, fmt.Errorf("support %d names chunk %d of %d: %w", i+1, index, len(c.Grounding.Chunks), citekit.ErrSyntax)
			}
			claim.Citations = append(claim.Citations, c.Grounding.Chunks[index].citation())
		}
		answer.Claims = append(answer.Claims, claim)
	}
	return answer, nil
}

// citation returns the citation of a chunk.
func (c *geminiChunk) citation() (cited Citation) {
	var r *geminiReference
	for _, r = range []*geminiReference{c.Retrieved, c.Web, c.Maps, c.Image} {
		if r != nil {
			break
		}
	}
	if r == nil {
		return cited
	}
	cited.Quote, cited.Work.Title, cited.Work.Path = r.Text, r.Title, r.URI+r.SourceURI
	if a, err := citekit.ParseAddress(r.URI); err == nil {
		cited.Address, cited.Work.Path = a, ""
		return cited
	}
	pages := citekit.Range{First: r.Page, Last: r.Page}
	if r.RAG != nil {
		if cited.Quote == "" {
			cited.Quote = r.RAG.Text
		}
		if r.RAG.Pages != nil {
			pages = citekit.Range{First: r.RAG.Pages.First, Last: max(r.RAG.Pages.First, r.RAG.Pages.Last)}
		}
	}
	if pages.First > 0 {
		cited.Address.Location = citekit.Location{Modality: citekit.Document, Pages: []citekit.Range{pages}}
	}
	return cited
}
