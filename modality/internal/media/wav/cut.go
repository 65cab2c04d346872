package wav

import (
	"bytes"
	"encoding/binary"
	"io"
	"math"
)

// A Clip is a run of frames of a File as a WAV file of its own. It has the format chunk
// of the source and no other: cue points and time references of the source would be
// wrong in a clip.
type Clip struct {
	First, End int64 // frames [First, End) of the source

	file *File
}

// slack is the error, in frames, of times converted from decimal notation.
const slack = 1e-3

// frameAt returns the number of the first frame at or after a time in seconds. It may
// be past the end of the file.
func (f *File) frameAt(seconds float64) int64 {
	frame := math.Ceil(seconds*float64(f.Rate) - slack)
	return int64(min(max(frame, 0), math.MaxInt64/2))
}

// Cut returns the frames k with start ≤ k/Rate < end, both in seconds, that the file
// has.
func (f *File) Cut(start, end float64) *Clip {
	first := min(f.frameAt(start), f.Frames)
	return &Clip{First: first, End: max(min(f.frameAt(end), f.Frames), first), file: f}
}

func (c *Clip) dataSize() int64 { return (c.End - c.First) * int64(c.file.Block) }

// Size returns the length of the clip in bytes.
func (c *Clip) Size() int64 {
	return int64(len(c.header())) + c.dataSize() + c.dataSize()%2
}

// NewReader returns a reader of the clip that reads frames from r, the source. If the
// source has become shorter, reading returns [io.ErrUnexpectedEOF].
func (c *Clip) NewReader(r io.ReaderAt) io.Reader {
	frames := &exactReader{r: io.NewSectionReader(r, c.file.data+c.First*int64(c.file.Block), c.dataSize()), left: c.dataSize()}
	pad := make([]byte, c.dataSize()%2)
	return io.MultiReader(bytes.NewReader(c.header()), frames, bytes.NewReader(pad))
}

// exactReader fails if its source ends early.
type exactReader struct {
	r    io.Reader
	left int64
}

func (e *exactReader) Read(p []byte) (int, error) {
	n, err := e.r.Read(p)
	e.left -= int64(n)
	if err == io.EOF && e.left > 0 {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

const (
	ds64Size = 28
	factSize = 4
)

// header returns everything before the frames.
func (c *Clip) header() []byte {
	format := c.file.format
	data := c.dataSize()
	total := 4 + chunkSize(len(format)) + 8 + data + data%2
	if !c.file.pcm {
		total += chunkSize(factSize)
	}
	long := total > unknownSize-1
	var b bytes.Buffer
	if long {
		total += chunkSize(ds64Size)
		b.WriteString("RF64")
		put32(&b, unknownSize)
		b.WriteString("WAVE")
		c.putSizes(&b, total)
	} else {
		b.WriteString("RIFF")
		put32(&b, total)
		b.WriteString("WAVE")
	}
	b.WriteString("fmt ")
	put32(&b, int64(len(format)))
	b.Write(format)
	b.Write(make([]byte, len(format)%2))
	if !c.file.pcm {
		b.WriteString("fact")
		put32(&b, factSize)
		put32(&b, min(c.End-c.First, unknownSize))
	}
	b.WriteString("data")
	if long {
		data = unknownSize
	}
	put32(&b, data)
	return b.Bytes()
}

// putSizes writes the ds64 chunk of EBU Tech 3306.
func (c *Clip) putSizes(b *bytes.Buffer, total int64) {
	b.WriteString("ds64")
	put32(b, ds64Size)
	put64(b, total)
	put64(b, c.dataSize())
	put64(b, c.End-c.First)
	put32(b, 0) // no table of further sizes
}

func chunkSize(body int) int64 { return 8 + int64(body) + int64(body%2) }

func put32(b *bytes.Buffer, v int64) { b.Write(binary.LittleEndian.AppendUint32(nil, uint32(v))) }

func put64(b *bytes.Buffer, v int64) { b.Write(binary.LittleEndian.AppendUint64(nil, uint64(v))) }
