package segment

import "math/bits"

// width returns how many bits the largest of some values takes.
func width(values []uint32) int {
	var all uint32
	for _, v := range values {
		all |= v
	}
	return bits.Len32(all)
}

// packedSize returns how many bytes n values of w bits take.
func packedSize(n, w int) int { return (n*w + 7) / 8 }

// pack appends values of w bits each.
func pack(data []byte, values []uint32, w int) []byte {
	start := len(data)
	size := packedSize(len(values), w)
	for range size + 8 {
		data = append(data, 0)
	}
	bit := 0
	for _, v := range values {
		at := data[start+bit>>3:]
		little.PutUint64(at, little.Uint64(at)|uint64(v)<<(bit&7))
		bit += w
	}
	return data[:start+size]
}

// unpack reads values of w bits each. Eight bytes more than they take must be
// there.
func unpack(values []uint32, data []byte, w int) {
	mask := uint64(1)<<w - 1
	bit := 0
	for i := range values {
		values[i] = uint32(little.Uint64(data[bit>>3:]) >> (bit & 7) & mask)
		bit += w
	}
}
