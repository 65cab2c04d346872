package relations

import (
	"cmp"
	"math"
	"slices"
	"sort"
	"strings"

	"github.com/citekit/citekit"
	form "github.com/citekit/citekit/internal/selector"
)

// A nodeFinder finds the nodes of one map that contain locations, as [NodeAt] does, without a
// look at all of them. It is not safe for concurrent use.
type nodeFinder struct {
	m      *citekit.ResourceMap
	levels map[*citekit.Node]*level // by the node around; nil for the top
	looked int                      // how many nodes were looked at
}

// few is how many nodes beside each other are simply all looked at.
const few = 16

// at returns what [NodeAt] returns.
func (f *nodeFinder) at(loc citekit.Location) *citekit.Node {
	if loc.IsWhole() {
		return nil
	}
	var found *citekit.Node
	for nodes := f.m.Nodes; ; nodes = found.Children {
		if len(nodes) > few {
			nodes = f.level(found, nodes).near(loc)
		}
		f.looked += len(nodes)
		inner := nodeWith(nodes, loc)
		if inner == nil {
			return found
		}
		found = inner
	}
}

func (f *nodeFinder) level(around *citekit.Node, nodes []*citekit.Node) *level {
	l := f.levels[around]
	if l == nil {
		l = newLevel(nodes)
		if f.levels == nil {
			f.levels = make(map[*citekit.Node]*level)
		}
		f.levels[around] = l
	}
	return l
}

// A level is the nodes beside each other, by the names that they are within.
type level struct {
	nodes []*citekit.Node
	of    map[scope]*row
	runs  []int // numbers of nodes of several parts of a book
}

// A scope is the names that a location is within.
type scope struct {
	member, part, table, sheet string
	message                    int
}

// A row is the nodes within the same names. Of nodes with the same location that follow
// each other, it has the first.
type row struct {
	numbers []int
	kind    byte // of the numbers that order the nodes; 0 if they go back, or have none
	extents [][2]float64
}

func newLevel(nodes []*citekit.Node) *level {
	l := &level{nodes: nodes, of: make(map[scope]*row)}
	for i, n := range nodes {
		loc := &n.Location
		if loc.Parts().Len() > 1 {
			l.runs = append(l.runs, i)
			continue
		}
		w := scope{loc.Member, loc.Part, loc.Table, loc.Sheet, loc.Message}
		r := l.of[w]
		if r == nil {
			r = new(row)
			l.of[w] = r
		}
		r.add(nodes, i)
	}
	return l
}

func (r *row) add(nodes []*citekit.Node, i int) {
	kind, e := extentOf(&nodes[i].Location)
	if k := len(r.numbers); k == 0 {
		r.kind = kind
	} else {
		if nodes[r.numbers[k-1]].Location.Equal(nodes[i].Location) {
			return
		}
		if last := r.extents[k-1]; kind != r.kind || e[0] < last[0] || e[1] < last[1] {
			r.kind = 0
		}
	}
	r.numbers, r.extents = append(r.numbers, i), append(r.extents, e)
}

// slack is how far ends of time may lie outside, in seconds, and more.
const slack = 1

// extentOf returns the kind of numbers that a location has, with the first and the last;
// 0 if it has none.
func extentOf(loc *citekit.Location) (kind byte, e [2]float64) {
	of := func(r citekit.Range) [2]float64 { return [2]float64{float64(r.First), float64(r.Last)} }
	switch n := len(loc.Pages); {
	case n > 0:
		return 'p', [2]float64{float64(loc.Pages[0].First), float64(loc.Pages[n-1].Last)}
	case !loc.Blocks.IsZero():
		return 'b', of(loc.Blocks)
	case !loc.Cells.IsZero():
		return 'r', of(citekit.Range{First: int(loc.Cells.First.Row), Last: int(loc.Cells.Last.Row)})
	case !loc.Rows.IsZero():
		return 'r', of(loc.Rows)
	case !loc.Lines.IsZero():
		return 'l', of(loc.Lines)
	case !loc.Time.IsZero():
		return 't', [2]float64{loc.Time.Start, cmp.Or(loc.Time.End, math.Inf(1))}
	}
	return 0, e
}

// near returns the nodes that may contain a location, in order.
func (l *level) near(loc citekit.Location) []*citekit.Node {
	numbers := slices.Clone(l.runs)
	for _, member := range around(loc.Member, form.MemberSeparator) {
		numbers = l.appendWithin(numbers, member, loc)
	}
	for i := range len(loc.Member) {
		if loc.Member[i] == '/' {
			numbers = l.appendWithin(numbers, loc.Member[:i+1], loc)
		}
	}
	slices.Sort(numbers)
	near := make([]*citekit.Node, 0, len(numbers))
	for _, i := range slices.Compact(numbers) {
		near = append(near, l.nodes[i])
	}
	return near
}

// appendWithin appends the numbers of the nodes in a member that may contain a location.
func (l *level) appendWithin(numbers []int, member string, loc citekit.Location) []int {
	messages := []int{0}
	if loc.Message != 0 {
		messages = append(messages, loc.Message)
	}
	for _, part := range around(loc.Part, ".") {
		for _, table := range around(loc.Table, "") {
			for _, sheet := range around(loc.Sheet, "") {
				for _, message := range messages {
					if r := l.of[scope{member, part, table, sheet, message}]; r != nil {
						numbers = append(numbers, r.near(&loc)...)
					}
				}
			}
		}
	}
	return numbers
}

// around returns a name, what it is in, as its separators show, and "".
func around(name, separator string) []string {
	all := []string{name}
	for separator != "" && name != "" {
		name = name[:max(0, strings.LastIndex(name, separator))]
		all = append(all, name)
	}
	if all[len(all)-1] != "" {
		all = append(all, "")
	}
	return all
}

// near returns the numbers of the nodes that may contain a location.
func (r *row) near(loc *citekit.Location) []int {
	kind, e := extentOf(loc)
	if kind == 0 || kind != r.kind {
		return r.numbers
	}
	from := sort.Search(len(r.extents), func(i int) bool { return r.extents[i][1] >= e[1]-slack })
	to := sort.Search(len(r.extents), func(i int) bool { return r.extents[i][0] > e[0]+slack })
	return r.numbers[from:max(from, to)]
}
