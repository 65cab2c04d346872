package mail

import (
	"bytes"
	"context"
	"errors"
	"io"
	"iter"
	"strings"
	"unicode"

	"github.com/citekit/citekit"
)

const runBytes = 64 << 10 // of a part that go into one run of text

// ReadText implements [citekit.TextReader]. The text of a message is its
// sender, receivers, date and subject, decoded, and then its parts that are
// text. Of alternatives, the plain text is read if it has words. Messages
// within the message are read the same way. A header field whose decoded text
// equals its bytes is located at its lines; any other field is located at the
// message. A run of a plain-text part holds about 64 KB of whole lines with
// their line ends; a last line without one gets LF. An HTML part is one run:
// its visible text. Bytes that are invalid in the charset become U+FFFD.
//
// Selected lines are read as they are written: lines of HTML with their tags, and
// lines of a message with its whole header.
//
// Errors match [errors.ErrUnsupported] for a part that is not text, and
// [citekit.ErrEncrypted] for one that S/MIME or PGP encrypts.
func (r *Resolver) ReadText(ctx context.Context, src *citekit.Source, loc citekit.Location) iter.Seq2[citekit.TextRun, error] {
	return func(yield func(citekit.TextRun, error) bool) {
		f, err := r.open(ctx, src, loc)
		if err == nil {
			rd := &textReader{ctx: ctx, src: src, yield: func(run citekit.TextRun) bool { return yield(run, nil) }}
			err = rd.file(f, loc)
		}
		if err != nil && !errors.Is(err, errStopped) {
			yield(citekit.TextRun{}, err)
		}
	}
}

// errStopped reports that the caller stopped reading.
var errStopped = errors.New("stopped")

// A textReader yields the runs of one call.
type textReader struct {
	ctx   context.Context
	src   io.ReaderAt
	yield func(citekit.TextRun) bool
}

func (rd *textReader) give(text string, at citekit.Location) error {
	if !rd.yield(citekit.TextRun{Text: text, Location: at}) {
		return errStopped
	}
	return rd.ctx.Err()
}

func (rd *textReader) file(f *file, loc citekit.Location) error {
	switch {
	case !loc.Lines.IsZero():
		return rd.lines(f, loc)
	case loc.Part != "":
		return rd.part(f, loc)
	case f.box == nil || loc.Message != 0:
		if err := f.check(rd.ctx, loc); err != nil {
			return err
		}
		return rd.message(f, loc)
	}
	for n := range f.box.starts {
		if err := rd.message(f, citekit.Location{Modality: citekit.Text, Message: n + 1}); err != nil {
			return err
		}
	}
	return nil
}

// message reads a message of a mailbox, or the message of the file. Parts that
// cannot be found are left out.
func (rd *textReader) message(f *file, at citekit.Location) error {
	m, err := f.message(rd.ctx, at.Message)
	if err != nil {
		return err
	}
	start := int64(0)
	if at.Message != 0 {
		if start, _, err = f.bounds(at.Message); err != nil {
			return err
		}
	}
	if err := rd.header(m.root, start, at); err != nil || m.why != nil {
		return err
	}
	return rd.entity(m.root, at)
}

func (rd *textReader) part(f *file, loc citekit.Location) error {
	t, err := f.target(rd.ctx, loc)
	if err != nil {
		return err
	}
	m, err := f.message(rd.ctx, loc.Message)
	if err != nil {
		return err
	}
	e := m.parts[loc.Part]
	if cipher, err := e.cipher(rd.ctx, rd.src); err != nil || cipher != "" && !e.isText() {
		if err == nil {
			err = e.encryptedError(cipher)
		}
		return err
	}
	if !e.isMultipart() && e.message == nil && !e.hasLines() {
		_, err := t.text(rd.ctx)
		return err
	}
	return rd.entity(e, loc)
}

// entity reads the texts in an entity, at a place of its message.
func (rd *textReader) entity(e *entity, at citekit.Location) error {
	if e.number != "" {
		at.Part = e.number
	}
	switch {
	case e.message != nil:
		start := e.body
		if e.message.held != e.held { // it was encoded
			start = 0
		}
		if err := rd.header(e.message, start, at); err != nil {
			return err
		}
		return rd.entity(e.message, at)
	case e.isMultipart():
		parts, err := e.read(rd.ctx, rd.src)
		if err != nil {
			return err
		}
		for _, part := range parts {
			if err := rd.entity(part, at); err != nil {
				return err
			}
		}
		return nil
	case !e.isText() && at.Part != e.number, e.kind == "text/css":
		return nil
	}
	if !e.hasLines() {
		return nil
	}
	text, err := e.text(rd.ctx, rd.src)
	if err != nil {
		return err
	}
	if e.kind == "text/html" {
		page, ok, err := text.page()
		switch {
		case err != nil, page == "" && ok:
			return err
		case ok:
			return rd.give(page, at)
		}
	}
	return rd.text(text, citekit.Range{}, at)
}

// read returns the parts of a multipart that are read. Of alternatives it is one:
// the plain text if it has words, else the last that is text.
func (e *entity) read(ctx context.Context, src io.ReaderAt) ([]*entity, error) {
	if e.kind != "multipart/alternative" {
		return e.parts, nil
	}
	var best []*entity
	for i, part := range e.parts {
		kind := part.textKind()
		if kind == "text/plain" {
			worded, err := part.hasWords(ctx, src)
			if err != nil {
				return nil, err
			}
			if worded {
				return e.parts[i : i+1], nil
			}
		}
		if kind == "text/html" || kind != "" && best == nil {
			best = e.parts[i : i+1]
		}
	}
	return best, nil
}

// textKind returns the media type of the first text in e, or "".
func (e *entity) textKind() string {
	if e.message != nil {
		return e.message.textKind()
	}
	for _, part := range e.parts {
		if kind := part.textKind(); kind != "" {
			return kind
		}
	}
	if !e.isMultipart() && e.isText() {
		return e.kind
	}
	return ""
}

// hasWords reports whether the beginning of a text has something to see.
func (e *entity) hasWords(ctx context.Context, src io.ReaderAt) (bool, error) {
	const examined = 4 << 10
	if e.isMultipart() || e.message != nil {
		return true, nil
	}
	head, err := io.ReadAll(io.LimitReader(e.decoded(ctx, src), examined))
	return bytes.ContainsFunc(head, func(r rune) bool { return !unicode.IsSpace(r) && unicode.IsPrint(r) }), err
}

// lines reads lines of a file, a message or a part.
func (rd *textReader) lines(f *file, loc citekit.Location) error {
	t, err := f.target(rd.ctx, loc)
	if err != nil {
		return err
	}
	text, err := t.text(rd.ctx)
	if err != nil {
		return err
	}
	if _, _, err := text.span(loc.Lines); err != nil {
		return err
	}
	return rd.text(text, loc.Lines, loc)
}

// text reads lines of a text, all of them if lines is zero.
func (rd *textReader) text(t *decodedText, lines citekit.Range, at citekit.Location) error {
	s := newScanner(t.open(), t.coding, -1)
	g := runBuilder{rd: rd, charset: t.charset, at: at}
	for number := 0; lines.IsZero() || number <= lines.Last; {
		l, err := s.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		if l.begins {
			number++
		}
		if number < lines.First || !lines.IsZero() && number > lines.Last {
			continue
		}
		if err := g.add(l, number); err != nil {
			return err
		}
	}
	return g.finish()
}

// A runBuilder is a run in the making.
type runBuilder struct {
	rd      *textReader
	charset string
	at      citekit.Location
	first   int // line
	last    int
	held    []byte
}

func (g *runBuilder) add(l line, number int) error {
	if len(g.held) > 0 && len(g.held)+len(l.text) > runBytes {
		if err := g.flush(); err != nil {
			return err
		}
	}
	if len(g.held) == 0 {
		g.first = number
	}
	g.held, g.last = append(g.held, l.text...), number
	return nil
}

// finish gives the last run, which ends its line.
func (g *runBuilder) finish() error {
	if len(g.held) == 0 {
		return nil
	}
	g.at.Lines = citekit.Range{First: g.first, Last: g.last}
	text := decodeText(g.charset, g.held)
	if !strings.HasSuffix(text, "\n") && !strings.HasSuffix(text, "\r") {
		text += "\n"
	}
	return g.rd.give(text, g.at)
}

func (g *runBuilder) flush() error {
	if len(g.held) == 0 {
		return nil
	}
	g.at.Lines = citekit.Range{First: g.first, Last: g.last}
	text := decodeText(g.charset, g.held)
	g.held = g.held[:0]
	return g.rd.give(text, g.at)
}
