// Package segment holds immutable pieces of a search index as bytes, and
// searches several of them at once.
//
// A [Builder] takes documents, which belong to resources, and writes a segment. [Open]
// reads one from bytes, mapped or in memory. It checks the footer and the small
// sections at once, and each list of postings at its first use, so opening takes little
// time whatever the size. Damaged or hostile bytes give an error matching [ErrDamaged],
// never a panic.
//
// A segment is, in this order:
//
//	magic
//	lists       postings and positions of each term, in the order of the terms
//	records     what is stored for each document, by resource
//	sections    dictionary, its index, lengths, titles, times, resources, places of records
//	footer      places and checksums of the above, counts, checksum
//
// Numbers are little-endian. Terms that begin with [keywordMark] are keywords: lists of
// documents without positions or weight, for filters.
package segment

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
)

// ErrDamaged reports bytes that are not a whole, intact segment.
var ErrDamaged = errors.New("the segment is damaged")

// Parameters of ranking: BM25's two, and how much more a word in a title counts than
// one in the body.
const (
	K1          = 1.2
	B           = 0.75
	TitleWeight = 4

	// PairBonus is what two neighbours in the query add where they are also neighbours
	// in a document, as a fraction of what the lesser of them adds: the term proximity
	// of Rasolofo and Savoy (2003), for neighbours only.
	PairBonus = 0.3
)

const (
	magic       = "ckseg\x001\n"
	blockSize   = 128 // postings in a block
	groupSize   = 16  // terms in a group of the dictionary
	keywordMark = "\x00"

	titleGap    = 16      // positions between the title and the body
	maxTitle    = 1 << 12 // positions in a title; the rest is left out
	maxBody     = 1 << 20 // positions in a body
	maxLength   = 1<<16 - 1
	maxTermSize = 1 << 12 // bytes
)

var (
	little     = binary.LittleEndian
	castagnoli = crc32.MakeTable(crc32.Castagnoli)
)

func checksum(data []byte) uint32 { return crc32.Checksum(data, castagnoli) }

// saturation returns the share of a term's weight that a document gets, below 1.
func saturation(weight, length, mean float64) float64 {
	return weight / (weight + K1*(1-B+B*length/mean))
}

// Sections that are checked when a segment is opened.
const (
	dictionarySection = iota
	groupSection
	lengthSection
	titleSection
	timeSection
	resourceSection
	recordSection
	sectionCount
)

// A section is a part of a segment.
type section struct {
	offset, size uint64
	checksum     uint32
}

// A footer says where the parts of a segment are, and how much they hold.
type footer struct {
	lists, records section // their checksums are not used
	sections       [sectionCount]section
	docs           uint32
	resources      uint32
	terms          uint64
	length         uint64 // of all documents together
}

const footerSize = (sectionCount+2)*20 + 4 + 4 + 8 + 8 + 4

func (f *footer) all() []*section {
	list := []*section{&f.lists, &f.records}
	for i := range f.sections {
		list = append(list, &f.sections[i])
	}
	return list
}

func (f *footer) encode() []byte {
	data := make([]byte, 0, footerSize)
	for _, s := range f.all() {
		data = little.AppendUint64(data, s.offset)
		data = little.AppendUint64(data, s.size)
		data = little.AppendUint32(data, s.checksum)
	}
	data = little.AppendUint32(data, f.docs)
	data = little.AppendUint32(data, f.resources)
	data = little.AppendUint64(data, f.terms)
	data = little.AppendUint64(data, f.length)
	return little.AppendUint32(data, checksum(data))
}

// decodeFooter reads the footer at the end of data. The sections it returns lie within
// data, before the footer.
func decodeFooter(data []byte) (*footer, error) {
	if len(data) < len(magic)+footerSize || string(data[:len(magic)]) != magic {
		return nil, ErrDamaged
	}
	end := uint64(len(data) - footerSize)
	b := data[end:]
	if checksum(b[:footerSize-4]) != little.Uint32(b[footerSize-4:]) {
		return nil, ErrDamaged
	}
	f := new(footer)
	for _, s := range f.all() {
		s.offset, s.size, s.checksum = little.Uint64(b), little.Uint64(b[8:]), little.Uint32(b[16:])
		if s.offset > end || s.size > end-s.offset {
			return nil, ErrDamaged
		}
		b = b[20:]
	}
	f.docs, f.resources = little.Uint32(b), little.Uint32(b[4:])
	f.terms, f.length = little.Uint64(b[8:]), little.Uint64(b[16:])
	return f, nil
}
