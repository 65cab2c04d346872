package segment

import "math/bits"

// A Bitmap is a set of documents.
type Bitmap []uint64

// NewBitmap returns an empty set of n documents.
func NewBitmap(n int) Bitmap { return make(Bitmap, (n+63)/64) }

// Has reports whether a document is in the set.
func (b Bitmap) Has(doc uint32) bool { return b[doc/64]&(1<<(doc%64)) != 0 }

// Add adds a document.
func (b Bitmap) Add(doc uint32) { b[doc/64] |= 1 << (doc % 64) }

// AddRange adds a run of documents.
func (b Bitmap) AddRange(r Range) {
	for doc := r.First; doc < r.End; {
		if doc%64 == 0 && r.End-doc >= 64 {
			b[doc/64] = ^uint64(0)
			doc += 64
			continue
		}
		b.Add(doc)
		doc++
	}
}

// Keep removes what is not in other. Both must be of the same size.
func (b Bitmap) Keep(other Bitmap) {
	for i := range b {
		b[i] &= other[i]
	}
}

// Drop removes what is in other. Both must be of the same size.
func (b Bitmap) Drop(other Bitmap) {
	for i := range b {
		b[i] &^= other[i]
	}
}

// Count returns the number of documents in the set.
func (b Bitmap) Count() int {
	n := 0
	for _, word := range b {
		n += bits.OnesCount64(word)
	}
	return n
}
