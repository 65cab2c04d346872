// Package embeddingtest is the conformance suite for embedders: it checks the
// promises in the documentation of [search.Embedder], such as one vector for
// each text, all of the same length, also for several callers at a time. A
// package with an embedder of its own calls [Test] in a test.
package embeddingtest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"

	"github.com/citekit/citekit/search"
)

// Test checks an embedder. It asks it for some dozens of short vectors.
func Test(t *testing.T, e search.Embedder) {
	t.Helper()
	t.Run("Name", func(t *testing.T) {
		if name := e.Name(); name == "" || len(name) > 1000 || name != e.Name() {
			t.Errorf("the name is %q, then %q; it is 1 to 1,000 bytes, always the same", name, e.Name())
		}
	})
	for _, kind := range []search.TextKind{search.QueryText, search.PassageText} {
		t.Run(string(kind), func(t *testing.T) { testKind(t, e, kind) })
	}
	t.Run("Cancel", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := e.Embed(ctx, search.QueryText, []string{"water"}); !errors.Is(err, context.Canceled) {
			t.Errorf("the error for a canceled context is %v", err)
		}
	})
	t.Run("Concurrent", func(t *testing.T) {
		var wait sync.WaitGroup
		for i := range 4 {
			wait.Go(func() { embed(t, e, search.PassageText, "water", fmt.Sprint("ice ", i)) })
		}
		wait.Wait()
	})
}

// testKind checks that texts have their own vectors wherever they stand, and
// that unusual ones have some.
func testKind(t *testing.T, e search.Embedder, kind search.TextKind) {
	first := embed(t, e, kind, "water boils", "bread is baked")
	second := embed(t, e, kind, "bread is baked", "water boils")
	for i := range first {
		if cosine := cosine(first[i], second[1-i]); !(cosine > .99) {
			t.Errorf("text %d has another vector in another batch position: cosine %v", i, cosine)
		}
	}
	embed(t, e, kind, "\xff", "\x00", "水", "?", strings.Repeat("water ", 8<<10/6))
}

// embed returns the vectors of texts, checked to be such.
func embed(t *testing.T, e search.Embedder, kind search.TextKind, texts ...string) [][]float32 {
	vectors, err := e.Embed(t.Context(), kind, texts)
	if err != nil || len(vectors) != len(texts) {
		t.Errorf("%d vectors for %d texts, %v", len(vectors), len(texts), err)
		return nil
	}
	for i, v := range vectors {
		if len(v) == 0 || len(v) != len(vectors[0]) || e.Dimensions() != 0 && len(v) != e.Dimensions() {
			t.Errorf("vector %d has %d numbers, the first %d, and Dimensions is %d", i, len(v), len(vectors[0]), e.Dimensions())
		}
		for _, x := range v {
			if x := float64(x); math.IsNaN(x) || math.IsInf(x, 0) {
				t.Errorf("vector %d has %v", i, x)
			}
		}
	}
	return vectors
}

func cosine(a, b []float32) float64 {
	dot, aa, bb := 0., 0., 0.
	for i := range min(len(a), len(b)) {
		dot += float64(a[i]) * float64(b[i])
		aa += float64(a[i]) * float64(a[i])
		bb += float64(b[i]) * float64(b[i])
	}
	return dot / math.Sqrt(aa*bb)
}
