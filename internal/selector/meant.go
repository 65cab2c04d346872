package selector

import (
	"slices"
	"strings"

	"github.com/citekit/citekit/internal/message"
)

// A selector is a parameter of an address.
type selector struct {
	name, example string
	words         []string // that people write instead
}

var selectors = []selector{
	{"pages", "pages=3-5", []string{"page", "p", "pp", "pg", "slide", "slides"}},
	{"t", "t=10-20", []string{"time", "times", "start", "end", "seconds", "second", "sec", "s", "ts", "from"}},
	{"lines", "lines=10-25", []string{"line", "l", "ln"}},
	{"blocks", "blocks=12-15", []string{"block", "para", "paras", "paragraph", "paragraphs"}},
	{"sheet", "sheet=Results", []string{"sheets", "tab", "worksheet"}},
	{"cells", "sheet=Results&cells=B5:D10", []string{"cell", "range"}},
	{"rows", "rows=5-7", []string{"row", "records", "record"}},
	{"cols", "cols=name,price", []string{"col", "column", "columns"}},
	{"part", "part=4", []string{"parts", "chapter", "chapters"}},
	{"message", "message=3", []string{"messages", "mail", "msg"}},
	{"table", "table=orders", []string{"tables"}},
	{"member", "member=dir/a.pdf", []string{"members", "file", "entry", "path"}},
	{"bbox", "bbox=0,0,0.5,0.5", []string{"box", "b", "rect", "region", "crop", "xywh", "viewrect"}},
	{"v", "v=0123abcd", []string{"version", "hash", "sha", "sha256"}},
}

// maxTypos is by how many edits a word may differ from a selector.
const maxTypos = 2

// Meant returns what is wrong with a parameter that addresses do not have,
// and what was probably meant. The function reads reports whether a value is
// valid for a selector.
func Meant(name, value string, reads func(selector, value string) bool) string {
	s, ok := selectorOf(name)
	switch {
	case strings.HasPrefix(name, "amp;"):
		return "parameter " + message.Quote(name) + "; write & for &amp;"
	case !ok:
		return "parameter " + message.Quote(name) + "; it is one of pages, t, lines, bbox, blocks, sheet, cells, rows, cols, part, message, table, member, v"
	case strings.ToLower(name) != "xywh" && reads(s.name, value): // which has a width and a height
		return "parameter " + message.Quote(name) + "; write " + s.name + "=" + message.Clip(value)
	}
	return "parameter " + message.Quote(name) + "; write such as " + s.example
}

// NoValue is like [Meant] for a parameter without "=". It distinguishes
// numbers alone, as in "12-15" or "L10-L20", from words.
func NoValue(param string, reads func(selector, value string) bool) string {
	quoted := message.Quote(param)
	digits := strings.NewReplacer("L", "", "l", "").Replace(param)
	switch {
	case param != digits && reads("lines", digits):
		return "parameter " + quoted + " has no value; write lines=" + digits
	case reads("lines", param):
		return quoted + " has no name; write pages=" + param + ", lines=" + param + " or such"
	}
	example := "pages=3-5"
	if s, ok := selectorOf(param); ok {
		example = s.example
	}
	return "parameter " + quoted + " has no value; write such as " + example
}

// selectorOf returns the selector that a word stands for, ignoring case: its
// name, another word for it, or a mistyped one of these.
func selectorOf(word string) (selector, bool) {
	word = strings.ToLower(word)
	for _, s := range selectors {
		if word == s.name || slices.Contains(s.words, word) {
			return s, true
		}
	}
	for _, s := range selectors {
		if len(s.name) > 1 && len(word) > maxTypos && message.Distance(word, s.name, maxTypos) <= maxTypos {
			return s, true
		}
	}
	return selector{}, false
}
