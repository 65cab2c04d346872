package handover

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"image"
	"image/color"
	_ "image/jpeg"
	_ "image/png"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/preview"
)

// A chapter is a piece in a PDF.
type chapter struct {
	label       string
	first, last int       // its sheets: [first, last) of all
	evidence    *imported // or nil
}

// dossierPDF returns a dossier as PDF: the cover, and for each piece a sheet about it and
// its pages as they are, or its picture or words on the sheet.
func (m *Maker) dossierPDF(ctx context.Context, d *dossier) (data []byte, err error) {
	defer recovered(&err)
	file := &pdfFile{}
	root, info, tree := file.reserve(), file.reserve(), file.reserve()
	s, err := newSheets(file)
	if err != nil {
		return nil, err
	}
	s.next()
	s.cover(d)
	covers := len(s.all)
	chapters := make([]*chapter, len(d.pieces))
	for i, p := range d.pieces {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if chapters[i], err = m.chapter(ctx, s, i+1, p); err != nil {
			return nil, fmt.Errorf("%s: %w", p.Evidence.Address, err)
		}
	}
	if s.codes {
		s.note(covers)
	}
	var kids types.Array
	for _, one := range s.all[:covers] {
		kids = append(kids, one.ref)
	}
	for _, c := range chapters {
		for _, one := range s.all[c.first:c.last] {
			kids = append(kids, one.ref)
		}
		if c.evidence == nil {
			continue
		}
		for _, p := range c.evidence.pages {
			p.dict["Parent"] = tree
			kids = append(kids, p.ref)
		}
	}
	if err := s.finish(tree, func(n int) types.IndirectRef { return s.all[chapters[n-1].first].ref }); err != nil {
		return nil, err
	}
	file.set(tree, types.Dict{"Type": types.Name("Pages"), "Kids": kids, "Count": types.Integer(len(kids))})
	catalog := types.Dict{
		"Type": types.Name("Catalog"), "Pages": tree, "PageMode": types.Name("UseOutlines"), "Outlines": outlines(file, s, chapters),
		"ViewerPreferences": types.Dict{"DisplayDocTitle": types.Boolean(true)},
	}
	if form := joinForms(file, chapters); form != nil {
		catalog["AcroForm"] = form
	}
	if looks := joinLooks(file, chapters); looks != nil {
		catalog["OCProperties"] = looks
	}
	file.set(root, catalog)
	about := types.Dict{"Title": text(d.title), "Producer": text("citekit")}
	if !d.date.IsZero() {
		about["CreationDate"] = types.StringLiteral(d.date.UTC().Format("D:20060102150405Z"))
	}
	file.set(info, about)
	return file.bytes(root, info), nil
}

// cover writes the title and the table of citations.
func (s *sheets) cover(d *dossier) {
	c := d.cover()
	s.paragraph(s.bold, titleSize, ink, d.title)
	s.y += 6
	state := good
	if !c.Holds {
		state = bad
	}
	s.paragraph(s.bold, textSize, state, c.Summary)
	for _, fact := range c.Facts {
		s.paragraph(s.regular, codeSize, quiet, fact)
	}
	s.y += 8
	for _, row := range c.Rows {
		s.coverRow(row)
	}
}

// coverRow writes a row of the table: its number, the words with the address and the
// verdict, and the codes.
func (s *sheets) coverRow(row coverRow) {
	const number, side, gap, label = 26, 62, 10, 11
	width := columnWidth - number - float64(len(row.QR))*(side+gap)
	state := colours[row.State]
	blocks := []*block{s.text(s.regular, textSize, ink, width, row.Words), s.text(s.mono, codeSize, ink, width, row.Address), s.text(s.bold, codeSize, state, width, row.Verdict)}
	for _, more := range []string{row.Remark, row.Note} {
		if more != "" {
			blocks = append(blocks, s.text(s.regular, codeSize, quiet, width, more))
		}
	}
	if row.Piece > 0 {
		blocks = append(blocks, s.text(s.regular, codeSize, quiet, width, fmt.Sprintf("Evidence %d", row.Piece)))
	}
	height := 0.0
	for _, b := range blocks {
		height += b.height()
	}
	if len(row.QR) > 0 {
		height = max(height, side+label)
	}
	s.room(height + 2*gap)
	s.rule()
	top := s.y + gap
	s.draw(s.text(s.bold, textSize, ink, number, fmt.Sprint(row.Number)), margin, top)
	y := top
	for _, b := range blocks {
		s.draw(b, margin+number, y)
		y += b.height()
	}
	for i, q := range row.QR {
		x := sheetWidth - margin - float64(len(row.QR)-i)*(side+gap) + gap
		s.code(q, x, top, side)
		s.draw(s.text(s.regular, codeSize-1, quiet, side, q.Leads), x+3, top+side-2)
	}
	s.y = top + height + gap
	if row.Piece > 0 {
		s.last().links = append(s.last().links, link{rect{margin, sheetHeight - s.y, margin + number + width, sheetHeight - top}, row.Piece})
	}
}

// note says on the last sheet of the cover why there are codes of characters.
func (s *sheets) note(covers int) {
	b := s.text(s.regular, codeSize-1, quiet, columnWidth, `Characters that the fonts of these sheets lack are written as their codes, such as \u0634; copied text has the characters, and a dossier as .html shows them. The pages of evidence are as they were.`)
	all := s.all
	s.all = all[:covers]
	s.draw(b, margin, bottom+6)
	s.all = all
}

// chapter writes the sheet about a piece, and adds its evidence.
func (m *Maker) chapter(ctx context.Context, s *sheets, number int, p *Piece) (*chapter, error) {
	c := &chapter{label: fmt.Sprintf("%d. %s", number, p.Label), first: len(s.all)}
	s.next()
	e := p.Evidence
	s.paragraph(s.bold, headingSize, ink, c.label)
	s.y += 8
	passages := false
	for _, q := range p.Quotes {
		passages = s.citation(q, !p.isPDF()) || passages
	}
	s.y += 4
	s.fact("Address", e.Address.String())
	if m.Link != nil {
		s.fact("Link", m.Link(e.Address, p.Quotes[0].Words))
	}
	s.fact("Source", p.Source)
	s.fact("SHA-256 of the source", p.sourceHash)
	s.fact("Source as of", p.Mapped)
	s.fact("Evidence", fmt.Sprintf("%s, %d bytes", e.MediaType, e.Size))
	s.fact("SHA-256 of the evidence", e.SHA256)
	s.y += 8
	if !p.isPDF() {
		pictures, err := m.pictures(ctx, p)
		if err != nil {
			return nil, err
		}
		for _, one := range pictures {
			if err := s.preview(one); err != nil {
				return nil, err
			}
		}
		if len(pictures) == 0 && !passages {
			s.paragraph(s.regular, textSize, ink, cmp.Or(m.text(ctx, p), nothingShown))
		}
		c.last = len(s.all)
		return c, nil
	}
	doc, err := readPDF(ctx, p.data)
	if err != nil {
		return nil, err
	}
	if c.evidence, err = s.file.importPages(doc); err != nil {
		return nil, err
	}
	n := len(c.evidence.pages)
	s.paragraph(s.regular, codeSize, quiet, "The evidence follows: "+message.Count(n, "page")+", unchanged but for the highlights of quotes that hold.")
	c.last = len(s.all)
	marks := p.marks()
	add := func(o types.Object) (types.IndirectRef, error) { return s.file.add(o), nil }
	for i, page := range c.evidence.pages {
		for _, one := range marks[i] {
			annot, err := annotate(add, c.evidence.space[i], page.ref, one)
			if err != nil {
				return nil, err
			}
			before, _ := page.dict["Annots"].(types.Array)
			page.dict["Annots"] = append(before, annot)
		}
	}
	return c, nil
}

// citation writes a citation of a piece, and, unless its page follows, its words where
// they stand. It reports whether it did.
func (s *sheets) citation(q *Quote, withPassage bool) bool {
	const indent = 12
	state := colours[q.state()]
	s.paragraph(s.regular, codeSize, quiet, fmt.Sprintf("Citation %d", q.Number))
	s.flow(s.text(s.regular, textSize, ink, columnWidth-indent, shownWords(q, maxShown)), margin+indent)
	s.paragraph(s.bold, codeSize, state, q.summary())
	if remark := q.remark(); remark != "" {
		s.paragraph(s.regular, codeSize, quiet, remark)
	}
	s.y += 6
	if !withPassage || !q.marked() || q.Text == "" {
		return false
	}
	var all []cluster
	for _, part := range []struct {
		text   string
		marked bool
	}{{q.Before, false}, {q.Text, true}, {q.After, false}} {
		all = append(all, s.regular.clusters(part.text, textSize, part.marked)...)
	}
	s.flow(lay(textSize, ink, columnWidth-indent, all), margin+indent)
	s.y += 8
	return true
}

// preview adds a picture.
func (s *sheets) preview(p *preview.Preview) error {
	decoded, _, err := image.Decode(bytes.NewReader(p.Data))
	if err != nil {
		return fmt.Errorf("a picture: %w: %w", err, citekit.ErrFormat)
	}
	b := decoded.Bounds()
	entries := types.Dict{
		"Type": types.Name("XObject"), "Subtype": types.Name("Image"), "Width": types.Integer(b.Dx()), "Height": types.Integer(b.Dy()),
		"BitsPerComponent": types.Integer(8), "ColorSpace": types.Name("DeviceRGB"),
	}
	if p.MediaType == "image/jpeg" && decoded.ColorModel() == color.YCbCrModel {
		entries["Filter"] = types.Name("DCTDecode")
		s.picture(s.file.add(newStream(entries, p.Data)), b.Dx(), b.Dy())
		return nil
	}
	pixels := make([]byte, 0, 3*b.Dx()*b.Dy())
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			c, _ := color.NRGBAModel.Convert(decoded.At(x, y)).(color.NRGBA)
			over := func(v uint8) uint8 { return uint8((int(v)*int(c.A) + 255*(255-int(c.A))) / 255) } // on white
			pixels = append(pixels, over(c.R), over(c.G), over(c.B))
		}
	}
	s.picture(s.file.deflated(entries, pixels), b.Dx(), b.Dy())
	return nil
}

// outlines adds the bookmarks: the cover, and each piece with its evidence below it.
func outlines(file *pdfFile, s *sheets, chapters []*chapter) types.IndirectRef {
	top := file.reserve()
	items := []types.IndirectRef{file.reserve()}
	dicts := []types.Dict{bookmark("Citations", top, s.all[0].ref)}
	count := 1
	for _, c := range chapters {
		ref := file.reserve()
		d := bookmark(c.label, top, s.all[c.first].ref)
		count++
		if c.evidence != nil && len(c.evidence.pages) > 0 {
			below := file.add(bookmark("Evidence", ref, c.evidence.pages[0].ref))
			d["First"], d["Last"], d["Count"] = below, below, types.Integer(1)
			count++
		}
		items, dicts = append(items, ref), append(dicts, d)
	}
	for i, d := range dicts {
		if i > 0 {
			d["Prev"] = items[i-1]
		}
		if i+1 < len(items) {
			d["Next"] = items[i+1]
		}
		file.set(items[i], d)
	}
	file.set(top, types.Dict{"Type": types.Name("Outlines"), "First": items[0], "Last": items[len(items)-1], "Count": types.Integer(count)})
	return top
}

func bookmark(title string, parent, page types.IndirectRef) types.Dict {
	return types.Dict{"Title": text(title), "Parent": parent, "Dest": types.Array{page, types.Name("Fit")}}
}

// joinForms returns the interactive form of all evidence, or nil if there is none. The
// fields of each piece are below one of its own, so that fields of the same name in two
// sources stay apart.
func joinForms(file *pdfFile, chapters []*chapter) types.Dict {
	var fields types.Array
	form := types.Dict{}
	for i, c := range chapters {
		if c.evidence == nil || c.evidence.form == nil {
			continue
		}
		own := c.evidence.form
		kids, _ := file.object(own["Fields"]).(types.Array)
		parent := file.reserve()
		for _, kid := range kids {
			if field, ok := file.object(kid).(types.Dict); ok {
				field["Parent"] = parent
			}
		}
		above := types.Dict{"T": text(fmt.Sprintf("evidence %d", i+1)), "Kids": kids}
		for _, key := range []string{"DA", "Q"} { // they are inherited
			if own[key] != nil {
				above[key] = own[key]
			}
		}
		file.set(parent, above)
		fields = append(fields, parent)
		for _, key := range []string{"DA", "DR", "NeedAppearances"} {
			if form[key] == nil && own[key] != nil {
				form[key] = own[key]
			}
		}
	}
	if fields == nil {
		return nil
	}
	form["Fields"] = fields
	return form
}

// joinLooks returns the optional content of all evidence, or nil if there is none: what
// is hidden in a source stays hidden.
func joinLooks(file *pdfFile, chapters []*chapter) types.Dict {
	var groups, off types.Array
	for _, c := range chapters {
		if c.evidence == nil || c.evidence.looks == nil {
			continue
		}
		own, _ := file.object(c.evidence.looks["OCGs"]).(types.Array)
		d, _ := file.object(c.evidence.looks["D"]).(types.Dict)
		hidden, _ := file.object(d["OFF"]).(types.Array)
		on, _ := file.object(d["ON"]).(types.Array)
		groups = append(groups, own...)
		if d["BaseState"] != types.Name("OFF") {
			off = append(off, hidden...)
			continue
		}
		shown := make(map[types.Object]bool)
		for _, ref := range on {
			shown[ref] = true
		}
		for _, ref := range own {
			if !shown[ref] {
				off = append(off, ref)
			}
		}
	}
	if groups == nil {
		return nil
	}
	d := types.Dict{}
	if off != nil {
		d["OFF"] = off
	}
	return types.Dict{"OCGs": groups, "D": d}
}
