package mp4

import (
	"encoding/binary"
	"iter"
)

// be reads the big-endian integers of boxes.
var be = binary.BigEndian

// box is one box (ISO/IEC 14496-12, 4.2) inside a buffer.
type box struct {
	kind string // four-character code
	raw  []byte // header and content
	data []byte // content
}

// boxes yields the boxes that fill b. It stops at the first box that does not
// fit (see [checkBoxes]), and at the zeros that end some QuickTime lists.
func boxes(b []byte) iter.Seq[box] {
	return func(yield func(box) bool) {
		for len(b) >= 8 {
			size, header := uint64(be.Uint32(b)), uint64(8)
			switch size {
			case 0:
				if be.Uint32(b[4:]) == 0 {
					return
				}
				size = uint64(len(b))
			case 1:
				if len(b) < 16 {
					return
				}
				size, header = be.Uint64(b[8:]), 16
			}
			if size < header || size > uint64(len(b)) {
				return
			}
			if !yield(box{string(b[4:8]), b[:size], b[header:size]}) {
				return
			}
			b = b[size:]
		}
	}
}

// find returns the content of the first box of the kind in b; of several kinds, each is
// in the one before.
func find(b []byte, path ...string) ([]byte, bool) {
	for x := range boxes(b) {
		if x.kind != path[0] {
			continue
		}
		if len(path) == 1 {
			return x.data, true
		}
		return find(x.data, path[1:]...)
	}
	return nil, false
}

// checkBoxes returns an error if boxes do not fill b. It checks the same
// inside the first box of each kind in path. Otherwise everything after a box
// with a wrong length would be lost silently.
func checkBoxes(b []byte, path ...string) error {
	rest := b
	for x := range boxes(b) {
		rest = rest[len(x.raw):]
	}
	if len(rest) >= 8 && be.Uint64(rest) != 0 {
		return damaged("box of %d bytes where %d are left", be.Uint32(rest), len(rest))
	}
	if len(path) == 0 {
		return nil
	}
	inner, _ := find(b, path[0])
	return checkBoxes(inner, path[1:]...)
}

// number reads a big-endian integer of at most 8 bytes.
func number(b []byte) (n uint64) {
	for _, c := range b {
		n = n<<8 | uint64(c)
	}
	return n
}

// list returns the entries of a table box: a full-box header, a count and
// count entries of size bytes. ok is false if the entries do not fit.
func list(data []byte, size int) (entries []byte, ok bool) {
	if len(data) < 8 {
		return nil, false
	}
	n := uint64(be.Uint32(data[4:])) * uint64(size)
	if n > uint64(len(data)-8) {
		return nil, false
	}
	return data[8 : 8+n], true
}
