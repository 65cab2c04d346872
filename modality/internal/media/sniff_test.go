package media

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/test/sharedtest"
)

func TestSniffCorpus(t *testing.T) {
	for name, want := range map[string]Format{
		"aac.m4a": formatM4A, "adts.aac": formatADTS, "av1-aac.mp4": formatMP4, "bear-vorbis.ogg": formatOggAudio,
		"bear.flac": formatFLAC, "bear.opus": formatOpus, "chapters.mp3": formatMP3, "float32.wav": formatWAV, "rf64.wav": formatWAV,
		"hevc.ts": formatTS, "mkv-ass-track.mkv": formatMatroska, "mpeg4-mp3.avi": formatAVI, "tiny.mov": formatQuickTime,
		"vp9.webm": formatWebM, "vbr-xing.mp3": formatMP3, "id3-chapters-cover.mp3": formatMP3,
		"h264-fragmented-wrong-duration.mp4": formatMP4,
	} {
		data := sharedtest.Read(t, sharedtest.Corpus(t, "media/"+name))
		got, err := Sniff(bytes.NewReader(data), int64(len(data)))
		if err != nil || got != want {
			t.Errorf("%s: %+v, %v; want %s", name, got, err, want.Name)
		}
	}
}

func TestSniff(t *testing.T) {
	frame := append([]byte("\xff\xfb\x90\x00"), make([]byte, 413)...) // 128 kbit/s at 44.1 kHz
	frames := bytes.Repeat(frame, 5)
	junk := bytes.Repeat([]byte("\xde\xad\xbe\xef"), 500)
	for name, c := range map[string]struct {
		data []byte
		want string // name of the format, or a part of the error
		kind error
	}{
		"MP3":                {data: frames, want: "MP3"},
		"MP3 after a tag":    {data: append([]byte("ID3\x04\x00\x00\x00\x00\x00\x05hello"), frames...), want: "MP3"},
		"MP3 after junk":     {data: append(bytes.Clone(junk), frames...), want: "MP3"},
		"one MP3 frame":      {data: frame, want: "does not begin as any", kind: citekit.ErrFormat},
		"transport stream":   {data: bytes.Repeat(append([]byte{0x47}, make([]byte, 187)...), 3), want: "MPEG transport stream"},
		"empty":              {want: "empty", kind: citekit.ErrFormat},
		"HLS":                {data: []byte("#EXTM3U\n"), want: "HLS playlist", kind: citekit.ErrFormat},
		"HLS after a mark":   {data: []byte("\xef\xbb\xbf#EXTM3U\n"), want: "HLS playlist", kind: citekit.ErrFormat},
		"list to join":       {data: []byte("ffconcat version 1.0\n"), want: "files to join", kind: citekit.ErrFormat},
		"PDF":                {data: []byte("%PDF-1.7\n"), want: "PDF", kind: citekit.ErrFormat},
		"JPEG":               {data: []byte("\xff\xd8\xff\xe0"), want: "JPEG", kind: citekit.ErrFormat},
		"AVIF":               {data: []byte("\x00\x00\x00\x18ftypavif"), want: "AVIF", kind: citekit.ErrFormat},
		"text":               {data: []byte("G is a letter\n"), want: "text", kind: citekit.ErrFormat},
		"Windows Media":      {data: []byte("\x30\x26\xb2\x75\x8e\x66\xcf\x11xxxx"), want: "Windows Media", kind: errors.ErrUnsupported},
		"AIFF":               {data: []byte("FORM\x00\x00\x00\x10AIFFCOMM"), want: "AIFF", kind: errors.ErrUnsupported},
		"zeros":              {data: make([]byte, 4096), want: "does not begin as any", kind: citekit.ErrFormat},
		"EBML of other kind": {data: []byte("\x1a\x45\xdf\xa3\x84\x42\x82\x81x"), want: "does not begin as any", kind: citekit.ErrFormat},
	} {
		got, err := Sniff(bytes.NewReader(c.data), int64(len(c.data)))
		switch {
		case c.kind == nil && (err != nil || got.Name != c.want):
			t.Errorf("%s: %s, %v; want %s", name, got.Name, err, c.want)
		case c.kind != nil && (!errors.Is(err, c.kind) || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: error %v; want one of %q that says %q", name, err, c.kind, c.want)
		}
	}
}

func FuzzSniff(f *testing.F) {
	f.Add([]byte("ID3\x04\x00\x00\x00\x00\x00\x00\xff\xfb\x90\x00"))
	f.Add([]byte("\x1a\x45\xdf\xa3\x93\x42\x82\x88matroska"))
	f.Add([]byte("\xff\xf1\x50\x80\x02\x1f\xfc"))
	f.Fuzz(func(t *testing.T, data []byte) {
		format, err := Sniff(bytes.NewReader(data), int64(len(data)))
		if err != nil && !errors.Is(err, citekit.ErrFormat) && !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("error %v", err)
		}
		if err == nil && (format.demuxer == "" || format.Ext == "" || format.junk < 0 || format.junk > int64(len(data))) {
			t.Errorf("format %+v", format)
		}
	})
}
