package sniff

import (
	"bytes"
	"io"
)

var (
	formatMP3  = Format{ID: "mp3", Name: "MP3", Kind: Audio, MediaType: "audio/mpeg", Ext: ".mp3"}
	formatADTS = Format{ID: "adts", Name: "AAC", Kind: Audio, MediaType: "audio/aac", Ext: ".aac"}

	// formatFrame is that of a header of MPEG audio that no other follows.
	formatFrame = Format{ID: "mpeg-frame", Name: "a single frame of MPEG audio", Kind: Audio, MediaType: "audio/mpeg", Ext: ".mp3"}

	// formatTag is that of an ID3 tag with nothing known after it.
	formatTag = Format{ID: "id3", Name: "an ID3 tag without sound", Kind: Audio, MediaType: "audio/mpeg", Ext: ".mp3"}
)

const (
	// consecutive is how many frames must follow each other for a run of
	// bytes to be taken for MP3 or AAC, unless the content ends before.
	consecutive = 4

	maxJunk    = 256 << 10 // bytes before the first frame
	maxPadding = 1 << 10   // of them those that do not count as junk
	maxTags    = 8         // ID3 tags that may follow each other
	minHeader  = 7         // bytes of the header of a frame
	maxFrame   = 8 << 10   // bytes of an ADTS frame; MP3 frames are shorter
)

// frames knows the formats that are nothing but frames: MP3 and AAC in ADTS,
// perhaps after tags or junk.
func frames(h head) (Format, error) {
	skipped, err := SkipTags(h.r, h.size)
	if err != nil {
		return Format{}, err
	}
	window, err := readUpTo(h.r, skipped, min(h.size-skipped, maxJunk+4*maxFrame))
	if err != nil {
		return Format{}, err
	}
	if bytes.HasPrefix(window, []byte("fLaC")) {
		return formatFLAC, nil
	}
	toEnd := skipped+int64(len(window)) >= h.size
	for i := 0; i < min(len(window), maxJunk); i++ {
		next := bytes.IndexByte(window[i:], 0xff)
		if next < 0 {
			break
		}
		if i += next; i >= maxJunk {
			break
		}
		f := formatMP3
		if isRun(window[i:], toEnd, adtsFrame) {
			f = formatADTS
		} else if !isRun(window[i:], toEnd, mp3Frame) {
			continue
		}
		if i > maxPadding {
			f.Junk = skipped + int64(i)
		}
		return f, nil
	}
	switch {
	case isTag(h.b):
		return formatTag, nil
	case isAudioSync(h.b) && (h.binary || len(h.b) <= maxBareText):
		return formatFrame, nil
	}
	return Format{}, nil
}

// isTag reports whether b begins with an ID3v2 tag, whose version byte is
// small, and no line end.
func isTag(b []byte) bool { return at(b, 0, "ID3") && len(b) > 3 && 0 < b[3] && b[3] < '\t' }

// SkipTags returns the length of the ID3v2 tags at the start (id3.org, ID3v2.4
// section 3.1).
func SkipTags(r io.ReaderAt, size int64) (int64, error) {
	var off int64
	for range maxTags {
		b, err := readUpTo(r, off, min(size-off, 10))
		if err != nil {
			return 0, err
		}
		if len(b) < 10 || !isTag(b) {
			break
		}
		length := int64(10)
		if b[5]&0x10 != 0 {
			length += 10 // a footer
		}
		for i, c := range b[6:10] {
			length += int64(c&0x7f) << (7 * (3 - i))
		}
		if off+length >= size {
			break
		}
		off += length
	}
	return off, nil
}

// isRun reports whether b begins with consecutive frames; toEnd says that the
// content ends where b does. The frames must agree in what cannot change.
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

// isAudioSync reports whether b begins with a header of MPEG audio of any
// layer, or of ADTS, that means something.
func isAudioSync(b []byte) bool {
	if len(b) < 4 || b[0] != 0xff || b[1]&0xe0 != 0xe0 {
		return false
	}
	if b[1]&0xf6 == 0xf0 {
		return b[2]>>2&15 <= 12
	}
	version, layer := b[1]>>3&3, b[1]>>1&3
	return version != 1 && layer != 0 && b[2]>>4 != 15 && b[2]>>4 != 0 && b[2]>>2&3 != 3
}
