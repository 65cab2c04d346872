package e2e

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/viewer"
)

// BenchmarkViewer measures what a reader waits for, in milliseconds: from a link to the
// marks and the picture of the page, beside a page of one word, and from a seek to the picture at that time.
//
//	go test ./internal/test/e2e -run xxx -bench Viewer -benchtime 1x
func BenchmarkViewer(b *testing.B) {
	driver := startBrowser(b)
	base := b.TempDir()
	passages := writeShelf(b, base)
	longVideo(b, filepath.Join(base, "film.mp4"))
	const manual = "/usr/share/R/doc/manual/fullrefman.pdf"
	hasManual := false
	if _, err := os.Stat(manual); err == nil {
		writeFile(b, filepath.Join(base, "manual.pdf"), sharedtest.Read(b, manual))
		hasManual = true
	}
	output(b, benchBinary(b), "ingest", "--dir", base, ".")
	words := newVocabulary(40)
	run := func(name string, input map[string]any, sites ...*viewed) {
		b.Run(name, func(b *testing.B) {
			var times []float64
			for range b.N {
				for _, site := range sites {
					input["site"] = site
					var got struct{ Times []float64 }
					driver.run(b, "speed", input, &got)
					times = append(times, got.Times...)
				}
			}
			slices.Sort(times)
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(times[len(times)/2], "p50-ms")
			b.ReportMetric(times[len(times)*95/100], "p95-ms")
			b.ReportMetric(float64(len(times)), "samples")
		})
	}
	// What the browser itself takes for a page of one word.
	plain := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		io.WriteString(w, "<!doctype html><link rel=icon href=data:,><main data-screen=reader data-ready=true><p data-mark>word")
	}))
	defer plain.Close()
	run("plain", map[string]any{"path": "/", "rounds": 30}, &viewed{URL: plain.URL})
	v := driver.view(b, base)
	link := viewer.Link("", passages[1].address, words.quoteText(passages[1]))
	run("page-warm", map[string]any{"path": link, "rounds": 30}, v)
	last := passages[len(passages)-1]
	run("lines-warm", map[string]any{"path": viewer.Link("", last.address, words.quoteText(last)), "rounds": 30}, v)
	if hasManual {
		run("manual-warm", map[string]any{"path": viewer.Link("", "doc://manual#pages=1200", "the"), "rounds": 20}, v)
	}
	// A server that has just started, and a browser that has nothing of its pages: the first
	// page of each.
	var sites []*viewed
	for range 8 {
		sites = append(sites, driver.view(b, base))
	}
	run("page-cold", map[string]any{"path": link, "rounds": 1, "cold": true}, sites...)
	run("seek", map[string]any{"path": viewer.Link("", "video://film#t=3600-3610", ""), "rounds": 1, "seek": []float64{7000, 100, 5000, 2500, 6200, 900, 3300, 4400, 1700, 6900}}, v)
}

func benchBinary(b *testing.B) string {
	b.Helper()
	bin, err := binary()
	if err != nil {
		b.Fatal(err)
	}
	return bin
}
