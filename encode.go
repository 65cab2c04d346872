package citekit

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/citekit/citekit/internal/plain"
	"github.com/citekit/citekit/internal/strictjson"
)

// MarshalJSON implements [json.Marshaler]. Nodes, children and metadata are
// never null.
func (m *ResourceMap) MarshalJSON() ([]byte, error) {
	w := new(jsonWriter)
	w.Grow(m.roughSize())
	w.Open()
	w.Text("resource_id", m.ResourceID)
	w.Text("type", string(m.Type))
	w.Text("title", m.Title)
	w.Text("source_path", m.SourcePath)
	w.Key("nodes")
	w.nodes(m.Nodes)
	if m.Metadata == nil {
		w.Raw("metadata", json.RawMessage("{}"))
	} else {
		w.Value("metadata", m.Metadata)
	}
	w.Text("created_at", m.CreatedAt)
	w.Extras(m.extra)
	w.Close()
	return w.Bytes(), w.Err
}

// roughSize returns about how many bytes the JSON of a map has.
func (m *ResourceMap) roughSize() int {
	const members = 160 // of a node, with its place
	size := 1 << 10
	for n := range m.All() {
		size += members + len(n.ID) + len(n.Title) + len(n.Summary)
	}
	return size
}

// MarshalJSON implements [json.Marshaler], children included.
func (n *Node) MarshalJSON() ([]byte, error) {
	w := new(jsonWriter)
	w.node(n, true)
	return w.Bytes(), w.Err
}

// MarshalJSON implements [json.Marshaler]. Pages are listed one by one; for
// more than a million the error matches [ErrTooLarge].
func (l Location) MarshalJSON() ([]byte, error) {
	w := new(jsonWriter)
	w.location(l)
	return w.Bytes(), w.Err
}

// A jsonWriter writes the parts of a map. The zero value is ready to use.
type jsonWriter struct{ strictjson.Writer }

func (w *jsonWriter) nodes(nodes []*Node) {
	w.WriteByte('[')
	for i, n := range nodes {
		if i > 0 {
			w.WriteByte(',')
		}
		w.node(n, true)
	}
	w.WriteByte(']')
}

func (w *jsonWriter) node(n *Node, children bool) {
	w.Open()
	w.Text("id", n.ID)
	w.Optional("title", n.Title)
	w.Text("type", n.Type)
	w.Key("location")
	w.location(n.Location)
	w.Optional("summary", n.Summary)
	if children {
		w.Key("children")
		w.nodes(n.Children)
	}
	w.Extras(n.extra)
	w.Close()
}

// maxListedPages bounds the memory that a location of a few bytes, such as
// pages=1-2000000000, can take as JSON.
const maxListedPages = 1_000_000

func (w *jsonWriter) location(l Location) {
	if l.odd.issue() != nil {
		w.WriteString(l.odd.raw)
		return
	}
	w.Open()
	w.Text("modality", string(l.Modality))
	if len(l.Pages) > 0 {
		w.Key("pages")
		w.pages(l)
	}
	if !l.Lines.IsZero() {
		w.Key("lines")
		w.Write(fmt.Appendf(w.AvailableBuffer(), "[%d,%d]", l.Lines.First, l.Lines.Last))
	}
	if !l.Time.IsZero() {
		w.Raw("start", json.RawMessage(plain.FormatDecimal(l.Time.Start)))
		if l.Time.End != 0 {
			w.Raw("end", json.RawMessage(plain.FormatDecimal(l.Time.End)))
		}
	}
	if !l.Box.IsZero() {
		w.Raw("bbox", json.RawMessage("["+l.Box.String()+"]"))
	}
	w.structure(l)
	w.Optional("virtual_address", l.VirtualAddress)
	if l.odd != nil {
		w.Extras(l.odd.extra)
	}
	w.Close()
}

// structure writes the selectors of documents that have other parts than pages.
func (w *jsonWriter) structure(l Location) {
	w.Optional("member", l.Member)
	if l.Message != 0 {
		w.Value("message", l.Message)
	}
	w.Optional("part", l.Part)
	w.Optional("table", l.Table)
	w.Optional("sheet", l.Sheet)
	for _, r := range []struct {
		key string
		Range
	}{{"blocks", l.Blocks}, {"rows", l.Rows}} {
		if !r.IsZero() {
			w.Key(r.key)
			w.Write(fmt.Appendf(w.AvailableBuffer(), "[%d,%d]", r.First, r.Last))
		}
	}
	if !l.Cells.IsZero() {
		w.Text("cells", l.Cells.String())
	}
	if len(l.Cols) > 0 {
		w.Value("cols", l.Cols)
	}
}

func (w *jsonWriter) pages(l Location) {
	if l.PageCount() > maxListedPages {
		w.Err = errors.Join(w.Err, fmt.Errorf("%d pages in one location; at most %d: %w", l.PageCount(), maxListedPages, ErrTooLarge))
		w.WriteString("[]")
		return
	}
	separator := byte('[')
	for _, run := range l.Pages {
		for page := run.First; page <= run.Last; page++ {
			w.WriteByte(separator)
			w.Write(strconv.AppendInt(w.AvailableBuffer(), int64(page), 10))
			separator = ','
		}
	}
	w.WriteByte(']')
}
