package textlayer

import (
	"bytes"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/citekit/citekit"
)

// sample returns a layer with a run of every kind.
func sample(t testing.TB, mirrors, incomplete bool) []byte {
	x := &index{modality: "film", hash: strings.Repeat("ab", 32), mirrors: mirrors, incomplete: incomplete, start: 3}
	text := ""
	for _, r := range []struct {
		gap, text string
		loc       citekit.Location
	}{
		{"", "one", citekit.Document.Pages(1, 1)},
		{"\n", "", citekit.Document.Pages(2, 7)},
		{"", "zwölf 𝄞", citekit.Location{Pages: []citekit.Range{{First: 3, Last: 3}, {First: 5, Last: 9}}}},
		{"\n", "three\nfour\n", citekit.Text.Lines(3, 4)},
		{"", "\n", citekit.Text.Lines(5, 5)},
		{"", "said", citekit.Video.Seconds(1.25, 0)},
		{"", "seen", citekit.Image.Region(.1, .2, .3, .4)},
	} {
		r.loc.Modality = x.modality
		from := int64(len(text + r.gap))
		text += r.gap + r.text
		one := run{from: from, to: int64(len(text)), loc: r.loc, ends: endsOf(citekit.TextRun{Text: r.text, Location: r.loc}), ink: r.text > "\n"}
		if r.loc.Lines.First == 5 {
			one.missing = "2 of 3 characters"
		}
		points := len([]rune(r.text))
		x.add(one, int64(points), int64(points+beyondBMP(r.text)))
	}
	x.size = int64(len(text))
	var out bytes.Buffer
	if !mirrors {
		out.WriteString(text)
	}
	x.encode(&out)
	got, err := readIndex(bytes.NewReader(out.Bytes()), int64(out.Len()))
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, x) {
		t.Fatalf("got %+v, want %+v", got, x)
	}
	return out.Bytes()
}

func TestFormat(t *testing.T) {
	for _, data := range [][]byte{sample(t, false, false), sample(t, true, true)} {
		for cut := range data {
			if _, err := readIndex(bytes.NewReader(data[:cut]), int64(cut)); !errors.Is(err, citekit.ErrDamaged) {
				t.Errorf("cut to %d of %d bytes: %v", cut, len(data), err)
			}
		}
	}
}

// FuzzIndex reads hostile bytes: what is taken for a layer can be encoded again
// as it is, and asked for places and offsets.
func FuzzIndex(f *testing.F) {
	f.Add(sample(f, false, false))
	f.Add(sample(f, true, true))
	f.Fuzz(func(t *testing.T, data []byte) {
		x, err := readIndex(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			if x != nil && !errors.Is(err, citekit.ErrDamaged) {
				t.Errorf("got %v", err)
			}
			return
		}
		var out bytes.Buffer
		out.Write(make([]byte, int(min(x.size, 1<<20))))
		if x.mirrors {
			out.Reset()
		}
		x.encode(&out)
		if !x.mirrors && x.size > 1<<20 {
			return
		}
		again, err := readIndex(bytes.NewReader(out.Bytes()), int64(out.Len()))
		if err != nil || !reflect.DeepEqual(again, x) {
			t.Errorf("encoded again: %+v, %v; want %+v", again, err, x)
		}
		l := &Layer{index: x, text: bytes.NewReader(data)}
		for _, r := range x.runs[:min(len(x.runs), 50)] {
			l.Location(r.from, r.to)
			l.Ranges(r.loc)
			l.Convert(r.points, InCodePoints, InUTF16)
			l.Convert(r.from+1, InBytes, InCodePoints)
		}
	})
}
