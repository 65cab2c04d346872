// Package pdf resolves pages, and regions of pages, of PDF files. The evidence
// is a PDF of these pages as they are in the source, with their text, fonts and
// forms. Pages count from 1, whatever numbers are printed on them. The nodes of
// a map are the entries of the outline, or else the headings found in the text,
// with the figures and tables that have a caption.
package pdf

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"sync"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/concurrent"
	"github.com/citekit/citekit/internal/ctxio"
	"github.com/citekit/citekit/internal/sniff"
	"github.com/citekit/citekit/modality/document/internal/pdf/internal/pdf"
	"github.com/citekit/citekit/modality/document/internal/pdf/internal/pdfcut"
	"github.com/citekit/citekit/modality/document/internal/pdf/internal/pdfium"
	"github.com/citekit/citekit/modality/internal/docfile"
	"github.com/citekit/citekit/modality/internal/tesseract"
	"github.com/citekit/citekit/preview"
)

const (
	mediaType = "application/pdf"
	ext       = ".pdf"
)

// A Resolver extracts pages of PDF files as new PDF files. The zero value is
// ready to use. It is safe for concurrent use and must not be copied after
// first use.
//
// # What is kept
//
// Pages come in ascending order, each as in the source: content, fonts, images,
// annotations, form fields with their values, layers and page labels. A box
// crops its page, and so do a table and its cells: the region of the page as displayed, after rotation and
// within its crop box, becomes the whole page, and annotations outside it are
// left out. Content outside the region is not shown, but remains in the file.
//
// Parts that act by themselves or lead out of the file are left out: the
// document's open action, JavaScript, launch, submit and remote actions,
// attachments, XFA, digital signatures, outlines and structure trees. Links to
// kept pages and to URIs stay links; links to other pages, and those whose URI is
// a script, stay as boxes without a target.
//
// Files encrypted with an empty user password are read; their extracts are not
// encrypted. Files with another password are an error.
//
// # Damaged files
//
// A file that contradicts itself is repaired: by searching for its objects, or
// else by PDFium in a WebAssembly sandbox. If the pages still lack anything
// they need, it is an error. Every extract is read again and checked before it
// is returned.
type Resolver struct {
	// CacheBytes is the approximate memory limit, in bytes, for the structure
	// of documents kept between calls; zero means 128 MiB, negative none.
	CacheBytes int64

	// MaxRepairBytes is the largest damaged source that is repaired, in bytes;
	// zero means 256 MiB, negative none.
	MaxRepairBytes int64

	// CodeCacheDir is the directory for the compiled code of PDFium, which
	// several processes can use; "" means citekit/pdfium in the user's cache
	// directory. If it cannot be written, each start of PDFium takes some
	// seconds.
	CodeCacheDir string

	// Compiling, if not nil, is called when PDFium must be compiled, because
	// its code is neither in memory nor in CodeCacheDir. That takes seconds.
	// The context is that of the call that needs PDFium. The returned function,
	// if not nil, is called when PDFium has started or failed to start. That
	// may be after the call has given up.
	Compiling func(context.Context) (done func())

	// PDFiumTimeout is the time limit for each use of PDFium; zero means none.
	// Beyond it, the error matches [context.DeadlineExceeded]. PDFium ends
	// without it, too, because its work is limited: by what it does, so that a
	// file has the same map and the same text on every machine.
	PDFiumTimeout time.Duration

	// MaxFigurePages is the maximum number of pages of a document in which
	// [Resolver.Map] looks for figures, tables and summaries; zero means 200,
	// negative none. PDFium needs some 10 ms for each page.
	MaxFigurePages int

	// MaxHeadingPages is the maximum number of pages of a document without an
	// outline in which [Resolver.Map] looks for headings; zero means 500,
	// negative none.
	MaxHeadingPages int

	// OCR makes [Resolver.ReadText] recognise the text of pages without text,
	// such as scans, with the program tesseract. It takes seconds for each
	// page.
	OCR bool

	// Tesseract is the path of the program; "" means the one in PATH. Without
	// the program, the error of reading such a page with OCR matches
	// [errors.ErrUnsupported].
	Tesseract string

	// OCRProgram is the path of another program that recognises text instead of
	// tesseract: it is run with the path of a PNG, and writes hOCR, ALTO or the TSV of
	// tesseract to standard output. "" means tesseract.
	OCRProgram string

	// OCRLanguages are the languages of the text, by tesseract's names, such as
	// "deu+eng"; "" means its default, English.
	OCRLanguages string

	// Children limits how many child processes run at a time. Other resolvers
	// may share it. Nil means two for this resolver.
	Children *citekit.Slots

	// MaxJobs is the maximum number of documents that are read or cut at a
	// time; further ones wait. Zero means the number of CPUs less one, but at
	// least one.
	MaxJobs int

	once    sync.Once
	opened  concurrent.Cache[*openDocument]
	tabled  concurrent.Cache[tablePage] // by page
	engine  pdfium.Engine
	working chan struct{} // holds a token for each running job

	finding sync.Mutex
	found   *tesseract.Command
}

var (
	_ citekit.Resolver   = (*Resolver)(nil)
	_ citekit.Measurer   = (*Resolver)(nil)
	_ citekit.TextReader = (*Resolver)(nil)
	_ preview.Previewer  = (*Resolver)(nil)
	_ citekit.Versioner  = (*Resolver)(nil)
	_ preview.Boxer      = (*Resolver)(nil)
	_ preview.Tabler     = (*Resolver)(nil)
)

func (r *Resolver) init() {
	r.once.Do(func() {
		r.opened.MaxCost = docfile.Bound(r.CacheBytes, 128<<20)
		r.tabled.MaxCost = maxTableCost
		r.working = make(chan struct{}, cmp.Or(max(r.MaxJobs, 0), max(runtime.GOMAXPROCS(0)-1, 1)))
		r.engine.Timeout = r.PDFiumTimeout
		r.engine.Compiling = r.Compiling
		r.engine.CacheDir = r.CodeCacheDir
		if r.engine.CacheDir == "" {
			r.engine.CacheDir = pdfium.DefaultCacheDir()
		}
	})
}

// Programs implements stats.ProgramUser with tesseract.
func (r *Resolver) Programs(ctx context.Context) (found map[string]string, missing []string) {
	return tesseract.Programs(ctx, r.Tesseract)
}

// Version implements [citekit.Versioner]. The version shows whether OCR is on,
// because that changes the text.
func (r *Resolver) Version() string {
	if r.OCR {
		return "pdf/7 ocr " + r.OCRLanguages + " " + r.OCRProgram
	}
	return "pdf/7"
}

// Resolve implements [citekit.Resolver]. The media type is always
// "application/pdf". Documents ignore the mode.
func (r *Resolver) Resolve(ctx context.Context, src *citekit.Source, req citekit.Request) (*citekit.Content, error) {
	r.init()
	if err := docfile.CheckLocation(ctx, req.Location, citekit.Document, "a document"); err != nil {
		return nil, err
	}
	if src.Size() == 0 {
		return nil, errEmpty
	}
	if req.Location.IsWhole() {
		return whole(ctx, src)
	}
	loc := req.Location
	if loc.Table != "" {
		tables, err := r.Tables(ctx, src, loc)
		if err != nil {
			return nil, err
		}
		loc = regionOf(&tables[0])
	}
	j, end, err := r.start(ctx, src, 0)
	if err != nil {
		return nil, err
	}
	defer end()
	out, err := j.cut(ctx, loc)
	if err != nil {
		return nil, known(ctx, err)
	}
	content := extract(ctx, out, out.Size())
	if !loc.Equal(req.Location) {
		content.Actual = &loc
	}
	return content, nil
}

var errEmpty = fmt.Errorf("the source is empty: %w", citekit.ErrFormat)

// whole returns the unchanged source, if it begins like a PDF file and is not a
// text about PDF.
func whole(ctx context.Context, src *citekit.Source) (*citekit.Content, error) {
	if err := pdf.CheckHeader(pdf.NewFile(ctx, src, src.Size())); err != nil {
		return nil, known(ctx, err)
	}
	format, err := sniff.Detect(src, src.Size())
	if err != nil {
		return nil, err
	}
	if format.Kind == sniff.Text && src.Declared() != citekit.Document {
		return nil, fmt.Errorf("the source is text, not a document: %w", citekit.ErrFormat)
	}
	return extract(ctx, src, src.Size()), nil
}

func extract(ctx context.Context, r io.ReaderAt, size int64) *citekit.Content {
	return &citekit.Content{
		Body:      io.NopCloser(ctxio.Reader(ctx, io.NewSectionReader(r, 0, size))),
		Size:      size,
		MediaType: mediaType,
		Ext:       ext,
	}
}

// cut returns the pages at loc, or all pages if loc has none.
func (j *job) cut(ctx context.Context, loc citekit.Location) (*pdfcut.Output, error) {
	var out *pdfcut.Output
	err := j.withDocument(ctx, func(doc *openDocument, f *pdf.File, data io.ReaderAt) error {
		extent := doc.extent()
		if err := extent.Check(loc); err != nil {
			return err
		}
		pages := indexes(loc, extent.Pages)
		if doc.repaired == nil && j.src.Aside() != nil { // far away
			j.src.Ahead(doc.structure.Places(pages)...)
		}
		var err error
		if out, err = pdfcut.Cut(f, doc.structure, data, pages, boxOf(loc)); err != nil {
			return err
		}
		if err := check(ctx, out, len(pages)); err != nil || doc.repaired == nil {
			return err
		}
		return j.compareText(ctx, pages, out)
	})
	return out, err
}

// indexes lists the selected pages, counted from 0.
func indexes(loc citekit.Location, pages int) []int {
	runs := loc.Pages
	if len(runs) == 0 {
		runs = []citekit.Range{{First: 1, Last: pages}}
	}
	list := make([]int, 0, pageCount(loc, pages))
	for _, run := range runs {
		for page := run.First; page <= run.Last; page++ {
			list = append(list, page-1)
		}
	}
	return list
}

func pageCount(loc citekit.Location, pages int) int {
	if n := loc.PageCount(); n > 0 {
		return n
	}
	return pages
}

func boxOf(loc citekit.Location) *pdfcut.Box {
	if loc.Box.IsZero() {
		return nil
	}
	return &pdfcut.Box{X1: loc.Box.X1, Y1: loc.Box.Y1, X2: loc.Box.X2, Y2: loc.Box.Y2}
}

// check reads an output as another program would: it must have its pages, and
// no reference may lead to a missing object.
func check(ctx context.Context, out *pdfcut.Output, pages int) error {
	f := pdf.NewFile(ctx, out, out.Size())
	structure, err := pdf.Open(f)
	if err != nil {
		return fmt.Errorf("checking the evidence: %w", err)
	}
	if len(structure.Pages) != pages {
		return fmt.Errorf("the evidence has %d pages instead of %d: %w", len(structure.Pages), pages, citekit.ErrFormat)
	}
	if err := structure.Check(f); err != nil {
		return fmt.Errorf("checking the evidence: %w", err)
	}
	return nil
}

// Measure implements [citekit.Measurer]. It counts the pages, and ignores the
// number stated in the source.
func (r *Resolver) Measure(ctx context.Context, src *citekit.Source) (citekit.Extent, error) {
	r.init()
	if err := ctx.Err(); err != nil {
		return citekit.Extent{}, err
	}
	var extent citekit.Extent
	j, end, err := r.start(ctx, src, 0)
	if err != nil {
		return extent, err
	}
	defer end()
	err = j.withDocument(ctx, func(doc *openDocument, _ *pdf.File, _ io.ReaderAt) error {
		extent = doc.extent()
		return nil
	})
	return extent, known(ctx, err)
}

// known makes an error match those documented by [citekit.Resolver].
func known(ctx context.Context, err error) error {
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, citekit.ErrRange), errors.Is(err, citekit.ErrFormat):
		return err
	case errors.Is(err, pdf.ErrLimit), errors.Is(err, pdfium.ErrLimit):
		return fmt.Errorf("%w: %w", err, citekit.ErrTooLarge)
	}
	for _, encrypted := range []error{pdf.ErrPassword, pdf.ErrEncryption} {
		if errors.Is(err, encrypted) {
			return fmt.Errorf("%w: %w", err, citekit.ErrEncrypted)
		}
	}
	for _, format := range []error{pdf.ErrNotPDF, pdf.ErrDamaged, pdfium.ErrRefused} {
		if errors.Is(err, format) {
			return fmt.Errorf("%w: %w", err, citekit.ErrFormat)
		}
	}
	return err
}
