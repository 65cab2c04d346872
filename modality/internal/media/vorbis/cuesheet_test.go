package vorbis_test

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/citekit/citekit/modality/internal/media/metadata"
	"github.com/citekit/citekit/modality/internal/media/vorbis"
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

// flac makes the metadata of a FLAC file of 44,100 samples a second.
func flac(sheet []byte, comments ...string) []byte {
	b := []byte("fLaC")
	add := func(kind byte, data []byte) {
		b = append(append(b, kind, byte(len(data)>>16), byte(len(data)>>8), byte(len(data))), data...)
	}
	info := make([]byte, 34)
	info[10], info[11], info[12] = 44100>>12, 44100>>4&0xff, 44100&15<<4
	add(0, info)
	if sheet != nil {
		add(5, sheet)
	}
	add(0x84, header(comments...))
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
		data []byte
		want []metadata.Chapter
	}{
		"block": {flac(block), []metadata.Chapter{{End: 1.5, Title: "Track 1"}, {Start: 1.5, End: 2, Title: "Track 2"}, {Start: 2, End: 3, Title: "Track 3"}}},
		"block with titles": {flac(block, "cuesheet="+discText), []metadata.Chapter{
			{End: 1.5, Title: "First  of them"}, {Start: 1.5, End: 2, Title: "Second"}, {Start: 2, End: 3, Title: "Track 3"}}},
		"text": {flac(nil, "CUESHEET="+discText), []metadata.Chapter{
			{End: 60.2, Title: "First  of them"}, {Start: 60.2, End: 120, Title: "Second"}, {Start: 120, Title: "Track 3"}}},
		"two files":      {flac(nil, "CUESHEET="+discText+"FILE b.wav WAVE\n TRACK 04 AUDIO\n INDEX 01 00:00:00\n"), nil},
		"out of order":   {flac(nil, "CUESHEET=TRACK 1 AUDIO\nINDEX 1 9:00:00\nTRACK 2 AUDIO\nINDEX 1 8:00:00"), nil},
		"impossible":     {flac(nil, "CUESHEET=TRACK 1 AUDIO\nINDEX 1 0:60:00\nTRACK x\nTRACK 300 AUDIO\nINDEX 1 0:0:75\nTITLE \"\nTITLE\nINDEX\n"), nil},
		"no text at all": {flac(nil, "CUESHEET="), nil},
	} {
		got, err := vorbis.FLAC(bytes.NewReader(test.data), int64(len(test.data)), 0)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(test.want, got.Chapters); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", name, diff)
		}
	}
}

// TestCueSheetCut reads blocks that were cut short or say what cannot be.
func TestCueSheetCut(t *testing.T) {
	whole := cueSheet(discTrack{0, 1, false, []uint64{0}, 1}, discTrack{44100, 2, false, []uint64{0, 588}, 1}, discTrack{88200, 170, false, nil, 0})
	for n := range whole {
		data := flac(whole[:n])
		if got, err := vorbis.FLAC(bytes.NewReader(data), int64(len(data)), 0); err != nil || len(got.Chapters) > 0 {
			t.Fatalf("of %d bytes: %+v, %v", n, got, err)
		}
	}
	back := cueSheet(discTrack{88200, 1, false, nil, 0}, discTrack{44100, 2, false, nil, 0}, discTrack{99999, 170, false, nil, 0})
	data := flac(back)
	if got, err := vorbis.FLAC(bytes.NewReader(data), int64(len(data)), 0); err != nil || len(got.Chapters) > 0 {
		t.Errorf("out of order: %+v, %v", got, err)
	}
}

func FuzzCueSheet(f *testing.F) {
	f.Add([]byte(nil), discText)
	f.Add(cueSheet(discTrack{0, 1, false, []uint64{0}, 1}, discTrack{9, 170, false, nil, 0}), "TRACK 1 AUDIO\nTITLE x")
	f.Fuzz(func(t *testing.T, block []byte, text string) {
		if len(block) >= 1<<24 {
			return
		}
		data := flac(block, "CUESHEET="+text)
		got, err := vorbis.FLAC(bytes.NewReader(data), int64(len(data)), 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range append(got.Chapters, metadata.Disc(nil, 0, text)...) {
			if c.Title == "" || strings.ContainsRune(c.Title, '\n') || c.Start < 0 || c.End != 0 && c.End <= c.Start {
				t.Fatalf("%+v", c)
			}
		}
	})
}
