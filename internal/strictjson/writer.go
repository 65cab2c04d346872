package strictjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"slices"
)

// A Writer writes objects member by member, without a type for each. The zero value is ready to use.
type Writer struct {
	bytes.Buffer
	first bool  // nothing has been written in the open object yet
	Err   error // the first error of encoding
}

// Open begins an object.
func (w *Writer) Open() {
	w.WriteByte('{')
	w.first = true
}

// Close ends an object.
func (w *Writer) Close() {
	w.WriteByte('}')
	w.first = false
}

// Key writes the name of a member, whose value comes next.
func (w *Writer) Key(key string) {
	if !w.first {
		w.WriteByte(',')
	}
	w.first = false
	w.Quote(key)
	w.WriteByte(':')
}

// Quote writes s as a JSON string. It writes plain text without an encoder.
func (w *Writer) Quote(s string) {
	for i := range len(s) {
		if c := s[i]; c < 0x20 || c >= 0x7f || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&' {
			w.Encode(s)
			return
		}
	}
	w.WriteByte('"')
	w.WriteString(s)
	w.WriteByte('"')
}

// Encode writes a value as encoding/json does.
func (w *Writer) Encode(v any) {
	data, err := json.Marshal(v)
	w.Err = errors.Join(w.Err, err)
	w.Write(data)
}

// Text writes a member that is a string.
func (w *Writer) Text(key, value string) {
	w.Key(key)
	w.Quote(value)
}

// Optional writes a member that is a string, unless it is empty.
func (w *Writer) Optional(key, value string) {
	if value != "" {
		w.Text(key, value)
	}
}

// Raw writes a member whose value is JSON.
func (w *Writer) Raw(key string, value json.RawMessage) {
	w.Key(key)
	w.Write(value)
}

// Flag writes a member that is true, or nothing if it is not.
func (w *Writer) Flag(key string, is bool) {
	if is {
		w.Value(key, true)
	}
}

// Value writes a member whose value encoding/json encodes.
func (w *Writer) Value(key string, v any) {
	w.Key(key)
	w.Encode(v)
}

// Extras writes members in the order of their keys.
func (w *Writer) Extras(extra map[string]json.RawMessage) {
	for _, key := range slices.Sorted(maps.Keys(extra)) {
		w.Raw(key, extra[key])
	}
}
