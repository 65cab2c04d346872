package sheet

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/sniff"
	"github.com/citekit/citekit/modality/document/internal/odf"
	"github.com/citekit/citekit/modality/internal/docfile"
)

const (
	odsType = "application/vnd.oasis.opendocument.spreadsheet"
	odsExt  = ".ods"
)

// isODS reports whether a source is an ODS workbook. The type is stored at the start
// of the package (ODF 1.3, part 2, section 3.3). In packages that were repacked it
// may be in a later file.
func isODS(src *citekit.Source) bool {
	head := make([]byte, 38+len(odsType)+1)
	n, err := src.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) || n < len(head) || string(head[:4]) != "PK\x03\x04" {
		return false
	}
	if string(head[30:len(head)-1]) == "mimetype"+odsType && head[len(head)-1] != '-' {
		return true
	}
	f, err := sniff.Detect(src, src.Size())
	return err == nil && f.ID == "ods"
}

// An odsJob is one call for an ODS workbook.
type odsJob struct {
	p    *odf.Package
	book *odsBook
}

func (r *Resolver) openODS(ctx context.Context, src *citekit.Source) (*odsJob, error) {
	r.init()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	p, err := odf.Open(ctx, src, src.Size())
	if err != nil {
		return nil, err
	}
	j := &odsJob{p: p}
	j.book, err = r.opened.Get(ctx, docfile.Key(src, "content"), func(ctx context.Context) (*odsBook, int64, error) {
		b, err := readODS(ctx, p)
		if err != nil {
			return nil, 0, err
		}
		return b, b.bytes(), nil
	})
	return j, err
}

func (j *odsJob) extent() citekit.Extent {
	return citekit.Extent{Modality: citekit.Document, Sheets: len(j.book.sheets), MediaType: odsType}
}

// startODS opens the workbook for a call with a location.
func (r *Resolver) startODS(ctx context.Context, src *citekit.Source, loc citekit.Location) (*odsJob, error) {
	j, err := r.openODS(ctx, src)
	if err != nil {
		return nil, err
	}
	if loc.Member != "" {
		return nil, fmt.Errorf("a member of a workbook: %w", errors.ErrUnsupported)
	}
	return j, j.extent().Check(loc)
}

func (r *Resolver) resolveODS(ctx context.Context, src *citekit.Source, loc citekit.Location) (*citekit.Content, error) {
	j, err := r.startODS(ctx, src, loc)
	if err != nil {
		return nil, err
	}
	if loc.IsWhole() {
		return docfile.Whole(ctx, src, odsType, odsExt), nil
	}
	data, changes, err := j.cut(ctx, loc)
	if err != nil {
		return nil, err
	}
	return docfile.Cut(ctx, data, odsType, odsExt, changes), nil
}

func (r *Resolver) readODSText(ctx context.Context, src *citekit.Source, loc citekit.Location, yield func(citekit.TextRun) bool) error {
	j, err := r.startODS(ctx, src, loc)
	if err != nil {
		return err
	}
	if loc.Sheet != "" {
		e, err := j.book.find(loc.Sheet)
		if err != nil {
			return err
		}
		return j.readSheet(ctx, e, loc, yield)
	}
	for i := range j.book.sheets {
		e := &j.book.sheets[i]
		at := citekit.Location{Modality: citekit.Document, Sheet: e.name}
		if j.book.first[e.name] != i || at.Validate() != nil {
			continue
		}
		if err := j.readSheet(ctx, e, at, yield); err != nil {
			return err
		}
	}
	return nil
}

func (j *odsJob) readSheet(ctx context.Context, e *odsSheet, loc citekit.Location, yield func(citekit.TextRun) bool) error {
	a, err := selected(loc, e.used)
	if err != nil {
		return err
	}
	t := &rowText{sheet: e.name, area: a.meet(e.used), yield: yield}
	if t.area.isEmpty() {
		return nil
	}
	t.area.left = a.left // the first column of the range, as in the text of evidence
	for i := range e.rows {
		w := &e.rows[i]
		if !w.filled || w.last() < t.area.top || w.number > t.area.bottom {
			continue
		}
		t.cells = t.cells[:0]
		for _, c := range j.book.cells(w) {
			t.cells = j.book.appendShown(t.cells, e, c, t.area)
		}
		for n := max(w.number, t.area.top); n <= min(w.last(), t.area.bottom); n++ {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := t.emit(n); err != nil {
				return err
			}
		}
	}
	return nil
}

// find returns the first sheet with a name.
func (b *odsBook) find(name string) (*odsSheet, error) {
	if i, ok := b.first[name]; ok {
		return &b.sheets[i], nil
	}
	names := &workbook{}
	for i := range b.sheets {
		names.sheets = append(names.sheets, entry{name: b.sheets[i].name})
	}
	if len(b.sheets) == 0 {
		return nil, fmt.Errorf("no sheet %s: %w", message.Quote(name), citekit.ErrRange)
	}
	_, err := names.find(name)
	return nil, err
}
