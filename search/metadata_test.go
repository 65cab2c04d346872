package search_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/citekit/citekit/internal/test/pdftest"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/search"
	"github.com/citekit/citekit/search/internal/index"
)

// saidPDF returns a PDF of one page that says who made it, what about and when.
func saidPDF() string {
	f := &pdftest.File{}
	root, tree := f.Reserve(), f.Reserve()
	font := f.Add("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>")
	text := f.Stream("", []byte("BT /F 12 Tf 72 700 Td (A zebra on paper.) Tj ET"))
	page := f.Add("<< /Type /Page /Parent %d 0 R /MediaBox [0 0 612 792] /Contents %d 0 R /Resources << /Font << /F %d 0 R >> >> >>", tree, text, font)
	f.Set(tree, "<< /Type /Pages /Kids [%d 0 R] /Count 1 >>", page)
	info := f.Add("<< /Author (Ada Lovelace; Charles Babbage) /Keywords (engine, stripes) /CreationDate (D:18430901000000Z) >>")
	f.Set(root, "<< /Type /Catalog /Pages %d 0 R >>", tree)
	f.Root(root)
	return strings.Replace(string(f.Bytes()), "trailer\n<<", fmt.Sprintf("trailer\n<< /Info %d 0 R", info), 1)
}

// TestFiltersOfIngest filters by what sources of several formats say of
// themselves, and by maps as they were made before.
func TestFiltersOfIngest(t *testing.T) {
	sharedtest.Once(t)
	s := newShelf(t, map[string]string{
		"paper.pdf": saidPDF(),
		"note.md":   "---\nauthor: Grace Hopper\ntags: [stripes, compilers]\ndate: 1952-05-02\n---\n\nA zebra in a note without headings.\n",
		"page.html": "<html><head><meta name='author' content='Grace Hopper'><meta name='keywords' content='web, stripes'><meta name='date' content='2001-02-03'></head><body><h1>Page</h1><p>A zebra on a page.</p></body></html>",
		"plain.txt": "A zebra of nobody.\n",
		"old.txt":   "A zebra of an old map.\n",
	})
	write(t, s.dir, ".resource_maps/old.json", `{"resource_id":"old","type":"text","title":"","source_path":"old.txt","created_at":"2010-01-01T00:00:00Z",
		"nodes":[],"metadata":{"authors":["Ada Lovelace"],"tags":"stripes"}}`)
	year := func(y int) time.Time { return time.Date(y, 1, 1, 0, 0, 0, 0, time.UTC) }
	for _, c := range []struct {
		filters index.Filters
		want    string
	}{
		{index.Filters{Authors: []string{"ada lovelace"}}, "old paper"},
		{index.Filters{Authors: []string{"Charles Babbage"}}, "paper"},
		{index.Filters{Authors: []string{"Grace Hopper"}}, "note page"},
		{index.Filters{Labels: []string{"stripes"}}, "note old page paper"},
		{index.Filters{Labels: []string{"compilers", "web"}}, "note page"},
		{index.Filters{Before: year(1900)}, "paper"},
		{index.Filters{After: year(1950), Before: year(2011)}, "note old page"},
		{index.Filters{After: year(2020)}, "plain"},
		{index.Filters{After: year(1950), Labels: []string{"stripes"}, Authors: []string{"Ada Lovelace", "Grace Hopper"}}, "note old page"},
	} {
		found := s.find(t, search.Request{Query: "zebra", By: search.ByResources, Filters: c.filters})
		ids := make(map[string]bool)
		for _, r := range found.Results {
			ids[r.ResourceID] = true
		}
		for _, id := range strings.Fields(c.want) {
			if !ids[id] {
				t.Errorf("%+v: without %s", c.filters, id)
			}
		}
		if n := len(strings.Fields(c.want)); len(found.Results) != n {
			t.Errorf("%+v: %s, want %s", c.filters, addresses(found), c.want)
		}
	}
}
