package pdf_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/test/pdftest"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/modality/document/internal/pdf"
)

// TestLabelsTruth compares the page labels of every real file with what qpdf
// reads.
func TestLabelsTruth(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: not with -short")
	}
	data, err := os.ReadFile(sharedtest.Corpus(t, "truth/pdf.json"))
	if err != nil {
		t.Fatal(err)
	}
	var files []struct {
		File   string   `json:"file"`
		Labels [][2]any `json:"page_labels_raw"`
	}
	if err := json.Unmarshal(data, &files); err != nil {
		t.Fatal(err)
	}
	r := &pdf.Resolver{CodeCacheDir: codeCache(t), MaxFigurePages: -1, MaxHeadingPages: -1}
	checked := 0
	for _, file := range files {
		name := strings.TrimPrefix(file.File, "pdf/")
		if refused[name] != nil {
			continue
		}
		source, err := os.ReadFile(sharedtest.Corpus(t, file.File))
		if err != nil {
			t.Fatal(err)
		}
		got, _ := mapOf(t, r, source).Metadata["page_labels"].([]any)
		var want []any
		plain := true
		for _, label := range file.Labels {
			entry := labelTruth(label)
			plain = plain && entry["style"] == "D" && entry["prefix"] == nil && fmt.Sprint(entry["page"]) == fmt.Sprint(max(intOf(entry["start"]), 1))
			want = append(want, entry)
		}
		if plain {
			want = nil
		}
		for _, entry := range got {
			delete(entry.(map[string]any), "label") // TestLabel has it
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		checked += len(want)
	}
	if checked < 20 {
		t.Errorf("only %d labels were checked", checked)
	}
}

func intOf(v any) int {
	n, _ := v.(int)
	return n
}

// labelTruth turns what qpdf tells into what a map has.
func labelTruth(raw [2]any) map[string]any {
	entry := map[string]any{"page": int(raw[0].(float64)) + 1}
	style, _ := raw[1].(map[string]any)
	if s, ok := style["/S"].(string); ok {
		entry["style"] = strings.TrimPrefix(s, "/")
	}
	if p, _ := style["/P"].(string); strings.TrimPrefix(p, "u:") != "" {
		entry["prefix"] = strings.TrimPrefix(p, "u:")
	}
	if start, ok := style["/St"].(float64); ok && start != 1 {
		entry["start"] = int(start)
	}
	return entry
}

func TestMapMetadata(t *testing.T) {
	s := mapOf(t, sharedResolver(), connected())
	want := map[string]any{
		"pages": 3, "text_layer": true,
		"page_labels": []any{
			map[string]any{"page": 1, "label": "i", "style": "r"},
			map[string]any{"page": 2, "label": "A-7", "style": "D", "prefix": "A-", "start": 7},
		},
	}
	if diff := cmp.Diff(want, s.Metadata); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestMapRefuses(t *testing.T) {
	r := sharedResolver()
	document := citekit.MapRequest{Modality: citekit.Document}
	for name, test := range map[string]struct {
		data []byte
		req  citekit.MapRequest
		want error
		says string
	}{
		"empty":     {nil, document, citekit.ErrFormat, "nothing to cite"},
		"not a PDF": {[]byte("hello"), document, citekit.ErrFormat, "not a PDF"},
		"damaged":   {[]byte("%PDF-1.7\nhello"), document, citekit.ErrFormat, ""},
		"a video":   {simple(false), citekit.MapRequest{Modality: citekit.Video}, errors.ErrUnsupported, "video"},
	} {
		_, err := r.Map(t.Context(), source(test.data), test.req)
		if !errors.Is(err, test.want) || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := r.Map(ctx, source(simple(false)), document); !errors.Is(err, context.Canceled) {
		t.Errorf("with a context that is done: got %v", err)
	}
}

// TestMapStops has the context end while pages are read.
func TestMapStops(t *testing.T) {
	sharedtest.NotShort(t)
	s := &setter{}
	for range 60 {
		s.page()
		s.text(30)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var reports []float64
	req := citekit.MapRequest{Modality: citekit.Document, Progress: func(done float64) {
		reports = append(reports, done)
		if len(reports) == 2 {
			cancel()
		}
	}}
	_, err := sharedResolver().Map(ctx, source(pdftest.Rows("", s.pages...)), req)
	if !errors.Is(err, context.Canceled) || len(reports) != 2 || reports[0] <= 0 || reports[1] <= reports[0] || reports[1] > 1 {
		t.Errorf("got %v after the reports %v", err, reports)
	}
}

// TestLimits checks what is read of documents that are too long.
func TestLimits(t *testing.T) {
	sharedtest.Once(t)
	s := report()
	data := pdftest.Rows("", s.pages...)
	r := &pdf.Resolver{CodeCacheDir: codeCache(t), MaxHeadingPages: 3, MaxFigurePages: 3}
	if got := mapOf(t, r, data); got.Method != "pages" || len(got.Nodes) != 4 || got.Metadata["text_layer"] != true {
		t.Errorf("too long for headings: %s, %v\n%s", got.Method, got.Metadata, told(got.Nodes))
	}
	r = &pdf.Resolver{CodeCacheDir: codeCache(t), MaxFigurePages: -1}
	if got := mapOf(t, r, pdftest.Rows("", withFigures())); strings.Contains(told(got.Nodes), "figure") {
		t.Errorf("figures that nobody asked for:\n%s", told(got.Nodes))
	}
}

// TestManyEntries has outlines with more entries than a map can hold: of the
// levels, as many as fit are kept.
func TestManyEntries(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: not with -short")
	}
	wide := func(depth, n int) []byte {
		f := &pdftest.File{Packed: true}
		root, tree := f.Reserve(), f.Reserve()
		page := f.Add("<< /Type /Page /Parent %d 0 R /MediaBox [0 0 9 9] >>", tree)
		f.Set(tree, "<< /Type /Pages /Kids [%d 0 R] /Count 1 >>", page)
		outline := f.Reserve()
		parent := outline
		for range depth - 1 {
			child := f.Reserve()
			entry := fmt.Sprintf("/Title (a) /Dest [%d 0 R /Fit] /First %d 0 R", page, child)
			if parent == outline {
				entry = fmt.Sprintf("/First %d 0 R", child)
			}
			f.Set(parent, "<< %s >>", entry)
			parent = child
		}
		first := f.Reserve()
		f.Set(parent, "<< /Title (a) /Dest [%d 0 R /Fit] /First %d 0 R >>", page, first)
		for i := range n {
			num, next := first, ""
			if i > 0 {
				num = f.Reserve()
			}
			if i < n-1 {
				next = fmt.Sprintf("/Next %d 0 R", num+1)
			}
			f.Set(num, "<< /Title (a) /Dest [%d 0 R /Fit] %s >>", page, next)
		}
		f.Set(root, "<< /Type /Catalog /Pages %d 0 R /Outlines %d 0 R >>", tree, outline)
		f.Root(root)
		return f.Bytes()
	}
	count := func(s *citekit.Draft) int { return strings.Count(told(s.Nodes), "\n") }
	r := sharedResolver()
	if s := mapOf(t, r, wide(2, 15_000)); count(s) != 15_001 || s.Method != "outline" {
		t.Errorf("15,001 entries: %d nodes by %s", count(s), s.Method)
	}
	if s := mapOf(t, r, wide(3, 25_000)); count(s) != 2 || s.Method != "outline" {
		t.Errorf("25,000 on the third level: %d nodes by %s", count(s), s.Method)
	}
	if s := mapOf(t, r, wide(1, 25_000)); count(s) != 1 || s.Method != "pages" {
		t.Errorf("25,000 on the first level: %d nodes by %s", count(s), s.Method)
	}
}

// TestSameMap maps a file twice.
func TestSameMap(t *testing.T) {
	sharedtest.Once(t)
	data := pdftest.Rows("", report().pages...)
	first, second := mapOf(t, sharedResolver(), data), mapOf(t, newResolver(t), data)
	if diff := cmp.Diff(told(first.Nodes), told(second.Nodes)); diff != "" {
		t.Errorf("(-first +second):\n%s", diff)
	}
}

// benchmarkMap maps a file, each time with a new resolver.
func benchmarkMap(b *testing.B, data []byte) {
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		mapOf(b, &pdf.Resolver{}, data)
	}
}

func BenchmarkMapOutline(b *testing.B) { benchmarkMap(b, pdftest.Manual(manualPages)) }

// BenchmarkMapManual maps the reference manual of R, of 2,415 pages, where
// Debian's package r-doc-pdf puts it.
func BenchmarkMapManual(b *testing.B) {
	data, err := os.ReadFile("/usr/share/R/doc/manual/fullrefman.pdf")
	if err != nil {
		b.Skip("no manual of R: install r-doc-pdf")
	}
	benchmarkMap(b, data)
}

// TestMapConcurrently maps with one resolver from several goroutines.
func TestMapConcurrently(t *testing.T) {
	sharedtest.NotShort(t)
	r := sharedResolver()
	sources := [][]byte{pdftest.Rows("", report().pages...), pdftest.Manual(30), simple(true), connected()}
	var wait sync.WaitGroup
	for i := range 8 {
		wait.Go(func() {
			s, err := r.Map(t.Context(), source(sources[i%len(sources)]), citekit.MapRequest{Modality: citekit.Document})
			if err != nil || len(s.Nodes) == 0 {
				t.Errorf("%v, %v", s, err)
			}
		})
	}
	wait.Wait()
}
