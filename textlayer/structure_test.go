package textlayer

import (
	"bytes"
	"testing"

	"github.com/citekit/citekit"
)

func location(t *testing.T, address string) citekit.Location {
	t.Helper()
	a, err := citekit.ParseAddress(address)
	if err != nil {
		t.Fatal(err)
	}
	return a.Location
}

// TestStructureEncoded writes and reads runs with every kind of place.
func TestStructureEncoded(t *testing.T) {
	for _, places := range [][]string{
		{"doc://a#blocks=1", "doc://a#blocks=2", "doc://a#blocks=4-9", "doc://a#blocks=10&cells=B2:C3"},
		{"doc://a#sheet=One&cells=A1:F1", "doc://a#sheet=One&cells=A2:F2", "doc://a#sheet=Two%20b&cells=C7", "doc://a#sheet=Two%20b&rows=8-9", "doc://a#sheet=Two%20b&cols=B:D"},
		{"doc://a#part=1&blocks=1", "doc://a#part=1&blocks=2", "doc://a#part=2&blocks=1"},
		{"text://a#message=1&part=1.2&lines=1-4", "text://a#message=1&part=2&lines=1-1", "text://a#message=9&part=1&lines=2-3"},
		{"text://a#rows=2-9&cols=name,price", "text://a#rows=10&cols=name,price", "text://a#rows=11&cols=name"},
		{"doc://a#table=orders&rows=1-5", "doc://a#table=orders&rows=6-7", "doc://a#table=items&rows=1"},
		{"doc://a#member=x/a.pdf&pages=1", "doc://a#member=x/a.pdf&pages=2", "doc://a#member=b.zip!/c.pdf&pages=1"},
	} {
		x := index{hash: "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"}
		for i, address := range places {
			loc := location(t, address)
			x.modality = loc.Modality
			x.add(run{from: int64(10 * i), to: int64(10*i + 10), loc: loc}, 10, 10)
		}
		x.size = x.end()
		out := bytes.NewBufferString("")
		out.Write(make([]byte, x.size))
		x.encode(out)
		got, err := readIndex(bytes.NewReader(out.Bytes()), int64(out.Len()))
		if err != nil {
			t.Errorf("%s: %v", places[0], err)
			continue
		}
		for i := range x.runs {
			if !got.runs[i].loc.Equal(x.runs[i].loc) {
				t.Errorf("%v was read as %v", x.runs[i].loc, got.runs[i].loc)
			}
		}
	}
}

func TestUnionOfStructure(t *testing.T) {
	for _, c := range [][3]string{
		{"doc://a#blocks=3", "doc://a#blocks=5-6", "doc://a#blocks=3-6"},
		{"doc://a#blocks=3&cells=A1", "doc://a#blocks=3&cells=B2", "doc://a#blocks=3&cells=A1:B2"},
		{"doc://a#blocks=3&cells=A1", "doc://a#blocks=4", "doc://a#blocks=3-4"},
		{"doc://a#sheet=S&cells=B2:C2", "doc://a#sheet=S&cells=A4:B4", "doc://a#sheet=S&cells=A2:C4"},
		{"doc://a#sheet=S&cells=B2:C2", "doc://a#sheet=T&cells=A4:B4", "doc://a"},
		{"doc://a#part=1&blocks=2", "doc://a#part=2&blocks=1", "doc://a#part=1-2"},
		{"doc://a#part=4-5", "doc://a#part=7&blocks=1", "doc://a#part=4-7"},
		{"text://a#part=1.1&lines=1-2", "text://a#part=1.2&lines=1-2", "text://a#part=1"},
		{"text://a#message=2&part=1&lines=1-2", "text://a#message=2&part=1&lines=3-4", "text://a#message=2&part=1&lines=1-4"},
		{"text://a#message=2&part=1&lines=1-2", "text://a#message=3&part=1&lines=3-4", "text://a"},
		{"text://a#rows=2", "text://a#rows=5", "text://a#rows=2-5"},
		{"doc://a#table=t&rows=2", "doc://a#table=u&rows=5", "doc://a"},
	} {
		a, b, want := location(t, c[0]), location(t, c[1]), location(t, c[2])
		for _, got := range []citekit.Location{union(a, b), union(b, a)} {
			if !got.Equal(want) || got.Validate() != nil {
				t.Errorf("%s and %s: %v, want %v", c[0], c[1], got, want)
			}
		}
		if want := location(t, c[2]); !want.Contains(a) || !want.Contains(b) || a.Contains(want) && !a.Equal(want) {
			t.Errorf("%s does not contain %s and %s alone", c[2], c[0], c[1])
		}
		if !overlap(a, want) || !overlap(b, want) {
			t.Errorf("%s is apart from %s or %s", c[2], c[0], c[1])
		}
	}
}
