package index

import (
	"context"
	"maps"
	"slices"

	"github.com/citekit/citekit/internal/terms"
)

// A Counter is an [Index] that can count the entries that have a word.
type Counter interface {
	// Words returns the words of a text, each with the number of entries that
	// have it, and the total number of entries; function words only if the text has no
	// others. Signs in the text have no meaning. Its first 64 KiB are used.
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
	reader := terms.NewReader(text)
	keeps := onlyFunction(reader, clause{text: text})
	err = l.read(ctx, func(s *snapshot) error {
		words, entries = nil, s.docs()
		at := make(map[wordPlace]int)
		for _, c := range newCompilers(s) {
			for p, list := range c.placed(text) {
				word := text[p.start:p.end]
				if !keeps && reader.IsFunction(word) {
					continue
				}
				i, ok := at[p]
				if !ok {
					i, at[p] = len(words), len(words)
					words = append(words, Word{Text: word})
				}
				w := &words[i]
				for _, term := range list {
					if !slices.Contains(w.Terms, term) {
						w.Terms = append(w.Terms, term)
					}
				}
				w.Entries += c.frequency(list)
			}
		}
		places := slices.SortedFunc(maps.Keys(at), wordPlace.compare)
		ordered := make([]Word, len(words))
		for i, p := range places {
			ordered[i] = words[at[p]]
		}
		words = ordered
		return nil
	})
	return words, entries, err
}
