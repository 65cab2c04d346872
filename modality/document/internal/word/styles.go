package word

import (
	"cmp"
	"math"
	"strconv"
	"strings"

	"github.com/citekit/citekit/modality/document/internal/ooxml"
	"github.com/citekit/citekit/modality/document/internal/xmlspan"
	"github.com/citekit/citekit/modality/internal/htmlblocks"
)

// maxChain is the largest number of styles followed along "based on".
const maxChain = 32

// A style is one of styles.xml.
type style struct {
	name    string // in lower case
	basedOn string
	outline int    // 0-9 as written, 9 for body text; -1 if not given
	numID   string // "" if not given
	ilvl    int    // -1 if not given
	run     run

	parts map[string]run // what a style of tables says of parts of them, such as "firstRow"
}

// styles are the styles of a document by id.
type styles struct {
	byID  map[string]*style
	usual string // id of the style of paragraphs that name none

	characters map[string]characterStyle
	tables     map[string]*style
	usualTable string // id of the style of tables that name none
	defaults   run

	levels   map[string]int  // heading levels, cached
	captions map[string]bool // whether styles are for captions, cached
	runs     map[string]run  // what character styles say, cached
	text     map[string]run  // what the others say of text, cached
}

// A characterStyle is a style of runs.
type characterStyle struct {
	basedOn string
	run
}

// A run is what properties of runs say of their text. What they leave open is "".
type run struct {
	align    string // such as "superscript"
	position string // above the line, in half-points unless it has a unit
	size     string // likewise
	hidden   string // on or off
	struck   string // likewise
	double   string // likewise, by two lines
	font     string
}

const on, off = "on", "off"

func (r run) or(other run) run {
	return run{
		cmp.Or(r.align, other.align), cmp.Or(r.position, other.position), cmp.Or(r.size, other.size), cmp.Or(r.hidden, other.hidden),
		cmp.Or(r.struck, other.struck), cmp.Or(r.double, other.double), cmp.Or(r.font, other.font),
	}
}

func (r run) isStruck() bool { return r.struck == on || r.double == on }

func (r run) script() htmlblocks.Script {
	switch r.align {
	case "superscript":
		return htmlblocks.Above
	case "subscript":
		return htmlblocks.Below
	}
	switch by, size := halfPoints(r.position), cmp.Or(halfPoints(r.size), defaultSize); {
	case by*lowest >= size:
		return htmlblocks.Above
	case -by*lowest >= size:
		return htmlblocks.Below
	}
	return htmlblocks.OnLine
}

const (
	defaultSize = 20 // half-points of text whose size is not given
	lowest      = 6  // the part of its size by which text is above or below the line, not only adjusted to it
)

// halfPoints returns a measure in half-points; 0 if it is none.
func halfPoints(measure string) float64 {
	per := 1.0
	for unit, n := range map[string]float64{"pt": 2, "pc": 24, "pi": 24, "in": 144, "cm": 144 / 2.54, "mm": 14.4 / 2.54} {
		if number, ok := strings.CutSuffix(measure, unit); ok {
			measure, per = number, n
		}
	}
	n, err := strconv.ParseFloat(measure, 64)
	if err != nil || math.IsNaN(n) {
		return 0
	}
	return n * per
}

func readStyles(text string) (*styles, error) {
	all := &styles{
		byID: make(map[string]*style), characters: make(map[string]characterStyle),
		tables: make(map[string]*style), levels: make(map[string]int), captions: make(map[string]bool), runs: make(map[string]run),
		text: make(map[string]run),
	}
	if text == "" {
		return all, nil
	}
	s := ooxml.Scan(text)
	for range s.Starts() {
		if s.Is("w", "style") {
			id, usual := s.Get("w", "styleId"), isOn(s.Get("w", "default"))
			if kind := s.Get("w", "type"); kind == "paragraph" || kind == "" {
				all.byID[id] = readStyle(s)
				if usual {
					all.usual = id
				}
			} else if kind == "numbering" {
				all.byID[id] = readStyle(s)
			} else if kind == "character" {
				all.characters[id] = readCharacterStyle(s)
			} else if kind == "table" {
				all.tables[id] = readStyle(s)
				if usual {
					all.usualTable = id
				}
			} else {
				s.Skip()
			}
		} else if _, parent := s.Parent(); s.Is("w", "rPr") && parent == "rPrDefault" {
			_, all.defaults = readRun(s)
		}
	}
	all.prepare()
	return all, xmlspan.Known(s.Err())
}

// isOn reports whether a given value of ST_OnOff is true.
func isOn(value string) bool { return value == "1" || value == "true" || value == "on" }

// readStyle reads the style whose Start is the current token.
func readStyle(s *xmlspan.Scanner) *style {
	st := &style{outline: -1, ilvl: -1}
	for range s.Starts() {
		if s.Space != "w" {
			continue
		}
		switch s.Local {
		case "name":
			st.name = strings.ToLower(s.Get("w", "val"))
		case "basedOn":
			st.basedOn = s.Get("w", "val")
		case "outlineLvl":
			st.outline = number(s.Get("w", "val"), -1)
		case "numId":
			st.numID = s.Get("w", "val")
		case "ilvl":
			st.ilvl = number(s.Get("w", "val"), -1)
		case "rPr":
			_, st.run = readRun(s)
		case "tblStylePr":
			part := s.Get("w", "type")
			if st.parts == nil {
				st.parts = make(map[string]run)
			}
			for range s.Starts() {
				if s.Is("w", "rPr") {
					_, st.parts[part] = readRun(s)
				}
			}
		case "tblPr", "pPrChange":
			s.Skip()
		}
	}
	return st
}

func readCharacterStyle(s *xmlspan.Scanner) (c characterStyle) {
	for range s.Starts() {
		switch {
		case s.Is("w", "basedOn"):
			c.basedOn = s.Get("w", "val")
		case s.Is("w", "rPr"):
			_, c.run = readRun(s)
		}
	}
	return c
}

// readRun reads the rPr whose Start is the current token: the style that it names, and
// what it says.
func readRun(s *xmlspan.Scanner) (style string, r run) {
	for range s.Starts() {
		switch {
		case s.Is("w", "rStyle"):
			style = s.Get("w", "val")
		case s.Is("w", "vertAlign"):
			r.align = s.Get("w", "val")
		case s.Is("w", "rFonts"):
			r.font = cmp.Or(s.Get("w", "ascii"), s.Get("w", "hAnsi"))
		case s.Is("w", "vanish"):
			r.hidden = toggled(s)
		case s.Is("w", "strike"):
			r.struck = toggled(s)
		case s.Is("w", "dstrike"):
			r.double = toggled(s)
		case s.Is("w", "position"):
			r.position = s.Get("w", "val")
		case s.Is("w", "sz"):
			r.size = s.Get("w", "val")
		case s.Is("w", "rPrChange"):
			s.Skip()
		}
	}
	return style, r
}

// toggled returns whether a property is on, which is the current token.
func toggled(s *xmlspan.Scanner) string {
	if isOn(cmp.Or(s.Get("w", "val"), "1")) {
		return on
	}
	return off
}

// number parses a value as a number; other is returned if it is none.
func number(value string, other int) int {
	if n, err := strconv.Atoi(value); err == nil {
		return n
	}
	return other
}

// prepare computes the meaning of every style, so that later calls only read.
func (all *styles) prepare() {
	for id := range all.byID {
		all.levels[id] = all.findLevel(id)
		all.captions[id] = all.findCaption(id)
	}
	for id := range all.byID {
		all.text[id] = all.findText(id)
	}
	for id := range all.characters {
		all.runs[id] = all.findRun(id)
	}
}

// findText returns what a style of paragraphs, or the nearest that it is based on, says of text.
func (all *styles) findText(id string) (r run) {
	all.chain(id, func(_ string, st *style) bool {
		r = r.or(st.run)
		return false
	})
	return r
}

// inTable returns what a style of tables says of text in some parts of a table.
func (all *styles) inTable(id string, parts tableParts) (r run) {
	if all == nil {
		return r
	}
	id = cmp.Or(id, all.usualTable)
	var chain []*style
	for st := all.tables[id]; st != nil && len(chain) < maxChain; st = all.tables[st.basedOn] {
		chain = append(chain, st)
	}
	for _, part := range parts.names() {
		for _, st := range chain {
			r = r.or(st.parts[part])
		}
	}
	for _, st := range chain {
		r = r.or(st.run)
	}
	return r
}

// chain calls use with a style and then the styles it is based on, until use returns
// true.
func (all *styles) chain(id string, use func(id string, st *style) (done bool)) {
	for range maxChain {
		st := all.byID[id]
		if st == nil || use(id, st) {
			return
		}
		id = st.basedOn
	}
}

// findLevel returns the heading level of a style, from 1, or 0. That is the outline
// level of the style or of the nearest ancestor with one, else the N of the nearest
// named "heading N".
func (all *styles) findLevel(id string) int {
	outline, named := -1, 0
	all.chain(id, func(_ string, st *style) bool {
		if outline < 0 {
			outline = st.outline
		}
		if named == 0 {
			named = headingName(st.name)
		}
		return outline >= 0
	})
	switch st := all.byID[id]; {
	case st.name == "title" || outline >= 9:
		return 0
	case outline >= 0:
		return outline + 1
	}
	return named
}

// headingName returns the N of "heading N", or 0.
func headingName(name string) int {
	rest, ok := strings.CutPrefix(name, "heading ")
	if n := number(rest, 0); ok && n >= 1 && n <= 9 {
		return n
	}
	return 0
}

func (all *styles) findCaption(id string) (found bool) {
	all.chain(id, func(_ string, st *style) bool {
		found = st.name == "caption"
		return found
	})
	return found
}

// findRun returns what a character style, or the nearest that it is based on, says.
func (all *styles) findRun(id string) (r run) {
	for range maxChain {
		c := all.characters[id]
		r = r.or(c.run)
		id = c.basedOn
	}
	return r
}

// shown returns what a run with these properties, and its style, says in a paragraph with
// a style, in a table whose style says something. A whole paragraph stands above no line.
func (all *styles) shown(table run, paragraph, character string, r run) run {
	if all == nil {
		return r
	}
	c, p := all.runs[character], all.text[cmp.Or(paragraph, all.usual)]
	s := r.or(c).or(p).or(table).or(all.defaults)
	s.position = cmp.Or(r.position, c.position)
	s.struck = toggle(r.struck, all.defaults.struck, c.struck, p.struck, table.struck)
	s.hidden = toggle(r.hidden, all.defaults.hidden, c.hidden, p.hidden, table.hidden)
	return s
}

// toggle returns whether a property is on that each kind of style reverses: as a run says
// itself, else on if it is by default, else if an odd number of styles has it (ECMA-376,
// part 1, section 17.7.3).
func toggle(own, usual string, styles ...string) string {
	if own != "" || usual == on {
		return cmp.Or(own, on)
	}
	value := off
	for _, style := range styles {
		switch {
		case style == on && value == on:
			value = off
		case style == on:
			value = on
		}
	}
	return value
}

// isTitle reports whether a style is the title style.
func (all *styles) isTitle(id string) bool {
	st := all.byID[id]
	return st != nil && st.name == "title"
}

// numbering returns the list and the level of a style's paragraphs. numID is "" if
// there is no list, level is -1 if the style gives none.
func (all *styles) numbering(id string) (numID string, level int) {
	level = -1
	all.chain(id, func(_ string, st *style) bool {
		if level < 0 {
			level = st.ilvl
		}
		numID = st.numID
		return numID != ""
	})
	return numID, level
}
