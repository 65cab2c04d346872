package pdf

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/concurrent"
	"github.com/citekit/citekit/modality/document/internal/pdf/internal/pdf"
	"github.com/citekit/citekit/modality/document/internal/pdf/internal/pdfium"
	"github.com/citekit/citekit/modality/internal/docfile"
)

// An openDocument is a document whose structure has been read.
type openDocument struct {
	structure *pdf.Document
	repaired  []byte // the file with that structure, if it is not the source
}

func (o *openDocument) extent() citekit.Extent {
	return citekit.Extent{Modality: citekit.Document, Pages: len(o.structure.Pages), MediaType: mediaType}
}

// data returns the file from which the document is read.
func (o *openDocument) data(src *citekit.Source) (r io.ReaderAt, size int64) {
	if o.repaired != nil {
		return bytes.NewReader(o.repaired), int64(len(o.repaired))
	}
	return src, src.Size()
}

// A job is one call for one source. It has one budget for reading and one for
// PDFium, for everything that it opens.
type job struct {
	*Resolver
	src    *citekit.Source
	budget *pdf.Budget
	pdfium *pdfium.Session
	tried  [openerCount]attempt
	short  bool // the last layouts are of some pages only, because of a limit

	damage error // why the source was last read as it was repaired; nil if it is sound
}

// An attempt is the result of an opener on the source of a job.
type attempt struct {
	done bool
	doc  *openDocument
	file *pdf.File
	data io.ReaderAt
	err  error
}

// The limits of the work of PDFium for one job. Some 250 million units take a second of
// a fast processor. A repair takes 4 million units for each megabyte, the layout of most
// pages half a million to two million.
const (
	repairWork    pdfium.Work = 300e6
	repairPerMB   pdfium.Work = 20e6
	maxRepairWork pdfium.Work = 3e9
	textWork      pdfium.Work = 2e9   // for the text or the picture of some pages
	layoutWork    pdfium.Work = 400e6 // for the text of pages read in full
	runWork       pdfium.Work = 200e6 // for the text of the first pages of runs
	pageWork      pdfium.Work = 1e6   // added for each page

	callWork    pdfium.Work = 5e6 // what the text of some pages takes at least,
	cutByteWork pdfium.Work = 5   // and for each byte of these pages by themselves
)

// textLimit is the work for the text of all pages of a source of a size. Manuals of
// thousands of pages take up to a fifth of it. Tests lower it.
var textLimit = func(size int64) pdfium.Work { return 2e9 + 4000*pdfium.Work(size) }

// start begins a job once one of the processors for jobs is free. The remaining
// processors are for smaller requests. The caller must call end.
func (r *Resolver) start(ctx context.Context, src *citekit.Source, more pdfium.Work) (j *job, end func(), err error) {
	if err := concurrent.Acquire(ctx, r.working); err != nil {
		return nil, nil, err
	}
	repair := min(repairWork+pdfium.Work(src.Size()>>20)*repairPerMB, maxRepairWork)
	j = &job{
		Resolver: r,
		src:      src,
		budget:   pdf.NewBudget(src.Size()),
		pdfium:   r.engine.Session(repair + more),
	}
	return j, func() { <-r.working }, nil
}

// isExhausted reports whether a budget of j is used up.
func (j *job) isExhausted() bool { return j.pdfium.Spent() || j.budget.Exhausted() }

// An opener is one way to open a source. Openers are tried in order, each after
// the one before has found damage.
type opener struct {
	name string // distinguishes the entries in the cache
	open func(*job, context.Context) (*openDocument, error)
}

const openerCount = 3

var openers = [openerCount]opener{
	{"", (*job).openSound},
	{" rebuilt", (*job).openRebuilt},
	{" repaired", (*job).openRepaired},
}

// withDocument calls use with the opened source. As long as it finds damage, it
// calls use again with the source repaired in the next way. It does not retry
// after a limit, nor for a file in which no objects can be found.
func (j *job) withDocument(ctx context.Context, use func(*openDocument, *pdf.File, io.ReaderAt) error) error {
	var damage []error // errors of the openers
	pages := 0
	for i := range openers {
		a := j.open(ctx, i)
		if a.err == nil && pages != 0 && pages != len(a.doc.structure.Pages) {
			break // page numbers would have another meaning
		}
		err := a.err
		if err == nil {
			pages = len(a.doc.structure.Pages)
			err = use(a.doc, a.file, a.data)
		}
		if len(damage) > 0 && errors.Is(err, pdfium.ErrLimit) {
			return fmt.Errorf("%w; repairing it takes too much work", damage[0])
		}
		if err == nil && len(damage) > 0 {
			j.damage = damage[0]
		}
		if err == nil || !isDamage(err) {
			return err
		}
		damage = append(damage, err)
		if errors.Is(err, pdf.ErrEmpty) {
			break
		}
	}
	if len(damage) == 1 || damage[0].Error() == damage[1].Error() {
		return damage[0]
	}
	return fmt.Errorf("%w; repairing it: %w", damage[0], damage[1])
}

// open opens the source with the opener at index. It tries each opener once.
func (j *job) open(ctx context.Context, index int) *attempt {
	a := &j.tried[index]
	if a.done {
		return a
	}
	a.doc, a.err = j.opened.Get(ctx, key(j.src, openers[index].name), func(ctx context.Context) (*openDocument, int64, error) {
		doc, err := openers[index].open(j, ctx)
		if err != nil {
			return nil, 0, err
		}
		return doc, doc.structure.Cost() + int64(len(doc.repaired)), nil
	})
	switch {
	case ctx.Err() != nil: // the next call of the job may have more time
		return &attempt{err: ctx.Err()}
	case a.err == nil:
		data, size := a.doc.data(j.src)
		a.file, a.data = j.budget.File(ctx, data, size), data
	}
	a.done = true
	return a
}

func key(src *citekit.Source, opener string) string {
	version := src.Version()
	if version == "" {
		return ""
	}
	return version + opener
}

func isDamage(err error) bool {
	return errors.Is(err, pdf.ErrDamaged) || errors.Is(err, pdfium.ErrRefused)
}

// openSound opens a source as it is: by what is kept beside it, or else by its pages.
func (j *job) openSound(ctx context.Context) (*openDocument, error) {
	file, aside := j.budget.File(ctx, j.src, j.src.Size()), j.src.Aside()
	if aside != nil {
		if kept, err := aside(ctx, pdf.KeptVersion, nil); err == nil {
			if structure, err := pdf.Restore(file, kept); err == nil {
				return &openDocument{structure: structure}, nil
			}
		}
	}
	structure, err := pdf.Open(file)
	if err != nil {
		return nil, err
	}
	if aside != nil {
		if kept := structure.Keep(); kept != nil {
			_, _ = aside(ctx, pdf.KeptVersion, kept) // else it is read again
		}
	}
	return &openDocument{structure: structure}, nil
}

func (j *job) openRebuilt(ctx context.Context) (*openDocument, error) {
	if err := j.checkRepairable(); err != nil {
		return nil, err
	}
	structure, err := pdf.Rebuild(j.budget.File(ctx, j.src, j.src.Size()))
	if err != nil {
		return nil, err
	}
	return &openDocument{structure: structure}, nil
}

// errNotRepaired reports a damaged file that is too large for a repair. It
// matches [citekit.ErrTooLarge].
var errNotRepaired = fmt.Errorf("%w", citekit.ErrTooLarge)

func (j *job) checkRepairable() error {
	if limit := docfile.Bound(j.MaxRepairBytes, 256<<20); j.src.Size() > limit {
		return fmt.Errorf("a damaged file of %d bytes; at most %d are repaired: %w", j.src.Size(), limit, errNotRepaired)
	}
	return nil
}

// openRepaired opens a source repaired by PDFium. Parts that PDFium lost are
// missing there, which is noticed only when they are needed.
func (j *job) openRepaired(ctx context.Context) (*openDocument, error) {
	if err := j.checkRepairable(); err != nil {
		return nil, err
	}
	repaired, err := j.pdfium.Repair(ctx, j.src, j.src.Size())
	if err != nil {
		return nil, err
	}
	data := bytes.NewReader(repaired)
	structure, err := pdf.Open(j.budget.File(ctx, data, data.Size()))
	if err != nil {
		return nil, err
	}
	structure.Rebuilt = true
	return &openDocument{structure: structure, repaired: repaired}, nil
}
