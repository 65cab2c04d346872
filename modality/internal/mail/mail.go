// Package mail resolves messages of e-mail, their parts and lines, and messages
// of mailboxes. The evidence is the message as it is stored, or a part such as
// an attachment without its transfer encoding. The nodes of a map are the
// threads, messages and parts. Package modality/text uses it, as a message is a
// text.
//
// # Parts
//
// Parts have the numbers of RFC 3501, section 6.4.5. The parts of a multipart
// count from 1. A message that is not a multipart has part 1. If part N is a
// message, its parts are N.1, N.2 and so on. The evidence of a part is its bytes
// without their transfer encoding, in their own charset. The evidence of a
// multipart is its header and body as they are stored. Lines of a part count in
// these bytes as package modality/text counts lines.
//
// # Mailboxes
//
// A mailbox is cut at its "From " lines (RFC 4155). A "From " line starts a
// message if it has a date, and either follows an empty line or is followed by
// a header field. A "From " line without a date starts a message if it follows
// an empty line, or is only "From -", and a header field of a mail follows. A
// line within the Content-Length of a message does not count if another message
// begins after that length. The evidence of a message is as it is stored,
// without its "From " line and the empty line at its end. Lines that begin with
// ">From " stay unchanged, because nothing says which of them were quoted.
//
// # Damage
//
// Damaged messages are read where possible. A multipart without its boundary is a
// text. A multipart that is not closed ends where its message does. A multipart
// without parts is a text up to the delimiter that closes it. Bytes that are not
// base64 are left out.
package mail

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/concurrent"
	"github.com/citekit/citekit/modality/internal/docfile"
	"github.com/citekit/citekit/modality/internal/member"
)

// A Resolver extracts messages and parts. The zero value is ready to use. It
// must not be copied.
//
// It holds neither messages nor parts in memory: a mailbox of any size takes
// eight bytes for each of its messages.
type Resolver struct {
	// CacheBytes bounds the memory for the structure of sources that were read;
	// zero means 16 MiB, and a negative number means none.
	CacheBytes int64

	once     sync.Once
	boxes    concurrent.Cache[*mailbox]
	messages concurrent.Cache[*message]
	copies   member.Copier
}

const defaultCacheBytes = 16 << 20

var (
	_ citekit.Resolver   = (*Resolver)(nil)
	_ citekit.Measurer   = (*Resolver)(nil)
	_ citekit.TextReader = (*Resolver)(nil)
	_ citekit.Mapper     = (*Resolver)(nil)
	_ citekit.Versioner  = (*Resolver)(nil)
)

// Version implements [citekit.Versioner].
func (r *Resolver) Version() string { return "mail/6" }

// Resolve implements [citekit.Resolver]. Errors match [citekit.ErrFormat] if src
// does not begin as a message or a mailbox, [citekit.ErrRange] also if a message
// of a mailbox is empty, and [errors.ErrUnsupported] for lines of a part that is
// not text. They match [citekit.ErrTooLarge] if a message has more than 10,000
// parts or nests them more than 99 deep, or if a mailbox has more than 1,048,576
// messages. The evidence of an empty part is empty. The Body reads from src, and
// fails with ctx.Err() once ctx is done.
func (r *Resolver) Resolve(ctx context.Context, src *citekit.Source, req citekit.Request) (*citekit.Content, error) {
	loc := req.Location
	f, err := r.open(ctx, src, loc)
	if err != nil {
		return nil, err
	}
	t, err := f.target(ctx, loc)
	if err != nil {
		return nil, err
	}
	if err := t.mustHold(); err != nil {
		return nil, err
	}
	c, err := t.content(ctx)
	if err != nil || loc.Lines.IsZero() {
		return c, err
	}
	text, err := t.text(ctx)
	if err != nil {
		return nil, err
	}
	start, end, err := text.span(loc.Lines)
	if err != nil {
		return nil, err
	}
	if t.isMessage() { // some lines of a message are none
		c.MediaType, c.Ext = "text/plain", ".txt"
	}
	c.Body, c.Size = io.NopCloser(text.between(start, end)), end-start
	c.Charset, c.CharsetGuessed = text.charset, text.guessed
	return c, nil
}

// Measure implements [citekit.Measurer]. It counts the parts at the top of a
// message, and the lines of the file.
func (r *Resolver) Measure(ctx context.Context, src *citekit.Source) (citekit.Extent, error) {
	f, err := r.open(ctx, src, citekit.Location{Modality: citekit.Text})
	if err != nil {
		return citekit.Extent{}, err
	}
	extent, err := f.extent(ctx)
	if err != nil {
		return citekit.Extent{}, err
	}
	text, err := f.all().text(ctx)
	if err != nil {
		return citekit.Extent{}, err
	}
	extent.Lines, err = text.count()
	return extent, err
}

// Count returns the media type of a mail, and how many messages a mailbox has,
// or how many parts are at the top of a message. It is [Resolver.Measure]
// without lines, and has the same errors.
func (r *Resolver) Count(ctx context.Context, src *citekit.Source) (mediaType string, messages, parts int, err error) {
	f, err := r.open(ctx, src, citekit.Location{Modality: citekit.Text})
	if err != nil {
		return "", 0, 0, err
	}
	extent, err := f.extent(ctx)
	return extent.MediaType, extent.Messages, extent.Parts, err
}

// A file is an open source: a message or a mailbox.
type file struct {
	r   *Resolver
	src *citekit.Source
	box *mailbox // nil if it is a message
}

// open finds out what src is, for a location in it.
func (r *Resolver) open(ctx context.Context, src *citekit.Source, loc citekit.Location) (*file, error) {
	if err := docfile.CheckLocation(ctx, loc, citekit.Text, "a mail"); err != nil {
		return nil, err
	}
	if !loc.Blocks.IsZero() || !loc.Rows.IsZero() || len(loc.Cols) > 0 || loc.Member != "" {
		return nil, fmt.Errorf("a mail has parts and lines, and a mailbox messages: %w", errors.ErrUnsupported)
	}
	kind, err := kindOf(src)
	if err != nil {
		return nil, err
	}
	f := &file{r: r, src: src}
	switch kind {
	case "":
		return nil, fmt.Errorf("no mail: it begins neither with a header nor with a From line: %w", citekit.ErrFormat)
	case mboxKind:
		f.box, err = r.mailbox(ctx, src)
	}
	return f, err
}

// prepare bounds the caches.
func (r *Resolver) prepare() {
	r.once.Do(func() {
		most := docfile.Bound(r.CacheBytes, defaultCacheBytes)
		r.boxes.MaxCost, r.messages.MaxCost = most/2, most/2
	})
}

func (r *Resolver) mailbox(ctx context.Context, src *citekit.Source) (*mailbox, error) {
	r.prepare()
	return r.boxes.Get(ctx, src.Version(), func(ctx context.Context) (*mailbox, int64, error) {
		box, err := readMailbox(ctx, src, src.Size())
		if err != nil {
			return nil, 0, err
		}
		return box, int64(64 + 8*cap(box.starts)), nil
	})
}

// message returns the structure of a message: that of the file for 0, else one
// of the mailbox.
func (f *file) message(ctx context.Context, n int) (*message, error) {
	f.r.prepare()
	key := f.src.Version()
	if key != "" {
		key = fmt.Sprintf("%s %d", key, n)
	}
	return f.r.messages.Get(ctx, key, func(ctx context.Context) (*message, int64, error) {
		m, err := f.parse(ctx, n)
		if err != nil {
			return nil, 0, err
		}
		return m, m.size(), nil
	})
}

// parse reads the structure of a message.
func (f *file) parse(ctx context.Context, n int) (*message, error) {
	start, end, err := f.bounds(n)
	if err != nil {
		return nil, err
	}
	return parseMessage(ctx, f.src, start, end)
}

// bounds returns the offsets of a message.
func (f *file) bounds(n int) (start, end int64, err error) {
	if n == 0 {
		return 0, f.src.Size(), nil
	}
	return f.box.message(f.src, n)
}

// extent returns the extent of f without its lines.
func (f *file) extent(ctx context.Context) (citekit.Extent, error) {
	extent := citekit.Extent{Modality: citekit.Text, MediaType: f.mediaType()}
	if f.box != nil {
		extent.Messages = len(f.box.starts)
		return extent, nil
	}
	m, err := f.message(ctx, 0)
	if err == nil {
		extent.Parts = m.top
	}
	return extent, err
}

func (f *file) mediaType() string {
	if f.box != nil {
		return "application/mbox"
	}
	return "message/rfc822"
}
