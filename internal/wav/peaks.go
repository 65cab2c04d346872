package wav

import (
	"encoding/binary"
	"io"
	"math"
)

// Sound returns a reader over the sound: f.Block bytes a frame, all channels
// of it together. r is the file that f was parsed from.
func (f *File) Sound(r io.ReaderAt) *io.SectionReader {
	return io.NewSectionReader(r, f.data, f.Frames*int64(f.Block))
}

// Loudness returns a function that gives the largest of the samples in whole
// frames, without sign and as a fraction of the loudest there can be. It is nil
// for codings whose samples are not linear.
func (f *File) Loudness() func(frames []byte) float64 {
	width := f.Block / f.Channels
	if f.curved {
		return nil
	}
	if f.Float {
		switch width {
		case 4:
			return func(b []byte) float64 {
				return loudest(b, 4, func(b []byte) float64 {
					return float64(math.Float32frombits(binary.LittleEndian.Uint32(b)))
				})
			}
		case 8:
			return func(b []byte) float64 {
				return loudest(b, 8, func(b []byte) float64 { return math.Float64frombits(binary.LittleEndian.Uint64(b)) })
			}
		}
		return nil
	}
	switch width {
	case 1: // unsigned
		return func(b []byte) float64 {
			return loudest(b, 1, func(b []byte) float64 { return float64(int(b[0])-128) / 128 })
		}
	case 2:
		return loudest16
	case 3:
		return func(b []byte) float64 {
			return loudest(b, 3, func(b []byte) float64 {
				return float64(int32(uint32(b[0])<<8|uint32(b[1])<<16|uint32(b[2])<<24)) / (1 << 31)
			})
		}
	case 4:
		return func(b []byte) float64 {
			return loudest(b, 4, func(b []byte) float64 { return float64(int32(binary.LittleEndian.Uint32(b))) / (1 << 31) })
		}
	}
	return nil
}

// loudest16 is loudest for the most common samples.
func loudest16(b []byte) float64 {
	var low, high int16
	for ; len(b) >= 2; b = b[2:] {
		v := int16(binary.LittleEndian.Uint16(b))
		low, high = min(low, v), max(high, v)
	}
	return float64(max(int(high), -int(low))) / (1 << 15)
}

func loudest(b []byte, width int, sample func([]byte) float64) (most float64) {
	for ; len(b) >= width; b = b[width:] {
		if v := math.Abs(sample(b)); v > most {
			most = v
		}
	}
	return most
}
