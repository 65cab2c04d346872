// Package document resolves documents of all formats that citekit reads: PDF,
// DOCX, XLSX, PPTX, OpenDocument, EPUB, SQLite and archives. It detects formats
// by content, whatever the file name, and calls the resolver of the format.
// Each of these resolvers is a field of the [Resolver] with its own options,
// and can also be used alone:
//
//	documents := new(document.Resolver)
//	documents.PDF.MaxFigurePages = 50
//	documents.Archive.Members = resolvers // which read the members of archives
//	resolvers[citekit.Document] = documents
//	resolvers[citekit.Document] = new(document.Word) // reads DOCX and ODT alone
package document

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/concurrent"
	"github.com/citekit/citekit/internal/sniff"
	"github.com/citekit/citekit/modality/document/internal/archive"
	"github.com/citekit/citekit/modality/document/internal/database"
	"github.com/citekit/citekit/modality/document/internal/epub"
	"github.com/citekit/citekit/modality/document/internal/pdf"
	"github.com/citekit/citekit/modality/document/internal/sheet"
	"github.com/citekit/citekit/modality/document/internal/slides"
	"github.com/citekit/citekit/modality/document/internal/word"
	"github.com/citekit/citekit/preview"
	"github.com/citekit/citekit/relations"
)

// The resolvers of one kind each. Their zero values are ready to use; they are safe
// for concurrent use and must not be copied after first use. CacheBytes, where it is a
// field, bounds the memory for what is known of documents that were read.
type (
	Word     = word.Resolver     // DOCX, ODT: blocks; its field Comments has comments read too
	Sheet    = sheet.Resolver    // XLSX, ODS: cells; its field MaxJobs bounds the sheets read at a time
	EPUB     = epub.Resolver     // EPUB: parts, and blocks of parts
	Database = database.Resolver // SQLite: rows
	Slides   = slides.Resolver   // PPTX, ODP: slides

	// PDF resolves pages, and boxes on them. Its fields OCR, OCRLanguages, OCRProgram and Tesseract
	// have the text of scans recognised; MaxFigurePages and MaxHeadingPages bound the pages
	// that maps look at, MaxJobs the documents read at a time, and Children the processes.
	// Compiling is called while PDFium is compiled, which CodeCacheDir keeps.
	PDF = pdf.Resolver

	// Archive resolves members of ZIP, JAR, CBZ, tar, gzip, bzip2 and Zstandard. Without
	// resolvers in its field Members it only lists and opens them; MaxMember and
	// MaxUnpacked bound the bytes that are unpacked of one member, and for one map or text.
	Archive = archive.Resolver
)

// A Resolver resolves documents with the resolvers of their formats, which may be
// configured before first use. The zero value is ready to use. It is safe for
// concurrent use and must not be copied after first use.
type Resolver struct {
	PDF      PDF
	Word     Word
	Sheet    Sheet
	EPUB     EPUB
	Database Database
	Slides   Slides
	Archive  Archive

	// More holds resolvers of formats that are not linked by default. The key is the
	// constant Format of the resolver's package, such as that of
	// [github.com/citekit/citekit/modality/document/parquet].
	More map[string]citekit.Resolver

	once    sync.Once
	formats concurrent.Cache[sniff.Format] // of sources that are far away
}

// A room is a resolver with its formats, by their ids in package sniff.
type room struct {
	formats []string
	of      func(*Resolver) citekit.Resolver
}

// rooms lists the resolvers. Content without a known signature is read as PDF, whose
// resolver reports what is wrong with it.
var rooms = []room{
	{[]string{"pdf"}, func(r *Resolver) citekit.Resolver { return &r.PDF }},
	{[]string{"docx", "odt"}, func(r *Resolver) citekit.Resolver { return &r.Word }},
	{[]string{"xlsx", "ods"}, func(r *Resolver) citekit.Resolver { return &r.Sheet }},
	{[]string{"pptx", "odp"}, func(r *Resolver) citekit.Resolver { return &r.Slides }},
	{[]string{"epub"}, func(r *Resolver) citekit.Resolver { return &r.EPUB }},
	{[]string{"sqlite"}, func(r *Resolver) citekit.Resolver { return &r.Database }},
	{[]string{"zip", "jar", "tar", "gzip", "bzip2", "zstd"}, func(r *Resolver) citekit.Resolver { return &r.Archive }},
}

var (
	_ citekit.Resolver     = (*Resolver)(nil)
	_ citekit.MemberOpener = (*Resolver)(nil)
	_ citekit.Measurer     = (*Resolver)(nil)
	_ citekit.TextReader   = (*Resolver)(nil)
	_ citekit.Mapper       = (*Resolver)(nil)
	_ citekit.Versioner    = (*Resolver)(nil)
	_ preview.Previewer    = (*Resolver)(nil)
	_ preview.Boxer        = (*Resolver)(nil)
	_ relations.Linker     = (*Resolver)(nil)
)

// roomOf returns the resolver of the format of src. For a known format without a
// resolver, the error is as [citekit.Resolver] documents.
func (r *Resolver) roomOf(ctx context.Context, src *citekit.Source) (citekit.Resolver, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	format, err := r.formatOf(ctx, src)
	if err != nil {
		return nil, err
	}
	if i := roomFor(format.ID); i >= 0 {
		return rooms[i].of(r), nil
	}
	if more := r.More[format.ID]; more != nil {
		return more, nil
	}
	if format.Encrypted {
		return nil, fmt.Errorf("%s; open it with its password and save it without: %w", format.Name, citekit.ErrEncrypted)
	}
	if err := sniff.Refusal(format, src.Name()); err != nil {
		return nil, err
	}
	if format.Kind == sniff.Document {
		return nil, fmt.Errorf("%s is not read here: %w", format.Name, errors.ErrUnsupported)
	}
	return &r.PDF, nil
}

// roomFor returns the index of the room of a format, or -1.
func roomFor(format string) int {
	return slices.IndexFunc(rooms, func(room room) bool { return slices.Contains(room.formats, format) })
}

// formatName is the name under which the format of a source that is far away is kept
// beside it. It changes with what package sniff finds.
const formatName = "format 1"

// formatOf detects the format of a source. That of one that is far away, if it has a room,
// is kept beside it: only its id is known then.
func (r *Resolver) formatOf(ctx context.Context, src *citekit.Source) (sniff.Format, error) {
	aside := src.Aside()
	if aside == nil {
		return sniff.Detect(src, src.Size())
	}
	r.once.Do(func() { r.formats.MaxCost = 10_000 })
	return r.formats.Get(ctx, src.Version(), func(ctx context.Context) (sniff.Format, int64, error) {
		if id, err := aside(ctx, formatName, nil); err == nil && roomFor(string(id)) >= 0 {
			return sniff.Format{ID: string(id)}, 1, nil
		}
		format, err := sniff.Detect(src, src.Size())
		if err == nil && roomFor(format.ID) >= 0 {
			_, _ = aside(ctx, formatName, []byte(format.ID)) // else it is detected again
		}
		return format, 1, err
	})
}

// ability returns the resolver of the format of src as a T, an optional interface. If
// it does not implement T, the error matches [errors.ErrUnsupported].
func ability[T any](ctx context.Context, r *Resolver, src *citekit.Source, what string) (able T, err error) {
	room, err := r.roomOf(ctx, src)
	if err != nil {
		return able, err
	}
	able, ok := room.(T)
	if !ok {
		return able, fmt.Errorf("%s of this format: %w", what, errors.ErrUnsupported)
	}
	return able, nil
}

// Resolve implements [citekit.Resolver]. The evidence has the format of the source.
func (r *Resolver) Resolve(ctx context.Context, src *citekit.Source, req citekit.Request) (*citekit.Content, error) {
	room, err := r.roomOf(ctx, src)
	if err != nil {
		return nil, err
	}
	return room.Resolve(ctx, src, req)
}

// Measure implements [citekit.Measurer] with the resolver of the format of src.
// The units of the extent depend on the format, such as pages of a PDF and
// sheets of a workbook.
func (r *Resolver) Measure(ctx context.Context, src *citekit.Source) (citekit.Extent, error) {
	room, err := ability[citekit.Measurer](ctx, r, src, "the extent")
	if err != nil {
		return citekit.Extent{}, err
	}
	return room.Measure(ctx, src)
}

// ReadText implements [citekit.TextReader] with the resolver of the format of
// src.
func (r *Resolver) ReadText(ctx context.Context, src *citekit.Source, loc citekit.Location) iter.Seq2[citekit.TextRun, error] {
	room, err := ability[citekit.TextReader](ctx, r, src, "the text")
	if err != nil {
		return func(yield func(citekit.TextRun, error) bool) { yield(citekit.TextRun{}, err) }
	}
	return room.ReadText(ctx, src, loc)
}

// OpenMember implements [citekit.MemberOpener].
func (r *Resolver) OpenMember(ctx context.Context, src *citekit.Source, name string) (*citekit.Source, error) {
	room, err := ability[citekit.MemberOpener](ctx, r, src, "a member")
	if err != nil {
		return nil, err
	}
	return room.OpenMember(ctx, src, name)
}

// Map implements [citekit.Mapper].
func (r *Resolver) Map(ctx context.Context, src *citekit.Source, req citekit.MapRequest) (*citekit.Draft, error) {
	room, err := ability[citekit.Mapper](ctx, r, src, "a map")
	if err != nil {
		return nil, err
	}
	return room.Map(ctx, src, req)
}

// Preview implements [preview.Previewer].
func (r *Resolver) Preview(ctx context.Context, src *citekit.Source, loc citekit.Location, opts preview.Options) (*preview.Preview, error) {
	room, err := ability[preview.Previewer](ctx, r, src, "a picture")
	if err != nil {
		return nil, err
	}
	return room.Preview(ctx, src, loc, opts)
}

// Boxes implements [preview.Boxer].
func (r *Resolver) Boxes(ctx context.Context, src *citekit.Source, loc citekit.Location, from, to int) ([]citekit.Box, error) {
	room, err := ability[preview.Boxer](ctx, r, src, "the boxes of words")
	if err != nil {
		return nil, err
	}
	return room.Boxes(ctx, src, loc, from, to)
}

// Layout implements [preview.Layouter].
func (r *Resolver) Layout(ctx context.Context, src *citekit.Source, loc citekit.Location, lines bool) ([]preview.PageLayout, error) {
	room, err := ability[preview.Layouter](ctx, r, src, "the layout of pages")
	if err != nil {
		return nil, err
	}
	return room.Layout(ctx, src, loc, lines)
}

// Tables implements [preview.Tabler].
func (r *Resolver) Tables(ctx context.Context, src *citekit.Source, loc citekit.Location) ([]preview.Table, error) {
	room, err := ability[preview.Tabler](ctx, r, src, "the tables")
	if err != nil {
		return nil, err
	}
	return room.Tables(ctx, src, loc)
}

// ReadLinks implements [relations.Linker].
func (r *Resolver) ReadLinks(ctx context.Context, src *citekit.Source) iter.Seq2[relations.Link, error] {
	room, err := ability[relations.Linker](ctx, r, src, "the links")
	if errors.Is(err, errors.ErrUnsupported) {
		return func(func(relations.Link, error) bool) {}
	}
	if err != nil {
		return func(yield func(relations.Link, error) bool) { yield(relations.Link{}, err) }
	}
	return room.ReadLinks(ctx, src)
}

// Version implements [citekit.Versioner] with the versions of all formats.
func (r *Resolver) Version() string {
	var versions []string
	for _, room := range rooms {
		if v, ok := room.of(r).(citekit.Versioner); ok {
			versions = append(versions, v.Version())
		}
	}
	for _, format := range slices.Sorted(maps.Keys(r.More)) {
		if v, ok := r.More[format].(citekit.Versioner); ok {
			versions = append(versions, v.Version())
		}
	}
	return strings.Join(versions, ", ")
}

// Programs implements stats.ProgramUser with the programs that PDF uses.
func (r *Resolver) Programs(ctx context.Context) (found map[string]string, missing []string) {
	return r.PDF.Programs(ctx)
}
