package pdf_test

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	document "github.com/citekit/citekit/modality/document/internal/pdf"
	"github.com/citekit/citekit/modality/document/internal/pdf/internal/table"
)

// A tableTruth is what is known of the tables of a file.
type tableTruth struct {
	Tables []struct {
		Page  int    // from 1; 0 if unknown
		Style string // such as "ruled"
		Cells []table.Cell
	}
	Empties bool // empty cells are listed too
}

// TestTableTruth compares the tables of the PDF files in the folder CITEKIT_TABLES with
// the truth in the JSON file beside each; a file without one has no tables. For each kind of evidence it
// prints how many tables and cells are right, and how many tables are none. The structure
// tags of the files count only if CITEKIT_TABLES_TAGGED is set; CITEKIT_TABLES_HALF,
// even or odd, takes the files whose hash is so.
func TestTableTruth(t *testing.T) {
	folder := os.Getenv("CITEKIT_TABLES")
	if folder == "" {
		t.Skip("CITEKIT_TABLES names no folder")
	}
	files, _ := filepath.Glob(filepath.Join(folder, "*.pdf"))
	half, verbose := os.Getenv("CITEKIT_TABLES_HALF"), os.Getenv("CITEKIT_TABLES_VERBOSE") != ""
	var s score
	s.by = map[string]*tally{}
	r := sharedResolver()
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if odd := sha256.Sum256(data)[0]%2 == 1; half == "even" && odd || half == "odd" && !odd {
			continue
		}
		var known tableTruth
		if known2, err := os.ReadFile(strings.TrimSuffix(name, ".pdf") + ".json"); err == nil {
			if err := json.Unmarshal(known2, &known); err != nil {
				t.Fatal(err)
			}
		}
		src := source(data)
		extent, err := r.Measure(t.Context(), src)
		if err != nil {
			t.Logf("%s: %v", filepath.Base(name), err)
			continue
		}
		pages, err := document.TablesOf(t.Context(), r, src, firstIndexes(min(extent.Pages, 1000)), os.Getenv("CITEKIT_TABLES_TAGGED") == "")
		if err != nil {
			t.Logf("%s: %v", filepath.Base(name), err)
			continue
		}
		s.pages += len(pages)
		used := make([]bool, len(known.Tables))
		for _, p := range pages {
			for _, found := range p.Tables {
				best, most := -1, 0.3
				for i, want := range known.Tables {
					part := isPart(found, want.Page)
					if want.Page != 0 && want.Page != p.Page || used[i] && !part {
						continue
					}
					o := overlap(found.Cells, want.Cells)
					if part {
						o = max(o, 0.9*within(found.Cells, want.Cells))
					}
					if o > most {
						best, most = i, o
					}
				}
				by := s.of(string(found.Evidence))
				if best < 0 {
					s.false++
					t.Logf("FALSE %s page %d: %s %dx%d %v %.60q", filepath.Base(name), p.Page, found.Evidence, found.Rows, found.Cols, found.Box, found.Cells[0].Text)
					continue
				}
				used[best] = true
				if found.Continues {
					s.continued++
				}
				style := s.of("style " + known.Tables[best].Style)
				wrong := compareCells(found, known.Tables[best].Cells, known.Empties)
				n := len(found.Cells)
				missed := 0
				for _, c := range known.Tables[best].Cells {
					if c.Row > found.Rows || c.Col > found.Cols {
						missed++
					}
				}
				if isPart(found, known.Tables[best].Page) {
					shift := 0
					for above := range 100 {
						if w := compareCells(shifted(found, above), known.Tables[best].Cells, known.Empties); len(w) < len(wrong) || len(w) == 0 && above == 0 {
							wrong, missed, shift = w, 0, above
						}
					}
					if found.Continues && shift == found.Above-found.Headers {
						s.through++
					} else if found.Continues {
						t.Logf("COUNT %s page %d: %d rows above and %d headers; the rows are %d down", filepath.Base(name), p.Page, found.Above, found.Headers, shift)
					} else if shift > 0 {
						t.Logf("ALONE %s page %d: the rows are %d down", filepath.Base(name), p.Page, shift)
					}
				}
				for _, t := range []*tally{by, style} {
					t.served++
					t.cells += n
					t.right += n - len(wrong)
					if len(wrong) == 0 && missed == 0 {
						t.whole++
					}
				}
				if len(wrong) > 0 || missed > 0 {
					t.Logf("WRONG %s page %d %s %s %dx%d: %d of %d cells, %d missed; %s", filepath.Base(name), p.Page, known.Tables[best].Style, found.Evidence, found.Rows, found.Cols, len(wrong), n, missed, strings.Join(wrong[:min(4, len(wrong))], "; "))
				}
			}
			for _, r := range p.Refused {
				s.refused++
				if verbose {
					t.Logf("refused %s page %d %.2f: %s", filepath.Base(name), p.Page, r.Box, r.Reason)
				}
			}
		}
		for i, want := range known.Tables {
			s.of("style "+want.Style).known++
			if !used[i] && verbose {
				t.Logf("missed %s page %d %s: %.60q", filepath.Base(name), want.Page, want.Style, want.Cells[0].Text)
			}
		}
	}
	for _, name := range sortedKeys(s.by) {
		a := s.by[name]
		fmt.Printf("%-20s known %d served %d, all cells right %d; cells %d right %d (%.4f)\n", name, a.known, a.served, a.whole, a.cells, a.right, float64(a.right)/float64(max(a.cells, 1)))
	}
	fmt.Printf("pages %d, no tables %d, refused %d; parts that continue %d, with the right rows %d\n", s.pages, s.false, s.refused, s.continued, s.through)
}

// isPart reports whether a table may be a part of one that goes over pages.
func isPart(found table.Table, page int) bool {
	return page == 0 && (found.Box.Y1 < 0.15 || found.Box.Y2 > 0.8 || found.Continues)
}

// shifted returns a part of a table with its rows, but headers that are repeated, as they are
// in the table.
func shifted(found table.Table, above int) table.Table {
	found.Cells = slices.Clone(found.Cells)
	for i := range found.Cells {
		if c := &found.Cells[i]; c.Row > found.Headers {
			c.Row += above
		}
	}
	return found
}

type score struct {
	pages, false, refused int
	continued, through    int // parts of tables that go over pages
	by                    map[string]*tally
}

type tally struct{ known, served, whole, cells, right int }

func (s *score) of(name string) *tally {
	if s.by[name] == nil {
		s.by[name] = &tally{}
	}
	return s.by[name]
}

func sortedKeys(m map[string]*tally) []string {
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

func firstIndexes(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

// unspaced returns text in lower case without white space.
func unspaced(text string) string {
	return strings.Map(func(c rune) rune {
		if c == '∗' {
			return '*'
		}
		if unicode.IsSpace(c) || c == '\u200f' || c == '\u200e' {
			return -1
		}
		return unicode.ToLower(c)
	}, text)
}

// within returns which part of the cells of a with text is in b too.
func within(a, b []table.Cell) float64 {
	in := map[string]bool{}
	for _, c := range b {
		in[unspaced(c.Text)] = true
	}
	n, both := 0, 0
	for _, c := range a {
		if s := unspaced(c.Text); s != "" {
			n++
			if in[s] {
				both++
			}
		}
	}
	return float64(both) / float64(max(n, 1))
}

// overlap returns which part of the cells with text that either has both have.
func overlap(a, b []table.Cell) float64 {
	count := map[string]int{}
	n, both := 0, 0
	for _, c := range a {
		if s := unspaced(c.Text); s != "" {
			count[s]++
			n++
		}
	}
	for _, c := range b {
		s := unspaced(c.Text)
		if s == "" {
			continue
		}
		if count[s] > 0 {
			count[s]--
			both++
		} else {
			n++
		}
	}
	return float64(both) / float64(max(n, 1))
}

// compareCells returns what is wrong with the cells of a table.
func compareCells(found table.Table, want []table.Cell, empties bool) []string {
	var wrong []string
	at := map[[2]int]*table.Cell{}
	covers := map[[2]int]bool{}
	for i, c := range want {
		at[[2]int{c.Row, c.Col}] = &want[i]
		for r := range max(c.RowSpan, 1) {
			for k := range max(c.ColSpan, 1) {
				covers[[2]int{c.Row + r, c.Col + k}] = true
			}
		}
	}
	for _, c := range found.Cells {
		w := at[[2]int{c.Row, c.Col}]
		text := unspaced(c.Text)
		if w != nil && strings.Contains(c.Text, "-\n") && !strings.Contains(w.Text, "-") {
			text = unspaced(strings.ReplaceAll(c.Text, "-\n", "")) // divided by the program that set it
		}
		noted := text + unspaced(strings.Join(c.Notes, ""))
		switch {
		case w == nil && text == "" && !empties:
			if covers[[2]int{c.Row, c.Col}] {
				wrong = append(wrong, fmt.Sprintf("R%dC%d empty within a span", c.Row, c.Col))
			}
		case w == nil:
			wrong = append(wrong, fmt.Sprintf("R%dC%d %.30q is not there", c.Row, c.Col, c.Text))
		case unspaced(w.Text) != text && (len(w.Notes) > 0 || unspaced(w.Text) != noted):
			wrong = append(wrong, fmt.Sprintf("R%dC%d %.40q, not %.40q", c.Row, c.Col, c.Text, w.Text))
		case w.Text != "" && (w.RowSpan != c.RowSpan || w.ColSpan != c.ColSpan):
			wrong = append(wrong, fmt.Sprintf("R%dC%d %.30q spans %dx%d, not %dx%d", c.Row, c.Col, c.Text, c.RowSpan, c.ColSpan, w.RowSpan, w.ColSpan))
		case len(w.Notes) > 0 && unspaced(strings.Join(w.Notes, " ")) != unspaced(strings.Join(c.Notes, " ")):
			wrong = append(wrong, fmt.Sprintf("R%dC%d notes %q, not %q", c.Row, c.Col, c.Notes, w.Notes))
		}
	}
	return wrong
}
