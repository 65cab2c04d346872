package answer

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// TestContents checks that entries of a table of contents, which have no sentence,
// count as headings.
func TestContents(t *testing.T) {
	const text = "Limitations . . . . . . . . 12\nScope ............ 3\nNotes · · · · · 4\nIt boils… and cools... or so. It is 3.5 . Done.\n"
	for i, u := range unitsOf(text, "") {
		if u.title != (i < 3) {
			t.Errorf("%d: %q, title %t", i, u.text, u.title)
		}
	}
}

// TestTitles checks that a line of a document that is a title counts as a heading.
func TestTitles(t *testing.T) {
	units := unitsOf("7.2 Limitations of\tthe valve\n\nThe limitations are heat and salt.\n\nIt boils.\n\n42\n", "")
	markTitles(units, []string{"Limitations of the valve", "7 It boils.", "42"})
	for i, u := range units {
		if u.title != (i == 0) {
			t.Errorf("%q: title %t", u.text, u.title)
		}
	}
}

func FuzzUnits(f *testing.F) {
	f.Add("# T\n\n| a | b |\n|---|---|\n| tea | 3 |\n\nOne. Two\nthree.\n")
	f.Add("WEBVTT\n\n1\n00:00:01.000 --> 00:00:02.000\n<v A>Tea is\n\n00:00:02.000 --> 00:00:03.000\nhot. So\n")
	f.Add("a,b,c\n1,2,3\n4,5,6\n\xff\n2026-01-01T00:00:00Z x\n" + strings.Repeat("x", 700))
	f.Fuzz(func(t *testing.T, text string) {
		for _, u := range unitsOf(text, "") {
			if u.from < 0 || u.from >= u.to || u.to > len(text) || u.text == "" || utf8.RuneCountInString(u.text) > maxSentence {
				t.Fatalf("%+v of %q", u, text)
			}
			if u.pieces == nil && u.text != text[u.from:u.to] {
				t.Fatalf("%q is not %q", u.text, text[u.from:u.to])
			}
		}
	})
}

func FuzzScanner(f *testing.F) {
	f.Add(`{"sentences": [{"source": 1, "quote": "a } \" {", "text": "b"}]}`, 3)
	f.Fuzz(func(t *testing.T, said string, piece int) {
		piece = max(1, piece&0xff)
		var whole, pieces []draftSentence
		one := &scanner{give: func(w *draftSentence) error { whole = append(whole, *w); return nil }}
		other := &scanner{give: func(w *draftSentence) error { pieces = append(pieces, *w); return nil }}
		if one.add(said) != nil {
			return
		}
		for at := 0; at < len(said); at += piece {
			if err := other.add(said[at:min(at+piece, len(said))]); err != nil {
				t.Fatal(err)
			}
		}
		if len(whole) != len(pieces) {
			t.Errorf("%d sentences at once, %d in pieces", len(whole), len(pieces))
		}
	})
}
