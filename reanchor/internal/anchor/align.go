package anchor

import "slices"

// A block is a part of two sequences: [a0, a1) of a and [b0, b1) of b.
type block struct{ a0, a1, b0, b1 int }

// An aligner finds what two sequences of numbers have in common, in order.
type aligner struct {
	inA, inB []int32 // how often each number occurs in the block
	at       []int32 // its place in b
	work     int     // cells left for tables
}

const (
	maxDepth = 48      // of nested blocks
	maxTable = 1 << 21 // cells of a table
	maxWork  = 1 << 26 // cells of all tables
)

// newAligner returns an aligner of numbers below n.
func newAligner(n int) *aligner {
	return &aligner{inA: make([]int32, n), inB: make([]int32, n), at: make([]int32, n), work: maxWork}
}

// align returns, for each number of a, its place in b, ascending, or -1.
func (al *aligner) align(a, b []uint32) []int32 {
	to := none(len(a))
	al.fill(a, b, block{0, len(a), 0, len(b)}, to)
	return to
}

// fill aligns a block.
func (al *aligner) fill(a, b []uint32, in block, to []int32) { al.patience(a, b, in, to, 0) }

// patience aligns what occurs once in both parts of a block, then what is beside it,
// then what is between.
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
		if s[0] < at.a0 || s[1] < at.b0 { // already reached from the previous one
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

// once returns the places of what occurs exactly once in each part of a block.
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

// ascending returns the longest subsequence of pairs whose second numbers ascend. The
// first numbers of pairs ascend.
func ascending(pairs [][2]int) [][2]int {
	ends := make([]int, 0, len(pairs)) // the pair that ends the best subsequence of each length
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

// table aligns a block in which nothing occurs exactly once in each part. It aligns the
// common start and end, and, unless the rest is large, a longest common subsequence of
// the rest.
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
	best := make([]int32, (n+1)*width) // length of the longest common subsequence of the rests
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
