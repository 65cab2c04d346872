package pdf

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

const (
	maxDrawnForms = 1 << 12 // forms of a page that are counted
	maxAnnots     = 1 << 16 // annotations of a page that are examined
	maxFieldDepth = 64
	maxSaved      = 1 << 12 // states that q saves
	mostSame      = 3       // equal characters in a row that count; more are leaders
	maxToUnicode  = 1 << 20 // bytes of a map to Unicode
)

// Drawn describes the text that a page draws.
type Drawn struct {
	// Codes is the number of characters in the content of the page and in its forms,
	// without spaces as far as the fonts say which these are. Text that repeats what
	// stands just before it or in the same place, as for bold letters, counts once, and so
	// do dots that lead to a number.
	Codes int

	// Unnamed is how many of them are in a font that does not say what its characters are.
	Unnamed int

	// Invisible is how many of them are drawn without ink, as text recognised under a scan is.
	Invisible int

	// Cover is the part of the page as displayed that pictures cover, from 0 to 1. Pictures
	// with too few pixels to show text do not count.
	Cover float64

	// Vertical reports that a font of the page writes vertically.
	Vertical bool

	// Unfilled reports that the value of a form field is not in the appearance that the
	// file gives to it, so that the program that shows the page has to draw it.
	Unfilled bool

	// Secret has the indexes of annotations that are fields for passwords.
	Secret []int
}

// A DrawnSearch examines what the pages of a document draw. It reads fonts that pages
// share only once. It is not safe for concurrent use.
type DrawnSearch struct {
	d     *Document
	f     *File
	fonts map[Ref]font
}

// NewDrawnSearch returns a DrawnSearch in d, which it reads with f.
func NewDrawnSearch(f *File, d *Document) *DrawnSearch {
	return &DrawnSearch{d, f, map[Ref]font{}}
}

// OnPage examines page i, counted from 0. It returns false if that cannot be examined.
func (s *DrawnSearch) OnPage(i int) (drawn Drawn, known bool, err error) {
	page, err := s.d.PageDict(s.f, i)
	if err == nil {
		c := counter{d: s.d, f: s.f, left: maxDrawnForms, fonts: s.fonts, forms: map[Ref]counted{}}
		if err = c.page(page); err == nil {
			err = c.fields(page)
		}
		drawn = c.Drawn
		drawn.Cover = c.cover.share()
	}
	if err != nil {
		return Drawn{}, false, spared(err)
	}
	return drawn, true, nil
}

// IsPlain reports whether page i, counted from 0, has fonts, all of which say what their
// characters are, and neither pictures nor forms but those within its content. It does
// not read the content.
func (s *DrawnSearch) IsPlain(i int) (bool, error) {
	page, err := s.d.PageDict(s.f, i)
	if err != nil {
		return false, spared(err)
	}
	resources, err := s.d.Dict(s.f, page["Resources"])
	if err != nil || resources["XObject"] != nil {
		return false, spared(err)
	}
	fonts, err := s.d.Dict(s.f, resources["Font"])
	if err != nil {
		return false, spared(err)
	}
	c := counter{d: s.d, f: s.f, fonts: s.fonts}
	for _, name := range slices.Sorted(maps.Keys(fonts)) {
		if one, err := c.font(fonts[name]); err != nil || one.unnamed {
			return false, spared(err)
		}
	}
	return len(fonts) > 0, s.f.Visit(len(fonts))
}

// A counter counts the characters that a page draws.
type counter struct {
	Drawn
	d     *Document
	f     *File
	left  int // forms that may still be counted
	fonts map[Ref]font
	forms map[Ref]counted
	shown [5]string // the last strings shown
	next  int
	spots map[spot]bool // texts shown
	cover cover
}

// A counted has what was counted in a form.
type counted struct {
	codes, unnamed, invisible int
	pictures                  bool // it draws some
}

func (c *counter) counted() counted {
	return counted{c.Codes, c.Unnamed, c.Invisible, c.cover.parts != nil}
}

// A font says how characters are encoded.
type font struct {
	wide   bool            // two bytes for each character
	mixed  bool            // one or two bytes
	spaces map[string]bool // characters that are spaces

	unnamed  bool // nothing says what its characters are
	vertical bool
}

func (c *counter) page(page Dict) error {
	part, err := c.d.shownPart(c.f, page)
	if err != nil {
		return err
	}
	c.cover.corners = part.corners
	data, err := c.d.contents(c.f, page)
	if err != nil {
		return err
	}
	return c.content(data, page["Resources"], unit, 0)
}

// contents returns the content of a page.
func (d *Document) contents(f *File, page Dict) ([]byte, error) {
	contents, err := d.Resolve(f, page["Contents"])
	if err != nil {
		return nil, err
	}
	parts, ok := contents.(Array)
	if !ok {
		parts = Array{page["Contents"]}
	}
	if err := f.Visit(len(parts)); err != nil {
		return nil, err
	}
	var all []byte
	for _, part := range parts {
		resolved, err := d.Resolve(f, part)
		if err != nil {
			return nil, err
		}
		if stream, ok := resolved.(*Stream); ok {
			data, err := d.Data(f, stream, maxContent)
			if err != nil {
				return nil, err
			}
			all = append(append(all, data...), '\n')
		}
		if len(all) > maxContent {
			return nil, ErrLimit
		}
	}
	return all, nil
}

// content counts the characters that content draws.
func (c *counter) content(data []byte, resources Object, space matrix, depth int) error {
	dict, err := c.d.Dict(c.f, resources)
	if err != nil {
		return err
	}
	fonts, err := c.d.Dict(c.f, dict["Font"])
	if err != nil {
		return err
	}
	objects, err := c.d.Dict(c.f, dict["XObject"])
	if err != nil {
		return err
	}
	s := scanner{parser: parser{data: data}}
	type state struct {
		font
		pen
		invisible bool
	}
	now := state{pen: pen{page: space, text: unit, line: unit}}
	var saved []state
	lost := 0 // states that are not saved
	for {
		operator, ok := s.operator()
		if !ok {
			return c.f.Visit(len(data) / 64)
		}
		now.move(operator, s.operands)
		switch operator {
		case "q":
			if len(saved) == maxSaved {
				lost++
				continue
			}
			saved = append(saved, now)
		case "Q":
			if n := len(saved); lost > 0 {
				lost--
			} else if n > 0 {
				now, saved = saved[n-1], saved[:n-1]
			}
		case "Tf":
			if now.font, err = c.font(fonts[s.name]); err != nil {
				return err
			}
			c.Vertical = c.Vertical || now.font.vertical
		case "Tr":
			now.invisible = len(s.operands) > 0 && string(s.operands[len(s.operands)-1]) == "3"
		case "Tj", "TJ", "'", `"`:
			if !c.isAgain(s.text, &now.pen) {
				before := c.Codes
				if c.count(s.text, now.font); now.invisible {
					c.Invisible += c.Codes - before
				}
			}
		case "ID":
			c.cover.add(now.pen.page, s.width*s.height)
		case "Do":
			if err := c.form(objects[s.name], dict, now.page, depth); err != nil {
				return err
			}
		}
	}
}

// form counts what a form draws, or adds a picture.
func (c *counter) form(o Object, around Dict, space matrix, depth int) error {
	if o == nil || depth == formDepth {
		return nil
	}
	ref, isRef := o.(Ref)
	if isRef && c.isAgain(fmt.Append(nil, "form ", ref), &pen{page: space, text: unit, size: 10}) {
		return nil
	}
	known, ok := c.forms[ref]
	if ok = ok && isRef; ok {
		c.Codes += known.codes
		c.Unnamed += known.unnamed
		c.Invisible += known.invisible
		if !known.pictures {
			return nil
		}
	}
	resolved, err := c.d.Resolve(c.f, o)
	if err != nil {
		return err
	}
	stream, isStream := resolved.(*Stream)
	switch {
	case isStream && stream.Dict["Subtype"] == Name("Image"):
		width, _ := Number(stream.Dict["Width"])
		height, _ := Number(stream.Dict["Height"])
		c.cover.add(space, width*height)
		return nil
	case !isStream || stream.Dict["Subtype"] != Name("Form"):
		return nil
	}
	own, err := c.d.matrixOf(c.f, stream.Dict["Matrix"])
	if err != nil {
		return err
	}
	if ok { // its pictures are somewhere in it
		box, ok, err := c.d.corners(c.f, stream.Dict["BBox"])
		if ok {
			c.cover.add(matrix{box[2] - box[0], 0, 0, box[3] - box[1], box[0], box[1]}.times(own).times(space), 0)
		}
		return err
	}
	if c.left--; c.left < 0 {
		return ErrLimit
	}
	data, err := c.d.Data(c.f, stream, maxContent)
	if err != nil {
		return err
	}
	var resources Object = around
	if own := stream.Dict["Resources"]; own != nil {
		resources = own
	}
	before := c.counted()
	err = c.content(data, resources, own.times(space), depth+1)
	if now := c.counted(); isRef {
		c.forms[ref] = counted{now.codes - before.codes, now.unnamed - before.unnamed, now.invisible - before.invisible, now.pictures}
	}
	return err
}

// matrixOf returns the matrix of a form.
func (d *Document) matrixOf(f *File, o Object) (matrix, error) {
	array, err := d.Array(f, o)
	if err != nil || len(array) != len(matrix{}) {
		return unit, err
	}
	var m matrix
	for i, o := range array {
		m[i], _ = Number(o)
	}
	return m, nil
}

// count counts the characters of a text that a font shows.
func (c *counter) count(text []byte, f font) {
	const short = 2 // bytes of a text that may well come again soon
	for back := 1; back <= len(c.shown) && (back == 1 || len(text) > short); back++ {
		if c.next >= back && c.shown[(c.next-back)%len(c.shown)] == string(text) {
			return
		}
	}
	c.shown[c.next%len(c.shown)] = string(text)
	c.next++
	length := 1
	if f.wide {
		length = 2
	}
	var last []byte
	same := 0
	for i := 0; i+length <= len(text); i += length {
		code := text[i : i+length]
		if same++; !bytes.Equal(code, last) {
			same = 0
		}
		if last = code; !f.spaces[string(code)] && same < mostSame {
			c.Codes++
			if f.unnamed {
				c.Unnamed++
			}
		}
		if f.mixed && text[i] >= 0x80 {
			i++
		}
	}
}

// font returns how a font encodes characters.
func (c *counter) font(o Object) (font, error) {
	ref, isRef := o.(Ref)
	if known, ok := c.fonts[ref]; ok && isRef {
		return known, nil
	}
	dict, err := c.d.Dict(c.f, o)
	if err != nil {
		return font{}, err
	}
	var out font
	if dict["Subtype"] == Name("Type0") {
		if out, err = c.composite(dict["Encoding"]); err != nil {
			return font{}, err
		}
		if dict["ToUnicode"] == nil {
			if out.unnamed, err = c.isUnnamed(dict["DescendantFonts"]); err != nil {
				return font{}, err
			}
		}
	}
	if out.spaces, err = c.spaces(dict["ToUnicode"]); err != nil {
		return font{}, err
	}
	if isRef {
		c.fonts[ref] = out
	}
	return out, nil
}

// spaces returns the characters that a map to Unicode calls spaces (9.10.3). Without one,
// it is the space of most encodings.
func (c *counter) spaces(toUnicode Object) (map[string]bool, error) {
	resolved, err := c.d.Resolve(c.f, toUnicode)
	if err != nil {
		return nil, err
	}
	stream, ok := resolved.(*Stream)
	if !ok {
		return map[string]bool{" ": true}, nil
	}
	data, err := c.d.Data(c.f, stream, maxToUnicode)
	if err != nil {
		return nil, spared(err)
	}
	spaces := map[string]bool{}
	for _, found := range mapsToSpace().FindAllSubmatch(data, -1) {
		if code, err := hex.DecodeString(string(found[1])); err == nil {
			spaces[string(code)] = true
		}
	}
	return spaces, nil
}

var mapsToSpace = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`<((?:[0-9A-Fa-f]{2}){1,2})>\s*<00[2aA]0>`)
})

// isUnnamed reports whether the characters of a font have numbers of its own (9.7.3).
func (c *counter) isUnnamed(descendants Object) (bool, error) {
	array, err := c.d.Array(c.f, descendants)
	if err != nil || len(array) == 0 {
		return false, err
	}
	font, err := c.d.Dict(c.f, array[0])
	if err != nil {
		return false, err
	}
	info, err := c.d.Dict(c.f, font["CIDSystemInfo"])
	if err != nil {
		return false, err
	}
	ordering, err := c.d.Resolve(c.f, info["Ordering"])
	return ordering == String("Identity"), err
}

// composite is font for a font whose characters may have several bytes (9.7.5).
func (c *counter) composite(encoding Object) (font, error) {
	resolved, err := c.d.Resolve(c.f, encoding)
	if err != nil {
		return font{}, err
	}
	switch e := resolved.(type) {
	case Name:
		name := string(e)
		out := font{vertical: name == "V" || strings.HasSuffix(name, "-V")}
		for _, wide := range []string{"Identity", "UCS2", "UTF16"} {
			if strings.Contains(name, wide) {
				out.wide = true
				return out, nil
			}
		}
		out.wide, out.mixed = name == "H" || name == "V", true
		return out, nil
	case *Stream:
		const enough = 64 << 10 // bytes of a CMap
		data, err := c.d.Data(c.f, e, enough)
		if err != nil && spared(err) != nil {
			return font{}, err
		}
		return font{wide: true, vertical: e.Dict["WMode"] == int64(1) || bytes.Contains(data, []byte("/WMode 1 "))}, nil
	}
	return font{wide: true}, nil
}

// fields finds the form fields of a page.
func (c *counter) fields(page Dict) error {
	annots, err := c.d.Array(c.f, page["Annots"])
	if err != nil || len(annots) == 0 {
		return err
	}
	annots = annots[:min(len(annots), maxAnnots)]
	if err := c.f.Visit(len(annots)); err != nil {
		return err
	}
	for i, o := range annots {
		annot, err := c.d.Dict(c.f, o)
		if err != nil {
			return err
		}
		if annot["Subtype"] != Name("Widget") {
			continue
		}
		if err := c.field(i, annot); err != nil {
			return err
		}
	}
	return nil
}

// field finds out how a program shows a form field.
func (c *counter) field(index int, widget Dict) error {
	const password = 1 << 13 // a flag (12.7.4.3)
	flags, err := c.inherited(widget, "Ff")
	if err != nil {
		return err
	}
	if n, _ := flags.(int64); n&password != 0 {
		c.Secret = append(c.Secret, index)
		return nil
	}
	if c.Unfilled {
		return nil
	}
	kind, err := c.inherited(widget, "FT")
	if err != nil || kind != Name("Tx") && kind != Name("Ch") {
		return err
	}
	value, err := c.inherited(widget, "V")
	if err != nil {
		return err
	}
	if text, ok := value.(String); !ok || text.Text() == "" {
		return nil
	}
	appearance, err := c.d.Dict(c.f, widget["AP"])
	if err != nil {
		return err
	}
	normal, err := c.d.Resolve(c.f, appearance["N"])
	if err != nil {
		return err
	}
	c.Unfilled = true
	if stream, ok := normal.(*Stream); ok {
		data, err := c.d.Data(c.f, stream, maxContent)
		if err != nil {
			return err
		}
		c.Unfilled = !showsText(data)
	}
	return nil
}

// inherited returns an entry of a field, or of one above it.
func (c *counter) inherited(field Dict, key Name) (Object, error) {
	for range maxFieldDepth {
		if o := field[key]; o != nil || field["Parent"] == nil {
			return c.d.Resolve(c.f, o)
		}
		var err error
		if field, err = c.d.Dict(c.f, field["Parent"]); err != nil {
			return nil, err
		}
	}
	return nil, nil
}

// A scanner reads the operators of content. It has the last name, the strings and the
// last numbers before each. Of strings in an array that are each other and are drawn one
// over the other, it has the first.
type scanner struct {
	parser
	name     Name
	text     []byte
	last     []byte   // the last string of text
	back     bool     // what follows is drawn over it
	operands [][]byte // numbers, at most those of a matrix

	width, height float64 // of an inline image in pixels
}

// operator returns the next operator, or false at the end.
func (s *scanner) operator() (string, bool) {
	s.text, s.last, s.back, s.operands = s.text[:0], nil, false, s.operands[:0]
	for {
		s.skip()
		if s.pos >= len(s.data) {
			return "", false
		}
		switch c := s.data[s.pos]; {
		case c == '(' || c == '<' && !s.at("<<"):
			s.string(c)
		case c == '/':
			if name, err := s.parser.name(); err == nil {
				s.name, _ = name.(Name)
			}
		case class[c] == delimiter:
			s.pos++ // of an array or a dictionary
		default:
			start := s.pos
			for s.pos < len(s.data) && class[s.data[s.pos]] == regular {
				s.pos++
			}
			word := s.data[start:s.pos]
			switch string(word) {
			case "BI":
				s.width, s.height = 0, 0
			case "ID":
				s.image()
			}
			if c != '+' && c != '-' && c != '.' && (c < '0' || c > '9') {
				return string(word), true
			}
			s.number(word)
		}
	}
}

// number takes a number. In an array of strings it moves the next one back, in
// thousandths of the size of letters (9.4.3): by the width of one, it draws over it.
func (s *scanner) number(word []byte) {
	const narrowest = 200
	switch s.name {
	case "W", "Width":
		s.width, _ = strconv.ParseFloat(string(word), 64)
	case "H", "Height":
		s.height, _ = strconv.ParseFloat(string(word), 64)
	}
	if s.last != nil {
		n, err := strconv.ParseFloat(string(word), 64)
		s.back = err == nil && n >= narrowest
		return
	}
	if len(s.operands) == len(matrix{}) {
		copy(s.operands, s.operands[1:])
		s.operands = s.operands[:len(s.operands)-1]
	}
	s.operands = append(s.operands, word)
}

func (s *scanner) at(sign string) bool {
	return bytes.HasPrefix(s.data[s.pos:], []byte(sign))
}

func (s *scanner) string(first byte) {
	start := s.pos
	read := s.literal
	if first == '<' {
		read = s.hex
	}
	if o, err := read(); err == nil {
		text, _ := o.(String)
		if !s.back || string(s.last) != string(text) {
			s.text = append(s.text, text...)
			s.last = s.text[len(s.text)-len(text):]
		}
		s.back = false
	}
	s.pos = max(s.pos, start+1)
}

// image skips the data of an inline image.
func (s *scanner) image() {
	for s.pos < len(s.data) {
		i := bytes.Index(s.data[s.pos:], []byte("EI"))
		if i < 0 {
			s.pos = len(s.data)
			return
		}
		s.pos += i + 2
		before, after := s.data[s.pos-3], byte(' ')
		if s.pos < len(s.data) {
			after = s.data[s.pos]
		}
		if class[before] == space && class[after] == space {
			return
		}
	}
}
