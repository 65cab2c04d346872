package textlayer_test

import (
	"errors"
	"math/rand/v2"
	"testing"
	"unicode/utf16"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/textlayer"
)

// Offsets agree with what Go's own conversions of prefixes give.
func TestOffsets(t *testing.T) {
	letters := []rune("ab é\u0301漢🙂\r\n𝒳\u200d")
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 1))
		runes := make([]rune, rng.IntN(3000))
		for i := range runes {
			runes[i] = letters[rng.IntN(len(letters))]
		}
		text := string(runes)
		o := textlayer.NewOffsets(text)
		for range 200 {
			n := rng.IntN(len(runes) + 1)
			prefix := string(runes[:n])
			places := map[textlayer.Unit]int64{
				textlayer.InBytes: int64(len(prefix)), textlayer.InCodePoints: int64(n),
				textlayer.InUTF16: int64(len(utf16.Encode([]rune(prefix)))),
			}
			for from, off := range places {
				for to, want := range places {
					if got, err := o.Convert(off, from, to); got != want || err != nil {
						t.Fatalf("seed %d: %d of unit %d in unit %d is %d, %v; want %d", seed, off, from, to, got, err, want)
					}
				}
			}
		}
	}
}

func TestOffsetsOutside(t *testing.T) {
	o := textlayer.NewOffsets("a🙂b\xff")
	for _, c := range []struct {
		off  int64
		from textlayer.Unit
	}{{-1, textlayer.InBytes}, {2, textlayer.InBytes}, {8, textlayer.InBytes}, {2, textlayer.InUTF16}, {5, textlayer.InCodePoints}} {
		if got, err := o.Convert(c.off, c.from, textlayer.InCodePoints); !errors.Is(err, citekit.ErrRange) {
			t.Errorf("%+v: %d, %v", c, got, err)
		}
	}
	if got, err := o.Convert(7, textlayer.InBytes, textlayer.InCodePoints); got != 4 || err != nil {
		t.Errorf("the end: %d, %v", got, err)
	}
}
