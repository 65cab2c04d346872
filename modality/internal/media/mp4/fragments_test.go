package mp4

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"
	"testing"

	"github.com/citekit/citekit/internal/test/mp4test"
)

// fragment is a fragment that lists samples, with bytes of media.
func fragment(samples uint32, media int) []byte {
	trun := mp4test.Box("trun", binary.BigEndian.AppendUint32(make([]byte, 4), samples))
	return append(mp4test.Box("moof", mp4test.Box("traf", trun)), mp4test.Box("mdat", make([]byte, media))...)
}

func TestCheckFragments(t *testing.T) {
	start := mp4test.Box("ftyp", []byte("isom0000"))
	for _, test := range []struct {
		name string
		data []byte
		want error
	}{
		{"no fragment", nil, nil},
		{"one", fragment(48, 9000), nil},
		{"many samples of silence", fragment(1e6, 4e6), nil},
		{"a million samples of a byte", fragment(1e6, 1e6), ErrTooLarge},
		{"samples without bytes", fragment(1e6, 0), ErrTooLarge},
		{"the same in many fragments", bytes.Repeat(fragment(1000, 1000), 1000), ErrTooLarge},
		{"fragments of a second", bytes.Repeat(fragment(48, 500), 40_000), nil},
		{"a fragment for each byte", bytes.Repeat(fragment(1, 1), 30_000), ErrTooLarge},
		{"a few samples of a byte", fragment(1000, 1000), nil},
		{"cut short", fragment(48, 9000)[:30], nil},
	} {
		data := slices.Concat(start, test.data)
		if err := CheckFragments(bytes.NewReader(data), int64(len(data))); !errors.Is(err, test.want) {
			t.Errorf("%s: error %v, want %v", test.name, err, test.want)
		}
	}
}

func FuzzCheckFragments(f *testing.F) {
	f.Add(slices.Concat(mp4test.Box("ftyp", []byte("isom0000")), fragment(48, 100)))
	f.Add(fragment(1e6, 10))
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := CheckFragments(bytes.NewReader(data), int64(len(data))); err != nil && !errors.Is(err, ErrTooLarge) {
			t.Errorf("error %v", err)
		}
	})
}
