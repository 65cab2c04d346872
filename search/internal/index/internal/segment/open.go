package segment

import (
	"bytes"
	"encoding/binary"
	"sync/atomic"
)

// A Segment is an immutable index of documents. It is safe for concurrent use.
type Segment struct {
	data   []byte
	footer *footer
	docs   int
	groups int

	dictionary, groupIndex, lengths, titles []byte

	timeBase  int64
	timeWidth int
	times     []byte

	resources []heldResource // by their first document
	byID      []uint32       // numbers of resources, by id
	places    []byte

	checkedLists   checkedPieces // by group
	checkedRecords checkedPieces // by resource
}

// A heldResource is a resource and the place of its documents and records.
type heldResource struct {
	Resource
	Docs Range

	recordsAt, recordsSize uint64
	recordsSum             uint32
}

// A Range is the run of documents [First, End).
type Range struct{ First, End uint32 }

// Open reads a segment. The caller must not change data while the Segment is used.
func Open(data []byte) (s *Segment, err error) {
	err = Guard(func() error {
		s, err = openSegment(data)
		return err
	})
	return s, err
}

func openSegment(data []byte) (*Segment, error) {
	f, err := decodeFooter(data)
	if err != nil {
		return nil, err
	}
	s := &Segment{data: data, footer: f, docs: int(f.docs)}
	var sections [sectionCount][]byte
	for i, part := range f.sections {
		sections[i] = data[part.offset : part.offset+part.size]
		if checksum(sections[i]) != part.checksum {
			return nil, ErrDamaged
		}
	}
	s.dictionary, s.groupIndex = sections[dictionarySection], bytes.Clone(sections[groupSection]) // a mapped file may change after the check
	s.lengths, s.titles, s.places = sections[lengthSection], sections[titleSection], sections[recordSection]
	if len(s.lengths) != 2*s.docs || len(s.titles) != 2*s.docs || len(s.places) != 4*s.docs {
		return nil, ErrDamaged
	}
	if !s.openGroups() || !s.openTimes(sections[timeSection]) || !s.openResources(sections[resourceSection]) {
		return nil, ErrDamaged
	}
	s.checkedLists, s.checkedRecords = newChecks(s.groups), newChecks(len(s.resources))
	return s, nil
}

// Docs returns the number of documents.
func (s *Segment) Docs() int { return s.docs }

// Size returns the size of the segment in bytes.
func (s *Segment) Size() int { return len(s.data) }

// openGroups checks that the groups are contiguous.
func (s *Segment) openGroups() bool {
	terms := s.footer.terms
	s.groups = int((terms + groupSize - 1) / groupSize)
	if terms > uint64(len(s.dictionary)) || len(s.groupIndex) != s.groups*groupEntry {
		return false
	}
	var entry, lists uint64
	for g := range s.groups {
		e, l := uint64(little.Uint32(s.groupIndex[g*groupEntry:])), little.Uint64(s.groupIndex[g*groupEntry+4:])
		if g == 0 && (e != 0 || l != s.footer.lists.offset) || e < entry || l < lists {
			return false
		}
		entry, lists = e, l
	}
	return entry <= uint64(len(s.dictionary)) && lists <= s.footer.lists.offset+s.footer.lists.size
}

func (s *Segment) openTimes(data []byte) bool {
	if s.docs == 0 {
		return len(data) == 0
	}
	if len(data) < 9 || data[8] > 8 || len(data) != 9+s.docs*int(data[8]) {
		return false
	}
	s.timeBase, s.timeWidth, s.times = int64(little.Uint64(data)), int(data[8]), data[9:]
	return true
}

// time returns the time of a document.
func (s *Segment) time(doc uint32) int64 {
	var b [8]byte
	copy(b[:], s.times[int(doc)*s.timeWidth:][:s.timeWidth])
	return int64(uint64(s.timeBase) + little.Uint64(b[:]))
}

// openResources reads the resources. It checks that their documents are contiguous and
// that each part occurs once.
func (s *Segment) openResources(data []byte) bool {
	n := int(s.footer.resources)
	if n > len(data)/12 {
		return false
	}
	starts, order, blob := data[:8*n], data[8*n:12*n], data[12*n:]
	s.resources = make([]heldResource, n)
	for i := range n {
		at, first := little.Uint32(starts[8*i:]), little.Uint32(starts[8*i+4:])
		end := s.footer.docs
		if i+1 < n {
			end = little.Uint32(starts[8*i+12:])
		}
		if first > end || end > s.footer.docs || i == 0 && first != 0 || uint64(at) > uint64(len(blob)) {
			return false
		}
		r := decoder{data: blob[at:]}
		held := heldResource{Resource: Resource{ID: r.text(), Version: r.text()}, Docs: Range{first, end}}
		part := r.uvarint()
		held.Part, held.Final = int(part>>1&(1<<31-1)), part&1 == 1
		held.recordsAt, held.recordsSize, held.recordsSum = r.uvarint(), r.uvarint(), r.uint32()
		all := s.footer.records
		if r.failed || held.recordsAt > all.size || held.recordsSize > all.size-held.recordsAt {
			return false
		}
		s.resources[i] = held
	}
	return (n > 0 || s.docs == 0) && s.openOrder(order)
}

func (s *Segment) openOrder(data []byte) bool {
	s.byID = make([]uint32, len(data)/4)
	for i := range s.byID {
		n := little.Uint32(data[4*i:])
		if uint64(n) >= uint64(len(s.resources)) || i > 0 && compareResources(s.resources[s.byID[i-1]].Resource, s.resources[n].Resource) >= 0 {
			return false
		}
		s.byID[i] = n
	}
	return true
}

// A decoder reads numbers and texts. Anything past the end of data reads as zero.
type decoder struct {
	data   []byte
	failed bool
}

func (d *decoder) uvarint() uint64 {
	if len(d.data) > 0 && d.data[0] < 0x80 { // most are small
		v := d.data[0]
		d.data = d.data[1:]
		return uint64(v)
	}
	v, n := binary.Uvarint(d.data)
	if n <= 0 {
		d.data, d.failed = nil, true
		return 0
	}
	d.data = d.data[n:]
	return v
}

// bytes returns the next n bytes, or nil if fewer are left.
func (d *decoder) bytes(n uint64) []byte {
	if n > uint64(len(d.data)) {
		d.data, d.failed = nil, true
		return nil
	}
	b := d.data[:n]
	d.data = d.data[n:]
	return b
}

func (d *decoder) text() string { return string(d.bytes(d.uvarint())) }

func (d *decoder) uint32() uint32 {
	b := d.bytes(4)
	if b == nil {
		return 0
	}
	return little.Uint32(b)
}

// checkedPieces records which of many pieces passed their check.
type checkedPieces []atomic.Uint32

func newChecks(n int) checkedPieces { return make(checkedPieces, (n+31)/32) }

func (c checkedPieces) done(i int) bool { return c[i/32].Load()&(1<<(i%32)) != 0 }
func (c checkedPieces) note(i int)      { c[i/32].Or(1 << (i % 32)) }
