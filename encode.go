package citekit

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/citekit/citekit/internal/decimal"
)

// MarshalJSON implements [json.Marshaler]. Nodes, children and metadata are
// never null.
func (m *ResourceMap) MarshalJSON() ([]byte, error) {
	w := new(jsonWriter)
	w.open()
	w.text("resource_id", m.ResourceID)
	w.text("type", string(m.Type))
	w.text("title", m.Title)
	w.text("source_path", m.SourcePath)
	w.key("nodes")
	w.nodes(m.Nodes)
	if m.Metadata == nil {
		w.raw("metadata", json.RawMessage("{}"))
	} else {
		w.value("metadata", m.Metadata)
	}
	w.text("created_at", m.CreatedAt)
	w.extras(m.extra)
	w.close()
	return w.Bytes(), w.err
}

// MarshalJSON implements [json.Marshaler], children included.
func (n *Node) MarshalJSON() ([]byte, error) {
	w := new(jsonWriter)
	w.node(n, true)
	return w.Bytes(), w.err
}

// MarshalJSON implements [json.Marshaler]. Pages are listed one by one; more
// than a million are an error matching [ErrTooLarge].
func (l Location) MarshalJSON() ([]byte, error) {
	w := new(jsonWriter)
	w.location(l)
	return w.Bytes(), w.err
}

// A jsonWriter writes the parts of a map. The zero value is ready to use.
type jsonWriter struct {
	bytes.Buffer
	first bool // nothing has been written in the open object yet
	err   error
}

func (w *jsonWriter) open() {
	w.WriteByte('{')
	w.first = true
}

func (w *jsonWriter) close() {
	w.WriteByte('}')
	w.first = false
}

func (w *jsonWriter) key(key string) {
	if !w.first {
		w.WriteByte(',')
	}
	w.first = false
	w.quote(key)
	w.WriteByte(':')
}

// quote writes s as a JSON string. Plain text needs no encoder.
func (w *jsonWriter) quote(s string) {
	for i := range len(s) {
		if c := s[i]; c < 0x20 || c >= 0x7f || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&' {
			w.encode(s)
			return
		}
	}
	w.WriteByte('"')
	w.WriteString(s)
	w.WriteByte('"')
}

func (w *jsonWriter) encode(v any) {
	data, err := json.Marshal(v)
	w.err = errors.Join(w.err, err)
	w.Write(data)
}

func (w *jsonWriter) text(key, value string) {
	w.key(key)
	w.quote(value)
}

func (w *jsonWriter) optional(key, value string) {
	if value != "" {
		w.text(key, value)
	}
}

func (w *jsonWriter) raw(key string, value json.RawMessage) {
	w.key(key)
	w.Write(value)
}

func (w *jsonWriter) value(key string, v any) {
	w.key(key)
	w.encode(v)
}

func (w *jsonWriter) extras(extra extraFields) {
	for _, key := range slices.Sorted(maps.Keys(extra)) {
		w.raw(key, extra[key])
	}
}

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
	w.open()
	w.text("id", n.ID)
	w.optional("title", n.Title)
	w.text("type", n.Type)
	w.key("location")
	w.location(n.Location)
	w.optional("summary", n.Summary)
	if children {
		w.key("children")
		w.nodes(n.Children)
	}
	w.extras(n.extra)
	w.close()
}

// maxListedPages bounds the memory that a location of a few bytes, such as
// pages=1-2000000000, can take as JSON.
const maxListedPages = 1_000_000

func (w *jsonWriter) location(l Location) {
	if l.odd.issue() != nil {
		w.WriteString(l.odd.raw)
		return
	}
	w.open()
	w.text("modality", string(l.Modality))
	if len(l.Pages) > 0 {
		w.key("pages")
		w.pages(l)
	}
	if !l.Lines.IsZero() {
		w.value("lines", [2]int{l.Lines.First, l.Lines.Last})
	}
	if !l.Time.IsZero() {
		w.raw("start", json.RawMessage(decimal.Format(l.Time.Start)))
		if l.Time.End != 0 {
			w.raw("end", json.RawMessage(decimal.Format(l.Time.End)))
		}
	}
	if !l.Box.IsZero() {
		w.raw("bbox", json.RawMessage("["+l.Box.String()+"]"))
	}
	w.optional("virtual_address", l.VirtualAddress)
	if l.odd != nil {
		w.extras(l.odd.extra)
	}
	w.close()
}

func (w *jsonWriter) pages(l Location) {
	if l.PageCount() > maxListedPages {
		w.err = errors.Join(w.err, fmt.Errorf("%d pages in one location; at most %d: %w", l.PageCount(), maxListedPages, ErrTooLarge))
		w.WriteString("[]")
		return
	}
	var number []byte
	separator := byte('[')
	for _, run := range l.Pages {
		for page := run.First; page <= run.Last; page++ {
			w.WriteByte(separator)
			number = strconv.AppendInt(number[:0], int64(page), 10)
			w.Write(number)
			separator = ','
		}
	}
	w.WriteByte(']')
}
