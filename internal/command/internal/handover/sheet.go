package handover

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"

	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/gomono"
	"golang.org/x/image/font/gofont/goregular"
)

// The size of a sheet, A4, and its margin, in points.
const (
	sheetWidth  = 595
	sheetHeight = 842
	margin      = 48
	bottom      = sheetHeight - margin
	columnWidth = sheetWidth - 2*margin
)

// Sizes of text, in points.
const (
	titleSize   = 20
	headingSize = 15
	textSize    = 10
	codeSize    = 8.5
	leading     = 1.35 // of the size
)

// A colour is that of text, as an operator.
type colour string

const (
	ink   colour = "0.1 0.1 0.12 rg"
	quiet colour = "0.36 0.37 0.4 rg"
	good  colour = "0.06 0.42 0.21 rg"
	bad   colour = "0.64 0.09 0.06 rg"
)

// colours are those of states.
var colours = map[string]colour{"holds": good, "fails": bad, "open": ink}

// sheets write text and pictures on pages of our own, from the top down.
type sheets struct {
	file                *pdfFile
	regular, bold, mono *face
	wide                *face // once it is needed
	all                 []*sheet
	y                   float64 // from the top of the last sheet
	codes               bool    // some characters are shown as codes
}

// A sheet is a page of our own.
type sheet struct {
	page
	content  strings.Builder
	pictures types.Dict // by name
	links    []link
}

// A link is a part of a sheet that leads to a piece.
type link struct {
	at    rect
	piece int
}

func newSheets(file *pdfFile) (*sheets, error) {
	s := &sheets{file: file}
	var err error
	if s.regular, err = newFace("F1", "GoRegular", goregular.TTF, parseRegular); err != nil {
		return nil, err
	}
	if s.bold, err = newFace("F2", "GoBold", gobold.TTF, parseBold); err != nil {
		return nil, err
	}
	if s.mono, err = newFace("F3", "GoMono", gomono.TTF, parseMono); err != nil {
		return nil, err
	}
	for _, f := range []*face{s.regular, s.bold, s.mono} {
		f.other = s.other
	}
	return s, nil
}

// other returns the face of letters that those of Go lack.
func (s *sheets) other() *face {
	if s.wide == nil {
		data, err := unzipDroid()
		if err == nil {
			s.wide, err = newFace("F4", "DroidSansFallback", data, parseDroid)
		}
		if err != nil {
			panic(err) // it is a file of the program
		}
	}
	return s.wide
}

// next begins a sheet.
func (s *sheets) next() *sheet {
	one := &sheet{page: page{s.file.reserve(), types.Dict{}}, pictures: types.Dict{}}
	s.all = append(s.all, one)
	s.y = margin
	return one
}

func (s *sheets) last() *sheet { return s.all[len(s.all)-1] }

// room begins a sheet unless a height fits on the last one.
func (s *sheets) room(height float64) {
	if len(s.all) == 0 || s.y+height > bottom && s.y > margin {
		s.next()
	}
}

// A block is text of one kind, broken into lines.
type block struct {
	size   float64
	colour colour
	lines  [][]cluster
}

func (b *block) height() float64 { return float64(len(b.lines)) * b.size * leading }

// mayBreak reports whether a line may end between two characters: after a space, and
// beside a character of Chinese or Japanese, but not before a closing sign or after an
// opening one.
func mayBreak(before, after cluster) bool {
	if before.shown == " " {
		return true
	}
	return (isWide(before.r) || isWide(after.r)) && !unicode.In(before.r, unicode.Ps, unicode.Pi) && !unicode.In(after.r, unicode.Pe, unicode.Pf, unicode.Po)
}

// isWide reports whether a character is of a script without spaces.
func isWide(r rune) bool {
	const firstSign, lastSign = '\u3000', '\u303F'
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) || r >= firstSign && r <= lastSign
}

// lay breaks text into lines of a width, at spaces where there are some.
func lay(size float64, c colour, width float64, all []cluster) *block {
	b := &block{size: size, colour: c}
	start, free, at := 0, 0, 0.0 // the line may end before free
	for i := 0; i < len(all); i++ {
		if all[i].r == '\n' {
			b.lines = append(b.lines, all[start:i])
			start, free, at = i+1, i+1, 0
			continue
		}
		if i > start && mayBreak(all[i-1], all[i]) {
			free = i
		}
		if at += all[i].width; at > width && i > start && all[i].shown != " " {
			end := i
			if free > start {
				end = free
			}
			b.lines = append(b.lines, all[start:end])
			start, free, at = end, end, 0
			i = end - 1
		}
	}
	if start < len(all) {
		b.lines = append(b.lines, all[start:])
	}
	return b
}

func (s *sheets) text(f *face, size float64, c colour, width float64, text string) *block {
	return lay(size, c, width, f.clusters(text, size, false))
}

// draw writes the lines of a block on the last sheet, from x and y.
func (s *sheets) draw(b *block, x, y float64) {
	for _, line := range b.lines {
		y += b.size * leading
		s.drawLine(b, line, x, y-b.size*.32)
	}
}

func (s *sheets) drawLine(b *block, line []cluster, x, y float64) {
	c := &s.last().content
	s.codes = s.codes || coded(line)
	at := x
	for i := 0; i < len(line); { // the marks lie below the words
		j, w := i, 0.0
		for ; j < len(line) && line[j].marked == line[i].marked; j++ {
			w += line[j].width
		}
		if line[i].marked {
			fmt.Fprintf(c, "1 0.9 0.4 rg %.3f %.3f %.3f %.3f re f\n", at, sheetHeight-y-b.size*.25, w, b.size*1.15)
		}
		at, i = at+w, j
	}
	fmt.Fprintf(c, "BT %s %.3f %.3f Td %sET\n", b.colour, x, sheetHeight-y, writeLine(line, b.size))
}

// flow writes a block below what is there, on as many sheets as it needs.
func (s *sheets) flow(b *block, x float64) {
	for _, line := range b.lines {
		s.room(b.size * leading)
		s.y += b.size * leading
		s.drawLine(b, line, x, s.y-b.size*.32)
	}
}

// paragraph writes text below what is there.
func (s *sheets) paragraph(f *face, size float64, c colour, text string) {
	s.flow(s.text(f, size, c, columnWidth, text), margin)
}

// fact writes a name and its value.
func (s *sheets) fact(name, value string) {
	if value == "" {
		return
	}
	const indent = 128
	b := s.text(s.mono, codeSize, ink, columnWidth-indent, value)
	s.room(b.height())
	if len(s.all) > 0 {
		s.draw(s.text(s.regular, codeSize, quiet, indent, name), margin, s.y)
	}
	s.flow(b, margin+indent)
	s.y += 2
}

// rule draws a thin line across the sheet.
func (s *sheets) rule() {
	fmt.Fprintf(&s.last().content, "0.83 0.84 0.86 RG 0.5 w %d %.3f m %d %.3f l S\n", margin, sheetHeight-s.y, sheetWidth-margin, sheetHeight-s.y)
}

// code draws a QR code with its upper left corner at x and y.
func (s *sheets) code(q qrCode, x, y, side float64) {
	c := &s.last().content
	unit := side / float64(q.Size)
	c.WriteString("0 g\n")
	for _, at := range q.black {
		fmt.Fprintf(c, "%.3f %.3f %.3f %.3f re\n", x+float64(at[0])*unit, sheetHeight-y-float64(at[1]+1)*unit, unit, unit)
	}
	c.WriteString("f\n")
}

// picture draws an image of a size in pixels below what is there, as large as fits.
func (s *sheets) picture(image types.IndirectRef, width, height int) {
	const least = 160 // of what is left of a sheet
	w, h := float64(columnWidth), float64(columnWidth)*float64(height)/float64(width)
	s.room(min(h, least))
	if left := bottom - s.y; h > left {
		if h < bottom-margin || left < least {
			s.next()
		}
		left = bottom - s.y
		if h > left {
			w, h = w*left/h, left
		}
	}
	one := s.last()
	name := fmt.Sprintf("P%d", len(one.pictures)+1)
	one.pictures[name] = image
	fmt.Fprintf(&one.content, "q %.3f 0 0 %.3f %d %.3f cm /%s Do Q\n", w, h, margin, sheetHeight-s.y-h, name)
	s.y += h + 10
}

// finish sets the dictionaries of the sheets, when all fonts are known.
func (s *sheets) finish(parent types.IndirectRef, piece func(int) types.IndirectRef) error {
	fonts := types.Dict{}
	for _, f := range []*face{s.regular, s.bold, s.mono, s.wide} {
		if f == nil || len(f.used) == 0 {
			continue
		}
		ref, err := f.object(s.file)
		if err != nil {
			return err
		}
		fonts[f.name] = ref
	}
	for _, one := range s.all {
		d := one.dict
		d["Type"], d["Parent"], d["MediaBox"] = types.Name("Page"), parent, numbers(0, 0, sheetWidth, sheetHeight)
		resources := types.Dict{"Font": fonts}
		if len(one.pictures) > 0 {
			resources["XObject"] = one.pictures
		}
		d["Resources"], d["Contents"] = resources, s.file.deflated(types.Dict{}, []byte(one.content.String()))
		var annots types.Array
		for _, l := range one.links {
			annots = append(annots, s.file.add(types.Dict{
				"Type": types.Name("Annot"), "Subtype": types.Name("Link"), "Rect": l.at.array(), "Border": numbers(0, 0, 0), "F": types.Integer(4),
				"Dest": types.Array{piece(l.piece), types.Name("Fit")},
			}))
		}
		if annots != nil {
			d["Annots"] = annots
		}
		s.file.set(one.ref, d)
	}
	return nil
}
