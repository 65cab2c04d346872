package wav

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/citekit/citekit/modality/internal/media/metadata"
)

func noteChunk(id string, body ...[]byte) []byte {
	b := bytes.Join(body, nil)
	out := binary.LittleEndian.AppendUint32([]byte(id), uint32(len(b)))
	out = append(out, b...)
	if len(b)%2 != 0 {
		out = append(out, 0)
	}
	return out
}

func le(values ...uint32) (b []byte) {
	for _, v := range values {
		b = binary.LittleEndian.AppendUint32(b, v)
	}
	return b
}

func noted() []byte {
	format := []byte("\x01\x00\x01\x00\x40\x1f\x00\x00\x40\x1f\x00\x00\x01\x00\x08\x00") // 8 bits, 8,000 Hz
	data := make([]byte, 32001)
	return bytes.Join([][]byte{[]byte("RIFF\x00\x00\x00\x00WAVE"),
		noteChunk("fmt ", format), noteChunk("data", data),
		noteChunk("cue ", le(3), le(7, 0, 0, 0, 0, 16000), le(1, 0, 0, 0, 0, 0), le(2, 0, 0, 0, 0, 8001)),
		noteChunk("LIST", []byte("adtl"), noteChunk("labl", le(7), []byte("caf\xe9\x00")), noteChunk("labl", le(1), []byte("Start\x00")),
			noteChunk("note", le(2), []byte("a note\x00")), noteChunk("ltxt", le(2, 4000), []byte("rgn \x00\x00\x00\x00\x00\x00\x00\x00"))),
		noteChunk("LIST", []byte("INFO"), noteChunk("INAM", []byte("Title\x00")), noteChunk("IART", []byte("Artist")), noteChunk("ICRD", []byte("2020\x00")), noteChunk("IPRD", []byte("Album")), noteChunk("IGNR", []byte("Genre\x00")), noteChunk("IKEY", []byte("a; b"))),
	}, nil)
}

func TestNotes(t *testing.T) {
	data := noted()
	got, err := ReadTags(bytes.NewReader(data), int64(len(data)))
	want := metadata.Tags{Title: "Title", Artist: "Artist", Date: "2020", Album: "Album", Genre: "Genre", Keywords: "a; b", Chapters: []metadata.Chapter{{Title: "Start"}, {Start: 1.000125, End: 1.500125, Title: "a note"}, {Start: 2, Title: "café"}}}
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	for n := range data {
		if n > 100 && n < 32000 {
			continue
		}
		if _, err := ReadTags(bytes.NewReader(data[:n]), int64(n)); err != nil {
			t.Fatalf("of %d bytes: %v", n, err)
		}
	}
	broken := errors.New("broken")
	if _, err := ReadTags(brokenReader{broken}, 1000); !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
}

type brokenReader struct{ err error }

func (r brokenReader) ReadAt([]byte, int64) (int, error) { return 0, r.err }

func TestLoudness(t *testing.T) {
	float := binary.LittleEndian.AppendUint32(nil, math.Float32bits(-0.25))
	double := binary.LittleEndian.AppendUint64(nil, math.Float64bits(0.75))
	for name, c := range map[string]struct {
		file   File
		frames []byte
		want   float64
	}{
		"8 bits":  {File{Block: 2, Channels: 2}, []byte{128, 64, 130, 128}, 0.5},
		"16 bits": {File{Block: 2, Channels: 1}, []byte{0, 0x20, 0, 0x80}, 1},
		"24 bits": {File{Block: 3, Channels: 1}, []byte{0, 0, 0xc0}, 0.5},
		"32 bits": {File{Block: 4, Channels: 1}, []byte{0, 0, 0, 0x20}, 0.25},
		"float":   {File{Block: 4, Channels: 1, Float: true}, float, 0.25},
		"double":  {File{Block: 8, Channels: 1, Float: true}, double, 0.75},
		"silence": {File{Block: 2, Channels: 1}, nil, 0},
	} {
		if got := c.file.Loudness()(c.frames); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
	if (&File{Block: 1, Channels: 1, curved: true}).Loudness() != nil {
		t.Error("µ-law is not linear")
	}
}

func FuzzNotes(f *testing.F) {
	data := noted()
	f.Add(append(data[:50:50], data[32040:]...))
	f.Add(append([]byte("RF64\xff\xff\xff\xffWAVE"), noteChunk("ds64", make([]byte, 28))...))
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := ReadTags(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			t.Fatal(err)
		}
		for i, c := range got.Chapters {
			if c.Start < 0 || c.End < 0 || i > 0 && c.Start < got.Chapters[i-1].Start {
				t.Fatalf("%+v", got.Chapters)
			}
		}
	})
}
