package handover

import (
	"bytes"
	"fmt"
	"html"
)

// A markup is HTML in the making. Package html/template would make the program 5 MB
// larger, as the linker then keeps all methods of all types.
type markup struct{ bytes.Buffer }

// put writes a format, whose strings are escaped, as text and as values of attributes
// in double quotes.
func (m *markup) put(format string, args ...any) {
	for i, arg := range args {
		if text, ok := arg.(string); ok {
			args[i] = html.EscapeString(text)
		}
	}
	fmt.Fprintf(m, format, args...)
}

// body writes what a page shows.
func (m *markup) body(p *shownPage) {
	m.put("<main>\n<h1 dir=\"auto\">%s</h1>\n", p.Title)
	if p.Cover != nil {
		m.cover(p.Cover)
	}
	for _, piece := range p.Pieces {
		if p.Cover == nil {
			m.piece(piece)
			continue
		}
		m.put("<section id=\"piece-%d\"><h2 dir=\"auto\">%s</h2>\n", piece.ID, piece.Label)
		m.piece(piece)
		m.put("</section>\n")
	}
	m.put("</main>\n<footer class=\"quiet\"><p>Made by citekit. This page needs no network, and sends nothing.</p></footer>\n")
}

// cover writes the table of citations.
func (m *markup) cover(c *cover) {
	state, codes := "fails", "As QR code: address"
	if c.Holds {
		state = "holds"
	}
	if c.Linked {
		codes += ", link"
	}
	m.put("<p class=\"verdict %s\">%s</p>\n", state, c.Summary)
	for _, fact := range c.Facts {
		m.put("<p class=\"quiet\">%s</p>\n", fact)
	}
	m.put("<div class=\"wide\"><table>\n<thead><tr><th scope=\"col\">No.</th><th scope=\"col\">Words and address</th><th scope=\"col\">Verdict</th><th scope=\"col\">%s</th></tr></thead>\n<tbody>\n", codes)
	for _, row := range c.Rows {
		m.put("<tr><td>%d</td><td><p dir=\"auto\">%s</p><p><code>%s</code></p>", row.Number, row.Words, row.Address)
		if row.Piece > 0 {
			m.put("<p><a href=\"#piece-%d\">Evidence %d</a></p>", row.Piece, row.Piece)
		}
		m.optional("<p class=\"quiet\">%s</p>", row.Note)
		m.put("</td><td><p class=\"verdict %s\">%s</p>", row.State, row.Verdict)
		m.optional("<p class=\"quiet\">%s</p>", row.Remark)
		m.put("</td><td><div class=\"codes\">")
		for _, q := range row.QR {
			m.put("<svg class=\"qr\" viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"The %s as a QR code\"><path d=\"%s\"/></svg>", q.Size, q.Size, q.Leads, q.Path)
		}
		m.put("</div></td></tr>\n")
	}
	m.put("</tbody></table></div>\n")
}

// optional writes a format with a text, unless that is "".
func (m *markup) optional(format, text string) {
	if text != "" {
		m.put(format, text)
	}
}

// piece writes the quotes of a piece, what shows it, and what it is.
func (m *markup) piece(p *shownPiece) {
	for _, q := range p.Quotes {
		if p.Numbered {
			m.put("<p class=\"quiet\">Citation %d</p>\n", q.Number)
		}
		m.put("<blockquote dir=\"auto\">%s</blockquote>\n<p><span class=\"verdict %s\">%s</span>", q.Words, q.State, q.Verdict)
		m.optional(" <span class=\"quiet\">%s</span>", q.Remark)
		m.put("</p>\n")
		if q.Passage {
			m.put("<p class=\"passage\" dir=\"auto\">%s<mark>%s</mark>%s</p>\n", q.Before, q.Text, q.After)
		}
	}
	m.optional("<p class=\"passage\" dir=\"auto\">%s</p>\n", p.Text)
	for _, one := range p.Pictures {
		m.put("<figure><img src=\"%s\" width=\"%d\" height=\"%d\" alt=\"%s\"><figcaption class=\"quiet\" dir=\"auto\">%s</figcaption></figure>\n", one.Source, one.Width, one.Height, one.About, one.About)
	}
	m.put("<dl>\n<dt>Address</dt><dd><code>%s</code></dd>\n", p.Address)
	if p.Link != "" {
		m.put("<dt>Link</dt><dd><a href=\"%s\" rel=\"noreferrer\">%s</a></dd>\n", p.Link, p.Link)
	}
	m.put("<dt>Source</dt><dd>%s</dd>\n", p.Source)
	m.optional("<dt>SHA-256 of the source</dt><dd><code>%s</code></dd>\n", p.SourceHash)
	m.optional("<dt>Source as of</dt><dd>%s</dd>\n", p.Mapped)
	m.put("<dt>SHA-256 of the evidence</dt><dd><code>%s</code></dd>\n<dt>Evidence</dt><dd>%s, %d bytes</dd>\n</dl>\n", p.SHA256, p.Type, p.Size)
	m.put("<div class=\"screen\" data-check=\"%s\" data-piece=\"%d\" data-name=\"%s\">\n", p.SHA256, p.ID, p.File)
	if p.Embedded {
		m.put("<p><button type=\"button\" data-do=\"check\">Check the hash</button> <button type=\"button\" data-do=\"save\">Save the evidence</button></p>\n")
	} else {
		m.put("<p><label>Check the evidence, which is too large for this page: <input class=\"file\" type=\"file\"></label></p>\n")
	}
	m.put("<p role=\"status\"></p>\n</div>\n<noscript><p class=\"quiet\">Without scripts, check the evidence with sha256sum.</p></noscript>\n")
}
