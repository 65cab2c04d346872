package text

import (
	"bytes"
	"context"
	"math"
	"sort"
	"sync"
	"sync/atomic"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/concurrent"
	"github.com/citekit/citekit/internal/sniff"
)

const (
	minBlock  = 64 << 10 // least bytes of a source for one entry of its index
	maxBlock  = 16 << 20
	maxBlocks = 128 << 10 // entries, as long as maxBlock allows
	readBytes = 1 << 20   // read at once
)

// An index has the number of lines that end in each block of a source. It grows
// from the front, up to the last line requested. It is safe for concurrent use.
type index struct {
	coding textEncoding
	size   int64
	block  int64  // bytes; a multiple of minBlock
	binary string // why the source is not text, or ""

	// turn is held by the caller that reads or writes tally, for at most one
	// step of reading.
	turn  chan struct{}
	tally tally

	kept atomic.Bool // beside the source

	tableOnce sync.Mutex
	rows      *rowIndex // of comma-separated values; nil until asked for
}

// A tally holds the known line counts of a source. Copies stay valid when the
// index grows.
type tally struct {
	ends  []int // lines that end in the blocks up to and including this one
	total int   // the number of lines, once all blocks are read
}

// newIndex returns the index of src with no blocks read. A source that is binary has a
// encoding only if text is set: to find it takes most of the time, and archives have
// thousands of binary members.
func newIndex(ctx context.Context, src *citekit.Source, text bool) (*index, error) {
	s, err := readSample(ctx, src)
	if err != nil {
		return nil, err
	}
	block := min((src.Size()/maxBlocks+minBlock)/minBlock*minBlock, maxBlock)
	x := &index{size: src.Size(), block: block, turn: make(chan struct{}, 1)}
	x.coding, x.binary = detect(s, text)
	if x.binary == "" && !s.head {
		// Zero bytes may also be padding before a file of another format.
		f, err := sniff.Detect(src, src.Size())
		if err != nil {
			return nil, err
		}
		if what := signature(f); what != "" {
			x.binary = "it is " + what
		}
	}
	return x, nil
}

// maxZeros is the maximum number of zero bytes before a text that are skipped.
const maxZeros = 16 << 20

// readSample returns the beginning of src without its leading zero bytes, which
// are not evidence of its encoding.
func readSample(ctx context.Context, src *citekit.Source) (sample, error) {
	buf := make([]byte, min(src.Size(), sampleBytes))
	for pos := int64(0); ; {
		buf = buf[:min(int64(cap(buf)), src.Size()-pos)]
		if err := readFull(ctx, src, buf, pos); err != nil {
			return sample{}, err
		}
		end := pos + int64(len(buf))
		zeros := int64(len(buf) - len(bytes.TrimLeft(buf, "\x00")))
		zeros -= zeros % maxWidth // a unit may begin with zero bytes
		if zeros == 0 || zeros == int64(len(buf)) && (end == src.Size() || end >= maxZeros) {
			return sample{text: buf, head: pos == 0, all: end == src.Size()}, nil
		}
		pos += zeros
	}
}

// maxBytes is the memory of the complete index.
func (x *index) maxBytes() int64 {
	const lineEntry, rowEntry = 8, 16
	return 512 + 2*(lineEntry+rowEntry)*(x.size/x.block+1)
}

// lines returns the bytes [start, end) of the lines at loc.
func (x *index) lines(ctx context.Context, src *citekit.Source, loc citekit.Location) (start, end int64, err error) {
	t, err := x.readUntil(ctx, src, loc.Lines.Last)
	if err != nil {
		return 0, 0, err
	}
	if loc.Lines.Last > t.known() {
		extent := citekit.Extent{Modality: citekit.Text, Lines: t.total}
		if err := extent.Check(loc); err != nil {
			return 0, 0, err
		}
	}
	if start, err = x.endOf(ctx, src, t, loc.Lines.First-1); err != nil {
		return 0, 0, err
	}
	end, err = x.endOf(ctx, src, t, loc.Lines.Last)
	return start, end, err
}

// count returns the number of lines, and reads the rest of the source for that.
func (x *index) count(ctx context.Context, src *citekit.Source) (int, error) {
	t, err := x.readUntil(ctx, src, math.MaxInt)
	return t.total, err
}

// known is the number of line ends read so far.
func (t tally) known() int {
	if len(t.ends) == 0 {
		return 0
	}
	return t.ends[len(t.ends)-1]
}

// read is the number of bytes read so far.
func (x *index) read(t tally) int64 { return min(int64(len(t.ends))*x.block, x.size) }

// readUntil reads on until n line ends are known or the source ends. Callers
// take turns, so that none waits until another has read everything.
func (x *index) readUntil(ctx context.Context, src *citekit.Source, n int) (tally, error) {
	var buf []byte
	for {
		if err := concurrent.Acquire(ctx, x.turn); err != nil {
			return tally{}, err
		}
		t := x.tally
		if t.known() >= n || x.read(t) == x.size {
			<-x.turn
			return t, nil
		}
		buf = x.grow(buf, len(t.ends))
		t, err := x.readBlocks(ctx, src, t, buf)
		if err == nil {
			x.tally = t
		}
		<-x.turn
		if err != nil {
			return tally{}, err
		}
	}
}

// grow returns a buffer for the next step of reading after the given number of
// blocks: a small one at first, for lines near the beginning.
func (x *index) grow(buf []byte, blocks int) []byte {
	length := min(min(int64(blocks+1)*x.block, max(readBytes/x.block, 1)*x.block)+maxWidth, x.size)
	if int64(cap(buf)) < length {
		return make([]byte, length)
	}
	return buf[:length]
}

// readBlocks counts the line ends of the next blocks, as many as fit into buf
// with a unit to spare: the unit after a CR decides whether the CR ends its
// line.
func (x *index) readBlocks(ctx context.Context, src *citekit.Source, t tally, buf []byte) (tally, error) {
	pos := x.read(t)
	buf = buf[:min(int64(len(buf)), x.size-pos)]
	if err := readFull(ctx, src, buf, pos); err != nil {
		return t, err
	}
	whole := int64(len(buf)) - maxWidth
	last := pos+int64(len(buf)) == x.size
	if last {
		whole = int64(len(buf))
	}
	for done := int64(0); done < whole; done += x.block {
		n := x.coding.countEnds(buf[done:], int(min(x.block, whole-done)))
		t.ends = append(t.ends, t.known()+n)
	}
	if last {
		t.total = t.known()
		if !x.coding.endsLine(buf) {
			t.total++
		}
	}
	return t, nil
}

// endOf returns the offset after the n-th line, which t must know.
func (x *index) endOf(ctx context.Context, src *citekit.Source, t tally, n int) (int64, error) {
	if n == 0 {
		return 0, nil
	}
	if n > t.known() {
		return x.size, nil
	}
	k := sort.SearchInts(t.ends, n)
	if k > 0 {
		n -= t.ends[k-1]
	}
	pos := int64(k) * x.block
	buf := make([]byte, min(x.block+maxWidth, x.size-pos))
	if err := readFull(ctx, src, buf, pos); err != nil {
		return 0, err
	}
	end := x.coding.nthEnd(buf, int(min(x.block, int64(len(buf)))), n)
	if end < 0 {
		return 0, errChanged
	}
	return pos + int64(end), nil
}
