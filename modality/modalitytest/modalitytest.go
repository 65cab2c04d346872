// Package modalitytest is the conformance suite for resolvers: it checks what
// the documentation of [citekit.Resolver] and its companions promises. A
// modality adopts it in a few lines:
//
//	func TestConformance(t *testing.T) {
//		modalitytest.Test(t, text.Resolver{}, modalitytest.Fixture{
//			Name:   "poem.txt",
//			Source: []byte("a\nb\nc\n"),
//			Good: []modalitytest.Case{{
//				Name:     "middle",
//				Location: citekit.Location{Modality: citekit.Text, Lines: citekit.Range{First: 2, Last: 2}},
//				Want:     []byte("b\n"),
//			}},
//			OutOfRange: []citekit.Location{{Modality: citekit.Text, Lines: citekit.Range{First: 3, Last: 9}}},
//			Extent:     citekit.Extent{Modality: citekit.Text, Lines: 3},
//		})
//	}
package modalitytest

import (
	"testing"

	"github.com/citekit/citekit"
)

// A Fixture is a source together with what a resolver must make of it.
type Fixture struct {
	// Name is the base name of the source, such as "poem.txt".
	Name string

	// Source holds the bytes of the source. A few kilobytes are best: the
	// suite resolves it some hundred times, damaged in many ways.
	Source []byte

	// Good lists locations that the resolver must resolve; there is at
	// least one, and the first has a selector. Its modality is taken to be
	// the modality of the resolver.
	Good []Case

	// OutOfRange lists locations that are valid but lie outside the source.
	OutOfRange []citekit.Location

	// Foreign is a location that belongs to another modality. If it is
	// zero the suite only uses locations it makes itself.
	Foreign citekit.Location

	// Extent is what a [citekit.Measurer] must answer; if it is zero, the
	// answer is only checked against Good.
	Extent citekit.Extent

	// Garbage lists further hostile sources. Truncations and bit flips of
	// Source, and some well known nonsense, are made by the suite.
	Garbage [][]byte

	// Members read the members of the source, for a [citekit.MemberOpener]:
	// locations of the fixture, and of the nodes of the map, may then have a
	// Member, as those that a Library resolves.
	Members citekit.Resolvers

	// LargeMembers are the names of members that are larger than the resolver
	// takes, such as those of a bomb.
	LargeMembers []string

	// EmptyParts says that the evidence of a part may be empty, as a part of a
	// mail may be.
	EmptyParts bool

	// Slow says that a call takes long, as one that starts a program does:
	// fewer damaged sources are tried unless CITEKIT_LONG is set.
	Slow bool

	// NoBody says that locations have no bytes, as virtual ones: the Body
	// must be nil and the source must not be read. It may be nil.
	NoBody bool
}

// A Case is a location that must resolve.
type Case struct {
	Name     string
	Location citekit.Location
	Mode     citekit.Mode

	// Want holds the exact bytes of the evidence, or is nil if only Check
	// knows. An empty non-nil Want allows an empty evidence.
	Want []byte

	// WantText is the text that a [citekit.TextReader] must yield, all runs
	// joined; it is not checked if it is "".
	WantText string

	// Check looks at the evidence in ways of its own; it may be nil. It is
	// called for every kind of source the suite makes.
	Check func(t testing.TB, got []byte, x *citekit.Content)
}

// Test checks r with f. It sets the variables that name the directory of
// temporary files, so t must not be parallel, nor run while other tests start
// or end goroutines.
//
// Further hostile sources are made and more rounds run without -short.
func Test(t *testing.T, r citekit.Resolver, f Fixture) {
	t.Helper()
	s := newSuite(t, r, f)
	for _, c := range s.checks() {
		t.Run(c.name, func(t *testing.T) { c.run(t) })
	}
}

// A check is one promise. It is separate from [testing.T.Run] so that the
// suite can be tested itself.
type check struct {
	name string
	run  func(testing.TB)
}

func (s *suite) checks() []check {
	if s.NoBody {
		return []check{
			{"good", s.checkNoBody},
			{"foreign", s.checkForeign},
			{"cancelled", s.checkCancelled},
			{"measure", s.checkMeasure},
			{"version", s.checkVersion},
			{"leaks", s.checkLeaks},
			{"left over files", s.checkFiles},
		}
	}
	return []check{
		{"good", s.checkGood},
		{"whole", s.checkWhole},
		{"mode", s.checkMode},
		{"out of range", s.checkOutOfRange},
		{"foreign", s.checkForeign},
		{"measure", s.checkMeasure},
		{"text", s.checkText},
		{"preview", s.checkPreview},
		{"links", s.checkLinks},
		{"members", s.checkMembers},
		{"version", s.checkVersion},
		{"cancelled", s.checkCancelled},
		{"cancelled while reading", s.checkCancelledReading},
		{"read errors", s.checkReadErrors},
		{"closed early", s.checkClosedEarly},
		{"concurrent", s.checkConcurrent},
		{"crowd", s.checkCrowd},
		{"garbage", s.checkGarbage},
		{"nodes", s.checkNodes},
		{"other source", s.checkOtherSource},
		{"leaks", s.checkLeaks},
		{"source unmodified", s.checkUnmodified},
		{"left over files", s.checkFiles},
	}
}
