package mail

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/ctxio"
)

// isIdentity reports whether a Content-Transfer-Encoding leaves bytes as they
// are. Unknown encodings count as such.
func isIdentity(encoding string) bool {
	switch transferEncoding(encoding) {
	case "base64", "quoted-printable", "uuencode":
		return false
	}
	return true
}

func transferEncoding(text string) string {
	word, _, _ := strings.Cut(strings.ToLower(stripComments(text)), ";")
	switch word = strings.Trim(strings.TrimSpace(word), `"'`); word {
	case "x-uuencode", "x-uue", "uue", "x-uu":
		return "uuencode"
	}
	return word
}

// raw reads the body of e as it is stored.
func (e *entity) raw(ctx context.Context, src io.ReaderAt) io.Reader {
	return section(ctx, e.in(src), e.body, e.end)
}

// decoded reads the body of e without its transfer encoding. Invalid bytes
// are left out; in quoted-printable they stay as they are.
func (e *entity) decoded(ctx context.Context, src io.ReaderAt) io.Reader {
	raw := e.raw(ctx, src)
	switch transferEncoding(e.header["content-transfer-encoding"]) {
	case "base64":
		return newBase64Reader(raw, int(min(32<<10, e.end-e.body+1)))
	case "quoted-printable":
		return &lineDecoder{lines: newScanner(raw, narrow, e.end-e.body), decode: new(quotedDecoder).line}
	case "uuencode":
		u := new(unixDecoder)
		return &lineDecoder{lines: newScanner(raw, narrow, e.end-e.body), decode: u.line}
	}
	return raw
}

// section reads src between two offsets, all of it or with an error.
func section(ctx context.Context, src io.ReaderAt, start, end int64) io.Reader {
	return &exactReader{ctxio.Reader(ctx, io.NewSectionReader(src, start, end-start)), end - start}
}

// An exactReader is a reader that must have so many bytes.
type exactReader struct {
	r    io.Reader
	left int64
}

func (w *exactReader) Read(p []byte) (int, error) {
	n, err := w.r.Read(p)
	w.left -= int64(n)
	if errors.Is(err, io.EOF) && w.left > 0 {
		return n, errCut
	}
	return n, err
}

// errCut reports that the file has fewer bytes than when it was opened.
var errCut = fmt.Errorf("the source became shorter while it was being read: %w", citekit.ErrStale)

// A base64Reader decodes base64 (RFC 2045, section 6.8). Other characters
// are passed over, and the padding ends it.
type base64Reader struct{ decoder io.Reader }

func newBase64Reader(r io.Reader, size int) base64Reader {
	return base64Reader{base64.NewDecoder(base64.RawStdEncoding, &base64Characters{r: bufio.NewReaderSize(r, size)})}
}

func (b base64Reader) Read(p []byte) (int, error) {
	n, err := b.decoder.Read(p)
	if _, ok := errors.AsType[base64.CorruptInputError](err); ok { // one character is left, which is no byte
		err = io.EOF
	}
	return n, err
}

// base64Characters reads the characters of base64 before its padding.
type base64Characters struct {
	r     io.Reader
	count int // of characters
	ended bool
}

func (b *base64Characters) Read(p []byte) (int, error) {
	if b.ended {
		return 0, io.EOF
	}
	n, err := b.r.Read(p)
	kept := p[:0]
	for _, c := range p[:n] {
		if b.ended = c == '=' && b.count%4 >= 2; b.ended {
			break
		}
		if isBase64(c) {
			kept = append(kept, c)
			b.count++
		}
	}
	return len(kept), err
}

// A lineDecoder decodes a source line by line.
type lineDecoder struct {
	lines  *scanner
	decode func(out []byte, l line) []byte
	out    []byte
	given  int
}

func (b *lineDecoder) Read(p []byte) (int, error) {
	for b.given == len(b.out) {
		l, err := b.lines.next()
		if err != nil {
			return 0, err
		}
		b.out, b.given = b.decode(b.out[:0], l), 0
	}
	n := copy(p, b.out[b.given:])
	b.given += n
	return n, nil
}

// A quotedDecoder decodes quoted-printable (RFC 2045, section 6.7).
type quotedDecoder struct{ held []byte } // an escape that may go on in the next piece

func (q *quotedDecoder) line(out []byte, l line) []byte {
	text, end := l.text, []byte(nil)
	if len(q.held) > 0 {
		text = append(q.held, text...)
		q.held = nil
	}
	if l.ends {
		n := endLength(text)
		text, end = bytes.TrimRight(text[:len(text)-n], " \t"), text[len(text)-n:]
		if soft, ok := bytes.CutSuffix(text, []byte("=")); ok {
			text, end = soft, nil
		}
	} else if i := bytes.LastIndexByte(text, '='); i >= 0 && i > len(text)-3 {
		text, q.held = text[:i], bytes.Clone(text[i:])
	}
	return append(appendUnescaped(out, text, '='), end...)
}

// appendUnescaped appends a text in which a mark and two digits stand for a byte.
// Other marks stay.
func appendUnescaped(out, text []byte, mark byte) []byte {
	for {
		i := bytes.IndexByte(text, mark)
		if i < 0 {
			return append(out, text...)
		}
		out, text = append(out, text[:i]...), text[i:]
		if decoded, err := hex.AppendDecode(out, text[1:min(len(text), 3)]); err == nil && len(decoded) > len(out) {
			out, text = decoded, text[3:]
			continue
		}
		out, text = append(out, mark), text[1:]
	}
}

// A unixDecoder decodes uuencode.
type unixDecoder struct{ began, ended bool }

func (u *unixDecoder) line(out []byte, l line) []byte {
	text := bytes.TrimRight(l.text, "\r\n")
	switch {
	case u.ended || !l.begins:
		return out
	case !u.began:
		u.began = bytes.HasPrefix(text, []byte("begin "))
		return out
	case bytes.Equal(bytes.TrimSpace(text), []byte("end")):
		u.ended = true
		return out
	case len(text) == 0 || text[0] < ' ' || text[0] > '`':
		return out
	}
	length := int(text[0]-' ') & 0x3f
	at := func(i int) byte {
		if i < len(text) {
			return (text[i] - ' ') & 0x3f
		}
		return 0
	}
	start := len(out)
	for i := 1; len(out)-start < length; i += 4 {
		a, b, c, d := at(i), at(i+1), at(i+2), at(i+3)
		out = append(out, a<<2|b>>4, b<<4|c>>2, c<<6|d)
	}
	return out[:start+length]
}

// uuName returns the name of a file that is uuencoded in what r reads, or "".
func uuName(r io.Reader) string {
	lines := bufio.NewScanner(io.LimitReader(r, 4<<10))
	for lines.Scan() {
		if rest, ok := strings.CutPrefix(lines.Text(), "begin "); ok {
			_, name, _ := strings.Cut(rest, " ")
			return strings.TrimSpace(name)
		}
	}
	return ""
}
