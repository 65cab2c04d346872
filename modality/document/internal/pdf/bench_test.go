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

// BenchmarkIngest measures what an ingest of a manual does with PDFium, and the part of
// its tables.
func BenchmarkIngest(b *testing.B) {
	const count = 160
	src := source(pdftest.Manual(count))
	r := newResolver(b)
	for name, work := range map[string]func() error{
		"map": func() error {
			_, err := r.Map(b.Context(), src, citekit.MapRequest{Modality: citekit.Document})
			return err
		},
		"text": func() error {
			for _, err := range r.ReadText(b.Context(), src, pages(1, count)) {
				if err != nil {
					return err
				}
			}
			return nil
		},
		"tables": func() error {
			_, err := pdf.TablesOf(b.Context(), r, src, firstIndexes(count), false)
			return err
		},
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if err := work(); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(count*b.N)/b.Elapsed().Seconds(), "pages/s")
		})
	}
}
