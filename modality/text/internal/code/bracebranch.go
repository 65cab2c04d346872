package code

import (
	"bytes"
	"cmp"
	"context"
	"slices"
)

// A balance tells how a run of source changes the bracket depth: net is the number
// of braces it opens minus those it closes, low the lowest brace depth it reaches
// relative to its start, and parentheses the net number of parentheses it opens.
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

// A branch is one branch of a condition.
type branch struct {
	start   int // offset of its directive
	balance balance
	dead    bool // never compiled, as after "#if 0"
}

// A condition is an open condition with the balance of the source in it so far.
type condition struct {
	around   balance
	branches []branch
}

// skippedBranches returns the preprocessor branches that cannot be read together
// with their siblings, because both open or close the same braces. Of such a
// condition, only the first branch that is not dead is read. Each span runs from
// the directive that begins the branch to the one that ends it.
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

// maxConditions is how many nested conditions are examined.
const maxConditions = 500

type branchFinder struct {
	now   balance // since the latest directive of an open condition
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

// tooDeep reports whether the directive belongs to a condition nested too deeply.
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

// close ends the latest branch of the innermost condition.
func (f *branchFinder) close() *condition {
	c := &f.open[len(f.open)-1]
	c.branches[len(c.branches)-1].balance = f.now
	return c
}

// choose skips branches that cannot be read together, and returns the balance of
// the remaining ones. The last branch ends at end.
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

// sortedSpans returns the spans sorted by start, without spans inside others.
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
