package segment

import "math/bits"

// width returns how many bits the largest of the values needs.
func width(values []uint32) int {
	var all uint32
	for _, v := range values {
		all |= v
	}
	return bits.Len32(all)
}

// packedSize returns how many bytes n values of w bits need.
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

// unpack reads values of w bits each. Data must have eight bytes more than the values
// take.
func unpack(values []uint32, data []byte, w int) {
	if w <= 8 {
		n := len(values) &^ 7
		unpackNarrow(values[:n], data, w)
		values, data = values[n:], data[n/8*w:]
	}
	mask := uint64(1)<<w - 1
	bit := 0
	for i := range values {
		values[i] = uint32(little.Uint64(data[bit>>3:]) >> (bit & 7) & mask)
		bit += w
	}
}

// unpackNarrow reads values of at most eight bits, eight at a time.
func unpackNarrow(values []uint32, data []byte, w int) {
	shift, mask := uint(w)&63, uint64(1)<<w-1
	for len(values) >= 8 {
		eight, x := values[:8:8], little.Uint64(data)
		eight[0], x = uint32(x&mask), x>>shift
		eight[1], x = uint32(x&mask), x>>shift
		eight[2], x = uint32(x&mask), x>>shift
		eight[3], x = uint32(x&mask), x>>shift
		eight[4], x = uint32(x&mask), x>>shift
		eight[5], x = uint32(x&mask), x>>shift
		eight[6], x = uint32(x&mask), x>>shift
		eight[7] = uint32(x & mask)
		values, data = values[8:], data[w:]
	}
}

// unpackOne reads the i-th of values of w bits each.
func unpackOne(data []byte, i, w int) uint32 {
	bit := i * w
	return uint32(little.Uint64(data[bit>>3:]) >> (bit & 7) & (1<<w - 1))
}
