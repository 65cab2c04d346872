package table

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"
)

// A word is a run of characters without a space or a wide gap.
type word struct {
	runes    []rune
	boxes    []Box
	box      Box
	at       int  // index of its first character
	attached bool // no space stands before it
	raised   bool // it is a mark of a footnote, above the words beside it
	mark     int
}

func (w *word) height() float64 { return w.box.Y2 - w.box.Y1 }

func (b Box) union(c Box) Box {
	switch {
	case b == (Box{}):
		return c
	case c == (Box{}):
		return b
	}
	return Box{min(b.X1, c.X1), min(b.Y1, c.Y1), max(b.X2, c.X2), max(b.Y2, c.Y2)}
}

func (b Box) midX() float64 { return (b.X1 + b.X2) / 2 }
func (b Box) midY() float64 { return (b.Y1 + b.Y2) / 2 }

// contains reports whether the middle of c is in b.
func (b Box) contains(c Box) bool {
	x, y := c.midX(), c.midY()
	return x > b.X1 && x < b.X2 && y > b.Y1 && y < b.Y2
}

func (b Box) overlaps(c Box) bool {
	return b.X1 < c.X2 && c.X1 < b.X2 && b.Y1 < c.Y2 && c.Y1 < b.Y2
}

const (
	wordGap    = 0.5  // of the height of letters, from which a gap divides words
	columnGap  = 0.8  // likewise, from which it divides columns
	smallest   = 0.9  // of the height of letters, below which a raised one is a mark
	raisedBy   = 0.12 // of the height of letters
	hyphenRune = '\ufffe'
	softRune   = '\x02'
)

// wordsOf returns the words of a page in reading order. Divided, if not nil, returns a
// number for the place of a character; a word is in one place.
func wordsOf(chars []Char, divided func(Box) int) []word {
	var words []word
	var now *word
	place := 0
	space := true
	for i, c := range chars {
		if c.Box == (Box{}) {
			now, space = nil, true
			continue
		}
		if now != nil {
			last := now.boxes[len(now.boxes)-1]
			h := max(c.Box.Y2-c.Box.Y1, last.Y2-last.Y1)
			apart := max(c.Box.X1-last.X2, last.X1-c.Box.X2)
			level := math.Min(c.Box.Y2, last.Y2)-math.Max(c.Box.Y1, last.Y1) > 0.5*min(c.Box.Y2-c.Box.Y1, last.Y2-last.Y1)
			switch {
			case level && apart > wordGap*h:
				now, space = nil, true
			case c.Mark != now.mark || changes(c.Box, last) || !level && !isStacked(c.Box, last) || divided != nil && divided(c.Box) != place:
				now = nil
			}
		}
		if now == nil {
			words = append(words, word{at: i, attached: !space, mark: c.Mark})
			now = &words[len(words)-1]
			if divided != nil {
				place = divided(c.Box)
			}
		}
		r := c.Rune
		if r == hyphenRune || r == softRune {
			r = '-'
		}
		now.runes, now.boxes, now.box, space = append(now.runes, r), append(now.boxes, c.Box), now.box.union(c.Box), false
	}
	return words
}

// changes reports whether two characters beside each other differ in size as a raised
// mark does from a letter.
func changes(a, b Box) bool {
	ha, hb := a.Y2-a.Y1, b.Y2-b.Y1
	return min(ha, hb) < smallest*max(ha, hb)
}

// isStacked reports whether two characters follow each other upwards or downwards.
func isStacked(a, b Box) bool {
	return math.Min(a.X2, b.X2)-math.Max(a.X1, b.X1) > 0.5*min(a.X2-a.X1, b.X2-b.X1) &&
		max(a.Y1-b.Y2, b.Y1-a.Y2) < 0.2*(a.Y2-a.Y1)
}

// A line is a line of words in a cell.
type line struct {
	words []word
	box   Box
}

// linesOf groups words by their baselines, from top to bottom. Words that are raised or
// lowered belong to the line that they overlap.
func linesOf(words []word) []line {
	sorted := slices.Clone(words)
	slices.SortStableFunc(sorted, func(a, b word) int { return cmp.Compare(b.height(), a.height()) })
	var lines []line
	for _, w := range sorted {
		best, most := -1, 0.4*w.height()
		for i := range lines {
			if o := math.Min(w.box.Y2, lines[i].words[0].box.Y2) - math.Max(w.box.Y1, lines[i].words[0].box.Y1); o > most {
				best, most = i, o
			}
		}
		if best < 0 {
			lines = append(lines, line{})
			best = len(lines) - 1
		}
		lines[best].words = append(lines[best].words, w)
		lines[best].box = lines[best].box.union(w.box)
	}
	for i := range lines {
		slices.SortStableFunc(lines[i].words, func(a, b word) int { return cmp.Compare(a.box.X1, b.box.X1) })
	}
	slices.SortStableFunc(lines, func(a, b line) int { return cmp.Compare(a.words[0].box.midY(), b.words[0].box.midY()) })
	return lines
}

// A content is the text of a cell.
type content struct {
	text  string
	notes []string
	box   Box
	lines []line
}

// contentOf returns the text of words, which are all of a cell.
func contentOf(words []word) content {
	if len(words) == 0 {
		return content{}
	}
	var c content
	for _, w := range words {
		c.box = c.box.union(w.box)
	}
	if isTurned(words) {
		slices.SortStableFunc(words, func(a, b word) int { return cmp.Compare(a.at, b.at) })
		c.text = join(words, nil)
		return c
	}
	c.lines = linesOf(words)
	var texts []string
	for _, l := range c.lines {
		markRaised(l.words)
		if rtl(l.words) > 0 || isInOrder(l.words) {
			slices.SortStableFunc(l.words, func(a, b word) int { return cmp.Compare(a.at, b.at) })
		}
		if text := join(l.words, &c.notes); text != "" {
			texts = append(texts, text)
		}
	}
	c.text = strings.Join(texts, "\n")
	if c.text == "" { // a mark that stands alone is text
		c.text, c.notes = strings.Join(c.notes, " "), nil
	}
	return c
}

// isInOrder reports whether words sorted from left to right are in reading order.
func isInOrder(words []word) bool {
	return slices.IsSortedFunc(words, func(a, b word) int { return cmp.Compare(a.at, b.at) })
}

// isTurned reports whether words are written upwards or downwards.
func isTurned(words []word) bool {
	up, level := 0, 0
	for _, w := range words {
		for i := 1; i < len(w.boxes); i++ {
			a, b := w.boxes[i-1], w.boxes[i]
			if math.Abs(a.midY()-b.midY()) > math.Abs(a.midX()-b.midX()) {
				up++
			} else {
				level++
			}
		}
	}
	return up > 2 && up > 2*level
}

// baseline returns the lowest end of the large letters and digits of a line that stand on
// it; minus infinity if there are none. Of some fonts, the boxes are of the glyphs alone, so
// that a comma or a bracket ends below others.
func baseline(words []word, tall float64) float64 {
	low := math.Inf(-1)
	for _, w := range words {
		if w.height() < 0.75*tall {
			continue
		}
		for i, c := range w.runes {
			if unicode.IsDigit(c) || unicode.IsLetter(c) && !strings.ContainsRune("gjpqyQJ", c) {
				low = max(low, w.boxes[i].Y2)
			}
		}
	}
	return low
}

// markRaised marks the words of a line that are marks of footnotes.
func markRaised(words []word) {
	tall, bottom := 0.0, 0.0
	for _, w := range words {
		if h := w.height(); h > tall {
			tall, bottom = h, w.box.Y2
		}
	}
	if low := baseline(words, tall); !math.IsInf(low, -1) {
		bottom = low
	}
	for i := range words {
		w := &words[i]
		w.raised = len(w.runes) <= 5 && w.height() < smallest*tall && bottom-w.box.Y2 > raisedBy*tall && isNote(w.plainRunes()) && !isExponent(words, i) && !beginsWord(words, w) && !isBracketed(words, i)
	}
}

// beginsWord reports whether a letter, or more of a number, follows a word without a space.
func beginsWord(words []word, w *word) bool {
	end := w.at + len(w.runes)
	for point := false; ; point = true {
		i := slices.IndexFunc(words, func(next word) bool { return next.at == end && next.attached })
		if i < 0 {
			return false
		}
		next := words[i].plainRunes()
		switch r := next[0]; {
		case unicode.IsDigit(r), unicode.IsLetter(r) && !point:
			return true
		case point || !strings.ContainsRune(".,'’", r):
			return false
		case len(next) > 1:
			return unicode.IsDigit(next[1])
		}
		end++
	}
}

// plainDigits replaces the digits above or below the line by usual ones.
var plainDigits = strings.NewReplacer("⁰", "0", "¹", "1", "²", "2", "³", "3", "⁴", "4", "⁵", "5", "⁶", "6", "⁷", "7", "⁸", "8", "⁹", "9",
	"₀", "0", "₁", "1", "₂", "2", "₃", "3", "₄", "4", "₅", "5", "₆", "6", "₇", "7", "₈", "8", "₉", "9")

// plainRunes returns the runes of a word with usual digits.
func (w *word) plainRunes() []rune { return []rune(plainDigits.Replace(string(w.runes))) }

// isBracketed reports whether word i of a line is all that stands between two brackets that
// are not raised, as the unit in "Cost (m)".
func isBracketed(words []word, i int) bool {
	if i == 0 || i+1 == len(words) || !words[i].attached || !words[i+1].attached {
		return false
	}
	before, after := words[i-1].runes, words[i+1].runes
	return before[len(before)-1] == '(' && after[0] == ')'
}

// isExponent reports whether the number that word i of a line is, raised, may be part of
// the text before it, as in 10², m² and R².
func isExponent(words []word, i int) bool {
	if i == 0 || !unicode.IsDigit(words[i].plainRunes()[0]) || words[i].box.X1-words[i-1].box.X2 > 0.2*words[i-1].height() {
		return false
	}
	before := string(words[i-1].plainRunes())
	for k := i - 1; k > 0 && words[k].attached && words[k].box.X1-words[k-1].box.X2 < 0.2*words[k].height(); k-- {
		before = string(words[k-1].plainRunes()) + before
	}
	last := strings.TrimLeftFunc(before[strings.LastIndexFunc(before, func(c rune) bool { return !unicode.IsLetter(c) })+1:], unicode.IsDigit)
	if last == "" {
		return strings.HasSuffix(before, "10") || strings.HasSuffix(before, ")") && !isNumber(before)
	}
	return len([]rune(last)) <= 2
}

// isNote reports whether text can be the mark of a footnote: a letter, a number, signs, or
// several with commas. An exponent such as "-3" cannot.
func isNote(text []rune) bool {
	marks := strings.FieldsFunc(strings.Trim(string(text), "()[]"), func(c rune) bool { return c == ',' })
	for _, m := range marks {
		r := []rune(m)
		signs := strings.Trim(m, "*†‡§¶‖#∗⁎") == ""
		letter := len(r) == 1 && unicode.IsLower(r[0])
		number := len(r) <= 2 && strings.Trim(m, "0123456789") == ""
		if !signs && !letter && !number {
			return false
		}
	}
	return len(marks) > 0
}

// join returns the text of words, and adds the raised ones to notes if that is not nil.
func join(words []word, notes *[]string) string {
	var b strings.Builder
	for i, w := range words {
		if w.raised && notes != nil {
			mark := strings.Trim(string(w.plainRunes()), "()[],")
			*notes = append(*notes, strings.Split(mark, ",")...)
			continue
		}
		if b.Len() > 0 && !(w.attached && words[i-1].at+len(words[i-1].runes) == w.at) {
			b.WriteByte(' ')
		}
		b.WriteString(string(w.runes))
	}
	return b.String()
}

// rtl returns how many more letters are written from right to left than from left to
// right.
func rtl(words []word) int {
	n := 0
	for _, w := range words {
		for _, c := range w.runes {
			switch {
			case unicode.In(c, unicode.Hebrew, unicode.Arabic, unicode.Syriac, unicode.Thaana, unicode.Nko):
				n++
			case unicode.IsLetter(c):
				n--
			}
		}
	}
	return n
}

// isNumber reports whether text is a number, perhaps with a sign, a unit or brackets.
func isNumber(text string) bool {
	digits, others := 0, 0
	for _, c := range text {
		switch {
		case unicode.IsDigit(c):
			digits++
		case unicode.IsLetter(c):
			others++
		}
	}
	return digits > 0 && others <= 3 && others < 2*digits
}
