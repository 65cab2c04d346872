package pdf

import (
	"fmt"
)

const (
	maxObjectNumber = 8_388_607 // Annex C
	maxSections     = 4096      // cross-reference sections, one per update
	startWindow     = 2 << 10   // bytes at the end in which startxref is searched
	headerWindow    = 1 << 10   // bytes in which the header is searched
)

// Kinds of cross-reference entries.
const (
	entryNone   = iota // not mentioned: refers to null
	entryFree          // free: refers to null
	entryOffset        // at an offset in the file
	entryInside        // in an object stream
)

// An entry is the position of an object.
type entry struct {
	offset int64 // or the number of the object stream
	gen    uint16
	kind   uint8
}

// An xrefTable maps object numbers to entries. Chunks without entries take no memory.
type xrefTable struct {
	chunks [][]entry
	count  int // entries other than entryNone
}

const chunkSize = 256

func (t *xrefTable) get(num int) entry {
	if c := num / chunkSize; num >= 0 && c < len(t.chunks) && t.chunks[c] != nil {
		return t.chunks[c][num%chunkSize]
	}
	return entry{}
}

// put sets an entry that is not set yet: newer sections are read first.
func (t *xrefTable) put(num int, e entry) {
	if t.get(num).kind == entryNone {
		t.set(num, e)
	}
}

func (t *xrefTable) set(num int, e entry) {
	if num < 0 || num > maxObjectNumber {
		return
	}
	c := num / chunkSize
	for len(t.chunks) <= c {
		t.chunks = append(t.chunks, nil)
	}
	if t.chunks[c] == nil {
		t.chunks[c] = make([]entry, chunkSize)
	}
	if t.chunks[c][num%chunkSize].kind == entryNone {
		t.count++
	}
	t.chunks[c][num%chunkSize] = e
}

// room returns an error matching [ErrLimit] if t has more entries than a file of size
// bytes can have objects.
func (t *xrefTable) room(size int64) error {
	if most := 1<<20 + size; int64(t.count) > most {
		return fmt.Errorf("cross-reference data of more than %d entries: %w", most, ErrLimit)
	}
	return nil
}

// bytes returns the approximate memory of t.
func (t *xrefTable) bytes() int64 { return int64(t.count)*16 + int64(len(t.chunks))*24 }

// An xrefReader collects the sections of a file's cross-reference data.
type xrefReader struct {
	f       *File
	base    int64 // added to offsets
	table   xrefTable
	trailer Dict
	seen    map[int64]bool
	free    []int // of the current table, see readAll
}

// readXref reads all cross-reference sections (7.5.4, 7.5.8). Offsets count from the
// header or, in some files with junk before it, from the beginning of the file.
func readXref(f *File, header int64) (*xrefReader, error) {
	at, err := f.findLast("startxref", startWindow)
	if err != nil {
		return nil, err
	}
	if at < 0 {
		return nil, ErrNoEnd
	}
	var start int64
	err = f.parse(at, func(p *parser) error {
		p.keyword("startxref")
		n, ok := p.integer()
		if !ok {
			return p.damaged("startxref without an offset")
		}
		start = n
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, base := range []int64{header, 0} {
		x := &xrefReader{f: f, base: base, seen: map[int64]bool{}}
		if err = x.readAll(start); err == nil || header == 0 {
			return x, err
		}
	}
	return nil, err
}

func (x *xrefReader) readAll(start int64) error {
	pending := []int64{start}
	for len(pending) > 0 {
		off := pending[0]
		pending = pending[1:]
		if x.seen[off] {
			continue
		}
		x.seen[off] = true
		if len(x.seen) > maxSections {
			return fmt.Errorf("more than %d cross-reference sections: %w", maxSections, ErrLimit)
		}
		trailer, err := x.section(x.base + off)
		if err != nil {
			return err
		}
		if x.trailer == nil {
			x.trailer = trailer
		}
		// In a hybrid file, objects of the stream are free in the table (7.5.8.4).
		if hybrid, ok := trailer["XRefStm"].(int64); ok && !x.seen[hybrid] {
			x.seen[hybrid] = true
			if _, err := x.readStream(x.base + hybrid); err != nil {
				return err
			}
		}
		for _, num := range x.free {
			x.table.put(num, entry{kind: entryFree})
		}
		if x.free = nil; x.table.room(x.f.size) != nil {
			return x.table.room(x.f.size)
		}
		if prev, ok := Number(trailer["Prev"]); ok {
			pending = append(pending, int64(prev))
		}
	}
	return nil
}

// section reads one section and returns its trailer.
func (x *xrefReader) section(off int64) (Dict, error) {
	isTable := false
	err := x.f.parse(off, func(p *parser) error {
		isTable = p.keyword("xref")
		return nil
	})
	if err != nil {
		return nil, err
	}
	if isTable {
		return x.readTable(off)
	}
	return x.readStream(off)
}

// readTable reads a section that is a table, and the trailer after it.
func (x *xrefReader) readTable(off int64) (Dict, error) {
	const wordLength = len("xref")
	off += int64(wordLength)
	for {
		var first, n, skip int64
		isTrailer := false
		err := x.f.parse(off, func(p *parser) error {
			if isTrailer = p.keyword("trailer"); isTrailer {
				skip = int64(p.pos)
				return nil
			}
			var okFirst, okCount bool
			first, okFirst = p.integer()
			n, okCount = p.integer()
			if !okFirst || !okCount || first > maxObjectNumber {
				return p.damaged("a cross-reference table without a trailer")
			}
			p.skip()
			skip = int64(p.pos)
			return nil
		})
		if err != nil {
			return nil, err
		}
		off += skip
		if isTrailer {
			return x.readTrailer(off)
		}
		if off, err = x.readEntries(off, int(first), n); err != nil {
			return nil, err
		}
	}
}

func (x *xrefReader) readTrailer(off int64) (Dict, error) {
	var trailer Dict
	err := x.f.parse(off, func(p *parser) error {
		o, err := p.object()
		if err != nil {
			return err
		}
		var ok bool
		if trailer, ok = o.(Dict); !ok {
			return p.damaged("a trailer that is no dictionary")
		}
		return nil
	})
	return trailer, err
}

const entryLength = 20 // bytes of an entry in a table

// readEntries reads n entries and returns the offset after them.
func (x *xrefReader) readEntries(off int64, first int, n int64) (int64, error) {
	if n > (x.f.size-off)/(entryLength-2)+1 {
		return 0, fmt.Errorf("a cross-reference table of %d entries in a file of %d bytes: %w", n, x.f.size, ErrDamaged)
	}
	for last := first + int(n); first < last; {
		some := min(last-first, maxBuffer/entryLength)
		var err error
		if off, err = x.readSome(off, first, some); err != nil {
			return 0, err
		}
		if first += some; x.table.room(x.f.size) != nil {
			return 0, x.table.room(x.f.size)
		}
	}
	return off, nil
}

// readSome is readEntries for few entries, which it reads at once.
func (x *xrefReader) readSome(off int64, first, n int) (int64, error) {
	data, err := x.f.view(off, n*entryLength)
	if err != nil {
		return 0, err
	}
	if err := x.f.budget.spend(Work{Parsed: int64(len(data)), Visited: int64(n)}); err != nil {
		return 0, err
	}
	p := &parser{data: data}
	for i := range n {
		e, ok := p.tableEntry()
		if !ok {
			return 0, fmt.Errorf("a cross-reference table with a wrong entry for object %d: %w", first+i, ErrDamaged)
		}
		if e.kind == entryFree {
			x.free = append(x.free, first+i)
			continue
		}
		x.table.put(first+i, e)
	}
	p.skip()
	return off + int64(p.pos), nil
}

// tableEntry reads an entry such as "0000000016 00000 n".
func (p *parser) tableEntry() (entry, bool) {
	offset, okOffset := p.integer()
	gen, okGen := p.integer()
	p.skip()
	if !okOffset || !okGen || p.pos >= len(p.data) {
		return entry{}, false
	}
	kind := p.data[p.pos]
	p.pos++
	switch kind {
	case 'n':
		if offset == 0 {
			return entry{kind: entryFree}, true
		}
		return entry{offset: offset, gen: uint16(gen), kind: entryOffset}, true
	case 'f':
		return entry{kind: entryFree}, true
	}
	return entry{}, false
}

// readStream reads a section that is a stream (7.5.8).
func (x *xrefReader) readStream(off int64) (Dict, error) {
	d := &Document{base: x.base}
	found, err := d.objectAt(x.f, off, false)
	if err != nil {
		return nil, err
	}
	s, ok := found.o.(*Stream)
	if !ok || s.Dict["Type"] != Name("XRef") {
		return nil, fmt.Errorf("no cross-reference data at offset %d: %w", off, ErrDamaged)
	}
	data, err := d.Data(x.f, s, maxStructure)
	if err != nil {
		return nil, err
	}
	return s.Dict, x.streamEntries(s.Dict, data)
}

func (x *xrefReader) streamEntries(dict Dict, data []byte) error {
	var w [3]int
	widths, _ := dict["W"].(Array)
	for i := range w {
		if len(widths) <= i {
			return fmt.Errorf("a cross-reference stream without widths: %w", ErrDamaged)
		}
		n, ok := widths[i].(int64)
		if !ok || n < 0 || n > 8 {
			return fmt.Errorf("a cross-reference stream with wrong widths: %w", ErrDamaged)
		}
		w[i] = int(n)
	}
	index, ok := dict["Index"].(Array)
	if !ok {
		index = Array{int64(0), int64(maxObjectNumber)}
	}
	length := w[0] + w[1] + w[2]
	if length == 0 {
		return fmt.Errorf("a cross-reference stream of empty entries: %w", ErrDamaged)
	}
	for i := 0; i+1 < len(index); i += 2 {
		first, okFirst := index[i].(int64)
		n, okCount := index[i+1].(int64)
		if !okFirst || !okCount || first < 0 || first > maxObjectNumber {
			return fmt.Errorf("a cross-reference stream with a wrong index: %w", ErrDamaged)
		}
		if err := x.f.Visit(1 + int(max(min(n, int64(len(data)/length)), 0))); err != nil {
			return err
		}
		for ; n > 0 && len(data) >= length; n-- {
			x.table.put(int(first), streamEntry(data[:length], w))
			first++
			data = data[length:]
		}
		if err := x.table.room(x.f.size); err != nil {
			return err
		}
	}
	return nil
}

func streamEntry(data []byte, w [3]int) entry {
	kind := int64(1)
	if w[0] > 0 {
		kind = bigEndian(data[:w[0]])
	}
	second, third := bigEndian(data[w[0]:w[0]+w[1]]), bigEndian(data[w[0]+w[1]:])
	switch kind {
	case 0:
		return entry{kind: entryFree}
	case 1:
		return entry{offset: second, gen: uint16(third), kind: entryOffset}
	case 2:
		return entry{offset: second, kind: entryInside}
	}
	return entry{}
}

func bigEndian(data []byte) int64 {
	var n int64
	for _, c := range data {
		n = n<<8 | int64(c)
	}
	return n
}
