package text

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"html"
	"io"
	"maps"
	"math"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/about"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/sentence"
	"github.com/citekit/citekit/modality/internal/subtitle"
	"github.com/citekit/citekit/modality/text/internal/code"
	"github.com/citekit/citekit/modality/text/internal/data"
	"github.com/citekit/citekit/modality/text/internal/markup"
)

const (
	maxHeld    = 16 << 20 // bytes of a source held in memory
	maxCues    = 8 << 20  // bytes of subtitles, which need more memory
	headBytes  = 64 << 10 // of text that are read to find its format
	maxSummary = 300
)

var _ citekit.Mapper = (*Resolver)(nil)

// Map implements [citekit.Mapper]. Mail is mapped as in package
// modality/internal/mail. Subtitles become segments, notebooks cells, documents
// in a markup language sections, source code its symbols, data files their keys
// or rows, logs entries, and other text passages. The content decides the
// format if it leaves no doubt, or else the extension.
//
// A source becomes passages if it is not well-formed, or if it has more than 16
// MiB (subtitles: 8) and a format that must be read as a whole. The metadata
// then give the reason under "structure". The memory for a source of any size
// is bounded.
func (r *Resolver) Map(ctx context.Context, src *citekit.Source, req citekit.MapRequest) (*citekit.Draft, error) {
	if req.Modality != citekit.Text {
		return nil, fmt.Errorf("%s map of a text source: %w", message.Article(req.Modality), errors.ErrUnsupported)
	}
	mails, err := r.mails(ctx, src)
	if err != nil {
		return nil, err
	}
	if mails != nil {
		return r.mapMail(ctx, src, req)
	}
	m, err := r.newMapper(ctx, src, req)
	if err != nil {
		return nil, err
	}
	s, err := m.structure()
	if err == nil {
		err = r.noteUnits(ctx, src, m.lines, s)
	}
	if err != nil {
		return nil, err
	}
	if req.Progress != nil {
		req.Progress(1)
	}
	return s, nil
}

// A mapper makes one map.
type mapper struct {
	ctx   context.Context
	src   *citekit.Source
	req   citekit.MapRequest
	text  cut    // all of src
	lines int    // as counted by Measure
	head  []byte // the beginning of the text
	held  []byte // the whole text, unless the source is too large

	facts map[string]any // what the source says about itself, for the metadata of the map
}

func (r *Resolver) newMapper(ctx context.Context, src *citekit.Source, req citekit.MapRequest) (*mapper, error) {
	x, err := r.index(ctx, src)
	if err != nil {
		return nil, err
	}
	lines, err := x.count(ctx, src)
	if err != nil {
		return nil, err
	}
	if lines == 0 || src.Size() <= int64(x.coding.mark) {
		return nil, fmt.Errorf("empty; %w", citekit.ErrEmpty)
	}
	m := &mapper{ctx: ctx, src: src, req: req, lines: lines, text: cut{coding: x.coding, end: src.Size(), first: 1}}
	if m.text.coding.charset, _, err = m.text.charset(ctx, src); err != nil {
		return nil, err
	}
	if src.Size() <= maxHeld {
		m.held, err = m.readAll()
		if err == nil && len(bytes.TrimSpace(m.held)) == 0 {
			return nil, fmt.Errorf("only blanks; %w", citekit.ErrEmpty)
		}
		m.head = m.held[:min(len(m.held), headBytes)]
		return m, err
	}
	m.head, err = io.ReadAll(io.LimitReader(m.reader(), headBytes))
	return m, err
}

// reader returns a reader of the text, from its beginning.
func (m *mapper) reader() io.Reader {
	return newUnified(m.ctx, m.src, m.text.coding, m.req.Progress)
}

func (m *mapper) readAll() ([]byte, error) {
	var text bytes.Buffer
	text.Grow(int(m.src.Size()) + bytes.MinRead)
	_, err := text.ReadFrom(m.reader())
	return text.Bytes(), err
}

// A method is a way to map a source. It returns no nodes if it finds no
// structure.
type method struct {
	name string
	find func() (*citekit.Draft, error)
}

// structure tries the methods that the format suggests until one finds nodes.
func (m *mapper) structure() (*citekit.Draft, error) {
	reason := ""
	for _, w := range m.methods() {
		s, err := w.find()
		if err == nil {
			m.note(s)
		}
		if err == nil && (len(s.Nodes) == 0 || m.crowded(s.Nodes)) {
			continue
		}
		if err == nil {
			m.join(s)
			err = m.check(s.Nodes)
		}
		switch {
		case err == nil:
			return m.withFacts(annotated(s, w.name, reason)), nil
		case m.ctx.Err() != nil:
			return nil, m.ctx.Err()
		case !errors.Is(err, citekit.ErrFormat) && !errors.Is(err, citekit.ErrTooLarge):
			return nil, err
		case reason == "":
			reason = fmt.Sprintf("not %s: %s", w.name, explain(err))
		}
	}
	return m.withFacts(annotated(m.even(), "lines", reason)), nil
}

// note keeps what a source says about itself, independent of the method that
// finds its nodes.
func (m *mapper) note(s *citekit.Draft) {
	for _, key := range []string{about.AuthorKey, about.KeywordsKey, about.DateKey} {
		if value, ok := s.Metadata[key]; ok && m.facts[key] == nil {
			if m.facts == nil {
				m.facts = make(map[string]any)
			}
			m.facts[key] = value
		}
	}
}

// withFacts returns s with the noted facts.
func (m *mapper) withFacts(s *citekit.Draft) *citekit.Draft {
	maps.Copy(s.Metadata, m.facts)
	return s
}

// annotated returns s with the format and the reason in its metadata.
func annotated(s *citekit.Draft, format, reason string) *citekit.Draft {
	if s.Metadata == nil {
		s.Metadata = make(map[string]any)
	}
	if _, ok := s.Metadata["format"]; !ok {
		s.Metadata["format"] = format
	}
	if reason != "" {
		s.Metadata["structure"] = reason
	}
	return s
}

// explain returns the text of err, without the sentinels of the root.
func explain(err error) string {
	text := err.Error()
	for _, sentinel := range []error{citekit.ErrFormat, citekit.ErrTooLarge} {
		text = strings.TrimSuffix(text, ": "+sentinel.Error())
	}
	return text
}

// methods returns the methods to try, best first.
func (m *mapper) methods() []method {
	name := m.src.Name()
	format, structured := data.FormatOf(name, m.head)
	var methods []method
	if subtitle.IsSubtitle(name, m.head) {
		methods = append(methods, m.heldMethod("subtitles", m.subtitles))
	}
	if markupFormat, ok := m.markup(); ok && format != data.Notebook {
		methods = append(methods, m.heldMethod(string(markupFormat), func() (*citekit.Draft, error) {
			return markup.Map(m.ctx, markupFormat, m.held)
		}))
		format, structured = data.Prose, false
		if markupFormat == markup.HTML {
			methods = append(methods, m.heldMethod("html", m.page))
		}
	}
	if language, ok := code.LanguageOf(name, m.head); ok {
		methods = append(methods, m.heldMethod(string(language), func() (*citekit.Draft, error) {
			return code.Map(m.ctx, language, m.held)
		}))
		format, structured = data.Lines, false
	}
	if format == data.Prose && m.held != nil {
		methods = append(methods, method{string(data.Prose), func() (*citekit.Draft, error) { return data.MapSections(m.ctx, m.held) }})
	}
	if structured {
		methods = append(methods, m.dataMethod(format))
		format = data.Lines
	}
	return append(methods, m.dataMethod(format))
}

// markup returns the markup language of the source, by its extension or, if
// that is not one of a markup language, by the beginning of an HTML document.
func (m *mapper) markup() (markup.Format, bool) {
	if format, ok := markup.FormatOf(m.src.Name(), m.head); ok {
		return format, true
	}
	if ext := extension(m.src.Name()); ext != ".txt" {
		return "", false
	}
	return markup.FormatOf("", m.head)
}

// heldMethod is a method that needs the text in memory.
func (m *mapper) heldMethod(name string, find func() (*citekit.Draft, error)) method {
	return method{name, func() (*citekit.Draft, error) {
		if m.held == nil {
			return nil, errNotHeld
		}
		return find()
	}}
}

var errNotHeld = fmt.Errorf("more than %d MiB of a format that is read whole; cite its lines, or split the file: %w", maxHeld>>20, citekit.ErrTooLarge)

// page maps a page of HTML without headings by the passages of its text,
// without tags and scripts.
func (m *mapper) page() (*citekit.Draft, error) {
	doc, err := markup.Map(m.ctx, markup.HTML, m.held)
	if err != nil {
		return nil, err
	}
	plain := markup.PlainHTML(m.held)
	if len(bytes.TrimSpace(plain)) == 0 {
		return &citekit.Draft{}, nil
	}
	s, err := data.Map(m.ctx, data.Prose, plain)
	if err != nil {
		return nil, err
	}
	if doc.Title != "" {
		s.Title = doc.Title
	}
	for _, n := range s.Nodes {
		n.Title, n.Summary = readable(n.Title), readable(n.Summary)
	}
	s.Metadata["format"] = "html"
	return s, nil
}

// readable returns text of HTML on one line, with its character references
// replaced by characters.
func readable(text string) string {
	return strings.Join(strings.Fields(html.UnescapeString(text)), " ")
}

func (m *mapper) dataMethod(format data.Format) method {
	return method{string(format), func() (*citekit.Draft, error) {
		if m.held != nil {
			return data.Map(m.ctx, format, m.held)
		}
		if !format.Streams() {
			return nil, errNotHeld
		}
		return data.MapReader(m.ctx, format, m.reader())
	}}
}

// subtitles maps cues, gathered into segments.
func (m *mapper) subtitles() (*citekit.Draft, error) {
	if len(m.held) > maxCues {
		return nil, fmt.Errorf("more than %d MiB of subtitles; cite its lines, or split the file: %w", maxCues>>20, citekit.ErrTooLarge)
	}
	cues, err := subtitle.Parse(m.src.Name(), m.held)
	if err != nil {
		return nil, err
	}
	segments := subtitle.Gather(cues)
	if cues[0].First == cues[len(cues)-1].Last { // all on one line
		segments = []subtitle.Segment{{Cues: cues, Title: segments[0].Title}}
	}
	each := (len(segments) + about.MaxMappedNodes - 1) / about.MaxMappedNodes
	s := &citekit.Draft{Method: "cues", Metadata: map[string]any{"cues": len(cues)}}
	for ; len(segments) > 0; segments = segments[min(each, len(segments)):] {
		first, last := segments[0], segments[min(each, len(segments))-1]
		s.Nodes = append(s.Nodes, &citekit.Node{
			Type:     "segment",
			Title:    first.Title,
			Location: linesAt(first.First(), last.Last()),
			Summary:  sentence.Lead(first.Text(), maxSummary),
		})
	}
	return s, nil
}

// join makes one node from the nodes of a source of one line, because no
// location can distinguish them.
func (m *mapper) join(s *citekit.Draft) {
	first := s.Nodes[0]
	if m.lines > 1 || len(s.Nodes) == 1 && len(first.Children) == 0 {
		return
	}
	s.Method = "whole"
	s.Nodes = []*citekit.Node{{Type: "passage", Title: s.Title, Location: linesAt(1, 1)}}
}

// crowded reports whether several nodes share one line of the source while
// others do not, as in minified code with a comment below it.
func (m *mapper) crowded(nodes []*citekit.Node) bool {
	first, last := nodes[0].Location.Lines, nodes[len(nodes)-1].Location.Lines
	return m.lines > 1 && len(nodes) > 1 && first.First == last.Last && first.Len() == 1
}

// check returns an error unless all nodes are inside the source and their
// parents.
func (m *mapper) check(nodes []*citekit.Node) error {
	return checkWithin(nodes, citekit.Range{First: 1, Last: m.lines})
}

func checkWithin(nodes []*citekit.Node, outer citekit.Range) error {
	for _, n := range nodes {
		lines := n.Location.Lines
		if n.Location.Modality != citekit.Text || lines.First < outer.First || lines.Last > outer.Last || lines.Last < lines.First {
			return fmt.Errorf("lines %v outside of %v: %w", lines, outer, citekit.ErrFormat)
		}
		if err := checkWithin(n.Children, lines); err != nil {
			return err
		}
	}
	return nil
}

// even divides the source into runs of equally many lines.
func (m *mapper) even() *citekit.Draft {
	const parts = 1_000
	each := max(int(math.Ceil(float64(m.lines)/parts)), 100)
	s := &citekit.Draft{Method: "lines"}
	for first := 1; first <= m.lines; first += each {
		s.Nodes = append(s.Nodes, &citekit.Node{Type: "passage", Location: linesAt(first, min(first+each-1, m.lines))})
	}
	return s
}
