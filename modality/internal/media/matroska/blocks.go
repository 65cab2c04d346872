package matroska

import (
	"bytes"
	"compress/zlib"
	"context"
	"encoding/binary"
	"io"
	"math"
)

// A Block is one subtitle.
type Block struct {
	Start    int64 // nanoseconds on the clock of the file
	Duration int64 // nanoseconds, or -1 if unknown
	Data     []byte
}

// maxBlock is the size in bytes of the largest block that is read.
const maxBlock = 64 << 10

// Blocks reads the blocks of a subtitle track in stored order. The reader r and its
// size must be those of the file that f was opened from. Blocks reads the header of
// every element in the clusters. It returns the first [MaxCues] blocks, with at most
// [MaxText] bytes. Errors are those of r, and ctx.Err() once ctx is done.
func (f *File) Blocks(ctx context.Context, r io.ReaderAt, size int64, t Track) ([]Block, error) {
	if f.clusters == 0 || t.coding.kind == unreadable {
		return nil, nil
	}
	d := &blockReader{window: window{r: r, size: size}, track: t, scale: f.scale}
	return d.blocks, d.walk(ctx, f.clusters)
}

type blockReader struct {
	window
	track   Track
	scale   uint64
	cluster uint64 // time of the cluster in ticks
	text    int
	blocks  []Block
}

// walk reads the elements in clusters one after another, ignoring the clusters
// themselves, so that it does not need their sizes.
func (d *blockReader) walk(ctx context.Context, at int64) error {
	for n := range maxElements {
		if n%1024 == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		p, ok, err := d.place(at)
		if err != nil || !ok || len(d.blocks) == MaxCues || d.text >= MaxText {
			return err
		}
		switch p.id {
		case idCluster:
			at = p.content
			continue
		case 0xE7: // Timestamp
			b, err := d.bytes(p.content, int(min(p.end-p.content, 9)))
			if err != nil {
				return err
			}
			d.cluster = integer(b)
		case 0xA3, 0xA0: // SimpleBlock, BlockGroup
			if err := d.take(p); err != nil {
				return err
			}
		}
		if p.open {
			return nil
		}
		at = p.end
	}
	return nil
}

// take keeps a block or block group of the track.
func (d *blockReader) take(p place) error {
	if p.end-p.content > maxBlock {
		return nil
	}
	if p.id == 0xA3 {
		return d.takeBlock(p, -1)
	}
	block, duration := place{}, int64(-1)
	for at := p.content; at < p.end; {
		e, ok, err := d.place(at)
		if err != nil || !ok || e.end > p.end {
			return err
		}
		switch e.id {
		case 0xA1: // Block
			block = e
		case 0x9B: // BlockDuration
			b, err := d.bytes(e.content, int(min(e.end-e.content, 9)))
			if err != nil {
				return err
			}
			duration = d.nanoseconds(0, int64(min(integer(b), math.MaxInt64)))
		}
		at = e.end
	}
	if block.end == 0 {
		return nil
	}
	return d.takeBlock(block, duration)
}

// takeBlock reads a block (RFC 9559, section 10.1). It skips laced blocks, which
// subtitles never use.
func (d *blockReader) takeBlock(p place, duration int64) error {
	head, err := d.bytes(p.content, int(min(p.end-p.content, 12)))
	if err != nil {
		return err
	}
	number, n := number(head)
	if n == 0 || number != d.track.number || len(head) < n+3 || head[n+2]&0x06 != 0 {
		return nil
	}
	start := d.nanoseconds(d.cluster, int64(int16(binary.BigEndian.Uint16(head[n:]))))
	p.content += int64(n + 3)
	data, err := d.content(p, maxBlock)
	if err != nil {
		return err
	}
	data, ok := d.track.coding.undo(data)
	d.text += len(data) // unreadable blocks count too: they cost as much
	if ok {
		d.blocks = append(d.blocks, Block{Start: start, Duration: duration, Data: data})
	}
	return nil
}

// nanoseconds converts a sum of ticks, and limits it to the range of int64.
func (d *blockReader) nanoseconds(ticks uint64, more int64) int64 {
	v := (float64(ticks) + float64(more)) * float64(d.scale)
	if math.Abs(v) >= math.MaxInt64/2 {
		return math.MaxInt64 / 2
	}
	return (int64(ticks) + more) * int64(d.scale)
}

// undo returns a stored block decoded.
func (c contentEncoding) undo(b []byte) ([]byte, bool) {
	switch c.kind {
	case stripped:
		return append(bytes.Clone(c.strip), b...), true
	case deflated:
		z, err := zlib.NewReader(bytes.NewReader(b))
		if err != nil {
			return nil, false
		}
		b, err = io.ReadAll(io.LimitReader(z, maxBlock+1))
		return b, err == nil && len(b) <= maxBlock
	}
	return b, c.kind == plain
}
