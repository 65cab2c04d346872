package lookup

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/lazyregexp"
)

var (
	numbersNamed = lazyregexp.New(`(?i)^(pages?|pp?\.?|slides?|seiten?|s\.|folien?|lines?|ll?\.|zeilen?|z\.|blocks?|blöcke|rows?|reihen?) ?([1-9][0-9]{0,8})(?: ?(?:[-–—]|to|bis) ?([1-9][0-9]{0,8}))?$`)
	timeNamed    = lazyregexp.New(`^([0-9]{1,3}(?::[0-9]{2}){1,2}(?:\.[0-9]{1,6})?)(?: ?(?:[-–—]|to|bis) ?([0-9]{1,3}(?::[0-9]{2}){1,2}(?:\.[0-9]{1,6})?))?$`)
	cellsNamed   = lazyregexp.New(`^(?:(?:sheet |Sheet |Blatt |Tabelle )?(.+?)(?:!|, ?| ))?(?:cells? |Cells? |Zellen? )?(\$?[A-Z]{1,3}\$?[1-9][0-9]{0,6}(?::\$?[A-Z]{1,3}\$?[1-9][0-9]{0,6})?)$`)
	beforePlace  = lazyregexp.New(`(?i)^(?:at|on|from|see|auf|ab|bei|um|in) `)
)

// A place is what a reference says in words about a place in a source: pages, lines
// and the like, or else a time, or cells.
type place struct {
	unit        byte // p, l, b or r for numbers; t for a time; c for cells; 0 for none
	first, last int
	time        citekit.Span
	sheet       string // as it is named, perhaps with quotation marks; or ""
	cells       citekit.Cells
}

func (p *place) isZero() bool { return p.unit == 0 }

// readPlace reads a place, also one that other words follow behind a comma.
func readPlace(text string) place {
	text = strings.TrimSpace(text)
	if m := beforePlace.FindStringSubmatch(text); m != nil {
		text = strings.TrimSpace(text[len(m[0]):])
	}
	p := wholePlace(text)
	if first, _, ok := strings.Cut(text, ","); ok && p.isZero() {
		p = wholePlace(strings.TrimSpace(first))
	}
	return p
}

func wholePlace(text string) place {
	if m := numbersNamed.FindStringSubmatch(text); m != nil {
		p := place{unit: unitOf(m[1])}
		p.first, _ = strconv.Atoi(m[2])
		if p.last = p.first; m[3] != "" {
			p.last, _ = strconv.Atoi(m[3])
		}
		return p
	}
	if m := timeNamed.FindStringSubmatch(text); m != nil {
		p := place{unit: 't', time: citekit.Span{Start: clock(m[1])}}
		if p.time.End = p.time.Start + 1; m[2] != "" {
			p.time.End = clock(m[2])
		}
		return p
	}
	if m := cellsNamed.FindStringSubmatch(text); m != nil {
		loc, _, err := citekit.ParseFragment("sheet=x&cells=" + strings.ReplaceAll(m[2], "$", ""))
		if err == nil {
			return place{unit: 'c', sheet: m[1], cells: loc.Cells}
		}
	}
	return place{}
}

func unitOf(word string) byte {
	switch word = strings.ToLower(word); word[0] {
	case 'l', 'z':
		return 'l'
	case 'b':
		return 'b'
	case 'r':
		return 'r'
	}
	return 'p'
}

// clock returns the seconds of a time such as 1:02:03.5.
func clock(text string) (seconds float64) {
	for _, part := range strings.Split(text, ":") {
		n, _ := strconv.ParseFloat(part, 64)
		seconds = 60*seconds + n
	}
	return seconds
}

// placed returns an address with a place, if its source has such a place.
func (n *Namer) placed(ctx context.Context, a citekit.Address, p place) citekit.Address {
	at := a
	if p.isZero() || !a.Location.IsWhole() {
		return a
	}
	numbers := citekit.Range{First: p.first, Last: p.last}
	switch loc := &at.Location; p.unit {
	case 'p':
		loc.Pages = []citekit.Range{numbers}
	case 'l':
		loc.Lines = numbers
	case 'b':
		loc.Blocks = numbers
	case 'r':
		loc.Rows = numbers
	case 't':
		loc.Time = p.time
	case 'c':
		if loc.Sheet = n.sheet(ctx, a.Resource, p.sheet); loc.Sheet == "" {
			return a
		}
		loc.Cells = p.cells
	}
	if at.Location.Validate() != nil {
		return a
	}
	if err := Check(ctx, n.lib, at); errors.Is(err, citekit.ErrRange) || errors.Is(err, errors.ErrUnsupported) {
		return a
	}
	return at
}

// sheet returns the sheet of a workbook with a name, or the only one if the name is
// ""; or "" if there is none.
func (n *Namer) sheet(ctx context.Context, resource, name string) string {
	m, err := n.lib.Map(ctx, resource)
	if err != nil {
		return ""
	}
	name = fold(bare(name))
	only := ""
	for node := range m.All() {
		sheet := node.Location.Sheet
		switch {
		case sheet == "" || sheet == only || node.Location.Member != "":
		case name != "" && fold(sheet) == name:
			return sheet
		case name == "" && only != "":
			return ""
		case name == "":
			only = sheet
		}
	}
	return only
}
