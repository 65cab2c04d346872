// Package text resolves lines of text files: prose, markup, source code, data,
// logs, subtitles and mail. The evidence is these lines, byte for byte. The
// nodes of a map are what the format has, such as the sections of Markdown, the
// functions of source code and the rows of CSV.
//
// # Lines
//
// A line ends with LF, and CRLF ends one line, so that lines have the same
// numbers as in sed, grep, git and compilers. A CR alone is part of its line,
// except in files that use it to end lines: those whose first 64 KB have no LF
// alone and more CRs alone than CRLFs. In them LF, CRLF and CR each end a line.
// Form feeds, NEL, U+2028 and U+2029 never end a line. The text after the last
// line end is a line, unless it is empty; an empty file has no lines.
//
// # Bytes
//
// Evidence is cut from the source without conversion: every line keeps its line
// end, a last line without one stays without it, and line 1 keeps the byte
// order mark. The Charset of the content declares the encoding, see
// [Resolver.Resolve].
package text

import (
	"context"
	"fmt"
	"sync"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/concurrent"
	"github.com/citekit/citekit/modality/internal/mail"
)

// A Resolver extracts lines. The zero value is ready to use. It must not be
// copied.
//
// It keeps an index of the lines of sources of known version, at most some
// hundred kilobytes for a source of any size. With the index, it finds lines in
// parts that it has read before without reading up to them again. Other memory
// is constant for any size of the source and of its lines; only Map holds
// sources of up to 16 MiB in memory.
type Resolver struct {
	// CacheBytes is the memory limit for indexes, in bytes; zero means 16 MiB,
	// negative none.
	CacheBytes int64

	once    sync.Once
	indexes concurrent.Cache[*index]
	pages   concurrent.Cache[*page]
	shows   concurrent.Cache[*shown]
	mail    mail.Resolver
}

const defaultCacheBytes = 16 << 20

var (
	_ citekit.Resolver  = (*Resolver)(nil)
	_ citekit.Measurer  = (*Resolver)(nil)
	_ citekit.Versioner = (*Resolver)(nil)
)

// Version implements [citekit.Versioner].
func (r *Resolver) Version() string { return "text/7 " + r.mail.Version() }

// Resolve implements [citekit.Resolver]. It reads src only until it has
// found the lines. The Body reads from src and fails with ctx.Err() once ctx is
// done.
//
// The charset is "utf-8" for ASCII, too. UTF-16 and UTF-32 are detected by
// their byte order mark or, without one, by the positions of their zero bytes
// and their characters. Their names have the byte order, such as "utf-16le".
// Other encodings are inferred from the first 64 KB, after leading zero bytes,
// in this order: the charset that the text itself declares, if that is a known
// charset and the bytes are valid in it; ISO-2022-JP and ISO-2022-KR by their
// escape sequences; a Japanese, Korean or Chinese encoding if the bytes leave
// little doubt; a single-byte charset for Cyrillic, Greek, Hebrew, Arabic,
// Thai, Central European, Turkish or Baltic letters, or a Macintosh charset, if
// the letters follow one another as in a language of that script; else
// "windows-1252", or "iso-8859-1" if there are no characters that only the
// former has. If these 64 KB are valid UTF-8 but the lines are not, the charset
// is inferred from the first 16 MB of the lines. If the charset is inferred,
// CharsetGuessed is set.
//
// The media type is that of the source's extension if it is a textual one
// registered with IANA, or else text/plain. A source is binary, and an error
// matching [citekit.ErrFormat], if its first bytes are the signature of another
// format, or if these 64 KB have only zeros, or more control characters than
// text has. A source that is declared as text is never binary. Zero bytes in
// text are part of its lines.
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
	x.keep(ctx, src)
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

// A cut is a part of a source: the bytes [start, end) with the lines from first
// on.
type cut struct {
	coding     textEncoding
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

// prepare sets the limits of the caches.
func (r *Resolver) prepare() {
	r.once.Do(func() {
		r.indexes.MaxCost = r.CacheBytes
		if r.CacheBytes == 0 {
			r.indexes.MaxCost = defaultCacheBytes
		}
		r.pages.MaxCost = r.indexes.MaxCost
		r.shows.MaxCost = 3 * r.indexes.MaxCost // one page takes up to twice as much
		r.mail.CacheBytes = r.CacheBytes
	})
}

// index returns the index of src, which may be shared and incomplete.
func (r *Resolver) index(ctx context.Context, src *citekit.Source) (*index, error) {
	declared := src.Declared() == citekit.Text
	x, err := r.indexAs(ctx, src, declared)
	if err != nil || x.binary == "" || declared {
		return x, err
	}
	switch m, err := r.mails(ctx, src); {
	case err != nil:
		return x, err
	case m != nil: // a mail may have parts that are not text
		return r.indexAs(ctx, src, true)
	}
	return nil, binaryError(x.binary)
}

// indexAs returns the index of src. Only if text is set, it has the encoding of a source
// that does not look like text.
func (r *Resolver) indexAs(ctx context.Context, src *citekit.Source, text bool) (*index, error) {
	r.prepare()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	key := src.Version()
	if key != "" {
		key = fmt.Sprintf("%s %d %t", key, src.Size(), text)
	}
	return r.indexes.Get(ctx, key, func(ctx context.Context) (*index, int64, error) {
		if x := loadIndex(ctx, src); x != nil {
			return x, x.maxBytes(), nil
		}
		x, err := newIndex(ctx, src, text)
		if err != nil {
			return nil, 0, err
		}
		return x, x.maxBytes(), nil
	})
}
