package pdf

import (
	"bytes"
	"compress/lzw"
	"compress/zlib"
	"encoding/ascii85"
	"encoding/hex"
	"errors"
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/citekit/citekit/internal/test/sharedtest"
)

func deflated(t testing.TB, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zlib.NewWriter(&b)
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// encodeLZW writes 8-bit LZW whose code length grows early, with a clear code
// whenever the table is full.
func encodeLZW(data []byte) []byte {
	var out []byte
	var held, bitsHeld uint
	width := uint(9)
	put := func(code int) {
		held = held<<width | uint(code)
		for bitsHeld += width; bitsHeld >= 8; bitsHeld -= 8 {
			out = append(out, byte(held>>(bitsHeld-8)))
		}
	}
	const clear, end, first, most = 256, 257, 258, 4096
	table, next := map[string]int{}, first
	reset := func() {
		put(clear)
		table, next, width = map[string]int{}, first, 9
		for c := range 256 {
			table[string([]byte{byte(c)})] = c
		}
	}
	reset()
	var phrase []byte
	for _, c := range data {
		if _, ok := table[string(append(phrase, c))]; ok {
			phrase = append(phrase, c)
			continue
		}
		put(table[string(phrase)])
		table[string(append(phrase, c))] = next
		next++
		if width = max(9, uint(bits.Len(uint(next)))); next >= most-2 {
			reset()
		}
		phrase = append(phrase[:0], c)
	}
	if len(phrase) > 0 {
		put(table[string(phrase)])
		width = max(9, uint(bits.Len(uint(next+1))))
	}
	put(end)
	return append(out, byte(held<<(8-bitsHeld)))
}

// samples are data of several kinds.
func samples() [][]byte {
	random := rand.New(rand.NewPCG(1, 2))
	noise := make([]byte, 10000)
	for i := range noise {
		noise[i] = byte(random.IntN(7) * random.IntN(37))
	}
	return [][]byte{{}, []byte("a"), []byte("abababababababab"), bytes.Repeat([]byte("-"), 5000), noise}
}

func TestFilters(t *testing.T) {
	for _, want := range samples() {
		var early bytes.Buffer
		w := lzw.NewWriter(&early, lzw.MSB, 8)
		w.Write(want)
		w.Close()
		a85 := make([]byte, ascii85.MaxEncodedLen(len(want)))
		a85 = a85[:ascii85.Encode(a85, want)]
		for _, test := range []struct {
			filter Filter
			data   []byte
		}{
			{Filter{Name: "FlateDecode"}, deflated(t, want)},
			{Filter{Name: "Fl"}, deflated(t, want)},
			{Filter{Name: "LZWDecode"}, encodeLZW(want)},
			{Filter{Name: "LZWDecode", Parms: Dict{"EarlyChange": int64(0)}}, early.Bytes()},
			{Filter{Name: "ASCII85Decode"}, append(a85, "~>"...)},
			{Filter{Name: "ASCIIHexDecode"}, []byte(hex.EncodeToString(want) + ">")},
		} {
			got, err := test.filter.Apply(test.data, 1<<20)
			if err != nil || !bytes.Equal(got, want) {
				t.Errorf("%v of %d bytes: got %d bytes, %v", test.filter, len(want), len(got), err)
			}
		}
	}
}

func TestRunLength(t *testing.T) {
	got, err := Filter{Name: "RunLengthDecode"}.Apply([]byte("\x02abc\xfed\x80rest"), 100)
	if err != nil || string(got) != "abcddd" {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestPredictors(t *testing.T) {
	for _, test := range []struct {
		predictor int64
		data      string
		want      string
	}{
		{15, "\x00\x01\x02\x03\x01\x01\x01\x01\x02\x01\x01\x01", "\x01\x02\x03\x01\x02\x03\x02\x03\x04"},
		{12, "\x03\x02\x02\x02\x04\x01\x01\x01", "\x02\x03\x03\x03\x04\x05"},
		{2, "\x01\x01\x01\x05\x01\x01", "\x01\x02\x03\x05\x06\x07"},
	} {
		filter := Filter{Name: "FlateDecode", Parms: Dict{"Predictor": test.predictor, "Columns": int64(3)}}
		got, err := filter.Apply(deflated(t, []byte(test.data)), 100)
		if err != nil || string(got) != test.want {
			t.Errorf("predictor %d: got %q, %v; want %q", test.predictor, got, err, test.want)
		}
	}
}

func TestBomb(t *testing.T) {
	sharedtest.Once(t)
	bomb := deflated(t, make([]byte, 1<<20))
	if _, err := (Filter{Name: "FlateDecode"}).Apply(bomb, 1<<16); !errors.Is(err, ErrLimit) {
		t.Errorf("got %v", err)
	}
	if _, err := (Filter{Name: "LZWDecode"}).Apply(encodeLZW(make([]byte, 1<<20)), 1<<16); !errors.Is(err, ErrLimit) {
		t.Errorf("got %v", err)
	}
}

func TestDamagedStreams(t *testing.T) {
	data := deflated(t, bytes.Repeat([]byte("text "), 1000))
	for name, damaged := range map[string][]byte{
		"cut":       data[:len(data)/2],
		"no header": data[2:],
		"empty":     nil,
	} {
		if _, err := (Filter{Name: "FlateDecode"}).Apply(damaged, 1<<20); !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzFilters(f *testing.F) {
	for _, data := range samples() {
		f.Add(uint8(0), deflated(f, data), int64(12), int64(5))
		f.Add(uint8(1), encodeLZW(data), int64(2), int64(1))
	}
	names := []Name{"FlateDecode", "LZWDecode", "ASCII85Decode", "ASCIIHexDecode", "RunLengthDecode"}
	f.Fuzz(func(t *testing.T, name uint8, data []byte, predictor, columns int64) {
		const limit = 1 << 18
		filter := Filter{names[int(name)%len(names)], Dict{
			"Predictor": predictor, "Columns": columns, "Colors": columns % 7, "EarlyChange": predictor % 2,
		}}
		if out, err := filter.Apply(data, limit); err == nil && len(out) > max(limit, len(data)) {
			t.Errorf("%d bytes", len(out))
		}
	})
}
