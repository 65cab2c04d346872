package media

import (
	"encoding/binary"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/modality/internal/media/ffmpegtest"
)

// TestCueSheetChapters maps a FLAC file with the cue sheet of a disc in it.
func TestCueSheetChapters(t *testing.T) {
	path := ffmpegtest.Make(t, "disc.flac", "-f", "lavfi", "-i", "sine=440:r=44100:d=4", "-metadata",
		"CUESHEET=FILE \"x.wav\" WAVE\n TRACK 01 AUDIO\n TITLE \"Overture\"\n INDEX 01 00:00:00\n")
	data := sharedtest.Read(t, path)
	sheet := make([]byte, 396)
	for number, offset := range []uint64{0, 44100, 88200, 158760} {
		head := append(binary.BigEndian.AppendUint64(nil, offset), byte(number+1))
		sheet = append(append(sheet, head...), make([]byte, 27)...)
		sheet[395]++
		if offset < 158760 { // where the lead-out is, which has no index points
			sheet[len(sheet)-1] = 1
			sheet = append(sheet, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0)
		}
	}
	block := append([]byte{5, 0, byte(len(sheet) >> 8), byte(len(sheet))}, sheet...)
	const streamInfo = 4 + 4 + 34
	sharedtest.Write(t, path, slices.Insert(data, streamInfo, block...))
	e := &Engine{Modality: citekit.Audio}
	s := mapFile(t, e, path)
	want := []mapped{{"chapter", "Overture", 0, 1, nil}, {"chapter", "Track 2", 1, 2, nil}, {"chapter", "Track 3", 2, 3.6, nil}}
	if diff := cmp.Diff(want, shorten(s.Nodes)); diff != "" || s.Method != "chapters" {
		t.Errorf("by %s: (-want +got)\n%s", s.Method, diff)
	}
}
