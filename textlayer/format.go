package textlayer

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/citekit/citekit"
)

// A layer is stored as its text, unless the text is read from the source, then
// the places of its runs, then a tail of fixed length that gives the positions
// of both. Numbers in the places are varints; those in the tail are big-endian.
const (
	magic    = "ctkText1"
	tailSize = int64(6*8 + len(magic))
	maxPlace = 64 << 20 // bytes of the places of all runs

	flagMirrors    = 1
	flagIncomplete = 2
)

// The data that a run may have. The lowest two bits give its line ends.
const (
	hasPages = 4 << iota
	hasLines
	hasTime
	hasBox
	hasVirtual
	hasInk
	hasStructure
	hasMissing
	hasState
	hasOCR
)

// encode writes everything after the text.
func (x *index) encode(out *bytes.Buffer) {
	e, begin := encoder{out: out}, out.Len()
	e.text(string(x.modality))
	e.text(x.hash)
	for i := range x.runs {
		e.run(x, i)
	}
	textSize, flags := x.size, uint64(0)
	if x.mirrors {
		textSize, flags = 0, flagMirrors
	}
	if x.incomplete {
		flags |= flagIncomplete
	}
	places := out.Len() - begin
	for _, n := range []uint64{
		uint64(textSize), uint64(places), uint64(len(x.runs)), flags,
		uint64(x.start), uint64(x.size),
	} {
		out.Write(binary.BigEndian.AppendUint64(nil, n))
	}
	out.WriteString(magic)
}

// An encoder writes the places of runs.
type encoder struct{ out *bytes.Buffer }

func (e encoder) uint(n int64)  { e.out.Write(binary.AppendUvarint(nil, uint64(n))) }
func (e encoder) int(n int)     { e.out.Write(binary.AppendVarint(nil, int64(n))) }
func (e encoder) text(s string) { e.uint(int64(len(s))); e.out.WriteString(s) }
func (e encoder) real(v float64) {
	e.out.Write(binary.BigEndian.AppendUint64(nil, math.Float64bits(v)))
}

// run writes the run with number i.
func (e encoder) run(x *index, i int) {
	var before run
	if i > 0 {
		before = x.runs[i-1]
	}
	r := x.runs[i]
	points, units := x.counts(i)
	loc, has := r.loc, int64(r.ends)
	for i, there := range []bool{len(loc.Pages) > 0, !loc.Lines.IsZero(), !loc.Time.IsZero(), !loc.Box.IsZero(), loc.VirtualAddress != "", r.ink, isStructured(loc), r.missing != "", r.state != "", r.ocr} {
		if there {
			has |= hasPages << i
		}
	}
	e.uint(has)
	e.uint(r.from - before.to)
	e.uint(r.to - r.from)
	e.uint(r.to - r.from - points)
	e.uint(units - points)
	e.place(has, before.loc, loc)
	if r.missing != "" {
		e.text(r.missing)
	}
	if r.state != "" {
		e.text(r.state)
	}
	if r.ocr {
		e.real(r.confidence)
	}
}

// place writes a location relative to the previous one.
func (e encoder) place(has int64, before, loc citekit.Location) {
	last := lastPage(before)
	if has&hasPages != 0 {
		e.uint(int64(len(loc.Pages)))
		for _, p := range loc.Pages {
			e.int(p.First - last)
			e.uint(int64(p.Len() - 1))
			last = p.Last
		}
	}
	if has&hasLines != 0 {
		e.int(loc.Lines.First - before.Lines.Last)
		e.uint(int64(loc.Lines.Len() - 1))
	}
	if has&hasTime != 0 {
		e.real(loc.Time.Start)
		e.real(loc.Time.End)
	}
	if has&hasBox != 0 {
		for _, v := range []float64{loc.Box.X1, loc.Box.Y1, loc.Box.X2, loc.Box.Y2} {
			e.real(v)
		}
	}
	if has&hasVirtual != 0 {
		e.text(loc.VirtualAddress)
	}
	if has&hasStructure != 0 {
		e.structure(before, loc)
	}
}

func lastPage(loc citekit.Location) int {
	if n := len(loc.Pages); n > 0 {
		return loc.Pages[n-1].Last
	}
	return 0
}

var errLayer = fmt.Errorf("the kept text: %w", citekit.ErrDamaged)

// readIndex reads the places of a layer of size bytes. Invalid data is an error
// matching [citekit.ErrDamaged].
func readIndex(r io.ReaderAt, size int64) (*index, error) {
	var tail [tailSize]byte
	if size < tailSize {
		return nil, errLayer
	}
	if err := readFull(r, tail[:], size-tailSize); err != nil {
		return nil, err
	}
	if string(tail[6*8:]) != magic {
		return nil, errLayer
	}
	var n [6]int64
	for i := range n {
		if n[i] = int64(binary.BigEndian.Uint64(tail[8*i:])); n[i] < 0 {
			return nil, errLayer
		}
	}
	textSize, places, runs, flags := n[0], n[1], n[2], n[3]
	x := &index{
		mirrors: flags&flagMirrors != 0, incomplete: flags&flagIncomplete != 0,
		start: n[4], size: n[5],
	}
	kept := x.size
	if x.mirrors {
		kept = 0
	}
	if textSize != kept || places > maxPlace || runs > maxRuns || runs > places || textSize != size-tailSize-places || x.start > math.MaxInt64-x.size {
		return nil, errLayer
	}
	data := make([]byte, places)
	if err := readFull(r, data, textSize); err != nil {
		return nil, err
	}
	return x, x.decode(data, int(runs))
}

func readFull(r io.ReaderAt, p []byte, off int64) error {
	n, err := r.ReadAt(p, off)
	if n == len(p) {
		return nil
	}
	if err == nil || errors.Is(err, io.EOF) {
		return errLayer
	}
	return err
}

func (x *index) decode(data []byte, runs int) error {
	d := &decoder{rest: data}
	x.modality, x.hash = citekit.Modality(d.text()), d.text()
	if sum, err := hex.DecodeString(x.hash); err != nil || len(sum) != 32 {
		return errLayer
	}
	x.runs = make([]run, 0, runs)
	for range runs {
		r, points, units := d.run(x)
		if d.damaged || r.loc.Validate() != nil {
			return errLayer
		}
		x.add(r, points, units)
	}
	if len(d.rest) > 0 || x.end() != x.size {
		return errLayer
	}
	return nil
}
