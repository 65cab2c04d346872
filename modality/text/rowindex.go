package text

import (
	"context"
	"fmt"
	"math"
	"sort"
	"sync/atomic"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/concurrent"
	"github.com/citekit/citekit/internal/lineform"
)

// A rowIndex has the start of one row for each block of a source. It grows from
// the front, up to the last row requested. It is safe for concurrent use.
type rowIndex struct {
	coding    textEncoding
	delimiter byte
	size      int64
	block     int64

	turn  chan struct{} // like that of index
	tally rowTally

	kept atomic.Bool // beside the source
}

// A rowTally holds the known rows of a source. Copies stay valid when the index
// grows.
type rowTally struct {
	scanner rowScanner
	pos     int64 // offset of the first unread byte
	start   int64 // offset of the open row
	rows    int   // rows that were read to their end
	marks   []rowMark
	done    bool  // the source is read to its end
	broken  error // why no more rows follow, or nil
}

// A rowMark is the start of a row, and the number of rows before it.
type rowMark struct {
	offset int64
	rows   int
}

func newRowIndex(x *index, delimiter byte) *rowIndex {
	r := &rowIndex{coding: x.coding, delimiter: delimiter, size: x.size, block: x.block, turn: make(chan struct{}, 1)}
	mark := int64(x.coding.mark)
	r.tally = rowTally{scanner: newRowScanner(x.coding, delimiter), pos: mark, start: mark, done: mark >= x.size}
	return r
}

// find returns the bytes [start, end) of rows.
func (x *rowIndex) find(ctx context.Context, src *citekit.Source, rows citekit.Range) (start, end int64, err error) {
	t, err := x.readUntil(ctx, src, rows.Last)
	if err != nil {
		return 0, 0, err
	}
	if rows.Last > t.rows {
		if t.broken != nil {
			return 0, 0, t.broken
		}
		loc := citekit.Location{Modality: citekit.Text, Rows: rows}
		if err := (citekit.Extent{Modality: citekit.Text, Rows: t.rows}).Check(loc); err != nil {
			return 0, 0, err
		}
	}
	if start, err = x.startOf(ctx, src, t, rows.First); err != nil {
		return 0, 0, err
	}
	end, err = x.startOf(ctx, src, t, rows.Last+1)
	return start, end, err
}

// count returns the number of rows up to the end of the source, or up to a
// fault in it.
func (x *rowIndex) count(ctx context.Context, src *citekit.Source) (int, error) {
	t, err := x.readUntil(ctx, src, math.MaxInt)
	return t.rows, err
}

// readUntil reads on until n rows are known or the source ends. Callers take
// turns.
func (x *rowIndex) readUntil(ctx context.Context, src *citekit.Source, n int) (rowTally, error) {
	var buf []byte
	for {
		if err := concurrent.Acquire(ctx, x.turn); err != nil {
			return rowTally{}, err
		}
		t := x.tally
		if t.rows >= n || t.done {
			<-x.turn
			return t, nil
		}
		want := min(max(2*t.pos, minBlock), readBytes) + maxWidth
		if int64(len(buf)) < want {
			buf = make([]byte, want)
		}
		err := x.read(ctx, src, &t, buf)
		if err == nil {
			x.tally = t
		}
		<-x.turn
		if err != nil {
			return rowTally{}, err
		}
	}
}

// read scans the next bytes of the source.
func (x *rowIndex) read(ctx context.Context, src *citekit.Source, t *rowTally, buf []byte) error {
	buf = buf[:min(int64(len(buf)), x.size-t.pos)]
	if err := readFull(ctx, src, buf, t.pos); err != nil {
		return err
	}
	stop, last := len(buf)-maxWidth, t.pos+int64(len(buf)) == x.size
	if last {
		stop = len(buf)
	}
	for done := 0; done < stop; {
		n, ended := t.scanner.scan(buf[done:], stop-done)
		done += n
		t.pos += int64(n)
		if ended {
			x.endRow(t)
		}
	}
	return x.close(t, last)
}

// endRow counts the row that just ended, and marks the next if it is the first
// of a block.
func (x *rowIndex) endRow(t *rowTally) {
	t.rows++
	t.start = t.pos
	before := int64(0)
	if n := len(t.marks); n > 0 {
		before = t.marks[n-1].offset
	}
	if t.start >= before+x.block {
		t.marks = append(t.marks, rowMark{t.start, t.rows})
	}
}

// close ends the last row, or stops at an unclosed quote.
func (x *rowIndex) close(t *rowTally, last bool) error {
	quoted := t.scanner.state == lineform.InQuotes
	switch {
	case quoted && (last || t.pos-t.start > maxRow):
		t.done = true
		t.broken = fmt.Errorf("row %d has a field in quotes that does not end; cite lines= instead: %w", t.rows+1, citekit.ErrFormat)
	case last:
		t.done = true
		if t.pos > t.start {
			t.rows++
		}
	}
	return nil
}

// maxRow is the maximum length, in bytes, of a row with a quoted field, or of a
// row from which columns are taken.
const maxRow = 8 << 20

// startOf returns the offset at which a row begins, or at which the last row
// before it ends. The rows before it must be known.
func (x *rowIndex) startOf(ctx context.Context, src *citekit.Source, t rowTally, row int) (int64, error) {
	if row == t.rows+1 {
		if t.done && t.broken == nil {
			return x.size, nil
		}
		return t.start, nil
	}
	if row == 1 {
		return 0, nil
	}
	pos, left := int64(x.coding.mark), row-1
	k := sort.Search(len(t.marks), func(i int) bool { return t.marks[i].rows >= row })
	if k > 0 {
		pos, left = t.marks[k-1].offset, row-1-t.marks[k-1].rows
	}
	r := newRowReader(ctx, src, newRowScanner(x.coding, x.delimiter), pos, x.size)
	for ; left > 0; left-- {
		if err := r.skip(); err != nil {
			return 0, err
		}
	}
	return r.pos, nil
}
