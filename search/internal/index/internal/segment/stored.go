package segment

import (
	"context"
	"io"
	"iter"
	"slices"
	"strings"
)

// Resources returns the number of resources, dead ones included.
func (s *Segment) Resources() int { return len(s.resources) }

// Resource returns the n-th resource and its documents.
func (s *Segment) Resource(n int) (Resource, Range) {
	r := &s.resources[n]
	return r.Resource, r.Docs
}

// FindResource yields the numbers of a resource, one for each of its parts in the
// segment.
func (s *Segment) FindResource(id string) iter.Seq[int] {
	return func(yield func(int) bool) {
		i, _ := slices.BinarySearchFunc(s.byID, id, func(n uint32, id string) int {
			return strings.Compare(s.resources[n].ID, id)
		})
		for ; i < len(s.byID) && s.resources[s.byID[i]].ID == id; i++ {
			if !yield(int(s.byID[i])) {
				return
			}
		}
	}
}

// resourceOf returns the number of the resource of a document.
func (s *Segment) resourceOf(doc uint32) int {
	n, _ := slices.BinarySearchFunc(s.resources, doc, func(r heldResource, doc uint32) int {
		switch {
		case r.Docs.End <= doc:
			return -1
		case r.Docs.First > doc:
			return 1
		}
		return 0
	})
	return n
}

// Record returns the record of a document: the records of its resource, which the
// caller must not change, and where in them this record begins and ends.
func (s *Segment) Record(doc uint32) (r Resource, records []byte, start, end int, err error) {
	n := s.resourceOf(doc)
	err = Guard(func() error {
		records, err = s.records(n)
		return err
	})
	if err != nil {
		return r, nil, 0, 0, err
	}
	held := &s.resources[n]
	start, end = s.place(doc), len(records)
	if doc+1 < held.Docs.End {
		end = s.place(doc + 1)
	}
	if start > end || end > len(records) {
		return r, nil, 0, 0, ErrDamaged
	}
	return held.Resource, records, start, end, nil
}

func (s *Segment) place(doc uint32) int { return int(little.Uint32(s.places[4*doc:])) }

// records returns the records of a resource, checking them at first use.
func (s *Segment) records(n int) ([]byte, error) {
	r := &s.resources[n]
	data := s.data[s.footer.records.offset+r.recordsAt:][:r.recordsSize]
	if !s.checkedRecords.done(n) {
		if checksum(data) != r.recordsSum {
			return nil, ErrDamaged
		}
		s.checkedRecords.note(n)
	}
	return data, nil
}

// Having adds to set the documents that have any of the keywords.
func (s *Segment) Having(set Bitmap, keywords ...string) error {
	c := new(cursor)
	for _, keyword := range keywords {
		e, ok, err := s.find(keywordMark + keyword)
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		if err := c.open(s, e); err != nil {
			return err
		}
		for doc := c.seek(0); doc != end; doc = c.seek(doc + 1) {
			set.Add(doc)
		}
		if c.err != nil {
			return c.err
		}
	}
	return nil
}

// Between adds to set the documents whose time lies in [from, to].
func (s *Segment) Between(set Bitmap, from, to int64) {
	for doc := range uint32(s.docs) {
		if t := s.time(doc); t >= from && t <= to {
			set.Add(doc)
		}
	}
}

// Check reads and checks the whole segment.
func (s *Segment) Check(ctx context.Context) error {
	return Merge(ctx, io.Discard, []View{NewView(s, nil)})
}
