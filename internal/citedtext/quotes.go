package citedtext

import (
	"bytes"
	"slices"
	"unicode"
	"unicode/utf8"
)

// pairs are the marks that open a quote, each with the marks that may close it.
var pairs = map[rune]string{
	'“': "”", '„': "“”", '‟': "”", '”': "”", // the last in Swedish and Finnish
	'«': "»", '»': "«", '‹': "›", '›': "‹", // the second and the last in German and Danish
	'‘': "’", '‚': "‘’",
	'「': "」", '『': "』", '｢': "｣", '〝': "〞〟",
	'＂': "＂", '"': `"`, '\'': "'",
}

// closes has, for each mark that closes a quote, the marks that may have opened
// it.
var closes = func() map[rune][]rune {
	all := make(map[rune][]rune)
	for opening, closing := range pairs {
		for _, r := range closing {
			all[r] = append(all[r], opening)
		}
	}
	return all
}()

// A quoteReader pairs quotation marks.
type quoteReader struct {
	open  []openMark
	count map[rune]int // of the marks that are open
	found []span
}

type openMark struct {
	mark rune
	at   int // behind it
}

// findQuotes finds the outermost quotes of a block, between their marks. Code
// has no quotes; text in the brackets of links is treated like other text.
func (b *block) findQuotes() {
	q := quoteReader{count: make(map[rune]int)}
	code, before := b.code, ' '
	for i := 0; i < len(b.shown); {
		if len(code) > 0 && i >= code[0].from {
			i, before, code = max(i, code[0].to), 'x', code[1:]
			continue
		}
		r, size := rune(b.shown[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRune(b.shown[i:])
		}
		switch {
		case r == '\\':
			size = 2
		case r == 0: // invisible
			i++
			continue
		case isMark(r):
			q.take(r, before, b.next(i+size), i, i+size)
		}
		before = r
		i += size
	}
	b.quotes = slices.DeleteFunc(outermost(q.found), b.isNoQuote)
}

// next returns the next visible character; utf8.RuneError at the end.
func (b *block) next(i int) rune {
	for i < len(b.shown) && b.shown[i] == 0 {
		i++
	}
	r, _ := utf8.DecodeRune(b.shown[i:])
	return r
}

// isNoQuote reports whether a quote has no words, or is a single word between
// apostrophes, which may have other uses.
func (b *block) isNoQuote(q span) bool {
	quoted := b.shown[q.from:q.to]
	return !bytes.ContainsFunc(quoted, isWord) || b.shown[q.from-1] == '\'' && !bytes.ContainsAny(quoted, " \n")
}

func isMark(r rune) bool {
	if r < utf8.RuneSelf {
		return r == '"' || r == '\''
	}
	_, opens := pairs[r]
	return opens || closes[r] != nil
}

// take handles a mark between two characters.
func (q *quoteReader) take(mark, before, after rune, from, to int) {
	inWord := isWord(before) && isWord(after) && !isWide(before) && !isWide(after)
	if (mark == '’' || mark == '\'' || mark == '"') && inWord {
		return // an apostrophe, or a second of arc
	}
	if q.closes(mark, before, after) {
		q.close(mark, from)
		return
	}
	if _, opens := pairs[mark]; !opens || unicode.IsSpace(after) && mark != '«' || after == utf8.RuneError {
		return
	}
	if (symmetric(mark) || closes[mark] != nil) && !isBefore(before) {
		return // inches, or a closing mark without an opening one
	}
	if symmetric(mark) && q.count[mark] > 0 {
		q.drop(mark)
	}
	q.open = append(q.open, openMark{mark, to})
	q.count[mark]++
}

// closes reports whether a mark closes an open quote.
func (q *quoteReader) closes(mark, before, after rune) bool {
	any := slices.ContainsFunc(closes[mark], func(opening rune) bool { return q.count[opening] > 0 })
	switch {
	case !any:
		return false
	case symmetric(mark) && mark != '＂':
		return !unicode.IsSpace(before) || unicode.IsSpace(after) || after == utf8.RuneError
	case mark == '“' || mark == '‘' || mark == '”': // it may open an inner quote
		return !unicode.IsSpace(before) || !isWord(after)
	}
	return true
}

// symmetric reports whether a mark opens and closes quotes alike.
func symmetric(mark rune) bool { return mark == '"' || mark == '\'' || mark == '＂' }

// close ends the quote that a mark closes, and drops quotes still open in it.
func (q *quoteReader) close(mark rune, at int) {
	for n := len(q.open) - 1; n >= 0; n-- {
		o := q.open[n]
		q.open = q.open[:n]
		q.count[o.mark]--
		if slices.Contains(closes[mark], o.mark) {
			q.found = append(q.found, span{o.at, at})
			return
		}
	}
}

// drop drops the last quote that a mark opened, and quotes still open in it.
func (q *quoteReader) drop(mark rune) {
	for n := len(q.open) - 1; n >= 0; n-- {
		o := q.open[n]
		q.open = q.open[:n]
		q.count[o.mark]--
		if o.mark == mark {
			return
		}
	}
}

// isBefore reports whether a quote may begin after a character.
func isBefore(r rune) bool {
	return unicode.IsSpace(r) || unicode.In(r, unicode.Ps, unicode.Pi, unicode.Pd) || isMark(r) || isWide(r) || unicode.IsPunct(r) && r > unicode.MaxASCII ||
		r == '*' || r == '_' || r == ':' || r == '/' || r == '='
}

// isWord reports whether a character can be part of a word.
func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// isWide reports whether a character belongs to a script without spaces.
func isWide(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai)
}

// outermost returns the spans that are in no other, in order. No two cross.
func outermost(all []span) []span {
	slices.SortFunc(all, func(a, b span) int { return a.from - b.from })
	var outer []span
	for _, s := range all {
		if n := len(outer); n == 0 || s.from >= outer[n-1].to {
			outer = append(outer, s)
		}
	}
	return outer
}
