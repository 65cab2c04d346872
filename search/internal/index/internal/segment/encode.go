package segment

import (
	"cmp"
	"encoding/binary"
	"io"
	"math"
	"math/bits"
	"slices"
	"strings"
)

// postings are the documents of one term.
type postings struct {
	docs      []uint32 // ascending
	weights   []uint32 // at least 1
	counts    []uint32 // number of positions; 0 for a keyword
	positions []byte   // of each document, as differences
}

func (p *postings) reset() {
	p.docs, p.weights, p.counts, p.positions = p.docs[:0], p.weights[:0], p.counts[:0], p.positions[:0]
}

// An encoder writes a segment: first the terms, in ascending order, then the resources,
// then the rest.
type encoder struct {
	w       io.Writer
	err     error
	offset  uint64
	lengths []uint16
	titles  []uint16
	times   []int64
	mean    float64
	footer  footer

	dictionary []byte
	groups     []byte // see groupEntry
	last       string // previous term of the group
	lists      []byte // of the current group
	positions  []byte
	values     [blockSize]uint32

	resources []byte // ids, versions, parts; offsets, sizes and checksums of records
	starts    []byte // of each resource: its offset in resources, and its first document
	order     []Resource
	places    []byte
}

// newEncoder begins a segment whose documents have these lengths, title lengths and
// times.
func newEncoder(w io.Writer, lengths, titles []uint16, times []int64) *encoder {
	e := &encoder{w: w, lengths: lengths, titles: titles, times: times, mean: 1}
	for _, n := range lengths {
		e.footer.length += uint64(n)
	}
	e.footer.docs = uint32(len(lengths))
	if e.footer.length > 0 {
		e.mean = float64(e.footer.length) / float64(len(lengths))
	}
	e.write([]byte(magic))
	e.footer.lists.offset = e.offset
	return e
}

func (e *encoder) write(data []byte) {
	if e.err == nil {
		_, e.err = e.w.Write(data)
	}
	e.offset += uint64(len(data))
}

// term adds a term. Terms must come in ascending order.
func (e *encoder) term(text string, p *postings) {
	if e.footer.terms%groupSize == 0 {
		e.endGroup()
		e.groups = little.AppendUint32(e.groups, uint32(len(e.dictionary)))
		e.groups = little.AppendUint64(e.groups, e.offset)
		e.last = ""
	}
	e.footer.terms++
	shared := sharedPrefix(e.last, text)
	e.dictionary = binary.AppendUvarint(e.dictionary, uint64(shared))
	e.dictionary = binary.AppendUvarint(e.dictionary, uint64(len(text)-shared))
	e.dictionary = append(e.dictionary, text[shared:]...)
	e.last = text

	start := len(e.lists)
	best := e.list(p)
	e.dictionary = binary.AppendUvarint(e.dictionary, uint64(len(p.docs)))
	e.dictionary = append(e.dictionary, best)
	e.dictionary = binary.AppendUvarint(e.dictionary, uint64(len(e.lists)-start))
	e.dictionary = binary.AppendUvarint(e.dictionary, uint64(len(e.positions)))
	e.lists = append(e.lists, e.positions...)
}

// endGroup writes the lists of a group of terms.
func (e *encoder) endGroup() {
	if e.footer.terms == 0 {
		return
	}
	e.groups = little.AppendUint32(e.groups, checksum(e.lists))
	e.write(e.lists)
	e.lists = e.lists[:0]
}

// list appends the blocks of a term to the lists and, if there are several, a head for
// each before them. It leaves the positions in e.positions, and returns the largest
// saturation.
func (e *encoder) list(p *postings) (best byte) {
	start, several := len(e.lists), len(p.docs) > blockSize
	if several {
		e.lists = append(e.lists, make([]byte, blocksOf(len(p.docs))*headSize)...)
	}
	e.positions = e.positions[:0]
	data, next, left := len(e.lists), uint32(0), p.positions
	for i := 0; i < len(p.docs); i += blockSize {
		end := min(i+blockSize, len(p.docs))
		postingsAt, positionsAt := len(e.lists)-data, len(e.positions)
		limit := e.block(p.docs[i:end], p.weights[i:end], next)
		next = p.docs[end-1] + 1
		left = e.blockPositions(p.counts[i:end], left)
		best = max(best, limit)
		if several {
			head := e.lists[start+i/blockSize*headSize:]
			little.PutUint32(head, p.docs[end-1])
			little.PutUint32(head[4:], uint32(postingsAt))
			little.PutUint32(head[8:], uint32(positionsAt))
			head[12] = limit
		}
	}
	return best
}

// block appends documents and weights, and returns the largest saturation. Next is the
// first document that the block may have.
func (e *encoder) block(docs, weights []uint32, next uint32) (best byte) {
	steps := e.values[:len(docs)]
	for i, doc := range docs {
		steps[i] = doc - next
		next = doc + 1
		best = max(best, roundUp(saturation(float64(weights[i]), float64(e.lengths[doc]), e.mean)))
	}
	stepWidth := width(steps)
	mark := len(e.lists)
	e.lists = append(e.lists, byte(stepWidth), 0)
	e.lists = pack(e.lists, steps, stepWidth)
	for i, w := range weights {
		steps[i] = w - 1
	}
	weightWidth := width(steps)
	e.lists[mark+1] = byte(weightWidth)
	e.lists = pack(e.lists, steps, weightWidth)
	return best
}

// blockPositions appends the positions of a block, and returns the positions of the
// following blocks.
func (e *encoder) blockPositions(counts []uint32, positions []byte) []byte {
	steps, total := e.values[:len(counts)], 0
	for i, n := range counts {
		if n == 0 {
			return positions // a keyword
		}
		steps[i] = n - 1
		total += int(n)
	}
	w := width(steps)
	e.positions = append(e.positions, byte(w))
	e.positions = pack(e.positions, steps, w)
	size := sizeOfUvarints(positions, total)
	e.positions = append(e.positions, positions[:size]...)
	return positions[size:]
}

// roundUp returns a saturation in steps of 1/255, rounded up.
func roundUp(s float64) byte { return byte(min(math.Ceil(s*255), 255)) }

func sharedPrefix(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// startRecords ends the terms and begins the records.
func (e *encoder) startRecords() {
	e.endGroup()
	e.footer.lists.size = e.offset - e.footer.lists.offset
	e.footer.records.offset = e.offset
}

// resource adds a resource and the records of its documents, which are numbered from
// first on.
func (e *encoder) resource(r Resource, first uint32, places []uint32, records []byte) {
	e.starts = little.AppendUint32(e.starts, uint32(len(e.resources)))
	e.starts = little.AppendUint32(e.starts, first)
	e.order = append(e.order, r)
	e.resources = appendText(appendText(e.resources, r.ID), r.Version)
	part := uint64(r.Part) << 1
	if r.Final {
		part |= 1
	}
	e.resources = binary.AppendUvarint(e.resources, part)
	e.resources = binary.AppendUvarint(e.resources, e.offset-e.footer.records.offset)
	e.resources = binary.AppendUvarint(e.resources, uint64(len(records)))
	e.resources = little.AppendUint32(e.resources, checksum(records))
	for _, at := range places {
		e.places = little.AppendUint32(e.places, at)
	}
	e.write(records)
}

func appendText(data []byte, text string) []byte {
	return append(binary.AppendUvarint(data, uint64(len(text))), text...)
}

// finish writes the sections and the footer.
func (e *encoder) finish() error {
	e.footer.records.size = e.offset - e.footer.records.offset
	e.footer.resources = uint32(len(e.order))
	for i, data := range [sectionCount][]byte{
		dictionarySection: e.dictionary,
		groupSection:      e.groups,
		lengthSection:     encodeShorts(e.lengths),
		titleSection:      encodeShorts(e.titles),
		timeSection:       encodeTimes(e.times),
		resourceSection:   slices.Concat(e.starts, e.ordered(), e.resources),
		recordSection:     e.places,
	} {
		e.footer.sections[i] = section{offset: e.offset, size: uint64(len(data)), checksum: checksum(data)}
		e.write(data)
	}
	e.write(e.footer.encode())
	return e.err
}

// ordered returns the numbers of the resources, sorted by id and part.
func (e *encoder) ordered() []byte {
	numbers := make([]int, len(e.order))
	for i := range numbers {
		numbers[i] = i
	}
	slices.SortFunc(numbers, func(i, j int) int { return compareResources(e.order[i], e.order[j]) })
	var data []byte
	for _, n := range numbers {
		data = little.AppendUint32(data, uint32(n))
	}
	return data
}

func compareResources(a, b Resource) int {
	return cmp.Or(strings.Compare(a.ID, b.ID), cmp.Compare(a.Part, b.Part))
}

func encodeShorts(values []uint16) []byte {
	data := make([]byte, 0, 2*len(values))
	for _, v := range values {
		data = little.AppendUint16(data, v)
	}
	return data
}

// encodeTimes writes each time as its distance from the earliest, in as few bytes as
// the largest distance needs.
func encodeTimes(times []int64) []byte {
	if len(times) == 0 {
		return nil
	}
	least, most := slices.Min(times), slices.Max(times)
	size := 0
	for span := uint64(most) - uint64(least); span > 0; span >>= 8 {
		size++
	}
	data := little.AppendUint64(nil, uint64(least))
	data = append(data, byte(size))
	for _, t := range times {
		var b [8]byte
		little.PutUint64(b[:], uint64(t)-uint64(least))
		data = append(data, b[:size]...)
	}
	return data
}

// Encode writes the segment. The Builder must not be used afterwards.
func (b *Builder) Encode(w io.Writer) error {
	e := newEncoder(w, b.lengths, b.titles, b.times)
	order := make([]uint32, len(b.terms))
	for i := range order {
		order[i] = uint32(i)
	}
	b.ids = nil
	slices.SortFunc(order, func(x, y uint32) int { return strings.Compare(b.terms[x].text, b.terms[y].text) })
	var p postings
	var buffer []byte
	for _, id := range order {
		t := &b.terms[id]
		buffer = b.arena.copyTo(buffer[:0], &t.postings)
		p.reset()
		p.decode(buffer, int(t.df))
		e.term(t.text, &p)
	}
	e.startRecords()
	for i, r := range b.resources {
		docs, records := len(b.lengths), len(b.records)
		if i+1 < len(b.resources) {
			docs, records = int(b.resources[i+1].first), b.resources[i+1].records
		}
		e.resource(r.Resource, r.first, b.places[r.first:docs], b.records[r.records:records])
	}
	return e.finish()
}

// decode reads postings in the form a Builder keeps them.
func (p *postings) decode(data []byte, n int) {
	doc, at := uint32(0), 0
	next := func() uint32 {
		v, size := binary.Uvarint(data[at:])
		at += size
		return uint32(v)
	}
	for range n {
		doc += next()
		p.docs = append(p.docs, doc)
		p.weights = append(p.weights, next())
		count := next()
		p.counts = append(p.counts, count)
		size := sizeOfUvarints(data[at:], int(count))
		p.positions = append(p.positions, data[at:at+size]...)
		at += size
	}
}

// sizeOfUvarints returns how many bytes the first n numbers take, or all of them if
// there are fewer.
func sizeOfUvarints(data []byte, n int) int {
	at := 0
	for n > 0 && at+8 <= len(data) {
		ends := ^little.Uint64(data[at:]) & 0x8080808080808080
		count := bits.OnesCount64(ends)
		if count >= n {
			break
		}
		n -= count
		at += 8
	}
	for n > 0 && at < len(data) {
		if data[at] < 0x80 {
			n--
		}
		at++
	}
	return at
}
