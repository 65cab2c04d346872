package quotation

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/citekit/citekit/internal/lazyregexp"
)

// maxWordsOut is how many words an ellipsis may leave out: a sentence or two.
const maxWordsOut = 50

// splice returns why a quote may not leave out a part of the text before a piece of
// it, or "" if it may. What stands on both sides must belong together: it is in one
// paragraph, cell or block, with few words between, and what is left out does not
// turn it round.
func (t *Text) splice(out part, next string) string {
	text := t.raw[out.from:out.to]
	switch {
	case turnsRound(text):
		return "a negation is left out"
	case t.crosses(out):
		return "it joins two paragraphs, headings, cells or blocks"
	case countsWords(text) > maxWordsOut:
		return fmt.Sprintf("more than %d words are left out", maxWordsOut)
	case takesNumber(text, next):
		return "a number is left out before another"
	}
	return ""
}

// crosses reports whether a part of the text has the end of a paragraph, a cell or a
// block in it.
func (t *Text) crosses(out part) bool {
	i, _ := slices.BinarySearch(t.opt.Breaks, max(out.from, 1))
	if i < len(t.opt.Breaks) && t.opt.Breaks[i] <= out.to {
		return true
	}
	text := t.raw[out.from:out.to]
	switch {
	case t.opt.Subtitles:
		return false // each is a paragraph
	case strings.Contains(strings.TrimLeft(lineStart.ReplaceAllString(text, "\n"), "\n"), "\t"):
		return true
	case t.opt.Delimiter != 0:
		if strings.Contains(text, "\n") {
			return true
		}
		for at := out.from; at < out.to; at++ {
			if t.isDelimiter(at) {
				return true
			}
		}
		return false
	case t.opt.Markdown && blockTag.MatchString(text):
		return true
	case !t.opt.Verbatim && len(t.opt.Pages) == 0 && blockLine.MatchString(text):
		return true
	case len(t.opt.Pages) > 0 && bullet.MatchString(text):
		return true
	}
	return slices.ContainsFunc(emptyLine.FindAllStringIndex(text, -1), func(at []int) bool {
		return !t.isPageBreak(part{out.from + at[0], out.from + at[1]})
	})
}

// isPageBreak reports whether a page begins in or right behind a part of the text.
func (t *Text) isPageBreak(p part) bool {
	i, _ := slices.BinarySearch(t.opt.Pages, p.from)
	return i < len(t.opt.Pages) && t.opt.Pages[i] <= p.to
}

var (
	emptyLine = lazyregexp.New(`\n[ \t\r]*\n\s*`)
	lineStart = lazyregexp.New(`\n[ \t]+`)

	// blockLine is the start of a heading, an item of a list or a row of a table, in
	// a text for people.
	blockLine = lazyregexp.New(`\n[ \t]*(#{1,6} |={2,}|-{3,}|\||[-*+•●] |[0-9]{1,3}[.)] )`)

	// bullet is the start of an item on a page, where a dash may begin a line of prose.
	bullet = lazyregexp.New(`\n[ \t]*[•●▪◦‣] `)

	blockTag = lazyregexp.New(`(?i)</?(p|div|h[1-6]|[uod]l|li|d[td]|tr|t[dh]|table|section|article|blockquote|pre)[\s>/]`)
)

// countsWords returns the number of words of a text. Two letters of a script without
// spaces count as one.
func countsWords(text string) int {
	letters := 0
	for _, r := range text {
		if isAlone(r) {
			letters++
		}
	}
	return len(strings.Fields(text)) + letters/2
}

// takesNumber reports whether a quote goes on with a number where the text that it
// leaves out has one, so that it may give a number to what has another.
func takesNumber(out, next string) bool {
	words := strings.Fields(next)
	return strings.ContainsFunc(out, unicode.IsDigit) && slices.ContainsFunc(words[:min(2, len(words))], func(word string) bool {
		return strings.ContainsFunc(word, unicode.IsDigit)
	})
}

// ends returns a text in at most so many bytes: its start and its end.
func ends(text string, most int) string {
	if len(text) <= most {
		return text
	}
	const between = " … "
	half := (most - len(between)) / 2
	from, to := half, len(text)-half
	for !utf8.RuneStart(text[from]) {
		from--
	}
	for !utf8.RuneStart(text[to]) {
		to++
	}
	return strings.TrimRight(text[:from], " ") + between + strings.TrimLeft(text[to:], " ")
}
