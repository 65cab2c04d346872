package api

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/ctxio"
	"github.com/citekit/citekit/textlayer"
)

// A chunk is a passage of the text of a resource. Its id has the id of the resource, the
// length of its text in bytes, a hash of it and where it was found. It says nothing about
// the way in which passages are made.
//
// Guaranteed: while the text of the resource is unchanged, an id leads to the place that
// it was made for, even if the same text stands elsewhere too, and different places have
// different ids. When the text around it changes, an id leads to the place of the same
// text that is nearest to where it was.
type chunk struct {
	resource string
	length   int64
	hash     uint64
	from     int64 // byte of the layer
}

// maxChunk is the length of the longest text that an id may name, in bytes. Passages are
// shorter.
const maxChunk = 1 << 20

// chunkMark separates the id of the resource from the rest.
const chunkMark = "~"

// chunkOf returns the chunk of a text that begins at a byte of its layer.
func chunkOf(resource, text string, from int64) chunk {
	return chunk{resource, int64(len(text)), hashOf(text), from}
}

func hashOf[T string | []byte](text T) (h uint64) {
	for i := range len(text) {
		h = rolled(h, text[i])
	}
	return h
}

// String returns the id: RESOURCE~LENGTH-HASH-FROM, the numbers in base 36. At the
// beginning of a text the last is left out.
func (c chunk) String() string {
	id := c.resource + chunkMark + strconv.FormatInt(c.length, 36) + "-" + strconv.FormatUint(c.hash, 36)
	if c.from > 0 {
		id += "-" + strconv.FormatInt(c.from, 36)
	}
	return id
}

// parseChunk reads an id. The error matches [citekit.ErrSyntax].
func parseChunk(id string) (chunk, error) {
	at := strings.LastIndex(id, chunkMark)
	length, hash, ok := strings.Cut(id[at+1:], "-")
	if at > 0 && ok {
		c := chunk{resource: id[:at]}
		var errLength, errHash, errFrom error
		hash, from, later := strings.Cut(hash, "-")
		c.length, errLength = strconv.ParseInt(length, 36, 64)
		c.hash, errHash = strconv.ParseUint(hash, 36, 64)
		if later {
			c.from, errFrom = strconv.ParseInt(from, 36, 64)
		}
		if errLength == nil && errHash == nil && errFrom == nil && 0 < c.length && c.length <= maxChunk && c.String() == id {
			return c, nil
		}
	}
	return chunk{}, fmt.Errorf("%.100q is not the id of a chunk; take it from the results of a search: %w", id, citekit.ErrSyntax)
}

// modulus is the prime 2^61-1; base is a number below it.
const (
	modulus = 1<<61 - 1
	base    = 0x0f3a_9c25_d1b7_4e63
)

// rolled returns the hash of a text from that of the text without its last byte.
func rolled(h uint64, b byte) uint64 { return reduced(times(h, base) + uint64(b) + 1) }

// times returns a*b modulo the modulus, for a and b below it.
func times(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	return reduced((hi<<3 | lo>>61) + lo&modulus)
}

// reduced returns n modulo the modulus, for n below 4 times it.
func reduced(n uint64) uint64 {
	n = n>>61 + n&modulus
	if n >= modulus {
		n -= modulus
	}
	return n
}

// mostFind is how many bytes of text a request may read to find chunks.
const mostFind = 128 << 20

// errUnread is the error for a chunk that is not looked for because of mostFind.
var errUnread = fmt.Errorf("to find the chunk is more than one request may read; ask for fewer, or search for it again: %w", citekit.ErrTooLarge)

// A finder finds the chunks of one request. Those that are where they were cost their own
// length. Of those that are not, all of one resource and length are found in one pass.
type finder struct {
	asked []chunk // to look for when one like them is not where it was; may be empty
	read  int64   // bytes of text
	moved map[version]int64
}

// A version is a chunk in a version of its text.
type version struct {
	chunk
	source string
}

// find returns where the text of a chunk begins in a layer. The error is
// a [citekit.NotFoundError] if it is not there, and errUnread beyond mostFind.
func (f *finder) find(ctx context.Context, layer *textlayer.Layer, c chunk) (int64, error) {
	if c.from <= layer.Len()-c.length {
		if err := f.spend(c.length); err != nil {
			return 0, err
		}
		text := make([]byte, c.length)
		if _, err := io.ReadFull(io.NewSectionReader(layer, c.from, c.length), text); err != nil {
			return 0, err
		}
		if hashOf(text) == c.hash {
			return c.from, nil
		}
	}
	id := version{c, layer.SourceHash()}
	if _, known := f.moved[id]; !known {
		if err := f.spend(layer.Len()); err != nil {
			return 0, err
		}
		if err := f.pass(ctx, layer, c); err != nil {
			return 0, err
		}
	}
	if from := f.moved[id]; from >= 0 {
		return from, nil
	}
	return 0, &citekit.NotFoundError{Kind: "chunk", ID: c.String()}
}

func (f *finder) spend(n int64) error {
	if n > mostFind-f.read {
		return errUnread
	}
	f.read += n
	return nil
}

// A sought text is one whose places nearest to given ones are looked for.
type sought struct {
	left []chunk // in order of the place
	last int64   // place of the text that was passed last, or -1
}

// pass looks for a chunk and those that are asked for of the same resource and length.
func (f *finder) pass(ctx context.Context, layer *textlayer.Layer, c chunk) error {
	if f.moved == nil {
		f.moved = map[version]int64{}
	}
	texts := map[uint64]*sought{}
	for _, one := range append([]chunk{c}, f.asked...) {
		if one.resource != c.resource || one.length != c.length {
			continue
		}
		if texts[one.hash] == nil {
			texts[one.hash] = &sought{last: -1}
		}
		texts[one.hash].left = append(texts[one.hash].left, one)
	}
	for _, s := range texts {
		slices.SortFunc(s.left, func(a, b chunk) int { return cmp.Compare(a.from, b.from) })
	}
	err := roll(ctx, layer, c.length, func(h uint64, at int64) {
		s := texts[h]
		if s == nil {
			return
		}
		for len(s.left) > 0 && s.left[0].from <= at {
			nearest := at
			if one := s.left[0]; s.last >= 0 && one.from-s.last < at-one.from {
				nearest = s.last
			}
			f.moved[version{s.left[0], layer.SourceHash()}] = nearest
			s.left = s.left[1:]
		}
		s.last = at
	})
	if err != nil {
		return err
	}
	for _, s := range texts {
		for _, one := range s.left {
			f.moved[version{one, layer.SourceHash()}] = s.last
		}
	}
	return nil
}

// roll calls a function with the hash and the place of each text of a length.
func roll(ctx context.Context, layer *textlayer.Layer, length int64, each func(h uint64, from int64)) error {
	if length > layer.Len() {
		return nil
	}
	first := uint64(1) // what the byte before the window counts for: base to the power length
	for range length {
		first = times(first, base)
	}
	window := make([]byte, length)
	text := bufio.NewReaderSize(ctxio.Reader(ctx, io.NewSectionReader(layer, 0, layer.Len())), 1<<16)
	slot := int64(0)
	for h, at := uint64(0), int64(0); at < layer.Len(); {
		b, err := text.ReadByte()
		if err != nil {
			return err
		}
		h = rolled(h, b)
		if at >= length {
			h = reduced(h + modulus - times(first, uint64(window[slot])+1))
		}
		window[slot] = b
		if slot++; slot == length {
			slot = 0
		}
		if at++; at >= length {
			each(h, at-length)
		}
	}
	return nil
}
