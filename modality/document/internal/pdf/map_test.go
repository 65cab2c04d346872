package pdf_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/test/pdftest"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/modality/document/internal/pdf"
)

func mapOf(t testing.TB, r *pdf.Resolver, data []byte) *citekit.Draft {
	t.Helper()
	s, err := r.Map(t.Context(), source(data), citekit.MapRequest{Modality: citekit.Document})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A line is an entry of an outline as other tools tell it.
type line struct {
	Depth int // from 1
	Title string
	Page  int // 0 for none
}

// outlineLines lists the sections of a map.
func outlineLines(nodes []*citekit.Node, depth int) []line {
	var lines []line
	for _, n := range nodes {
		if n.Type == "section" {
			lines = append(lines, line{depth, n.Title, n.Location.Pages[0].First})
			lines = append(lines, outlineLines(n.Children, depth+1)...)
		}
	}
	return lines
}

// shown is a title in one line without what does not show.
func shown(title string) string {
	title = strings.Map(func(c rune) rune {
		if unicode.Is(unicode.Cf, c) || unicode.IsControl(c) && !unicode.IsSpace(c) {
			return -1
		}
		return c
	}, title)
	return strings.Join(strings.Fields(title), " ")
}

// checkOutline compares sections with the truth. Those that lead to no page
// may be on any.
func checkOutline(t *testing.T, got, want []line) {
	t.Helper()
	for i := range want {
		want[i].Title = shown(want[i].Title)
		if i < len(got) && want[i].Page == 0 {
			want[i].Page = got[i].Page
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("outline (-want +got):\n%s", diff)
	}
}

// TestOutlines compares the outline of every real file with what qpdf reads;
// mutool, which follows remote destinations and gives up on loops, agrees on
// the others.
func TestOutlines(t *testing.T) {
	paths, err := filepath.Glob(sharedtest.Corpus(t, "truth/pdf/*.outline.json"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("%d outlines, %v", len(paths), err)
	}
	if testing.Short() {
		paths = paths[:min(len(paths), 5)]
	}
	r := sharedResolver()
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".outline.json")
		t.Run(name, func(t *testing.T) {
			data, err := os.ReadFile(sharedtest.Corpus(t, "pdf/"+name))
			if err != nil {
				t.Fatal(err)
			}
			if refused[name] != nil {
				_, err := r.Map(t.Context(), source(data), citekit.MapRequest{Modality: citekit.Document})
				if !errors.Is(err, refused[name]) || !strings.Contains(err.Error(), "password") {
					t.Errorf("got %v", err)
				}
				return
			}
			s := mapOf(t, r, data)
			if s.Method != "outline" {
				t.Errorf("the method is %q", s.Method)
			}
			checkOutline(t, outlineLines(s.Nodes, 1), truthOutline(t, path))
			checkStructure(t, s)
		})
	}
}

func truthOutline(t *testing.T, path string) []line {
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var truth struct{ Qpdf [][3]any }
	if err := json.Unmarshal(data, &truth); err != nil {
		t.Fatal(err)
	}
	var lines []line
	for _, entry := range truth.Qpdf {
		page, _ := entry[2].(float64)
		lines = append(lines, line{int(entry[0].(float64)), entry[1].(string), int(page)})
	}
	return lines
}

// checkStructure checks what every map of a document promises.
func checkStructure(t *testing.T, s *citekit.Draft) {
	t.Helper()
	total, ok := s.Metadata["pages"].(int)
	if !ok || total < 1 || len(s.Nodes) == 0 {
		t.Fatalf("%v pages, %d nodes", s.Metadata["pages"], len(s.Nodes))
	}
	extent := citekit.Extent{Modality: citekit.Document, Pages: total}
	var check func(nodes []*citekit.Node, within citekit.Range, depth int)
	check = func(nodes []*citekit.Node, within citekit.Range, depth int) {
		for _, n := range nodes {
			if err := errors.Join(n.Location.Validate(), extent.Check(n.Location)); err != nil {
				t.Errorf("%q: %v", n.Title, err)
				continue
			}
			run := n.Location.Pages[0]
			if len(n.Location.Pages) != 1 || run.Last > within.Last {
				t.Errorf("%q has pages %v beyond its parent's %v", n.Title, n.Location.Pages, within)
			}
			if len(n.Title) > 500 || len(n.Summary) > 300 || shown(n.Title) != n.Title || depth > 64 {
				t.Errorf("%q at depth %d has a long or unclean title, or summary %q", n.Title, depth, n.Summary)
			}
			check(n.Children, run, depth+1)
		}
	}
	check(s.Nodes, citekit.Range{First: 1, Last: total}, 1)
}

// TestQpdfOutlines compares outlines with those that qpdf reads, in the files
// named by CITEKIT_PDFS (patterns, separated as in PATH) and the corpus.
func TestQpdfOutlines(t *testing.T) {
	qpdf := sharedtest.Tool(t, "qpdf")
	var paths []string
	for _, pattern := range append(filepath.SplitList(os.Getenv("CITEKIT_PDFS")), sharedtest.Corpus(t, "pdf/*.pdf")) {
		matches, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		paths = append(paths, matches...)
	}
	r := &pdf.Resolver{CodeCacheDir: codeCache(t), MaxFigurePages: -1, MaxHeadingPages: -1}
	entries := 0
	for _, path := range paths {
		want := qpdfOutline(qpdf, path)
		if want == nil {
			continue
		}
		t.Run(filepath.Base(path), func(t *testing.T) {
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			s, err := r.Map(t.Context(), source(data), citekit.MapRequest{Modality: citekit.Document})
			if err != nil {
				if refused[filepath.Base(path)] == nil {
					t.Error(err)
				}
				return
			}
			entries += len(want)
			checkOutline(t, outlineLines(s.Nodes, 1), want)
			checkStructure(t, s)
		})
	}
	t.Logf("%d entries", entries)
}

type qpdfItem struct {
	Title string          `json:"title"`
	Dest  json.RawMessage `json:"dest"`
	Kids  []qpdfItem      `json:"kids"`
}

// page returns the page of the destination, 0 if it has none.
func (i qpdfItem) page(pages map[string]int) int {
	dest := i.Dest
	var named struct {
		D json.RawMessage `json:"/D"`
	}
	if json.Unmarshal(dest, &named) == nil && named.D != nil {
		dest = named.D
	}
	var explicit []any
	if json.Unmarshal(dest, &explicit) != nil || len(explicit) == 0 {
		return 0
	}
	object, _ := explicit[0].(string)
	return pages[object]
}

// qpdfOutline returns nil for a file that qpdf does not read, or that has no
// outline.
func qpdfOutline(qpdf, path string) []line {
	out, err := exec.Command(qpdf, "--warning-exit-0", "--json=2", "--json-key=outlines", "--json-key=pages", path).Output()
	var doc struct {
		Outlines []qpdfItem
		Pages    []struct {
			Object string `json:"object"`
			Number int    `json:"pageposfrom1"`
		}
	}
	if err != nil || json.Unmarshal(out, &doc) != nil {
		return nil
	}
	pages := map[string]int{}
	for _, p := range doc.Pages {
		pages[p.Object] = p.Number
	}
	var list func(items []qpdfItem, depth int) []line
	list = func(items []qpdfItem, depth int) []line {
		var lines []line
		for _, item := range items {
			lines = append(lines, line{depth, item.Title, item.page(pages)})
			lines = append(lines, list(item.Kids, depth+1)...)
		}
		return lines
	}
	return list(doc.Outlines, 1)
}

// outlined returns a file of some pages with an outline: each entry is the
// rest of its dictionary, its page, and those below it.
func outlined(pages int, items ...string) []byte {
	f := &pdftest.File{}
	root, tree := f.Reserve(), f.Reserve()
	kids := make([]string, pages)
	for i := range kids {
		kids[i] = fmt.Sprintf("%d 0 R", f.Add("<< /Type /Page /Parent %d 0 R /MediaBox [0 0 100 200] >>", tree))
	}
	f.Set(tree, "<< /Type /Pages /Count %d /Kids [%s] >>", pages, strings.Join(kids, " "))
	outline := f.Reserve()
	first := outline + 1
	for i, item := range items {
		next := ""
		if i+1 < len(items) {
			next = fmt.Sprintf("/Next %d 0 R", first+i+1)
		}
		for p := pages; p > 0; p-- {
			item = strings.ReplaceAll(item, fmt.Sprintf("page%d", p), kids[p-1])
		}
		f.Add("<< /Parent %d 0 R %s %s >>", outline, next, item)
	}
	f.Set(outline, "<< /First %d 0 R >>", first)
	f.Set(root, "<< /Type /Catalog /Pages %d 0 R /Outlines %d 0 R >>", tree, outline)
	f.Root(root)
	return f.Bytes()
}

// TestPageRuns checks where sections end.
func TestPageRuns(t *testing.T) {
	r := sharedResolver()
	for name, test := range map[string]struct {
		items []string
		want  string
	}{
		"at the top": {
			[]string{"/Title (a) /Dest [page1 /Fit]", "/Title (b) /Dest [page4 /XYZ 0 199 0]", "/Title (c) /Dest [page6 /FitH 195]"},
			"a 1-3, b 4-5, c 6-9",
		},
		"in the middle": {
			[]string{"/Title (a) /Dest [page1 /Fit]", "/Title (b) /Dest [page4 /XYZ 0 100 0]", "/Title (c) /Dest [page4 /XYZ null null null]"},
			"a 1-4, b 4, c 4-9",
		},
		"without a page": {
			[]string{"/Title (a) /Dest [page2 /Fit]", "/Title (b) /A << /S /URI /URI (https://example.org) >>", "/Title (c) /A << /S /GoTo /D [page5 /Fit] >>"},
			"a 2-4, b 1-9, c 5-9",
		},
		"numbers for pages": {
			[]string{"/Title (a) /Dest [1 /Fit]", "/Title (b) /Dest [99 /Fit]", "/Title (c) /A << /S /GoToR /F (x.pdf) /D [3 /Fit] >>"},
			"a 2-9, b 1-9, c 1-9",
		},
		"out of order": {
			[]string{"/Title (a) /Dest [page5 /Fit]", "/Title (b) /Dest [page2 /Fit]", "/Title (c) /Dest [page7 /Fit]", "/Title (d) /Dest [page1 /Fit]"},
			"a 5-6, b 2-6, c 7-9, d 1",
		},
	} {
		s := mapOf(t, r, outlined(9, test.items...))
		var got []string
		for _, n := range s.Nodes {
			got = append(got, n.Title+" "+n.Location.Pages[0].String())
		}
		if diff := cmp.Diff(test.want, strings.Join(got, ", ")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		checkStructure(t, s)
	}
}
