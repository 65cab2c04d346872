package main

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/citekit/citekit/internal/suggest"
)

// closest returns the word most like a mistyped one, or "" if none is near.
func closest(typed string, words []string) string {
	for _, word := range suggest.Closest(typed, slices.Values(words), 1, 1) {
		return word
	}
	return ""
}

const (
	maxEntries = 10_000 // of a folder that are compared
	maxNear    = 3
)

// nearFiles returns the names of the folder of a path at which nothing is that
// are most like its own, the best first: those that differ in case, that have
// another extension, or a few other letters.
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
		d := suggest.Distance(wanted, lower, most)
		if stemOf(wanted) == stemOf(lower) {
			d = min(d, 1)
		}
		if d <= most && !strings.HasPrefix(name, ".") {
			near, distance[name] = append(near, name), d
		}
	}
	slices.SortFunc(near, func(a, b string) int {
		return cmp.Or(cmp.Compare(distance[a], distance[b]), strings.Compare(a, b))
	})
	return near[:min(len(near), maxNear)]
}

func stemOf(name string) string { return strings.TrimSuffix(name, filepath.Ext(name)) }
