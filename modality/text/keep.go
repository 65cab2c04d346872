package text

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"

	"github.com/citekit/citekit"
)

// asideName is the name of what is kept beside a source that is far away. It changes with
// what is written, and with how lines and encodings are found.
const asideName = "lines 1"

// A keptIndex is a complete index as it is kept.
type keptIndex struct {
	Charset string `json:"charset"`
	Guessed bool   `json:"guessed,omitempty"`
	Mark    int    `json:"mark,omitempty"`
	Width   int    `json:"width"`
	Little  bool   `json:"little,omitempty"`
	CR      bool   `json:"cr,omitempty"`
	Block   int64  `json:"block"`
	Total   int    `json:"total"`
	Ends    []byte `json:"ends"` // varints: the lines that end in each block
}

// keep keeps a complete index beside its source. That of a source that does not look like
// text is not kept: its encoding depends on who asks.
func (x *index) keep(ctx context.Context, src *citekit.Source) {
	aside := src.Aside()
	if aside == nil || x.binary != "" || x.kept.Swap(true) {
		return
	}
	t := x.tally
	k := keptIndex{
		Charset: x.coding.charset, Guessed: x.coding.guessed, Mark: x.coding.mark, Width: x.coding.width,
		Little: x.coding.order == binary.LittleEndian, CR: x.coding.cr, Block: x.block, Total: t.total,
	}
	before := 0
	for _, end := range t.ends {
		k.Ends = binary.AppendUvarint(k.Ends, uint64(end-before))
		before = end
	}
	if data, err := json.Marshal(k); err == nil {
		_, _ = aside(ctx, asideName, data) // else it is made again
	}
}

// loadIndex returns the complete index that is kept beside a source, or nil.
func loadIndex(ctx context.Context, src *citekit.Source) *index {
	aside := src.Aside()
	if aside == nil {
		return nil
	}
	data, err := aside(ctx, asideName, nil)
	if err != nil {
		return nil
	}
	var k keptIndex
	if json.Unmarshal(data, &k) != nil || k.Block < minBlock || k.Block > maxBlock || k.Block%minBlock != 0 || k.Width != 1 && k.Width != 2 && k.Width != 4 {
		return nil
	}
	x := &index{size: src.Size(), block: k.Block, turn: make(chan struct{}, 1)}
	x.coding = textEncoding{charset: k.Charset, guessed: k.Guessed, mark: k.Mark, width: k.Width, cr: k.CR}
	switch {
	case k.Width > 1 && k.Little:
		x.coding.order = binary.LittleEndian
	case k.Width > 1:
		x.coding.order = binary.BigEndian
	}
	ends, total := bytes.NewReader(k.Ends), 0
	for ends.Len() > 0 {
		n, err := binary.ReadUvarint(ends)
		if err != nil || n > uint64(k.Block) {
			return nil
		}
		total += int(n)
		x.tally.ends = append(x.tally.ends, total)
	}
	if int64(len(x.tally.ends)) != (x.size+x.block-1)/x.block || k.Total != total && k.Total != total+1 {
		return nil
	}
	x.tally.total = k.Total
	x.kept.Store(true)
	return x
}

// rowsName is like asideName, for rows.
const rowsName = "rows 1"

// keptRows is a complete index of rows as it is kept.
type keptRows struct {
	Delimiter byte   `json:"delimiter"`
	Block     int64  `json:"block"`
	Rows      int    `json:"rows"`
	Marks     []byte `json:"marks"` // varints: for each mark, the bytes and the rows since the one before
}

// keep keeps an index of all rows of its source beside it.
func (x *rowIndex) keep(ctx context.Context, src *citekit.Source) {
	aside := src.Aside()
	if aside == nil || x.kept.Load() {
		return
	}
	t, err := x.readUntil(ctx, src, 0)
	if err != nil || !t.done || t.broken != nil || x.kept.Swap(true) {
		return
	}
	k := keptRows{Delimiter: x.delimiter, Block: x.block, Rows: t.rows}
	var before rowMark
	for _, m := range t.marks {
		k.Marks = binary.AppendUvarint(k.Marks, uint64(m.offset-before.offset))
		k.Marks = binary.AppendUvarint(k.Marks, uint64(m.rows-before.rows))
		before = m
	}
	if data, err := json.Marshal(k); err == nil {
		_, _ = aside(ctx, rowsName, data) // else it is made again
	}
}

// load makes x the index that is kept beside its source, if there is one.
func (x *rowIndex) load(ctx context.Context, src *citekit.Source) {
	aside := src.Aside()
	if aside == nil {
		return
	}
	var k keptRows
	data, err := aside(ctx, rowsName, nil)
	if err != nil || json.Unmarshal(data, &k) != nil || k.Delimiter != x.delimiter || k.Block != x.block || k.Rows < 0 || int64(k.Rows) > x.size {
		return
	}
	t := x.tally
	var mark rowMark
	for marks := bytes.NewReader(k.Marks); marks.Len() > 0; {
		length, err := binary.ReadUvarint(marks)
		if err != nil || length < uint64(x.block) || length > uint64(x.size-mark.offset) {
			return
		}
		rows, err := binary.ReadUvarint(marks)
		if err != nil || rows == 0 || rows > uint64(k.Rows-mark.rows) {
			return
		}
		mark = rowMark{mark.offset + int64(length), mark.rows + int(rows)}
		t.marks = append(t.marks, mark)
	}
	t.pos, t.start, t.rows, t.done = x.size, x.size, k.Rows, true
	x.tally = t
	x.kept.Store(true)
}
