package vorbis_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/citekit/citekit/modality/internal/media/metadata"
	"github.com/citekit/citekit/modality/internal/media/vorbis"
)

func field(s string) []byte {
	return append(binary.LittleEndian.AppendUint32(nil, uint32(len(s))), s...)
}

func header(comments ...string) []byte {
	b := field("vendor")
	b = binary.LittleEndian.AppendUint32(b, uint32(len(comments)))
	for _, c := range comments {
		b = append(b, field(c)...)
	}
	return b
}

// pages puts packets of a stream into pages of at most so many segments.
func pages(serial uint32, segments int, packets ...[]byte) (all []byte) {
	var laces []byte
	var body []byte
	flush := func() {
		head := append([]byte("OggS\x00\x00"), make([]byte, 8)...)
		head = binary.LittleEndian.AppendUint32(head, serial)
		head = append(head, make([]byte, 8)...)
		all = append(append(append(append(all, head...), byte(len(laces))), laces...), body...)
		laces, body = nil, nil
	}
	for _, p := range packets {
		for rest := p; ; {
			n := min(len(rest), 255)
			laces, body, rest = append(laces, byte(n)), append(body, rest[:n]...), rest[n:]
			if len(laces) == segments {
				flush()
			}
			if n < 255 {
				break
			}
		}
	}
	flush()
	return all
}

func TestOgg(t *testing.T) {
	want := metadata.Tags{Title: "ä", Chapters: []metadata.Chapter{{}, {Start: 1.5, Title: "One"}, {Start: 3723.004}}}
	comments := header("PICTURE="+strings.Repeat("x", 3000), "title=ä", "TITLE=second", "none", "bad=\xff", "chapter01=00:00:01.5", "Chapter01name=One",
		"CHAPTER02=01:02:03.004", "CHAPTER007=00:00:00.000")
	flac := append([]byte{4, 0, byte(len(comments) >> 8), byte(len(comments))}, comments...)
	for name, data := range map[string][]byte{
		"Vorbis":           pages(1, 255, []byte("\x01vorbis..."), append([]byte("\x03vorbis"), comments...)),
		"pages of 3":       pages(1, 3, []byte("\x01vorbis..."), append([]byte("\x03vorbis"), comments...)),
		"Opus":             pages(1, 255, []byte("OpusHead..."), append([]byte("OpusTags"), comments...)),
		"FLAC":             pages(1, 255, []byte("\x7fFLAC..."), flac),
		"Speex":            pages(1, 255, []byte("Speex   "), comments),
		"second of two":    append(pages(1, 255, []byte("\x80other"), make([]byte, 40)), pages(2, 255, []byte("OpusHead"), append([]byte("OpusTags"), comments...))...),
		"cut in the audio": append(pages(1, 255, []byte("OpusHead"), append([]byte("OpusTags"), comments...)), "OggS"...),
	} {
		got, err := vorbis.Ogg(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", name, diff)
		}
	}
}

func TestFLAC(t *testing.T) {
	comments := header("TITLE=t", "CHAPTER001=00:00:00.000", "CHAPTER001NAME=a")
	data := append([]byte("junkfLaC\x00\x00\x00\x04abcd\x84\x00\x00"), byte(len(comments)))
	data = append(data, comments...)
	got, err := vorbis.FLAC(bytes.NewReader(data), int64(len(data)), 4)
	if err != nil || got.Title != "t" || len(got.Chapters) != 1 || got.Chapters[0].Title != "a" {
		t.Errorf("%+v, %v", got, err)
	}
	for n := range data {
		if _, err := vorbis.FLAC(bytes.NewReader(data[:n]), int64(n), 4); err != nil {
			t.Fatalf("of %d bytes: %v", n, err)
		}
	}
}

// TestDisc has the tracks of a disc in a block, in samples of the stream's rate.
func TestDisc(t *testing.T) {
	info := make([]byte, 34)
	info[10], info[11], info[12] = 44100>>12, 44100>>4&0xff, 44100&15<<4
	sheet := make([]byte, 396+2*36)
	sheet[395], sheet[396+8] = 2, 1 // the track, and the lead-out
	binary.BigEndian.PutUint64(sheet[396+36:], 66150)
	data := []byte("fLaC")
	for kind, block := range [][]byte{0: info, 5: sheet} {
		if block != nil {
			data = append(append(data, byte(kind), 0, byte(len(block)>>8), byte(len(block))), block...)
		}
	}
	got, err := vorbis.FLAC(bytes.NewReader(data), int64(len(data)), 0)
	if diff := cmp.Diff([]metadata.Chapter{{End: 1.5, Title: "Track 1"}}, got.Chapters); err != nil || diff != "" {
		t.Errorf("%v (-want +got)\n%s", err, diff)
	}
}

func FuzzComments(f *testing.F) {
	f.Add(pages(1, 3, []byte("OpusHead"), append([]byte("OpusTags"), header("CHAPTER001=00:00:00.000")...)))
	f.Add(append([]byte("fLaC\x84\x00\x00\x20"), header("TITLE=x")...))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, read := range []func() (metadata.Tags, error){
			func() (metadata.Tags, error) { return vorbis.Ogg(bytes.NewReader(data), int64(len(data))) },
			func() (metadata.Tags, error) { return vorbis.FLAC(bytes.NewReader(data), int64(len(data)), 0) },
		} {
			got, err := read()
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range got.Chapters {
				if c.Start < 0 {
					t.Fatalf("%+v", c)
				}
			}
		}
	})
}

// TestSilentOgg has streams without comments. Only their start is read.
func TestSilentOgg(t *testing.T) {
	data := append(pages(1, 255, []byte("\x80theora")), pages(2, 255, []byte("unknown"))...)
	for range 5000 {
		data = append(data, pages(1, 255, make([]byte, 3000))...)
		data = append(data, pages(2, 255, make([]byte, 3000))...)
	}
	r := &counter{Reader: bytes.NewReader(data)}
	c, err := vorbis.Ogg(r, int64(len(data)))
	if err != nil || c.Title != "" || r.n > 20_000 {
		t.Errorf("%+v after %d bytes of %d: %v", c, r.n, len(data), err)
	}
}

// TestReadError passes on the errors of a file, whichever read fails.
func TestReadError(t *testing.T) {
	broken := errors.New("broken")
	for name, data := range map[string][]byte{
		"Ogg":  pages(1, 255, []byte("OpusHead"), append([]byte("OpusTags"), header("TITLE=t")...)),
		"FLAC": append([]byte("fLaC\x84\x00\x00\x20"), header("TITLE=x")...),
	} {
		for n := range 2 {
			r := &counter{Reader: bytes.NewReader(data), left: n, err: broken}
			_, err := vorbis.Ogg(r, int64(len(data)))
			if name == "FLAC" {
				_, err = vorbis.FLAC(r, int64(len(data)), 0)
			}
			if !errors.Is(err, broken) {
				t.Errorf("%s, read %d: error %v", name, n, err)
			}
		}
	}
}

// A counter counts the bytes that are read. With an error, it fails after some reads.
type counter struct {
	*bytes.Reader
	n    int
	left int
	err  error
}

func (r *counter) ReadAt(p []byte, off int64) (int, error) {
	if r.left--; r.left < 0 && r.err != nil {
		return 0, r.err
	}
	n, err := r.Reader.ReadAt(p, off)
	r.n += n
	return n, err
}

// TestRepeatedBlocks reads a FLAC file with many large blocks of one type. The first
// counts.
func TestRepeatedBlocks(t *testing.T) {
	const size, comment = 1 << 16, 4
	block := append([]byte{comment, 0, 0, 0}, make([]byte, size)...)
	block[1], block[2], block[3] = size>>16, size>>8&0xff, size&0xff
	copy(block[4:], header("TITLE=first"))
	data := append([]byte("fLaC"), bytes.Repeat(block, 100)...)
	r := &counter{Reader: bytes.NewReader(data)}
	c, err := vorbis.FLAC(r, int64(len(data)), 0)
	if err != nil || c.Title != "first" || r.n > 2*size {
		t.Errorf("%+v after %d bytes of %d: %v", c, r.n, len(data), err)
	}
}
