// Package wav reads and cuts WAV files without decoding them: RIFF, and RF64 and BW64
// (EBU Tech 3306, ITU-R BS.2088) for sizes above 4 GiB.
//
// It cuts formats with frames of equal size, exactly to the sample: PCM, floating
// point, A-law and µ-law, plain or extensible. Others, such as ADPCM, give errors that
// match [errors.ErrUnsupported].
package wav

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/citekit/citekit"
)

// A File is a parsed WAV file. It holds no data and may be shared.
type File struct {
	Rate     int   // frames per second
	Channels int   // samples per frame
	Block    int   // bytes per frame
	Frames   int64 // frames in the file
	Bits     int   // bits per sample, as stored
	Float    bool  // samples are floating point

	pcm    bool   // plain PCM, which needs no fact chunk
	curved bool   // A-law or µ-law
	format []byte // body of the fmt chunk, unchanged
	data   int64  // offset of the first frame
}

// Duration returns the length in seconds.
func (f *File) Duration() float64 { return float64(f.Frames) / float64(f.Rate) }

// Format tags, from mmreg.h.
const (
	tagPCM        = 1
	tagFloat      = 3
	tagALaw       = 6
	tagMuLaw      = 7
	tagExtensible = 0xFFFE
)

const (
	unknownSize = math.MaxUint32 // a 32-bit size that is stored elsewhere or unknown

	maxChunks = 1 << 12 // chunks before the data
	maxFormat = 1 << 10 // bytes of the fmt chunk
)

// isWAV reports whether head, the first twelve bytes of a file, begins a WAV file.
func isWAV(head []byte) bool {
	if len(head) < 12 || string(head[8:12]) != "WAVE" {
		return false
	}
	form := string(head[:4])
	return form == "RIFF" || form == "RF64" || form == "BW64"
}

// Parse reads the header of a WAV file of the given size. Sizes in the header are
// limited by the size of the file: truncated data ends at the end of the file. Errors
// match [citekit.ErrFormat] for a damaged file, and [errors.ErrUnsupported] for an
// encoding without equal frames.
func Parse(r io.ReaderAt, size int64) (*File, error) {
	head := make([]byte, 12)
	if err := readFull(r, head, 0); err != nil {
		return nil, err
	}
	if !isWAV(head) {
		return nil, damaged("does not begin as a WAV file")
	}
	p := parser{
		r: r, size: size,
		long:       string(head[:4]) != "RIFF",
		unfinished: isUnfinished(binary.LittleEndian.Uint32(head[4:])),
	}
	return p.parse()
}

// isUnfinished reports whether a size was never filled in, as when a recording was
// interrupted or written to a pipe.
func isUnfinished(size uint32) bool { return size == 0 || size == unknownSize }

type parser struct {
	r          io.ReaderAt
	size       int64
	long       bool  // RF64 or BW64
	unfinished bool  // the header lacks the total size
	dataSize   int64 // from the ds64 chunk; -1 if there is none
	file       File
}

func (p *parser) parse() (*File, error) {
	p.dataSize = -1
	at := int64(12)
	head := make([]byte, 8)
	for range maxChunks {
		if err := readFull(p.r, head, at); err != nil {
			return nil, err
		}
		id, length := string(head[:4]), binary.LittleEndian.Uint32(head[4:])
		body := at + 8
		if id == "data" {
			return p.finish(body, length)
		}
		if err := p.chunk(id, body, int64(length)); err != nil {
			return nil, err
		}
		at = body + int64(length) + int64(length%2)
		if at >= p.size {
			return nil, damaged("has no data chunk")
		}
	}
	return nil, damaged("has more than %d chunks before its data", maxChunks)
}

// chunk reads a chunk before the data, if it matters.
func (p *parser) chunk(id string, body, length int64) error {
	switch id {
	case "ds64":
		sizes := make([]byte, 16)
		if err := readFull(p.r, sizes, body); err != nil {
			return err
		}
		size := binary.LittleEndian.Uint64(sizes[8:])
		p.dataSize = int64(min(size, math.MaxInt64))
	case "fmt ":
		if length < 14 || length > maxFormat {
			return damaged("has a format of %d bytes", length)
		}
		p.file.format = make([]byte, length)
		if err := readFull(p.r, p.file.format, body); err != nil {
			return err
		}
		return p.file.parseFormat()
	}
	return nil
}

// finish sets the number of frames from the size of the data chunk, limited by the end
// of the file.
func (p *parser) finish(body int64, length uint32) (*File, error) {
	f := p.file
	if f.format == nil {
		return nil, damaged("has no format before its data")
	}
	rest := max(p.size-body, 0)
	declared := int64(length)
	switch {
	case p.long && length == unknownSize && p.dataSize >= 0:
		declared = p.dataSize
	case length == unknownSize, length == 0 && p.unfinished:
		declared = rest
	}
	f.data = body
	f.Frames = min(declared, rest) / int64(f.Block)
	return &f, nil
}

// parseFormat reads a WAVEFORMATEX or WAVEFORMATEXTENSIBLE.
func (f *File) parseFormat() error {
	b := f.format
	tag := binary.LittleEndian.Uint16(b)
	f.Channels = int(binary.LittleEndian.Uint16(b[2:]))
	rate := binary.LittleEndian.Uint32(b[4:])
	f.Block = int(binary.LittleEndian.Uint16(b[12:]))
	if len(b) >= 16 {
		f.Bits = int(binary.LittleEndian.Uint16(b[14:]))
	}
	f.pcm = tag == tagPCM
	if tag == tagExtensible {
		if len(b) < 40 {
			return damaged("has an extensible format of %d bytes; it needs 40", len(b))
		}
		tag = binary.LittleEndian.Uint16(b[24:])
	}
	f.Float = tag == tagFloat
	f.curved = tag == tagALaw || tag == tagMuLaw
	switch tag {
	case tagPCM, tagFloat, tagALaw, tagMuLaw:
	default:
		return fmt.Errorf("WAV coding %#04x has no frames of equal size: %w", tag, errors.ErrUnsupported)
	}
	return f.checkFormat(rate)
}

func (f *File) checkFormat(rate uint32) error {
	if f.Channels == 0 || rate == 0 || rate > math.MaxInt32 {
		return damaged("has %d channels at %d Hz", f.Channels, rate)
	}
	f.Rate = int(rate)
	container := 8 * f.Block / f.Channels // bits that each sample takes
	if f.Block == 0 || f.Block%f.Channels != 0 || f.Bits > container || container > 64 {
		return damaged("has %d channels of %d bits in frames of %d bytes", f.Channels, f.Bits, f.Block)
	}
	return nil
}

func readFull(r io.ReaderAt, p []byte, off int64) error {
	n, err := r.ReadAt(p, off)
	if n == len(p) {
		return nil
	}
	if err == io.EOF || err == nil {
		return damaged("ends within its header")
	}
	return err
}

func damaged(format string, args ...any) error {
	return fmt.Errorf("the WAV file "+format+": %w", append(args, citekit.ErrFormat)...)
}
