package relations

import (
	"reflect"
	"testing"

	"github.com/citekit/citekit"
)

func sampleLinks() []Link {
	lines := citekit.Text.Lines(3, 4)
	page := citekit.Document.Pages(7, 7)
	box := page
	box.Box = citekit.Box{X1: 0.1, Y1: 0.2, X2: 1.0 / 3, Y2: 0.9}
	span := citekit.Audio.Seconds(1.5, 2)
	return []Link{
		{From: lines, Kind: "hyperlink", Text: "é", Target: "a.md#b"},
		{From: box, Kind: "reference", To: page},
		{From: span, Kind: "x", Target: "y", To: citekit.Location{Modality: citekit.Audio}},
	}
}

func TestEncodeLinks(t *testing.T) {
	for _, links := range [][]Link{{}, sampleLinks()} {
		got, err := decodeLinks(encodeLinks(links))
		if err != nil || !reflect.DeepEqual(got, links) {
			t.Errorf("got %+v, %v; want %+v", got, err, links)
		}
	}
}

// FuzzDecodeLinks checks that what decodes is encoded and decoded the same.
func FuzzDecodeLinks(f *testing.F) {
	f.Add(encodeLinks(sampleLinks()))
	f.Fuzz(func(t *testing.T, data []byte) {
		links, err := decodeLinks(data)
		if err != nil {
			return
		}
		again, err := decodeLinks(encodeLinks(links))
		if err != nil || len(again) != len(links) {
			t.Fatalf("%+v: %+v, %v", links, again, err)
		}
		for i := range links {
			if !links[i].From.Equal(again[i].From) || !links[i].To.Equal(again[i].To) || links[i].Target != again[i].Target {
				t.Errorf("%+v became %+v", links[i], again[i])
			}
		}
	})
}

// FuzzTarget checks that no target panics, and that none that may be a mapped
// source is without a key.
func FuzzTarget(f *testing.F) {
	f.Add("../a.md#x", "hyperlink", "docs/b.md", "")
	f.Add("..a.b", "import", "p/q.py", "c")
	f.Add("text://a#lines=1", "hyperlink", "x.txt", "")
	f.Fuzz(func(t *testing.T, written, kind, source, text string) {
		l := Link{Target: written, Kind: kind, Text: text}
		target := targetOf(l, cleanPath(source))
		keys := keysOfLink(l, cleanPath(source))
		for _, file := range target.files {
			found := false
			for _, key := range keysTo(mapped{id: "x", path: file}, nil) {
				for _, k := range keys {
					found = found || k == key
				}
			}
			if !found && kind != anchor && file != "" {
				t.Errorf("%q from %q may be %q, but has the keys %q", written, source, file, keys)
			}
		}
	})
}
