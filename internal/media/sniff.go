// Package media cuts what plays in time, for the modalities video and audio:
// it tells the format from the content, chooses between the native cutters
// and ffmpeg, and keeps to one timeline.
//
// # Timeline
//
// t=0 is where a player starts: the start of the movie in MP4 and QuickTime
// files, edit lists applied; elsewhere the earliest time stamp of sound and
// picture, if it is positive, as in transport streams that begin at 1.4 s.
// Negative time stamps are those of encoder delay, which is not heard; they
// come before t=0.
package media

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/wav"
)

// A Format is a container of sound or picture.
type Format struct {
	Name      string // for messages, such as "Matroska"
	MediaType string // such as "video/x-matroska"
	Ext       string // such as ".mkv"
	AudioOnly bool   // the format has no picture

	demuxer string // in ffmpeg's words
	junk    int64  // bytes before the first frame that are none of the format
}

// The formats that are told apart.
var (
	formatMP4       = Format{Name: "MP4", MediaType: "video/mp4", Ext: ".mp4", demuxer: "mov"}
	formatM4A       = Format{Name: "MP4 audio", MediaType: "audio/mp4", Ext: ".m4a", demuxer: "mov"}
	formatQuickTime = Format{Name: "QuickTime", MediaType: "video/quicktime", Ext: ".mov", demuxer: "mov"}
	formatMatroska  = Format{Name: "Matroska", MediaType: "video/x-matroska", Ext: ".mkv", demuxer: "matroska"}
	formatWebM      = Format{Name: "WebM", MediaType: "video/webm", Ext: ".webm", demuxer: "matroska"}
	formatTS        = Format{Name: "MPEG transport stream", MediaType: "video/mp2t", Ext: ".ts", demuxer: "mpegts"}
	formatAVI       = Format{Name: "AVI", MediaType: "video/vnd.avi", Ext: ".avi", demuxer: "avi"}
	formatOgg       = Format{Name: "Ogg", MediaType: "application/ogg", Ext: ".ogx", demuxer: "ogg"}
	formatOggVideo  = Format{Name: "Ogg video", MediaType: "video/ogg", Ext: ".ogv", demuxer: "ogg"}
	formatOggAudio  = Format{Name: "Ogg audio", MediaType: "audio/ogg", Ext: ".ogg", AudioOnly: true, demuxer: "ogg"}
	formatOpus      = Format{Name: "Opus", MediaType: "audio/ogg", Ext: ".opus", AudioOnly: true, demuxer: "ogg"}
	formatWAV       = Format{Name: "WAV", MediaType: "audio/vnd.wave", Ext: ".wav", AudioOnly: true, demuxer: "wav"}
	formatFLAC      = Format{Name: "FLAC", MediaType: "audio/flac", Ext: ".flac", AudioOnly: true, demuxer: "flac"}
	formatMP3       = Format{Name: "MP3", MediaType: "audio/mpeg", Ext: ".mp3", AudioOnly: true, demuxer: "mp3"}
	formatADTS      = Format{Name: "AAC", MediaType: "audio/aac", Ext: ".aac", AudioOnly: true, demuxer: "aac"}
)

const (
	sniffed = 4 << 10   // bytes that tell most formats
	maxJunk = 256 << 10 // bytes before the first MP3 frame
)

// Sniff tells the format of a source from its content; names do not count.
// Content that is no media format is an error matching [citekit.ErrFormat]
// that says what it looks like, and a media format that is not read here one
// matching [errors.ErrUnsupported].
func Sniff(r io.ReaderAt, size int64) (Format, error) {
	head, err := readUpTo(r, 0, min(size, sniffed))
	if err != nil {
		return Format{}, err
	}
	if len(head) == 0 {
		return Format{}, fmt.Errorf("the source is empty: %w", citekit.ErrFormat)
	}
	if f, ok := sniffContainer(head); ok {
		return f, nil
	}
	if name, ok := foreignMedia(head); ok {
		return Format{}, fmt.Errorf("%s is not among the media formats read here: %w", name, errors.ErrUnsupported)
	}
	if name, ok := lookalike(head); ok {
		return Format{}, fmt.Errorf("the source is not audio or video; it looks like %s: %w", name, citekit.ErrFormat)
	}
	return sniffFrames(r, size)
}

// sniffContainer knows the formats that begin with a signature.
func sniffContainer(head []byte) (Format, bool) {
	switch {
	case wav.IsWAV(head):
		return formatWAV, true
	case bytes.HasPrefix(head, []byte("RIFF")) && at(head, 8, "AVI "):
		return formatAVI, true
	case bytes.HasPrefix(head, []byte("\x1a\x45\xdf\xa3")):
		return sniffEBML(head)
	case bytes.HasPrefix(head, []byte("OggS")):
		return sniffOgg(head), true
	case bytes.HasPrefix(head, []byte("fLaC")):
		return formatFLAC, true
	case isTransportStream(head):
		return formatTS, true
	}
	return sniffBoxes(head)
}

func at(head []byte, offset int, text string) bool {
	return len(head) >= offset+len(text) && string(head[offset:offset+len(text)]) == text
}

// sniffEBML looks for the document type of an EBML header (RFC 8794).
func sniffEBML(head []byte) (Format, bool) {
	_, after, ok := bytes.Cut(head, []byte("\x42\x82"))
	switch {
	case ok && at(after, 1, "webm"):
		return formatWebM, true
	case ok && at(after, 1, "matroska"):
		return formatMatroska, true
	}
	return Format{}, false
}

// sniffOgg looks at the first packets of the streams, which all come first
// (RFC 3533).
func sniffOgg(head []byte) Format {
	switch {
	case bytes.Contains(head, []byte("\x80theora")), bytes.Contains(head, []byte("OVP80")), bytes.Contains(head, []byte("BBCD\x00")):
		return formatOggVideo
	case bytes.Contains(head, []byte("OpusHead")):
		return formatOpus
	case bytes.Contains(head, []byte("\x01vorbis")), bytes.Contains(head, []byte("\x7fFLAC")), bytes.Contains(head, []byte("Speex   ")):
		return formatOggAudio
	}
	return formatOgg
}

// isTransportStream looks for sync bytes every 188 bytes, or every 192 or 204
// with what some recorders add to a packet.
func isTransportStream(head []byte) bool {
	for _, form := range []struct{ first, step int }{{0, 188}, {4, 192}, {0, 204}} {
		syncs := 0
		for i := form.first; i < len(head) && head[i] == 0x47; i += form.step {
			syncs++
		}
		whole := (len(head)-form.first-1)/form.step + 1
		if syncs >= 5 || syncs == whole && syncs >= 2 && len(head) < sniffed {
			return true
		}
	}
	return false
}

// Brands of sound in MP4 (ISO/IEC 14496-12 and the registry at mp4ra.org).
var audioBrands = []string{"M4A ", "M4B ", "M4P ", "F4A ", "F4B "}

// sniffBoxes knows MP4 and QuickTime by their first box.
func sniffBoxes(head []byte) (Format, bool) {
	if len(head) < 8 {
		return Format{}, false
	}
	switch string(head[4:8]) {
	case "ftyp":
		for _, brand := range audioBrands {
			if at(head, 8, brand) {
				return formatM4A, true
			}
		}
		if at(head, 8, "qt  ") {
			return formatQuickTime, true
		}
		if isPictureBrand(head) {
			return Format{}, false
		}
		return formatMP4, true
	case "moov", "mdat", "wide", "pnot":
		return formatQuickTime, true
	case "free", "skip":
		return formatQuickTime, binary.BigEndian.Uint32(head) >= 8
	case "styp", "moof", "sidx":
		return formatMP4, true
	}
	return Format{}, false
}

// isPictureBrand reports whether a file with an ftyp box is a still image.
func isPictureBrand(head []byte) bool {
	for _, brand := range []string{"avif", "heic", "heix", "mif1", "crx "} {
		if at(head, 8, brand) {
			return true
		}
	}
	return false
}

// foreignMedia names the media formats that are not read here.
func foreignMedia(head []byte) (string, bool) {
	for _, f := range []struct{ sign, name string }{
		{"\x30\x26\xb2\x75\x8e\x66\xcf\x11", "Windows Media (ASF)"},
		{"FLV\x01", "Flash video"},
		{"\x00\x00\x01\xba", "MPEG program stream"},
		{"\x00\x00\x01\xb3", "raw MPEG video"},
		{"\x00\x00\x00\x01", "raw video without a container"},
		{"#!AMR", "AMR"},
		{"caff", "Core Audio"},
		{".snd", "Sun audio"},
		{"MThd", "MIDI"},
		{"wvpk", "WavPack"},
		{"MAC ", "Monkey's Audio"},
		{".RMF", "RealMedia"},
		{"\x0b\x77", "raw AC-3"},
		{"DSD ", "DSD audio"},
	} {
		if bytes.HasPrefix(head, []byte(f.sign)) {
			return f.name, true
		}
	}
	if at(head, 0, "FORM") && (at(head, 8, "AIFF") || at(head, 8, "AIFC")) {
		return "AIFF", true
	}
	return "", false
}

// lookalike names what may be taken for media and is not.
func lookalike(head []byte) (string, bool) {
	text := bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")), " \t\r\n")
	for _, f := range []struct{ sign, name string }{
		{"#EXTM3U", "an HLS playlist"},
		{"ffconcat", "a list of files to join"},
		{"v=0", "a session description (SDP)"},
		{"WEBVTT", "WebVTT subtitles"},
		{"[Script Info]", "ASS subtitles"},
		{"<?xml", "XML, such as a DASH manifest"},
		{"<MPD", "a DASH manifest"},
		{"<", "a document in HTML or XML"},
		{"%PDF", "a PDF document"},
		{"\x89PNG", "a PNG image"},
		{"\xff\xd8\xff", "a JPEG image"},
		{"GIF8", "a GIF image"},
		{"BM", "a BMP image"},
		{"II*\x00", "a TIFF image"},
		{"MM\x00*", "a TIFF image"},
		{"PK\x03\x04", "a ZIP archive"},
		{"\x1f\x8b", "a gzip archive"},
	} {
		if bytes.HasPrefix(text, []byte(f.sign)) {
			return f.name, true
		}
	}
	switch {
	case at(head, 0, "RIFF") && at(head, 8, "WEBP"):
		return "a WebP image", true
	case at(head, 4, "ftyp"):
		return "an image in HEIF or AVIF", true
	case isText(head):
		return "text", true
	}
	return "", false
}

// isText reports whether head is plain text in UTF-8, a character of which may
// be cut off at the end.
func isText(head []byte) bool {
	for len(head) > 0 {
		r, n := utf8.DecodeRune(head)
		if r == utf8.RuneError && n == 1 && utf8.FullRune(head) {
			return false
		}
		if r < ' ' && r != '\t' && r != '\n' && r != '\r' && r != '\f' && r != 0x1b {
			return false
		}
		head = head[n:]
	}
	return true
}

// readUpTo reads n bytes at off, or fewer if the source ends before.
func readUpTo(r io.ReaderAt, off, n int64) ([]byte, error) {
	buf := make([]byte, n)
	got, err := r.ReadAt(buf, off)
	if err != nil && err != io.EOF {
		return nil, err
	}
	return buf[:got], nil
}
