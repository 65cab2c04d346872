package jpeg

import "fmt"

const (
	lookupBits = 9  // codes up to this length are found in one lookup
	stepBits   = 12 // bits that one step over AC coefficients examines
)

// A huffSpec is a Huffman table as stored (T.81, section B.2.4.2).
type huffSpec struct {
	raw    []byte // id, counts, values
	counts [16]byte
	values []byte
}

func readHuffSpec(p []byte) (*huffSpec, int, error) {
	if len(p) < 17 || p[0]>>4 > 1 || p[0]&15 > 3 {
		return nil, 0, fmt.Errorf("a Huffman table of %d bytes: %w", len(p), ErrFormat)
	}
	spec := &huffSpec{counts: [16]byte(p[1:17])}
	total, space := 0, 1<<16
	for i, n := range spec.counts {
		total += int(n)
		space -= int(n) << (15 - i)
	}
	if total == 0 || total > 256 || space < 0 || len(p) < 17+total {
		return nil, 0, fmt.Errorf("a Huffman table of %d codes: %w", total, ErrFormat)
	}
	spec.raw = p[: 17+total : 17+total]
	spec.values = spec.raw[17:]
	return spec, 17 + total, nil
}

// A huffTable decodes one Huffman code.
type huffTable struct {
	lookup [1 << lookupBits]uint16 // value<<8 | length, 0 where the code is longer
	values []byte
	limit  [18]uint32 // by length: first 16-bit prefix after the codes of that length
	offset [17]int32  // by length: index of a value minus its code
}

// newHuffTable builds the table of section C.2.
func newHuffTable(spec *huffSpec) *huffTable {
	t := &huffTable{values: spec.values}
	code, index := uint32(0), 0
	for length := 1; length <= 16; length++ {
		t.offset[length] = int32(index) - int32(code)
		for range int(spec.counts[length-1]) {
			if length <= lookupBits {
				t.fill(code, length, spec.values[index])
			}
			code++
			index++
		}
		t.limit[length] = code << (16 - length)
		code <<= 1
	}
	t.limit[17] = 1 << 17 // exceeds every prefix
	return t
}

func (t *huffTable) fill(code uint32, length int, value byte) {
	first := code << (lookupBits - length)
	for i := range uint32(1) << (lookupBits - length) {
		t.lookup[first+i] = uint16(value)<<8 | uint16(length)
	}
}

// find returns the value and length of the code at the top of acc. Length 0 means that
// there is none.
func (t *huffTable) find(acc uint64) (value byte, length uint) {
	if e := t.lookup[acc>>(64-lookupBits)]; e != 0 {
		return byte(e >> 8), uint(e & 0xff)
	}
	return t.findLong(acc)
}

func (t *huffTable) findLong(acc uint64) (byte, uint) {
	prefix := uint32(acc >> 48)
	length := lookupBits + 1
	for prefix >= t.limit[length] {
		length++
	}
	if length > 16 {
		return 0, 0
	}
	index := t.offset[length] + int32(prefix>>(16-length))
	if index < 0 || int(index) >= len(t.values) {
		return 0, 0
	}
	return t.values[index], uint(length)
}

// A stepTable skips AC coefficients whose values are not needed. It is indexed by the
// next stepBits bits. An entry covers the codes that lie, with their extra bits, wholly
// within these: how many bits they take, and how many coefficients they cover.
type stepTable struct {
	steps [1 << stepBits]uint16 // coefficients<<8 | end<<7 | bits, 0 for none
	huff  *huffTable
}

const stepEnd = 1 << 7 // the step ends the block

func newStepTable(huff *huffTable) *stepTable {
	t := &stepTable{huff: huff}
	for i := range t.steps {
		t.steps[i] = huff.step(uint64(i) << (64 - stepBits))
	}
	return t
}

// step returns the stepTable entry for the top stepBits bits of acc.
func (t *huffTable) step(acc uint64) uint16 {
	bits, count := uint(0), 0
	for {
		value, length := t.find(acc << bits)
		run, size := int(value>>4), uint(value&15)
		if length == 0 || bits+length+size > stepBits {
			break
		}
		switch {
		case size != 0:
			count += run + 1
		case run == 15:
			count += 16
		case run == 0:
			return uint16(count)<<8 | stepEnd | uint16(bits+length)
		default: // invalid in sequential coding
			return uint16(count)<<8 | uint16(bits)
		}
		bits += length + size
	}
	return uint16(count)<<8 | uint16(bits)
}
