package segment

import (
	"encoding/binary"
	"math"
	"sort"
)

// end is the document of an exhausted cursor.
const end = math.MaxUint32

// A cursor walks the documents of one term, block by block.
type cursor struct {
	s         *Segment
	n         int    // documents
	blocks    int    // number of blocks
	heads     []byte // of all blocks; empty if there is only one
	data      []byte // from the first block to the end of the segment
	size      int    // of the blocks, in bytes
	positions []byte
	best      byte

	block  int // the block that is loaded, -1 before the first
	near   int // the first block that may have the document sought
	at     int // index in the block
	in     int // number of documents in the block
	docs   [blockSize]uint32
	tail   []byte // packed weights of the block
	width  int    // bits of a weight
	weight [blockSize]uint32
	counts [blockSize]uint32
	have   uint8 // which of weight and counts are loaded for the block

	placed      int // the document of the block whose positions were read last
	placesStart int // where these start in the positions of the block

	err error
}

const (
	haveWeights = 1 << iota
	haveCounts
)

// lists returns the lists of an entry, checking them at first use.
func (s *Segment) lists(e entry) ([]byte, error) {
	if !s.checkedLists.done(e.group) {
		first := little.Uint64(s.groupIndex[e.group*groupEntry+4:])
		last := s.footer.lists.offset + s.footer.lists.size
		if e.group+1 < s.groups {
			last = little.Uint64(s.groupIndex[(e.group+1)*groupEntry+4:])
		}
		if checksum(s.data[first:last]) != little.Uint32(s.groupIndex[e.group*groupEntry+12:]) {
			return nil, ErrDamaged
		}
		s.checkedLists.note(e.group)
	}
	return s.data[e.lists:], nil
}

// open places a cursor before the first document of an entry.
func (c *cursor) open(s *Segment, e entry) error {
	data, err := s.lists(e)
	if err != nil {
		return err
	}
	c.s, c.n, c.blocks, c.best, c.err = s, e.docs, blocksOf(e.docs), e.best, nil
	c.block, c.near, c.at, c.in, c.have = -1, 0, 0, 0, 0
	c.positions = data[e.postingSize:][:e.positionSize]
	c.heads = nil
	if c.blocks > 1 {
		size := uint64(c.blocks) * headSize
		if size > e.postingSize {
			return ErrDamaged
		}
		c.heads, data = data[:size], data[size:]
		c.size = int(e.postingSize - size)
	} else {
		c.size = int(e.postingSize)
	}
	c.data = data
	if c.blocks == 1 {
		c.load(0)
	}
	return c.err
}

// forget drops all references to the segment.
func (c *cursor) forget() { c.s, c.heads, c.data, c.positions, c.tail = nil, nil, nil, nil, nil }

// last returns the last document of a block. If there is only one block, it must be
// loaded; open does that.
func (c *cursor) last(block int) uint32 {
	if c.heads == nil {
		return c.docs[c.in-1]
	}
	return little.Uint32(c.heads[block*headSize:])
}

// limit returns the largest saturation in a block, in 255ths.
func (c *cursor) limit(block int) byte {
	if c.heads == nil {
		return c.best
	}
	return c.heads[block*headSize+12]
}

// load reads the documents of a block. It returns false if they are damaged.
func (c *cursor) load(block int) bool {
	n := min(blockSize, c.n-block*blockSize)
	from, next := 0, uint64(0)
	if c.heads != nil {
		from = int(little.Uint32(c.heads[block*headSize+4:]))
		if block > 0 {
			next = uint64(c.last(block-1)) + 1
		}
	}
	if from+2 > c.size {
		return c.fail()
	}
	stepWidth, weightWidth := int(c.data[from]), int(c.data[from+1])
	from += 2
	steps := packedSize(n, stepWidth)
	if stepWidth > 32 || weightWidth > 32 || from+steps+packedSize(n, weightWidth) > c.size {
		return c.fail()
	}
	unpack(c.docs[:n], c.data[from:], stepWidth) // eight more bytes can be read: the footer follows the lists
	for i, step := range c.docs[:n] {
		next += uint64(step)
		c.docs[i] = uint32(next)
		next++
	}
	if next > uint64(c.s.docs) || c.heads != nil && uint32(next-1) != c.last(block) {
		return c.fail()
	}
	c.block, c.at, c.in, c.have = block, 0, n, 0
	c.tail, c.width = c.data[from+steps:], weightWidth
	return true
}

func (c *cursor) fail() bool {
	c.err = ErrDamaged
	c.in, c.at = 0, 0
	c.block = c.blocks
	return false
}

// doc returns the document at the cursor, or end.
func (c *cursor) doc() uint32 {
	if c.at >= c.in {
		return end
	}
	return c.docs[c.at]
}

// isBehind reports whether the loaded block ends before a document.
func (c *cursor) isBehind(doc uint32) bool {
	return c.block < 0 || c.in > 0 && c.docs[c.in-1] < doc
}

// seek advances to the first document that is not before doc, and returns it, or end.
func (c *cursor) seek(doc uint32) uint32 {
	if c.isBehind(doc) && !c.skip(doc) {
		return end
	}
	if c.at < c.in && c.docs[c.at] < doc {
		c.at += firstFrom(c.docs[c.at:c.in], doc)
	}
	return c.doc()
}

// firstFrom returns the index of the first document that is not before doc.
func firstFrom(docs []uint32, doc uint32) int {
	const near = 4 // are looked at one by one
	for i, d := range docs[:min(len(docs), near)] {
		if d >= doc {
			return i
		}
	}
	low, n := near, len(docs)-near
	for n > 0 {
		half := n / 2
		if docs[low+half] < doc {
			low, n = low+half+1, n-half-1
		} else {
			n = half
		}
	}
	return min(low, len(docs))
}

// skip loads the next block whose last document is doc or later.
func (c *cursor) skip(doc uint32) bool {
	next := c.find(doc)
	if next < c.blocks {
		return c.load(next)
	}
	if c.heads == nil { // keep its last document known
		c.at = c.in
	} else {
		c.block, c.in, c.at = c.blocks, 0, 0
	}
	return false
}

// find returns the first block, not before the loaded one, whose last document is doc
// or later. If there is none it returns at least the number of blocks.
func (c *cursor) find(doc uint32) int {
	low := max(c.block, c.near, 0)
	if low == c.block && c.in > 0 {
		if c.docs[c.in-1] >= doc {
			return low
		}
		low++
	}
	if low >= c.blocks || c.heads == nil {
		return low
	}
	high := low
	for step := 1; high < c.blocks && c.last(high) < doc; step *= 2 {
		low = high + 1
		high += step
	}
	high = min(high, c.blocks)
	return low + sort.Search(high-low, func(i int) bool { return c.last(low+i) >= doc })
}

// first returns the lowest document that a block can have.
func (c *cursor) first(block int) uint32 {
	if block == 0 {
		return 0
	}
	return c.last(block-1) + 1
}

// limitAt returns, in 255ths, the largest saturation in the block that may have doc,
// without loading that block. Later calls must not ask for earlier documents.
func (c *cursor) limitAt(doc uint32) byte {
	if c.near = c.find(doc); c.near >= c.blocks {
		return 0
	}
	return c.limit(c.near)
}

// loadWeights reads the weights of the block; each is stored less one.
func (c *cursor) loadWeights() {
	if c.have&haveWeights == 0 {
		unpack(c.weight[:c.in], c.tail, c.width)
		c.have |= haveWeights
	}
}

// docWeight returns the weight of the document at the cursor.
func (c *cursor) docWeight() uint32 {
	if c.have&haveWeights == 0 {
		return unpackOne(c.tail, c.at, c.width) + 1
	}
	return c.weight[c.at] + 1
}

// docPositions appends the positions in the document at the cursor. Keywords have none.
func (c *cursor) docPositions(positions []uint32) []uint32 {
	data, ok := c.blockPositions()
	if !ok {
		return positions
	}
	if c.at < c.placed {
		c.placed, c.placesStart = 0, 0
	}
	before := 0
	for _, n := range c.counts[c.placed:c.at] {
		before += int(n) + 1
	}
	data = data[c.placesStart:]
	skipped := sizeOfUvarints(data, before)
	c.placed, c.placesStart = c.at, c.placesStart+skipped
	data = data[skipped:]
	position := uint64(0)
	for range uint64(c.counts[c.at]) + 1 {
		step, size := binary.Uvarint(data)
		if size <= 0 {
			c.err = ErrDamaged
			return positions
		}
		data = data[size:]
		position += step
		positions = append(positions, uint32(min(position, end-1)))
	}
	return positions
}

// blockPositions returns the positions of the block, as differences, and loads how many
// each document has.
func (c *cursor) blockPositions() ([]byte, bool) {
	if len(c.positions) == 0 {
		return nil, false
	}
	from := 0
	if c.heads != nil {
		from = int(little.Uint32(c.heads[c.block*headSize+8:]))
	}
	if from >= len(c.positions) || c.positions[from] > 32 {
		c.err = ErrDamaged
		return nil, false
	}
	w := int(c.positions[from])
	size := packedSize(c.in, w)
	if from+1+size > len(c.positions) {
		c.err = ErrDamaged
		return nil, false
	}
	if c.have&haveCounts == 0 {
		unpack(c.counts[:c.in], c.positions[from+1:len(c.positions)+8], w) // the footer follows the lists
		c.have |= haveCounts
		c.placed, c.placesStart = 0, 0
	}
	return c.positions[from+1+size:], true
}
