package search

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/citekit/citekit/internal/concurrent"
	"github.com/citekit/citekit/search/internal/index"
)

// A TextKind is the role of an embedded text: some models treat questions and
// possible answers differently.
type TextKind string

// The roles of embedded texts.
const (
	QueryText   TextKind = "query"   // the query of a search
	PassageText TextKind = "passage" // a passage that may answer it
)

// An Embedder turns texts into vectors that are near each other if the texts
// have similar meanings. Package search/embedding has implementations, and its
// subpackage embeddingtest checks these promises. Implementations must be safe
// for concurrent use.
type Embedder interface {
	// Embed returns a vector for each text, in order. All vectors have the same
	// number of elements, all finite. Only their directions matter: they need
	// not be normalized. It returns ctx.Err() once ctx is done. Texts are not
	// empty and have at most 8 KiB; Embed cuts a text that is too long for the
	// model.
	Embed(ctx context.Context, kind TextKind, texts []string) ([][]float32, error)

	// Name distinguishes vectors that must not be compared: it changes with the
	// model and everything that its vectors depend on. It is stored with the
	// vectors, so it must not hold a secret.
	Name() string

	// Dimensions returns the number of elements of a vector, or 0 if it is not
	// known before the first one is made.
	Dimensions() int
}

// A Reranker judges how well texts answer a query. Implementations must be safe
// for concurrent use.
type Reranker interface {
	// Rerank returns a finite score for each text, in their order; higher is
	// better. It returns ctx.Err() once ctx is done.
	Rerank(ctx context.Context, query string, texts []string) ([]float64, error)
}

// Semantics configures how a [Searcher] ranks by meaning as well as by words.
// The cost in time or money depends on the models.
//
// With an Embedder, passages get vectors in the background after the index was
// brought up to date. Vectors are stored as evidence, with one byte for each
// number, and are made again only for texts that changed. They are also held in
// memory. A search joins the ranking by words and the hundred nearest passages
// by weighted reciprocal rank fusion: an entry at place r of a list gets that
// list's weight / (K + r). A passage is near if its vector is at less than a
// right angle to that of the query. Near passages must pass the filters and the
// requirements of the query, and are included in totals.
type Semantics struct {
	Embedder Embedder // nil compares no vectors
	Reranker Reranker // nil reranks nothing

	LexicalWeight float64 // weight of the ranking by words; zero means 1, so words always count
	VectorWeight  float64 // weight of the ranking by vectors; zero means .5
	K             float64 // constant K of the fusion: a larger K makes the places in a list more alike; zero means 60

	// Rerank is how many of the best passages are reranked, at most 200; zero
	// means 50.
	Rerank int

	// Wait is how long a search waits for the Embedder and the Reranker
	// together; zero means 10 s. If that time, or the time of the context, is
	// too short, the ranking is by words, and [Results.Degraded] reports that.
	Wait time.Duration

	Batch    int   // texts embedded together, at most 2,048; zero means 32
	MaxBytes int64 // of vectors in memory; zero means 1 GiB. Further resources get no vectors

	// Progress, if not nil, is called after each batch with the number of texts
	// embedded since the pass over the resources began.
	Progress func(texts int)
}

// Bounds and defaults of [Semantics].
const (
	defaultVectorWeight = .5
	defaultFusionK      = 60
	defaultRerank       = 50
	maxRerank           = 200
	defaultWait         = 10 * time.Second
	defaultBatch        = 32
	maxBatch            = 2048
	defaultVectorBytes  = 1 << 30
	maxDimensions       = 16_384
	maxModelName        = 1000
	maxEmbedded         = 8 << 10 // bytes of a text
)

// withDefaults returns the options with defaults in place of zeros, or an error
// matching [citekit.ErrSyntax] if a value is invalid.
func (o Semantics) withDefaults() (Semantics, error) {
	for _, w := range []float64{o.LexicalWeight, o.VectorWeight, o.K} {
		if w < 0 || math.IsNaN(w) || math.IsInf(w, 0) {
			return o, syntaxError("semantics: a weight of %v; give a number that is not negative", w)
		}
	}
	o.LexicalWeight = cmp.Or(o.LexicalWeight, 1)
	o.VectorWeight = cmp.Or(o.VectorWeight, defaultVectorWeight)
	o.K = cmp.Or(o.K, defaultFusionK)
	o.Wait = cmp.Or(o.Wait, defaultWait)
	o.Rerank, o.Batch = cmp.Or(o.Rerank, defaultRerank), cmp.Or(o.Batch, defaultBatch)
	o.MaxBytes = cmp.Or(o.MaxBytes, defaultVectorBytes)
	switch {
	case o.Rerank < 1 || o.Rerank > maxRerank:
		return o, syntaxError("semantics: rerank %d; give 1 to %d", o.Rerank, maxRerank)
	case o.Batch < 1 || o.Batch > maxBatch:
		return o, syntaxError("semantics: batches of %d; give 1 to %d", o.Batch, maxBatch)
	case o.Wait < 0 || o.MaxBytes < 0:
		return o, syntaxError("semantics: weights and bounds must not be negative")
	}
	return o, nil
}

// newSemantics returns the state that a Searcher needs to rank by meaning, or
// nil if it does not.
func (s *Searcher) newSemantics(opts *Semantics) (*semantics, error) {
	if opts == nil || opts.Embedder == nil && opts.Reranker == nil {
		return nil, nil
	}
	o, err := opts.withDefaults()
	if err != nil {
		return nil, err
	}
	m := &semantics{Semantics: o, sets: make(map[string]*vectorSet), crowded: make(map[string]string), stale: true}
	if o.Embedder == nil {
		return m, nil
	}
	if m.name = o.Embedder.Name(); m.name == "" || len(m.name) > maxModelName {
		return nil, syntaxError("semantics: the name of the embedder has %d bytes; give 1 to %d", len(m.name), maxModelName)
	}
	if m.dimensions = o.Embedder.Dimensions(); m.dimensions < 0 || m.dimensions > maxDimensions {
		return nil, syntaxError("semantics: vectors of %d numbers; at most %d are allowed", m.dimensions, maxDimensions)
	}
	store, ok := s.lib.Workspace().(vectorStore)
	if _, scores := s.index.(index.Scorer); !ok || !scores {
		return nil, fmt.Errorf("search: this workspace or index cannot hold vectors; leave out the Embedder: %w", errors.ErrUnsupported)
	}
	m.store = store
	return m, nil
}

// call calls f, which is code of the caller. When the context is done, it
// returns even if f does not. A panic becomes an error.
func call[T any](ctx context.Context, f func() (T, error)) (T, error) {
	type answer struct {
		value T
		err   error
	}
	answered := make(chan answer, 1)
	go func() {
		var a answer
		a.err = concurrent.Call(func() (err error) {
			a.value, err = f()
			return err
		}, func(p any) error { return fmt.Errorf("search: a model panicked: %v", p) })
		answered <- a
	}()
	select {
	case a := <-answered:
		return a.value, a.err
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
}

// embed returns the vectors of some texts after checking them.
func (m *semantics) embed(ctx context.Context, kind TextKind, texts []string) ([][]float32, error) {
	vectors, err := call(ctx, func() ([][]float32, error) { return m.Embedder.Embed(ctx, kind, texts) })
	if err != nil {
		return nil, err
	}
	if len(vectors) != len(texts) {
		return nil, fmt.Errorf("search: the embedder returned %d vectors for %d texts", len(vectors), len(texts))
	}
	for _, v := range vectors {
		if err := m.checkDimensions(len(v)); err != nil {
			return nil, err
		}
		for _, x := range v {
			if x := float64(x); math.IsNaN(x) || math.IsInf(x, 0) {
				return nil, errors.New("search: the embedder returned a vector with a number that is not finite")
			}
		}
	}
	return vectors, nil
}

// checkDimensions returns an error if n differs from the number of dimensions
// of the first vector.
func (m *semantics) checkDimensions(n int) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if n < 1 || n > maxDimensions || m.dimensions != 0 && n != m.dimensions {
		return fmt.Errorf("search: the embedder returned a vector of %d numbers; all must have the same length, 1 to %d", n, maxDimensions)
	}
	m.dimensions = n
	return nil
}
