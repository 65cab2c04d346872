package quotation

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/citekit/citekit/internal/test/sharedtest"
)

// TestGrams compares the places that the index gives with those of a search.
func TestGrams(t *testing.T) {
	sharedtest.Once(t)
	random := sharedtest.Rand(t)
	for _, alphabet := range []int{2, 4, 26} {
		text := make([]byte, leastIndexed+random.IntN(1000))
		for i := range text {
			text[i] = byte('a' + random.IntN(alphabet))
		}
		copy(text[len(text)/2:], text[:400])
		g, indexed := new(grams), 0
		for range 300 {
			at := random.IntN(len(text))
			letters := text[at:min(len(text), at+2*gram-1+random.IntN(100))]
			from, to := random.IntN(len(text)/4), len(text)-random.IntN(len(text)/4)
			var want []int
			for i := from; i < to; i++ {
				n := bytes.Index(text[i:to], letters)
				if n < 0 {
					break
				}
				i += n
				want = append(want, i)
			}
			got, ok := g.find(text, letters, from, to)
			if !ok {
				continue
			}
			if indexed++; fmt.Sprint(got) != fmt.Sprint(want) {
				t.Fatalf("%d letters: %q at %v, want %v", alphabet, letters, got, want)
			}
		}
		if alphabet == 26 && indexed < 200 {
			t.Errorf("%d of 300 were looked up in the index", indexed)
		}
	}
}

// TestManyQuotes counts what is read of texts of three sizes to look for many quotes that
// they do not have: a few times the text, however many quotes there are.
func TestManyQuotes(t *testing.T) {
	sharedtest.Once(t)
	var each []float64
	for _, lines := range []int{10_000, 20_000, 40_000} {
		var b strings.Builder
		for i := range lines {
			fmt.Fprintf(&b, "Line %d says that %x follows %d.\n", i, i*7919, i*31)
		}
		text := Prepare(b.String(), Options{})
		for i := range 200 {
			q, err := Parse(fmt.Sprintf("Line %d says that %x follows nothing", i*37, i*37*7919))
			if err != nil {
				t.Fatal(err)
			}
			text.Find(q, 0, b.Len(), 10)
		}
		each = append(each, float64(text.whole.grams.work.Load())/float64(b.Len()))
	}
	for i, work := range each {
		if work > 10 || work > 2*each[0] {
			t.Errorf("size %d: %.1f bytes are read for each byte of the text, for the smallest %.1f", i, work, each[0])
		}
	}
}
