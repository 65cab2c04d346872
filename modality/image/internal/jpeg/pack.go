package jpeg

import (
	"bytes"
	"encoding/binary"
)

// blockRoom exceeds the bytes of the codes of one block: 64 codes of at most 16 bits,
// each with at most 11 extra bits.
const blockRoom = 256

// A packer concatenates codes without examining the resulting bytes, so that it writes
// without a branch. [packer.stuffed] later inserts what must follow each 0xff byte.
type packer struct {
	raw []byte
	pos int    // index of the next byte
	acc uint64 // pending bits, in the low end; higher bits are garbage
	n   uint   // how many, less than 8
}

// reserve makes room for a number of blocks.
func (p *packer) reserve(blocks int) {
	if need := p.pos + blocks*blockRoom; need > len(p.raw) {
		p.raw = append(p.raw, make([]byte, max(need, 64<<10))...)
	}
}

// put appends the low n bits of v, at most 32; the others must be 0. The caller must
// have reserved room.
func (p *packer) put(v uint64, n uint) {
	p.acc = p.acc<<(n&63) | v
	p.n += n
	p.write()
}

// write stores the complete bytes.
func (p *packer) write() {
	binary.BigEndian.PutUint64(p.raw[p.pos:], p.acc<<((64-p.n)&63))
	p.pos += int(p.n >> 3)
	p.n &= 7
}

// stuffed pads the last byte with ones, returns all bytes with a zero after each 0xff
// (T.81, section F.1.2.3), followed by a marker, and resets p.
func (p *packer) stuffed(marker byte) []byte {
	p.reserve(1)
	if p.n > 0 {
		p.put(1<<(8-p.n)-1, 8-p.n)
	}
	raw := p.raw[:p.pos]
	out := make([]byte, 0, len(raw)+bytes.Count(raw, []byte{0xff})+2)
	for {
		i := bytes.IndexByte(raw, 0xff)
		if i < 0 {
			break
		}
		out = append(append(out, raw[:i+1]...), 0)
		raw = raw[i+1:]
	}
	p.pos, p.acc, p.n = 0, 0, 0
	return append(append(out, raw...), 0xff, marker)
}
