package slides

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/modality/document/internal/xmlspan"
	"github.com/citekit/citekit/modality/internal/docfile"
	"github.com/citekit/citekit/preview"
)

// frame reads the table, the chart or the diagram in the frame at hand.
func (p *page) frame(take sink) {
	give := func(text string) {
		if text != "" {
			take("", text)
		}
	}
	p.shaped = p.layers
	descend(p.Scanner, func() {
		switch {
		case p.Is("a", "tbl"):
			give(p.table())
		case p.Is("c", "chart"):
			give(p.elsewhere(p.Get("r", "id"), "chart", (*page).chart))
		case p.Is("cx", "chart"):
			give(p.elsewhere(p.Get("r", "id"), "chart", (*page).newChart))
		case p.Is("dgm", "relIds"):
			give(p.elsewhere(p.Get("r", "dm"), "diagram", (*page).diagram))
		}
	})
}

// elsewhere reads the text of a part that the slide refers to. A missing part has
// no text.
func (p *page) elsewhere(id, what string, read func(*page) string) string {
	part := p.target(id)
	if part == nil || p.reader.err != nil {
		return ""
	}
	other, err := p.open(part)
	text := ""
	if err == nil {
		text = read(other)
		err = xmlspan.Known(other.Err())
	}
	if err != nil {
		p.fail(fmt.Errorf("a %s: %w", what, err))
	}
	return text
}

// table reads the table at hand: a line for each row, with tabs between cells.
// A cell that is merged into another is empty.
func (p *page) table() string {
	var rows []string
	var t preview.Table
	children(p.Scanner, func() {
		if p.Is("a", "tblPr") && isTrue(p.Get("", "firstRow")) {
			t.Headers = 1
		}
		if !p.Is("a", "tr") {
			return
		}
		var cells []string
		children(p.Scanner, func() {
			if p.Is("a", "tc") {
				c := p.spans(len(cells)+1, len(rows)+1)
				c.Text = oneCell(p.lines())
				c.Header = len(rows) < t.Headers
				if cells = append(cells, c.Text); !c.Cells.IsZero() {
					t.Cells = append(t.Cells, c)
				}
			}
		})
		p.add(len(cells))
		rows = append(rows, strings.Join(cells, "\t"))
		t.Extent = spanned(t.Extent, len(cells), len(rows))
	})
	if !t.Extent.IsZero() {
		docfile.FitCells(&t)
		p.reader.tables = append(p.reader.tables, t)
	}
	return strings.Join(rows, "\n")
}

// spans returns the cell at hand, in a column and a row from 1, with the places that it
// takes: none if it is merged into another.
func (p *page) spans(col, row int) (c preview.TableCell) {
	if isTrue(p.Get("", "hMerge")) || isTrue(p.Get("", "vMerge")) {
		return c
	}
	span := func(name string) int {
		n, _ := strconv.Atoi(p.Get("", name))
		return min(max(n, 1), maxSpan)
	}
	at := citekit.Cell{Col: int32(col), Row: int32(row)}
	c.Cells = citekit.Cells{First: at, Last: citekit.Cell{Col: at.Col + int32(span("gridSpan")) - 1, Row: at.Row + int32(span("rowSpan")) - 1}}
	return c
}

func isTrue(value string) bool { return value == "1" || value == "true" }

// oneCell returns text with each tab and line end replaced by a space.
func oneCell(text string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' || r == '\r' {
			return ' '
		}
		return r
	}, text)
}

// A series is a series of values in a chart.
type series struct {
	name               string
	categories, values []point
}

// A point is the copy of a cell in a chart.
type point struct {
	index int
	text  string
}

// chart reads a chart: its titles, and then its values as a table with a column
// for each series. Numbers are written as they are stored.
func (p *page) chart() string {
	var lines []string
	var all []series
	for p.Next() {
		if p.Kind != xmlspan.Start {
			continue
		}
		switch {
		case p.Is("c", "title"):
			if title := p.lines(); title != "" {
				lines = append(lines, title)
			}
		case p.Is("c", "ser"):
			all = append(all, p.series())
		}
	}
	return strings.Join(append(lines, p.chartRows(all)...), "\n")
}

func (p *page) series() series {
	var s series
	children(p.Scanner, func() {
		switch p.Local {
		case "tx":
			for _, point := range p.points() {
				s.name = strings.TrimSpace(s.name + " " + point.text)
			}
		case "cat", "xVal":
			s.categories = p.points()
		case "val", "yVal":
			s.values = p.points()
		}
	})
	return s
}

// points reads the points within the element at hand. If categories have several
// levels, it reads the first.
func (p *page) points() []point {
	var points []point
	index, levels := 0, 0
	descend(p.Scanner, func() {
		switch {
		case p.Is("c", "lvl"):
			if levels++; levels > 1 {
				p.Skip()
			}
		case p.Is("c", "pt"):
			index, _ = strconv.Atoi(p.Get("", "idx"))
		case p.Is("c", "v"):
			text := oneCell(p.Chars())
			p.add(len(text) + 1)
			points = append(points, point{index, text})
		}
	})
	return points
}

// chartRows returns the lines of a table of series. The categories come from the
// first series that has categories.
func (p *page) chartRows(all []series) []string {
	cells := make(map[int]map[int]string) // by index and column; column 0 has the category
	put := func(column int, points []point) {
		for _, point := range points {
			if cells[point.index] == nil {
				cells[point.index] = make(map[int]string)
			}
			cells[point.index][column] = point.text
		}
	}
	named := false
	head := make([]string, len(all)+1)
	for i, s := range all {
		put(i+1, s.values)
		head[i+1] = oneCell(s.name)
		named = named || s.name != ""
	}
	if i := slices.IndexFunc(all, func(s series) bool { return len(s.categories) > 0 }); i >= 0 {
		put(0, all[i].categories)
	}
	if p.add(len(cells) * len(head)); p.reader.err != nil {
		return nil
	}
	var lines []string
	if named {
		lines = append(lines, strings.Join(head, "\t"))
	}
	indexes := make([]int, 0, len(cells))
	for index := range cells {
		indexes = append(indexes, index)
	}
	slices.Sort(indexes)
	for _, index := range indexes {
		row := make([]string, len(head))
		for column, text := range cells[index] {
			row[column] = text
		}
		lines = append(lines, strings.Join(row, "\t"))
	}
	return lines
}

// newChart reads a chart of the kinds that Office 2016 introduced: its titles and
// the names that it shows.
func (p *page) newChart() string {
	var lines []string
	for p.Next() {
		switch {
		case p.Kind != xmlspan.Start:
		case p.Is("cx", "title"), p.Is("cx", "strDim"):
			if text := p.named(); text != "" {
				lines = append(lines, text)
			}
		}
	}
	return strings.Join(lines, "\n")
}

// named returns the paragraphs and the points within the element at hand, each on
// its own line.
func (p *page) named() string {
	var lines []string
	descend(p.Scanner, func() {
		text := ""
		switch {
		case p.Is("a", "p"):
			text = p.paragraph()
		case p.Is("cx", "pt"):
			text = p.Chars()
			p.add(len(text) + 1)
		}
		if strings.TrimSpace(text) != "" {
			lines = append(lines, text)
		}
	})
	return strings.Join(lines, "\n")
}

// A diagramNode is a point of the model of a diagram.
type diagramNode struct {
	id, text string
	root     bool
	children []diagramEdge
}

type diagramEdge struct {
	order int
	to    string
}

// diagram reads the model of a diagram (SmartArt): the text of each node, followed
// by the texts of its children.
func (p *page) diagram() string {
	var nodes []*diagramNode
	byID := make(map[string]*diagramNode)
	for p.Next() {
		switch {
		case p.Kind != xmlspan.Start:
		case p.Is("dgm", "pt"):
			if n := p.diagramNode(); n != nil && byID[n.id] == nil {
				nodes = append(nodes, n)
				byID[n.id] = n
			}
		case p.Is("dgm", "cxn"):
			if kind := p.Get("", "type"); kind == "" || kind == "parOf" {
				order, _ := strconv.Atoi(p.Get("", "srcOrd"))
				if from := byID[p.Get("", "srcId")]; from != nil {
					from.children = append(from.children, diagramEdge{order, p.Get("", "destId")})
				}
			}
		}
	}
	return strings.Join(diagramLines(nodes, byID), "\n")
}

// diagramNode reads the point at hand. It returns nil for points without text of
// their own.
func (p *page) diagramNode() *diagramNode {
	n := &diagramNode{id: p.Get("", "modelId")}
	switch p.Get("", "type") {
	case "", "node", "asst":
	case "doc":
		n.root = true
	default:
		return nil
	}
	children(p.Scanner, func() {
		if p.Is("dgm", "t") {
			n.text = p.lines()
		}
	})
	return n
}

// diagramLines returns the texts of nodes from the roots down, and then of the
// nodes that no root reaches.
func diagramLines(nodes []*diagramNode, byID map[string]*diagramNode) []string {
	var lines []string
	seen := make(map[*diagramNode]bool)
	visit := func(first *diagramNode) {
		for stack := []*diagramNode{first}; len(stack) > 0; {
			n := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			if n == nil || seen[n] {
				continue
			}
			seen[n] = true
			if n.text != "" {
				lines = append(lines, n.text)
			}
			slices.SortStableFunc(n.children, func(a, b diagramEdge) int { return cmp.Compare(b.order, a.order) })
			for _, edge := range n.children {
				stack = append(stack, byID[edge.to])
			}
		}
	}
	for _, roots := range []bool{true, false} {
		for _, n := range nodes {
			if n.root == roots {
				visit(n)
			}
		}
	}
	return lines
}
