package main

import "strings"

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
