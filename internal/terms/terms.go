// Package terms turns text into the terms of an index: words in lower case, stemmed and
// without accents, each with its place in the text.
//
// Words are those of Unicode Annex 29, with a fast path for ASCII. Identifiers such as
// parseFile, snake_case and os.Root give a term for the whole and one for each part.
// Scripts without spaces between words give pairs of neighbouring characters. A word
// divided at a line end also gives a term for the whole.
//
// Time and memory are linear in the text. Terms have at most [MaxBytes] bytes; longer
// ones are cut.
package terms

import (
	"iter"
	"sync"
)

// MaxBytes is the maximum length of a term. A longer word is cut.
const MaxBytes = 64

// A Term is one term of a text.
type Term struct {
	Text       string // never empty
	Start, End int    // bytes of the word in the text

	// Position counts the words from 0. Function words have the position of the
	// next word, so the words around them are neighbours. The parts of an identifier
	// have consecutive positions, and the whole has that of its first part.
	Position int

	Role Role
}

// A Role says what a term represents.
type Role uint8

const (
	Word     Role = iota // a word, a part of an identifier, or two characters
	Whole                // an identifier whose parts follow as words, or a divided word
	Last                 // the last character of a run, after the pairs of the run
	Function             // a function word of the language, such as "the"
)

// An Analyzer turns text of one language into terms. It caches words, and is not safe
// for concurrent use.
type Analyzer struct {
	language Language
	rules    rules
	seen     map[string][]form
}

const (
	maxSeen     = 1 << 16 // words
	maxSeenWord = 32      // bytes
)

// New returns an Analyzer for a language. A language without rules counts as [None].
func New(language Language) *Analyzer {
	return &Analyzer{language: language, rules: rulesOf(language), seen: make(map[string][]form)}
}

// kept has Analyzers with the words that they have seen. Languages that are not in it
// have no rules.
var kept = map[Language]*sync.Pool{
	None: {}, Dutch: {}, English: {}, French: {}, German: {}, Italian: {}, Portuguese: {}, Russian: {}, Spanish: {},
}

// Borrow returns an Analyzer that may have been used before, and then knows many words.
// The caller calls done after its last use.
func Borrow(language Language) (a *Analyzer, done func()) {
	pool, ok := kept[language]
	if !ok {
		language, pool = None, kept[None]
	}
	a, ok = pool.Get().(*Analyzer)
	if !ok {
		a = New(language)
	}
	return a, func() { pool.Put(a) }
}

// Language returns the language of the Analyzer.
func (a *Analyzer) Language() Language { return a.language }

// Terms yields the terms of text in order of position, without function words.
func (a *Analyzer) Terms(text string) iter.Seq[Term] { return a.scan(text, false) }

// All yields the terms of text in order of position.
func (a *Analyzer) All(text string) iter.Seq[Term] { return a.scan(text, true) }

func (a *Analyzer) scan(text string, all bool) iter.Seq[Term] {
	return func(yield func(Term) bool) {
		s := scanner{analyzer: a, text: text, yield: yield, all: all}
		s.run()
	}
}

// forms returns the terms of one word. The caller must not change them.
func (a *Analyzer) forms(word string) []form {
	if len(word) > maxSeenWord {
		return a.rules.forms(word)
	}
	forms, ok := a.seen[word]
	if ok {
		return forms
	}
	word = string(append([]byte(nil), word...)) // a copy, because the text that it is part of may be large
	forms = a.rules.forms(word)
	if len(a.seen) < maxSeen {
		a.seen[word] = forms
	}
	return forms
}
