package api

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/textlayer"
	"github.com/citekit/citekit/workspace"

	"github.com/citekit/citekit/modality/text"
)

func TestChunkID(t *testing.T) {
	for _, from := range []int64{0, 1, 1 << 40} {
		c := chunkOf("a~b", "Green tea.\n", from)
		got, err := parseChunk(c.String())
		if err != nil || got != c {
			t.Errorf("%s: %+v, %v", c, got, err)
		}
	}
	for _, id := range []string{"", "~", "a~", "a~1", "a~1-", "~1-1", "a~-1-1", "a~0-1", "a~zzzzzz-1", "a~01-1", "a~1-1 ", "a~1-zzzzzzzzzzzzzzzzz", "a~1-1-", "a~1-1-0", "a~1-1--1", "a~1-1-1-1"} {
		if c, err := parseChunk(id); err == nil {
			t.Errorf("%q: %+v", id, c)
		}
	}
}

// libraryOf returns a library of a text, the resource t.
func libraryOf(t *testing.T, written string) *citekit.Library {
	t.Helper()
	ws := workspace.NewMemory(nil)
	ws.AddSource("t.txt", []byte(written))
	lib := citekit.New(ws, citekit.Resolvers{citekit.Text: new(text.Resolver)}, nil)
	t.Cleanup(func() { lib.Close() })
	if err := lib.Save(t.Context(), &citekit.ResourceMap{ResourceID: "t", Type: citekit.Text, SourcePath: "t.txt", Title: "T"}); err != nil {
		t.Fatal(err)
	}
	return lib
}

func layerOf(t *testing.T, written string) *textlayer.Layer {
	t.Helper()
	layer, err := textlayer.New(libraryOf(t, written), nil).Open(t.Context(), "t")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { layer.Close() })
	return layer
}

// TestFind looks for parts of a text of few letters, in which much looks alike, by their
// ids, before and after text was put in front of it.
func TestFind(t *testing.T) {
	r := sharedtest.Rand(t)
	var b strings.Builder
	for range 5000 {
		b.WriteByte("ab \n"[r.IntN(4)])
	}
	written := "x" + b.String()
	for _, before := range []string{"", "Something is put in front.\n"} {
		all := before + written
		layer := layerOf(t, all)
		for range 200 {
			from := r.IntN(len(written))
			part := written[from : from+1+r.IntN(min(400, len(written)-from))]
			want := from // the place of the part that is nearest to where it was
			for far := 0; !strings.HasPrefix(all[want:], part); far++ {
				if from-far >= 0 && strings.HasPrefix(all[from-far:], part) {
					want = from - far
				} else if from+far < len(all) && strings.HasPrefix(all[from+far:], part) {
					want = from + far
				}
			}
			got, err := new(finder).find(t.Context(), layer, chunkOf("t", part, int64(from)))
			if far := max(want-from, from-want); err != nil || got != int64(want) && got != int64(from+far) {
				t.Fatalf("%q, once at %d: %d, %v; want %d", part, from, got, err, want)
			}
		}
		if _, err := new(finder).find(t.Context(), layer, chunkOf("t", "not there", 0)); citekit.CodeOf(err) != message.CodeNotFound {
			t.Errorf("what is not there: %v", err)
		}
	}
}

// TestFindWork counts the bytes that are read to find many chunks.
func TestFindWork(t *testing.T) {
	var b strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&b, "Line %04d.\n", i) // of 11 bytes
	}
	const length = 22
	written := b.String()
	layer := layerOf(t, "!"+written)
	var there, moved []chunk
	for i := range 100 {
		part := written[i*length:][:length]
		there = append(there, chunkOf("t", part, int64(i*length)+1))
		moved = append(moved, chunkOf("t", part, int64(i*length)))
	}
	absent := chunkOf("t", strings.Repeat("?", length), 0)
	for _, one := range []struct {
		name  string
		asked []chunk
		most  int64
	}{
		{"where they were", there, 100 * length},
		{"elsewhere", append(moved, absent), 101*length + layer.Len()},
	} {
		f := &finder{asked: one.asked}
		for _, c := range one.asked {
			from, err := f.find(t.Context(), layer, c)
			if want := c.from/length*length + 1; c != absent && (err != nil || from != want) {
				t.Fatalf("%s: %s is at %d, %v; want %d", one.name, c, from, err, want)
			}
			if c == absent && citekit.CodeOf(err) != message.CodeNotFound {
				t.Errorf("what is not there: %v", err)
			}
		}
		if f.read != one.most {
			t.Errorf("%s: read %d bytes; want %d", one.name, f.read, one.most)
		}
	}

	f := &finder{read: mostFind - 2*length}
	if _, err := f.find(t.Context(), layer, moved[0]); !errors.Is(err, errUnread) {
		t.Errorf("beyond the limit: %v", err)
	}
	if _, err := f.find(t.Context(), layer, there[0]); err != nil || f.read != mostFind {
		t.Errorf("within the limit: %v, %d bytes", err, f.read)
	}
	if _, err := f.find(t.Context(), layer, there[0]); !errors.Is(err, errUnread) || f.read != mostFind {
		t.Errorf("at the limit: %v, %d bytes", err, f.read)
	}
}

// TestUnread asks for chunks that are not looked for: no tokens or no work are left.
func TestUnread(t *testing.T) {
	for _, r := range []*reading{
		{left: 0, req: &ContentsRequest{}, answer: &Contents{Complete: true}}, // nothing is opened without a Service
		{left: 100_000, req: &ContentsRequest{}, answer: &Contents{Complete: true}, finder: finder{read: mostFind}, Service: serviceOf(t, "Green tea.\n")},
	} {
		got, at, err := r.content(t.Context(), ID{Kind: "chunk", ID: chunkOf("t", "Green", 0).String()})
		if err != nil || at.Resource != "" || r.answer.Complete || got.DocumentID != "t" || got.Text != "" || !strings.HasPrefix(got.Note, "not read: ") {
			t.Errorf("%d tokens left: %+v, %v, complete: %t", r.left, got, err, r.answer.Complete)
		}
	}
}

func serviceOf(t *testing.T, written string) *Service {
	t.Helper()
	lib := libraryOf(t, written)
	return &Service{Library: lib, Layers: textlayer.New(lib, nil)}
}
