package pdftest

import (
	"fmt"
	"strings"
)

// A Row is something at a place of a page of 600 by 800 points, counted from
// the top left corner: text in Helvetica, or a filled rectangle.
type Row struct {
	X, Y          float64
	Size          float64 // of the text
	Bold          bool
	Text          string
	Width, Height float64 // of the rectangle, if there is no text
}

// Rows returns a file of pages of rows. Entries are further ones of every
// page, such as "/CropBox [0 0 600 790]".
func Rows(entries string, pages ...[]Row) []byte {
	return rows("/MediaBox [0 0 600 800] "+entries, "", pages)
}

// TurnedRows returns a file that shows the same as that of [Rows], but whose
// pages are drawn sideways and turned by their dictionary.
func TurnedRows(pages ...[]Row) []byte {
	return rows("/MediaBox [0 0 800 600] /Rotate 90", "0 1 -1 0 800 0 cm\n", pages)
}

func rows(entries, start string, pages [][]Row) []byte {
	f := &File{}
	root, tree := f.Reserve(), f.Reserve()
	regular := f.Add("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>")
	bold := f.Add("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold >>")
	var kids []int
	for _, rows := range pages {
		var content strings.Builder
		content.WriteString(start)
		for _, row := range rows {
			content.WriteString(row.operators())
		}
		stream := f.Stream("", []byte(content.String()))
		kids = append(kids, f.Add("<< /Type /Page /Parent %d 0 R /Contents %d 0 R /Resources << /Font << /F1 %d 0 R /F2 %d 0 R >> >> %s >>",
			tree, stream, regular, bold, entries))
	}
	f.Set(tree, "<< /Type /Pages /Kids [%s] /Count %d >>", refs(kids...), len(kids))
	f.Set(root, "<< /Type /Catalog /Pages %d 0 R >>", tree)
	f.Root(root)
	return f.Bytes()
}

func (r Row) operators() string {
	if r.Text == "" {
		return fmt.Sprintf("%v %v %v %v re f\n", r.X, 800-r.Y-r.Height, r.Width, r.Height)
	}
	font := 1
	if r.Bold {
		font = 2
	}
	return fmt.Sprintf("BT /F%d %v Tf %v %v Td (%s) Tj ET\n", font, r.Size, r.X, 800-r.Y, r.Text)
}
