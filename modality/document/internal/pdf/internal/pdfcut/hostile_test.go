package pdfcut_test

import (
	"bytes"
	"errors"
	"testing"

	"github.com/citekit/citekit/internal/test/pdftest"
	"github.com/citekit/citekit/modality/document/internal/pdf/internal/pdf"
	"github.com/citekit/citekit/modality/document/internal/pdf/internal/pdfcut"
)

// TestHostileWork does all that can be done with hostile files and compares
// the work with their size: nothing is read as often as it is referred to.
// What lies within something else is another thing each time, and so are many
// streams that fail; the budget ends that.
func TestHostileWork(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: not with -short")
	}
	worst := map[string]float64{}
	for _, hostile := range append(pdftest.HostileFiles(2000), pdftest.Wasted()...) {
		t.Run(hostile.Name, func(t *testing.T) {
			r := bytes.NewReader(hostile.Data)
			budget := pdf.NewBudget(r.Size())
			err := useAll(t, budget.File(t.Context(), r, r.Size()), r)
			if err != nil && !errors.Is(err, pdf.ErrDamaged) && !errors.Is(err, pdf.ErrLimit) {
				t.Errorf("got %v", err)
			}
			size, spent := float64(r.Size()), budget.Spent()
			for what, n := range map[string]int64{"parsed": spent.Parsed, "read": spent.Read / 8, "visited": spent.Visited / 8, "decoded": spent.Decoded / 16} {
				part := float64(n) / (size + 256<<10)
				worst[what] = max(worst[what], part)
				endless := errors.Is(err, pdf.ErrLimit) && (hostile.Name == "strings in strings" || hostile.Name == "damaged object streams")
				if part > 16 && !endless {
					t.Errorf("%s: %+v for %.0f bytes; %v", what, spent, size, err)
				}
			}
		})
	}
	t.Logf("times the size: %v", worst)
}

// useAll opens a file, reads all it says of itself, and cuts some pages.
func useAll(t *testing.T, f *pdf.File, r *bytes.Reader) error {
	d, err := pdf.Open(f)
	if errors.Is(err, pdf.ErrDamaged) {
		d, err = pdf.Rebuild(f)
	}
	if err != nil {
		return err
	}
	for _, lenient := range []bool{false, true} {
		if _, err = d.Outline(f, lenient); !errors.Is(err, pdf.ErrDamaged) {
			break
		}
	}
	_, labelErr := d.Labels(f)
	_, infoErr := d.Info(f)
	search := pdf.NewTextSearch(f, d)
	for i := range min(len(d.Pages), 100) {
		search.OnPage(i)
	}
	pages := make([]int, min(len(d.Pages), 16))
	for i := range pages {
		pages[i] = i
	}
	out, cutErr := pdfcut.Cut(f, d, r, pages, nil)
	if cutErr == nil && out.Size() > 20*r.Size()+1<<20 {
		t.Errorf("%d bytes come of %d", out.Size(), r.Size())
	}
	return errors.Join(err, labelErr, infoErr, cutErr)
}
