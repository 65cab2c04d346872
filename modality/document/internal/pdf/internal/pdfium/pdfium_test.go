package pdfium_test

import (
	"bytes"
	"context"
	"errors"
	"sort"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/citekit/citekit/internal/test/pdftest"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/modality/document/internal/pdf/internal/pdfium"
)

const plenty pdfium.Work = 1 << 40

// engine is for tests that need none of their own, because each start takes time.
var engine = &pdfium.Engine{CacheDir: pdfium.DefaultCacheDir()}

func text(t testing.TB, e *pdfium.Engine, data []byte, indexes ...int) ([]string, error) {
	t.Helper()
	read, err := e.Session(plenty).Text(t.Context(), bytes.NewReader(data), int64(len(data)), pages(indexes...), false)
	var texts []string
	for _, page := range read {
		texts = append(texts, page.Text)
	}
	return texts, err
}

func pages(indexes ...int) []pdfium.Page {
	var pages []pdfium.Page
	for _, index := range indexes {
		pages = append(pages, pdfium.Page{Index: index})
	}
	return pages
}

func TestText(t *testing.T) {
	sharedtest.Once(t)
	got, err := text(t, engine, pdftest.Text(true, "one", "two", "three"), 2, 0)
	if err != nil || len(got) != 2 || got[0] != "This is page three" || got[1] != "This is page one" {
		t.Errorf("got %q, %v", got, err)
	}
}

// TestFieldText reads the value of a form field from its appearance.
func TestFieldText(t *testing.T) {
	sharedtest.Once(t)
	f := &pdftest.File{}
	look := f.Stream("/Type /XObject /Subtype /Form /BBox [0 0 100 20] /Resources << /Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >>",
		[]byte("BT /F1 12 Tf 2 5 Td (filled in) Tj ET"))
	field := f.Add("<< /Type /Annot /Subtype /Widget /FT /Tx /T (a) /V (filled in) /F 4 /Rect [50 50 150 70] /AP << /N %d 0 R >> >>", look)
	page := f.Reserve()
	tree := f.Add("<< /Type /Pages /Count 1 /Kids [%d 0 R] >>", page)
	f.Set(page, "<< /Type /Page /Parent %d 0 R /MediaBox [0 0 200 200] /Annots [%d 0 R] >>", tree, field)
	f.Root(f.Add("<< /Type /Catalog /Pages %d 0 R /AcroForm << /Fields [%d 0 R] >> >>", tree, field))
	got, err := text(t, engine, f.Bytes(), 0)
	if err != nil || strings.TrimSpace(got[0]) != "filled in" {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestRefused(t *testing.T) {
	sharedtest.Once(t)
	for range 2 {
		if _, err := text(t, engine, []byte("%PDF-1.7 nonsense"), 0); !errors.Is(err, pdfium.ErrRefused) {
			t.Errorf("nonsense: got %v", err)
		}
		if got, err := text(t, engine, pdftest.Text(false, "one"), 0); err != nil || got[0] != "This is page one" {
			t.Errorf("after nonsense: got %q, %v", got, err)
		}
	}
}

// TestSameWork finds the least work that a text needs, to the unit, and that it is the
// same after other calls.
func TestSameWork(t *testing.T) {
	sharedtest.NotShort(t)
	data := pdftest.Manual(3)
	e := &pdfium.Engine{CacheDir: pdfium.DefaultCacheDir()}
	reads := func(work pdfium.Work) bool {
		_, err := e.Session(work).Text(t.Context(), bytes.NewReader(data), int64(len(data)), pages(0, 1, 2), false)
		if err != nil && !errors.Is(err, pdfium.ErrSpent) {
			t.Fatal(err)
		}
		return err == nil
	}
	least := func() pdfium.Work {
		return pdfium.Work(sort.Search(1<<30, func(work int) bool { return reads(pdfium.Work(work)) }))
	}
	want := least()
	if _, err := text(t, e, pdftest.Manual(40), 7, 8, 9); err != nil {
		t.Fatal(err)
	}
	if got := least(); got != want || want < 10_000 || want > 100e6 {
		t.Errorf("%d units, and %d after another file", want, got)
	}
}

// TestReplaced stops PDFium in the middle: the next call has a new one.
func TestReplaced(t *testing.T) {
	sharedtest.NotShort(t)
	data := pdftest.Manual(40)
	e := &pdfium.Engine{CacheDir: pdfium.DefaultCacheDir(), Timeout: time.Microsecond}
	if _, err := text(t, e, data, 0, 1, 2, 3, 4); !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, pdfium.ErrLimit) {
		t.Errorf("without time: got %v", err)
	}
	e.Timeout = 0
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	pages := make([]pdfium.Page, 4000)
	if _, err := e.Session(plenty).Text(ctx, bytes.NewReader(data), int64(len(data)), pages, false); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("with a context that ends: got %v", err)
	}
	if got, err := text(t, e, data, 7); err != nil || !strings.HasPrefix(got[0], "Page 8\n") {
		t.Errorf("afterwards: got %.20q, %v", got, err)
	}
}

func TestRepair(t *testing.T) {
	sharedtest.NotShort(t)
	data := pdftest.Text(false, "one", "two")
	broken := data[:bytes.LastIndex(data, []byte("xref\n0 "))]
	// PDFium needs a trailer to find the catalog.
	broken = append(bytes.Clone(broken), "trailer << /Root 1 0 R >>"...)
	repaired, err := engine.Session(plenty).Repair(t.Context(), bytes.NewReader(broken), int64(len(broken)))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := text(t, engine, repaired, 0, 1); err != nil || got[1] != "This is page two" {
		t.Errorf("got %q, %v", got, err)
	}
}

// TestConcurrent has many callers, of whom one runs at a time, and some give
// up while they wait, or while PDFium starts or works.
func TestConcurrent(t *testing.T) {
	e := &pdfium.Engine{CacheDir: pdfium.DefaultCacheDir()}
	var wait sync.WaitGroup
	for i := range 8 {
		wait.Go(func() {
			ctx, cancel := context.WithTimeout(t.Context(), time.Duration(i)*10*time.Millisecond)
			defer cancel()
			data := pdftest.Text(true, "one")
			_, err := e.Session(plenty).Text(ctx, bytes.NewReader(data), int64(len(data)), pages(0), false)
			if err != nil && !errors.Is(err, context.DeadlineExceeded) {
				t.Error(err)
			}
		})
		wait.Go(func() {
			if got, err := text(t, e, pdftest.Text(true, "one"), 0); err != nil || got[0] != "This is page one" {
				t.Errorf("got %q, %v", got, err)
			}
		})
	}
	wait.Wait()
}
