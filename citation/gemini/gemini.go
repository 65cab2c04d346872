// Package gemini has citations in the form of Google's Gemini API: the
// grounding metadata of a candidate. [Parse] reads an answer of a model, whose
// citations package verify can then check. [Candidate] writes an answer in this
// form, for programs that expect one. Nothing is sent.
package gemini

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/citation"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/textlayer"
)

type candidate struct {
	Content   content   `json:"content"`
	Grounding *metadata `json:"groundingMetadata,omitempty"`
}

type content struct {
	Role  string `json:"role,omitempty"`
	Parts []part `json:"parts"`
}

type part struct {
	Text    string `json:"text,omitempty"`
	Thought bool   `json:"thought,omitempty"`
}

type metadata struct {
	Chunks   []chunk   `json:"groundingChunks"`
	Supports []support `json:"groundingSupports"`
}

type chunk struct {
	Web       *reference `json:"web,omitempty"`
	Retrieved *reference `json:"retrievedContext,omitempty"`
	Maps      *reference `json:"maps,omitempty"`
	Image     *reference `json:"image,omitempty"`
}

type reference struct {
	URI       string `json:"uri,omitempty"`
	SourceURI string `json:"sourceUri,omitempty"` // of an image
	Title     string `json:"title,omitempty"`
	Text      string `json:"text,omitempty"`
	Page      int    `json:"pageNumber,omitempty"` // from 1
	RAG       *rag   `json:"ragChunk,omitempty"`
}

type rag struct {
	Text  string `json:"text,omitempty"`
	Pages *struct {
		First int `json:"firstPage,omitempty"` // from 1
		Last  int `json:"lastPage,omitempty"`  // inclusive
	} `json:"pageSpan,omitempty"`
}

type support struct {
	Segment segment `json:"segment"`
	Indices []int   `json:"groundingChunkIndices"`
}

// A segment is a range of a part, in bytes of UTF-8; zeros are omitted.
type segment struct {
	Part  int    `json:"partIndex,omitempty"`
	Start int64  `json:"startIndex,omitempty"`
	End   int64  `json:"endIndex,omitempty"` // exclusive
	Text  string `json:"text,omitempty"`
}

// Candidate returns an answer as a candidate with grounding metadata: a chunk
// "retrievedContext" for each citation, with the address as its uri and the quote
// as its text, and a support for each claim. A claim that is not in the text is an
// error matching [citekit.ErrRange].
func Candidate(a *citation.Answer) ([]byte, error) {
	if err := a.Check(); err != nil {
		return nil, err
	}
	grounding := &metadata{Chunks: []chunk{}, Supports: []support{}}
	known := make(map[reference]int)
	for _, claim := range a.Claims {
		s := support{Segment: segment{Start: claim.Part.Start, End: claim.Part.End, Text: a.Text[claim.Part.Start:claim.Part.End]}}
		for i := range claim.Citations {
			r := referenceTo(&claim.Citations[i])
			index, ok := known[r]
			if !ok {
				index = len(grounding.Chunks)
				known[r] = index
				grounding.Chunks = append(grounding.Chunks, chunk{Retrieved: &r})
			}
			s.Indices = append(s.Indices, index)
		}
		grounding.Supports = append(grounding.Supports, s)
	}
	return json.Marshal(candidate{content{"model", []part{{Text: a.Text}}}, grounding})
}

func referenceTo(c *citation.Citation) reference {
	r := reference{URI: c.Address.String(), Title: c.Label(), Text: c.Quote}
	if l := c.Address.Location; l.PageCount() == 1 && l.Member == "" && l.Part == "" && l.Message == 0 {
		r.Page = l.Pages[0].First
	}
	return r
}

// Parse reads data that the API returned: a candidate, or a response, whose
// first candidate it reads. A uri that is not an address becomes Work.Path. If
// such a chunk has a page number, its Address has that page and no Resource. If
// a segment is outside its part, the error matches [citekit.ErrRange]. For
// missing chunks and for JSON of another shape it matches [citekit.ErrSyntax].
func Parse(data []byte) (*citation.Answer, error) {
	var response struct {
		candidate
		Candidates []candidate `json:"candidates"`
	}
	if err := json.Unmarshal(data, &response); err != nil {
		return nil, wrongShape(err.Error())
	}
	one := &response.candidate
	if len(response.Candidates) > 0 {
		one = &response.Candidates[0]
	}
	if len(one.Content.Parts) == 0 {
		return nil, wrongShape("it has no content with parts")
	}
	return one.answer()
}

func (c *candidate) answer() (*citation.Answer, error) {
	answer := &citation.Answer{}
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
		part := citation.ByteRange{Start: s.Segment.Start, End: s.Segment.End}
		if _, err := part.CodePoints(offsets[n]); err != nil {
			return nil, fmt.Errorf("the segment of support %d: %w", i+1, err)
		}
		claim := citation.Claim{Part: citation.ByteRange{Start: part.Start + before[n], End: part.End + before[n]}}
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
func (c *chunk) citation() (cited citation.Citation) {
	var r *reference
	for _, r = range []*reference{c.Retrieved, c.Web, c.Maps, c.Image} {
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

func wrongShape(why string) error {
	return fmt.Errorf("this is not a response of the Gemini API, %s: %w", message.Clip(why), citekit.ErrSyntax)
}
