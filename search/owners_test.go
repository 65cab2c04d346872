package search

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// TestStretchesAgainstBytes compares the division of a text with asking for each
// byte which of the claims on it outranks all others.
func TestStretchesAgainstBytes(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for round := range 300 {
		size := 1 + random.Int64N(60)
		var claims []claim
		for i := range random.IntN(12) {
			from := random.Int64N(size + 1)
			claims = append(claims, claim{from, from + random.Int64N(size-from+1), &place{order: i}})
		}
		var at int64
		for _, s := range stretches(claims, size) {
			if s.from != at || s.to <= s.from {
				t.Fatalf("round %d: a stretch %d-%d after byte %d", round, s.from, s.to, at)
			}
			for ; at < s.to; at++ {
				if want := ownerOf(claims, at); s.place != want {
					t.Fatalf("round %d: byte %d belongs to %s, want %s", round, at, describe(s.place), describe(want))
				}
			}
		}
		if at != size {
			t.Fatalf("round %d: the stretches end at %d of %d", round, at, size)
		}
	}
}

func ownerOf(claims []claim, at int64) *place {
	var best *claim
	for i, c := range claims {
		if c.from <= at && at < c.to && (best == nil || c.outranks(*best)) {
			best = &claims[i]
		}
	}
	if best == nil {
		return nil
	}
	return best.place
}

func describe(p *place) string {
	if p == nil {
		return "nobody"
	}
	return fmt.Sprint("claim ", p.order)
}

func TestFindHeading(t *testing.T) {
	const page = "4 Methods\nWe used the method of least squares.\n4.1 Least\nsquares\nIt is old.\nΑρχή και τέλος\n"
	for title, want := range map[string]int{
		"Methods":        0,
		"methods":        0,
		"4 Methods":      0,
		"Least squares":  len("4 Methods\nWe used the method of least squares.\n"),
		"αρχή ΚΑΙ τέλος": len("4 Methods\nWe used the method of least squares.\n4.1 Least\nsquares\nIt is old.\n"),
		"the method":     -1, // inside a line
		"old":            -1,
		"Results":        -1,
		"4":              -1, // too short to be told from a number
		"":               -1,
		"—":              -1,
	} {
		if got := foldLetters(page).findHeading(title); got != want {
			t.Errorf("findHeading(%q) = %d, want %d", title, got, want)
		}
	}
}
