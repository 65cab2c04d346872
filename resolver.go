package citekit

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
)

// A Resolver extracts part of a source. It is the interface a modality package
// implements; callers use [Library.Resolve]. Resolvers may also implement the optional
// interfaces [Detector], [Mapper], [Measurer], [TextReader], [TranscriptReader],
// [MemberOpener] and [Versioner], and those that packages define which alone use them:
// preview.Previewer, preview.Boxer, relations.Linker, verify.MarkupReader and
// stats.ProgramUser. One that wraps another loses these unless it embeds its concrete type.
//
// Implementations must be safe for concurrent use. modality/modalitytest checks them.
type Resolver interface {
	// Resolve returns the part of src that req.Location selects. If the location has no
	// selector, it returns all of src, byte for byte. The Body of the Content may read
	// from src; src stays open until Body is closed.
	//
	// Errors match [ErrRange] if the location lies outside src, [errors.ErrUnsupported]
	// if it has a selector of another modality or the format cannot be cut here,
	// [ErrFormat] if src is damaged or of another format, [ErrTooLarge] if a limit
	// would be passed, and ctx.Err() once ctx is done. They name the range and the
	// bounds, such as "page 9 of 3; pages run 1-3", never a path. The Library adds the
	// address; a Resolver need not.
	Resolve(ctx context.Context, src *Source, req Request) (*Content, error)
}

// A Request is the argument of [Resolver.Resolve].
type Request struct {
	Location Location // the part to extract
	Mode     Mode     // how to cut time ranges
}

// A Mode says how time ranges of video and audio are cut. An exact cut may need
// re-encoding, or hidden frames before the start. Formats without time ignore the mode.
type Mode string

const (
	// ModeExact plays exactly the frames and samples asked for. It is the default, as
	// is "".
	ModeExact Mode = "exact"

	// ModeCopy copies without re-encoding and starts at the key frame at or before the
	// start. The actual range is reported.
	ModeCopy Mode = "copy"

	// ModeStrict is exact and stores no hidden frames before the start, for players
	// that ignore edit lists.
	ModeStrict Mode = "strict"
)

// Content is what a [Resolver] returns.
type Content struct {
	// Body holds the bytes; the caller closes it. An error while reading means there is
	// no evidence. It is nil only for a location without bytes, such as a virtual one.
	Body io.ReadCloser

	// Size is the length of Body in bytes, or -1 if it is not known before it is read.
	// A Body of another length is an error.
	Size int64

	MediaType string // such as "application/pdf"
	Ext       string // file name extension with its dot, such as ".pdf"

	// Charset is the encoding of a text, in lower case as registered with IANA, or "".
	Charset string

	// CharsetGuessed says that Charset is inferred from the bytes, and not declared.
	CharsetGuessed bool

	// Actual is the location that the bytes hold, if it is not the requested one, or nil.
	Actual *Location

	// Changes lists how the bytes differ from that part of the source: one sentence
	// fragment each, such as "the formula of B7 replaced by its value" or "macros left
	// out". They quote nothing of the source but the names of its parts. Only the first
	// 20 are kept.
	Changes []string
}

// A Detector is a [Resolver] that recognizes its sources; see [Library.Detect].
type Detector interface {
	// Detect reports whether src is of the modality that the resolver is for. Detect is
	// called for every source, so it must read only a few bytes.
	Detect(ctx context.Context, src *Source) (bool, error)
}

// A Measurer is a [Resolver] that knows the extent of a source.
type Measurer interface {
	// Measure returns the bounds that locations in src are checked against. Errors are
	// as for Resolve.
	Measure(ctx context.Context, src *Source) (Extent, error)
}

// A TextReader is a [Resolver] whose sources contain text.
type TextReader interface {
	// ReadText yields the plain text at loc in reading order, in UTF-8, in runs that
	// each carry their own location: a page, or a block of lines. It stops after the
	// first error. Errors are as for Resolve.
	ReadText(ctx context.Context, src *Source, loc Location) iter.Seq2[TextRun, error]
}

// A TextRun is text with the location where it stands.
type TextRun struct {
	Text     string   // in UTF-8
	Location Location // where it stands in the source

	// Missing says, after "page 3: ", which part of the text cannot be read although the
	// source shows it, such as "a picture without text"; "" if the text is whole.
	Missing string

	TextState   string  // of a page or picture: "none", "partial" or "damaged", whose letters are unknown; else "full" or ""
	OCR         bool    // Text was recognised in a picture
	Confidence  float64 // of the program that recognised it, from 0 to 1; 0 if that is not known
	Transcribed bool    // a machine wrote down what it heard, which may be wrong; set by the Library
}

// A Versioner is a [Resolver] that names the version of its output. Evidence made under
// one version is never served for another. The version of a Resolver that is not a
// Versioner is its Go type, so evidence that older code made is still served after the
// code changes. Package ingest maps the sources of a modality that is not built in
// again when the version of its resolver changes.
type Versioner interface {
	// Version names the output format and every setting of the resolver that changes
	// the bytes, such as "pdf/1".
	Version() string
}

// Version returns the version of the resolver of a modality: that of its [Versioner],
// or else its Go type. It is "" if there is no resolver.
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

// A Mapper finds the structure of a source: the nodes of its map. A [Resolver] that
// finds it without a model is one; package ingest uses it, by type assertion, unless it
// is given another Mapper.
//
// Implementations must be safe for concurrent use.
type Mapper interface {
	// Map returns the structure of src. The same source and request give the same
	// structure, save for mappers that ask a model. It does not keep src.
	//
	// Errors are as for [Resolver]: [ErrFormat] if src is damaged or of another format,
	// [ErrTooLarge] if a limit would be passed, [errors.ErrUnsupported] if src cannot
	// be mapped here, and ctx.Err() once ctx is done. They name no path and quote no
	// content.
	Map(ctx context.Context, src *Source, req MapRequest) (*Draft, error)
}

// A MapRequest is the argument of a [Mapper].
type MapRequest struct {
	// Modality is that of the source, and of every location in the answer.
	Modality Modality

	// Companions are files beside the source that share its name, such as the subtitles
	// talk.en.srt beside talk.mp4, sorted by name.
	Companions []Companion

	// Progress, if it is not nil, is called with the share done, from 0 to 1. It may be
	// called from any goroutine, and must be quick.
	Progress func(done float64)
}

// A Companion is a file beside a source that may describe it, such as its subtitles.
type Companion struct {
	Name string // base name

	// Open opens the file, confined as sources are. The caller closes it.
	Open func(ctx context.Context) (*Source, error)
}

// A Draft is what a [Mapper] found.
type Draft struct {
	// Title is the title in the source, verbatim, or "". A map of a source without a
	// title gets the file name as its title.
	Title string

	// Nodes are in the order of the source. A node without an id is named by package
	// ingest. The nodes are the caller's.
	Nodes []*Node

	// Method says in a word or two how the nodes were found, such as "outline".
	Method string

	// Transcript is the name of the [Companion] with the words of the source, or "".
	Transcript string

	// Metadata is copied to the map. Package ingest sets the keys title, source_hash,
	// source_size, mapper, method, map_hash and transcript, in place of values given
	// here.
	Metadata map[string]any
}

// Map implements [Mapper] with the resolver of req.Modality. If that is not a Mapper,
// the error matches [errors.ErrUnsupported].
func (r Resolvers) Map(ctx context.Context, src *Source, req MapRequest) (*Draft, error) {
	mapper, ok := r[req.Modality].(Mapper)
	if !ok {
		return nil, fmt.Errorf("no mapper for %s: %w", req.Modality, errors.ErrUnsupported)
	}
	return mapper.Map(ctx, src, req)
}

// A TranscriptReader is a [Resolver] whose sources may have their words in a companion,
// as a recording has them in a subtitle file.
type TranscriptReader interface {
	// ReadTranscript is [TextReader.ReadText] for words that stand in transcript
	// instead of in src. Each run is located in src.
	ReadTranscript(ctx context.Context, src, transcript *Source, loc Location) iter.Seq2[TextRun, error]
}

// A MemberOpener is a [Resolver] whose sources contain other sources, called members:
// the files of an archive, the attachments of a mail. The [Library] calls it to open
// the member of a location, detects the modality of the member, and passes the rest of
// the location to the resolver of that modality. So no resolver gets a location with a
// Member.
type MemberOpener interface {
	// OpenMember opens the member that is stored in src under a name. The name has
	// passed [Location.Validate] and has no "!/". The returned Source has the decoded
	// bytes of the member and knows their size. It may read src, which stays open until
	// the member is closed. Its Name is the last element of the name in src, as a hint
	// of the format. The Library gives it an identity.
	//
	// Errors match [ErrRange] if there is no such member, naming those that look like
	// it, [errors.ErrUnsupported] if src is of a format without members or the member
	// is not a file but, say, a link, [ErrEncrypted], [ErrFormat] if src is damaged,
	// [ErrTooLarge] if the member is larger than it says or than a limit, and ctx.Err()
	// once ctx is done.
	OpenMember(ctx context.Context, src *Source, name string) (*Source, error)
}
