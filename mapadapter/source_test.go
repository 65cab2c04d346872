package mapadapter

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/citekit/citekit/internal/about"
)

func TestOffset(t *testing.T) {
	for _, chars := range []int{0, 1, markEvery - 1, markEvery, markEvery + 1, 3 * markEvery} {
		content := strings.Repeat("aß€😀", chars/4+1)
		var want []int
		for at := range content {
			want = append(want, at)
		}
		text := newSourceText([]byte(content[:append(want, len(content))[chars]]))
		for _, char := range []int{chars, chars - 1, 0, chars / 2, markEvery} {
			at, ok := text.offset(char)
			switch inside := char >= 0 && char <= chars; {
			case ok != inside:
				t.Errorf("%d characters: offset(%d) = %d, %v", chars, char, at, ok)
			case ok && utf8.RuneCount(text.text[:at]) != char:
				t.Errorf("%d characters: offset(%d) = %d, which is character %d", chars, char, at, utf8.RuneCount(text.text[:at]))
			}
		}
		if _, ok := text.offset(chars + 1); ok {
			t.Errorf("%d characters: there is one more", chars)
		}
	}
}

// TestSearchGoesOn searches for what is not there as often as there may be
// nodes: what is there must still be found.
func TestSearchGoesOn(t *testing.T) {
	text := newSourceText([]byte("Rain fell.\nSun shone.\n"))
	for range about.MaxMappedNodes {
		if _, _, ok := text.search("Snow fell.", 5); ok {
			t.Fatal("found what is not there")
		}
	}
	if at, size, ok := text.search(" Sun shone.\r\n", 0); !ok || at != 11 || size != 10 {
		t.Errorf("search = %d, %d, %v", at, size, ok)
	}
	text.scanned = maxScanned + 1
	if _, _, ok := text.search("Sun shone.", 0); ok {
		t.Error("the search has no end")
	}
}

func BenchmarkOffset(b *testing.B) {
	const chars = 1 << 20
	text := newSourceText([]byte(strings.Repeat("ß", chars)))
	for b.Loop() {
		for char := chars; char > 0; char -= 4096 { // as overlapping parts go back
			text.offset(char)
		}
	}
}
