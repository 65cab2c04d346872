package index

import "context"

// A Counter is an [Index] that tells how common words are.
type Counter interface {
	// Words returns the words of a text, in which no sign has a meaning, with how
	// many entries have each, and how many entries there are. The first 64 KiB
	// count.
	Words(ctx context.Context, text string) (words []Word, entries int, err error)
}

// A Word is a word of a text as an index has it.
type Word struct {
	Text    string   // as it is written
	Terms   []string // as the index writes it, in each language that it holds
	Entries int      // how many entries have it; one that has two of the terms counts twice
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
