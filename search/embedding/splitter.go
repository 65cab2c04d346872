package embedding

import (
	"cmp"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/citekit/citekit"
)

// A splitterRule is a pre-tokenizer in tokenizer.json.
type splitterRule struct {
	Type          string         `json:"type"`
	PreTokenizers []splitterRule `json:"pretokenizers"`

	Replacement    string `json:"replacement"`
	PrependScheme  string `json:"prepend_scheme"`
	AddPrefixSpace *bool  `json:"add_prefix_space"`
	Split          *bool  `json:"split"`

	Behavior         string `json:"behavior"`
	IndividualDigits bool   `json:"individual_digits"`
}

// addSplitter adds the step of a rule; a nil rule adds nothing.
func (t *tokenizer) addSplitter(r *splitterRule) error {
	if r == nil {
		return nil
	}
	if r.Type == "Sequence" {
		for i := range r.PreTokenizers {
			if err := t.addSplitter(&r.PreTokenizers[i]); err != nil {
				return err
			}
		}
		return nil
	}
	f, err := r.function()
	if err == nil && len(t.splitters) == maxStages {
		err = fmt.Errorf("tokenizer.json has more than %d pre-tokenizers: %w", maxStages, citekit.ErrSyntax)
	}
	t.splitters = append(t.splitters, f)
	return err
}

func (r *splitterRule) function() (func([]string) []string, error) {
	switch r.Type {
	case "BertPreTokenizer":
		return each(func(word string) []string { return classes(word, bertClass) }), nil
	case "Whitespace":
		return each(func(word string) []string { return classes(word, wordClass) }), nil
	case "WhitespaceSplit":
		return each(strings.Fields), nil
	case "Digits":
		return each(func(word string) []string { return classes(word, r.digitClass) }), nil
	case "Punctuation":
		if r.Behavior != "" && r.Behavior != "Isolated" {
			return nil, unknown("the punctuation behavior", r.Behavior, "Isolated")
		}
		return each(func(word string) []string { return classes(word, punctuationClass) }), nil
	case "Metaspace":
		return r.metaspace()
	}
	return nil, unknown("a pre-tokenizer", r.Type, "BertPreTokenizer, Whitespace, WhitespaceSplit, Digits, Punctuation, Metaspace and Sequence")
}

// each splits each word by itself.
func each(split func(string) []string) func([]string) []string {
	return func(words []string) []string {
		var all []string
		for _, word := range words {
			all = append(all, split(word)...)
		}
		return all
	}
}

// The classes of characters for a splitter. Runs of one class stay together,
// except those of the class alone; white space is dropped.
const (
	space = -1 - iota
	alone
)

// classes splits a word where the class of its characters changes.
func classes(word string, class func(rune) int) (parts []string) {
	start, last := 0, space
	for i, r := range word {
		c := class(r)
		if c != last || c == alone {
			if last != space && i > start {
				parts = append(parts, word[start:i])
			}
			start, last = i, c
		}
	}
	if last != space && start < len(word) {
		parts = append(parts, word[start:])
	}
	return parts
}

func bertClass(r rune) int {
	if unicode.IsSpace(r) {
		return space
	}
	return punctuationClass(r)
}

func punctuationClass(r rune) int {
	if unicode.IsPunct(r) || r < utf8.RuneSelf && unicode.IsSymbol(r) {
		return alone
	}
	return 0
}

func wordClass(r rune) int {
	switch {
	case unicode.IsSpace(r):
		return space
	case r == '_' || unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r):
		return 1
	}
	return 0
}

func (r *splitterRule) digitClass(c rune) int {
	switch {
	case !unicode.IsNumber(c):
		return 0
	case r.IndividualDigits:
		return alone
	}
	return 1
}

// metaspace returns a function that marks spaces as SentencePiece does, and
// splits before each mark.
func (r *splitterRule) metaspace() (func([]string) []string, error) {
	mark := cmp.Or(r.Replacement, "▁")
	scheme := r.PrependScheme
	if scheme == "" {
		scheme = "always"
		if r.AddPrefixSpace != nil && !*r.AddPrefixSpace {
			scheme = "never"
		}
	}
	if scheme != "always" && scheme != "first" && scheme != "never" {
		return nil, unknown("a prepend_scheme", scheme, "always, first and never")
	}
	if len(mark) > utf8.UTFMax {
		return nil, fmt.Errorf("tokenizer.json has a replacement of %d bytes; it must be one character: %w", len(mark), citekit.ErrSyntax)
	}
	whole := r.Split != nil && !*r.Split
	return func(words []string) (all []string) {
		for i, word := range words {
			word = strings.ReplaceAll(word, " ", mark)
			if (scheme == "always" || scheme == "first" && i == 0) && !strings.HasPrefix(word, mark) {
				word = mark + word
			}
			if whole {
				all = append(all, word)
				continue
			}
			all = append(all, before(word, mark)...)
		}
		return all
	}, nil
}

// before splits a word before each mark.
func before(word, mark string) (parts []string) {
	for word != "" {
		_, first := utf8.DecodeRuneInString(word)
		i := strings.Index(word[first:], mark)
		if i < 0 {
			return append(parts, word)
		}
		parts = append(parts, word[:first+i])
		word = word[first+i:]
	}
	return parts
}
