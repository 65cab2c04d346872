package anchor

import (
	"iter"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// names maps words and lines to numbers.
type names map[string]uint32

func (n names) id(s string) uint32 {
	id, ok := n[s]
	if !ok {
		id = uint32(len(n))
		n[strings.Clone(s)] = id
	}
	return id
}

// A word is a run of letters and digits, or another character that is not white space.
type word struct {
	from, to int32 // bytes of the text
	id       uint32
	letters  bool
}

// A line is a line without its end and the white space before that.
type line struct {
	from, to int32
	id       uint32
	word     int32 // first word on it
}

// A text is one version, split into lines and words.
type text struct {
	raw   string
	lines []line
	words []word

	units  []uint32 // the lines, or the words of a flowing text
	starts []int32  // offset in places for each number
	places []int32
}

// placesOf returns the places of a number among the units.
func (t *text) placesOf(id uint32) []int32 { return t.places[t.starts[id]:t.starts[id+1]] }

// read splits a text.
func read(raw string, flows bool, pages []int, n names) *text {
	t := &text{raw: raw}
	from := 0
	for l := range linesOf(raw) {
		ended := strings.TrimRightFunc(l, unicode.IsSpace)
		t.lines = append(t.lines, line{from: int32(from), to: int32(from + len(ended))})
		from += len(l)
	}
	var heads []bool
	if flows {
		heads = runningHeads(t, pages)
	}
	for i := range t.lines {
		l := &t.lines[i]
		l.word = int32(len(t.words))
		switch {
		case !flows:
			l.id = n.id("\n" + raw[l.from:l.to])
			t.addWords(l, n)
		case !heads[i]:
			t.addWords(l, n)
		}
	}
	if flows {
		t.joinHyphens(n)
	}
	return t
}

// linesOf yields lines with their ends: LF, CR or both.
func linesOf(raw string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for l := range strings.Lines(raw) {
			for {
				i := strings.IndexByte(l, '\r')
				if i < 0 || i+1 == len(l) || l[i+1] == '\n' {
					break
				}
				if !yield(l[:i+1]) {
					return
				}
				l = l[i+1:]
			}
			if !yield(l) {
				return
			}
		}
	}
}

// addWords adds the words of a line.
func (t *text) addWords(l *line, n names) {
	for at := int(l.from); at < int(l.to); {
		r, size := utf8.DecodeRuneInString(t.raw[at:l.to])
		switch {
		case unicode.IsSpace(r):
			at += size
			continue
		case isWordRune(r) && !standsAlone(r):
			size = wordLength(t.raw[at:l.to])
		}
		t.words = append(t.words, word{from: int32(at), to: int32(at + size), id: n.id(t.raw[at : at+size]), letters: isWordRune(r)})
		at += size
	}
}

func isWordRune(r rune) bool {
	return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' ||
		r >= utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r))
}

// standsAlone reports whether a letter is of a script without spaces.
func standsAlone(r rune) bool {
	return r >= 0x0e00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

func wordLength(s string) int {
	if i := strings.IndexFunc(s, func(r rune) bool { return !isWordRune(r) || standsAlone(r) }); i >= 0 {
		return i
	}
	return len(s)
}

// joinHyphens joins words that are divided at line ends.
func (t *text) joinHyphens(n names) {
	joined := t.words[:0]
	for i := 0; i < len(t.words); i++ {
		w := t.words[i]
		if i+2 < len(t.words) && t.dividesLine(t.words[i:i+3]) {
			w.id = n.id(t.raw[w.from:w.to] + t.raw[t.words[i+2].from:t.words[i+2].to])
			w.to = t.words[i+2].to
			i += 2
		}
		joined = append(joined, w)
	}
	t.words = joined
}

// dividesLine reports whether the second of three words is a hyphen that divides a word
// at a line end.
func (t *text) dividesLine(w []word) bool {
	hyphen := t.raw[w[1].from:w[1].to]
	next, _ := utf8.DecodeRuneInString(t.raw[w[2].from:])
	return w[0].letters && w[2].letters && w[0].to == w[1].from && (hyphen == "-" || hyphen == "‐") &&
		unicode.IsLower(next) && strings.Contains(t.raw[w[1].to:w[2].from], "\n")
}

// wordsOn returns the words on the lines [first, end).
func (t *text) wordsOn(first, end int) (from, to int) {
	from, to = len(t.words), len(t.words)
	if first < len(t.lines) {
		from = int(t.lines[first].word)
	}
	if end < len(t.lines) {
		to = int(t.lines[end].word)
	}
	return from, to
}

// wordsIn returns the words that begin in a range of bytes.
func (t *text) wordsIn(from, to int) (first, end int) {
	before := func(w word, at int) int { return int(w.from) - at }
	first, _ = slices.BinarySearchFunc(t.words, from, before)
	end, _ = slices.BinarySearchFunc(t.words, to, before)
	return first, end
}

// linesIn returns the lines that a range of bytes touches.
func (t *text) linesIn(from, to int) (first, end int) {
	end, _ = slices.BinarySearchFunc(t.lines, to, func(l line, at int) int { return int(l.from) - at })
	first, begins := slices.BinarySearchFunc(t.lines[:end], from, func(l line, at int) int { return int(l.from) - at })
	if !begins && first > 0 {
		first--
	}
	return first, end
}

// lineOf returns the line of a word.
func (t *text) lineOf(word int) int {
	at := t.words[word].from
	i, begins := slices.BinarySearchFunc(t.lines, at, func(l line, at int32) int { return int(l.from - at) })
	if !begins {
		i--
	}
	return i
}

func (t *text) isBlank(i int) bool { return t.lines[i].from == t.lines[i].to }

func (t *text) lineIDs() []uint32 {
	ids := make([]uint32, len(t.lines))
	for i, l := range t.lines {
		ids[i] = l.id
	}
	return ids
}

func (t *text) wordIDs() []uint32 {
	ids := make([]uint32, len(t.words))
	for i, w := range t.words {
		ids[i] = w.id
	}
	return ids
}

// count records the places of each line, or of each word of a flowing text; n is the
// number of different ones.
func (t *text) count(n int, flows bool) {
	t.units = t.lineIDs()
	if flows {
		t.units = t.wordIDs()
	}
	t.starts, t.places = make([]int32, n+1), make([]int32, len(t.units))
	for _, id := range t.units {
		t.starts[id+1]++
	}
	for i := range n {
		t.starts[i+1] += t.starts[i]
	}
	next := slices.Clone(t.starts)
	for i, id := range t.units {
		t.places[next[id]] = int32(i)
		next[id]++
	}
}

func (t *text) cost() int64 {
	return int64(len(t.raw) + 16*len(t.lines) + 16*len(t.words) + 4*(len(t.units)+len(t.starts)+len(t.places)))
}

const (
	headLines = 2 // lines at each edge of a page that may be running heads
	headPages = 3 // pages on which one must occur
)

// runningHeads reports which lines are repeated at the edges of pages, apart from
// numbers.
func runningHeads(t *text, pages []int) []bool {
	heads := make([]bool, len(t.lines))
	byText := make(map[string][]int)
	for i, from := range pages {
		to := len(t.raw)
		if i+1 < len(pages) {
			to = pages[i+1]
		}
		for _, at := range t.edges(from, to) {
			l := t.lines[at]
			key := withoutNumbers(t.raw[l.from:l.to])
			byText[key] = append(byText[key], at)
		}
	}
	for key, at := range byText {
		if key == "" || len(at) >= headPages {
			for _, i := range at {
				heads[i] = true
			}
		}
	}
	return heads
}

// edges returns the outermost nonblank lines of a page.
func (t *text) edges(from, to int) (at []int) {
	first, end := t.linesIn(from, to)
	for i := first; i < end && len(at) < headLines; i++ {
		if !t.isBlank(i) {
			at = append(at, i)
		}
	}
	top := len(at)
	for i := end - 1; i >= first && len(at) < top+headLines; i-- {
		if !t.isBlank(i) && !slices.Contains(at[:top], i) {
			at = append(at, i)
		}
	}
	return at
}

func withoutNumbers(line string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.IsDigit(r) {
			return -1
		}
		return r
	}, line))
}
