package speech

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"io"
	"math"
)

// A Cutting says how sound is cut, in samples. Zero fields have the usual values.
type Cutting struct {
	Most    int64 // of a piece, with what it shares with others; zero means ten minutes
	Overlap int64 // that a piece has beyond either of its ends; zero means two seconds
}

// A Piece is a part of a sound that is recognised at once, in samples.
type Piece struct {
	Begin int64 `json:"begin"` // where the piece before ends
	End   int64 `json:"end"`
	From  int64 `json:"from"` // what is recognised: From ≤ Begin, with the overlap
	To    int64 `json:"to"`   // End ≤ To

	Silent bool `json:"silent,omitempty"` // all of it
}

const (
	frame = Rate / 50 // samples whose loudness is measured together

	// quiet is the loudness below which a frame is silence: -45 dB of full scale.
	quiet = 0.0056

	// leastPause is how many frames of silence are a place to cut. Without such, the
	// cut is in the middle of the quietest so many frames.
	leastPause = 15

	// cutShare is the last part of a piece, one in so many, that is searched for the cut.
	cutShare = 4
)

// A cutter receives a sound, passes it on, and finds where to cut it. Its memory does not
// grow with the sound but by the list of pieces.
type cutter struct {
	w       *bufio.Writer
	most    int // frames
	overlap int // frames

	pieces  []Piece
	samples int64 // received
	from    int64 // of the first of loud
	begin   int64 // of the piece that is open
	loud    []float32
	rest    []byte // of a frame
}

func newCutter(w io.Writer, c Cutting) *cutter {
	overlap := int(cmp.Or(c.Overlap, 2*Rate) / frame)
	return &cutter{w: bufio.NewWriterSize(w, 256<<10), most: max(int(cmp.Or(c.Most, 600*Rate)/frame), 8*overlap+cutShare*leastPause), overlap: overlap}
}

// Write implements [io.Writer].
func (c *cutter) Write(p []byte) (int, error) {
	if n, err := c.w.Write(p); err != nil {
		return n, err
	}
	n := len(p)
	for len(c.rest)+len(p) >= frame*sampleSize {
		take := frame*sampleSize - len(c.rest)
		c.add(append(c.rest, p[:take]...))
		c.rest, p = c.rest[:0], p[take:]
	}
	c.rest = append(c.rest, p...)
	return n, nil
}

// add adds a frame, or what is left of one.
func (c *cutter) add(samples []byte) {
	sum := 0.0
	for i := 0; i+1 < len(samples); i += sampleSize {
		v := float64(int16(binary.LittleEndian.Uint16(samples[i:]))) / (1 << 15)
		sum += v * v
	}
	c.samples += int64(len(samples) / sampleSize)
	c.loud = append(c.loud, float32(math.Sqrt(sum/float64(max(len(samples)/sampleSize, 1)))))
	if len(c.loud) == c.most {
		c.cut()
	}
}

// cut ends the open piece where it is quiet.
func (c *cutter) cut() {
	last := c.most - c.overlap
	at := last - c.most/cutShare + cutPoint(c.loud[last-c.most/cutShare:last])
	end := c.from + int64(at)*frame
	c.pieces = append(c.pieces, Piece{Begin: c.begin, End: end, From: c.from, To: end + int64(c.overlap)*frame, Silent: silent(c.loud[:at+c.overlap])})
	c.begin = end
	first := at - c.overlap
	c.from += int64(first) * frame
	c.loud = append(c.loud[:0], c.loud[first:]...)
}

// cutPoint returns the middle of the longest silence, or of the quietest frames.
func cutPoint(loud []float32) int {
	best, length, run := 0, 0, 0
	for i, v := range loud {
		if run++; v >= quiet {
			run = 0
		}
		if run > length {
			best, length = i-run/2, run
		}
	}
	if length >= leastPause {
		return best
	}
	sum, least := 0.0, math.Inf(1)
	for i, v := range loud {
		if sum += float64(v); i >= leastPause {
			sum -= float64(loud[i-leastPause])
		}
		if i >= leastPause-1 && sum < least {
			best, least = i-leastPause/2, sum
		}
	}
	return best
}

func silent(loud []float32) bool {
	for _, v := range loud {
		if v >= quiet {
			return false
		}
	}
	return true
}

// finish returns the pieces once all was written.
func (c *cutter) finish() []Piece {
	if len(c.rest) >= sampleSize {
		c.add(c.rest)
	}
	if c.w.Flush() == nil && c.begin < c.samples {
		c.pieces = append(c.pieces, Piece{Begin: c.begin, End: c.samples, From: c.from, To: c.samples, Silent: silent(c.loud)})
	}
	return c.pieces
}
