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
)

// adocText returns what the inline markup of AsciiDoc displays. In legacy
// markup, single quotes emphasise.
func adocText(s string, legacy bool) string {
	s = collapse(cutBytes(s, maxInline))
	if !strings.ContainsAny(s, "*_`#+[<&\\{(") && !legacy {
		return s
	}
	if strings.ContainsAny(s, "[(") {
		s = adocMacros(s)
	}
	if strings.Contains(s, "<<") {
		s = adocXref.ReplaceAllStringFunc(s, adocReference)
	}
	s = adocMarks(legacy).strip(s)
	s = strings.NewReplacer(`\*`, "*", `\_`, "_", "\\`", "`", `\#`, "#", `\{`, "{").Replace(s)
	return html.UnescapeString(s)
}

// adocMacros replaces the macros, which have an argument in brackets, by what
// they display.
func adocMacros(s string) string {
	s = adocPass.ReplaceAllString(s, "$1")
	s = adocHide.ReplaceAllString(s, "")
	s = adocLink.ReplaceAllStringFunc(s, func(link string) string {
		target, text, _ := strings.Cut(strings.TrimSuffix(link, "]"), "[")
		text, _, _ = strings.Cut(text, ",")
		if text = strings.TrimSuffix(text, "^"); text != "" {
			return text
		}
		return strings.TrimPrefix(target, "link:")
	})
	return collapse(adocMacro.ReplaceAllString(s, "$1"))
}

// adocReference returns what "<<target,text>>" displays.
func adocReference(ref string) string {
	target, text, ok := strings.Cut(strings.Trim(ref, "<>"), ",")
	if ok {
		return strings.TrimSpace(text)
	}
	return "[" + target + "]"
}

func adocMarks(legacy bool) *marks {
	m := marks{
		set: "*_`#+", doubled: true, roles: true,
		opens:  func(before rune) bool { return !isWord(before) && !strings.ContainsRune("\\;:}", before) },
		closes: func(after rune) bool { return !isWord(after) },
	}
	if legacy {
		m.set += "'"
	}
	return &m
}
