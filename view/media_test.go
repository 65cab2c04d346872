package view_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	"image/png"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/test/mp4test"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/view"
)

// wav returns a sound of some seconds.
func wav(seconds float64) string {
	const rate = 8000
	pcm := mp4test.PCM(seconds, rate, 1)
	var b bytes.Buffer
	b.WriteString("RIFF")
	_ = binary.Write(&b, binary.LittleEndian, uint32(36+len(pcm)))
	b.WriteString("WAVEfmt ")
	for _, v := range []any{uint32(16), uint16(1), uint16(1), uint32(rate), uint32(2 * rate), uint16(2), uint16(16)} {
		_ = binary.Write(&b, binary.LittleEndian, v)
	}
	b.WriteString("data")
	_ = binary.Write(&b, binary.LittleEndian, uint32(len(pcm)))
	b.Write(pcm)
	return b.String()
}

// TestMedia views sounds with and without words, and images.
func TestMedia(t *testing.T) {
	var picture bytes.Buffer
	if err := png.Encode(&picture, image.NewGray(image.Rect(0, 0, 80, 40))); err != nil {
		t.Fatal(err)
	}
	v, _, _ := open(t, map[string]string{
		"talk.wav": wav(10), "talk.wav.srt": kinds["film.srt"], "hum.wav": wav(3), "chart.png": picture.String(),
	})
	got := see(t, v, view.Request{Address: "audio://talk#t=0-5", Quote: "tide is coming in"})
	if got.Kind != view.Audio || got.MediaType != "audio/vnd.wave" || got.Extent == nil || got.Extent.Seconds < 10 || !slices.Equal(marked(got), []string{"tide is coming in"}) {
		t.Errorf("%+v, %+v", got, got.Extent)
	}
	if len(got.Spans) != 2 || got.Spans[0].Address != "audio://talk#t=1-4" || !slices.Equal(selected(got), []string{"The tide is coming in."}) {
		t.Errorf("%+v", got.Spans)
	}
	if got := see(t, v, view.Request{Address: "audio://hum"}); got.Kind != view.Audio || got.State != view.Current || len(got.Spans) != 0 {
		t.Errorf("%+v", got)
	}
	whole := see(t, v, view.Request{Address: "image://chart#bbox=0.1,0.1,0.5,0.5"})
	if whole.Kind != view.Image || whole.MediaType != "image/png" || len(whole.Pictures) != 1 || whole.Pictures[0].Address != "image://chart" || whole.Pictures[0].Width != 80 || whole.Pictures[0].Height != 40 {
		t.Errorf("%+v", whole)
	}
	for _, beyond := range []string{"audio://talk#t=20-30", "audio://hum#t=20-30"} {
		if got, err := v.View(t.Context(), view.Request{Address: beyond}); err == nil {
			t.Errorf("%s: %+v", beyond, got)
		}
	}
}

// TestQuotesOfBook marks quotes of a real book: the marks have exactly the letters of the
// quote, whatever stands between its lines.
func TestQuotesOfBook(t *testing.T) {
	sharedtest.Once(t)
	data, err := os.ReadFile(sharedtest.Corpus(t, "pdf/manual-bzip2.pdf"))
	if err != nil {
		t.Fatal(err)
	}
	v, _, _ := open(t, map[string]string{"book.pdf": string(data)})
	random := sharedtest.Rand(t)
	book := see(t, v, view.Request{Address: "doc://book"})
	for range 40 {
		page := random.IntN(book.Extent.Total) + 1
		address := fmt.Sprintf("doc://book#pages=%d", page)
		words := strings.Fields(strings.Join(selected(see(t, v, view.Request{Address: address})), "\n"))
		if len(words) < 20 {
			continue
		}
		from := random.IntN(len(words) - 10)
		quote := strings.Join(words[from:from+10], " ")
		got := see(t, v, view.Request{Address: address, Quote: quote})
		if got.Quote.Class != "exact" && got.Quote.Class != "repaired" {
			continue // it may begin inside a word that the line divides
		}
		if have, want := letters(strings.Join(marked(got), "")), letters(quote); have != want {
			t.Errorf("%s: %q marks %q", address, quote, marked(got))
		}
		if len(got.Pictures) != 1 || len(got.Pictures[0].Marks) == 0 {
			t.Errorf("%s: %q: no marks on the picture: %+v", address, quote, got.Pictures)
		}
	}
}

// letters returns the characters of a text that can be seen, without the hyphens.
func letters(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || r == '-' || r == '\u00ad' {
			return -1
		}
		return r
	}, text)
}

// FuzzView views with any address, quote and cursor: marks lie in their texts, and errors
// are those of the request.
func FuzzView(f *testing.F) {
	v, _, _ := open(f, map[string]string{"a.md": "# Tide\n\nIt is 潮 high.\n", "b.csv": "x,y\n1,2\n"})
	f.Add("text://a", "It is 潮 high", "", true)
	f.Add("b#rows=2", "1", "a0.0123456789ab", false)
	f.Add("text://a#lines=3", "", "b10.0123456789ab", false)
	for _, s := range []string{see(f, v, view.Request{Address: "text://a#lines=3"}).Before, "a-1.0123456789ab", "bzzzzzzzzzzzzzzzz.0123456789ab", "a", "."} {
		f.Add("text://a", "x", s, false)
	}
	f.Fuzz(func(t *testing.T, address, quote, cursor string, layout bool) {
		got, err := v.View(t.Context(), view.Request{Address: address, Quote: quote, Cursor: cursor, Layout: layout})
		if err != nil {
			if citekit.CodeOf(err) == "INTERNAL" {
				t.Errorf("%q %q %q: %v", address, quote, cursor, err)
			}
			return
		}
		for _, s := range got.Spans {
			for _, m := range s.Marks {
				if m[0] < 0 || m[0] >= m[1] || m[1] > len([]rune(s.Text)) {
					t.Errorf("%+v", s)
				}
			}
		}
		if r := got.Selected; r != nil && (r[0] < 0 || r[0] >= r[1] || r[1] > len(got.Spans)) {
			t.Errorf("%v of %d", r, len(got.Spans))
		}
	})
}
