package markup

import (
	"html"
	"regexp"
	"strings"
)

var (
	adocPass  = regexp.MustCompile(`pass:[a-z,]*\[(.*?)\]`)
	adocLink  = regexp.MustCompile(`(?:link:|mailto:|xref:|https?://|ftp://|irc://)[^\s\[\]]*\[([^\]]*)\]`)
	adocXref  = regexp.MustCompile(`<<([^<>,]+)(?:,\s*([^<>]+))?>>`)
	adocMacro = regexp.MustCompile(`(?:kbd|btn|menu):[^\s\[]*\[([^\]]*)\]`)
	adocHide  = regexp.MustCompile(`\[\[[^\[\]]+\]\]|\(\(\([^()]*\)\)\)|(?:anchor|image|footnote|indexterm):[^\s\[]*\[[^\]]*\]`)
	adocSpan  = regexp.MustCompile("(\\*\\*|__|``|##|\\+\\+)(\\S(?:.*?\\S)?)(\\*\\*|__|``|##|\\+\\+)")
	adocWord  = regexp.MustCompile("(^|[^\\w\\\\*_`#+;:}])(?:\\[[^\\[\\]]*\\])?([*_`#+])(\\S|\\S.*?\\S)([*_`#+])($|[^\\w])")
)

var adocQuote = regexp.MustCompile(`(^|[^\w'\\])'(\S|\S.*?\S)'($|[^\w'])`)

// adocText returns what the inline markup of AsciiDoc displays. In legacy
// markup, single quotes emphasise.
func adocText(s string, legacy bool) string {
	s = collapse(cutBytes(s, maxInline))
	if legacy {
		for range 2 { // quotes that share the space between them
			s = adocQuote.ReplaceAllString(s, "$1$2$3")
		}
	}
	if !strings.ContainsAny(s, "*_`#+[<&\\{(") {
		return s
	}
	s = adocPass.ReplaceAllString(s, "$1")
	s = adocHide.ReplaceAllString(s, "")
	s = adocLink.ReplaceAllStringFunc(s, func(link string) string {
		parts := adocLink.FindStringSubmatch(link)
		text, _, _ := strings.Cut(parts[1], ",")
		if text = strings.TrimSuffix(text, "^"); text != "" {
			return text
		}
		return strings.TrimPrefix(link[:strings.IndexByte(link, '[')], "link:")
	})
	s = adocXref.ReplaceAllStringFunc(s, func(ref string) string {
		parts := adocXref.FindStringSubmatch(ref)
		if parts[2] != "" {
			return parts[2]
		}
		return "[" + parts[1] + "]"
	})
	s = adocMacro.ReplaceAllString(s, "$1")
	s = replacePairs(s, adocSpan, 1, 3, "$2")
	for range 3 { // marks in marks
		s = replacePairs(s, adocWord, 2, 4, "$1$3$5")
	}
	s = strings.NewReplacer(`\*`, "*", `\_`, "_", "\\`", "`", `\#`, "#", `\{`, "{").Replace(s)
	return collapse(html.UnescapeString(s))
}

// replacePairs replaces the matches of which two groups are the same.
func replacePairs(s string, pattern *regexp.Regexp, open, end int, template string) string {
	return pattern.ReplaceAllStringFunc(s, func(match string) string {
		parts := pattern.FindStringSubmatch(match)
		if parts == nil || parts[open] != parts[end] {
			return match
		}
		return pattern.ReplaceAllString(match, template)
	})
}
