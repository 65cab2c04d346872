package data

import (
	"bytes"
	"html"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/citekit/citekit/internal/lazyregexp"
	"github.com/citekit/citekit/internal/plain"
	"github.com/citekit/citekit/internal/sentence"
)

// titleOf makes a title for the open passage, which begins with text, and returns the
// text for its summary.
func (p *proseMapper) titleOf(text []byte) (title string, rest []byte) {
	switch {
	case p.open.title != "":
		return p.open.title, text
	case p.open.heading != none && p.prose:
		title, rest = firstTitle(text, hasAlnum)
		return wholeTitle(title, rest)
	case p.prose && !bytes.HasPrefix(text, []byte("#")):
		first, rest, _ := bytes.Cut(text, []byte("\n\n"))
		title = sentence.First(string(first), maxPassageTitle)
		if onlyNumber.MatchString(title) {
			after, _ := strings.CutPrefix(plain.Line(string(text[:len(first)])), title)
			if strings.TrimSpace(after) == "" {
				after, _ = firstTitle(rest, hasWord)
			}
			title = cutTitle(title + " " + sentence.First(after, maxPassageTitle))
		}
	default:
		title = codeTitle(text)
	}
	if hasWord([]byte(title)) {
		return title, text
	}
	if title, rest = firstTitle(text, hasWord); title != "" {
		return title, rest
	}
	return firstTitle(text, hasAlnum)
}

// titleAbove returns the title of a document of prose: its first line, if that stands
// alone like a heading or is underlined and is no sentence; "" if it has none.
func titleAbove(text []byte) string {
	text = bytes.TrimLeft(text, "\ufeff \t\r\n")
	line, rest, more := bytes.Cut(text, []byte("\n"))
	line = bytes.TrimSpace(line)
	next, _, _ := bytes.Cut(rest, []byte("\n"))
	first := firstRune(line)
	switch {
	case !more || len(bytes.TrimSpace(rest)) == 0 || len(line) > maxHeading || !hasWord(line):
	case !unicode.IsLetter(first) && !unicode.IsDigit(first) || unicode.IsLower(first):
	case strings.ContainsAny(string(line[len(line)-1:]), ".,;:!>)") || bytes.ContainsAny(line, "@<>{}|\t=") || bytes.Contains(line, []byte(": ")) || bytes.Contains(line, []byte("://")):
	case isRule(next) || len(bytes.TrimSpace(next)) == 0:
		return title(string(line))
	}
	return ""
}

// onlyNumber matches the label of a section without its title, such as "Item 1A.".
var onlyNumber = lazyregexp.New(`^\p{L}+\.? [\p{L}\p{N}]{0,3}\p{N}[\p{L}\p{N}]{0,3}\.$`)

// wholeTitle adds the further lines of a title in capitals that is too wide for one.
func wholeTitle(title string, text []byte) (whole string, rest []byte) {
	const wide = 50 // characters from which on a line may be continued
	for line := title; utf8.RuneCountInString(line) >= wide; {
		next, after, _ := bytes.Cut(text, []byte("\n"))
		next = bytes.TrimSpace(next)
		if len(title)+len(next) >= 2*maxPassageTitle || !inCapitals([]byte(line)) || !inCapitals(bytes.TrimRight(next, ".")) {
			break
		}
		line, text = string(next), after
		title += " " + plain.Line(line)
	}
	return title, text
}

// hasWord reports whether a line has two adjacent letters or digits that are not both
// digits.
func hasWord(line []byte) bool {
	before := rune(0)
	for _, r := range string(line) {
		if unicode.In(r, unicode.L, unicode.M) && (unicode.In(before, unicode.L, unicode.M, unicode.N) || r >= 0x2e80) {
			return true
		}
		before = r
	}
	return false
}

// titleElement matches the title of a part in XML.
var titleElement = lazyregexp.New(`<title(?: [^<>]*)?>([^<>]+)</title>`)

// codeTitle makes a title from the first title of XML, or from the first line of text
// with a word, without comment marks. It skips a copyright notice if there is more text.
func codeTitle(text []byte) string {
	first, rest, more := bytes.Cut(text, []byte("\n\n"))
	if more && isNotice(first) && hasWord(rest) {
		text = rest
	}
	if element := titleElement.FindSubmatch(text); element != nil && bytes.HasPrefix(bytes.TrimSpace(text), []byte("<")) {
		if t := cutTitle(html.UnescapeString(string(element[1]))); hasWord([]byte(t)) {
			return t
		}
	}
	for line := range bytes.Lines(text) {
		line = withoutComment(bytes.TrimSpace(line))
		if hasWord(line) && !bytes.HasPrefix(line, []byte("</")) {
			return cutTitle(string(line))
		}
	}
	return ""
}

func isNotice(text []byte) bool {
	text = bytes.ToLower(text)
	return bytes.Contains(text, []byte("copyright")) || bytes.Contains(text, []byte("spdx-license"))
}

// withoutComment returns a line without comment marks at its ends.
func withoutComment(line []byte) []byte {
	for _, mark := range []string{"<!--", "/*", "//", "--", "#", ";", "%", "\"", "*", "{-", "(*", "!", "REM ", "rem ", "dnl "} {
		rest, ok := bytes.CutPrefix(line, []byte(mark))
		if !ok {
			continue
		}
		rest = bytes.TrimLeft(rest, mark+"=-*!")
		if len(rest) > 0 && rest[0] != ' ' && rest[0] != '\t' && mark != "REM " && mark != "rem " && mark != "dnl " {
			return line // such as #include, or --option
		}
		for _, end := range []string{"*/", "-->", "-}", "*)"} {
			rest = bytes.TrimSuffix(bytes.TrimSpace(rest), []byte(end))
		}
		return bytes.TrimSpace(bytes.Trim(rest, " \t=*~#"))
	}
	return line
}

// firstTitle makes a title from the first line of text that satisfies has, and
// returns the text after it.
func firstTitle(text []byte, has func(line []byte) bool) (title string, rest []byte) {
	for rest := text; len(rest) > 0; {
		var line []byte
		line, rest, _ = bytes.Cut(rest, []byte("\n"))
		if has(line) {
			return cutTitle(string(line)), rest
		}
	}
	return "", text
}

// hasAlnum reports whether a line has a letter or a digit.
func hasAlnum(line []byte) bool {
	return bytes.ContainsFunc(line, func(r rune) bool { return unicode.In(r, unicode.L, unicode.N) })
}

// cutTitle is [title] for a long line; it reads only the beginning.
func cutTitle(line string) string {
	if t := title(line); len(t) <= maxPassageTitle {
		return t
	}
	return sentence.First(line, maxPassageTitle)
}
