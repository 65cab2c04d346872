// Package text resolves lines of text files.
//
// # Lines
//
// A line ends with LF, and CRLF ends one line, so that lines count as sed,
// grep, git and compilers count them. A CR alone is part of its line, except in
// files that use it to end lines: those whose first 64 KB have no LF alone and
// more CRs alone than CRLFs. In them LF, CRLF and CR each end a line. Form
// feeds, NEL, U+2028 and U+2029 never do. What follows the last line end is a
// line of its own, unless it is empty; an empty file has no lines.
//
// # Bytes
//
// Evidence is cut from the source and not converted: every line keeps its end,
// the last one its lack of it, and line 1 the byte order mark. The encoding is
// declared in the charset of the extract, see [Resolver.Resolve].
package text

import (
	"context"
	"fmt"
	"sync"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/warm"
	"github.com/citekit/citekit/modality/document/mail"
)

// A Resolver extracts lines. The zero value is ready to use. It must not be
// copied.
//
// It keeps an index of the lines of sources of known version, at most some
// hundred kilobytes for a source of any size, and finds lines that it has
// passed before without reading up to them. Other memory is constant, whatever
// the size of the source and of its lines; only Map holds sources of up to 16
// MiB.
type Resolver struct {
	// CacheBytes bounds the memory for indexes; zero means 16 MiB and a
	// negative number none.
	CacheBytes int64

	once    sync.Once
	indexes warm.Cache[*index]
	pages   warm.Cache[*page]
	mail    mail.Resolver
}

const defaultCacheBytes = 16 << 20

var (
	_ citekit.Resolver   = (*Resolver)(nil)
	_ citekit.Measurer   = (*Resolver)(nil)
	_ citekit.TextReader = (*Resolver)(nil)
	_ citekit.Versioner  = (*Resolver)(nil)
)

// Version implements [citekit.Versioner].
func (r *Resolver) Version() string { return "text/3 " + r.mail.Version() }

// Resolve implements [citekit.Resolver]. Only as much of src is read as it
// takes to find the lines. The Body reads from src and fails with ctx.Err()
// once ctx is done.
//
// The charset is "utf-8" for ASCII, too. UTF-16 and UTF-32 are known by their
// byte order mark or, without one, by where their zero bytes are and what
// characters they then have, and named with their byte order, such as
// "utf-16le". Other encodings are inferred from the first 64 KB after the zero
// bytes that the source may begin with: the charset that the text itself
// declares, if it is one and fits; ISO-2022-JP and ISO-2022-KR by their escape
// sequences; a Japanese, Korean or Chinese encoding if the bytes leave little
// doubt; one with Cyrillic, Greek, Hebrew, Arabic, Thai, Central European,
// Turkish or Baltic letters, or of the Macintosh, if these follow one another
// as in a language that is written so; else "windows-1252", or "iso-8859-1" if
// there are none of the characters that only the former has. Where these 64 KB
// are valid UTF-8 and the lines are not, their charset is inferred from
// themselves, by the first 16 MB of them. What is inferred is marked in the
// extract as guessed.
//
// The media type is that of the source's extension if it is a textual one
// registered with IANA, else text/plain. A source is binary and an error
// matching [citekit.ErrFormat] if its first bytes are the signature of another
// format, or if these 64 KB have nothing but zeros, or more control characters
// than text has; but not if it is declared to be text. Zero bytes in text are
// part of its lines.
func (r *Resolver) Resolve(ctx context.Context, src *citekit.Source, req citekit.Request) (*citekit.Content, error) {
	if err := checkText(req.Location); err != nil {
		return nil, err
	}
	unit, err := r.unitIn(ctx, src, req.Location)
	if err != nil {
		return nil, err
	}
	if unit != nil {
		return unit.resolve(r, ctx, src, req.Location)
	}
	cut, err := r.find(ctx, src, req.Location)
	if err != nil {
		return nil, err
	}
	charset, guessed, err := cut.charset(ctx, src)
	if err != nil {
		return nil, err
	}
	return &citekit.Content{
		Body:      newBody(ctx, src, cut.start, cut.end),
		Size:      cut.end - cut.start,
		MediaType: mediaType(src.Name()),
		Ext:       extension(src.Name()),
		Charset:   charset,

		CharsetGuessed: guessed,
	}, nil
}

// Measure implements [citekit.Measurer]. It reads all of src unless its index
// is complete. The charset is inferred from the first 64 KB.
func (r *Resolver) Measure(ctx context.Context, src *citekit.Source) (citekit.Extent, error) {
	x, err := r.index(ctx, src)
	if err != nil {
		return citekit.Extent{}, err
	}
	lines, err := x.count(ctx, src)
	if err != nil {
		return citekit.Extent{}, err
	}
	e := citekit.Extent{
		Modality:  citekit.Text,
		Lines:     lines,
		MediaType: mediaType(src.Name()),
		Charset:   x.coding.charset,

		CharsetGuessed: x.coding.guessed,
	}
	if err := r.measureUnits(ctx, src, &e); err != nil {
		return citekit.Extent{}, err
	}
	return e, nil
}

// A cut is a part of a source: the bytes [start, end) hold the lines from
// first on.
type cut struct {
	coding     coding
	start, end int64
	first      int
}

// find returns the cut that loc selects.
func (r *Resolver) find(ctx context.Context, src *citekit.Source, loc citekit.Location) (cut, error) {
	if err := checkText(loc); err != nil {
		return cut{}, err
	}
	x, err := r.index(ctx, src)
	if err != nil {
		return cut{}, err
	}
	if loc.Lines.IsZero() {
		return cut{coding: x.coding, end: src.Size(), first: 1}, nil
	}
	start, end, err := x.lines(ctx, src, loc)
	if err != nil {
		return cut{}, err
	}
	return cut{coding: x.coding, start: start, end: end, first: loc.Lines.First}, nil
}

// prepare bounds the caches.
func (r *Resolver) prepare() {
	r.once.Do(func() {
		r.indexes.MaxCost = r.CacheBytes
		if r.CacheBytes == 0 {
			r.indexes.MaxCost = defaultCacheBytes
		}
		r.pages.MaxCost = r.indexes.MaxCost
		r.mail.CacheBytes = r.CacheBytes
	})
}

// index returns the index of src, which may be shared and incomplete.
func (r *Resolver) index(ctx context.Context, src *citekit.Source) (*index, error) {
	r.prepare()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	key := src.Version()
	if key != "" {
		key = fmt.Sprintf("%s %d", key, src.Size())
	}
	x, err := r.indexes.Get(ctx, key, func(ctx context.Context) (*index, int64, error) {
		x, err := newIndex(ctx, src)
		if err != nil {
			return nil, 0, err
		}
		return x, x.maxBytes(), nil
	})
	if err == nil && x.binary != "" && src.Declared() != citekit.Text {
		if m, err := r.mails(ctx, src); err != nil || m != nil { // which may have parts that are no text
			return x, err
		}
		return nil, binaryError(x.binary)
	}
	return x, err
}
