package citekit

import (
	"context"
	"fmt"
	"io"
	"iter"
)

// A Resolver extracts part of a source. It is the interface a modality package
// implements; callers use [Library.Resolve]. Resolvers may also implement the
// optional interfaces [Detector], [Mapper], [Measurer], [TextReader],
// [TranscriptReader], [MemberOpener] and [Versioner]. Optional interfaces that
// only one package uses are defined there: preview.Previewer, preview.Boxer,
// relations.Linker and stats.ProgramUser.
//
// Implementations must be safe for concurrent use. Package
// modality/modalitytest checks them.
type Resolver interface {
	// Resolve returns the part of src that req.Location selects. If the
	// location has no selector, it returns all of src, byte for byte. The Body
	// of the Content may read from src; src stays open until Body is closed.
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

// A Request is the argument of [Resolver.Resolve].
type Request struct {
	Location Location // the part to extract
	Mode     Mode     // how to cut time ranges
}

// A Mode says how time ranges of video and audio are cut. An exact cut may need
// re-encoding, or hidden frames before the start. Formats without time ignore
// the mode.
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
	// Body holds the bytes; the caller closes it. An error while reading means
	// there is no evidence. Body is nil only for a location without bytes, such
	// as a virtual one.
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
	// sentence fragment each, such as "the formula of B7 replaced by its value"
	// or "macros left out". They quote nothing of the source but the names of
	// its parts. Only the first [MaxChanges] are kept.
	Changes []string
}

// MaxChanges is the maximum number of Changes that are kept for one piece of
// evidence. Further ones are dropped.
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

// A MarkupReader is a [TextReader] that leaves the markup out of the text of some
// sources, which their readers may quote too.
type MarkupReader interface {
	TextReader

	// ReadMarkup yields the text at loc as ReadText does, with the markup that the
	// source has there. Errors are as for Resolve; one matches
	// [errors.ErrUnsupported] if ReadText leaves nothing out of src.
	ReadMarkup(ctx context.Context, src *Source, loc Location) iter.Seq2[TextRun, error]
}

// A TextRun is text with the location where it stands.
type TextRun struct {
	Text     string   // in UTF-8
	Location Location // where it stands in the source

	// Missing says which part of the text cannot be read although the source shows
	// it, such as "12 of the 80 characters drawn on it cannot be read"; "" if the
	// text is whole. It follows the name of a place and a colon.
	Missing string
}

// A Versioner is a [Resolver] that names the version of its output. Evidence
// made under one version is never served for another. The version of a Resolver
// that is not a Versioner is its Go type, so evidence that older code made is
// still served after the code changes. Package ingest maps the sources of a
// modality that is not built in again when the version of its resolver changes.
type Versioner interface {
	// Version names the output format and every setting of the resolver
	// that changes the bytes, such as "pdf/1".
	Version() string
}

// Version returns the version of the resolver of a modality: that of its
// [Versioner], or else its Go type. It is "" if there is no resolver.
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
