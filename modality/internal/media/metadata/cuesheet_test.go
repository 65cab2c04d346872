package metadata

import (
	"encoding/binary"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A discTrack is a track of a CUESHEET block.
type discTrack struct {
	offset  uint64 // samples
	number  byte
	data    bool
	indexes []uint64 // samples after offset, of points from first on
	first   byte
}

func cueSheet(tracks ...discTrack) []byte {
	b := make([]byte, 396)
	b[395] = byte(len(tracks))
	for _, t := range tracks {
		b = append(binary.BigEndian.AppendUint64(b, t.offset), t.number)
		b = append(b, make([]byte, 27)...)
		if t.data {
			b[len(b)-15] = 0x80
		}
		b[len(b)-1] = byte(len(t.indexes))
		for i, at := range t.indexes {
			b = append(binary.BigEndian.AppendUint64(b, at), t.first+byte(i), 0, 0, 0)
		}
	}
	return b
}

const discText = "\ufeffREM GENRE Jazz\r\nPERFORMER \"Nobody\"\r\nTITLE \"The disc\"\r\nFILE \"a.wav\" WAVE\r\n" +
	"  TRACK 01 AUDIO\r\n    TITLE \"First  of them\"\r\n    INDEX 01 00:00:00\r\n" +
	"  TRACK 02 AUDIO\n    TITLE Second\n    INDEX 00 00:58:70\n    INDEX 01 01:00:15\n    INDEX 02 01:30:00\n" +
	"  TRACK 03 AUDIO\n    INDEX 00 02:00:00\n"

func TestCueSheet(t *testing.T) {
	block := cueSheet(
		discTrack{0, 1, false, []uint64{0}, 1},
		discTrack{44100, 2, false, []uint64{0, 22050}, 0},
		discTrack{88200, 3, false, []uint64{0, 588}, 1},
		discTrack{132300, 4, true, nil, 0},
		discTrack{176400, 170, false, nil, 0})
	for name, test := range map[string]struct {
		block []byte
		text  string
		want  []Chapter
	}{
		"block": {block, "", []Chapter{{End: 1.5, Title: "Track 1"}, {Start: 1.5, End: 2, Title: "Track 2"}, {Start: 2, End: 3, Title: "Track 3"}}},
		"block with titles": {block, discText, []Chapter{
			{End: 1.5, Title: "First  of them"}, {Start: 1.5, End: 2, Title: "Second"}, {Start: 2, End: 3, Title: "Track 3"}}},
		"text": {nil, discText, []Chapter{
			{End: 60.2, Title: "First  of them"}, {Start: 60.2, End: 120, Title: "Second"}, {Start: 120, Title: "Track 3"}}},
		"two files":      {nil, discText + "FILE b.wav WAVE\n TRACK 04 AUDIO\n INDEX 01 00:00:00\n", nil},
		"out of order":   {nil, "TRACK 1 AUDIO\nINDEX 1 9:00:00\nTRACK 2 AUDIO\nINDEX 1 8:00:00", nil},
		"impossible":     {nil, "TRACK 1 AUDIO\nINDEX 1 0:60:00\nTRACK x\nTRACK 300 AUDIO\nINDEX 1 0:0:75\nTITLE \"\nTITLE\nINDEX\n", nil},
		"no text at all": {nil, "", nil},
	} {
		if diff := cmp.Diff(test.want, Disc(test.block, 44100, test.text)); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", name, diff)
		}
	}
}

// TestCueSheetCut reads blocks that were cut short or say what cannot be.
func TestCueSheetCut(t *testing.T) {
	whole := cueSheet(discTrack{0, 1, false, []uint64{0}, 1}, discTrack{44100, 2, false, []uint64{0, 588}, 1}, discTrack{88200, 170, false, nil, 0})
	for n := range whole {
		if got := Disc(whole[:n], 44100, ""); len(got) > 0 {
			t.Fatalf("of %d bytes: %+v", n, got)
		}
	}
	back := cueSheet(discTrack{88200, 1, false, nil, 0}, discTrack{44100, 2, false, nil, 0}, discTrack{99999, 170, false, nil, 0})
	for name, got := range map[string][]Chapter{"out of order": Disc(back, 44100, ""), "of no rate": Disc(whole, 0, "")} {
		if len(got) > 0 {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func FuzzCueSheet(f *testing.F) {
	f.Add([]byte(nil), discText)
	f.Add(cueSheet(discTrack{0, 1, false, []uint64{0}, 1}, discTrack{9, 170, false, nil, 0}), "TRACK 1 AUDIO\nTITLE x")
	f.Fuzz(func(t *testing.T, block []byte, text string) {
		for _, c := range append(Disc(block, 44100, text), Disc(nil, 0, text)...) {
			if c.Title == "" || strings.ContainsRune(c.Title, '\n') || c.Start < 0 || c.End != 0 && c.End <= c.Start {
				t.Fatalf("%+v", c)
			}
		}
	})
}
