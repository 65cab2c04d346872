package reanchor_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/citekit/citekit/internal/test/pdftest"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/reanchor"
)

// An edition is a manual as it is printed.
type edition struct {
	pdf   []byte
	pages map[int][]int // of each paragraph, those it stands on
	lines map[int][]int // of each page, the paragraphs that its lines are of
}

// printed sets paragraphs on pages with a running head and a number.
func printed(paragraphs []string, ids []int, width, lines int) edition {
	e := edition{pages: make(map[int][]int), lines: make(map[int][]int)}
	f := &pdftest.File{}
	root, tree := f.Reserve(), f.Reserve()
	font := f.Add("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>")
	var kids []string
	var page []string
	flush := func() {
		n := len(kids) + 1
		head := fmt.Sprintf("(The manual of everything   %d) Tj T* T*\n", n)
		content := f.Stream("", []byte("BT /F1 9 Tf 50 760 Td 12 TL\n"+head+strings.Join(page, "")+fmt.Sprintf("T* (Page %d) Tj ET\n", n)))
		kids = append(kids, fmt.Sprintf("%d 0 R", f.Add("<< /Type /Page /Parent %d 0 R /MediaBox [0 0 612 792] /Contents %d 0 R /Resources << /Font << /F1 %d 0 R >> >> >>", tree, content, font)))
		page = nil
	}
	put := func(id int, line string) {
		page = append(page, "("+strings.NewReplacer(`\`, `\\`, "(", `\(`, ")", `\)`).Replace(line)+") Tj T*\n")
		e.lines[len(kids)+1] = append(e.lines[len(kids)+1], id)
		if on := e.pages[id]; line != "" && (len(on) == 0 || on[len(on)-1] != len(kids)+1) {
			e.pages[id] = append(on, len(kids)+1)
		}
		if len(page) >= lines {
			flush()
		}
	}
	for i, p := range paragraphs {
		line := ""
		for _, word := range strings.Fields(p) {
			if len(line)+len(word) > width {
				put(ids[i], strings.TrimSpace(line))
				line = ""
			}
			line += " " + word
		}
		put(ids[i], strings.TrimSpace(line))
		put(ids[i], "")
	}
	flush()
	f.Set(tree, "<< /Type /Pages /Count %d /Kids [%s] >>", len(kids), strings.Join(kids, " "))
	f.Set(root, "<< /Type /Catalog /Pages %d 0 R >>", tree)
	f.Root(root)
	e.pdf = f.Bytes()
	return e
}

// manual returns the paragraphs of a documentation, which stays as it was when this test
// was made.
func manual(t *testing.T) []string {
	data, err := os.ReadFile(filepath.Join("testdata", "manual.txt"))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(data)), "\n\n")
}

// mostKept reports whether three fifths of the lines of the pages that a paragraph
// stands on are in the next edition: of less a page may be gone.
func (e edition) mostKept(fate []string, i int) bool {
	kept, all := 0, 0
	for _, page := range e.pages[i] {
		for _, j := range e.lines[page] {
			if all++; fate[j] != "deleted" {
				kept++
			}
		}
	}
	return kept*5 >= all*3
}

// TestTwoEditionsOfAManual cites a paragraph with its page, and judges where it is
// in an edition with other pages, lines and words.
func TestTwoEditionsOfAManual(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: not with -short")
	}
	paragraphs := manual(t)
	ids := make([]int, len(paragraphs))
	for i := range ids {
		ids[i] = i
	}
	r := rand.New(rand.NewPCG(5, 6))
	var now []string
	var nowIDs []int
	fate := make([]string, len(paragraphs))
	for i, p := range paragraphs {
		if r.IntN(8) == 0 {
			now, nowIDs = append(now, fmt.Sprintf("Added in this edition: remark %d, which was never there before, about %s.", i, strings.Fields(p)[r.IntN(5)])), append(nowIDs, -1)
		}
		words := strings.Fields(p)
		switch n := r.IntN(20); {
		case n < 2:
			fate[i] = "deleted"
			continue
		case n < 5:
			fate[i] = "changed"
			words[2+r.IntN(3)] = "altogether"
		}
		now, nowIDs = append(now, strings.Join(words, " ")), append(nowIDs, i)
	}
	first, second := printed(paragraphs, ids, 90, 24), printed(now, nowIDs, 70, 31)
	s := newShelf(t, map[string]string{"manual.pdf": string(first.pdf)})
	version := s.cite(t, "doc://manual#pages=1").Version
	s.ingest(t, map[string]string{"manual.pdf": string(second.pdf)})
	judged, right, wrong, pagesRight := 0, 0, 0, 0
	for i := 0; judged < 200; i = (i + 1) % len(paragraphs) {
		quote := paragraphs[i]
		if judged >= len(paragraphs) { // another part of it
			words := strings.Fields(quote)
			quote = strings.Join(words[:min(12, len(words))], " ")
		}
		address := s.cite(t, fmt.Sprintf("doc://manual#pages=%d-%d", first.pages[i][0], first.pages[i][len(first.pages[i])-1]))
		address.Version = version
		judged++
		want := second.pages[i]
		most := first.mostKept(fate, i)
		page := s.find(t, reanchor.Request{Address: address})
		if fate[i] == "deleted" || !most && page.How == reanchor.Gone || page.Address.Resource != "" && page.Address.Location.Pages[0].First <= want[0] && page.Address.Location.Pages[0].Last >= want[len(want)-1] {
			pagesRight++
		} else {
			t.Logf("pages %v: %v at %v, want %v", first.pages[i], page.How, page.Address, want)
		}
		got := s.find(t, reanchor.Request{Address: address, Quote: quote})
		isThere := got.Address.Resource != "" && fate[i] != "deleted" && got.Address.Location.Pages[0].First >= want[0]-1 && got.Address.Location.Pages[0].First <= want[0]
		switch {
		case fate[i] == "" && got.How.Moves() && isThere, fate[i] == "changed" && isThere, fate[i] == "deleted" && !got.How.Moves():
			right++
		case got.How.Moves():
			wrong++
			fallthrough
		default:
			t.Logf("%s: %.60q on %v: %v at %v, want %v", fate[i], quote, first.pages[i], got.How, got.Address, want)
		}
	}
	t.Logf("%d quotes: %d right, %d moved to a wrong place; the pages of %d are right", judged, right, wrong, pagesRight)
	if right < judged*95/100 || wrong > 0 || pagesRight < judged*90/100 {
		t.Error("too few")
	}
}

// sheets returns a PDF file with a line of text on each page.
func sheets(lines ...string) string {
	f := &pdftest.File{}
	root, tree := f.Reserve(), f.Reserve()
	font := f.Add("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>")
	var kids []string
	for _, line := range lines {
		content := f.Stream("", []byte("BT /F1 12 Tf 50 700 Td ("+line+") Tj ET\n"))
		kids = append(kids, fmt.Sprintf("%d 0 R", f.Add("<< /Type /Page /Parent %d 0 R /MediaBox [0 0 612 792] /Contents %d 0 R /Resources << /Font << /F1 %d 0 R >> >> >>", tree, content, font)))
	}
	f.Set(tree, "<< /Type /Pages /Count %d /Kids [%s] >>", len(kids), strings.Join(kids, " "))
	f.Set(root, "<< /Type /Catalog /Pages %d 0 R >>", tree)
	f.Root(root)
	return string(f.Bytes())
}

// A region moves with its page if the page is unchanged, and else is not dropped in
// silence.
func TestRegionOfPage(t *testing.T) {
	sharedtest.Once(t)
	const first, second, third = "The kettle stands in the old kitchen.", "A storm came over the western hills.", "Nobody knew who had written the letter."
	for added, want := range map[string]struct {
		how     reanchor.How
		address string
	}{
		second:                      {reanchor.Unique, "pages=3&bbox=0,0,1,0.5"},
		second + " It rained much.": {reanchor.Similar, "pages=3"},
	} {
		s := newShelf(t, map[string]string{"b.pdf": sheets(first, second, third)})
		was := s.cite(t, "doc://b#pages=2&bbox=0,0,1,0.5")
		s.ingest(t, map[string]string{"b.pdf": sheets(first, "An unknown page was put in here.", added, third)})
		got := s.find(t, reanchor.Request{Address: was})
		if got.How != want.how || got.Address.Location.String() != want.address || (got.How == reanchor.Similar) != (got.Reason != "" || len(got.Difference) > 0) {
			t.Errorf("%s: %+v", added, got)
		}
	}
}
