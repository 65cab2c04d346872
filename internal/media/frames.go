package media

import (
	"bytes"
	"fmt"
	"io"

	"github.com/citekit/citekit"
)

// consecutive is how many frames must follow each other for a run of bytes to
// be taken for MP3 or AAC, unless the source ends before.
const consecutive = 4

// sniffFrames knows the formats that are nothing but frames: MP3 and AAC in
// ADTS, perhaps after tags or junk.
func sniffFrames(r io.ReaderAt, size int64) (Format, error) {
	skipped, err := skipTags(r, size)
	if err != nil {
		return Format{}, err
	}
	window, err := readUpTo(r, skipped, min(size-skipped, maxJunk+4*maxFrame))
	if err != nil {
		return Format{}, err
	}
	if bytes.HasPrefix(window, []byte("fLaC")) {
		return formatFLAC, nil
	}
	for i := 0; i < min(len(window), maxJunk); i++ {
		if window[i] != 0xff {
			continue
		}
		toEnd := skipped+int64(len(window)) >= size
		format := formatMP3
		if isRun(window[i:], toEnd, adtsFrame) {
			format = formatADTS
		} else if !isRun(window[i:], toEnd, mp3Frame) {
			continue
		}
		if i > maxPadding {
			format.junk = skipped + int64(i)
		}
		return format, nil
	}
	return Format{}, fmt.Errorf("the source does not begin as any of the media formats read here: %w", citekit.ErrFormat)
}

// maxPadding is how many bytes before the first frame are left to ffmpeg, which
// then reads the tags that come before them.
const maxPadding = 1 << 10

// maxTags bounds how many ID3 tags may follow each other.
const maxTags = 8

// skipTags returns the length of the ID3v2 tags at the start (id3.org, ID3v2.4
// section 3.1).
func skipTags(r io.ReaderAt, size int64) (int64, error) {
	var off int64
	for range maxTags {
		head, err := readUpTo(r, off, min(size-off, 10))
		if err != nil {
			return 0, err
		}
		if len(head) < 10 || string(head[:3]) != "ID3" {
			break
		}
		length := int64(10)
		if head[5]&0x10 != 0 {
			length += 10 // a footer
		}
		for i, b := range head[6:10] {
			length += int64(b&0x7f) << (7 * (3 - i))
		}
		if off+length >= size {
			break
		}
		off += length
	}
	return off, nil
}

// isRun reports whether b begins with consecutive frames; toEnd says that the
// source ends where b does. The frames must agree in what cannot change.
func isRun(b []byte, toEnd bool, frame func([]byte) (length int, kind uint32, ok bool)) bool {
	var first uint32
	for n := range consecutive {
		if len(b) < minHeader {
			return toEnd && n >= 2
		}
		length, kind, ok := frame(b)
		if !ok || n > 0 && kind != first {
			return false
		}
		first = kind
		if length > len(b) {
			return toEnd && n >= 2
		}
		b = b[length:]
	}
	return true
}

const (
	minHeader = 7
	maxFrame  = 8 << 10 // bytes of an ADTS frame; MP3 frames are shorter
)

// Bit rates in kbit/s and rates in Hz of ISO/IEC 11172-3 and 13818-3.
var (
	mp3BitRates = [2][15]int{
		{0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320}, // MPEG-1 layer III
		{0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160},     // MPEG-2 and 2.5 layer III
	}
	mp3Rates = [3]int{44100, 48000, 32000}
)

// mp3Frame reads the header of an MPEG audio layer III frame.
func mp3Frame(b []byte) (length int, kind uint32, ok bool) {
	if b[0] != 0xff || b[1]&0xe0 != 0xe0 {
		return 0, 0, false
	}
	version, layer := b[1]>>3&3, b[1]>>1&3 // 3 is MPEG-1, 2 MPEG-2, 0 MPEG-2.5; layer 1 is III
	bits, rate := b[2]>>4, b[2]>>2&3
	if version == 1 || layer != 1 || bits == 0 || bits == 15 || rate == 3 {
		return 0, 0, false
	}
	hz, row, factor := mp3Rates[rate], 0, 144
	switch version {
	case 2:
		hz, row, factor = hz/2, 1, 72
	case 0:
		hz, row, factor = hz/4, 1, 72
	}
	length = factor*1000*mp3BitRates[row][bits]/hz + int(b[2]>>1&1)
	return length, uint32(version)<<8 | uint32(rate), true
}

// adtsFrame reads the header of an AAC frame in ADTS (ISO/IEC 14496-3, 1.A.2).
func adtsFrame(b []byte) (length int, kind uint32, ok bool) {
	if b[0] != 0xff || b[1]&0xf6 != 0xf0 {
		return 0, 0, false
	}
	length = int(b[3]&3)<<11 | int(b[4])<<3 | int(b[5])>>5
	rate := b[2] >> 2 & 15
	if length < minHeader || rate > 12 {
		return 0, 0, false
	}
	return length, uint32(b[1])<<8 | uint32(b[2]&0xfc), true
}
