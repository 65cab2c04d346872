package slides

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/modality/document/internal/ooxml"
	"github.com/citekit/citekit/modality/document/internal/xmlspan"
	"github.com/citekit/citekit/modality/internal/htmlblocks"
	"github.com/citekit/citekit/preview"
)

const (
	maxSlideBytes = 64 << 20 // of all parts read for the text of a slide
	maxSlideText  = 16 << 20 // of the text of a slide
)

// A content is the text of a slide.
type content struct {
	title  string // of the title placeholder, on one line or several
	bodies []string
	notes  string
	tables []preview.Table // without their locations

	marginal map[int]bool // the bodies that are a date, a number, a header or a footer
}

// text returns the title, the other texts, and then the notes after a line
// "Notes:". It ends with a line end unless it is empty.
func (c *content) text() string {
	var b strings.Builder
	add := func(text string) {
		if text != "" {
			b.WriteString(text)
			b.WriteByte('\n')
		}
	}
	add(c.title)
	for _, body := range c.bodies {
		add(body)
	}
	if c.notes != "" {
		add(notesLine)
		add(c.notes)
	}
	return b.String()
}

// notesLine is the line before the notes of a slide.
const notesLine = "Notes:"

// A reader reads the text of one slide, and of the parts that it shows.
type reader struct {
	ctx    context.Context
	pkg    *ooxml.Package
	number string // the text of number fields
	left   int64  // bytes of parts that may still be read
	size   int    // of the text so far
	err    error  // the first
	tables []preview.Table

	looks *looks  // of the layout of the slide, or nil
	usual *levels // of the presentation, or nil
}

// readSlide returns the text of a slide, counted from 0.
func (d *pptx) readSlide(ctx context.Context, i int) (*content, error) {
	part, err := d.slidePart(i)
	if err != nil {
		return nil, err
	}
	r := &reader{ctx: ctx, pkg: d.pkg, number: d.number(i), left: maxSlideBytes, usual: d.usual}
	c, err := r.slide(part, &d.looks)
	if err != nil {
		return nil, fmt.Errorf("slide %d: %w", i+1, err)
	}
	return c, nil
}

func (r *reader) slide(part *ooxml.Part, known *lookTable) (*content, error) {
	c := &content{marginal: map[int]bool{}}
	p, err := r.open(part)
	if err != nil {
		return nil, err
	}
	if layout := p.related("slideLayout"); layout != nil {
		if r.looks, err = known.of(r.ctx, r.pkg, layout); err != nil {
			return nil, err
		}
	}
	p.layers = append(r.looks.layers("", ""), r.usual)
	titled := false
	p.tree(func(placeholder, text string) {
		if !titled && (placeholder == "title" || placeholder == "ctrTitle") {
			titled, c.title = true, text
		} else {
			if isMarginal(placeholder) {
				c.marginal[len(c.bodies)] = true
			}
			c.bodies = append(c.bodies, text)
		}
	})
	c.tables = r.tables
	if r.err == nil {
		r.notes(p, c)
	}
	return c, r.err
}

// notes reads the notes of a slide, without the thumbnail of the slide and without
// headers and footers.
func (r *reader) notes(slide *page, c *content) {
	part := slide.related("notesSlide")
	if part == nil {
		return
	}
	p, err := r.open(part)
	if err != nil {
		r.fail(fmt.Errorf("its notes: %w", err))
		return
	}
	var texts []string
	p.tree(func(placeholder, text string) {
		if !isMarginal(placeholder) && placeholder != "sldImg" {
			texts = append(texts, text)
		}
	})
	c.notes = strings.Join(texts, "\n")
}

func isMarginal(placeholder string) bool {
	switch placeholder {
	case "sldNum", "hdr", "ftr", "dt":
		return true
	}
	return false
}

func (r *reader) fail(err error) {
	if r.err == nil {
		r.err = err
	}
}

// add counts bytes of text that were read.
func (r *reader) add(n int) {
	if r.size += n; r.size > maxSlideText {
		r.fail(fmt.Errorf("more than %d MiB of text: %w", maxSlideText>>20, citekit.ErrTooLarge))
	}
}

// A page is a part that is being read.
type page struct {
	*reader
	*xmlspan.Scanner
	rels []ooxml.Rel

	layers []*levels // looks of text that is in no placeholder, those first that precede
	shaped []*levels // of the shape at hand
	base   look      // of the paragraph at hand
}

func (r *reader) open(part *ooxml.Part) (*page, error) {
	if r.left -= part.Size(); r.left < 0 {
		return nil, fmt.Errorf("more than %d MiB to read for it: %w", maxSlideBytes>>20, citekit.ErrTooLarge)
	}
	text, err := part.Text(r.ctx)
	if err != nil {
		return nil, err
	}
	rels, err := r.pkg.Rels(r.ctx, part.Name)
	if err != nil {
		return nil, err
	}
	return &page{reader: r, Scanner: scan(text), rels: rels}, nil
}

// related returns the first target of the relationships of a kind, or nil.
func (p *page) related(kind string) *ooxml.Part {
	for _, rel := range p.rels {
		if rel.Kind() == kind && !rel.External {
			return p.pkg.Part(rel.Target)
		}
	}
	return nil
}

// target returns the part that the relationship with an id leads to, or nil.
func (p *page) target(id string) *ooxml.Part {
	for _, rel := range p.rels {
		if rel.ID == id && !rel.External {
			return p.pkg.Part(rel.Target)
		}
	}
	return nil
}

// A sink receives the text of a shape, never empty, and the type of placeholder
// that the shape is.
type sink func(placeholder, text string)

// tree reads the shapes of a slide or of notes in their order.
func (p *page) tree(take sink) {
	for p.reader.err == nil && p.Next() {
		if p.Kind == xmlspan.Start && p.Is("p", "spTree") {
			p.shapes(take)
		}
	}
	if err := p.Err(); err != nil {
		p.fail(xmlspan.Known(err))
	}
}

// shapes reads the shapes within the element at hand.
func (p *page) shapes(take sink) {
	var alternatives choices
	children(p.Scanner, func() {
		switch {
		case alternatives.passes(p.Scanner):
		case p.Space == "mc", p.Is("p", "grpSp"):
			p.shapes(take)
		case p.Is("p", "sp"), p.Is("p", "cxnSp"):
			p.shape(take)
		case p.Is("p", "graphicFrame"):
			p.frame(take)
		}
	})
}

// shape reads the shape at hand.
func (p *page) shape(take sink) {
	placeholder, text := "", ""
	p.shaped = p.layers
	children(p.Scanner, func() {
		switch p.Local {
		case "nvSpPr":
			descend(p.Scanner, func() {
				if p.Is("p", "ph") {
					placeholder = p.Get("", "type")
					if p.layers != nil {
						p.shaped = append(p.looks.layers(cmp.Or(placeholder, "obj"), cmp.Or(p.Get("", "idx"), "0")), p.usual)
					}
				}
			})
		case "txBody":
			text = p.lines()
		}
	})
	if text != "" {
		take(placeholder, text)
	}
}

// lines returns the paragraphs within the element at hand, each on its own line.
// Blank paragraphs are left out.
func (p *page) lines() string {
	var lines []string
	around := p.shaped
	defer func() { p.shaped = around }()
	descend(p.Scanner, func() {
		if p.Is("a", "lstStyle") {
			p.shaped = append([]*levels{readLevels(p.Scanner)}, around...)
			return
		}
		if p.Is("a", "p") {
			if line := p.paragraph(); strings.TrimSpace(line) != "" {
				lines = append(lines, line)
			}
		}
	})
	return strings.Join(lines, "\n")
}

// paragraph returns the text of the paragraph at hand. Fields give the text that
// they showed last, except for slide numbers, which programs count again.
func (p *page) paragraph() string {
	p.base = p.level(0)
	text := p.inline(0)
	p.add(len(text) + 1)
	return text
}

// level returns the look of paragraphs of a level, from 0.
func (p *page) level(n int) (l look) {
	for _, all := range p.shaped {
		if all != nil && n >= 0 && n < len(all) {
			l = l.or(all[n])
		}
	}
	return l
}

// inline returns the text within the element at hand, which is in so many parts of a formula.
func (p *page) inline(within int) string {
	var b strings.Builder
	shown, font := p.base, ""
	var strike htmlblocks.Strike
	formula := 0 // where the last part of one ends in b
	formulas := ooxml.Formulas{Within: within, Part: func(*xmlspan.Scanner) string { return p.inline(within + 1) }}
	descend(p.Scanner, func() {
		if text, ok := formulas.Read(p.Scanner, b.String()); ok {
			strike.Write(&b, text, false)
			formula = b.Len()
			return
		}
		switch {
		case p.Is("a", "pPr"):
			n, _ := strconv.Atoi(p.Get("", "lvl"))
			p.base = p.level(n)
		case p.Is("a", "r"), p.Is("a", "fld"), p.Is("m", "r"):
			shown, font = p.base, ""
			if p.Local == "fld" && p.Get("", "type") == "slidenum" {
				strike.Write(&b, p.number, false)
				p.Skip()
			}
		case p.Is("a", "rPr"):
			shown = readLook(p.Scanner).or(p.base)
		case p.Is("a", "latin"), p.Is("a", "sym"):
			font = p.Get("", "typeface")
		case p.Is("a", "t"), p.Is("m", "t"):
			text := shown.script().Write(ooxml.Symbols(font, p.Chars()))
			if formula > 0 && formula == b.Len() && htmlblocks.Touch(b.String(), text) {
				b.WriteByte(' ') // a number is not of two parts
			}
			strike.Write(&b, text, shown.struck())
		case p.Is("a", "br"):
			strike.End(&b)
			b.WriteByte('\n')
		}
	})
	strike.End(&b)
	return b.String()
}

// scriptOf returns where text with a baseline stands: in thousandths of a percent of its
// size, or in percent.
func scriptOf(baseline string) htmlblocks.Script {
	by, err := strconv.ParseFloat(strings.TrimSuffix(baseline, "%"), 64)
	switch {
	case err != nil || by == 0:
		return htmlblocks.OnLine
	case by < 0:
		return htmlblocks.Below
	}
	return htmlblocks.Above
}
