package citekit

import (
	"slices"
	"strings"

	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/suggest"
)

// A selectorForm says how the selector of an address is written.
type selectorForm struct {
	name, example string
	words         []string // that people write instead
}

var selectorForms = []selectorForm{
	{"pages", "pages=3-5", []string{"page", "p", "pp", "pg"}},
	{"t", "t=10-20", []string{"time", "times", "start", "end", "seconds", "second", "sec", "s", "ts", "from"}},
	{"lines", "lines=10-25", []string{"line", "l", "ln", "row", "rows"}},
	{"bbox", "bbox=0,0,0.5,0.5", []string{"box", "b", "rect", "region", "crop", "xywh", "viewrect"}},
	{"v", "v=0123abcd", []string{"version", "hash", "sha", "sha256"}},
}

// unknownParameter returns the error for a parameter that addresses do not
// have. It says what was probably meant.
func unknownParameter(name, value string) error {
	form, ok := meantSelector(name)
	switch {
	case !ok:
		return syntaxError("parameter %s; it is one of pages, t, lines, bbox, v", message.Quote(name))
	case strings.ToLower(name) != "xywh" && reads(form.name, value):
		return syntaxError("parameter %s; write %s=%s", message.Quote(name), form.name, message.Clip(value))
	}
	return syntaxError("parameter %s; write such as %s", message.Quote(name), form.example)
}

// meantSelector returns the selector that another word stands for.
func meantSelector(word string) (selectorForm, bool) {
	word = strings.ToLower(word)
	for _, form := range selectorForms {
		if word == form.name || slices.Contains(form.words, word) {
			return form, true
		}
	}
	for _, form := range selectorForms {
		if len(form.name) > 1 && len(word) > 2 && suggest.Distance(word, form.name, 2) <= 2 {
			return form, true
		}
	}
	return selectorForm{}, false
}

// reads reports whether a value is one of a selector.
func reads(name, value string) bool {
	_, _, err := parseFragment(name + "=" + value)
	return err == nil
}

// noValue returns the error for a parameter without "=". Numbers alone, as in
// "12-15" or "L10-L20", are told from words.
func noValue(param string) error {
	digits := strings.NewReplacer("L", "", "l", "").Replace(param)
	switch {
	case param != digits && reads("lines", digits):
		return syntaxError("parameter %s has no value; write lines=%s", message.Quote(param), digits)
	case reads("lines", param):
		return syntaxError("%s has no name; write pages=%s, lines=%s or such", message.Quote(param), param, param)
	}
	if form, ok := meantSelector(param); ok {
		return syntaxError("parameter %s has no value; write such as %s", message.Quote(param), form.example)
	}
	return syntaxError("parameter %s has no value; write such as pages=3-5", message.Quote(param))
}
