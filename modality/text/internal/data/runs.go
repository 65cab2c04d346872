package data

import "github.com/citekit/citekit"

const (
	minRowsRun = 100 // least rows of a run, if it is large enough
	maxRowsRun = 1_000
	minRunSize = 16 << 10 // bytes of a run that is large enough
	maxRunSize = 64 << 10
)

// runs groups consecutive items into runs. When there are too many runs, their length
// doubles, so that memory is bounded.
type runs struct {
	most  int // largest number of runs
	scale int // factor of the length of runs
	list  []run
}

type run struct {
	node  *citekit.Node
	count int   // number of rows
	size  int64 // size in bytes
}

func newRuns(most int) *runs { return &runs{most: most, scale: 1} }

// add adds n as a run, or appends it to the last run. A line is in only one run.
func (u *runs) add(n *citekit.Node, count int, size int64) {
	if k := len(u.list); k > 0 {
		last := &u.list[k-1]
		if !u.full(*last) || n.Location.Lines.First <= last.node.Location.Lines.Last {
			last.take(run{n, count, size})
			return
		}
	}
	u.append(run{n, count, size})
}

// full reports whether r is long enough for a run of rows.
func (u *runs) full(r run) bool {
	scale := u.scale
	return r.count >= maxRowsRun*scale || r.size >= maxRunSize*int64(scale) ||
		r.count >= minRowsRun*scale && r.size >= minRunSize*int64(scale)
}

// append adds a run of any length.
func (u *runs) append(r run) {
	u.list = append(u.list, r)
	if len(u.list) <= u.most {
		return
	}
	u.scale *= 2
	half := u.list[:0]
	for i, r := range u.list {
		if i%2 == 0 {
			half = append(half, r)
			continue
		}
		half[len(half)-1].take(r)
	}
	clear(u.list[len(half):])
	u.list = half
}

// take appends next to r.
func (r *run) take(next run) {
	r.node.Location.Lines.Last = max(r.node.Location.Lines.Last, next.node.Location.Lines.Last)
	r.count += next.count
	r.size += next.size
}

func (u *runs) nodes() []*citekit.Node {
	nodes := make([]*citekit.Node, len(u.list))
	for i, r := range u.list {
		nodes[i] = r.node
	}
	return nodes
}
