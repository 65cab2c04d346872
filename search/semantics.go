package search

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/citekit/citekit/internal/shelter"
	"github.com/citekit/citekit/search/index"
)

// A TextKind says what a text that is embedded is: some models treat questions
// and what may answer them differently.
type TextKind string

// What is embedded.
const (
	QueryText   TextKind = "query"
	PassageText TextKind = "passage"
)

// An Embedder turns texts into vectors that are near each other if the texts
// mean the like. Package search/embedding has some, and embeddingtest below it
// checks what is promised here. Implementations must be safe for concurrent use.
type Embedder interface {
	// Embed returns a vector for each text, in their order, all with the same
	// number of finite numbers. Their lengths do not count. It returns ctx.Err()
	// once ctx is done. Texts are not empty, and of at most 8 KiB; what is too
	// long for the model it cuts.
	Embed(ctx context.Context, kind TextKind, texts []string) ([][]float32, error)

	// Name tells vectors apart that must not be compared: it changes with the
	// model and all that its vectors depend on. It is kept beside them, so it
	// must not hold a secret.
	Name() string

	// Dimensions is how many numbers a vector has, or 0 if only the first one
	// tells.
	Dimensions() int
}

// A Reranker judges how well texts answer a query. Implementations must be safe
// for concurrent use.
type Reranker interface {
	// Rerank returns a finite score for each text, in their order; higher is
	// better. It returns ctx.Err() once ctx is done.
	Rerank(ctx context.Context, query string, texts []string) ([]float64, error)
}

// Semantics says how a [Searcher] ranks by meaning beside words. What it needs
// in time or money is up to the models behind it.
//
// With an Embedder, passages get vectors in the background after the index was
// brought up to date. They are kept as evidence, a byte for each number, and
// made again only for texts that changed. They are also held in memory. A search
// joins the ranking by words and the hundred nearest passages by weighted
// reciprocal rank fusion: what is in a list at place r gets its weight / (K + r).
// Near are passages whose vectors are at less than a right angle to that of the
// query. They pass the filters and what the query demands, and count in totals.
type Semantics struct {
	Embedder Embedder // nil compares no vectors
	Reranker Reranker // nil reranks nothing

	LexicalWeight float64 // of the ranking by words; zero means 1
	VectorWeight  float64 // of that by vectors; zero means .5
	K             float64 // zero means 60

	// Rerank is how many of the best passages are reranked, at most 200; zero
	// means 50.
	Rerank int

	// Wait is how long a search waits for the Embedder and the Reranker together;
	// zero means 2 s. Where the time, or that of the context, does not suffice
	// the ranking is that by words, and [Results.Degraded] says so.
	Wait time.Duration

	Batch    int   // texts that are embedded at once, at most 2,048; zero means 32
	MaxBytes int64 // of vectors in memory; zero means 1 GiB. Resources past it have none

	// Progress, if it is not nil, hears after each batch how many texts were
	// embedded since a pass over the resources began.
	Progress func(texts int)
}

// Bounds and defaults of [Semantics].
const (
	defaultVectorWeight = .5
	defaultFusionK      = 60
	defaultRerank       = 50
	maxRerank           = 200
	defaultWait         = 2 * time.Second
	defaultBatch        = 32
	maxBatch            = 2048
	defaultVectorBytes  = 1 << 30
	maxDimensions       = 16_384
	maxModelName        = 1000
	maxEmbedded         = 8 << 10 // bytes of a text
)

// withDefaults returns the options with what zeros stand for, or an error
// matching [citekit.ErrSyntax] if a value means nothing.
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
		return o, syntaxError("semantics: a negative bound")
	}
	return o, nil
}

// newSemantics returns what a Searcher needs to rank by meaning, nil if it does
// not.
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
		return nil, syntaxError("semantics: vectors of %d numbers; at most %d are possible", m.dimensions, maxDimensions)
	}
	store, ok := s.lib.Workspace().(vectorStore)
	if _, scores := s.index.(index.Scorer); !ok || !scores {
		return nil, fmt.Errorf("citekit: search: this workspace or index cannot hold vectors; leave out the Embedder: %w", errors.ErrUnsupported)
	}
	m.store = store
	return m, nil
}

// call calls f, which others wrote, and returns when the context is done also if
// f does not. A panic is an error.
func call[T any](ctx context.Context, f func() (T, error)) (T, error) {
	type answer struct {
		value T
		err   error
	}
	answered := make(chan answer, 1)
	go func() {
		var a answer
		a.err = shelter.Call(func() (err error) {
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

// embed returns the vectors of some texts, checked to be what they must be.
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

// checkDimensions holds all vectors to the number that the first one has.
func (m *semantics) checkDimensions(n int) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if n < 1 || n > maxDimensions || m.dimensions != 0 && n != m.dimensions {
		return fmt.Errorf("search: the embedder returned a vector of %d numbers; all have the same, 1 to %d", n, maxDimensions)
	}
	m.dimensions = n
	return nil
}
