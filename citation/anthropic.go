package citation

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/message"
)

// anthropicMessage is what is parsed, in errors.
const anthropicMessage = "a message of Anthropic's API"

type anthropicBlock struct {
	Type      string              `json:"type"`
	Text      string              `json:"text"`
	Citations []anthropicLocation `json:"citations,omitempty"`
}

// An anthropicLocation is a citation of any type. Members of other types are nil.
type anthropicLocation struct {
	Type      string  `json:"type"`
	CitedText string  `json:"cited_text"`
	Title     *string `json:"title,omitempty"`
	Source    string  `json:"source,omitempty"`
	URL       string  `json:"url,omitempty"`

	DocumentIndex *int    `json:"document_index,omitempty"`
	DocumentTitle *string `json:"document_title,omitempty"`
	ResultIndex   *int    `json:"search_result_index,omitempty"`

	StartPage  int    `json:"start_page_number,omitempty"` // from 1
	EndPage    int    `json:"end_page_number,omitempty"`   // exclusive
	StartChar  *int64 `json:"start_char_index,omitempty"`  // code points
	EndChar    *int64 `json:"end_char_index,omitempty"`
	StartBlock *int   `json:"start_block_index,omitempty"` // from 0
	EndBlock   *int   `json:"end_block_index,omitempty"`   // exclusive
}

type anthropicResult struct {
	Type      string           `json:"type"`
	Source    string           `json:"source"`
	Title     string           `json:"title"`
	Content   []anthropicBlock `json:"content"`
	Citations struct {
		Enabled bool `json:"enabled"`
	} `json:"citations"`
}

// AnthropicSearchResult returns, for Anthropic's Messages API, a content block
// "search_result" with the texts of the part that c cites, each in its own text block.
// A model cites whole blocks, and returns the address as the source. The error matches [citekit.ErrSyntax]
// if there are no texts, or if the address is invalid.
func (c *Citation) AnthropicSearchResult(texts ...string) ([]byte, error) {
	if err := c.Address.Validate(); err != nil {
		return nil, err
	}
	result := anthropicResult{Type: "search_result", Source: c.Address.String(), Title: c.Label()}
	for _, text := range texts {
		if text != "" {
			result.Content = append(result.Content, anthropicBlock{Type: "text", Text: text})
		}
	}
	if len(result.Content) == 0 {
		return nil, fmt.Errorf("a search_result of %s without text: %w", c.Address, citekit.ErrSyntax)
	}
	result.Citations.Enabled = true
	return json.Marshal(result)
}

// AnthropicLocation returns c in the form in which Anthropic's Messages API cites a
// document: a page_location for pages, or else a char_location for the position. Document
// is its index in the request, counted from 0. The document must be the whole
// resource, so that pages in a member, part or message are left out. For a citation of
// several runs of pages, or without pages or position, the error matches
// [citekit.ErrSyntax].
func (c *Citation) AnthropicLocation(document int) ([]byte, error) {
	title := c.Work.Title
	l := anthropicLocation{CitedText: c.Quote, DocumentIndex: &document, DocumentTitle: &title}
	loc := c.Address.Location
	pages := loc.Pages
	if loc.Member != "" || loc.Part != "" || loc.Message != 0 {
		pages = nil
	}
	switch {
	case len(pages) == 1:
		open := HalfOpen(pages[0])
		l.Type, l.StartPage, l.EndPage = "page_location", open.Start, open.End
	case len(pages) == 0 && !c.Position.IsZero():
		l.Type, l.StartChar, l.EndChar = "char_location", &c.Position.Start, &c.Position.End
	default:
		return nil, fmt.Errorf("%s has no run of pages and no position in its text: %w", c.Address, citekit.ErrSyntax)
	}
	return json.Marshal(struct {
		anthropicLocation
		FileID *string `json:"file_id"`
	}{l, nil})
}

// Anthropic returns the answer in the form of Anthropic's Messages API, as the content
// of a message: blocks of text. The blocks of claims have citations "search_result_location" with the address as
// their source. Overlapping claims are cited together. If a claim is not in the
// text, the error matches [citekit.ErrRange].
func (a *Answer) Anthropic() ([]byte, error) {
	if err := a.Check(); err != nil {
		return nil, err
	}
	ordered := Answer{Text: a.Text, Claims: append([]Claim{}, a.Claims...)}
	ordered.Sort()
	content := &anthropicWriter{text: a.Text, results: make(map[string]int)}
	for i := 0; i < len(ordered.Claims); {
		part := ordered.Claims[i].Part
		var cited []Citation
		for ; i < len(ordered.Claims) && (ordered.Claims[i].Part.Start < part.End || ordered.Claims[i].Part == part); i++ {
			part.End = max(part.End, ordered.Claims[i].Part.End)
			cited = append(cited, ordered.Claims[i].Citations...)
		}
		content.add(part.Start, nil)
		content.add(part.End, cited)
	}
	content.add(int64(len(a.Text)), nil)
	if content.blocks == nil {
		content.blocks = []anthropicBlock{}
	}
	return json.Marshal(content.blocks)
}

// An anthropicWriter cuts a text into blocks.
type anthropicWriter struct {
	text    string
	at      int64
	results map[string]int // index of each source
	blocks  []anthropicBlock
}

// add writes the text up to an offset.
func (w *anthropicWriter) add(end int64, cited []Citation) {
	if end > w.at || len(cited) > 0 {
		block := anthropicBlock{Type: "text", Text: w.text[w.at:end]}
		for i := range cited {
			block.Citations = append(block.Citations, w.location(&cited[i]))
		}
		w.blocks = append(w.blocks, block)
	}
	w.at = end
}

func (w *anthropicWriter) location(c *Citation) anthropicLocation {
	source, title := c.Address.String(), c.Label()
	index, known := w.results[source]
	if !known {
		index = len(w.results)
		w.results[source] = index
	}
	first, end := 0, 1
	return anthropicLocation{
		Type: "search_result_location", CitedText: c.Quote, Title: &title, Source: source,
		ResultIndex: &index, StartBlock: &first, EndBlock: &end,
	}
}

// An AnthropicSent lists the documents that a request to Anthropic's API gave to the
// model, in its order, so that the indices in an answer can be resolved.
type AnthropicSent struct {
	Documents     []AnthropicDocument
	SearchResults []AnthropicDocument
}

// An AnthropicDocument is one document or search result of a request. Blocks are the
// addresses of its content blocks, if it has any.
type AnthropicDocument struct {
	Address citekit.Address
	Blocks  []citekit.Address
}

// ParseAnthropic reads data that Anthropic's Messages API returned: a message, its
// content, a block of it, or one citation. Sent resolves the indices in it. If sent is nil, the
// address of a search result is its source. A citation of a document then has
// only Work.Title and, for pages, an Address without a Resource. For a citation
// of the web, Work.Path is its URL. For JSON of another shape the error matches
// [citekit.ErrSyntax].
func ParseAnthropic(data []byte, sent *AnthropicSent) (*Answer, error) {
	blocks, err := readAnthropicBlocks(data)
	if err != nil {
		return nil, err
	}
	if sent == nil {
		sent = &AnthropicSent{}
	}
	answer := &Answer{}
	var all strings.Builder
	for _, block := range blocks {
		if block.Type != "text" {
			continue
		}
		part := ByteRange{Start: int64(all.Len())}
		all.WriteString(block.Text)
		part.End = int64(all.Len())
		claim := Claim{Part: part}
		for i, l := range block.Citations {
			c, err := sent.read(&l)
			if err != nil {
				return nil, fmt.Errorf("citation %d of the text %s: %w", i+1, message.Quote(block.Text), err)
			}
			claim.Citations = append(claim.Citations, c)
		}
		if len(claim.Citations) > 0 {
			answer.Claims = append(answer.Claims, claim)
		}
	}
	answer.Text = all.String()
	return answer, nil
}

func readAnthropicBlocks(data []byte) ([]anthropicBlock, error) {
	var blocks []anthropicBlock
	if json.Unmarshal(data, &blocks) == nil {
		return blocks, nil
	}
	var object struct {
		Type      string          `json:"type"`
		Content   json.RawMessage `json:"content"`
		CitedText *string         `json:"cited_text"`
	}
	if err := json.Unmarshal(data, &object); err != nil {
		return nil, wrongShape(anthropicMessage, err.Error())
	}
	switch {
	case object.Type == "message" || object.Type == "" && object.Content != nil:
		if err := json.Unmarshal(object.Content, &blocks); err != nil {
			return nil, wrongShape(anthropicMessage, err.Error())
		}
		return blocks, nil
	case object.Type == "text":
		var block anthropicBlock
		err := json.Unmarshal(data, &block)
		return []anthropicBlock{block}, asShape(err)
	case object.CitedText != nil:
		var l anthropicLocation
		err := json.Unmarshal(data, &l)
		return []anthropicBlock{{Type: "text", Citations: []anthropicLocation{l}}}, asShape(err)
	}
	return nil, wrongShape(anthropicMessage, "it has neither content nor a cited_text")
}

func asShape(err error) error {
	if err != nil {
		return wrongShape(anthropicMessage, err.Error())
	}
	return nil
}

// read converts a citation of the API.
func (s *AnthropicSent) read(l *anthropicLocation) (Citation, error) {
	c := Citation{Quote: l.CitedText}
	switch l.Type {
	case "search_result_location":
		err := s.readResult(l, &c)
		return c, err
	case "web_search_result_location":
		c.Work.Path, c.Work.Title = l.URL, orEmpty(l.Title)
		return c, nil
	}
	c.Work.Title = orEmpty(l.DocumentTitle)
	document := documentAt(s.Documents, l.DocumentIndex)
	c.Address = document.Address
	switch l.Type {
	case "page_location":
		pages, err := HalfOpenPages{Start: l.StartPage, End: l.EndPage}.Range()
		switch loc := c.Address.Location; {
		case err != nil:
		case loc.IsWhole():
			c.Address.Location = citekit.Location{Modality: citekit.Document, Pages: []citekit.Range{pages}}
		case loc.Member != "" && loc.Modality == citekit.Document && loc.In("").IsWhole(): // pages of what was sent
			c.Address.Location.Pages = []citekit.Range{pages}
		}
		return c, err
	case "char_location":
		if l.StartChar == nil || l.EndChar == nil || *l.StartChar < 0 || *l.EndChar < *l.StartChar {
			return c, fmt.Errorf("a char_location without start_char_index and a later end_char_index: %w", citekit.ErrSyntax)
		}
		if c.Address.Location.IsWhole() {
			c.Position = CodePointRange{Start: *l.StartChar, End: *l.EndChar}
		}
		return c, nil
	case "content_block_location":
		err := document.narrow(l, &c)
		return c, err
	}
	return c, fmt.Errorf("a citation of type %s; known are search_result_location, page_location, char_location, content_block_location and web_search_result_location: %w",
		message.Quote(l.Type), citekit.ErrSyntax)
}

func (s *AnthropicSent) readResult(l *anthropicLocation, c *Citation) error {
	result := documentAt(s.SearchResults, l.ResultIndex)
	c.Address, c.Work.Title = result.Address, orEmpty(l.Title)
	if a, err := citekit.ParseAddress(l.Source); err == nil {
		c.Address = a
	} else if result.Address.Resource == "" {
		c.Work.Path = l.Source
	}
	return result.narrow(l, c)
}

// narrow replaces the address by that of the cited block, if a single block is
// cited and its address is known.
func (d *AnthropicDocument) narrow(l *anthropicLocation, c *Citation) error {
	if l.StartBlock == nil || l.EndBlock == nil || *l.StartBlock < 0 || *l.EndBlock <= *l.StartBlock {
		return fmt.Errorf("a %s without start_block_index and a later end_block_index: %w", l.Type, citekit.ErrSyntax)
	}
	blocks := BlockRange{Start: *l.StartBlock, End: *l.EndBlock}
	if blocks.End == blocks.Start+1 && blocks.Start < len(d.Blocks) {
		c.Address = d.Blocks[blocks.Start]
	}
	return nil
}

func documentAt(documents []AnthropicDocument, index *int) *AnthropicDocument {
	if index == nil || *index < 0 || *index >= len(documents) {
		return &AnthropicDocument{}
	}
	return &documents[*index]
}

func orEmpty(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
