package textlayer

import (
	"cmp"
	"math"
	"slices"

	"github.com/citekit/citekit"
)

// An index has the places of the runs of a text. It does not change once it is
// made.
type index struct {
	modality citekit.Modality
	hash     string // SHA-256 of the source in lower case hex
	runs     []run

	size   int64 // bytes of the text
	points int64 // characters
	units  int64 // UTF-16 units

	mirrors    bool  // the text has the bytes of the source from start on
	start      int64 // in the source if mirrors is set, else in the stored layer
	incomplete bool
	written    int   // runs that have visible characters
	missing    []int // numbers of runs of which a part cannot be read
	stated     []int // numbers of runs whose state is not full

	lastPage, lastLine, lastBlock int // of the runs outside members; lastLine is math.MaxInt if some count by part or message

	areas areas
}

// A run is a part of the text with its place.
type run struct {
	from, to      int64 // in bytes
	points, units int64 // counts before the run
	loc           citekit.Location
	ends          lineEnds
	ink           bool   // it has visible characters
	missing       string // as in [citekit.TextRun]
	state         string // likewise; "" if it is full
	ocr           bool   // likewise
	confidence    float64
}

// end returns the end of the last run.
func (x *index) end() int64 {
	if n := len(x.runs); n > 0 {
		return x.runs[n-1].to
	}
	return 0
}

// counts returns how many characters and UTF-16 units a run has.
func (x *index) counts(i int) (points, units int64) {
	points, units = x.points, x.units
	if i+1 < len(x.runs) {
		next := x.runs[i+1]
		gap := next.from - x.runs[i].to
		points, units = next.points-gap, next.units-gap
	}
	return points - x.runs[i].points, units - x.runs[i].units
}

// add adds the next run, with its number of characters and of UTF-16 units.
// Each byte between it and the previous run is one of both.
func (x *index) add(r run, points, units int64) {
	gap := r.from - x.end()
	r.points, r.units = x.points+gap, x.units+gap
	x.points, x.units = r.points+points, r.units+units
	x.runs = append(x.runs, r)
	if r.ink {
		x.written++
	}
	if r.missing != "" {
		x.missing = append(x.missing, len(x.runs)-1)
	}
	if r.state != "" {
		x.stated = append(x.stated, len(x.runs)-1)
	}
	if r.loc.Member != "" {
		return
	}
	if n := len(r.loc.Pages); n > 0 {
		x.lastPage = max(x.lastPage, r.loc.Pages[n-1].Last)
	}
	if x.lastLine = max(x.lastLine, r.loc.Lines.Last); r.loc.Part != "" || r.loc.Message != 0 {
		x.lastLine = math.MaxInt
	}
	x.lastBlock = max(x.lastBlock, r.loc.Blocks.Last)
}

// cost returns roughly how much memory x takes, in bytes.
func (x *index) cost() int64 {
	const perRun = 400
	return perRun * int64(len(x.runs)+4)
}

// before returns the number of the last run that begins at or before an offset,
// or -1.
func (x *index) before(off int64, unit Unit) int {
	i, _ := slices.BinarySearchFunc(x.runs, off+1, func(r run, off int64) int { return cmp.Compare(r.start(unit), off) })
	return i - 1
}

// at returns the number of the last run that begins at or before an offset and
// is not empty, or of the first one.
func (x *index) at(off int64) int {
	i := x.before(off, InBytes)
	for i > 0 && x.runs[i].from == x.runs[i].to {
		i--
	}
	return max(i, 0)
}
