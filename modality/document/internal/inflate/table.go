package inflate

import (
	"math/bits"
	"sync"
)

const (
	maxBits  = 15
	litBits  = 11 // codes up to this length are found in one step
	distBits = 8
)

// An entry says what a code means: bits 0-3 are the length of the code, bits 4-7 the
// number of extra bits, bits 8-10 the kind, and the bits from 16 on a value.
type entry uint32

const (
	literal = iota + 1
	match   // a length or a distance
	stop
	sub // longer codes; the value is the index of their entries
	unused
)

func newEntry(kind, extra, value uint32) entry { return entry(kind<<8 | extra<<4 | value<<16) }

func (e entry) bits() uint    { return uint(e & 15) }
func (e entry) extra() uint   { return uint(e >> 4 & 15) }
func (e entry) kind() uint32  { return uint32(e >> 8 & 7) }
func (e entry) value() uint32 { return uint32(e >> 16) }

// A table finds entries by the next bits of the stream.
type table struct{ entries []entry }

// build fills the table from the lengths of codes. It returns false if these do not
// form a complete code, except for no code at all and for a single code of one bit.
func (t *table) build(lengths []uint8, primary uint, of func(symbol int) entry) bool {
	var count [maxBits + 1]int
	for _, n := range lengths {
		count[n]++
	}
	used := len(lengths) - count[0]
	count[0] = 0
	var next [maxBits + 2]int
	code, longest := 0, 0
	for n := 1; n <= maxBits; n++ {
		code <<= 1
		next[n] = code
		code += count[n]
		if code > 1<<n {
			return false
		}
		if count[n] > 0 {
			longest = n
		}
	}
	if used > 0 && code != 1<<maxBits && (used > 1 || longest != 1) {
		return false
	}
	t.clear(1 << primary)
	for symbol, n := range lengths {
		if n == 0 {
			continue
		}
		reversed := int(bits.Reverse16(uint16(next[n])) >> (16 - n))
		next[n]++
		t.put(reversed, uint(n), primary, of(symbol)|entry(n))
	}
	return true
}

func (t *table) clear(size int) {
	if cap(t.entries) < size {
		t.entries = make([]entry, size, 2*size)
	}
	t.entries = t.entries[:size]
	clear(t.entries)
}

func (t *table) put(code int, n, primary uint, e entry) {
	if n <= primary {
		for i := code; i < 1<<primary; i += 1 << n {
			t.entries[i] = e
		}
		return
	}
	head := code & (1<<primary - 1)
	size := 1 << (maxBits - primary)
	if t.entries[head] == 0 {
		t.entries[head] = newEntry(sub, 0, uint32(len(t.entries))) | 1
		t.entries = append(t.entries, make([]entry, size)...)
	}
	base := int(t.entries[head].value())
	for i := code >> primary; i < size; i += 1 << (n - primary) {
		t.entries[base+i] = e
	}
}

// literalEntry returns the meaning of a symbol of the literal and length code.
func literalEntry(symbol int) entry {
	switch {
	case symbol < 256:
		return newEntry(literal, 0, uint32(symbol))
	case symbol == 256:
		return newEntry(stop, 0, 0)
	case symbol < 265:
		return newEntry(match, 0, uint32(symbol-254))
	case symbol < 285:
		extra := uint32(symbol-261) / 4
		return newEntry(match, extra, 3+(4+uint32(symbol-261)%4)<<extra)
	case symbol == 285:
		return newEntry(match, 0, maxMatch)
	}
	return newEntry(unused, 0, 0)
}

// distanceEntry returns the meaning of a symbol of the distance code.
func distanceEntry(symbol int) entry {
	switch {
	case symbol < 4:
		return newEntry(match, 0, uint32(symbol+1))
	case symbol < 30:
		extra := uint32(symbol)/2 - 1
		return newEntry(match, extra, 1+(2+uint32(symbol)%2)<<extra)
	}
	return newEntry(unused, 0, 0)
}

var fixedLengths = func() []uint8 {
	lengths := make([]uint8, 288+32)
	for i := range lengths {
		switch {
		case i < 144:
			lengths[i] = 8
		case i < 256:
			lengths[i] = 9
		case i < 280:
			lengths[i] = 7
		case i < 288:
			lengths[i] = 8
		default:
			lengths[i] = 5
		}
	}
	return lengths
}()

// fixedTables returns the tables of the fixed codes, which nobody changes. They are made
// once, because a stream may have a block with these codes in each ten bits.
var fixedTables = sync.OnceValues(func() (lit, dist *table) {
	lit, dist = new(table), new(table)
	lit.build(fixedLengths[:288], litBits, literalEntry)
	dist.build(fixedLengths[288:], distBits, distanceEntry)
	return lit, dist
})

// lengthOrder is the order in which the lengths of the code-length code are stored.
var lengthOrder = [...]int{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15}

// readLengths reads the code lengths of a block.
func (d *Reader) readLengths() error {
	counts, err := d.take(14)
	if err != nil {
		return err
	}
	literals, distances, codes := int(counts&31)+257, int(counts>>5&31)+1, int(counts>>10)+4
	if literals > 286 || distances > 30 {
		return ErrCorrupt
	}
	var small [19]uint8
	for _, at := range lengthOrder[:codes] {
		n, err := d.take(3)
		if err != nil {
			return err
		}
		small[at] = uint8(n)
	}
	var code table
	if !code.build(small[:], 7, func(symbol int) entry { return newEntry(literal, 0, uint32(symbol)) }) {
		return ErrCorrupt
	}
	lengths := make([]uint8, literals+distances)
	for i := 0; i < len(lengths); {
		n, err := d.readLength(&code, lengths, i)
		if err != nil {
			return err
		}
		i += n
	}
	d.block.lengths, d.block.literals = lengths, literals
	return nil
}

// readLength reads one length, or a run of them, and returns their number.
func (d *Reader) readLength(code *table, lengths []uint8, i int) (int, error) {
	if err := d.refill(); err != nil {
		return 0, err
	}
	e := code.entries[d.bits&127]
	if e.bits() == 0 || e.bits() > d.nbits {
		return 0, ErrCorrupt
	}
	d.bits >>= e.bits()
	d.nbits -= e.bits()
	if e.value() < 16 {
		lengths[i] = uint8(e.value())
		return 1, nil
	}
	run := [...]struct {
		bits uint
		base int
	}{{2, 3}, {3, 3}, {7, 11}}[e.value()-16]
	more, err := d.take(run.bits)
	if err != nil {
		return 0, err
	}
	n, of := run.base+int(more), uint8(0)
	if e.value() == 16 {
		if i == 0 {
			return 0, ErrCorrupt
		}
		of = lengths[i-1]
	}
	if n > len(lengths)-i {
		return 0, ErrCorrupt
	}
	for j := range n {
		lengths[i+j] = of
	}
	return n, nil
}
