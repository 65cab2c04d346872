package quotation

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"slices"
	"sync"
	"sync/atomic"
)

const (
	gram = 8 // letters that are looked up at once; also their distance in the index

	// leastIndexed is how many letters a text has for which an index is made, and
	// unindexed how many quotes are looked for without one.
	leastIndexed = 64 << 10
	unindexed    = 4
)

// Grams are an index of a text's letters: the places, among the multiples of gram, of
// each run of gram letters. So a long text is not read again for each quote.
type grams struct {
	asked atomic.Int32
	work  atomic.Int64 // bytes that were read or compared, for tests
	once  sync.Once

	shift  int
	starts []int32 // of the places of each hash
	places []int32
}

func gramAt(letters []byte) uint64 { return binary.LittleEndian.Uint64(letters) }

func (g *grams) hash(gram uint64) int { return int(gram * 0x9E3779B97F4A7C15 >> g.shift) }

// build makes the index, by counting sort, so that places are in order.
func (g *grams) build(letters []byte) {
	n := len(letters) / gram
	g.shift = 64 - bits.Len(uint(n))
	g.starts, g.places = make([]int32, 1<<(64-g.shift)+1), make([]int32, n)
	for i := range n {
		g.starts[g.hash(gramAt(letters[i*gram:]))+1]++
	}
	for i := range g.starts[1:] {
		g.starts[i+1] += g.starts[i]
	}
	next := slices.Clone(g.starts)
	for i := range n {
		h := g.hash(gramAt(letters[i*gram:]))
		g.places[next[h]] = int32(i * gram)
		next[h]++
	}
	g.work.Add(int64(len(letters)))
}

// find returns the places of some letters among those between two indexes, in order. It
// returns false if the text has to be read: it is short, is asked for the first time,
// or repeats itself so much that this is faster.
func (g *grams) find(text, letters []byte, from, to int) (found []int, ok bool) {
	if len(letters) < 2*gram-1 || len(text) < leastIndexed || g.asked.Add(1) <= unindexed {
		return nil, false
	}
	g.once.Do(func() { g.build(text) })
	candidates := 0
	for i := range gram { // one of them is at a multiple of gram in each place
		h := g.hash(gramAt(letters[i:]))
		candidates += int(g.starts[h+1] - g.starts[h])
	}
	if candidates > (to-from)/(8*gram) {
		return nil, false
	}
	g.work.Add(int64(candidates * gram))
	for i := range gram {
		h := g.hash(gramAt(letters[i:]))
		for _, place := range g.places[g.starts[h]:g.starts[h+1]] {
			if at := int(place) - i; at >= from && at+len(letters) <= to && bytes.Equal(text[at:at+len(letters)], letters) {
				found = append(found, at)
			}
		}
	}
	slices.Sort(found)
	return found, true
}
