package anchor

import "slices"

// A block is a part of each of two sequences: a from a0 up to a1, b likewise.
type block struct{ a0, a1, b0, b1 int }

// An aligner finds what two sequences of numbers have in common, in order.
type aligner struct {
	inA, inB []int32 // how often each number is in the block
	at       []int32 // where it is in b
	work     int     // what is left for tables
}

const (
	maxDepth = 48      // of blocks in blocks
	maxTable = 1 << 21 // cells of a table
	maxWork  = 1 << 26 // cells of all
)

// newAligner returns an aligner of numbers below n.
func newAligner(n int) *aligner {
	return &aligner{inA: make([]int32, n), inB: make([]int32, n), at: make([]int32, n), work: maxWork}
}

// align returns for each number of a where it is in b, ascending, or -1.
func (al *aligner) align(a, b []uint32) []int32 {
	to := none(len(a))
	al.fill(a, b, block{0, len(a), 0, len(b)}, to)
	return to
}

// fill aligns a block.
func (al *aligner) fill(a, b []uint32, in block, to []int32) { al.patience(a, b, in, to, 0) }

// patience aligns what is in both parts of a block once, then what is beside
// that, then what is between.
func (al *aligner) patience(a, b []uint32, in block, to []int32, depth int) {
	if in.a0 == in.a1 || in.b0 == in.b1 {
		return
	}
	var seeds [][2]int
	if depth < maxDepth {
		seeds = ascending(al.once(a, b, in))
	}
	if len(seeds) == 0 {
		al.table(a, b, in, to)
		return
	}
	at := in
	for _, s := range append(seeds, [2]int{in.a1, in.b1}) {
		if s[0] < at.a0 || s[1] < at.b0 { // it was reached from the one before
			continue
		}
		next := block{at.a0, s[0], at.b0, s[1]}
		for next.a1 > next.a0 && next.b1 > next.b0 && a[next.a1-1] == b[next.b1-1] {
			next.a1, next.b1 = next.a1-1, next.b1-1
			to[next.a1] = int32(next.b1)
		}
		for next.a0 < next.a1 && next.b0 < next.b1 && a[next.a0] == b[next.b0] {
			to[next.a0] = int32(next.b0)
			next.a0, next.b0 = next.a0+1, next.b0+1
		}
		al.patience(a, b, next, to, depth+1)
		if s[0] < in.a1 && s[1] < in.b1 {
			to[s[0]] = int32(s[1])
			at.a0, at.b0 = s[0]+1, s[1]+1
		}
	}
}

// once returns the places of what is in both parts of a block exactly once.
func (al *aligner) once(a, b []uint32, in block) (pairs [][2]int) {
	for _, id := range a[in.a0:in.a1] {
		al.inA[id]++
	}
	for i, id := range b[in.b0:in.b1] {
		al.inB[id]++
		al.at[id] = int32(in.b0 + i)
	}
	for i, id := range a[in.a0:in.a1] {
		if al.inA[id] == 1 && al.inB[id] == 1 {
			pairs = append(pairs, [2]int{in.a0 + i, int(al.at[id])})
		}
	}
	for _, id := range a[in.a0:in.a1] {
		al.inA[id] = 0
	}
	for _, id := range b[in.b0:in.b1] {
		al.inB[id] = 0
	}
	return pairs
}

// ascending returns the longest part of pairs, which ascend by the first, that
// ascends by the second as well.
func ascending(pairs [][2]int) [][2]int {
	ends := make([]int, 0, len(pairs)) // the pair that ends the best part of each length
	before := make([]int, len(pairs))
	for i, p := range pairs {
		n, _ := slices.BinarySearchFunc(ends, p[1], func(e, at int) int { return pairs[e][1] - at })
		before[i] = -1
		if n > 0 {
			before[i] = ends[n-1]
		}
		if n == len(ends) {
			ends = append(ends, i)
		} else {
			ends[n] = i
		}
	}
	if len(ends) == 0 {
		return nil
	}
	best := make([][2]int, len(ends))
	for n, i := len(ends)-1, ends[len(ends)-1]; i >= 0; n, i = n-1, before[i] {
		best[n] = pairs[i]
	}
	return best
}

// table aligns a block in which nothing occurs exactly once in each part. It
// aligns the common start and end, and the longest common part of the rest
// unless the rest is large.
func (al *aligner) table(a, b []uint32, in block, to []int32) {
	for in.a0 < in.a1 && in.b0 < in.b1 && a[in.a0] == b[in.b0] {
		to[in.a0] = int32(in.b0)
		in.a0, in.b0 = in.a0+1, in.b0+1
	}
	for in.a1 > in.a0 && in.b1 > in.b0 && a[in.a1-1] == b[in.b1-1] {
		in.a1, in.b1 = in.a1-1, in.b1-1
		to[in.a1] = int32(in.b1)
	}
	n, m := in.a1-in.a0, in.b1-in.b0
	if n == 0 || m == 0 || n > maxTable/m || n*m > al.work {
		return
	}
	al.work -= n * m
	width := m + 1
	best := make([]int32, (n+1)*width) // of the common parts of what follows
	for i := n - 1; i >= 0; i-- {
		for j := m - 1; j >= 0; j-- {
			if a[in.a0+i] == b[in.b0+j] {
				best[i*width+j] = best[(i+1)*width+j+1] + 1
			} else {
				best[i*width+j] = max(best[(i+1)*width+j], best[i*width+j+1])
			}
		}
	}
	for i, j := 0, 0; i < n && j < m; {
		switch {
		case a[in.a0+i] == b[in.b0+j]:
			to[in.a0+i] = int32(in.b0 + j)
			i, j = i+1, j+1
		case best[(i+1)*width+j] >= best[i*width+j+1]:
			i++
		default:
			j++
		}
	}
}
