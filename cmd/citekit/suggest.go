package main

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// closest returns the word most like a mistyped one, or "" if none is near.
func closest(typed string, words []string) string {
	best, least := "", 0
	for _, word := range words {
		d := edits(strings.ToLower(typed), word)
		near := d <= max(1, len(word)/3) || len(typed) > 2 && strings.HasPrefix(word, typed)
		if near && (best == "" || d < least) {
			best, least = word, d
		}
	}
	return best
}

// edits returns how many bytes must be inserted, removed, replaced or swapped
// with the next one to make a into b.
func edits(a, b string) int {
	const longest = 64 // nothing that we know is longer
	if len(a) > longest || len(b) > longest {
		return longest
	}
	var table [longest + 1][longest + 1]int
	for i := range len(a) + 1 {
		for j := range len(b) + 1 {
			switch {
			case i == 0 || j == 0:
				table[i][j] = i + j
				continue
			case a[i-1] == b[j-1]:
				table[i][j] = table[i-1][j-1]
				continue
			}
			d := 1 + min(table[i-1][j-1], table[i-1][j], table[i][j-1])
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d = min(d, 1+table[i-2][j-2])
			}
			table[i][j] = d
		}
	}
	return table[len(a)][len(b)]
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
	distance := make(map[string]int)
	var near []string
	for _, name := range names {
		lower := strings.ToLower(name)
		d := edits(wanted, lower)
		if stemOf(wanted) == stemOf(lower) {
			d = min(d, 1)
		}
		if d <= max(1, len(stemOf(wanted))/3) && !strings.HasPrefix(name, ".") {
			near, distance[name] = append(near, name), d
		}
	}
	slices.SortFunc(near, func(a, b string) int {
		return cmp.Or(cmp.Compare(distance[a], distance[b]), strings.Compare(a, b))
	})
	return near[:min(len(near), maxNear)]
}

func stemOf(name string) string { return strings.TrimSuffix(name, filepath.Ext(name)) }
