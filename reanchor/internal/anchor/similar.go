package anchor

import "slices"

// similarLines returns the lines that some lines have become, and the share of their
// words that is kept, or of the lines if they have no words. It returns no lines if too
// little is.
func (p *Pair) similarLines(a, b int) (from, to int, kept float64) {
	wordsFrom, wordsTo := p.old.wordsOn(a, b)
	in := p.solid(wordsFrom, wordsTo)
	first, last := p.firstLine(a, b, in), p.lastLine(a, b, in)
	if first < 0 || last < first {
		return 0, 0, 0
	}
	kept = p.keptIn(a, b, in, first, last)
	if kept < leastKept || kept < mostlyKept && p.linesKept(a, b, first, last) < leastKept {
		return 0, 0, kept
	}
	return first, last + 1, kept
}

// linesKept returns the share of lines that are unchanged between first and last.
func (p *Pair) linesKept(a, b, first, last int) float64 {
	kept := 0
	for _, j := range p.lines[a:b] {
		if int(j) >= first && int(j) <= last {
			kept++
		}
	}
	return float64(kept) / float64(b-a)
}

// solid returns the aligned words of a part without strays: a single word far from the
// others is there by chance.
func (p *Pair) solid(from, to int) []int32 {
	in := slices.Clone(p.words[from:to])
	var runs [][2]int
	for i := 0; i < len(in); {
		if in[i] < 0 {
			i++
			continue
		}
		end := i + 1
		for end < len(in) && in[end] == in[end-1]+1 {
			end++
		}
		runs = append(runs, [2]int{i, end})
		i = end
	}
	drop := func(r [2]int) {
		for i := r[0]; i < r[1]; i++ {
			in[i] = -1
		}
	}
	for len(runs) > 1 && isStray(in, runs[0], runs[1]) {
		drop(runs[0])
		runs = runs[1:]
	}
	for n := len(runs); n > 1 && isStray(in, runs[n-1], runs[n-2]); n = len(runs) {
		drop(runs[n-1])
		runs = runs[:n-1]
	}
	return in
}

const (
	fewWords = 3  // words of a run that may be there by chance
	farOff   = 12 // words
)

// isStray reports whether an outer run is short, and farther from the next run than
// before.
func isStray(in []int32, outer, next [2]int) bool {
	if outer[1]-outer[0] >= fewWords {
		return false
	}
	if outer[0] > next[0] {
		return int(in[outer[0]]-in[next[1]-1]) > 3*(outer[0]-next[1]+1)+farOff
	}
	return int(in[next[0]]-in[outer[1]-1]) > 3*(next[0]-outer[1]+1)+farOff
}

// firstLine returns the new line for the first of some lines, or -1.
func (p *Pair) firstLine(a, b int, in []int32) int {
	if p.lines[a] >= 0 {
		return int(p.lines[a])
	}
	offset, _ := p.old.wordsOn(a, b)
	for i := a; i < b; i++ {
		if p.lines[i] >= 0 {
			return p.orBehind(a, int(p.lines[i]))
		}
		from, to := p.old.wordsOn(i, i+1)
		if j := firstOf(in[from-offset : to-offset]); j >= 0 {
			return p.orBehind(a, p.new.lineOf(j))
		}
	}
	return -1
}

// orBehind returns the new line after the one that the old line before a has become, if
// that is close to at: the lines between have replaced the first lines. Otherwise it
// returns at.
func (p *Pair) orBehind(a, at int) int {
	before := a - 1
	for before >= 0 && p.old.isBlank(before) {
		before--
	}
	if before < 0 || p.lines[before] < 0 {
		return at
	}
	start := int(p.lines[before]) + 1
	for start < at && p.new.isBlank(start) {
		start++
	}
	if start <= at && at-start <= closeBy {
		return start
	}
	return at
}

// lastLine returns the new line for the last of some lines, or -1.
func (p *Pair) lastLine(a, b int, in []int32) int {
	if p.lines[b-1] >= 0 {
		return int(p.lines[b-1])
	}
	offset, _ := p.old.wordsOn(a, b)
	for i := b - 1; i >= a; i-- {
		if p.lines[i] >= 0 {
			return p.orBefore(b, int(p.lines[i]))
		}
		from, to := p.old.wordsOn(i, i+1)
		if j := lastOf(in[from-offset : to-offset]); j >= 0 {
			return p.orBefore(b, p.new.lineOf(j))
		}
	}
	return -1
}

// orBefore is orBehind for the last lines.
func (p *Pair) orBefore(b, at int) int {
	behind := b
	for behind < len(p.lines) && p.old.isBlank(behind) {
		behind++
	}
	if behind == len(p.lines) || p.lines[behind] < 0 {
		return at
	}
	end := int(p.lines[behind]) - 1
	for end > at && p.new.isBlank(end) {
		end--
	}
	if end >= at && end-at <= closeBy {
		return end
	}
	return at
}

func firstOf(to []int32) int {
	for _, j := range to {
		if j >= 0 {
			return int(j)
		}
	}
	return -1
}

func lastOf(to []int32) int {
	for _, j := range slices.Backward(to) {
		if j >= 0 {
			return int(j)
		}
	}
	return -1
}

// keptIn returns the share of the words of lines that are on the new lines from first
// to last, or of the lines if they have no letters.
func (p *Pair) keptIn(a, b int, in []int32, first, last int) float64 {
	offset, end := p.old.wordsOn(a, b)
	low, _ := p.new.wordsOn(first, first+1)
	_, high := p.new.wordsOn(last, last+1)
	kept, all := 0, 0
	for k := offset; k < end; k++ {
		if !p.old.words[k].letters {
			continue
		}
		all++
		if j := int(in[k-offset]); j >= low && j < high {
			kept++
		}
	}
	if all > 0 {
		return float64(kept) / float64(all)
	}
	for _, j := range p.lines[a:b] {
		if j >= 0 {
			kept++
		}
	}
	return float64(kept) / float64(b-a)
}

// similarWords returns the words that some words of a flowing text have become, and the
// share of them that is kept.
func (p *Pair) similarWords(a, b int) (from, to int, kept float64) {
	in := p.solid(a, b)
	from, to = firstOf(in), lastOf(in)+1
	if from < 0 {
		return 0, 0, 0
	}
	n, all := 0, 0
	for i, j := range in {
		if p.old.words[a+i].letters {
			all++
			if j >= 0 {
				n++
			}
		}
	}
	if all == 0 {
		return from, to, 0
	}
	return from, to, float64(n) / float64(all)
}
