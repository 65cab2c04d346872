package modalitytest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"sync/atomic"
	"testing"

	"github.com/citekit/citekit"
)

// Work counts what a resolver did with a source.
type Work struct {
	Bytes int64 // read from the source
	Steps int64 // looks at the context, once for some part of the work
	Nodes int64 // of the map
	Runs  int64 // of the text
	Text  int64 // bytes of the text
}

// most is how many times more work for each byte of a source a larger source may take
// than a smaller one.
const most = 2

// Linear maps and reads sources of three sizes, with n, 2n and 4n of some part, cuts
// them if they are images, and counts what a resolver does. It is an error if a larger source takes more than twice
// as much for each of its bytes as the smallest, of any kind of work. A call of grow
// returns the source; newResolver returns a resolver that has cached nothing. An error
// that matches [citekit.ErrTooLarge] ends the work with a source and is none here.
func Linear(t testing.TB, newResolver func() citekit.Resolver, name string, modality citekit.Modality, n int, grow func(n int) []byte) {
	t.Helper()
	small := grow(n)
	least := measured(t, newResolver(), name, modality, small)
	for _, times := range []int{2, 4} {
		data := grow(times * n)
		work := measured(t, newResolver(), name, modality, data)
		growth := float64(len(data)) / float64(len(small))
		for _, c := range []struct {
			what       string
			were, are  int64
			negligible int64
		}{
			{"bytes read", least.Bytes, work.Bytes, 64 << 10},
			{"steps", least.Steps, work.Steps, 100},
			{"nodes", least.Nodes, work.Nodes, 10},
			{"runs of text", least.Runs, work.Runs, 10},
			{"bytes of text", least.Text, work.Text, 1000},
		} {
			if float64(c.are) > most*growth*float64(max(c.were, c.negligible)) {
				t.Errorf("%d times the source has %.1f times the bytes and takes %d %s, where %d were needed for one", times, growth, c.are, c.what, c.were)
			}
		}
	}
	if least == (Work{}) {
		t.Error("nothing was read: the meter would not see more")
	}
}

// measured maps and reads a source.
func measured(t testing.TB, r citekit.Resolver, name string, modality citekit.Modality, data []byte) Work {
	t.Helper()
	sum := sha256.Sum256(data)
	counted := &countedReader{Reader: bytes.NewReader(data)}
	src := citekit.NewSource(counted, citekit.SourceInfo{Name: name, Size: int64(len(data)), Hash: hex.EncodeToString(sum[:])})
	ctx := &countedContext{Context: t.Context()}
	var w Work
	if mapper, ok := r.(citekit.Mapper); ok {
		draft, err := mapper.Map(ctx, src, citekit.MapRequest{Modality: modality})
		if err != nil && !errors.Is(err, citekit.ErrTooLarge) {
			t.Fatalf("map of %d bytes: %v", len(data), err)
		}
		if draft != nil {
			w.Nodes = countNodes(draft.Nodes)
		}
	}
	if reader, ok := r.(citekit.TextReader); ok {
		for run, err := range reader.ReadText(ctx, src, citekit.Location{Modality: modality}) {
			if err != nil && !errors.Is(err, citekit.ErrTooLarge) {
				t.Fatalf("text of %d bytes: %v", len(data), err)
			}
			w.Runs++
			w.Text += int64(len(run.Text))
		}
	}
	if modality == citekit.Image {
		content, err := r.Resolve(ctx, src, citekit.Request{Location: citekit.Location{Modality: modality, Box: citekit.Box{Y1: .5, X2: 1, Y2: 1}}})
		if err != nil && !errors.Is(err, citekit.ErrTooLarge) {
			t.Fatalf("the lower half of %d bytes: %v", len(data), err)
		}
		if content != nil {
			content.Body.Close()
		}
	}
	w.Bytes, w.Steps = counted.bytes.Load(), ctx.looks.Load()
	if testing.Verbose() {
		t.Logf("%d bytes: %+v", len(data), w)
	}
	return w
}

func countNodes(nodes []*citekit.Node) int64 {
	n := int64(len(nodes))
	for _, node := range nodes {
		n += countNodes(node.Children)
	}
	return n
}

type countedReader struct {
	*bytes.Reader
	bytes atomic.Int64
}

func (c *countedReader) ReadAt(p []byte, off int64) (int, error) {
	n, err := c.Reader.ReadAt(p, off)
	c.bytes.Add(int64(n))
	return n, err
}

type countedContext struct {
	context.Context
	looks atomic.Int64
}

func (c *countedContext) Err() error {
	c.looks.Add(1)
	return c.Context.Err()
}
