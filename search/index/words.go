package index

import "context"

// A Counter is an [Index] that can count the entries that have a word.
type Counter interface {
	// Words returns the words of a text, each with the number of entries that
	// have it, and the total number of entries. Signs in the text have no
	// meaning. Its first 64 KiB are used.
	Words(ctx context.Context, text string) (words []Word, entries int, err error)
}

// A Word is a word of a text with its terms in an index.
type Word struct {
	Text    string   // as written
	Terms   []string // in the form they have in the index, in each of its languages
	Entries int      // number of entries that have it; an entry with two of the terms is counted twice
}

var _ Counter = (*Local)(nil)

// Words implements [Counter].
func (l *Local) Words(ctx context.Context, text string) (words []Word, entries int, err error) {
	text = cut(text, maxText)
	err = l.read(ctx, func(s *snapshot) error {
		c := newCompiler(s)
		words, entries = nil, s.docs()
		for p, list := range c.placed(text) {
			words = append(words, Word{Text: text[p.start:p.end], Terms: list, Entries: c.frequency(list)})
		}
		return nil
	})
	return words, entries, err
}
