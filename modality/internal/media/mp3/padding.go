package mp3

import (
	"encoding/binary"
	"io"
	"slices"
)

// A padding is what encoders add around the sound. Times are in samples from the first
// frame. A nil padding means none.
type padding struct {
	ticks      int64 // ticks per sample
	start, end int64
}

// within returns the number of samples at the end of a packet that are padding.
func (p *padding) within(time, duration int64) int64 {
	if p == nil {
		return 0
	}
	from, to := time/p.ticks, (time+duration)/p.ticks
	if to < p.start || from >= p.end {
		return 0
	}
	return min(to-p.start, to-from)
}

// Flags of a tag for the fields that it has.
const (
	hasFrames  = 1
	hasBytes   = 2
	hasTable   = 4
	hasQuality = 8
)

const (
	// maxInfo is the size in bytes of a frame up to and including LAME's delays.
	maxInfo = headerLength + 32 + 8 + 8 + 100 + 4 + 24

	// decoderDelay is the delay of a layer III decoder, in samples.
	decoderDelay = 528 + 1
)

// readPadding reads the Info or Xing tag with LAME's extension, in the frame at start.
// That frame is not played: the first packet follows it.
func readPadding(r io.ReaderAt, size, start, from int64, rate int) (*padding, error) {
	b := make([]byte, max(0, min(maxInfo, size-start)))
	if n, err := r.ReadAt(b, start); err != nil && err != io.EOF {
		return nil, err
	} else {
		b = b[:n]
	}
	h, ok := parseHeader(b)
	if !ok || from < start+int64(h.length) {
		return nil, nil
	}
	f := fields(b)
	f.skip(headerLength + h.side)
	if name := string(f.take(4)); name != "Xing" && name != "Info" {
		return nil, nil
	}
	flags := f.number()
	var frames, length int64
	if flags&hasFrames != 0 {
		frames = f.number()
	}
	if flags&hasBytes != 0 {
		length = f.number()
	}
	if flags&hasTable != 0 {
		f.skip(100)
	}
	if flags&hasQuality != 0 {
		f.skip(4)
	}
	encoder := string(f.take(4))
	f.skip(17) // the rest of its name, and settings
	delays := f.take(3)
	rest := size - start - headerLength
	concatenated := length > 0 && rest > length && rest-length > length>>4
	if len(delays) < 3 || frames == 0 || concatenated || !slices.Contains([]string{"LAME", "Lavf", "Lavc"}, encoder) {
		return nil, nil
	}
	end := frames * int64(h.samples)
	padded := int64(delays[1]&15)<<8 | int64(delays[2])
	return &padding{ticks: TicksPerSecond / int64(rate), start: end - padded + decoderDelay, end: end}, nil
}

// fields are read one after another. Missing ones read as zero.
type fields []byte

func (f *fields) take(n int) []byte {
	n = min(n, len(*f))
	taken := (*f)[:n]
	*f = (*f)[n:]
	return taken
}

func (f *fields) skip(n int) { f.take(n) }

func (f *fields) number() int64 {
	if b := f.take(4); len(b) == 4 {
		return int64(binary.BigEndian.Uint32(b))
	}
	return 0
}
