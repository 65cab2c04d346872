package segment

import (
	"math/rand"
	"slices"
	"testing"
)

func TestPack(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for w := range 33 {
		for range 40 {
			values := make([]uint32, r.Intn(blockSize+1))
			for i := range values {
				values[i] = uint32(r.Uint64() & (1<<w - 1))
			}
			data := append(pack([]byte{7}, values, w), make([]byte, 8)...)[1:]
			got := make([]uint32, len(values))
			unpack(got, data, w)
			if !slices.Equal(got, values) {
				t.Fatalf("%d values of %d bits: got %d, want %d", len(values), w, got, values)
			}
			for i, v := range values {
				if one := unpackOne(data, i, w); one != v {
					t.Fatalf("value %d of %d bits is %d, want %d", i, w, one, v)
				}
			}
		}
	}
}
