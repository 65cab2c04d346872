package quotation

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
)

// What makes a quote an altered one: the share of words that it must have in
// common with its source.
const (
	alike        = .70
	alikeShort   = .75 // of quotes under sixShort words
	alikeLetters = .50 // where all letters are the same
	sixShort     = 6
)

// Bounds of the search for what a quote is like.
const (
	maxHits    = 60_000 // places of words that vote
	maxWindows = 6      // parts that are compared
	chunkWords = 320    // words that are compared at once
	slack      = 12     // words that a part may have more at each end
)

// Nearest returns the part of the text that a quote is like: repaired if it stands
// there over the edges of pages, else with the difference. It reports whether there
// is one. Find must have found nothing.
func (t *Text) Nearest(q *Quote, from, to int) (Match, bool) {
	in := part{max(0, from), min(to, len(t.raw))}
	best, ok := Match{}, false
	for _, m := range t.Find(q, in.from, in.to, 1).near {
		if m = t.altered(q, m); m.Similarity >= alikeLetters && (!ok || m.Similarity > best.Similarity) {
			best, ok = m, true
		}
	}
	if ok {
		return best, true
	}
	words := wordsOf(q.raw, nil)
	if len(words.keys) == 0 {
		return Match{}, false
	}
	windows := t.windows(words.keys, in)
	for _, w := range windows {
		if m, ok := t.overBreaks(q, w, in); ok {
			return m, true
		}
	}
	return t.nearestOf(q, words.keys, windows, in)
}

// altered returns a match with the difference between it and the quote, out to the
// edges of words.
func (t *Text) altered(q *Quote, m Match) Match {
	m.Exact, m.Repairs = false, nil
	if len(m.Difference) > 0 { // by what an ellipsis must not leave out
		m.Similarity = 1 - .1*float64(min(5, len(m.Difference)))
		return m
	}
	m.From, m.To = t.wordEdges(m.From, m.To, q.raw)
	m.Difference, m.Similarity = Compare(q.raw, t.raw[m.From:m.To])
	if len(m.Difference) == 0 {
		m.Difference = []Change{{Quote: shown(q.raw), Source: shown(t.raw[m.From:m.To])}}
	}
	m.Similarity = min(m.Similarity, .99)
	return m
}

// wordEdges widens a part to whole words, with the signs on them that belong there.
func (t *Text) wordEdges(from, to int, quote string) (int, int) {
	first, _ := utf8.DecodeRuneInString(quote)
	last, _ := utf8.DecodeLastRuneInString(quote)
	for n := 0; from > 0 && n < 64; n++ {
		r, size := utf8.DecodeLastRuneInString(t.raw[:from])
		if isSpace(r) || isAlone(r) && !t.isCutBefore(from) || !isWordRune(r) && t.beginsWord(from) && isWordRune(first) {
			break
		}
		from -= size
	}
	for n := 0; to < len(t.raw) && n < 64; n++ {
		r, size := utf8.DecodeRuneInString(t.raw[to:])
		if isSpace(r) || isAlone(r) || !isWordRune(r) && t.endsWord(to) && isWordRune(last) || !isWordRune(r) && n > 2 {
			break
		}
		to += size
	}
	return from, to
}

// isCutBefore reports whether what stands before an offset turns round what follows.
func (t *Text) isCutBefore(at int) bool { return isAlone(t.runeAt(at)) && !t.beginsWord(at) }

// A window is some words of the text.
type window struct {
	from, to int // numbers of words
	votes    float64
}

// windows returns the parts of the text that share the most and rarest words with a
// quote, best first.
func (t *Text) windows(quote []uint32, in part) []window {
	first, last := t.words.index(in.from), t.words.index(in.to)
	keys := t.words.keys[first:last]
	count := countWords(quote, keys)
	rare := rarest(count)
	width := len(quote) + 2*slack
	var hits []hit
	for i, k := range keys {
		if n, ok := rare[k]; ok {
			hits = append(hits, hit{first + i, k, 1 / (1 + 1000*float64(n)/float64(len(keys)+1))})
		}
	}
	return bestWindows(hits, width)
}

// A hit is a word of the text that the quote has.
type hit struct {
	at     int
	key    uint32
	weight float64
}

// countWords counts the words of a text that a quote has.
func countWords(quote, text []uint32) map[uint32]int {
	count := make(map[uint32]int, len(quote))
	var filter [1 << 10]uint64
	for _, k := range quote {
		count[k] = 0
		filter[k>>6&1023] |= 1 << (k & 63)
	}
	for _, k := range text {
		if filter[k>>6&1023]>>(k&63)&1 == 0 {
			continue
		}
		if _, ok := count[k]; ok {
			count[k]++
		}
	}
	return count
}

// rarest returns the words that are rare enough for all of their places to vote.
func rarest(count map[uint32]int) map[uint32]int {
	keys := make([]uint32, 0, len(count))
	for k, n := range count {
		if n > 0 {
			keys = append(keys, k)
		}
	}
	slices.SortFunc(keys, func(a, b uint32) int { return cmp.Or(cmp.Compare(count[a], count[b]), cmp.Compare(a, b)) })
	rare, hits := make(map[uint32]int, len(keys)), 0
	for _, k := range keys {
		if hits += count[k]; hits > maxHits && len(rare) > 0 {
			break
		}
		rare[k] = count[k]
	}
	return rare
}

// bestWindows returns the windows of a width whose words weigh most, each word
// counting once, apart from one another.
func bestWindows(hits []hit, width int) (best []window) {
	inside := make(map[uint32]int)
	votes, j := 0.0, 0
	for i, h := range hits {
		if inside[h.key]++; inside[h.key] == 1 {
			votes += h.weight
		}
		for h.at-hits[j].at > width {
			if inside[hits[j].key]--; inside[hits[j].key] == 0 {
				votes -= hits[j].weight
			}
			j++
		}
		best = offer(best, window{hits[j].at, hits[i].at + 1, votes}, width)
	}
	return best
}

// offer keeps a window among the best if it is one of them; of those that lie in
// each other's way the better one.
func offer(best []window, w window, width int) []window {
	if len(best) == maxWindows && w.votes <= best[maxWindows-1].votes {
		return best
	}
	for i, b := range best {
		if w.from-b.from < width/2+1 && b.from-w.from < width/2+1 {
			if w.votes <= b.votes {
				return best
			}
			best = slices.Delete(best, i, i+1)
			break
		}
	}
	i := 0
	for i < len(best) && best[i].votes >= w.votes {
		i++
	}
	best = slices.Insert(best, i, w)
	return best[:min(len(best), maxWindows)]
}

// nearestOf compares a quote with windows word by word.
func (t *Text) nearestOf(q *Quote, quote []uint32, windows []window, in part) (Match, bool) {
	var best alignment
	for _, w := range windows {
		from := max(w.from-slack, t.words.index(in.from))
		to := min(max(w.to, w.from+len(quote))+slack, t.words.index(in.to))
		if a := alignLong(quote, t.words.keys[from:to]); a.similarity > best.similarity {
			a.from, a.to = a.from+from, a.to+from
			best = a
		}
	}
	need := alike
	if len(quote) < sixShort {
		need = alikeShort
	}
	if best.similarity < need || best.from >= best.to {
		return Match{}, false
	}
	m := Match{From: int(t.words.at[best.from]), To: t.words.end(t.raw, best.to-1)}
	return t.altered(q, m), true
}

// overBreaks finds a quote that goes over the edge of a page near a window, between
// whose halves there is a page number, a running head or a note.
func (t *Text) overBreaks(q *Quote, w window, in part) (Match, bool) {
	if len(t.opt.Pages) == 0 || len(t.words.at) == 0 {
		return Match{}, false
	}
	reach := 4*len(q.raw) + 200
	near := part{int(t.words.at[w.from]) - reach, int(t.words.at[w.to-1]) + reach}
	letters := lettersOf(q.raw)
	for _, b := range t.breaks(near) {
		for _, from := range slices.Concat([]int{b.at}, b.tails) {
			for _, to := range slices.Concat([]int{b.at}, b.heads) {
				if from == to {
					continue
				}
				if m, ok := t.leavingOut(q, letters, part{from, to}, part{max(in.from, b.at-8000-reach), min(in.to, b.at+reach)}); ok {
					return m, true
				}
			}
		}
	}
	return Match{}, false
}

// leavingOut finds a quote in a part of the text of which a further part is left out.
func (t *Text) leavingOut(q *Quote, letters []byte, left, in part) (Match, bool) {
	var skips []part
	if t.body != nil {
		skips = t.body.skips
	}
	skips = within(skips, in)
	skips = slices.DeleteFunc(skips, func(p part) bool { return p.from >= left.from && p.to <= left.to })
	skips = append(skips, left)
	slices.SortFunc(skips, func(a, b part) int { return cmp.Compare(a.from, b.from) })
	reach := 4*len(q.raw) + 200
	f := &form{text: t.raw[:in.to], skips: skips}
	var at []int
	s := f.scan(max(in.from, left.from-reach))
	for l, ok := s.next(); ok; l, ok = s.next() {
		f.letters = append(f.letters, l.find()...)
		for range l.n {
			at = append(at, l.from)
		}
	}
	var found Match
	ok := false
	f.find(letters, 0, len(f.letters), func(key int) bool {
		if key > 0 && at[key-1] == at[key] {
			return true
		}
		found, _, ok = t.compare(q.raw, f.scan(at[key]))
		return !ok
	})
	if !ok || found.From >= left.from || found.To <= left.to {
		return Match{}, false
	}
	found.Similarity = 1
	return found, true
}

// within returns a copy of the parts, which are in order, that lie in another.
func within(parts []part, in part) (inside []part) {
	for _, p := range parts {
		if p.from >= in.to {
			break
		}
		if p.from >= in.from && p.to <= in.to {
			inside = append(inside, p)
		}
	}
	return inside
}

func shown(s string) string {
	const most = 300
	if s = strings.Join(strings.Fields(s), " "); len(s) <= most {
		return s
	}
	cut := most
	for !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "…"
}
