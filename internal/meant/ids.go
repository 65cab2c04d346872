// Package meant guesses what a person or a model meant by an id that does not
// exist, or by a word that is not a parameter of an address. Errors show its
// guesses as suggestions. It never replaces what the caller wrote.
package meant

import (
	"iter"
	"path"
	"slices"
	"strings"

	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/nfc"
	"github.com/citekit/citekit/internal/slug"
	"github.com/citekit/citekit/internal/suggest"
)

const (
	maxIDs    = 3 // returned
	leastEdit = 2 // that any two ids may differ by
)

// IDs returns at most three of the known ids: those most similar to a wrong
// one, best first. It leaves out ids that [message.IsPlain] reports as unsafe
// to display.
func IDs(wrong string, known iter.Seq[string]) []string {
	plain := func(yield func(string) bool) {
		for id := range known {
			if message.IsPlain(id) && !yield(id) {
				return
			}
		}
	}
	return suggest.Closest(wrong, plain, maxIDs, leastEdit)
}

// Resources returns at most three ids of resources that a wrong id may mean,
// best first: those in noted, which belong to a source with the name that
// [Base] returns, those that a file of that name would get, and those that look
// similar. The argument ids has the ids of all resources in ascending byte
// order.
func Resources(wrong string, noted, ids []string) []string {
	base := Base(wrong)
	stem := strings.TrimSuffix(base, slug.Ext(base))
	found := slices.Clone(noted)
	for _, id := range []string{slug.File(wrong), slug.File(base), slug.File(stem)} {
		if _, there := slices.BinarySearch(ids, id); there {
			found = append(found, id)
		}
	}
	found = append(found, IDs(wrong, slices.Values(ids))...)
	if stem != wrong {
		found = append(found, IDs(stem, slices.Values(ids))...)
	}
	var distinct []string
	for _, id := range found {
		if len(distinct) < maxIDs && !slices.Contains(distinct, id) && message.IsPlain(id) {
			distinct = append(distinct, id)
		}
	}
	return distinct
}

// Base returns the file name that a wrong id ends with, if it is a path of
// any system.
func Base(wrong string) string { return path.Base(strings.ReplaceAll(wrong, `\`, "/")) }

// Question asks whether one of some ids was meant, which is at least one. If one of
// them looks the same as the wrong id, it says in what the two differ.
func Question(wrong string, ids []string) string {
	text := "did you mean '" + strings.Join(ids, "', '") + "'?"
	composed := nfc.String(wrong)
	for _, id := range ids {
		switch {
		case id == wrong || nfc.String(id) != composed:
			continue
		case id == composed:
			return text + " '" + id + "' looks the same but is in the Unicode normal form NFC"
		}
		return text + " '" + id + "' looks the same but is not in the Unicode normal form NFC"
	}
	return text
}
