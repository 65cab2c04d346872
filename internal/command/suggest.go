package command

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/citekit/citekit/internal/message"
)

// closest returns the word most similar to typed, or "" if none is similar.
func closest(typed string, words []string) string {
	for _, word := range message.Closest(typed, slices.Values(words), 1, 1) {
		return word
	}
	return ""
}

const (
	maxEntries = 10_000 // compared in one folder
	maxNear    = 3
)

// nearFiles returns the names in the folder of a missing path that are most similar
// to its name, best first: they differ in case, in extension, or in a few letters.
func nearFiles(missing string) []string {
	dir, err := os.Open(filepath.Dir(missing))
	if err != nil {
		return nil
	}
	defer dir.Close()
	names, err := dir.Readdirnames(maxEntries)
	if err != nil {
		return nil
	}
	wanted := strings.ToLower(filepath.Base(missing))
	most := max(1, len(stemOf(wanted))/3)
	distance := make(map[string]int)
	var near []string
	for _, name := range names {
		lower := strings.ToLower(name)
		d := message.Distance(wanted, lower, most)
		if stemOf(wanted) == stemOf(lower) {
			d = min(d, 1)
		}
		if d <= most && !strings.HasPrefix(name, ".") && name != filepath.Base(missing) { // that is a link to nothing
			near, distance[name] = append(near, name), d
		}
	}
	slices.SortFunc(near, func(a, b string) int {
		return cmp.Or(cmp.Compare(distance[a], distance[b]), strings.Compare(a, b))
	})
	return near[:min(len(near), maxNear)]
}

func stemOf(name string) string { return strings.TrimSuffix(name, filepath.Ext(name)) }
