package parquet

import (
	"encoding/binary"
	"fmt"
	"math/bits"
)

var errValues = fmt.Errorf("the values of a page cannot be decoded: %w", ErrDamaged)

// values are values of one leaf. Each is stored as in encoding PLAIN, but a BYTE_ARRAY
// without its length, and a BOOLEAN in one byte.
type values struct {
	data    []byte
	width   int      // bytes of each; 0 if ends is set
	ends    []uint32 // offset in data where each ends
	indexes []uint32 // into the dictionary, or nil
	of      *values  // the dictionary
}

func (v *values) len() int {
	switch {
	case v.of != nil:
		return len(v.indexes)
	case v.width > 0:
		return len(v.data) / v.width
	}
	return len(v.ends)
}

// at returns a value, which the caller must not change.
func (v *values) at(i int) []byte {
	switch {
	case v.of != nil:
		return v.of.at(int(v.indexes[i]))
	case v.width > 0:
		return v.data[i*v.width : (i+1)*v.width : (i+1)*v.width]
	}
	start := uint32(0)
	if i > 0 {
		start = v.ends[i-1]
	}
	return v.data[start:v.ends[i]:v.ends[i]]
}

func (v *values) cost() int64 { return int64(len(v.data)) + 4*int64(len(v.ends)+len(v.indexes)) }

// add adds a value of any length, given in parts. The total length of all values is
// bounded.
func (v *values) add(parts ...[]byte) error {
	for _, p := range parts {
		v.data = append(v.data, p...)
	}
	if len(v.data) > maxPage {
		return fmt.Errorf("a page of more than %d bytes of values: %w", maxPage, ErrLarge)
	}
	v.ends = append(v.ends, uint32(len(v.data)))
	return nil
}

// width returns the size of a value in bytes, or 0 if it varies.
func (n *node) width() int {
	switch n.kind {
	case kindBoolean:
		return 1
	case kindInt32, kindFloat:
		return 4
	case kindInt64, kindDouble:
		return 8
	case kindInt96:
		return 12
	case kindFixed:
		return int(n.length)
	}
	return 0
}

// The encodings of values (Encoding).
const (
	encPlain           = 0
	encPlainDictionary = 2
	encRLE             = 3
	encBitPacked       = 4 // of levels, in old files
	encDeltaBinary     = 5
	encDeltaLength     = 6
	encDeltaBytes      = 7
	encDictionary      = 8
	encSplit           = 9
)

// readValues reads count values of a leaf.
func readValues(n *node, encoding int64, data []byte, count int, dictionary *values) (values, error) {
	switch {
	case count == 0:
		return values{width: 1}, nil
	case encoding == encPlain:
		return plain(n, data, count)
	case encoding == encPlainDictionary, encoding == encDictionary:
		return indexed(data, count, dictionary)
	case encoding == encRLE && n.kind == kindBoolean:
		if len(data) < 4 {
			return values{}, errValues
		}
		out := make([]byte, 0, count)
		err := hybrid(data[4:], 1, count, func(v uint32) error {
			out = append(out, byte(v))
			return nil
		})
		return values{data: out, width: 1}, err
	case encoding == encDeltaBinary && (n.kind == kindInt32 || n.kind == kindInt64):
		return deltaBinary(data, count, n.width())
	case encoding == encDeltaLength && n.kind == kindByteArray:
		return deltaLength(data, count)
	case encoding == encDeltaBytes && (n.kind == kindByteArray || n.kind == kindFixed):
		return deltaBytes(data, count, n.width())
	case encoding == encSplit && n.width() > 1:
		return split(data, count, n.width())
	}
	return values{}, fmt.Errorf("values in encoding %d; write the file with the default ones: %w", encoding, ErrUnsupported)
}

func plain(n *node, data []byte, count int) (values, error) {
	if n.kind == kindBoolean {
		if len(data) < (count+7)/8 {
			return values{}, errValues
		}
		out := make([]byte, count)
		for i := range out {
			out[i] = data[i/8] >> (i % 8) & 1
		}
		return values{data: out, width: 1}, nil
	}
	if width := n.width(); width > 0 {
		if len(data) < width*count {
			return values{}, errValues
		}
		return values{data: data[:width*count], width: width}, nil
	}
	if len(data) < 4*count {
		return values{}, errValues
	}
	v := values{ends: make([]uint32, 0, count), data: make([]byte, 0, len(data)-4*count)}
	for range count {
		if len(data) < 4 {
			return values{}, errValues
		}
		length := binary.LittleEndian.Uint32(data)
		if data = data[4:]; int64(length) > int64(len(data)) {
			return values{}, errValues
		}
		if err := v.add(data[:length]); err != nil {
			return values{}, err
		}
		data = data[length:]
	}
	return v, nil
}

func indexed(data []byte, count int, dictionary *values) (values, error) {
	if dictionary == nil || len(data) == 0 || data[0] > 32 {
		return values{}, errValues
	}
	v := values{of: dictionary, indexes: make([]uint32, 0, count)}
	size := uint32(dictionary.len())
	err := hybrid(data[1:], int(data[0]), count, func(index uint32) error {
		if index >= size {
			return errValues
		}
		v.indexes = append(v.indexes, index)
		return nil
	})
	return v, err
}

func widthOf(highest uint64) int { return bits.Len64(highest) }

// hybrid reads n numbers of width bits, stored as repeated and bit-packed runs.
func hybrid(data []byte, width, n int, yield func(uint32) error) error {
	size := (width + 7) / 8
	for n > 0 {
		head, k := binary.Uvarint(data)
		if k <= 0 || head>>1 == 0 {
			return errValues
		}
		data = data[k:]
		if head&1 == 0 {
			if len(data) < size {
				return errValues
			}
			var whole [4]byte
			copy(whole[:], data[:size])
			v := binary.LittleEndian.Uint32(whole[:])
			data = data[size:]
			for range int(min(head>>1, uint64(n))) {
				if err := yield(v); err != nil {
					return err
				}
				n--
			}
			continue
		}
		groups := head >> 1
		if groups > uint64(n+7)/8 {
			groups = uint64(n+7) / 8
		}
		length := int(groups) * width
		length = min(length, len(data)) // the last one may be truncated
		packed := min(int(groups)*8, n)
		if width > 0 && length*8/width < packed {
			return errValues
		}
		for i := range packed {
			if err := yield(uint32(packedAt(data[:length], i*width, width))); err != nil {
				return err
			}
		}
		n, data = n-packed, data[length:]
	}
	return nil
}

// packedAt returns the number of width bits, at most 64, that begins at a bit.
func packedAt(data []byte, bit, width int) uint64 {
	if width == 0 {
		return 0
	}
	var v uint64
	shift := 0
	for i := bit / 8; i <= (bit+width-1)/8; i++ {
		if i == bit/8 {
			v, shift = uint64(data[i])>>(bit%8), 8-bit%8
			continue
		}
		v |= uint64(data[i]) << shift
		shift += 8
	}
	if width < 64 {
		v &= 1<<width - 1
	}
	return v
}

// deltas reads up to most numbers in encoding DELTA_BINARY_PACKED, and returns the rest
// of data.
func deltas(data []byte, most int) (numbers []int64, rest []byte, err error) {
	r := &thrift{data: data}
	block, err1 := r.uvarint()
	minis, err2 := r.uvarint()
	total, err3 := r.uvarint()
	value, err4 := r.varint()
	if err1 != nil || err2 != nil || err3 != nil || err4 != nil || total > uint64(most) || minis == 0 || minis > 1<<10 || block > 1<<20 || block == 0 || block%minis != 0 || (block/minis)%8 != 0 {
		return nil, nil, errValues
	}
	if total > 0 {
		numbers = append(make([]int64, 0, total), value)
	}
	per := int(block / minis)
	for len(numbers) < int(total) {
		low, err := r.varint()
		if err != nil || len(r.data) < int(minis) {
			return nil, nil, errValues
		}
		widths := r.data[:minis]
		r.data = r.data[minis:]
		for _, width := range widths {
			if len(numbers) == int(total) {
				break
			}
			if width > 64 || len(r.data) < per*int(width)/8 {
				return nil, nil, errValues
			}
			for i := 0; i < per && len(numbers) < int(total); i++ {
				value += low + int64(packedAt(r.data, i*int(width), int(width)))
				numbers = append(numbers, value)
			}
			r.data = r.data[per*int(width)/8:]
		}
	}
	return numbers, r.data, nil
}

func deltaBinary(data []byte, count, width int) (values, error) {
	numbers, _, err := deltas(data, count)
	if err != nil || len(numbers) < count {
		return values{}, errValues
	}
	out := make([]byte, 0, count*width)
	for _, n := range numbers[:count] {
		if width == 4 {
			out = binary.LittleEndian.AppendUint32(out, uint32(n))
		} else {
			out = binary.LittleEndian.AppendUint64(out, uint64(n))
		}
	}
	return values{data: out, width: width}, nil
}

// texts reads encoding DELTA_LENGTH_BYTE_ARRAY, and returns the lengths and the bytes.
func texts(data []byte, count int) (lengths []int64, rest []byte, err error) {
	lengths, rest, err = deltas(data, count)
	if err != nil || len(lengths) < count {
		return nil, nil, errValues
	}
	sum := int64(0)
	for _, n := range lengths {
		if n < 0 || n > int64(len(rest)) {
			return nil, nil, errValues
		}
		if sum += n; sum > int64(len(rest)) {
			return nil, nil, errValues
		}
	}
	return lengths, rest, nil
}

func deltaLength(data []byte, count int) (values, error) {
	lengths, rest, err := texts(data, count)
	if err != nil {
		return values{}, err
	}
	v := values{ends: make([]uint32, 0, count), data: []byte{}}
	for _, n := range lengths[:count] {
		if err := v.add(rest[:n]); err != nil {
			return values{}, err
		}
		rest = rest[n:]
	}
	return v, nil
}

func deltaBytes(data []byte, count, width int) (values, error) {
	prefixes, data, err := deltas(data, count)
	if err != nil || len(prefixes) < count {
		return values{}, errValues
	}
	lengths, rest, err := texts(data, count)
	if err != nil {
		return values{}, err
	}
	v := values{ends: make([]uint32, 0, count), data: []byte{}}
	var before []byte
	for i := range count {
		if prefixes[i] < 0 || prefixes[i] > int64(len(before)) {
			return values{}, errValues
		}
		if err := v.add(before[:prefixes[i]], rest[:lengths[i]]); err != nil {
			return values{}, err
		}
		rest = rest[lengths[i]:]
		before = v.at(i)
		if width > 0 && len(before) != width {
			return values{}, errValues
		}
	}
	return v, nil
}

// split reads encoding BYTE_STREAM_SPLIT.
func split(data []byte, count, width int) (values, error) {
	if len(data) < count*width {
		return values{}, errValues
	}
	stride := len(data) / width
	if len(data)%width != 0 {
		stride = count
	}
	out := make([]byte, count*width)
	for i := range count {
		for k := range width {
			out[i*width+k] = data[k*stride+i]
		}
	}
	return values{data: out, width: width}, nil
}
