package document

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/pdf"
	"github.com/citekit/citekit/internal/pdfium"
)

// An opened is a document whose structure has been read.
type opened struct {
	structure *pdf.Document
	repaired  []byte // what the structure is that of, if not the source
}

func (o *opened) extent() citekit.Extent {
	return citekit.Extent{Modality: citekit.Document, Pages: len(o.structure.Pages), MediaType: mediaType}
}

// data returns what the document is read from.
func (o *opened) data(src *citekit.Source) (r io.ReaderAt, size int64) {
	if o.repaired != nil {
		return bytes.NewReader(o.repaired), int64(len(o.repaired))
	}
	return src, src.Size()
}

// An opener is a way to open a source. The ways are tried in order, each when
// the one before has found damage.
type opener struct {
	name string // tells apart what is kept in the cache
	open func(*Resolver, context.Context, *citekit.Source) (*opened, error)
}

var openers = []opener{
	{"", (*Resolver).openSound},
	{" rebuilt", (*Resolver).openRebuilt},
	{" repaired", (*Resolver).openRepaired},
}

// withDocument calls use with src opened, again with src repaired as long as
// damage is found.
func (r *Resolver) withDocument(ctx context.Context, src *citekit.Source, use func(*opened, *pdf.File, io.ReaderAt) error) error {
	var damage []error // what each way found
	pages := 0
	for _, way := range openers {
		doc, err := r.opened.Get(ctx, key(src, way.name), func(ctx context.Context) (*opened, int64, error) {
			doc, err := way.open(r, ctx, src)
			if err != nil {
				return nil, 0, err
			}
			return doc, doc.structure.Cost() + int64(len(doc.repaired)), nil
		})
		if err == nil && pages != 0 && pages != len(doc.structure.Pages) {
			break // page numbers would mean something else
		}
		if err == nil {
			pages = len(doc.structure.Pages)
			data, size := doc.data(src)
			err = use(doc, pdf.NewFile(ctx, data, size), data)
		}
		if err == nil || !isDamage(err) {
			return err
		}
		damage = append(damage, err)
	}
	if len(damage) == 1 || damage[0].Error() == damage[1].Error() {
		return damage[0]
	}
	return fmt.Errorf("%w; repairing it: %w", damage[0], damage[1])
}

func key(src *citekit.Source, way string) string {
	version := src.Version()
	if version == "" {
		return ""
	}
	return version + way
}

func isDamage(err error) bool {
	return errors.Is(err, pdf.ErrDamaged) || errors.Is(err, pdfium.ErrRefused)
}

func (r *Resolver) openSound(ctx context.Context, src *citekit.Source) (*opened, error) {
	structure, err := pdf.Open(pdf.NewFile(ctx, src, src.Size()))
	if err != nil {
		return nil, err
	}
	return &opened{structure: structure}, nil
}

func (r *Resolver) openRebuilt(ctx context.Context, src *citekit.Source) (*opened, error) {
	if err := r.checkRepairable(src); err != nil {
		return nil, err
	}
	structure, err := pdf.Rebuild(pdf.NewFile(ctx, src, src.Size()))
	if err != nil {
		return nil, err
	}
	return &opened{structure: structure}, nil
}

func (r *Resolver) checkRepairable(src *citekit.Source) error {
	if limit := withDefault(r.MaxRepairBytes, 256<<20); src.Size() > limit {
		return fmt.Errorf("a damaged file of %d bytes; at most %d are repaired: %w", src.Size(), limit, citekit.ErrTooLarge)
	}
	return nil
}

// openRepaired opens what PDFium makes of a source. What PDFium lost is
// missing there, which is found out when it is needed.
func (r *Resolver) openRepaired(ctx context.Context, src *citekit.Source) (*opened, error) {
	if err := r.checkRepairable(src); err != nil {
		return nil, err
	}
	repaired, err := r.engine.Repair(ctx, src, src.Size())
	if err != nil {
		return nil, err
	}
	data := bytes.NewReader(repaired)
	structure, err := pdf.Open(pdf.NewFile(ctx, data, data.Size()))
	if err != nil {
		return nil, err
	}
	structure.Rebuilt = true
	return &opened{structure: structure, repaired: repaired}, nil
}
