package table_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/modality/document/internal/pdf/internal/table"
)

// A sheet is a page that is being set, with letters of one width.
type sheet struct {
	table.Page
	size float64
}

func newSheet() *sheet {
	return &sheet{Page: table.Page{Width: 600, Height: 800}, size: 10}
}

func (s *sheet) width(text string) float64 { return float64(len([]rune(text))) * s.size * 0.5 }

// text sets a line; its letters reach from y to y+size.
func (s *sheet) text(x, y float64, text string) {
	for _, c := range text {
		if c != ' ' {
			s.Chars = append(s.Chars, table.Char{Rune: c, Box: table.Box{X1: x, Y1: y, X2: x + s.size*0.5, Y2: y + s.size}, Mark: -1})
		} else {
			s.Chars = append(s.Chars, table.Char{Rune: ' ', Mark: -1})
		}
		x += s.size * 0.5
	}
	s.Chars = append(s.Chars, table.Char{Rune: '\n', Mark: -1})
}

// raised sets the mark of a footnote.
func (s *sheet) raised(x, y float64, mark string) {
	s.Chars = s.Chars[:len(s.Chars)-1]
	for _, c := range mark {
		s.Chars = append(s.Chars, table.Char{Rune: c, Box: table.Box{X1: x, Y1: y - 2, X2: x + 3, Y2: y + 4}, Mark: -1})
		x += 3
	}
	s.Chars = append(s.Chars, table.Char{Rune: '\n', Mark: -1})
}

func (s *sheet) rule(x1, y1, x2, y2 float64) {
	s.Paints = append(s.Paints, table.Paint{Box: table.Box{X1: x1 - .25, Y1: y1 - .25, X2: x2 + .25, Y2: y2 + .25}, Kind: table.Rule})
}

var styles = []string{"ruled", "across", "booktabs", "aligned"}

// set adds a table of a style with random content, and returns what it is.
func set(s *sheet, r *rand.Rand, style string) table.Table {
	words := strings.Fields("cost price share total region year growth net sales unit")
	cols, rows := 2+r.IntN(4), 3+r.IntN(8)
	if style == "aligned" {
		cols = max(cols, 3)
	}
	want := table.Table{Rows: rows + 1, Cols: cols}
	widths, kinds := make([]float64, cols), make([]string, cols)
	for c := range cols {
		widths[c], kinds[c] = 70+float64(r.IntN(30)), "number"
		if c == 0 || style != "aligned" && r.IntN(3) == 0 {
			kinds[c] = "words"
		}
	}
	spanned := style == "ruled" && cols > 2 && r.IntN(2) == 0
	x, y := 40.0, 100+float64(r.IntN(50))
	right := x
	for _, w := range widths {
		right += w
	}
	s.text(40, y-60, "Some running text that stands above the table and has no columns at all")
	top := y
	height := 16.0
	line := func(y float64, widths []float64) { // of a ruled row, upright lines
		at := x
		s.rule(at, y, at, y+height)
		for _, w := range widths {
			at += w
			s.rule(at, y, at, y+height)
		}
	}
	across := func(y float64) { s.rule(x, y, right, y) }
	if style != "aligned" {
		across(top)
	}
	for row := 1; row <= rows+1; row++ {
		at := x
		places := slices.Clone(widths)
		for c := 0; c < cols; c++ {
			text, mark := "", ""
			switch {
			case row == 1:
				text = words[r.IntN(len(words))]
			case kinds[c] == "words":
				text = words[r.IntN(len(words))] + " " + words[r.IntN(len(words))]
				if r.IntN(5) == 0 && style == "ruled" {
					mark = "a"
				}
			default:
				text = fmt.Sprintf("%d.%d", r.IntN(2000), r.IntN(10))
			}
			if style == "ruled" && row > 1 && c > 0 && r.IntN(8) == 0 {
				text, mark = "", ""
			}
			cell := table.Cell{Row: row, Col: c + 1, RowSpan: 1, ColSpan: 1, Text: text}
			left := at + 4
			if kinds[c] == "number" && row > 1 {
				left = at + widths[c] - 4 - s.width(text)
			}
			if spanned && row == 1 && c == 1 {
				cell.ColSpan = 2
				places = slices.Concat(widths[:1], []float64{widths[1] + widths[2]}, widths[3:])
				at += widths[2]
			}
			if text != "" {
				s.text(left, y+3, text)
			}
			if mark != "" {
				s.raised(left+s.width(text), y+3, mark)
				cell.Notes = []string{mark}
			}
			at += widths[c]
			if cell.ColSpan == 2 {
				c++
			}
			want.Cells = append(want.Cells, cell)
		}
		if style == "ruled" {
			line(y, places)
		}
		y += height
		if style == "ruled" || style == "across" || style == "booktabs" && (row == 1 || row == rows+1) {
			across(y)
		}
	}
	s.text(40, y+40, "More running text that stands below the table and has no columns at all")
	return want
}

// TestFind sets tables of known cells: what is found is right in all cells, and most are
// found.
func TestFind(t *testing.T) {
	r := sharedtest.Rand(t)
	n := 100
	if sharedtest.Long() {
		n = 5000
	}
	for _, style := range styles {
		t.Run(style, func(t *testing.T) {
			found := 0
			for range n {
				s := newSheet()
				want := set(s, r, style)
				tables, _ := table.Find(&s.Page)
				if len(tables) > 1 {
					t.Fatalf("%d tables", len(tables))
				}
				if len(tables) == 0 {
					continue
				}
				found++
				got := tables[0]
				if got.Rows != want.Rows || got.Cols != want.Cols || len(got.Cells) != len(want.Cells) {
					t.Fatalf("%d×%d, %d cells; want %d×%d, %d\n%v\n%v", got.Rows, got.Cols, len(got.Cells), want.Rows, want.Cols, len(want.Cells), got.Cells, want.Cells)
				}
				for i, c := range got.Cells {
					w := want.Cells[i]
					if c.Row != w.Row || c.Col != w.Col || c.RowSpan != w.RowSpan || c.ColSpan != w.ColSpan || c.Text != w.Text || !slices.Equal(c.Notes, w.Notes) {
						t.Fatalf("%+v, want %+v", c, w)
					}
				}
			}
			t.Logf("%d of %d found", found, n)
			if 2*found < n {
				t.Errorf("%d of %d tables found", found, n)
			}
		})
	}
}

// TestNoTables sets pages that look a little like tables.
func TestNoTables(t *testing.T) {
	pages := map[string]func(*sheet){
		"two columns of text": func(s *sheet) {
			for i := range 30 {
				s.text(40, 100+12*float64(i), "some text of the left column here")
				s.text(320, 100+12*float64(i), "and some of the one to the right")
			}
			s.rule(40, 90, 560, 90)
			s.rule(40, 470, 560, 470)
		},
		"contents": func(s *sheet) {
			for i := range 20 {
				s.text(40, 100+12*float64(i), fmt.Sprint(i+1))
				s.text(70, 100+12*float64(i), "A chapter of the book")
				s.text(500, 100+12*float64(i), fmt.Sprint(10*i))
			}
		},
		"a frame": func(s *sheet) {
			for i := range 10 {
				s.text(60, 100+12*float64(i), "text in a frame that is one cell")
			}
			s.rule(40, 90, 560, 90)
			s.rule(40, 250, 560, 250)
			s.rule(40, 90, 40, 250)
			s.rule(560, 90, 560, 250)
		},
		"a list": func(s *sheet) {
			for i := range 10 {
				s.text(40, 100+12*float64(i), fmt.Sprintf("%d.", i))
				s.text(60, 100+12*float64(i), "a point of the list")
			}
		},
		"a chart": func(s *sheet) {
			for i := range 6 {
				s.rule(100, 100+40*float64(i), 400, 100+40*float64(i))
				s.rule(100+60*float64(i), 100, 100+60*float64(i), 300)
				s.text(70, 95+40*float64(i), fmt.Sprint(100*i))
				s.text(95+60*float64(i), 305, fmt.Sprint(2000+i))
			}
		},
		"rows without lines between them": func(s *sheet) {
			for i := range 12 {
				s.text(44, 100+12*float64(i), "name of it")
				if i%3 > 0 {
					s.text(144, 100+12*float64(i), fmt.Sprint(i*7))
				}
			}
			for _, y := range []float64{80, 97, 250} {
				s.rule(40, y, 240, y)
			}
			for _, x := range []float64{40, 140, 240} {
				s.rule(x, 80, x, 250)
			}
			s.text(44, 84, "name")
			s.text(144, 84, "value")
		},
		"text too long for its cell": func(s *sheet) {
			for row := range 4 {
				y := 100 + 16*float64(row)
				s.rule(40, y-3, 240, y-3)
				s.text(44, y, "turbine fan")
				if row == 2 {
					s.Chars[len(s.Chars)-1].Rune = ' '
					s.text(103, y, "blades")
				}
				s.text(200, y, fmt.Sprint(10*row))
			}
			s.rule(40, 161, 240, 161)
			for _, x := range []float64{40, 100, 240} {
				s.rule(x, 97, x, 161)
			}
		},
		"a first and a last column without a line": func(s *sheet) {
			for row := range 5 {
				y := 100 + 16*float64(row)
				for c, text := range []string{"one", "7", "8", "end"} {
					s.text(44+100*float64(c), y, text)
				}
			}
			s.rule(40, 113, 440, 113)
			for _, x := range []float64{130, 230, 330} {
				s.rule(x, 97, x, 177)
			}
		},
		"headers with a row below them without a line": func(s *sheet) {
			for row := range 7 {
				y := 100 + 12*float64(row)
				texts := []string{"some name", "another", "a place"}
				if row == 0 {
					texts = []string{"a long heading", "a longer heading", "the long ones"}
				} else {
					s.rule(40, y+11, 330, y+11)
				}
				for c, text := range texts {
					s.text(44+95*float64(c), y, text)
				}
			}
		},
	}
	for name, draw := range pages {
		t.Run(name, func(t *testing.T) {
			s := newSheet()
			draw(s)
			if tables, refused := table.Find(&s.Page); len(tables) > 0 {
				t.Errorf("a table of %d×%d: %v; refused: %v", tables[0].Rows, tables[0].Cols, tables[0].Cells, refused)
			}
		})
	}
}

// TestLongName checks that a column is one although the words of its longest name have a white
// strip between them.
func TestLongName(t *testing.T) {
	s := newSheet()
	names := []string{"Site", "Thirsk", "Kirkby", "Ulverston 27", "Penrith", "Selby 4", "Ripon"}
	for row, name := range names {
		y := 100 + 16*float64(row)
		s.rule(40, y-3, 300, y-3)
		s.text(44, y, name)
		if row > 0 {
			s.text(240, y, fmt.Sprint(2000+37*row))
		} else {
			s.text(240, y, "Cost")
		}
	}
	s.rule(40, 209, 300, 209)
	tables, refused := table.Find(&s.Page)
	if len(tables) != 1 || tables[0].Cols != 2 || tables[0].Rows != len(names) || tables[0].At(4, 1).Text != "Ulverston 27" {
		t.Errorf("%+v; refused: %v", tables, refused)
	}
}

// TestFindLarge gives pages with far more lines, letters and cells than pages have.
func TestFindLarge(t *testing.T) {
	pages := map[string]func(*sheet){
		"lines": func(s *sheet) {
			for i := range 200_000 {
				s.rule(0, float64(i), 500, float64(i))
				s.rule(float64(i), 0, float64(i), 500)
			}
			s.text(40, 40, "text")
		},
		"places": func(s *sheet) {
			for i := range 1000 {
				s.rule(0, 7*float64(i), 7000, 7*float64(i))
				s.rule(7*float64(i), 0, 7*float64(i), 7000)
			}
			s.text(40, 40, "text")
		},
		"letters": func(s *sheet) {
			for i := range 90_000 {
				s.text(float64(i%300)*20, float64(i/300)*11, "x")
			}
		},
		"areas": func(s *sheet) {
			for i := range 10_000 {
				s.Paints = append(s.Paints, table.Paint{Box: table.Box{X1: 10, Y1: float64(i), X2: 500, Y2: float64(i) + 9}, Kind: table.Area})
			}
			s.text(40, 40, "text")
		},
	}
	for name, draw := range pages {
		t.Run(name, func(t *testing.T) {
			s := newSheet()
			draw(s)
			tables, refused := table.Find(&s.Page)
			t.Logf("%d tables, %d refused", len(tables), len(refused))
		})
	}
}

// FuzzFind checks that what is found is a grid on the page.
func FuzzFind(f *testing.F) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, style := range styles {
		s := newSheet()
		set(s, r, style)
		f.Add(encoded(&s.Page))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		p := decoded(data)
		tables, refused := table.Find(p)
		for _, r := range refused {
			checkBox(t, r.Box)
		}
		for i := range tables {
			found := &tables[i]
			checkBox(t, found.Box)
			places := 0
			for _, c := range found.Cells {
				if c.Box != (table.Box{}) {
					checkBox(t, c.Box)
				}
				places += c.RowSpan * c.ColSpan
				if at := found.At(c.Row, c.Col); at == nil || at.Row != c.Row || at.Col != c.Col {
					t.Fatalf("%+v is covered by %+v", c, at)
				}
			}
			if places != found.Rows*found.Cols || found.Confidence <= 0 || found.Confidence > 1 {
				t.Fatalf("%d places in %d×%d", places, found.Rows, found.Cols)
			}
		}
	})
}

func checkBox(t *testing.T, b table.Box) {
	t.Helper()
	if !(0 <= b.X1 && b.X1 <= b.X2 && b.X2 <= 1 && 0 <= b.Y1 && b.Y1 <= b.Y2 && b.Y2 <= 1) {
		t.Fatalf("box %v", b)
	}
}

// encoded writes the letters and lines of a page as 6 bytes each: a rune or the kind of a
// line, x, y, width and height, in steps of 4 points.
func encoded(p *table.Page) []byte {
	const step = 4
	var out []byte
	for _, c := range p.Chars {
		out = append(out, 'c', byte(c.Rune), byte(c.Box.X1/step), byte(c.Box.Y1/step), byte((c.Box.X2-c.Box.X1)*10), byte((c.Box.Y2-c.Box.Y1)*10))
	}
	for _, d := range p.Paints {
		out = append(out, 'p', byte(d.Kind), byte(d.Box.X1/step), byte(d.Box.Y1/step), byte((d.Box.X2-d.Box.X1)/step), byte((d.Box.Y2-d.Box.Y1)/step))
	}
	return out
}

func decoded(data []byte) *table.Page {
	const step = 4
	p := &table.Page{Width: 600, Height: 800}
	for ; len(data) >= 6; data = data[6:] {
		x, y := float64(data[2])*step, float64(data[3])*step
		if data[0] == 'p' {
			p.Paints = append(p.Paints, table.Paint{Box: table.Box{X1: x, Y1: y, X2: x + float64(data[4])*step, Y2: y + float64(data[5])*step}, Kind: table.Kind(data[1] % 3)})
			continue
		}
		c := table.Char{Rune: rune(data[1]), Mark: int(data[0]%5) - 1}
		if data[4] > 0 && data[5] > 0 {
			c.Box = table.Box{X1: x, Y1: y, X2: x + float64(data[4])/10, Y2: y + float64(data[5])/10}
		}
		p.Chars = append(p.Chars, c)
	}
	if len(data) > 0 {
		p.Tagged = []table.Structure{{Rows: [][]table.StructureCell{
			{{RowSpan: int(data[0]%3) + 1, ColSpan: 1, Marks: []int{0}}, {RowSpan: 1, ColSpan: 1, Marks: []int{1}}},
			{{RowSpan: 1, ColSpan: 1, Marks: []int{2}}, {RowSpan: 1, ColSpan: 1, Marks: []int{3}}},
		}}}
	}
	return p
}
