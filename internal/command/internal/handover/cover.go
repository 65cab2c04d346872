package handover

import (
	"fmt"
	"strings"
	"time"

	"github.com/boombuler/barcode/qr"

	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/plain"
)

// A cover is what stands before the evidence of a dossier.
type cover struct {
	Holds   bool
	Summary string
	Facts   []string
	Linked  bool // rows have codes of links too
	Rows    []coverRow
}

// A coverRow is a citation of the text.
type coverRow struct {
	Number          int
	Words, Address  string
	State           string // "holds", "fails" or "open"
	Verdict, Remark string
	Piece           int    // the number of its evidence, from 1; 0 if there is none
	Note            string // why there is none
	QR              []qrCode
}

// A qrCode is a code of an address or of a link.
type qrCode struct {
	Leads string // "address" or "link"
	Size  int    // modules of a side, with the quiet zone
	Path  string // of SVG, in modules
	black [][2]int
}

// code returns the QR code of a text, or false if that is too long for one.
func code(leads, content string) (qrCode, bool) {
	made, err := qr.Encode(content, qr.M, qr.Auto)
	if err != nil {
		return qrCode{}, false
	}
	const quietZone = 2
	n := made.Bounds().Dx()
	q := qrCode{Leads: leads, Size: n + 2*quietZone}
	var path strings.Builder
	for y := range n {
		for x := range n {
			if r, _, _, _ := made.At(x, y).RGBA(); r == 0 {
				q.black = append(q.black, [2]int{x + quietZone, y + quietZone})
				fmt.Fprintf(&path, "M%d %dh1v1h-1z", x+quietZone, y+quietZone)
			}
		}
	}
	q.Path = path.String()
	return q, true
}

// maxWords is how much of the words of a citation the cover shows, in bytes.
const maxWords = 400

// cover returns the cover of a dossier.
func (d *dossier) cover() *cover {
	c := &cover{Holds: d.report.Holds(), Linked: d.link != nil}
	holding := 0
	for _, q := range d.quotes {
		if q.holds() {
			holding++
		}
		row := coverRow{
			Number: q.Number, Words: shownWords(q, maxWords), Address: q.Address.String(), State: q.state(),
			Verdict: q.summary(), Remark: q.remark(), Piece: q.piece, Note: q.note,
		}
		if q.Address.Resource == "" {
			row.Address = q.entry.Cited
		} else {
			if made, ok := code("address", row.Address); ok {
				row.QR = append(row.QR, made)
			}
			if d.link != nil {
				if made, ok := code("link", d.link(q.Address, q.Words)); ok {
					row.QR = append(row.QR, made)
				}
			}
		}
		c.Rows = append(c.Rows, row)
	}
	c.Summary = message.Holding(holding, len(d.quotes), "citation")
	if n := len(d.report.Uncited); n > 0 {
		c.Facts = append(c.Facts, message.Count(n, "sentence")+" of the text cite nothing")
	}
	if d.name != "" {
		c.Facts = append(c.Facts, "Text: "+plain.Line(d.name))
	}
	c.Facts = append(c.Facts, "SHA-256 of the text: "+d.hash)
	if !d.date.IsZero() {
		c.Facts = append(c.Facts, "As of "+d.date.UTC().Format(time.RFC3339))
	}
	return c
}
