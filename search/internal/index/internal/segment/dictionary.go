package segment

import (
	"iter"
	"sort"
	"strings"
	"unicode/utf8"
)

// groupEntry is the size of a group's entry in the index of the dictionary: the offset
// of its first term in the dictionary (32 bits), the offset of its lists (64 bits), and
// the checksum of the lists (32 bits).
const groupEntry = 16

// headSize is the size of a block's head, which precedes the blocks of a term that has
// several: the last document, the offsets of postings and positions (32 bits each), and
// the largest saturation (8 bits).
const headSize = 13

func blocksOf(docs int) int { return (docs + blockSize - 1) / blockSize }

// An entry is what the dictionary has of a term.
type entry struct {
	group int
	docs  int
	best  byte // largest saturation

	lists                     uint64 // offset
	postingSize, positionSize uint64
}

// entries reads the terms of all groups in order.
type entries struct {
	s     *Segment
	next  int // next group
	left  int // terms left in the group
	in    decoder
	lists uint64
	term  []byte // of entry, valid until the next read
	entry entry
	err   error
}

// from returns the entries from the start of a group.
func (s *Segment) from(group int) *entries { return &entries{s: s, next: group} }

// read reads the next entry. At the end and after an error it returns false, and the
// entry's docs are 0.
func (e *entries) read() bool {
	e.entry.docs = 0
	if e.err != nil || e.left == 0 && !e.open() {
		return false
	}
	e.left--
	shared := e.in.uvarint()
	if shared > uint64(len(e.term)) {
		e.in.failed = true
		shared = 0
	}
	e.term = append(e.term[:shared], e.in.bytes(e.in.uvarint())...)
	docs := e.in.uvarint()
	if best := e.in.bytes(1); best != nil {
		e.entry.best = best[0]
	}
	e.entry.lists, e.entry.postingSize, e.entry.positionSize = e.lists, e.in.uvarint(), e.in.uvarint()
	limit := e.s.footer.lists.offset + e.s.footer.lists.size
	rest := limit - e.lists
	if e.in.failed || docs == 0 || docs > uint64(e.s.docs) || e.entry.postingSize > rest || e.entry.positionSize > rest-e.entry.postingSize {
		e.err = ErrDamaged
		return false
	}
	e.entry.docs = int(docs)
	e.lists += e.entry.postingSize + e.entry.positionSize
	return true
}

// open begins the next group.
func (e *entries) open() bool {
	if e.next >= e.s.groups {
		return false
	}
	index := e.s.groupIndex[e.next*groupEntry:]
	e.in = decoder{data: e.s.dictionary[little.Uint32(index):]}
	e.lists = little.Uint64(index[4:])
	e.left = min(groupSize, int(e.s.footer.terms)-e.next*groupSize)
	e.entry.group = e.next
	e.term = e.term[:0]
	e.next++
	return true
}

// groupOf returns the only group that can have a term.
func (s *Segment) groupOf(term string) int {
	return max(0, sort.Search(s.groups, func(g int) bool { return string(s.firstTerm(g)) > term })-1)
}

// firstTerm returns the first term of a group, empty if the group is damaged.
func (s *Segment) firstTerm(group int) []byte {
	in := decoder{data: s.dictionary[little.Uint32(s.groupIndex[group*groupEntry:]):]}
	in.uvarint()
	return in.bytes(in.uvarint())
}

// find returns the entry of a term, or false if there is none.
func (s *Segment) find(term string) (entry, bool, error) {
	var room [64]byte
	e := entries{s: s, next: s.groupOf(term), term: room[:0]}
	e.seek(term)
	if e.entry.docs == 0 || string(e.term) != term {
		return entry{}, false, e.err
	}
	return e.entry, true, nil
}

// seek returns entries that are at the first term not before term. If there is none,
// the entry's docs are 0.
func (s *Segment) seek(term string) *entries {
	e := s.from(s.groupOf(term))
	e.seek(term)
	return e
}

// seek reads up to the first term not before term.
func (e *entries) seek(term string) {
	for e.read() {
		if string(e.term) >= term {
			return
		}
	}
}

// Frequency returns how many documents have a term.
func (s *Segment) Frequency(term string) (int, error) {
	e, _, err := s.find(term)
	return e.docs, err
}

// Terms yields the terms with a prefix, in ascending order, and how many documents have
// each. It stops where the dictionary is damaged.
func (s *Segment) Terms(prefix string) iter.Seq2[string, int] {
	return func(yield func(string, int) bool) {
		e := s.seek(prefix)
		for ok := e.entry.docs > 0; ok && strings.HasPrefix(string(e.term), prefix); ok = e.read() {
			if !yield(string(e.term), e.entry.docs) {
				return
			}
		}
	}
}

// Keywords yields the keywords with a prefix, as Terms does.
func (s *Segment) Keywords(prefix string) iter.Seq2[string, int] {
	return func(yield func(string, int) bool) {
		for keyword, docs := range s.Terms(keywordMark + prefix) {
			if !yield(keyword[len(keywordMark):], docs) {
				return
			}
		}
	}
}

// lastAlphabet is the first character after the alphabetic scripts. From here on there
// are too many characters to try each.
const lastAlphabet = 0x2e80

// maxContinuations bounds how many letters are tried at each place in a word.
const maxContinuations = 128

// Near yields the terms at one edit from term (one letter added, removed or replaced)
// and how many documents have each, in no order and with repetitions. It tries only
// letters that the dictionary has at that place.
func (s *Segment) Near(term string) iter.Seq2[string, int] {
	return func(yield func(string, int) bool) {
		try := func(candidate string) bool {
			if candidate == term {
				return true
			}
			docs, err := s.Frequency(candidate)
			return err == nil && (docs == 0 || yield(candidate, docs))
		}
		for at := 0; at <= len(term); {
			_, size := utf8.DecodeRuneInString(term[at:])
			before, rest := term[:at], term[at:]
			if size > 0 && !try(before+rest[size:]) {
				return
			}
			for letter := range s.continuations(before) {
				if !try(before+letter+rest) || size > 0 && !try(before+letter+rest[size:]) {
					return
				}
			}
			at += max(1, size)
		}
	}
}

// continuations yields the letters that follow a prefix in the dictionary.
func (s *Segment) continuations(prefix string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for next, tries := rune(1), 0; next < lastAlphabet && tries < maxContinuations; tries++ {
			e := s.seek(prefix + string(next))
			rest, ok := strings.CutPrefix(string(e.term), prefix)
			if e.entry.docs == 0 || !ok || rest == "" {
				return
			}
			r, size := utf8.DecodeRuneInString(rest)
			if r >= lastAlphabet || r < next || !yield(rest[:size]) {
				return
			}
			next = r + 1
		}
	}
}
