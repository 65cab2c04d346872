package index

import (
	"encoding/binary"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/terms"
	"github.com/citekit/citekit/search/internal/index/internal/segment"
)

// A recordWriter makes the records of one resource. A text that it has written
// before, such as a path or an author, becomes a reference to its earlier
// place. A text is written as twice its length and then its bytes, a reference
// as twice its place plus one.
type recordWriter struct {
	seen map[string]int // positions of texts
	size int            // of all records so far
	out  []byte         // of the present one
}

const minShared = 4 // bytes that a text needs for a reference

func newRecordWriter() *recordWriter { return &recordWriter{seen: make(map[string]int)} }

// record returns the record of an entry, which is valid until the next call.
func (w *recordWriter) record(e *Entry, language terms.Language) []byte {
	w.out = w.out[:0]
	for _, text := range []string{e.Node, e.Type, string(e.Modality), e.Title, e.Summary, e.Location, e.SourcePath, string(language)} {
		w.text(text)
	}
	for _, list := range [][]string{e.Path, e.Authors, e.Labels} {
		w.out = binary.AppendUvarint(w.out, uint64(len(list)))
		for _, text := range list {
			w.text(text)
		}
	}
	w.out = binary.AppendVarint(w.out, int64(e.Ordinal))
	w.out = binary.AppendVarint(w.out, seconds(e.Created))
	w.size += len(w.out)
	return w.out
}

func (w *recordWriter) text(text string) {
	if at, ok := w.seen[text]; ok {
		w.out = binary.AppendUvarint(w.out, uint64(at)<<1|1)
		return
	}
	if len(text) >= minShared {
		w.seen[text] = w.size + len(w.out)
	}
	w.out = binary.AppendUvarint(w.out, uint64(len(text))<<1)
	w.out = append(w.out, text...)
}

// seconds returns a time for filters; 0 stands for an unknown time.
func seconds(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	if s := t.Unix(); s != 0 {
		return s
	}
	return 1
}

// A recordReader reads one record among those of its resource.
type recordReader struct {
	all     []byte
	at, end int
	failed  bool
}

// readRecord returns the entry in a range of the records of a resource.
func readRecord(records []byte, start, end int) (e Entry, language terms.Language, err error) {
	r := recordReader{all: records, at: start, end: end}
	e = Entry{Node: r.text(), Type: r.text(), Modality: citekit.Modality(r.text()), Title: r.text(), Summary: r.text(), Location: r.text(), SourcePath: r.text()}
	language = terms.Language(r.text())
	e.Path, e.Authors, e.Labels = r.list(), r.list(), r.list()
	e.Ordinal = int(r.varint())
	if s := r.varint(); s != 0 {
		e.Created = time.Unix(s, 0).UTC()
	}
	if r.failed {
		return Entry{}, "", segment.ErrDamaged
	}
	return e, language, nil
}

func (r *recordReader) uvarint() uint64 {
	if r.at < r.end && r.all[r.at] < 0x80 { // most are small
		r.at++
		return uint64(r.all[r.at-1])
	}
	v, n := binary.Uvarint(r.all[r.at:r.end])
	return v * r.moved(n)
}

func (r *recordReader) varint() int64 {
	v, n := binary.Varint(r.all[r.at:r.end])
	return v * int64(r.moved(n))
}

// moved skips a number of n bytes. It returns 0 if there was none, and 1
// otherwise.
func (r *recordReader) moved(n int) uint64 {
	if n <= 0 {
		r.failed = true
		return 0
	}
	r.at += n
	return 1
}

func (r *recordReader) text() string {
	n := r.uvarint()
	if n&1 == 0 {
		return r.plain(n >> 1)
	}
	place := n >> 1
	if place >= uint64(len(r.all)) {
		r.failed = true
		return ""
	}
	there := recordReader{all: r.all, at: int(place), end: len(r.all)}
	if n = there.uvarint(); n&1 == 1 {
		there.failed = true
	}
	text := there.plain(n >> 1)
	r.failed = r.failed || there.failed
	return text
}

// plain returns a copy of the next n bytes: the records may be unmapped.
func (r *recordReader) plain(n uint64) string {
	if r.failed || n > uint64(r.end-r.at) {
		r.failed = true
		return ""
	}
	text := string(r.all[r.at : r.at+int(n)])
	r.at += int(n)
	return text
}

func (r *recordReader) list() (list []string) {
	for n := r.uvarint(); n > 0 && !r.failed; n-- {
		list = append(list, r.text())
	}
	return list
}
