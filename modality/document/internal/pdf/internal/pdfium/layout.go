package pdfium

import (
	"context"
	"fmt"
	"io"
	"math"
	"strings"
	"unicode"

	"github.com/klippa-app/go-pdfium"
	"github.com/klippa-app/go-pdfium/enums"
	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"
)

const (
	maxLines   = 2000   // lines of a page that are examined
	maxGlyphs  = 200000 // characters of a page whose lines are examined
	maxHeading = 160    // characters of a line whose boldness is determined
	maxDrawn   = 3000   // objects of a page; if there are more, none is examined
)

// A Box is a rectangle in fractions of the width and height of a page as displayed,
// from its top left corner.
type Box struct{ X1, Y1, X2, Y2 float64 }

// A Line is a line of text as PDFium groups characters.
type Line struct {
	Text string
	Box  Box

	// Size is the height of the font in points. Weight is its weight if the font has
	// one: about 400 for regular and 700 for bold. Both are of the first character.
	Size   float64
	Weight int

	// Bold reports that the font of the first character is bold by its name
	// or the flags of its descriptor. It is false for lines of more than 160
	// characters.
	Bold bool

	// Mixed reports that the first character, the middle and the last differ
	// in size or weight.
	Mixed bool

	// Gap is the widest space between two words, in font sizes. Words of fewer than two
	// letters are ignored. It is 0 if Bold is false. GapAt is the index in Text of the
	// first byte after the word before it.
	Gap   float64
	GapAt int
}

// A Layout is what a page shows, and where.
type Layout struct {
	Width, Height float64 // points, as displayed
	Lines         []Line  // in content order

	// Drawn are the places of images, drawings and anything else that is not text, in
	// content order. It is empty if not requested, or if there are too many.
	Drawn []Box
}

// Layouts returns the layouts of pages of the document in r. Pages are indexes from 0.
// Drawn decides, from the lines of a page, whether its Layout gets Drawn.
func (s *Session) Layouts(ctx context.Context, r io.ReaderAt, size int64, pages []int, drawn func([]Line) bool) ([]Layout, error) {
	layouts := make([]Layout, len(pages))
	err := s.call(ctx, func(p pdfium.Pdfium) error {
		doc, err := open(p, r, size)
		if err != nil {
			return err
		}
		defer p.FPDF_CloseDocument(&requests.FPDF_CloseDocument{Document: doc})
		for i, index := range pages {
			if err := ctx.Err(); err != nil {
				return err
			}
			if layouts[i], err = layoutOf(p, doc, index, drawn); err != nil {
				return err
			}
		}
		return nil
	})
	return layouts, err
}

func layoutOf(p pdfium.Pdfium, doc references.FPDF_DOCUMENT, index int, drawn func([]Line) bool) (Layout, error) {
	loaded, err := p.FPDF_LoadPage(&requests.FPDF_LoadPage{Document: doc, Index: index})
	if err != nil {
		return Layout{}, refused(err)
	}
	page := requests.Page{ByReference: &loaded.Page}
	defer p.FPDF_ClosePage(&requests.FPDF_ClosePage{Page: loaded.Page})
	var layout Layout
	if layout.Width, layout.Height, err = pageSize(p, page); err != nil {
		return Layout{}, err
	}
	place, err := newPageTransform(p, page)
	if err != nil {
		return Layout{}, err
	}
	text, err := p.FPDFText_LoadPage(&requests.FPDFText_LoadPage{Page: page})
	if err != nil {
		return Layout{}, refused(err)
	}
	defer p.FPDFText_ClosePage(&requests.FPDFText_ClosePage{TextPage: text.TextPage})
	reader := lineReader{p: p, text: text.TextPage, place: place, width: layout.Width}
	if layout.Lines, err = reader.lines(); err != nil {
		return Layout{}, err
	}
	if drawn(layout.Lines) {
		layout.Drawn, err = drawnOn(p, page, place)
	}
	return layout, err
}

func pageSize(p pdfium.Pdfium, page requests.Page) (width, height float64, err error) {
	w, err := p.FPDF_GetPageWidth(&requests.FPDF_GetPageWidth{Page: page})
	if err != nil {
		return 0, 0, refused(err)
	}
	h, err := p.FPDF_GetPageHeight(&requests.FPDF_GetPageHeight{Page: page})
	if err != nil {
		return 0, 0, refused(err)
	}
	return w.Width, h.Height, nil
}

// A pageTransform maps coordinates in page space to fractions of the page as displayed,
// cropped and rotated.
type pageTransform struct{ ax, bx, cx, ay, by, cy float64 }

func newPageTransform(p pdfium.Pdfium, page requests.Page) (pageTransform, error) {
	const device, step = 100_000, 1000 // large, so that integers are precise enough
	var at [3][2]float64
	for i, point := range [3][2]float64{{0, 0}, {step, 0}, {0, step}} {
		got, err := p.FPDF_PageToDevice(&requests.FPDF_PageToDevice{
			Page: page, SizeX: device, SizeY: device, PageX: point[0], PageY: point[1],
		})
		if err != nil {
			return pageTransform{}, refused(err)
		}
		at[i] = [2]float64{float64(got.DeviceX) / device, float64(got.DeviceY) / device}
	}
	return pageTransform{
		ax: (at[1][0] - at[0][0]) / step, bx: (at[2][0] - at[0][0]) / step, cx: at[0][0],
		ay: (at[1][1] - at[0][1]) / step, by: (at[2][1] - at[0][1]) / step, cy: at[0][1],
	}, nil
}

// point returns where a point is shown, which may be outside the page.
func (m pageTransform) point(x, y float64) (shownX, shownY float64) {
	return m.ax*x + m.bx*y + m.cx, m.ay*x + m.by*y + m.cy
}

// box returns where a rectangle is shown, clipped to the page.
func (m pageTransform) box(left, bottom, right, top float64) Box {
	x1, y1 := m.point(left, bottom)
	x2, y2 := m.point(right, top)
	return Box{onPage(min(x1, x2)), onPage(min(y1, y2)), onPage(max(x1, x2)), onPage(max(y1, y2))}
}

func onPage(v float64) float64 {
	if math.IsNaN(v) {
		return 0
	}
	return min(max(v, 0), 1)
}

// A lineReader reads the lines of one page.
type lineReader struct {
	p      pdfium.Pdfium
	text   references.FPDF_TEXTPAGE
	place  pageTransform
	width  float64 // of the page in points
	mapped bool    // character indexes differ from text indexes

	apart map[int]bool // characters that a space is before, which PDFium left out
}

func (r *lineReader) lines() ([]Line, error) {
	count, err := r.p.FPDFText_CountChars(&requests.FPDFText_CountChars{TextPage: r.text})
	if err != nil {
		return nil, refused(err)
	}
	if count.Count <= 0 {
		return nil, nil
	}
	if count.Count > maxGlyphs {
		return nil, fmt.Errorf("a page of %d characters: %w", count.Count, ErrLimit)
	}
	got, err := r.p.FPDFText_GetText(&requests.FPDFText_GetText{TextPage: r.text, Count: count.Count})
	if err != nil {
		return nil, refused(err)
	}
	runes := []rune(strings.TrimRight(got.Text, "\x00"))
	r.mapped = len(runes) != count.Count
	if _, err := r.compose(runes); err != nil {
		return nil, err
	}
	if _, r.apart, err = r.raise(runes); err != nil {
		return nil, err
	}
	var lines []Line
	for start := 0; start < len(runes) && len(lines) < maxLines; {
		end := start
		for end < len(runes) && runes[end] != '\r' && runes[end] != '\n' {
			end++
		}
		line, ok, err := r.line(runes, start, end)
		if err != nil {
			return nil, err
		}
		if ok {
			lines = append(lines, line)
		}
		start = end + 1
	}
	return lines, nil
}

// line reads the line of the runes from start to end. It returns false if nothing is
// visible.
func (r *lineReader) line(runes []rune, start, end int) (Line, bool, error) {
	for start < end && !isVisible(runes[start]) {
		start++
	}
	for start < end && !isVisible(runes[end-1]) {
		end--
	}
	if start == end {
		return Line{}, false, nil
	}
	first, ok, err := r.glyph(start)
	if err != nil || !ok {
		return Line{}, false, err
	}
	line := Line{Text: r.clean(runes, start, end), Box: first.box, Size: first.size * first.scale, Weight: first.weight}
	if end-start <= maxHeading {
		if line.Bold, err = r.bold(first.index); err != nil {
			return Line{}, false, err
		}
	}
	middle := (start + end) / 2
	for middle < end-1 && !isVisible(runes[middle]) {
		middle++
	}
	for _, at := range []int{middle, end - 1} {
		if at <= start {
			continue
		}
		g, ok, err := r.other(at, at == end-1)
		if err != nil {
			return Line{}, false, err
		}
		if ok {
			line.Mixed = line.Mixed || !g.like(first)
			line.Box = line.Box.union(g.box)
		}
	}
	if line.Bold {
		gap, at, err := r.gap(runes, start, end)
		if err != nil {
			return Line{}, false, err
		}
		line.Gap, line.GapAt = gap/max(line.Size, 1), len(r.clean(runes, start, at))
	}
	return line, true, nil
}

// clean returns the clean text of a part of a line.
func (r *lineReader) clean(runes []rune, from, to int) string {
	return cleanLine(string(withSpaces(runes, r.apart, from, to)))
}

// gap returns the widest space in points between two words of at least two letters, and
// the index after the first of them.
func (r *lineReader) gap(runes []rune, start, end int) (widest float64, at int, err error) {
	at = start
	last := -1 // end of the previous word, or -1 if that is too short
	for start < end {
		from := start
		for start < end && isVisible(runes[start]) {
			start++
		}
		written := isWord(runes[from:start])
		if written && last >= 0 {
			left, _, err := r.other(last, true)
			if err != nil {
				return 0, 0, err
			}
			right, _, err := r.other(from, true)
			if err != nil {
				return 0, 0, err
			}
			if space := (right.box.X1 - left.box.X2) * r.width; space > widest {
				widest, at = space, last+1
			}
		}
		if last = -1; written {
			last = start - 1
		}
		for start < end && !isVisible(runes[start]) {
			start++
		}
	}
	return widest, at, nil
}

// isWord reports whether text has at least two letters.
func isWord(text []rune) bool {
	letters := 0
	for _, c := range text {
		if unicode.IsLetter(c) {
			letters++
		}
	}
	return letters > 1
}

func isVisible(c rune) bool { return c > ' ' && !unicode.IsSpace(c) && !unicode.IsControl(c) }

// A glyph is a character on a page.
type glyph struct {
	index  int     // index in PDFium
	size   float64 // font size in text units
	scale  float64 // points per text unit
	weight int
	box    Box
}

func (g glyph) like(h glyph) bool {
	return g.weight == h.weight && math.Abs(g.size-h.size) <= 0.05*max(g.size, h.size)
}

// union returns the smallest box that covers both boxes. An empty box covers nothing.
func (b Box) union(c Box) Box {
	if c == (Box{}) {
		return b
	}
	return Box{min(b.X1, c.X1), min(b.Y1, c.Y1), max(b.X2, c.X2), max(b.Y2, c.Y2)}
}

// glyph looks up the first character of a line, at an index of the text. It returns
// false for characters that PDFium inserted.
func (r *lineReader) glyph(index int) (glyph, bool, error) {
	g, ok, err := r.other(index, true)
	if err != nil || !ok {
		return glyph{}, false, err
	}
	matrix, err := r.p.FPDFText_GetMatrix(&requests.FPDFText_GetMatrix{TextPage: r.text, Index: g.index})
	if err != nil {
		return glyph{}, false, stopped(err)
	}
	g.scale = math.Hypot(float64(matrix.Matrix.C), float64(matrix.Matrix.D))
	return g, true, nil
}

// index returns PDFium's index of the character at an index of its text.
func (r *lineReader) index(index int) (int, error) {
	if !r.mapped {
		return index, nil
	}
	got, err := r.p.FPDFText_GetCharIndexFromTextIndex(&requests.FPDFText_GetCharIndexFromTextIndex{TextPage: r.text, NTextIndex: index})
	if err != nil {
		return 0, err
	}
	return got.CharIndex, nil
}

// other looks up only part of what glyph does, because calls of PDFium take most of the
// time. Without placed it omits the box.
func (r *lineReader) other(index int, placed bool) (glyph, bool, error) {
	index, err := r.index(index)
	if err != nil {
		return glyph{}, false, stopped(err)
	}
	g := glyph{index: index}
	size, err := r.p.FPDFText_GetFontSize(&requests.FPDFText_GetFontSize{TextPage: r.text, Index: index})
	if err != nil {
		return glyph{}, false, stopped(err)
	}
	g.size = size.FontSize
	weight, err := r.p.FPDFText_GetFontWeight(&requests.FPDFText_GetFontWeight{TextPage: r.text, Index: index})
	switch {
	case err == nil:
		g.weight = weight.FontWeight
	case stopped(err) != nil:
		return glyph{}, false, stopped(err)
	}
	if !placed {
		return g, true, nil
	}
	box, err := r.p.FPDFText_GetLooseCharBox(&requests.FPDFText_GetLooseCharBox{TextPage: r.text, Index: index})
	if err != nil {
		return glyph{}, false, stopped(err)
	}
	g.box = r.place.box(float64(box.Rect.Left), float64(box.Rect.Bottom), float64(box.Rect.Right), float64(box.Rect.Top))
	return g, true, nil
}

// bold reports whether the font of a character is marked as bold.
func (r *lineReader) bold(index int) (bool, error) {
	const forceBold = 1 << 18 // a flag of font descriptors (9.8.2)
	info, err := r.p.FPDFText_GetFontInfo(&requests.FPDFText_GetFontInfo{TextPage: r.text, Index: index})
	if err != nil {
		return false, stopped(err)
	}
	return isBoldName(info.FontName) || info.Flags&forceBold != 0, nil
}

// isBoldName reports whether the name of a font means bold, such as "ABCDEF+Times-Bold"
// or "CMBX12".
func isBoldName(name string) bool {
	if i := strings.IndexByte(name, '+'); i == 6 {
		name = name[i+1:]
	}
	lower := strings.ToLower(name)
	for _, prefix := range []string{"cmbx", "cmb1", "cmssbx", "sfbx", "sfbi", "sfsx", "lmroman12-bold", "ptmb", "phvb", "pplb", "pncb", "ecbx"} {
		if strings.HasPrefix(lower, prefix) {
			return true
		}
	}
	for _, word := range []string{"bold", "black", "heavy", "-demi", "semib", "medi"} {
		if strings.Contains(lower, word) && !strings.Contains(lower, "italicmedi") {
			return true
		}
	}
	return strings.HasSuffix(name, "-Bd") || strings.HasSuffix(name, "BT-Bold")
}

// stopped returns an error if err means that PDFium ended, and nil if PDFium only had
// no answer.
func stopped(err error) error {
	if ended(err) {
		return ErrLimit
	}
	return nil
}

// drawnOn returns the places of the objects of a page that are not text.
func drawnOn(p pdfium.Pdfium, page requests.Page, place pageTransform) ([]Box, error) {
	count, err := p.FPDFPage_CountObjects(&requests.FPDFPage_CountObjects{Page: page})
	if err != nil {
		return nil, stopped(err)
	}
	if count.Count > maxDrawn {
		return nil, nil
	}
	var boxes []Box
	for i := range count.Count {
		object, err := p.FPDFPage_GetObject(&requests.FPDFPage_GetObject{Page: page, Index: i})
		if err != nil {
			return boxes, stopped(err)
		}
		kind, err := p.FPDFPageObj_GetType(&requests.FPDFPageObj_GetType{PageObject: object.PageObject})
		if err != nil {
			return boxes, stopped(err)
		}
		if kind.Type == enums.FPDF_PAGEOBJ_TEXT {
			continue
		}
		b, err := p.FPDFPageObj_GetBounds(&requests.FPDFPageObj_GetBounds{PageObject: object.PageObject})
		if err != nil {
			if err := stopped(err); err != nil {
				return nil, err
			}
			continue
		}
		boxes = append(boxes, place.box(float64(b.Left), float64(b.Bottom), float64(b.Right), float64(b.Top)))
	}
	return boxes, nil
}
