package pdf_test

import (
	"io"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/test/pdftest"
	"github.com/citekit/citekit/modality/document/internal/pdf"
)

const manualPages = 2400

func benchmarkThreePages(b *testing.B, fresh bool) {
	data := pdftest.Manual(manualPages)
	r := &pdf.Resolver{}
	src := source(data)
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if fresh {
			r = &pdf.Resolver{}
		}
		first := 1 + i*7%(manualPages-3)
		x, err := r.Resolve(b.Context(), src, citekit.Request{Location: pages(first, first+2)})
		if err != nil {
			b.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, x.Body); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkThreePagesCold(b *testing.B) { benchmarkThreePages(b, true) }

func BenchmarkThreePagesWarm(b *testing.B) { benchmarkThreePages(b, false) }

func BenchmarkText(b *testing.B) {
	src := source(pdftest.Manual(manualPages))
	r := newResolver(b)
	for i := 0; b.Loop(); i++ {
		first := 1 + i*7%(manualPages-3)
		for _, err := range r.ReadText(b.Context(), src, pages(first, first+2)) {
			if err != nil {
				b.Fatal(err)
			}
		}
	}
}
