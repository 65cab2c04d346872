package citekit

import (
	"context"
	"fmt"
	"io"
	"iter"
)

// A Resolver extracts part of a source. It is the interface a modality
// package implements; callers use [Library.Resolve]. Further abilities are
// the optional interfaces [Measurer], [TextReader], [MemberOpener], [Versioner] and, of what
// one room alone asks for, preview.Previewer, preview.Boxer and
// relations.Linker.
//
// Implementations must be safe for concurrent use. Package
// modality/modalitytest checks them.
type Resolver interface {
	// Resolve returns the part of src that req.Location selects, or all of
	// src, byte for byte, if the location has no selector. The extract's
	// Body may read from src; src stays open until Body is closed.
	//
	// Errors match [ErrRange] if the location lies outside src,
	// [errors.ErrUnsupported] if it has a selector of another modality or
	// the format cannot be cut here, [ErrFormat] if src is damaged or of
	// another format, [ErrTooLarge] if a limit would be passed, and
	// ctx.Err() once ctx is done. They name the range and the bounds, such
	// as "page 9 of 3; pages run 1-3", never a path. The Library adds the
	// address; a Resolver need not.
	Resolve(ctx context.Context, src *Source, req Request) (*Content, error)
}

// A Request is what a [Resolver] is asked for.
type Request struct {
	Location Location
	Mode     Mode
}

// A Mode says how time ranges are cut where exactness has a price. Formats
// without time ignore it.
type Mode string

const (
	// ModeExact plays exactly the frames and samples asked for. It is the
	// default, as is "".
	ModeExact Mode = "exact"

	// ModeCopy copies without re-encoding and starts at the key frame at or
	// before the start. The actual range is reported.
	ModeCopy Mode = "copy"

	// ModeStrict is exact and stores no hidden frames before the start, for
	// players that ignore edit lists.
	ModeStrict Mode = "strict"
)

// Content is what a [Resolver] returns.
type Content struct {
	// Body holds the bytes; the caller closes it. An error while reading
	// means there is no evidence. It is nil only for a location that has no
	// bytes at all, as virtual ones.
	Body io.ReadCloser

	// Size is the length of Body in bytes, or -1 if it is not known before
	// it is read. A Body of another length is an error.
	Size int64

	MediaType string // such as "application/pdf"
	Ext       string // file name extension with its dot, such as ".pdf"

	// Charset names the text encoding of the bytes, in lower case as
	// registered with IANA; "" where the notion does not apply.
	Charset string

	// CharsetGuessed says that Charset was inferred from the bytes: nothing
	// declares it, and other charsets could have them too.
	CharsetGuessed bool

	// Actual is the location the bytes hold, where it differs from the one
	// requested; else nil.
	Actual *Location

	// Changes lists how the bytes differ from that part of the source: one
	// sentence fragment each, such as "the formula
	// of B7 replaced by its value" or "macros left out". They quote nothing
	// of the source but the names of its parts. At most [MaxChanges] are
	// kept.
	Changes []string
}

// MaxChanges is how many Changes an evidence has at most.
const MaxChanges = 20

// A Measurer is a [Resolver] that knows the extent of a source.
type Measurer interface {
	// Measure returns the bounds that locations in src are checked against.
	// Errors are as for Resolve.
	Measure(ctx context.Context, src *Source) (Extent, error)
}

// A TextReader is a [Resolver] whose sources contain text.
type TextReader interface {
	// ReadText yields the plain text at loc in reading order, in UTF-8, in
	// runs that each carry their own location: a page, or a block of lines.
	// It stops after the first error. Errors are as for Resolve.
	ReadText(ctx context.Context, src *Source, loc Location) iter.Seq2[TextRun, error]
}

// A TextRun is text together with where it stands.
type TextRun struct {
	Text     string
	Location Location
}

// A Versioner is a [Resolver] whose output depends on more than its code.
// Evidence made under one version is never served for another.
type Versioner interface {
	// Version names the output format and every setting of the resolver
	// that changes the bytes, such as "pdf/1".
	Version() string
}

// Version returns what the output of the resolver of a modality depends on
// beside its code: its version if it is a [Versioner], else its Go type; "" if
// there is no resolver.
func (r Resolvers) Version(modality Modality) string {
	switch resolver := r[modality].(type) {
	case nil:
		return ""
	case Versioner:
		return resolver.Version()
	default:
		return fmt.Sprintf("%T", resolver)
	}
}
