package search

import (
	"context"
	"fmt"
	"iter"
	"math"
	"math/rand"
	"reflect"
	"slices"
	"testing"

	"github.com/citekit/citekit/search/internal/index"
	"github.com/citekit/citekit/workspace"
)

func randomNumbers(r *rand.Rand, n int) []float32 {
	v := make([]float32, n)
	for i := range v {
		v[i] = float32(r.NormFloat64())
	}
	return v
}

// In bytes the cosine of two vectors is about what it is.
func TestQuantise(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for _, n := range []int{1, 3, 64, 257, 1024} {
		for range 50 {
			a, b := randomNumbers(r, n), randomNumbers(r, n)
			dot, aa, bb := 0., 0., 0.
			for i := range a {
				dot += float64(a[i]) * float64(b[i])
				aa += float64(a[i]) * float64(a[i])
				bb += float64(b[i]) * float64(b[i])
			}
			q := newQueryVector(a)
			scale, codes := quantise(b)
			if got, want := q.cosine(scale, codes), dot/math.Sqrt(aa*bb); math.Abs(got-want) > .01 {
				t.Fatalf("%d numbers: cosine %v, want %v", n, got, want)
			}
		}
	}
	if scale, codes := quantise(make([]float32, 3)); scale != 0 || len(codes) != 3 {
		t.Errorf("no length: scale %v, %d codes", scale, len(codes))
	}
	for _, extreme := range []float32{math.MaxFloat32, math.SmallestNonzeroFloat32} {
		scale, codes := quantise([]float32{extreme, -extreme})
		q := newQueryVector([]float32{extreme, -extreme})
		if got := q.cosine(scale, codes); math.Abs(got-1) > .01 {
			t.Errorf("of %v: cosine %v", extreme, got)
		}
	}
}

func sampleFile(vectors int) *vectorFile {
	r := rand.New(rand.NewSource(2))
	f := &vectorFile{vectorHead: vectorHead{Resource: "r", Version: "v", Model: "m", Dimensions: 5, Complete: true}}
	for i := range vectors {
		v := vector{hash: hashOf(fmt.Sprint(i))}
		v.scale, v.codes = quantise(randomNumbers(r, 5))
		f.vectors = append(f.vectors, v)
	}
	return f
}

func TestVectorFile(t *testing.T) {
	f := sampleFile(3)
	data, err := f.encode()
	if err != nil {
		t.Fatal(err)
	}
	got, err := decodeVectors(data)
	if err != nil || !reflect.DeepEqual(got, f) {
		t.Errorf("decoded %+v, %v, want %+v", got, err, f)
	}
	for n := range data {
		if _, err := decodeVectors(data[:n]); err == nil {
			t.Errorf("%d of %d bytes are taken for all", n, len(data))
		}
	}
	if _, err := decodeVectors(append(data, 0)); err == nil {
		t.Error("a byte too many is taken")
	}
}

// What is read is written again the same, and bad input is an error.
func FuzzVectors(f *testing.F) {
	for _, n := range []int{0, 1, 3} {
		data, err := sampleFile(n).encode()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add([]byte(vectorMagic + "\x02\x00\x00\x00{}"))
	f.Add([]byte(vectorMagic + "\xff\xff\xff\xff"))
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := decodeVectors(data)
		if err != nil {
			return
		}
		again, err := file.encode()
		if err != nil {
			t.Fatal(err)
		}
		second, err := decodeVectors(again)
		if err != nil || !reflect.DeepEqual(file, second) {
			t.Errorf("read again %v: %+v, first %+v", err, second, file)
		}
		set := newVectorSet("v", file.Dimensions, file.vectors)
		q := newQueryVector(make([]float32, file.Dimensions))
		for i := -1; i <= file.Count; i++ {
			set.scores(&q)(i)
		}
	})
}

// BenchmarkNearest finds the 100 nearest of 50,000 passages, 250 to a resource,
// by vectors of 256 numbers.
func BenchmarkNearest(b *testing.B) {
	const resources, perResource, dimensions = 200, 250, 256
	r := rand.New(rand.NewSource(3))
	x := index.New(workspace.NewMemory(nil), nil)
	defer x.Close()
	sets := make(map[string]*vectorSet)
	err := x.Put(context.Background(), benchResources(r, sets, resources, perResource, dimensions))
	if err != nil {
		b.Fatal(err)
	}
	query := newQueryVector(randomNumbers(r, dimensions))
	for _, q := range []struct {
		name  string
		query index.Query
	}{
		{"all", index.Query{TopK: 100}},
		{"filtered", index.Query{TopK: 100, Filters: index.Filters{Without: []string{"r7"}}, Text: "-word3"}},
	} {
		b.Run(q.name, func(b *testing.B) {
			for b.Loop() {
				found, err := x.Score(context.Background(), q.query, func(id, _ string) index.Scores { return sets[id].scores(&query) })
				if err != nil || len(found.Hits) != 100 {
					b.Fatal(len(found.Hits), err)
				}
			}
		})
	}
}

func benchResources(r *rand.Rand, sets map[string]*vectorSet, resources, perResource, dimensions int) iter.Seq[index.Resource] {
	return func(yield func(index.Resource) bool) {
		for n := range resources {
			id := fmt.Sprint("r", n)
			var vectors []vector
			var entries []index.Entry
			for i := range perResource {
				var v vector
				v.scale, v.codes = quantise(randomNumbers(r, dimensions))
				vectors = append(vectors, v)
				entries = append(entries, index.Entry{Ordinal: i, Text: fmt.Sprint("text word", i%10)})
			}
			sets[id] = newVectorSet("1", dimensions, vectors)
			if !yield(index.Resource{ID: id, Version: "1", Entries: slices.Values(entries)}) {
				return
			}
		}
	}
}
