// Package sheet resolves cells of workbooks: XLSX and other Office Open XML
// workbooks, transitional and strict, and ODS. The evidence is a workbook that
// has only these cells, at the addresses that they have in the source. The
// nodes of a map are the sheets, with the tables in them.
//
// # Addresses
//
// A sheet is addressed by the exact name on its tab. Its cells are in A1
// notation: rows count from 1, columns are letters, and hidden ones count. A
// sheet ends at the last row and the last column with a cell, even an empty one
// with only a format, or a merged area; the dimension that the sheet declares is
// ignored. Cells beyond that end are an error. Chart sheets count as sheets and
// have no cells.
//
// # Evidence
//
// Evidence is a workbook with only that sheet, in which the cells of the range
// keep their addresses. Cells, strings, styles and the theme are bytes of the
// source. A formula stays if everything that it refers to stays. Otherwise the
// value that the source shows replaces it, as it does if the formula gives another
// value each time the workbook is opened. Merged areas and column widths are
// clipped to the range. The date system is kept. Tables, links, conditional
// formats, validations and names stay if they lie entirely in the range and refer
// to nothing outside it. Other sheets, macros, properties, links to other
// workbooks and pivot tables are left out. The changes report what is left out of
// the range itself.
//
// # ODS
//
// An ODS sheet ends at the last cell with a value, a text, a note or a formula,
// or at a merged area. Cells with only a format do not count, as programs fill
// whole rows with them. Cells show the text that their program stored. Evidence
// keeps named ranges and database ranges that lie entirely in the range,
// without filters. Pictures, charts, forms, headers, footers, validations and
// conditional formats are left out. For a sheet of more than 4 million cells,
// including repeats, the error matches [citekit.ErrTooLarge].
package sheet

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/concurrent"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/modality/document/internal/ooxml"
	"github.com/citekit/citekit/modality/internal/docfile"
)

// A Resolver extracts cells of workbooks. The zero value is ready to use. It is
// safe for concurrent use and must not be copied after first use.
//
// For a workbook of known version it caches the positions of rows and strings,
// some megabytes for a million cells, but no cells. A range is read from the
// nearest known position before it.
type Resolver struct {
	// CacheBytes bounds the memory for cached data about workbooks, approximately;
	// zero means 64 MiB, negative keeps none.
	CacheBytes int64

	// MaxJobs is how many sheets may be read from their beginning at a time; further
	// calls wait. Zero means one less than the number of CPUs, and at least one.
	MaxJobs int

	once    sync.Once
	books   concurrent.Cache[*workbook]
	indexes concurrent.Cache[*index]
	tables  concurrent.Cache[*stringTable]
	opened  concurrent.Cache[*odsBook]
	working chan struct{}
}

const defaultCacheBytes = 64 << 20

var (
	_ citekit.Resolver   = (*Resolver)(nil)
	_ citekit.Measurer   = (*Resolver)(nil)
	_ citekit.TextReader = (*Resolver)(nil)
	_ citekit.Versioner  = (*Resolver)(nil)
	_ citekit.Mapper     = (*Resolver)(nil)
)

func (r *Resolver) init() {
	r.once.Do(func() {
		size := docfile.Bound(r.CacheBytes, defaultCacheBytes)
		r.books.MaxCost, r.indexes.MaxCost, r.tables.MaxCost, r.opened.MaxCost = size/16, size/8, size*5/16, size/2
		r.working = make(chan struct{}, cmp.Or(max(r.MaxJobs, 0), max(runtime.GOMAXPROCS(0)-1, 1)))
	})
}

// Version implements [citekit.Versioner].
func (r *Resolver) Version() string { return "sheet/5" }

const (
	mediaType = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
	ext       = ".xlsx"
)

// forms maps the content type of the main part to the media type and extension of a
// workbook.
var forms = map[string]struct{ mediaType, ext string }{
	"application/vnd.ms-excel.sheet.macroenabled.main+xml":    {"application/vnd.ms-excel.sheet.macroEnabled.12", ".xlsm"},
	"application/vnd.ms-excel.template.macroenabled.main+xml": {"application/vnd.ms-excel.template.macroEnabled.12", ".xltm"},
	"application/vnd.ms-excel.addin.macroenabled.main+xml":    {"application/vnd.ms-excel.addin.macroEnabled.12", ".xlam"},
	"application/vnd.openxmlformats-officedocument.spreadsheetml.template.main+xml": {
		"application/vnd.openxmlformats-officedocument.spreadsheetml.template", ".xltx",
	},
}

// A job is one call: a workbook and the source it is read from.
type job struct {
	r    *Resolver
	src  *citekit.Source
	p    *ooxml.Package
	book *workbook
}

// open reads the workbook parts that are common to all sheets.
func (r *Resolver) open(ctx context.Context, src *citekit.Source) (*job, error) {
	r.init()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if src.Size() == 0 {
		return nil, fmt.Errorf("the source is empty: %w", citekit.ErrFormat)
	}
	p, err := ooxml.Open(ctx, src, src.Size())
	if err != nil {
		return nil, err
	}
	j := &job{r: r, src: src, p: p}
	j.book, err = r.books.Get(ctx, docfile.Key(src, ""), func(ctx context.Context) (*workbook, int64, error) {
		b, err := readWorkbook(ctx, p)
		if err != nil {
			return nil, 0, err
		}
		return b, b.bytes(), nil
	})
	return j, err
}

// index returns the index of a sheet.
func (j *job) index(ctx context.Context, e *entry) (*index, error) {
	if e.kind != cellSheet {
		return nil, e.withoutCells()
	}
	return j.r.indexes.Get(ctx, docfile.Key(j.src, e.part), func(ctx context.Context) (*index, int64, error) {
		if err := concurrent.Acquire(ctx, j.r.working); err != nil {
			return nil, 0, err
		}
		defer func() { <-j.r.working }()
		x, err := readIndex(ctx, j.p.Part(e.part))
		if err != nil {
			return nil, 0, err
		}
		return x, x.bytes(), nil
	})
}

func (e *entry) withoutCells() error {
	what := "is of charts and has no cells"
	switch {
	case e.kind == otherSheet && e.part == "":
		return fmt.Errorf("the sheet %s is missing in the source: %w", message.Quote(e.name), citekit.ErrFormat)
	case e.kind == otherSheet:
		what = "is none of cells"
	}
	return fmt.Errorf("the sheet %s %s: %w", message.Quote(e.name), what, errors.ErrUnsupported)
}

// cellReader returns a reader of cells.
func (j *job) cellReader(ctx context.Context) *cellReader {
	load := func() (*stringTable, error) {
		return j.r.tables.Get(ctx, docfile.Key(j.src, "strings"), func(ctx context.Context) (*stringTable, int64, error) {
			if err := concurrent.Acquire(ctx, j.r.working); err != nil {
				return nil, 0, err
			}
			defer func() { <-j.r.working }()
			t, err := readStrings(ctx, j.p.Part(j.book.stringsPart))
			if err != nil {
				return nil, 0, err
			}
			return t, t.bytes(), nil
		})
	}
	return &cellReader{ctx: ctx, p: j.p, book: j.book, load: load}
}

func (j *job) extent() citekit.Extent {
	kind, _ := j.form()
	return citekit.Extent{Modality: citekit.Document, Sheets: len(j.book.sheets), MediaType: kind}
}

// form returns the media type and the extension of the source.
func (j *job) form() (kind, extension string) {
	if f, ok := forms[strings.ToLower(j.p.ContentType(j.p.Main()))]; ok {
		return f.mediaType, f.ext
	}
	return mediaType, ext
}

// Measure implements [citekit.Measurer]. It counts the sheets and does not read
// them.
func (r *Resolver) Measure(ctx context.Context, src *citekit.Source) (citekit.Extent, error) {
	if isODS(src) {
		j, err := r.openODS(ctx, src)
		if err != nil {
			return citekit.Extent{}, err
		}
		return j.extent(), nil
	}
	j, err := r.open(ctx, src)
	if err != nil {
		return citekit.Extent{}, err
	}
	return j.extent(), nil
}

// check refuses a location that does not fit a workbook.
func (j *job) check(loc citekit.Location) error {
	if loc.Member != "" {
		return fmt.Errorf("a member of a workbook: %w", errors.ErrUnsupported)
	}
	return j.extent().Check(loc)
}

// Resolve implements [citekit.Resolver]. The error for a missing sheet names the
// existing ones and matches [citekit.ErrRange]. The error for cells of a chart sheet
// matches [errors.ErrUnsupported]. The media type is that of XLSX, except for the
// whole of a template or a source with macros. The mode has no effect.
func (r *Resolver) Resolve(ctx context.Context, src *citekit.Source, req citekit.Request) (*citekit.Content, error) {
	loc := req.Location
	if ok, err := r.isODS(ctx, src, loc); err != nil {
		return nil, err
	} else if ok {
		return r.resolveODS(ctx, src, loc)
	}
	j, err := r.start(ctx, src, loc)
	if err != nil {
		return nil, err
	}
	if loc.IsWhole() {
		kind, extension := j.form()
		return docfile.Whole(ctx, src, kind, extension), nil
	}
	data, changes, err := j.cut(ctx, loc)
	if err != nil {
		return nil, err
	}
	return docfile.Cut(ctx, data, mediaType, ext, changes), nil
}

// isODS reports whether a call is for an ODS workbook, and refuses a location of
// another modality.
func (r *Resolver) isODS(ctx context.Context, src *citekit.Source, loc citekit.Location) (bool, error) {
	err := docfile.CheckLocation(ctx, loc, citekit.Document, "a workbook")
	return err == nil && isODS(src), err
}

// start opens the workbook for a call with a location.
func (r *Resolver) start(ctx context.Context, src *citekit.Source, loc citekit.Location) (*job, error) {
	j, err := r.open(ctx, src)
	if err != nil {
		return nil, err
	}
	return j, j.check(loc)
}
