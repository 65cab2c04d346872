package jpeg

import (
	"bytes"
	"encoding/binary"
)

// blockRoom is more bytes than the codes of one block take: 64 of at most 16
// bits, each with at most 11 bits more.
const blockRoom = 256

// A packer puts codes together without looking at the bytes they make, which
// lets it write without a branch. What must follow each 0xff byte is put in at
// the end, by [packer.stuffed].
type packer struct {
	raw []byte
	pos int    // where the next byte goes
	acc uint64 // pending bits, in the low end; what is above them means nothing
	n   uint   // how many, less than 8
}

// reserve makes room for a number of blocks.
func (p *packer) reserve(blocks int) {
	if need := p.pos + blocks*blockRoom; need > len(p.raw) {
		p.raw = append(p.raw, make([]byte, max(need, 64<<10))...)
	}
}

// put appends the low n bits of v, at most 32; the others must be 0. There must
// be room.
func (p *packer) put(v uint64, n uint) {
	p.acc = p.acc<<(n&63) | v
	p.n += n
	p.write()
}

// write stores the bytes that are complete.
func (p *packer) write() {
	binary.BigEndian.PutUint64(p.raw[p.pos:], p.acc<<((64-p.n)&63))
	p.pos += int(p.n >> 3)
	p.n &= 7
}

// stuffed pads with ones up to a byte, returns all bytes with a zero after each
// 0xff (T.81, section F.1.2.3) and then a marker, and begins anew.
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
