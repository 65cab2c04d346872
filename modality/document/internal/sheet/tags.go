package sheet

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/citekit/citekit"
)

// maxHeld is how many bytes of a part are held at once: a row, a shared string, or
// the text before or after the rows.
const maxHeld = 64 << 20

const maxTag = 1 << 20 // bytes

var (
	errMalformed = fmt.Errorf("a part of the workbook is malformed XML: %w", citekit.ErrFormat)
	errDoctype   = fmt.Errorf("a part of the workbook has a document type, which is not read: %w", citekit.ErrFormat)
	errHeld      = fmt.Errorf("a row or a string of more than %d MiB; save the sheet as CSV: %w", maxHeld>>20, citekit.ErrTooLarge)
)

type tagKind uint8

const (
	atEnd tagKind = iota // end of the document
	openTag
	emptyTag
	closeTag
)

// A tagReader finds the tags of a part while reading it. It does not check nesting,
// and holds only what keep asks for.
type tagReader struct {
	r    io.Reader
	buf  []byte
	base int64 // offset of buf in the part
	pos  int   // offset in buf of what follows the current tag
	end  int   // end of the data in buf
	keep int   // offset in buf from which data is kept; -1 keeps only the current tag
	done bool

	// The current tag.
	kind     tagKind
	tag      int // offset in buf where it begins
	text     int // offset in buf of the text before it, after the previous tag
	name     []byte
	attrs    []byte
	nameFrom int // offset in buf of its name with prefix
}

func newTagReader(r io.Reader, base int64) *tagReader {
	return &tagReader{r: r, buf: make([]byte, 64<<10), base: base, keep: -1}
}

// offset returns where the current tag begins in the part.
func (t *tagReader) offset() int64 { return t.base + int64(t.tag) }

// more reads more data and drops data that is not kept.
func (t *tagReader) more() error {
	if t.done {
		return io.ErrUnexpectedEOF
	}
	low := min(t.text, t.tag)
	if t.keep >= 0 {
		low = min(low, t.keep)
	}
	if low > 0 && t.end == len(t.buf) {
		copy(t.buf, t.buf[low:t.end])
		t.base += int64(low)
		t.pos -= low
		t.end -= low
		t.tag -= low
		t.text -= low
		if t.keep >= 0 {
			t.keep -= low
		}
	}
	if t.end == len(t.buf) {
		if len(t.buf) >= maxHeld {
			return errHeld
		}
		t.buf = append(t.buf, make([]byte, len(t.buf))...)
	}
	for {
		n, err := t.r.Read(t.buf[t.end:])
		t.end += n
		if err == io.EOF {
			t.done = true
			if n == 0 {
				return io.ErrUnexpectedEOF
			}
			return nil
		}
		if n > 0 || err != nil {
			return err
		}
	}
}

// find returns the offset in buf of the first sep at or after from. Data from the tag
// up to there is held.
func (t *tagReader) find(from int, sep string) (int, error) {
	for {
		if i := bytes.Index(t.buf[from:t.end], []byte(sep)); i >= 0 {
			return from + i, nil
		}
		ahead := from - t.tag
		searched := max(t.end-len(sep)+1-t.tag, ahead)
		if err := t.more(); err != nil {
			return 0, err
		}
		from = t.tag + searched
	}
}

// next steps to the next tag. Comments, instructions and CDATA are part of the
// text before it.
func (t *tagReader) next() error {
	t.text, t.tag = t.pos, t.pos
	for {
		i := bytes.IndexByte(t.buf[t.tag:t.end], '<')
		if i < 0 {
			t.tag = t.end
			if err := t.more(); errors.Is(err, io.ErrUnexpectedEOF) {
				t.kind, t.pos, t.tag = atEnd, t.end, t.end
				return nil
			} else if err != nil {
				return err
			}
			continue
		}
		t.tag += i
		for t.end-t.tag < len("<![CDATA[") && !t.done {
			if err := t.more(); errors.Is(err, io.ErrUnexpectedEOF) {
				break
			} else if err != nil {
				return err
			}
		}
		if t.end-t.tag < len("<a>") {
			return errMalformed
		}
		c := t.buf[t.tag+1]
		if c != '!' && c != '?' {
			return t.readTag()
		}
		if err := t.pass(); err != nil {
			return err
		}
	}
}

// pass skips markup that begins with "<!" or "<?".
func (t *tagReader) pass() error {
	rest := t.buf[t.tag:t.end]
	sep := "?>"
	switch {
	case bytes.HasPrefix(rest, []byte("<!--")):
		sep = "-->"
	case bytes.HasPrefix(rest, []byte("<![CDATA[")):
		sep = "]]>"
	case rest[1] == '!':
		return errDoctype
	}
	i, err := t.find(t.tag+2, sep)
	if err != nil {
		return malformed(err)
	}
	t.tag = i + len(sep)
	return nil
}

func malformed(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return errMalformed
	}
	return err
}

// readTag reads the tag that begins at tag.
func (t *tagReader) readTag() error {
	end, err := t.tagEnd()
	if err != nil {
		return malformed(err)
	}
	t.pos = end + 1
	from, to := t.tag+1, end
	t.kind = openTag
	if t.buf[from] == '/' {
		t.kind = closeTag
		from++
	} else if t.buf[end-1] == '/' {
		t.kind = emptyTag
		to--
	}
	if from >= to {
		return errMalformed
	}
	inner := t.buf[from:to]
	i := 0
	for i < len(inner) && inner[i] > ' ' {
		i++
	}
	if i == 0 {
		return errMalformed
	}
	name := inner[:i]
	t.nameFrom = from
	if colon := bytes.IndexByte(name, ':'); colon >= 0 {
		name = name[colon+1:]
	}
	t.name, t.attrs = name, inner[i:]
	return nil
}

// tagEnd returns the offset of the ">" of the tag.
func (t *tagReader) tagEnd() (int, error) {
	at := 1 // relative to the tag
	for {
		rest := t.buf[t.tag+at : t.end]
		i := bytes.IndexByte(rest, '>')
		if i >= 0 && bytes.IndexByte(rest[:i], '"') < 0 && bytes.IndexByte(rest[:i], '\'') < 0 {
			return t.tag + at + i, nil
		}
		if i >= 0 {
			if end, ok := quotedEnd(rest); ok {
				return t.tag + at + end, nil
			}
		}
		if t.end-t.tag > maxTag {
			return 0, fmt.Errorf("a tag of more than %d MiB: %w", maxTag>>20, citekit.ErrTooLarge)
		}
		if err := t.more(); err != nil {
			return 0, err
		}
	}
}

// quotedEnd returns the offset of the first ">" outside quotes.
func quotedEnd(s []byte) (int, bool) {
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '>':
			return i, true
		case '"', '\'':
			end := bytes.IndexByte(s[i+1:], s[i])
			if end < 0 {
				return 0, false
			}
			i += end + 1
		}
	}
	return 0, false
}

// is reports whether the current tag is that of an element with a name.
func (t *tagReader) is(name string) bool { return string(t.name) == name }

// An attr is an attribute of a tag: value begins at from in the attributes.
type attr struct {
	name, value []byte
	from        int // offset in the attributes of this attribute, including the space before it
	valueFrom   int
}

// nextAttr returns the attribute at or after an offset in the attributes of a tag,
// and the offset to continue at, or -1 if there is none.
func nextAttr(attrs []byte, at int) (attr, int) {
	from := at
	for at < len(attrs) && attrs[at] <= ' ' {
		at++
	}
	start := at
	for at < len(attrs) && attrs[at] != '=' && attrs[at] > ' ' {
		at++
	}
	name := attrs[start:at]
	for at < len(attrs) && (attrs[at] == '=' || attrs[at] <= ' ') {
		at++
	}
	if at >= len(attrs) || attrs[at] != '"' && attrs[at] != '\'' {
		return attr{}, -1
	}
	quote := attrs[at]
	at++
	end := at
	for end < len(attrs) && attrs[end] != quote {
		end++
	}
	if end >= len(attrs) {
		return attr{}, -1
	}
	return attr{name, attrs[at:end], from, at}, end + 1
}

// get returns the value of an attribute without a prefix, as written.
func get(attrs []byte, name string) (value []byte, ok bool) {
	for at := 0; ; {
		var a attr
		if a, at = nextAttr(attrs, at); at < 0 {
			return nil, false
		}
		if string(a.name) == name {
			return a.value, true
		}
	}
}
