package sheet_test

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"io"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/modality/document/internal/sheet"
)

// large returns a workbook of so many rows of ten cells: numbers, shared
// strings, dates, and formulas.
func large(t testing.TB, rows int) []byte {
	t.Helper()
	b := newBook([]string{"Data"}, "")
	var data bytes.Buffer
	z := zip.NewWriter(&data)
	write := func(name string, fill func(w io.Writer)) {
		w, err := z.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		fill(w)
	}
	for name, text := range b {
		if name != "xl/worksheets/sheet1.xml" && name != "xl/sharedStrings.xml" {
			write(name, func(w io.Writer) { io.WriteString(w, text) })
		}
	}
	const columns = "ABCDEFGHIJ"
	write("xl/worksheets/sheet1.xml", func(w io.Writer) {
		before, after, _ := strings.Cut(worksheet("", "ROWS", ""), "ROWS")
		io.WriteString(w, head+before)
		for r := 1; r <= rows; r++ {
			fmt.Fprintf(w, `<row r="%d" spans="1:10">`, r)
			for c, name := range columns {
				switch c % 5 {
				case 0:
					fmt.Fprintf(w, `<c r="%c%d" t="s"><v>%d</v></c>`, name, r, (r*7919+c)%(rows/2+1))
				case 1:
					fmt.Fprintf(w, `<c r="%c%d" s="1"><v>%d</v></c>`, name, r, 40000+r%5000)
				case 2:
					fmt.Fprintf(w, `<c r="%c%d" s="3"><f>%c%d*2</f><v>%d.25</v></c>`, name, r, columns[c+1], r, r)
				default:
					fmt.Fprintf(w, `<c r="%c%d"><v>%d.%d</v></c>`, name, r, r*c, r%97)
				}
			}
			io.WriteString(w, `</row>`)
		}
		io.WriteString(w, after)
	})
	write("xl/sharedStrings.xml", func(w io.Writer) {
		fmt.Fprintf(w, head+`<sst `+mainNS+`>`)
		for i := range rows/2 + 1 {
			fmt.Fprintf(w, `<si><t>string number %d</t></si>`, i)
		}
		io.WriteString(w, `</sst>`)
	})
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return data.Bytes()
}

var millionCells = sync.OnceValue(func() []byte { return large(new(testing.B), 100_000) })

func versioned(data []byte) *citekit.Source {
	return citekit.NewSource(bytes.NewReader(data), citekit.SourceInfo{Name: "large.xlsx", Size: int64(len(data)), Identity: "large"})
}

// resident reports the memory that is held at the end.
func resident(b *testing.B, r *sheet.Resolver, data []byte) {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	b.ReportMetric(float64(m.HeapAlloc-uint64(len(data)))/1e6, "MB-held")
	runtime.KeepAlive(r)
}

func BenchmarkMillionCells(b *testing.B) {
	data := millionCells()
	ctx := context.Background()
	resolve := func(b *testing.B, r *sheet.Resolver, loc citekit.Location) {
		if _, err := r.Resolve(ctx, versioned(data), citekit.Request{Location: loc}); err != nil {
			b.Fatal(err)
		}
	}
	b.Run("map", func(b *testing.B) {
		var r *sheet.Resolver
		for b.Loop() {
			r = new(sheet.Resolver)
			if _, err := r.Map(ctx, versioned(data), citekit.MapRequest{Modality: citekit.Document}); err != nil {
				b.Fatal(err)
			}
		}
		resident(b, r, data)
	})
	b.Run("cold", func(b *testing.B) {
		var r *sheet.Resolver
		for b.Loop() {
			r = new(sheet.Resolver)
			resolve(b, r, at("Data", "B50000:F50100"))
		}
		resident(b, r, data)
	})
	b.Run("warm", func(b *testing.B) {
		r := new(sheet.Resolver)
		resolve(b, r, at("Data", "A1:J10"))
		b.ResetTimer()
		i := 0
		for b.Loop() {
			first := 1 + i*9973%99_000
			resolve(b, r, at("Data", fmt.Sprintf("B%d:F%d", first, first+100)))
			i++
		}
		resident(b, r, data)
	})
	b.Run("whole", func(b *testing.B) {
		r := new(sheet.Resolver)
		for b.Loop() {
			resolve(b, r, at("Data", ""))
		}
	})
	b.Run("text", func(b *testing.B) {
		r := new(sheet.Resolver)
		for b.Loop() {
			n := 0
			for run, err := range r.ReadText(ctx, versioned(data), at("Data", "")) {
				if err != nil {
					b.Fatal(err)
				}
				n += len(run.Text)
			}
		}
	})
}

// BenchmarkSizes maps workbooks of three sizes: the cost is linear.
func BenchmarkSizes(b *testing.B) {
	for _, rows := range []int{1_000, 10_000, 100_000} {
		data := large(b, rows)
		b.Run(fmt.Sprint(rows*10), func(b *testing.B) {
			for b.Loop() {
				if _, err := new(sheet.Resolver).Map(context.Background(), versioned(data), citekit.MapRequest{Modality: citekit.Document}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
