package pdftest

import (
	"fmt"
	"strings"
)

// Ruled returns a file of pages of 400 by 400 points, one for each table: a line with the
// caption, and a line for each row with "|" between its cells, which have lines around them.
// A sentence stands below the table.
func Ruled(tables ...string) []byte {
	const left, top, width, height = 40, 330, 80, 22
	f := &File{}
	root, tree := f.Reserve(), f.Reserve()
	font := f.Add("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>")
	var kids []int
	for _, table := range tables {
		var b strings.Builder
		caption, body, _ := strings.Cut(table, "\n")
		text := func(x, y int, words string) {
			if words != "" {
				fmt.Fprintf(&b, "BT /F1 10 Tf %d %d Td (%s) Tj ET\n", x, y, words)
			}
		}
		text(left, top+14, caption)
		rows := strings.Split(strings.TrimSuffix(body, "\n"), "\n")
		cols := 0
		for i, row := range rows {
			cells := strings.Split(row, "|")
			cols = max(cols, len(cells))
			for j, cell := range cells {
				text(left+j*width+5, top-(i+1)*height+7, cell)
			}
		}
		for i := range len(rows) + 1 {
			fmt.Fprintf(&b, "%d %d m %d %d l S\n", left, top-i*height, left+cols*width, top-i*height)
		}
		for j := range cols + 1 {
			fmt.Fprintf(&b, "%d %d m %d %d l S\n", left+j*width, top, left+j*width, top-len(rows)*height)
		}
		text(left, top-len(rows)*height-30, "The table above has what was counted.")
		content := f.Stream("", []byte(b.String()))
		kids = append(kids, f.Add("<< /Type /Page /Parent %d 0 R /Contents %d 0 R /Resources << /Font << /F1 %d 0 R >> >> >>", tree, content, font))
	}
	f.Set(tree, "<< /Type /Pages /Kids [%s] /Count %d /MediaBox [0 0 400 400] >>", refs(kids...), len(kids))
	f.Set(root, "<< /Type /Catalog /Pages %d 0 R >>", tree)
	f.Root(root)
	return f.Bytes()
}
