package message

import (
	"iter"
	"path"
	"slices"
	"strings"

	"github.com/citekit/citekit/internal/plain"
)

const (
	maxIDs    = 3 // returned
	leastEdit = 2 // that any two ids may differ by
)

// MeantIDs returns at most three of the known ids: those most similar to a wrong
// one, best first. It leaves out ids that [IsPlain] reports as unsafe
// to display.
func MeantIDs(wrong string, known iter.Seq[string]) []string {
	plain := func(yield func(string) bool) {
		for id := range known {
			if IsPlain(id) && !yield(id) {
				return
			}
		}
	}
	return Closest(wrong, plain, maxIDs, leastEdit)
}

// MeantResources returns at most three ids of resources that a wrong id may mean,
// best first: those in noted, which belong to a source with the name that
// [MeantBase] returns, those that a file of that name would get, and those that look
// similar. The argument ids has the ids of all resources in ascending byte
// order.
func MeantResources(wrong string, noted, ids []string) []string {
	base := MeantBase(wrong)
	stem := strings.TrimSuffix(base, plain.SlugExt(base))
	found := slices.Clone(noted)
	for _, id := range []string{plain.FileSlug(wrong), plain.FileSlug(base), plain.FileSlug(stem)} {
		if _, there := slices.BinarySearch(ids, id); there {
			found = append(found, id)
		}
	}
	found = append(found, MeantIDs(wrong, slices.Values(ids))...)
	if stem != wrong {
		found = append(found, MeantIDs(stem, slices.Values(ids))...)
	}
	var distinct []string
	for _, id := range found {
		if len(distinct) < maxIDs && !slices.Contains(distinct, id) && IsPlain(id) {
			distinct = append(distinct, id)
		}
	}
	return distinct
}

// MeantBase returns the file name that a wrong id ends with, if it is a path of
// any system.
func MeantBase(wrong string) string { return path.Base(strings.ReplaceAll(wrong, `\`, "/")) }

// Missing names what is missing, as shown, where its map would be, and what may have been
// meant.
func Missing(kind, id, shown, want string, meant []string) string {
	text := "no " + kind + " '" + shown + "'"
	if want != "" {
		text += "; its map would be " + want
	}
	if len(meant) > 0 {
		text += "; " + DidYouMean(id, meant)
	}
	return text
}

// DidYouMean asks whether one of some ids was meant, which is at least one. If one of
// them looks the same as the wrong id, it says in what the two differ.
func DidYouMean(wrong string, ids []string) string {
	text := "did you mean '" + strings.Join(ids, "', '") + "'?"
	composed := plain.NFC(wrong)
	for _, id := range ids {
		switch {
		case id == wrong || plain.NFC(id) != composed:
			continue
		case id == composed:
			return text + " '" + id + "' looks the same but is in the Unicode normal form NFC"
		}
		return text + " '" + id + "' looks the same but is not in the Unicode normal form NFC"
	}
	return text
}

// MeantNodes returns the ids of at most three nodes that a wrong id may mean: that
// behind the id of their resource, or those of nodes with this title, else those that
// look similar. The function nodes yields their ids and titles.
func MeantNodes(wrong, resource string, nodes iter.Seq2[string, string]) []string {
	rest, within := strings.CutPrefix(wrong, resource)
	within = within && len(rest) > 1 && strings.IndexByte(".#/", rest[0]) >= 0
	title := strings.TrimSpace(wrong)
	var titled, ids []string
	for id, is := range nodes {
		if within && id == rest[1:] {
			return MeantIDs(id, slices.Values([]string{id}))
		}
		if title != "" && strings.EqualFold(strings.TrimSpace(is), title) && IsPlain(id) && len(titled) < maxIDs {
			titled = append(titled, id)
		}
		ids = append(ids, id)
	}
	if len(titled) > 0 {
		return titled
	}
	return MeantIDs(wrong, slices.Values(ids))
}
