package segment_test

import (
	"bytes"
	"context"
	"errors"
	"math/rand"
	"testing"

	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/search/internal/index/internal/segment"
)

// read uses all there is of a segment.
func read(t *testing.T, data []byte) {
	t.Helper()
	s, err := segment.Open(data)
	if err != nil {
		if !errors.Is(err, segment.ErrDamaged) {
			t.Fatal(err)
		}
		return
	}
	word := func(term string) segment.Word { return segment.Word{Terms: []string{term}, Count: 1, Boost: 1} }
	q := &segment.Query{
		K: 10, Explain: true,
		Words:    []segment.Word{word("w1"), word("w2"), word("w3"), word("w20")},
		Pairs:    [][2]int{{0, 1}, {1, 2}},
		Excluded: []segment.Condition{{Title: true, Phrases: []segment.Phrase{{{Term: "w2"}}, {{Term: "w2"}, {Term: "w1", Offset: 1}}}}},
		Only: func(s *segment.Segment) (segment.Bitmap, error) {
			set := segment.NewBitmap(s.Docs())
			s.Between(set, 0, 1<<40)
			return set, s.Having(set, "mod3")
		},
	}
	views := []segment.View{segment.NewView(s, nil)}
	got, err := segment.Search(context.Background(), views, q)
	if err != nil && !errors.Is(err, segment.ErrDamaged) {
		t.Fatal(err)
	}
	if err == nil {
		for _, h := range got.Hits {
			s.Record(h.Doc)
		}
	}
	if _, err := segment.Passing(context.Background(), views, q); err != nil && !errors.Is(err, segment.ErrDamaged) {
		t.Fatal(err)
	}
	for range s.Near("w12") {
	}
	for range s.Terms("") {
	}
	for n := range s.Resources() {
		r, _ := s.Resource(n)
		for range s.FindResource(r.ID) {
		}
	}
	var out bytes.Buffer
	if err := segment.Merge(context.Background(), &out, append(views, views...)); err != nil && !errors.Is(err, segment.ErrDamaged) {
		t.Fatal(err)
	}
}

func FuzzSegment(f *testing.F) {
	r := rand.New(rand.NewSource(5))
	f.Add(build(f, "a", randomDocs(r, 40, 30)), uint32(0), byte(0), false)
	f.Add(build(f, "b", randomDocs(r, 5, 40)), uint32(77), byte(255), true)
	f.Fuzz(func(t *testing.T, data []byte, at uint32, flip byte, seal bool) {
		if len(data) > 0 {
			data = bytes.Clone(data)
			data[int(at)%len(data)] ^= flip
		}
		if seal {
			segment.Reseal(data)
		}
		read(t, data)
	})
}

// Each byte that is changed is found out or does no harm, also with checksums
// that are right.
func TestFlippedBytes(t *testing.T) {
	sharedtest.Once(t)
	large := build(t, "a", randomDocs(rand.New(rand.NewSource(6)), 200, 30)) // with lists of several blocks
	flipBytes(t, large, rounds(20))
	data := build(t, "a", randomDocs(rand.New(rand.NewSource(6)), 20, 10))
	flipBytes(t, data, rounds(150))
	for n := range len(data) {
		if _, err := segment.Open(data[:n]); err == nil {
			t.Errorf("%d of %d bytes open", n, len(data))
		}
	}
}

// flipBytes reads a segment with one byte changed, at up to so many places.
func flipBytes(t *testing.T, data []byte, places int) {
	t.Helper()
	for i := 0; i < len(data); i += 1 + len(data)/places {
		for _, flip := range []byte{0x01, 0x80, 0xff} {
			for _, seal := range []bool{false, true} {
				bad := bytes.Clone(data)
				bad[i] ^= flip
				if seal {
					segment.Reseal(bad)
				}
				read(t, bad)
			}
		}
	}
}
