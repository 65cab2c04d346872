package code

import (
	"bytes"
	"cmp"
	"context"
	"slices"
)

// A balance is what a run of source does to the brackets: how many more braces
// it opens than it closes, how far it goes below what it began with, and how
// many more parentheses it opens.
type balance struct{ net, low, parentheses int }

func (b *balance) count(t token) {
	switch t.kind {
	case '{':
		b.net++
	case '}':
		b.net--
		b.low = min(b.low, b.net)
	case '(':
		b.parentheses++
	case ')':
		b.parentheses--
	}
}

func (b *balance) add(other balance) {
	b.low = min(b.low, b.net+other.low)
	b.net += other.net
	b.parentheses += other.parentheses
}

func (b balance) even() bool { return b == balance{} }

// A branch is one of the branches of a condition.
type branch struct {
	start   int // of its directive
	balance balance
	dead    bool // never compiled, as after "#if 0"
}

// A condition is one that is open, with the balance of the source around it
// so far.
type condition struct {
	around   balance
	branches []branch
}

// skippedBranches returns the branches of conditions of the preprocessor that
// cannot be read together with the others, for they open or close braces that
// the others open or close too. Of such a condition the first branch that is
// not dead is read. Each span reaches from the directive that begins the
// branch to the one that ends it.
func skippedBranches(ctx context.Context, syntax *syntax, src []byte) ([]byteSpan, error) {
	if syntax.directives == noDirectives || !bytes.Contains(src, []byte("el")) {
		return nil, nil
	}
	l := newLexer(syntax, src)
	var found branchFinder
	l.directive = func(line byteSpan) { found.directive(src, line) }
	for poll := pollBytes; ; {
		t := l.next()
		if t.kind == tokenEnd {
			break
		}
		if t.start >= poll {
			poll = t.start + pollBytes
			if err := ctx.Err(); err != nil {
				return nil, err
			}
		}
		found.now.count(t)
	}
	return sortedSpans(found.skips), nil
}

// maxConditions is how many conditions in one another are looked at.
const maxConditions = 500

type branchFinder struct {
	now   balance // since the latest directive of a condition that is open
	open  []condition
	skips []byteSpan
	inner int // open conditions beyond maxConditions
}

func (f *branchFinder) directive(src []byte, line byteSpan) {
	text := src[line.start:line.end]
	name := conditionOf(text)
	if f.tooDeep(name) {
		return
	}
	switch name {
	case "if":
		f.open = append(f.open, condition{
			around:   f.now,
			branches: []branch{{start: line.start, dead: isDead(text)}},
		})
	case "else":
		if len(f.open) == 0 {
			return
		}
		c := f.close()
		c.branches = append(c.branches, branch{start: line.start})
	case "endif":
		if len(f.open) == 0 {
			return
		}
		c := f.close()
		f.open = f.open[:len(f.open)-1]
		f.now = c.around
		f.now.add(f.choose(c.branches, line.start))
		return
	default:
		return
	}
	f.now = balance{}
}

// tooDeep reports whether the directive is of a condition in too many others.
func (f *branchFinder) tooDeep(name string) bool {
	switch {
	case name == "if" && len(f.open) >= maxConditions:
		f.inner++
		return true
	case f.inner > 0 && name == "endif":
		f.inner--
		return true
	}
	return f.inner > 0
}

// close ends the latest branch of the latest condition.
func (f *branchFinder) close() *condition {
	c := &f.open[len(f.open)-1]
	c.branches[len(c.branches)-1].balance = f.now
	return c
}

// choose skips what cannot be read together, and returns the balance of what
// is left of the branches. The last of them ends at end.
func (f *branchFinder) choose(branches []branch, end int) balance {
	chosen := 0
	if branches[0].dead && len(branches) > 1 {
		chosen = 1
	}
	if branches[0].dead && len(branches) == 1 && !branches[0].balance.even() {
		chosen = -1
	}
	odd := chosen >= 0 && !branches[chosen].balance.even()
	for i, b := range branches {
		stop := end
		if i+1 < len(branches) {
			stop = branches[i+1].start
		}
		if i != chosen && (odd || !b.balance.even()) {
			f.skips = append(f.skips, byteSpan{b.start, stop})
		}
	}
	if chosen < 0 {
		return balance{}
	}
	return branches[chosen].balance
}

// isDead reports whether the directive is "#if 0".
func isDead(line []byte) bool {
	rest, ok := bytes.CutPrefix(bytes.TrimLeft(line[1:], " \t"), []byte("if"))
	fields := bytes.Fields(rest)
	return ok && len(fields) > 0 && len(rest) > 0 && rest[0] <= ' ' && string(fields[0]) == "0"
}

// sortedSpans returns the spans by start, without those in others.
func sortedSpans(spans []byteSpan) []byteSpan {
	slices.SortFunc(spans, func(a, b byteSpan) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(b.end, a.end))
	})
	outer := spans[:0]
	for _, s := range spans {
		if len(outer) == 0 || s.start >= outer[len(outer)-1].end {
			outer = append(outer, s)
		}
	}
	return outer
}
