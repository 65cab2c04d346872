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

// Tagged returns a file of one page, whose content is text in marked content 0, with a tree
// of its structure and more objects, which are numbered from 10.
func Tagged(tree string, objects ...string) []byte {
	f := &File{}
	root, pages, page := f.Reserve(), f.Reserve(), f.Reserve()
	font := f.Add("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>")
	content := f.Stream("", []byte("/TD << /MCID 0 >> BDC BT /F1 12 Tf 50 300 Td (cell) Tj ET EMC"))
	f.Set(root, "<< /Type /Catalog /Pages %d 0 R /MarkInfo << /Marked true >> /StructTreeRoot %s >>", pages, tree)
	f.Set(pages, "<< /Type /Pages /Count 1 /Kids [%d 0 R] >>", page)
	f.Set(page, "<< /Type /Page /Parent %d 0 R /MediaBox [0 0 400 400] /StructParents 0 /Contents %d 0 R /Resources << /Font << /F1 %d 0 R >> >> >>", pages, content, font)
	for f.Reserve() < 9 {
	}
	for _, o := range objects {
		f.Add("%s", o)
	}
	f.Root(root)
	return f.Bytes()
}

// HostileTables returns files with tables that no real file has: n tags in one another, above
// and below the table, and 10 n lines around cells.
func HostileTables(n int) []Hostile {
	up, down := make([]string, n), make([]string, n)
	for i := range n {
		up[i] = fmt.Sprintf("<< /S /Div /P %d 0 R /K %d 0 R >>", 10+i+1, 10+max(i-1, 0))
		down[i] = fmt.Sprintf("<< /S /%s /P %d 0 R /K [0 %d 0 R] >>", []string{"Table", "TR", "TD"}[i%3], 10+max(i-1, 0), 10+i+1)
	}
	up[0] = "<< /S /TD /P 11 0 R /K 0 /Pg 3 0 R >>"
	up[n-1] = "<< /S /Table /K 10 0 R >>"
	down[n-1] = "<< /S /TD /K 0 >>"
	const tree = "<< /K %d 0 R /ParentTree << /Nums [0 [%d 0 R]] >> >>"

	var lines strings.Builder
	for i := range 10 * n {
		if at := i / 2; i%2 == 0 {
			fmt.Fprintf(&lines, "0 %.3f m 400 %.3f l S\n", float64(at%n)*400/float64(n), float64(at%n)*400/float64(n))
		} else {
			fmt.Fprintf(&lines, "%.3f 0 m %.3f 400 l S\n", float64(at%n)*400/float64(n), float64(at%n)*400/float64(n))
		}
	}
	return []Hostile{
		{Name: "tags above a cell", Data: Tagged(fmt.Sprintf(tree, 10+n-1, 10), up...)},
		{Name: "tags below a table", Data: Tagged(fmt.Sprintf(tree, 10, 10+n-1), down...)},
		{Name: "tables in tables", Data: Tagged(fmt.Sprintf(tree, 10, 10), down...)},
		{Name: "lines", Data: Page("", lines.String()+"BT /F1 12 Tf 50 300 Td (cell) Tj ET", "/F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>")},
	}
}
