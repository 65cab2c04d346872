package quotation

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"
)

// manual makes a text of so many pages of 2,000 bytes, with its pages.
func manual(pages int) (string, []int) {
	r := rand.New(rand.NewSource(1))
	vocabulary := make([]string, 20_000)
	for i := range vocabulary {
		word := ""
		for range 2 + r.Intn(3) {
			word += string("bcdfghklmnprstvz"[r.Intn(16)]) + string("aeiou"[r.Intn(5)])
		}
		vocabulary[i] = word
	}
	zipf := rand.NewZipf(r, 1.1, 8, uint64(len(vocabulary)-1))
	var b strings.Builder
	var starts []int
	for page := range pages {
		starts = append(starts, b.Len())
		fmt.Fprintf(&b, "The Manual %d\n", page+1)
		for end := b.Len() + 2000; b.Len() < end; {
			for range 12 {
				b.WriteString(vocabulary[zipf.Uint64()] + " ")
			}
			b.WriteString("\n")
		}
		b.WriteString("\f")
	}
	return b.String(), starts
}

func BenchmarkPrepare(b *testing.B) {
	text, starts := manual(2415)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		Prepare(text, Options{Pages: starts})
	}
}

// BenchmarkFind looks in a text of 2,415 pages for quotes that are there, that are
// altered and that are not there.
func BenchmarkFind(b *testing.B) {
	text, starts := manual(2415)
	t := Prepare(text, Options{Pages: starts})
	b.Logf("%d bytes cost %d", len(text), t.Cost())
	words := strings.Fields(text[starts[2000]:starts[2001]])[20:45]
	altered := append([]string{}, words...)
	altered[7], altered[14] = "not", "4.5"
	shuffled := append([]string{}, words...)
	rand.New(rand.NewSource(2)).Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
	for name, quote := range map[string]string{
		"there": strings.Join(words, " "), "altered": strings.Join(altered, " "), "shuffled": strings.Join(shuffled, " "), "letter": "a", "word": words[3],
	} {
		b.Run(name, func(b *testing.B) {
			q, err := Parse(quote)
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if f := t.Find(q, 0, len(text), 21); len(f.Matches) == 0 {
					t.Nearest(q, 0, len(text), f)
				}
			}
		})
	}
}
