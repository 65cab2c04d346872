package mapadapter

import (
	"strings"

	"github.com/citekit/citekit/internal/lenient"
	"github.com/citekit/citekit/internal/plain"
)

// A record is a JSON object or a row of a table. Package lenient reads its
// values.
type record map[string]any

// text returns the first member that is a text or a number and not empty, or
// "".
func (r record) text(keys ...string) string {
	for _, key := range keys {
		if s := lenient.Text(r[key]); s != "" {
			return s
		}
	}
	return ""
}

// whole returns the first member that is a whole number.
func (r record) whole(keys ...string) (int, bool) {
	for _, key := range keys {
		if n, ok := lenient.Whole(r[key]); ok {
			return n, true
		}
	}
	return 0, false
}

// number returns a member as a finite number.
func (r record) number(key string) (float64, bool) { return lenient.Number(r[key]) }

// texts returns the texts and numbers in a list.
func (r record) texts(key string) []string {
	list, _ := r[key].([]any)
	var texts []string
	for _, v := range list {
		if s := lenient.Text(v); s != "" {
			texts = append(texts, s)
		}
	}
	return texts
}

// records returns the objects in a list.
func (r record) records(key string) []record { return recordsOf(r[key]) }

func recordsOf(v any) []record {
	list, _ := v.([]any)
	var records []record
	for _, v := range list {
		if m, ok := v.(map[string]any); ok {
			records = append(records, m)
		}
	}
	return records
}

// sub returns a member that is an object, or nil.
func (r record) sub(key string) record {
	m, _ := r[key].(map[string]any)
	return m
}

func (r record) has(keys ...string) bool {
	for _, key := range keys {
		if _, ok := r[key]; !ok {
			return false
		}
	}
	return true
}

// title returns text as a title, cut at a word.
func title(text string) string { return plain.Words(text, maxTitle) }

// firstLine returns the first line of text that is not empty, as a title for a
// node without one.
func firstLine(text string) string {
	const enough = 100 // bytes of a title cut from a text
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return plain.Words(strings.TrimLeft(line, "#*-> "), enough)
}
