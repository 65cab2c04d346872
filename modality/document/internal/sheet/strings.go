package sheet

import (
	"context"
	"sort"
	"sync"

	"github.com/citekit/citekit/modality/document/internal/ooxml"
)

const (
	segmentBytes = 256 << 10 // bytes of the list that are held as one segment
	maxSegments  = 96        // segments held at a time
)

// A stringTable is the list of shared strings of a workbook. It caches parts of the
// list and reads others again. It is safe for concurrent use.
type stringTable struct {
	stream *stream
	starts []segmentStart
	count  int
	root   string // start tag of the list

	mu   sync.Mutex
	held map[int]*segment
	used []int // indexes of held segments, the last used last
}

// A segmentStart is the offset of a segment and the index of its first string.
type segmentStart struct {
	offset int64
	first  int
}

// A segment is a run of strings, each with its element.
type segment struct {
	data []byte
	ends []uint32
}

func (s *segment) string(i int) []byte {
	from := uint32(0)
	if i > 0 {
		from = s.ends[i-1]
	}
	return s.data[from:s.ends[i]]
}

// bytes returns the approximate largest memory of the table.
func (t *stringTable) bytes() int64 {
	return t.stream.bytes() + int64(len(t.starts))*16 + int64(min(len(t.starts), maxSegments))*segmentBytes*5/4
}

// readStrings reads the whole list of strings. A workbook may have none.
func readStrings(ctx context.Context, part *ooxml.Part) (*stringTable, error) {
	table := &stringTable{held: make(map[int]*segment)}
	if part == nil {
		table.stream = new(stream)
		return table, nil
	}
	s, packed, err := openStream(ctx, part)
	if err != nil {
		return nil, err
	}
	table.stream = s
	r, err := decoded(s, packed)
	if err != nil {
		return nil, err
	}
	tags := newTagReader(r, 0)
	var open segment
	for {
		at, ok, err := nextString(tags, &open, &table.root)
		if err != nil {
			return nil, err
		}
		if !ok {
			break
		}
		if len(open.ends) == 1 {
			table.starts = append(table.starts, segmentStart{at, table.count})
		}
		table.count++
		if len(open.data) >= segmentBytes {
			table.hold(len(table.starts)-1, open)
			open = segment{}
		}
	}
	if len(open.ends) > 0 {
		table.hold(len(table.starts)-1, open)
	}
	s.finish(packed)
	return table, nil
}

// nextString appends the next string to a segment, and returns where it begins in the
// part. If root is not nil, it receives the start tag of the list.
func nextString(t *tagReader, to *segment, root *string) (offset int64, ok bool, err error) {
	for {
		if err := t.next(); err != nil {
			return 0, false, err
		}
		switch {
		case t.kind == atEnd:
			return 0, false, nil
		case root != nil && *root == "" && t.is("sst"):
			*root = string(t.buf[t.tag:t.pos])
			continue
		case t.kind == closeTag || !t.is("si"):
			continue
		case root != nil && *root == "":
			return 0, false, errMalformed // a string outside the list
		}
		break
	}
	offset = t.offset()
	t.keep = t.tag
	for isOpen := t.kind == openTag; isOpen; {
		if err := t.next(); err != nil {
			return 0, false, err
		}
		if t.kind == atEnd {
			return 0, false, errMalformed
		}
		isOpen = t.kind != closeTag || !t.is("si")
	}
	to.data = append(to.data, t.buf[t.keep:t.pos]...)
	to.ends = append(to.ends, uint32(len(to.data)))
	t.keep = -1
	return offset, true, nil
}

// hold caches a segment in place of the least recently used one.
func (t *stringTable) hold(number int, s segment) *segment {
	t.held[number] = &s
	t.used = append(t.used, number)
	if len(t.used) > maxSegments {
		delete(t.held, t.used[0])
		t.used = t.used[1:]
	}
	return &s
}

// string returns a string with its element, or nil if there is none with that index.
// The caller must not change it.
func (t *stringTable) string(ctx context.Context, p *ooxml.Package, number int) ([]byte, error) {
	if number < 0 || number >= t.count {
		return nil, nil
	}
	i := sort.Search(len(t.starts), func(i int) bool { return t.starts[i].first > number }) - 1
	s, err := t.segment(ctx, p, i)
	if err != nil {
		return nil, err
	}
	if number -= t.starts[i].first; number >= len(s.ends) {
		return nil, errDamagedPart
	}
	return s.string(number), nil
}

func (t *stringTable) segment(ctx context.Context, p *ooxml.Package, number int) (*segment, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if s := t.held[number]; s != nil {
		t.touch(number)
		return s, nil
	}
	start := t.starts[number]
	r, err := t.stream.from(ctx, p, start.offset)
	if err != nil {
		return nil, err
	}
	end := t.count
	if number+1 < len(t.starts) {
		end = t.starts[number+1].first
	}
	tags := newTagReader(r, start.offset)
	var s segment
	for range end - start.first {
		_, ok, err := nextString(tags, &s, nil)
		if err != nil {
			return nil, err
		}
		if !ok {
			return nil, errDamagedPart
		}
	}
	return t.hold(number, s), nil
}

// touch makes a segment the most recently used.
func (t *stringTable) touch(number int) {
	last := len(t.used) - 1
	if t.used[last] == number {
		return
	}
	for i, n := range t.used {
		if n == number {
			copy(t.used[i:], t.used[i+1:])
			t.used[last] = number
			return
		}
	}
}
