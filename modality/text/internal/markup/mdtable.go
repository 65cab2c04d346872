package markup

import (
	"bytes"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// A table is a table with a line for each row. The second one is the delimiter row
// (GFM 4.10).
type table struct{ ast.TextBlock }

// A tableFinder finds tables in paragraphs. goldmark's own is in a package that
// compiles regular expressions at every start, and takes the paragraph above a
// table for a heading if there is a rule below.
type tableFinder struct{}

// Transform implements [parser.ParagraphTransformer]. A table takes the place of
// the paragraph; the lines above its head become a new one.
func (tableFinder) Transform(n *ast.Paragraph, reader text.Reader, _ parser.Context) {
	lines, parent := n.Lines(), n.Parent()
	at := func(i int) []byte {
		line := lines.At(i)
		return line.Value(reader.Source())
	}
	for i := 1; i < lines.Len(); i++ {
		cells := delimiterCells(at(i))
		if cells == 0 || cells != countCells(at(i-1)) {
			continue
		}
		if i > 1 {
			above := ast.NewParagraph()
			above.Lines().AppendAll(lines.Sliced(0, i-1))
			parent.InsertBefore(parent, n, above)
		}
		found := new(table)
		found.Lines().AppendAll(lines.Sliced(i-1, lines.Len()))
		parent.ReplaceChild(parent, n, found)
		return
	}
}

// delimiterCells returns the number of cells of the row that separates the head
// of a table from its body, or 0 if rest is not a delimiter row.
func delimiterCells(rest []byte) int {
	rest = bytes.TrimSpace(rest)
	if len(rest) == 0 || rest[0] != '|' && rest[0] != ':' && rest[0] != '-' {
		return 0
	}
	rest = bytes.TrimPrefix(rest, []byte("|"))
	rest = bytes.TrimSuffix(rest, []byte("|"))
	cells := 0
	for cell := range bytes.SplitSeq(rest, []byte("|")) {
		cell = bytes.Trim(cell, " \t")
		cell = bytes.TrimSuffix(bytes.TrimPrefix(cell, []byte(":")), []byte(":"))
		if !isRun(cell, 1) || cell[0] != '-' {
			return 0
		}
		cells++
	}
	return cells
}

// countCells returns the number of cells of a table row.
func countCells(row []byte) int {
	row = bytes.TrimSpace(row)
	row = bytes.TrimPrefix(row, []byte("|"))
	cells, pipe := 1, false
	for i := 0; i < len(row); i++ {
		pipe = false
		switch row[i] {
		case '\\':
			i++
		case '|':
			cells++
			pipe = true
		}
	}
	if pipe {
		cells--
	}
	return cells
}

// tableCells returns the cells of a table row that are not empty.
func tableCells(row []byte) (cells [][]byte) {
	row = bytes.TrimPrefix(bytes.TrimSpace(row), []byte("|"))
	start := 0
	for i := 0; i <= len(row); i++ {
		switch {
		case i < len(row) && row[i] == '\\':
			i++
			if i < len(row) {
				continue
			}
		case i < len(row) && row[i] != '|':
			continue
		}
		if cell := bytes.TrimSpace(row[start:min(i, len(row))]); len(cell) > 0 {
			cells = append(cells, bytes.ReplaceAll(cell, []byte(`\|`), []byte("|")))
		}
		start = i + 1
	}
	return cells
}
