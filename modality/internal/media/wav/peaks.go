package wav

import (
	"encoding/binary"
	"io"
	"math"
)

// Sound returns a reader of the sound: f.Block bytes per frame, with all channels
// interleaved. The reader r must be of the file that f was parsed from.
func (f *File) Sound(r io.ReaderAt) *io.SectionReader {
	return io.NewSectionReader(r, f.data, f.Frames*int64(f.Block))
}

// Loudness returns a function that returns the largest absolute sample in whole frames,
// as a fraction of full scale. It is nil for encodings with nonlinear samples.
func (f *File) Loudness() func(frames []byte) float64 {
	extremes := f.Extremes()
	if extremes == nil {
		return nil
	}
	return func(frames []byte) float64 {
		low, high := extremes(frames)
		return max(high, -low)
	}
}

// Extremes returns a function that returns the lowest and the highest of 0 and the
// samples in whole frames, as fractions of full scale. It is nil for encodings with
// nonlinear samples.
func (f *File) Extremes() func(frames []byte) (low, high float64) {
	width := f.Block / f.Channels
	if width == 2 && !f.Float && !f.curved {
		return Extremes16
	}
	sample := f.sample(width)
	if sample == nil {
		return nil
	}
	return func(b []byte) (low, high float64) {
		for ; len(b) >= width; b = b[width:] {
			switch v := sample(b); {
			case v < low:
				low = v
			case v > high:
				high = v
			}
		}
		return low, high
	}
}

// Extremes16 is that function for 16-bit samples.
func Extremes16(b []byte) (float64, float64) {
	var low, high int16
	for ; len(b) >= 2; b = b[2:] {
		v := int16(binary.LittleEndian.Uint16(b))
		low, high = min(low, v), max(high, v)
	}
	return float64(low) / (1 << 15), float64(high) / (1 << 15)
}

// sample returns a function that reads a sample of width bytes, or nil.
func (f *File) sample(width int) func(b []byte) float64 {
	switch {
	case f.curved:
		return nil
	case f.Float && width == 4:
		return func(b []byte) float64 { return float64(math.Float32frombits(binary.LittleEndian.Uint32(b))) }
	case f.Float && width == 8:
		return func(b []byte) float64 { return math.Float64frombits(binary.LittleEndian.Uint64(b)) }
	case f.Float:
		return nil
	case width == 1: // unsigned
		return func(b []byte) float64 { return float64(int(b[0])-128) / 128 }
	case width == 3:
		return func(b []byte) float64 {
			return float64(int32(uint32(b[0])<<8|uint32(b[1])<<16|uint32(b[2])<<24)) / (1 << 31)
		}
	case width == 4:
		return func(b []byte) float64 { return float64(int32(binary.LittleEndian.Uint32(b))) / (1 << 31) }
	}
	return nil
}
