package pdfcut

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"maps"
	"slices"
	"sort"
	"strconv"

	"github.com/citekit/citekit/modality/document/internal/pdf/internal/pdf"
)

const (
	// minRange is the size in bytes from which a stream is left in the source rather
	// than copied to memory.
	minRange = 16 << 10

	// sampled is how many bytes of such a stream the file identifier depends on.
	sampled = 4 << 10

	// maxHeld bounds the memory of an output, in bytes.
	maxHeld = 128 << 20

	// maxBuffered is how many bytes are buffered before they become a part.
	maxBuffered = 1 << 20
)

// An Output is a PDF file that lies partly in memory and partly in the source from
// which it was made.
type Output struct {
	source io.ReaderAt
	parts  []part
	size   int64

	excessive bool
}

// A part is data in memory, or a range of the source if data is nil.
type part struct {
	start  int64 // offset in the output
	length int64
	data   []byte
	offset int64 // offset in the source
}

// Size returns the length of the output in bytes.
func (o *Output) Size() int64 { return o.size }

// Excessive reports whether some content of the pages was too long to examine when
// decoded. It is copied unchanged all the same.
func (o *Output) Excessive() bool { return o.excessive }

// ReadAt implements [io.ReaderAt]. It reads from the source.
func (o *Output) ReadAt(p []byte, off int64) (int, error) {
	n := 0
	i := sort.Search(len(o.parts), func(i int) bool { return o.parts[i].start+o.parts[i].length > off })
	for ; n < len(p) && i < len(o.parts); i++ {
		part := o.parts[i]
		from := off + int64(n) - part.start
		if part.data != nil {
			n += copy(p[n:], part.data[from:])
			continue
		}
		want := min(part.length-from, int64(len(p)-n))
		got, err := o.source.ReadAt(p[n:n+int(want)], part.offset+from)
		n += got
		if int64(got) < want {
			if err == nil || err == io.EOF {
				err = io.ErrUnexpectedEOF
			}
			return n, err
		}
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// A writer writes the objects of a PDF file one after another.
type writer struct {
	out     Output
	buf     bytes.Buffer // bytes after the last part
	held    int64        // bytes of parts in memory
	ranges  int64        // bytes of parts in the source
	most    int64        // limit of ranges: every byte occurs once
	offsets []int64      // of object i+1; 0 if it has not been written
	id      hash.Hash
}

func newWriter(source io.ReaderAt, size int64, version string) *writer {
	w := &writer{id: sha256.New(), most: size}
	w.out.source = source
	fmt.Fprintf(&w.buf, "%%PDF-%s\n%%\xe2\xe3\xcf\xd3\n", version)
	return w
}

// position returns the offset of what is written next.
func (w *writer) position() int64 { return w.out.size + int64(w.buf.Len()) }

// flush makes a part of the buffered bytes.
func (w *writer) flush() {
	if w.buf.Len() == 0 {
		return
	}
	w.addData(bytes.Clone(w.buf.Bytes()))
	w.buf.Reset()
}

// addData makes a part of data, and takes ownership of data.
func (w *writer) addData(data []byte) {
	w.id.Write(data)
	w.add(part{length: int64(len(data)), data: data})
	w.held += int64(len(data))
}

func (w *writer) add(p part) {
	p.start = w.out.size
	w.out.parts = append(w.out.parts, p)
	w.out.size += p.length
}

// begin starts the object num.
func (w *writer) begin(num int) error {
	for len(w.offsets) < num {
		w.offsets = append(w.offsets, 0)
	}
	w.offsets[num-1] = w.position()
	fmt.Fprintf(&w.buf, "%d 0 obj\n", num)
	if w.buf.Len() > maxBuffered {
		w.flush()
	}
	if w.held+int64(w.buf.Len()) > maxHeld {
		return fmt.Errorf("pages of more than %d bytes: %w", maxHeld, pdf.ErrLimit)
	}
	return nil
}

// object writes an object that is not a stream.
func (w *writer) object(num int, o pdf.Object) error {
	if err := w.begin(num); err != nil {
		return err
	}
	w.value(o)
	w.buf.WriteString("\nendobj\n")
	return nil
}

// stream writes a stream whose data is in memory.
func (w *writer) stream(num int, dict pdf.Dict, data []byte) error {
	if err := w.begin(num); err != nil {
		return err
	}
	w.streamDict(dict, int64(len(data)))
	if len(data) < maxBuffered {
		w.buf.Write(data)
	} else {
		w.flush()
		w.addData(data)
	}
	w.buf.WriteString("\nendstream\nendobj\n")
	return nil
}

// sourceStream writes a stream whose data stays in the source; sample is the beginning
// of the data.
func (w *writer) sourceStream(num int, dict pdf.Dict, offset, length int64, sample []byte) error {
	if err := w.begin(num); err != nil {
		return err
	}
	if w.ranges += length; w.ranges > w.most {
		return fmt.Errorf("streams that lie within each other: %w", pdf.ErrLimit)
	}
	w.streamDict(dict, length)
	w.flush()
	w.id.Write(sample)
	w.add(part{length: length, offset: offset})
	w.buf.WriteString("\nendstream\nendobj\n")
	return nil
}

func (w *writer) streamDict(dict pdf.Dict, length int64) {
	dict["Length"] = length
	w.value(dict)
	w.buf.WriteString("\nstream\n")
}

// finish writes the cross-reference table and the trailer.
func (w *writer) finish(root int) *Output {
	w.flush()
	id := hex.EncodeToString(w.id.Sum(nil)[:16])
	start := w.position()
	fmt.Fprintf(&w.buf, "xref\n0 %d\n0000000000 65535 f \n", len(w.offsets)+1)
	for _, offset := range w.offsets {
		fmt.Fprintf(&w.buf, "%010d 00000 n \n", offset)
	}
	fmt.Fprintf(&w.buf, "trailer\n<</ID[<%s><%s>]/Root %d 0 R/Size %d>>\nstartxref\n%d\n%%%%EOF\n",
		id, id, root, len(w.offsets)+1, start)
	w.flush()
	return &w.out
}

// value writes an object inside another.
func (w *writer) value(o pdf.Object) {
	switch v := o.(type) {
	case bool:
		w.buf.WriteString(strconv.FormatBool(v))
	case int64:
		w.buf.WriteString(strconv.FormatInt(v, 10))
	case pdf.Real:
		w.buf.WriteString(string(v))
	case pdf.String:
		w.text(v)
	case pdf.Name:
		w.name(v)
	case pdf.Ref:
		fmt.Fprintf(&w.buf, "%d %d R", v.Num, v.Gen)
	case pdf.Array:
		w.array(v)
	case pdf.Dict:
		w.dict(v)
	default:
		w.buf.WriteString("null")
	}
}

func (w *writer) array(a pdf.Array) {
	w.buf.WriteByte('[')
	for i, o := range a {
		if i > 0 {
			w.buf.WriteByte(' ')
		}
		w.value(o)
	}
	w.buf.WriteByte(']')
}

func (w *writer) dict(d pdf.Dict) {
	w.buf.WriteString("<<")
	for _, key := range slices.Sorted(maps.Keys(d)) {
		if d[key] == nil {
			continue
		}
		w.name(key)
		if needsSpace(d[key]) {
			w.buf.WriteByte(' ')
		}
		w.value(d[key])
	}
	w.buf.WriteString(">>")
}

// needsSpace reports whether o must be separated from a preceding name by a space.
func needsSpace(o pdf.Object) bool {
	switch o.(type) {
	case pdf.String, pdf.Name, pdf.Array, pdf.Dict:
		return false
	}
	return true
}

const hexDigits = "0123456789ABCDEF"

func (w *writer) name(n pdf.Name) {
	w.buf.WriteByte('/')
	for _, c := range []byte(n) {
		if c <= ' ' || c >= 0x7f || bytes.IndexByte([]byte("()<>[]{}/%#"), c) >= 0 {
			w.buf.Write([]byte{'#', hexDigits[c>>4], hexDigits[c&15]})
			continue
		}
		w.buf.WriteByte(c)
	}
}

// text writes a string in parentheses, with escapes.
func (w *writer) text(s pdf.String) {
	w.buf.WriteByte('(')
	for _, c := range []byte(s) {
		switch c {
		case '(', ')', '\\':
			w.buf.Write([]byte{'\\', c})
		case '\r':
			w.buf.WriteString(`\r`)
		default:
			w.buf.WriteByte(c)
		}
	}
	w.buf.WriteByte(')')
}
