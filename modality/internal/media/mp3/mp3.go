// Package mp3 determines when the frames of an MP3 file play, from their headers alone.
//
// ffmpeg cuts the clips, so the timeline must be that of its demuxer: bytes between two
// frames belong to the later one, a new sample rate takes effect with the fourth frame
// that has it, and bytes after the last frame count as one more frame unless they are a
// tag. (See libavformat/mp3dec.c and libavcodec/mpegaudio_parser.c of FFmpeg.)
package mp3

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// TicksPerSecond is the resolution of times. Every sample rate divides it.
const TicksPerSecond = 14_112_000

// A Packet is a frame and the bytes before it that are not a frame.
type Packet struct {
	Time     int64 // ticks from the first packet
	Duration int64 // ticks
	Bytes    int64
	Discard  int64 // samples at its end that must not be played
}

// ErrNoFrame reports that no frame of layer III begins at the given offset.
var ErrNoFrame = errors.New("no frame of MPEG audio layer III")

const (
	readAhead  = 256 << 10 // bytes
	longestTag = 8         // bytes that identify a tag at the end
)

// A walker steps through the frames of a file.
type walker struct {
	r       *bufio.Reader
	padding *padding

	time     int64 // ticks
	duration int64 // ticks of a frame

	last  uint32 // header of the last frame, or 0
	count int    // frames that agree with each other; if negative, frames still needed
	layer int    // the accepted layer
}

// Walk calls visit for every packet of the file in r, from the first frame, at offset
// from, to the end. Start is the end of the tags at the start of the file, where the
// number of samples to omit may be found. The error matches [ErrNoFrame] if there is no
// frame at from; other errors are those of r.
func Walk(r io.ReaderAt, size, start, from int64, visit func(Packet)) error {
	w := &walker{r: bufio.NewReaderSize(io.NewSectionReader(r, from, size-from), readAhead), layer: 3}
	head, err := w.peek(headerLength)
	if err != nil {
		return err
	}
	first, ok := parseHeader(head)
	if !ok || first.layer != 3 {
		return ErrNoFrame
	}
	if w.padding, err = readPadding(r, size, start, from, first.rate); err != nil {
		return err
	}
	for {
		bytes, err := w.next()
		if err != nil || bytes == 0 {
			return err
		}
		visit(Packet{Time: w.time, Duration: w.duration, Bytes: bytes, Discard: w.padding.within(w.time, w.duration)})
		w.time += w.duration
	}
}

// next reads one packet and returns its length in bytes, 0 at the end.
func (w *walker) next() (length int64, err error) {
	head, err := w.peek(longestTag)
	if err != nil || len(head) == 0 {
		return 0, err
	}
	var opening [longestTag]byte
	copy(opening[:], head)
	between, h, found, err := w.find()
	if err != nil {
		return 0, err
	}
	length = between
	if found {
		w.believe(h, between)
		n, err := w.r.Discard(h.length)
		if length += int64(n); err == nil {
			return length, nil
		} else if err != io.EOF {
			return 0, err
		}
	}
	if isTag(opening[:], length) {
		return 0, nil
	}
	return length, nil
}

// isTag reports whether the end of a file is an ID3v1 tag or begins with an APE tag,
// rather than sound.
func isTag(opening []byte, length int64) bool {
	const id3v1, ape = 128, 32
	return length >= id3v1 && bytes.HasPrefix(opening, []byte("TAG")) ||
		length >= ape && bytes.HasPrefix(opening, []byte("APETAGEX"))
}

// find advances to the next header, and returns the number of bytes before it.
func (w *walker) find() (between int64, h header, found bool, err error) {
	for {
		b, err := w.peek(headerLength)
		if err != nil {
			return 0, header{}, false, err
		}
		if h, ok := parseHeader(b); ok {
			return between, h, true, nil
		}
		b, _ = w.r.Peek(w.r.Buffered())
		n := len(b)
		if n >= headerLength { // otherwise the file ends
			n = notHeader(b)
		}
		if n == 0 {
			return between, header{}, false, nil
		}
		_, _ = w.r.Discard(n)
		between += int64(n)
	}
}

// notHeader returns how many bytes at the start of b can be skipped because no header
// begins in them. It assumes that b does not begin with a header, and returns at least
// 1.
func notHeader(b []byte) int {
	for i := 1; ; i++ {
		next := bytes.IndexByte(b[i:], 0xff)
		if next < 0 {
			return len(b)
		}
		if i += next; i+headerLength > len(b) {
			return i
		}
		if _, ok := parseHeader(b[i:]); ok {
			return i
		}
	}
}

// believe takes the duration of frames from a header, unless the header differs from
// earlier ones and may be accidental.
func (w *walker) believe(h header, between int64) {
	const few = 2 // bytes between frames after which the next header must be confirmed
	if between >= few {
		w.count = -2
	}
	if w.last != 0 && (w.last^h.bits)&sameStream != 0 {
		w.count = -3
	}
	w.last = h.bits
	w.count++
	if w.count > bit(h.layer != w.layer) {
		w.layer = h.layer
		w.duration = int64(h.samples) * (TicksPerSecond / int64(h.rate))
	}
}

// peek returns the next n bytes, or fewer at the end.
func (w *walker) peek(n int) ([]byte, error) {
	b, err := w.r.Peek(n)
	if err == io.EOF {
		err = nil
	}
	return b, err
}
