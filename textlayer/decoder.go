package textlayer

import (
	"cmp"
	"encoding/binary"
	"math"

	"github.com/citekit/citekit"
)

// A decoder reads the places of runs. Once it finds invalid data, it is damaged
// and returns zeros.
type decoder struct {
	rest    []byte
	damaged bool
}

func (d *decoder) fail() { d.rest, d.damaged = nil, true }

// uint reads a number from 0 to most.
func (d *decoder) uint(most int64) int64 {
	v, n := binary.Uvarint(d.rest)
	if n <= 0 || v > uint64(most) {
		d.fail()
		return 0
	}
	d.rest = d.rest[n:]
	return int64(v)
}

// from reads a number that is stored as its difference from another.
func (d *decoder) from(other int) int {
	v, n := binary.Varint(d.rest)
	if n <= 0 || v > math.MaxInt32 || v < math.MinInt32 {
		d.fail()
		return 0
	}
	d.rest = d.rest[n:]
	return other + int(v)
}

func (d *decoder) text() string {
	n := d.uint(int64(len(d.rest)))
	if n > int64(len(d.rest)) {
		d.fail()
		return ""
	}
	s := string(d.rest[:n])
	d.rest = d.rest[n:]
	return s
}

func (d *decoder) real() float64 {
	if len(d.rest) < 8 {
		d.fail()
		return 0
	}
	v := math.Float64frombits(binary.BigEndian.Uint64(d.rest))
	d.rest = d.rest[8:]
	return v
}

// run reads the next run of x, with its number of characters and of UTF-16
// units.
func (d *decoder) run(x *index) (r run, points, units int64) {
	has := d.uint(hasOCR<<1 - 1)
	gap := d.uint(min(1, x.size-x.end()))
	r.from = x.end() + gap
	length := d.uint(x.size - r.from)
	r.to = r.from + length
	points = length - d.uint(length)
	units = points + d.uint(points)
	r.ends, r.ink = lineEnds(has&3), has&hasInk != 0
	if r.ends > anyEnds {
		d.fail()
	}
	var before citekit.Location
	if n := len(x.runs); n > 0 {
		before = x.runs[n-1].loc
	}
	r.loc = d.place(has, before)
	r.loc.Modality = cmp.Or(r.loc.Modality, x.modality)
	if has&hasMissing != 0 {
		if r.missing = d.text(); r.missing == "" {
			d.fail()
		}
	}
	if has&hasState != 0 {
		if r.state = d.text(); r.state == "" {
			d.fail()
		}
	}
	if r.ocr = has&hasOCR != 0; r.ocr {
		if r.confidence = d.real(); !(r.confidence >= 0 && r.confidence <= 1) {
			d.fail()
		}
	}
	return r, points, units
}

// place reads a location, stored relative to the previous one.
func (d *decoder) place(has int64, before citekit.Location) (loc citekit.Location) {
	if has&hasPages != 0 {
		last := lastPage(before)
		for range d.uint(int64(len(d.rest))) {
			p := d.lines(last)
			loc.Pages, last = append(loc.Pages, p), p.Last
		}
	}
	if has&hasLines != 0 {
		loc.Lines = d.lines(before.Lines.Last)
	}
	if has&hasTime != 0 {
		loc.Time = citekit.Span{Start: d.real(), End: d.real()}
	}
	if has&hasBox != 0 {
		loc.Box = citekit.Box{X1: d.real(), Y1: d.real(), X2: d.real(), Y2: d.real()}
	}
	if has&hasVirtual != 0 {
		loc.VirtualAddress = d.text()
	}
	if has&hasStructure != 0 {
		d.structure(before, &loc)
	}
	return loc
}

// lines reads a range of lines or pages, stored relative to the previous one.
func (d *decoder) lines(last int) citekit.Range {
	first := d.from(last)
	return citekit.Range{First: first, Last: first + int(d.uint(math.MaxInt32))}
}
