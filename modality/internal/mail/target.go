package mail

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/sniff"
)

// The kinds of sources, by the ids of package sniff.
const (
	emlKind  = "eml"
	mboxKind = "mbox"
)

// kindOf returns the kind of source that src begins as, or "".
func kindOf(src *citekit.Source) (string, error) {
	const headBytes = 4 << 10
	head := make([]byte, min(headBytes, src.Size()))
	if n, err := src.ReadAt(head, 0); err != nil && (!errors.Is(err, io.EOF) || n < len(head)) {
		if errors.Is(err, io.EOF) {
			err = errCut
		}
		return "", err
	}
	text := bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")), "\r\n")
	separator, rest, _ := bytes.Cut(text, []byte("\n"))
	next, _, _ := bytes.Cut(rest, []byte("\n"))
	if sniff.IsSeparator(separator, next, true) {
		return mboxKind, nil
	}
	if sniff.FieldName(text) != "" || isTrace(text) {
		return emlKind, nil
	}
	return "", nil
}

// Recognizes reports whether src is a mail or a mailbox. It decides by the
// content. A source that only begins with a header field or a "From " line
// counts if its name ends in .eml, .mbox, .mbx, .mht or .mhtml.
func Recognizes(ctx context.Context, src *citekit.Source) (bool, error) {
	if err := ctx.Err(); err != nil {
		return false, err
	}
	format, err := sniff.Detect(src, src.Size())
	if err != nil || format.ID == emlKind || format.ID == mboxKind {
		return err == nil, err
	}
	switch strings.ToLower(filepath.Ext(src.Name())) {
	case ".eml", ".mbox", ".mbx", ".mht", ".mhtml":
		kind, err := kindOf(src)
		return kind != "", err
	}
	return false, nil
}

// A target is what a location selects, without its lines: all of a file, a
// message or a part.
type target struct {
	src        io.ReaderAt
	start, end int64  // of the bytes as they are stored
	media, ext string // unless it is a part
	part       *entity
}

// all selects all of f.
func (f *file) all() *target {
	ext := ".eml"
	if f.box != nil {
		ext = ".mbox"
	}
	return &target{src: f.src, end: f.src.Size(), media: f.mediaType(), ext: ext}
}

// target returns what loc selects, without its lines.
func (f *file) target(ctx context.Context, loc citekit.Location) (*target, error) {
	if loc.Message == 0 && loc.Part == "" {
		return f.all(), nil
	}
	if err := f.check(ctx, loc); err != nil {
		return nil, err
	}
	if loc.Part == "" {
		start, end, err := f.bounds(loc.Message)
		return &target{src: f.src, start: start, end: end, media: "message/rfc822", ext: ".eml"}, err
	}
	m, err := f.message(ctx, loc.Message)
	if err != nil {
		return nil, err
	}
	part, err := m.part(loc.Part)
	if err != nil {
		return nil, err
	}
	t := &target{src: f.src, start: part.body, end: part.end, part: part}
	if part.isMultipart() {
		t = &target{src: part.in(f.src), start: part.start, end: part.end, media: "message/rfc822", ext: ".eml"}
	}
	return t, nil
}

// check returns an error if loc names what f does not have.
func (f *file) check(ctx context.Context, loc citekit.Location) error {
	extent, err := f.extent(ctx)
	if err != nil || extent.Messages+extent.Parts == 0 {
		return err // the parts are not read; part says why
	}
	loc.Lines = citekit.Range{}
	return extent.Check(loc)
}

// mustHold returns an error if there is not a byte in a message of a mailbox.
// Parts may be empty, and files.
func (t *target) mustHold() error {
	if t.part == nil && t.end <= t.start && t.start > 0 {
		return fmt.Errorf("the message is empty: %w", citekit.ErrRange)
	}
	return nil
}

// isMessage reports whether t is a message, or a mailbox.
func (t *target) isMessage() bool { return t.part == nil || t.part.message != nil }

// content returns the bytes of t. Those of a part are decoded.
func (t *target) content(ctx context.Context) (*citekit.Content, error) {
	c := &citekit.Content{MediaType: t.media, Ext: t.ext, Size: t.end - t.start}
	if t.part == nil {
		c.Body = io.NopCloser(section(ctx, t.src, t.start, t.end))
		return c, nil
	}
	c.Body = io.NopCloser(t.part.decoded(ctx, t.src))
	if !isIdentity(t.part.header["content-transfer-encoding"]) {
		c.Size = -1
	}
	c.MediaType, c.Ext = t.part.kind, t.part.ext()
	if t.part.hasLines() && !t.isMessage() {
		text, err := t.part.text(ctx, t.src)
		if err != nil {
			return nil, err
		}
		c.Charset, c.CharsetGuessed = text.charset, text.guessed
	}
	return c, nil
}

// text returns the bytes of t as lines.
func (t *target) text(ctx context.Context) (*decodedText, error) {
	switch {
	case t.part == nil:
		return textOf(func() io.Reader { return section(ctx, t.src, t.start, t.end) }, "", false)
	case t.part.hasLines():
		return t.part.text(ctx, t.src)
	}
	return nil, fmt.Errorf("lines of part %s, which is %s; leave them out: %w", t.part.number, t.part.kind, errors.ErrUnsupported)
}

// hasLines reports whether e has lines.
func (e *entity) hasLines() bool {
	return e.isText() || e.message != nil || e.kind == "application/json" || e.kind == "application/xml" ||
		e.kind == "application/pgp-signature" || strings.HasSuffix(e.kind, "+xml") || strings.HasSuffix(e.kind, "+json")
}
