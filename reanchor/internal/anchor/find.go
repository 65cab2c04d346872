package anchor

import "slices"

const (
	fewLetters = 30      // letters and digits; a shorter part may occur again anywhere by chance
	closeBy    = 3       // lines beside a part that count as its surroundings
	closeWords = 8       // the same in words
	leastKept  = .5      // share of a part's words, and of its lines
	mostlyKept = .8      // share of its words, if fewer of its lines are kept
	compared   = 1 << 24 // units compared in one search for places
)

// Find finds the bytes [from, to) of the old text in the new one. In a text of lines it
// finds the lines that the range touches.
func (p *Pair) Find(from, to int) Place {
	if p.flows {
		return p.findWords(p.old.wordsIn(from, to))
	}
	first, end := p.old.linesIn(from, to)
	return p.findLines(first, end)
}

// findLines finds lines. Blank lines at the edges follow the others.
func (p *Pair) findLines(first, end int) Place {
	a, b := first, end
	for a < b && p.old.isBlank(a) {
		a++
	}
	for b > a && p.old.isBlank(b-1) {
		b--
	}
	if a == b {
		return Place{How: Gone}
	}
	wordsFrom, wordsTo := p.old.wordsOn(a, b)
	places, counted := p.new.find(p.old.units[a:b])
	f := Place{How: Gone, Places: len(places)}
	at, how, around := p.decide(a, b, places, counted, p.lines, closeBy, p.old.letters(wordsFrom, wordsTo))
	if how == Gone {
		if at.from, at.to, f.Kept = p.similarLines(a, b); at.from >= at.to {
			return f
		}
		how = Similar
	} else {
		f.Kept = 1
	}
	for ; a > first && at.from > 0 && p.new.isBlank(at.from-1); a-- {
		at.from--
	}
	for ; b < end && at.to < len(p.new.lines) && p.new.isBlank(at.to); b++ {
		at.to++
	}
	f.How, f.Around = how, around
	f.From, f.To = int(p.new.lines[at.from].from), len(p.new.raw)
	if at.to < len(p.new.lines) {
		f.To = int(p.new.lines[at.to].from)
	}
	return f
}

// findWords finds words of a flowing text.
func (p *Pair) findWords(a, b int) Place {
	if a == b {
		return Place{How: Gone}
	}
	places, counted := p.new.find(p.old.units[a:b])
	f := Place{How: Gone, Places: len(places)}
	at, how, around := p.decide(a, b, places, counted, p.words, closeWords, p.old.letters(a, b))
	if how == Gone {
		if at.from, at.to, f.Kept = p.similarWords(a, b); f.Kept < leastKept {
			return f
		}
		how = Similar
	} else {
		f.Kept = 1
	}
	f.How, f.Around = how, around
	f.From, f.To = int(p.new.words[at.from].from), int(p.new.words[at.to-1].to)
	return f
}

// A span is a run of units of the new text.
type span struct{ from, to int }

// decide returns where units that are kept whole are, and how that is known.
func (p *Pair) decide(a, b int, places []int, counted bool, to []int32, near, letters int) (span, How, bool) {
	aligned := isRun(to[a:b])
	around := aligned && p.isAround(a, b, to, near)
	length := b - a
	switch {
	case aligned && len(places) == 1 && counted:
		return span{int(to[a]), int(to[a]) + length}, Unique, around
	case aligned && counted && p.isRivalled(a, b, int(to[a]), places, near):
		return span{int(to[a]), int(to[a]) + length}, Similar, false
	case aligned && (around || letters >= fewLetters):
		return span{int(to[a]), int(to[a]) + length}, Context, around
	case aligned:
		return span{int(to[a]), int(to[a]) + length}, Similar, false
	case len(places) != 1 || !counted:
		return span{}, Gone, false
	}
	moved := span{places[0], places[0] + length}
	if before, all := p.old.find(p.old.units[a:b]); letters >= fewLetters && len(before) == 1 && all {
		return moved, Unique, false
	}
	if slices.ContainsFunc(to[a:b], func(j int32) bool { return j >= 0 }) {
		return span{}, Gone, false // part of it is elsewhere
	}
	return moved, Similar, false
}

func isRun(to []int32) bool {
	for i, j := range to {
		if j < 0 || j != to[0]+int32(i) {
			return false
		}
	}
	return true
}

// isAround reports whether something with letters beside the units is still beside them
// in the new text, or both begin or end there.
func (p *Pair) isAround(a, b int, to []int32, near int) bool {
	start, end := int(to[a]), int(to[b-1])+1
	if a == 0 && start == 0 || b == len(to) && end == len(p.new.units) {
		return true
	}
	for k := 1; k <= near; k++ {
		if i := a - k; i >= 0 && to[i] >= 0 && int(to[i]) >= start-near && p.tells(i) {
			return true
		}
		if i := b - 1 + k; i < len(to) && to[i] >= 0 && int(to[i]) < end+near && p.tells(i) {
			return true
		}
	}
	return false
}

// isRivalled reports whether units that occur at more places than before are as likely
// at another place as at the aligned one, by what is beside them.
func (p *Pair) isRivalled(a, b, at int, places []int, near int) bool {
	if before, all := p.old.find(p.old.units[a:b]); !all || len(before) >= len(places) {
		return false
	}
	own := p.sidesKept(a, b, at, near)
	return slices.ContainsFunc(places, func(q int) bool { return q != at && p.sidesKept(a, b, q, near) >= own })
}

// sidesKept returns on how many sides of the units, if they are at a place of the new
// text, something with letters is still beside them, or the text begins or ends.
func (p *Pair) sidesKept(a, b, at, near int) (n int) {
	end := at + b - a
	isNear := func(i, from, to int) bool {
		return i >= 0 && i < len(p.old.units) && p.tells(i) && slices.Contains(p.new.units[max(from, 0):min(to, len(p.new.units))], p.old.units[i])
	}
	before, after := a == 0 && at == 0, b == len(p.old.units) && end == len(p.new.units)
	for k := 1; k <= near; k++ {
		before = before || isNear(a-k, at-near, at)
		after = after || isNear(b-1+k, end, end+near)
	}
	if before {
		n++
	}
	if after {
		n++
	}
	return n
}

// tells reports whether an old unit has letters.
func (p *Pair) tells(i int) bool {
	if p.flows {
		return p.old.words[i].letters
	}
	from, to := p.old.wordsOn(i, i+1)
	return p.old.letters(from, to) > 0
}

// letters returns the number of bytes in words that have letters.
func (t *text) letters(from, to int) (n int) {
	for _, w := range t.words[from:to] {
		if w.letters {
			n += int(w.to - w.from)
		}
	}
	return n
}

// find returns the places of units, at most [MaxPlaces], and whether these are all.
func (t *text) find(units []uint32) (at []int, all bool) {
	seed, fewest := 0, len(t.units)+1
	for i, id := range units {
		if n := len(t.placesOf(id)); n < fewest {
			seed, fewest = i, n
		}
	}
	work := compared
	for _, place := range t.placesOf(units[seed]) {
		from := int(place) - seed
		if from < 0 || from+len(units) > len(t.units) {
			continue
		}
		same := 0
		for same < len(units) && t.units[from+same] == units[same] {
			same++
		}
		if work -= same + 1; work < 0 || len(at) == MaxPlaces {
			return at, false
		}
		if same == len(units) {
			at = append(at, from)
		}
	}
	return at, true
}
