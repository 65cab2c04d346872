package sniff

import (
	"bytes"
	"strings"
	"testing"
)

// TestTable checks that no row hides another, and that every row is complete.
func TestTable(t *testing.T) {
	for _, r := range table {
		for sign := range strings.SplitSeq(r.signs, "|") {
			if sign == "" {
				t.Errorf("%s has an empty signature", r.ID)
			}
		}
		if r.ID == "" || r.Name == "" || r.signs == "" {
			t.Errorf("row %+v lacks something", r)
		}
		if (r.Kind == Image || r.Kind == Audio) && !r.Unread && (r.MediaType == "" || r.Ext == "") {
			t.Errorf("%s is read and has no media type or extension", r.ID)
		}
	}
}

func FuzzDetect(f *testing.F) {
	for _, seed := range []string{
		"ID3\x04\x00\x00\x00\x00\x00\x00\xff\xfb\x90\x00",
		"\x1a\x45\xdf\xa3\x93\x42\x82\x88matroska\x18\x53\x80\x67\xff\x16\x54\xae\x6b\x85\xae\x83\x83\x81\x01",
		"\xff\xf1\x50\x80\x02\x1f\xfc",
		"\x00\x00\x00\x0cftypisom\x00\x00\x00\x08moov\x00\x00\x00\x01trak\x00\x00\x00\x00\x00\x00\x00\x00",
		"OggS\x00\x02" + string(make([]byte, 20)) + "\x02\xff\x00", "%PDF-1.4", "PK\x03\x04", "\xff\xfeh\x00",
	} {
		f.Add([]byte(seed), "a.mp3")
	}
	f.Fuzz(func(t *testing.T, data []byte, name string) {
		r := &countingReader{Reader: bytes.NewReader(data)}
		kind, format, err := Classify(r, int64(len(data)), name)
		if err != nil {
			t.Fatal(err)
		}
		switch kind {
		case Document, Video, Audio, Image, Text:
		default:
			t.Errorf("kind %q of %+v", kind, format)
		}
		if format.Junk < 0 || format.Junk > int64(len(data)) {
			t.Errorf("junk %d of %d bytes", format.Junk, len(data))
		}
		if r.reads > 4*maxBoxes {
			t.Errorf("%d reads", r.reads)
		}
	})
}

// A countingReader reader counts reads.
type countingReader struct {
	*bytes.Reader
	reads int
}

func (c *countingReader) ReadAt(p []byte, off int64) (int, error) {
	c.reads++
	return c.Reader.ReadAt(p, off)
}

// TestDisplacedTransport has transport streams that begin within a packet, or
// behind something else.
func TestDisplacedTransport(t *testing.T) {
	for _, step := range []int{188, 192, 204} {
		for _, before := range []int{1, 3, 100, 150, 187, 203, 700} {
			data := bytes.Repeat([]byte{0xff, 0xf1, 0x50}, before/3+1)[:before] // as sound begins
			for range 40 {
				packet := make([]byte, step)
				copy(packet, []byte{0x47, 0x1f, 0xff, 0x10})
				data = append(data, packet...)
			}
			f, err := Detect(bytes.NewReader(data), int64(len(data)))
			if err != nil || f.ID != "ts" {
				t.Errorf("packets of %d bytes after %d: %q, %v", step, before, f.ID, err)
			}
		}
	}
	text := strings.Repeat("G is a letter of the alphabet, and this line has no more to say of it than that.\n", 400)
	if f, err := Detect(strings.NewReader(text), int64(len(text))); err != nil || f.ID == "ts" {
		t.Errorf("a text is %q, %v", f.ID, err)
	}
}

// TestTextsLikeFormats has texts with zero bytes, or words in places, that
// programs take for other formats.
func TestTextsLikeFormats(t *testing.T) {
	log := strings.Repeat("2024-05-06 07:08:09 host daemon: an entry of many\n", 40)
	for name, data := range map[string]string{
		"ustar where tar has it":    log[:257] + "ustar" + log[262:],
		"zeros after a short line":  "hi\r\n" + string(make([]byte, 100)) + log,
		"a word after zeros":        "\x00\x00\x00\x00wide open\n" + log,
		"ID3 as a line, and zeros":  "ID3\n\x00" + log,
		"ID3 as a record":           "ID3\x00TIT2\x00",
		"true as a record":          "true\x00false\x00",
		"a list of file types":      "caff\x00wav\x00",
		"another":                   "MThd\x00RIFF\x00",
		"a log that begins 070708":  "070708 start\n\x00\n" + log,
		"an index of another kind":  "DIRC\x00entries\x00",
		"a list of image types":     "8BPS\x00GIF8\x00",
		"sun audio in a list":       ".snd\x00.wav\x00",
		"a cabinet in a list":       "MSCF\x00PK\x00",
		"a font in a list":          "OTTO\x00ttcf\x00",
		"a stream in a list":        "DKIF\x00.RMF\x00",
		"a list that begins as DSD": "FRM8\x00FORM\x00",
	} {
		kind, f, err := Classify(strings.NewReader(data), int64(len(data)), "a.log")
		if err != nil || kind != Text || f.ID != "" && f.ID != "text" {
			t.Errorf("%s: %s, %q, %v", name, kind, f.ID, err)
		}
	}
}
