package quotation

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// strikeMark stands before and after text that is struck out, in Markdown and in what
// citekit reads from other formats.
const strikeMark = "~~"

// struckParts returns the texts that are struck out, each on one line.
func struckParts(text string) (parts []part) {
	open := -1
	for at := 0; ; {
		i := strings.Index(text[at:], strikeMark)
		if i < 0 {
			return parts
		}
		if open >= 0 && strings.IndexByte(text[max(at, open):at+i], '\n') >= 0 {
			open = -1
		}
		from := at + i
		at = from + len(text[from:]) - len(strings.TrimLeft(text[from:], "~"))
		if at-from != len(strikeMark) { // a rule or a fence
			open = -1
			continue
		}
		before, _ := utf8.DecodeLastRuneInString(text[:from])
		after, _ := utf8.DecodeRuneInString(text[at:])
		isOpener := at < len(text) && !unicode.IsSpace(after) && (isWordRune(after) || from == 0 || !isWordRune(before))
		switch {
		case open >= 0 && !unicode.IsSpace(before):
			parts, open = append(parts, part{open, from}), -1
		case isOpener:
			open = at
		}
	}
}

// isStruck reports whether a quote, found at an offset up to another, has text that is
// struck out there, and does not say so.
func (t *Text) isStruck(quote string, from, to int) bool {
	i, _ := slices.BinarySearchFunc(t.struck, from, func(p part, from int) int { return p.to - from - 1 })
	return i < len(t.struck) && t.struck[i].from < to && !strings.Contains(quote, strikeMark)
}

// isBesideStruck reports whether text that is struck out, with its marks, ends or begins at
// an offset.
func (t *Text) isBesideStruck(at int) bool {
	return slices.ContainsFunc(t.struckNear(at), func(p part) bool {
		return p.from-len(strikeMark) == at || p.to+len(strikeMark) == at
	})
}

// struckNear returns the texts that are struck out beside an offset.
func (t *Text) struckNear(at int) []part {
	i, _ := slices.BinarySearchFunc(t.struck, at, func(p part, at int) int { return p.to + len(strikeMark) - at })
	return t.struck[i:min(i+2, len(t.struck))]
}
