package pdf_test

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/citekit/citekit/internal/test/pdftest"
	"github.com/citekit/citekit/modality/document/internal/pdf/internal/pdf"
	"github.com/google/go-cmp/cmp"
)

func openBytes(t testing.TB, data []byte) (*pdf.Document, *pdf.File) {
	t.Helper()
	f := pdf.NewFile(t.Context(), bytes.NewReader(data), int64(len(data)))
	d, err := pdf.Open(f)
	if err != nil {
		t.Fatal(err)
	}
	return d, f
}

// TestRestore compares a document that is restored with the one that was kept.
func TestRestore(t *testing.T) {
	for name, data := range map[string][]byte{
		"manual": pdftest.Manual(90), "fields": pdftest.Fields(), "dense": pdftest.Dense(3, 5),
	} {
		want, f := openBytes(t, data)
		got, err := pdf.Restore(f, want.Keep())
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got.Version != want.Version || got.Rebuilt != want.Rebuilt {
			t.Errorf("%s: version %q, rebuilt %v", name, got.Version, got.Rebuilt)
		}
		for what, diff := range map[string]string{
			"trailer": cmp.Diff(want.Trailer, got.Trailer), "catalog": cmp.Diff(want.Catalog, got.Catalog), "pages": cmp.Diff(want.Pages, got.Pages),
		} {
			if diff != "" {
				t.Errorf("%s: %s: %s", name, what, diff)
			}
		}
		for num := range 2000 {
			wantPage, wantOK := want.PageIndex(num)
			gotPage, gotOK := got.PageIndex(num)
			if wantPage != gotPage || wantOK != gotOK || want.IsNode(num) != got.IsNode(num) || want.Has(num) != got.Has(num) {
				t.Fatalf("%s: object %d is another", name, num)
			}
			wantObject, wantErr := want.Load(f, num)
			gotObject, gotErr := got.Load(f, num)
			if (wantErr == nil) != (gotErr == nil) {
				t.Fatalf("%s: object %d: %v, want %v", name, num, gotErr, wantErr)
			}
			if _, stream := wantObject.(*pdf.Stream); !stream && !cmp.Equal(wantObject, gotObject) {
				t.Fatalf("%s: object %d: %v, want %v", name, num, gotObject, wantObject)
			}
		}
	}
}

// TestRestoreDamaged restores nothing from data that is cut off or disturbed, or what
// does no harm.
func TestRestoreDamaged(t *testing.T) {
	d, f := openBytes(t, pdftest.Manual(50))
	kept := d.Keep()
	for n := range len(kept) {
		if _, err := pdf.Restore(f, kept[:n]); err == nil {
			t.Fatalf("the first %d of %d bytes are restored", n, len(kept))
		}
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		other := bytes.Clone(kept)
		other[random.IntN(len(other))] ^= byte(1 + random.IntN(255))
		if got, err := pdf.Restore(f, other); err == nil && len(got.Pages) == 0 {
			t.Fatal("a document without pages")
		}
	}
}
