// Package modalitytest is the conformance suite for resolvers: it checks the
// promises in the documentation of [citekit.Resolver] and its companions. A
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
	"fmt"
	"os"
	"slices"
	"sync"
	"testing"

	"github.com/citekit/citekit"
)

// A Fixture is a source together with the expected results of a resolver.
type Fixture struct {
	// Name is the base name of the source, such as "poem.txt".
	Name string

	// Source holds the bytes of the source. A few kilobytes are best: the
	// suite resolves it some hundred times, damaged in many ways.
	Source []byte

	// Good lists locations that the resolver must resolve; at least one is
	// required, and the first must have a selector. The modality of the first
	// case is taken as that of the resolver.
	Good []Case

	// OutOfRange lists locations that are valid but lie outside the source.
	OutOfRange []citekit.Location

	// Foreign is a location that belongs to another modality. If it is
	// zero the suite only uses locations it makes itself.
	Foreign citekit.Location

	// Extent is the extent that a [citekit.Measurer] must return; if it is
	// zero, the answer is only checked against Good.
	Extent citekit.Extent

	// Garbage lists further hostile sources. The suite itself adds truncations
	// and bit flips of Source, and some well-known nonsense.
	Garbage [][]byte

	// Members read the members of the source, for a [citekit.MemberOpener]:
	// locations of the fixture, and of the nodes of the map, may then have a
	// Member, as in a Library.
	Members citekit.Resolvers

	// LargeMembers are the names of members that exceed the limits of the
	// resolver, such as those of a bomb.
	LargeMembers []string

	// EmptyParts says that the evidence of a part may be empty, as that of a
	// part of a mail may be.
	EmptyParts bool

	// Slow says that calls take long, for example because they start a program.
	// The suite then tries fewer damaged sources, unless CITEKIT_LONG is set.
	Slow bool

	// NoBody says that locations have no bytes, like virtual ones: the Body
	// must be nil, and the source must not be read and may be nil.
	NoBody bool
}

// A Case is a location that must resolve.
type Case struct {
	Name     string           // of the subtest
	Location citekit.Location // to resolve
	Mode     citekit.Mode     // "" means [citekit.ModeExact]

	// Want holds the exact bytes of the evidence, or nil if only Check checks
	// them. An empty non-nil Want allows an empty evidence.
	Want []byte

	// WantText is the text that a [citekit.TextReader] must yield, all runs
	// joined; it is not checked if it is "".
	WantText string

	// Check makes further checks of the evidence; it may be nil. It is called
	// for every kind of source the suite makes.
	Check func(t testing.TB, got []byte, x *citekit.Content)
}

// Test checks r with f. It sets the environment variables for the directory of
// temporary files, so t must not be parallel. No other test may start or end
// goroutines while it runs.
//
// Without -short, it tries further hostile sources and runs more rounds. With
// CITEKIT_AGAIN in the environment, as where the tests of this module run a second time
// with the race detector, it makes only the checks that call r from several goroutines.
func Test(t *testing.T, r citekit.Resolver, f Fixture) {
	t.Helper()
	s := newSuite(t, r, f)
	var failed []string
	var kinds sync.Map
	again := os.Getenv("CITEKIT_AGAIN") != ""
	for _, c := range s.checks() {
		if again && !slices.Contains(meetings, c.name) {
			continue
		}
		ok := t.Run(c.name, func(t *testing.T) {
			for _, needed := range buildsOn(c.name) {
				if slices.Contains(failed, needed) {
					t.Skipf("not checked, as %q fails", needed)
				}
			}
			c.run(&once{TB: t, kinds: &kinds})
		})
		if !ok {
			failed = append(failed, c.name)
		}
	}
}

// buildsOn returns the checks that must hold for the named one to say anything new:
// the suite resolves the same locations in many ways, and most faults show in many
// of them.
func buildsOn(name string) []string {
	switch name {
	case "good", "detect", "version", "source unmodified", "left over files":
		return nil
	case "leaks":
		return []string{"measure", "text"}
	case "text":
		return []string{"good", "measure"}
	case "ends", "cancelled":
		return []string{"good", "measure", "text", "out of range"}
	case "cancelled while reading", "read errors", "garbage":
		return []string{"good", "out of range"}
	case "other source":
		return []string{"good", "out of range", "read errors", "garbage"}
	}
	return []string{"good"}
}

// once reports the first fault that a check finds, if no other check has reported
// one of that kind.
type once struct {
	testing.TB
	kinds *sync.Map // formats of the messages that were reported

	mu       sync.Mutex
	reported bool
}

func (o *once) Errorf(format string, args ...any) {
	o.Helper()
	o.report(format, fmt.Sprintf(format, args...))
}

func (o *once) Error(args ...any) {
	o.Helper()
	o.report(fmt.Sprint(args...), fmt.Sprint(args...))
}

func (o *once) report(kind, message string) {
	o.Helper()
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.reported {
		return
	}
	o.reported = true
	if _, known := o.kinds.LoadOrStore(kind, true); !known {
		o.TB.Error(message)
	}
}

// A check is one promise. It is separate from [testing.T.Run] so that the suite
// itself can be tested.
type check struct {
	name string
	run  func(testing.TB)
}

// meetings are the checks in which goroutines meet.
var meetings = []string{"cancelled while reading", "closed early", "concurrent", "crowd"}

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
		{"detect", s.checkDetect},
		{"measure", s.checkMeasure},
		{"text", s.checkText},
		{"ends", s.checkEnds},
		{"preview", s.checkPreview},
		{"tables", s.checkTables},
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
