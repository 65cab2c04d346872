package quotation

import (
	"cmp"
	"slices"
	"unicode/utf8"
)

// Similarity, the share of common words, from which a quote counts as altered from its
// source.
const (
	alike        = .70
	alikeShort   = .75 // of quotes with fewer than sixShort words
	alikeLetters = .50 // if all letters are the same
	sixShort     = 6

	// halfOfIt is the share of the votes that half of a quote can have.
	halfOfIt = .35
)

// Limits of the search for what a quote resembles.
const (
	maxHits       = 60_000   // places of words with a vote
	maxWindows    = 6        // windows that are compared
	maxOverBreaks = 64 << 20 // bytes that are compared across page breaks
	chunkWords    = 320      // words that are compared at once
	slack         = 12       // extra words at each end of a window
)

// Nearest returns the part of the text that a quote resembles: with repairs if it is
// the quote across page breaks, else with the difference. It returns false if there is
// none. Found is the result of [Text.Find] for the same part, without a match.
func (t *Text) Nearest(q *Quote, from, to int, found *Places) (Match, bool) {
	in := part{max(0, from), min(to, len(t.raw))}
	best, ok := Match{}, false
	for _, m := range found.near {
		if m = t.altered(q, m); m.Similarity >= alikeLetters && (!ok || m.Similarity > best.Similarity) {
			best, ok = m, true
		}
	}
	if ok {
		return best, true
	}
	words := wordsOf(q.raw)
	if len(words.keys) == 0 {
		return Match{}, false
	}
	windows := t.windows(words.keys, in)
	tries := &tries{breaks: make(map[int]bool), left: maxOverBreaks}
	for _, w := range windows {
		if m, ok := t.overBreaks(q, w, in, tries); ok {
			return m, true
		}
	}
	if len(q.pieces) > 1 {
		if m, ok := t.nearestPieces(q, in); ok {
			return m, true
		}
	}
	return t.nearestOf(q, words.keys, windows, in)
}

// nearestPieces returns the part of the text that a quote with ellipses resembles. It
// starts from the longest piece that is found or resembles something, and adds the
// others.
func (t *Text) nearestPieces(q *Quote, in part) (Match, bool) {
	longest := 0
	for i, p := range q.pieces {
		if len(p.letters) > len(q.pieces[longest].letters) {
			longest = i
		}
	}
	anchor, ok := t.nearestPiece(q.pieces[longest], in)
	if !ok {
		return Match{}, false
	}
	whole, words, common := anchor, 0.0, 0.0
	whole.Difference, whole.Repairs = nil, nil
	at := anchor
	for i, p := range q.pieces {
		n := float64(len(wordsOf(p.raw).keys))
		words += n
		m := anchor
		if i < longest {
			m, ok = t.nearestPiece(p, part{max(in.from, anchor.From-maxLeftOut-4*len(p.raw)), anchor.From})
		} else if i > longest {
			m, ok = t.nearestPiece(p, part{at.To, min(in.to, at.To+maxLeftOut+4*len(p.raw))})
			at = m
		}
		if i != longest && !ok {
			whole.Difference = append(whole.Difference, Change{Quote: shown(p.raw)})
			at = anchor
			continue
		}
		whole.From, whole.To = min(whole.From, m.From), max(whole.To, m.To)
		whole.Difference = append(whole.Difference, m.Difference...)
		common += n * m.Similarity
	}
	whole.Similarity, whole.Exact = common/words, false
	return whole, len(whole.Difference) > 0 && whole.Similarity >= alike
}

// nearestPiece returns the place of a piece of a quote, or what it resembles.
func (t *Text) nearestPiece(p piece, in part) (Match, bool) {
	one := &Quote{raw: p.raw, pieces: []piece{p}}
	found := t.Find(one, in.from, in.to, 1)
	if len(found.Matches) > 0 {
		return found.Matches[0], true
	}
	return t.Nearest(one, in.from, in.to, found)
}

// altered returns a match widened to whole words, with its difference from the quote.
func (t *Text) altered(q *Quote, m Match) Match {
	m.Exact, m.Repairs = false, nil
	if len(m.Difference) > 0 { // an ellipsis leaves out what it must not
		m.Similarity = 1 - .1*float64(min(5, len(m.Difference)))
		return m
	}
	m.From, m.To = t.wordEdges(m.From, m.To, q.raw)
	source := t.raw[m.From:m.To]
	if t.body != nil && len(t.opt.Pages) > 0 {
		source, _ = without(t.raw, part{m.From, m.To}, within(t.body.from(m.From), part{m.From, m.To}))
	}
	m.Difference, m.Similarity = Compare(q.raw, source)
	if len(m.Difference) == 0 {
		m.Difference = []Change{{Quote: shown(q.raw), Source: shown(t.raw[m.From:m.To])}}
	}
	m.Similarity = min(m.Similarity, .99)
	return m
}

// wordEdges widens a part to whole words and the signs that belong to them.
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

// isCutBefore reports whether the text before an offset reverses the meaning of what
// follows.
func (t *Text) isCutBefore(at int) bool { return isAlone(t.runeAt(at)) && !t.beginsWord(at) }

// A window is a run of words of the text.
type window struct {
	from, to int // numbers of words
	votes    float64
	share    float64 // of the possible votes
}

// windows returns the parts of the text that share the most and rarest words with a
// quote, best first.
func (t *Text) windows(quote []uint32, in part) []window {
	first, last := t.words.index(in.from), t.words.index(in.to)
	keys := t.words.keys[first:last]
	count, places := countWords(quote, keys)
	rare := rarest(count)
	width := len(quote) + 2*slack
	var hits []hit
	for _, i := range places {
		if n, ok := rare[keys[i]]; ok {
			hits = append(hits, hit{first + int(i), keys[i], weightOf(n, len(keys))})
		}
	}
	all := 0.0
	for _, n := range count {
		all += weightOf(n, len(keys))
	}
	best := bestWindows(hits, width)
	for i := range best {
		best[i].share = best[i].votes / all
	}
	return best
}

// weightOf returns the weight of a word that occurs n times in a text.
func weightOf(n, words int) float64 { return 1 / (1 + 1000*float64(n)/float64(words+1)) }

// A hit is a place in the text of a word that the quote has.
type hit struct {
	at     int
	key    uint32
	weight float64
}

// countWords counts the words of a text that are in the quote, and returns their
// places.
func countWords(quote, text []uint32) (count map[uint32]int, places []int32) {
	count = make(map[uint32]int, len(quote))
	var filter [1 << 10]uint64
	for _, k := range quote {
		count[k] = 0
		filter[k>>6&1023] |= 1 << (k & 63)
	}
	for i, k := range text {
		if filter[k>>6&1023]>>(k&63)&1 == 0 {
			continue
		}
		if n, ok := count[k]; ok {
			count[k] = n + 1
			places = append(places, int32(i))
		}
	}
	return count, places
}

// rarest returns the words rare enough that all their places can vote.
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

// bestWindows returns the windows of a width whose words weigh most. Each word counts
// once, and windows do not overlap.
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
		best = offer(best, window{from: hits[j].at, to: hits[i].at + 1, votes: votes}, width)
	}
	return best
}

// offer keeps a window if it is among the best. Of overlapping windows it keeps the
// better.
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

// nearestOf compares a quote with windows, word by word.
func (t *Text) nearestOf(q *Quote, quote []uint32, windows []window, in part) (Match, bool) {
	need := alike
	if len(quote) < sixShort {
		need = alikeShort
	}
	var best alignment
	for _, w := range windows {
		from := max(w.from-slack, t.words.index(in.from))
		to := min(max(w.to, w.from+len(quote))+slack, t.words.index(in.to))
		if a := alignLong(quote, t.words.keys[from:to]); a.similarity > best.similarity {
			a.from, a.to = a.from+from, a.to+from
			best = a
		}
		if a, ok := t.alignBody(quote, from, to); ok && a.similarity > best.similarity {
			best = a
		}
	}
	if best.similarity < need && len(t.opt.Pages) > 0 {
		return t.alteredOverBreaks(q, quote, windows, in, need)
	}
	if best.similarity < need || best.from >= best.to {
		return Match{}, false
	}
	m := t.altered(q, Match{From: int(t.words.at[best.from]), To: t.words.end(t.raw, best.to-1)})
	m.Similarity = min(max(m.Similarity, best.similarity), .99) // signs between words may join them
	return m, true
}

// alignBody aligns a quote with a run of words, ignoring running heads. It returns
// false if there are none to ignore.
func (t *Text) alignBody(quote []uint32, from, to int) (alignment, bool) {
	if len(t.opt.Pages) == 0 || t.body == nil || from >= to {
		return alignment{}, false
	}
	heads := within(t.body.from(int(t.words.at[from])), part{int(t.words.at[from]), t.words.end(t.raw, to-1)})
	if len(heads) == 0 {
		return alignment{}, false
	}
	return t.alignWithout(quote, from, to, heads)
}

// alignWithout aligns a quote with a run of words, ignoring those in some parts.
func (t *Text) alignWithout(quote []uint32, from, to int, left []part) (alignment, bool) {
	var keys []uint32
	var numbers []int
	for i := from; i < to; i++ {
		at := int(t.words.at[i])
		for len(left) > 0 && left[0].to <= at {
			left = left[1:]
		}
		if len(left) == 0 || at < left[0].from {
			keys, numbers = append(keys, t.words.keys[i]), append(numbers, i)
		}
	}
	a := alignLong(quote, keys)
	if a.from >= a.to {
		return alignment{}, false
	}
	a.from, a.to = numbers[a.from], numbers[a.to-1]+1
	return a, true
}

// alteredOverBreaks returns what a quote across a page break resembles, ignoring what
// separates its halves there.
func (t *Text) alteredOverBreaks(q *Quote, quote []uint32, windows []window, in part, need float64) (Match, bool) {
	var best alignment
	var left part
	for _, w := range windows {
		if w.share < halfOfIt || len(quote) > chunkWords {
			continue
		}
		reach := 4*len(q.raw) + 200
		for _, b := range t.breaks(part{int(t.words.at[w.from]) - reach, int(t.words.at[w.to-1]) + reach}) {
			from, to := t.words.index(max(in.from, b.at-reach-4000)), t.words.index(min(in.to, b.at+reach))
			b.each(func(p part) bool {
				near := max(from, t.words.index(p.from)-len(quote)-slack)
				if a, ok := t.alignWithout(quote, near, min(to, t.words.index(p.to)+len(quote)+slack), []part{p}); ok && a.similarity > best.similarity {
					best, left = a, p
				}
				return true
			})
		}
	}
	if best.similarity < need {
		return Match{}, false
	}
	m := Match{From: int(t.words.at[best.from]), To: t.words.end(t.raw, best.to-1)}
	m.From, m.To = t.wordEdges(m.From, m.To, q.raw)
	source, _ := without(t.raw, part{m.From, m.To}, []part{left})
	m.Difference, m.Similarity = Compare(q.raw, source)
	m.Similarity = min(m.Similarity, .99)
	return m, len(m.Difference) > 0
}

// tries records the attempts to find a quote across page breaks.
type tries struct {
	breaks map[int]bool
	left   int // bytes that may still be examined
}

// overBreaks finds a quote across a page break near a window, with a page number,
// running head or note between its halves. It skips page breaks already tried.
func (t *Text) overBreaks(q *Quote, w window, in part, tries *tries) (Match, bool) {
	if len(t.opt.Pages) == 0 || w.share < halfOfIt {
		return Match{}, false
	}
	reach := 4*len(q.raw) + 200
	near := part{int(t.words.at[w.from]) - reach, int(t.words.at[w.to-1]) + reach}
	letters := lettersOf(q.raw)
	for _, b := range t.breaks(near) {
		if tries.breaks[b.at] {
			continue
		}
		tries.breaks[b.at] = true
		var found Match
		ok := false
		b.each(func(left part) bool {
			found, ok = t.leavingOut(q, letters, left, part{max(in.from, b.at-8000-reach), min(in.to, b.at+reach)}, tries)
			return !ok && tries.left > 0
		})
		if ok {
			return found, true
		}
	}
	return Match{}, false
}

// leavingOut finds a quote in a part of the text, with a further part left out.
func (t *Text) leavingOut(q *Quote, letters []byte, left, in part, tries *tries) (Match, bool) {
	for _, form := range []*form{{}, t.body, t.bare} {
		if form == nil {
			continue
		}
		skips := slices.DeleteFunc(within(form.from(in.from), in), func(p part) bool { return p.from < left.to && left.from < p.to })
		if m, ok := t.withoutParts(q, letters, joined(skips, []part{left}), left, in, tries); ok {
			return m, true
		}
	}
	return Match{}, false
}

// withoutParts finds a quote in a part of the text, skipping some parts of it.
func (t *Text) withoutParts(q *Quote, letters []byte, skips []part, left, in part, tries *tries) (Match, bool) {
	reach := 4*len(q.raw) + 200
	f := &form{text: t.raw[:in.to], skips: skips}
	var at []int
	s := f.scan(max(in.from, left.from-reach))
	tries.left -= in.to - s.at
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
		var took int
		found, took, _, ok = t.compare(q.raw, f.scan(at[key]))
		tries.left -= took
		return !ok && tries.left > 0
	})
	if !ok || found.From >= left.from || found.To <= left.to {
		return Match{}, false
	}
	found.Similarity = 1
	return found, true
}

// within returns a copy of those parts, of a sorted list, that lie inside in.
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
