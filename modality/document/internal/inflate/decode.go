package inflate

import "encoding/binary"

// decode decompresses codes until limit is reached or the block ends. It is fast while
// there is enough input for whole words.
func (d *Reader) decode(limit int) error {
	for d.pos < limit && d.block.open {
		if len(d.input) >= 16 {
			if err := d.decodeFast(limit); err != nil {
				return err
			}
			continue
		}
		if err := d.decodeOne(); err != nil {
			return err
		}
	}
	return nil
}

// decodeFast repeats decodeOne, without calls and with the changing state in local
// variables.
func (d *Reader) decodeFast(limit int) error {
	bits, nbits, input, pos, buf := d.bits, d.nbits, d.input, d.pos, d.buf
	lit, dist := d.lit.entries, d.dist.entries
	for pos < limit && len(input) >= 8 {
		if nbits < 48 {
			bits |= binary.LittleEndian.Uint64(input) << nbits
			n := (63 - nbits) >> 3
			input = input[n:]
			nbits += n * 8
			bits &= 1<<nbits - 1
		}
		e := lit[bits&(1<<litBits-1)]
		if e.kind() == literal { // two of up to 11 bits leave 26
			bits >>= e.bits() & 63
			nbits -= e.bits()
			buf[pos] = byte(e.value())
			pos++
			e = lit[bits&(1<<litBits-1)]
			if e.kind() == literal && pos < limit {
				bits >>= e.bits() & 63
				nbits -= e.bits()
				buf[pos] = byte(e.value())
				pos++
			}
			continue
		}
		if e.kind() == sub {
			e = lit[e.value()+uint32(bits>>litBits)&(1<<(maxBits-litBits)-1)]
		}
		bits >>= e.bits() & 63
		nbits -= e.bits()
		if e.kind() == literal {
			buf[pos] = byte(e.value())
			pos++
			continue
		}
		if e.kind() != match {
			d.bits, d.nbits, d.input, d.pos = bits, nbits, input, pos
			return d.leave(e)
		}
		length := int(e.value()) + int(bits&(1<<e.extra()-1))
		bits >>= e.extra()
		nbits -= e.extra()
		e = dist[bits&(1<<distBits-1)]
		if e.kind() == sub {
			e = dist[e.value()+uint32(bits>>distBits)&(1<<(maxBits-distBits)-1)]
		}
		if e.kind() != match {
			return ErrCorrupt
		}
		bits >>= e.bits() & 63
		distance := int(e.value()) + int(bits&(1<<e.extra()-1))
		bits >>= e.extra()
		nbits -= e.bits() + e.extra()
		if distance > pos {
			return ErrCorrupt
		}
		repeat(buf, pos, distance, length)
		pos += length
	}
	d.bits, d.nbits, d.input, d.pos = bits, nbits, input, pos
	return nil
}

// leave ends the block if e is the end-of-block code.
func (d *Reader) leave(e entry) error {
	if e.kind() != stop {
		return ErrCorrupt
	}
	d.block.open, d.block.lengths = false, nil
	return nil
}

// decodeOne decompresses one code.
func (d *Reader) decodeOne() error {
	e, err := d.next(d.lit.entries, litBits)
	if err != nil {
		return err
	}
	switch e.kind() {
	case literal:
		d.buf[d.pos] = byte(e.value())
		d.pos++
		return nil
	case match:
	default:
		return d.leave(e)
	}
	more, err := d.take(e.extra())
	if err != nil {
		return err
	}
	length := int(e.value()) + int(more)
	if e, err = d.next(d.dist.entries, distBits); err != nil {
		return err
	}
	if more, err = d.take(e.extra()); err != nil {
		return err
	}
	distance := int(e.value()) + int(more)
	if distance > d.pos || e.kind() != match {
		return ErrCorrupt
	}
	repeat(d.buf, d.pos, distance, length)
	d.pos += length
	return nil
}

// next reads a code.
func (d *Reader) next(entries []entry, primary uint) (entry, error) {
	if d.nbits < 48 {
		if err := d.refill(); err != nil {
			return 0, err
		}
	}
	e := entries[d.bits&(1<<primary-1)]
	if e.kind() == sub {
		e = entries[e.value()+uint32(d.bits>>primary)&(1<<(maxBits-primary)-1)]
	}
	if e.bits() == 0 || e.bits() > d.nbits {
		return 0, ErrCorrupt
	}
	d.bits >>= e.bits()
	d.nbits -= e.bits()
	return e, nil
}

// repeat copies length bytes to pos from distance bytes before it.
func repeat(buf []byte, pos, distance, length int) {
	from := pos - distance
	if distance >= length {
		copy(buf[pos:pos+length], buf[from:from+length])
		return
	}
	for i := range length {
		buf[pos+i] = buf[from+i]
	}
}
