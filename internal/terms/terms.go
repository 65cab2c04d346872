// Package terms turns text into the terms that an index holds: words in lower
// case, stemmed and without accents, each with its place in the text.
//
// Words are those of Unicode annex 29, with a path of their own for ASCII.
// Identifiers such as parseFile, snake_case and os.Root give a term for the
// whole and one for each part. Scripts that put no spaces between words give
// pairs of neighbouring characters. A word that is divided at the end of a line
// gives a term for the whole too.
//
// Work and memory are linear in the text, whatever it holds: no term has more
// than [MaxBytes] bytes, and what is longer is cut.
package terms

import "iter"

// MaxBytes is how long a term is at most. Of a longer word the start counts.
const MaxBytes = 64

// A Term is one term of a text.
type Term struct {
	Text       string // never empty
	Start, End int    // bytes of the word in the text

	// Position counts the words from 0. Stop words take no position, so that
	// the words around them are neighbours. The parts of an identifier have
	// positions that follow each other, and the whole that of its first part.
	Position int

	Role Role
}

// A Role tells what a term stands for.
type Role uint8

const (
	Word  Role = iota // a word, a part of an identifier, or two characters
	Whole             // an identifier whose parts follow as words, or a word that is divided
	Last              // the last character of a run whose pairs of characters came before
)

// An Analyzer turns text of one language into terms. It remembers words that it
// has seen, and is not safe for concurrent use.
type Analyzer struct {
	language Language
	rules    rules
	seen     map[string][]form
}

const (
	maxSeen     = 1 << 16 // words
	maxSeenWord = 32      // bytes
)

// New returns an Analyzer for a language. One that has no rules here is taken as
// [None].
func New(language Language) *Analyzer {
	return &Analyzer{language: language, rules: rulesOf(language), seen: make(map[string][]form)}
}

// Language returns the language that the Analyzer is for.
func (a *Analyzer) Language() Language { return a.language }

// Terms yields the terms of text in the order of their positions.
func (a *Analyzer) Terms(text string) iter.Seq[Term] {
	return func(yield func(Term) bool) {
		s := scanner{analyzer: a, text: text, yield: yield}
		s.run()
	}
}

// forms returns the terms of one word. They are not to be changed.
func (a *Analyzer) forms(word string) []form {
	if len(word) > maxSeenWord {
		return a.rules.forms(word)
	}
	forms, ok := a.seen[word]
	if ok {
		return forms
	}
	word = string(append([]byte(nil), word...)) // the text it is part of may be large
	forms = a.rules.forms(word)
	if len(a.seen) < maxSeen {
		a.seen[word] = forms
	}
	return forms
}
