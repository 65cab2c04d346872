package markup

import (
	"html"
	"strings"

	"github.com/citekit/citekit/internal/lazyregexp"
	"github.com/citekit/citekit/internal/plain"
)

var (
	adocPass      = lazyregexp.New(`pass:[a-z,]*\[(.*?)\]`)
	adocLink      = lazyregexp.New(`(?:link:|mailto:|xref:|https?://|ftp://|irc://)[^\s\[\]]*\[([^\]]*)\]`)
	adocXref      = lazyregexp.New(`<<([^<>,]+)(?:,\s*([^<>]+))?>>`)
	adocMacro     = lazyregexp.New(`(?:kbd|btn|menu):[^\s\[]*\[([^\]]*)\]`)
	adocQuoted    = lazyregexp.New("``(\\S|\\S.*?\\S)''")
	adocCharacter = lazyregexp.New(`\{[a-z-]+\}`)
	adocHide      = lazyregexp.New(`\[\[[^\[\]]+\]\]|\(\(\([^()]*\)\)\)|(?:anchor|image|footnote|indexterm):[^\s\[]*\[[^\]]*\]`)
)

// adocText returns the text that the inline markup of AsciiDoc displays. In
// legacy markup, single quotes emphasise.
func adocText(s string, legacy bool) string {
	s = plain.Line(plain.Cut(s, maxInline))
	if !strings.ContainsAny(s, "*_`#+[<&\\{(") && !legacy {
		return s
	}
	if legacy && strings.Contains(s, "``") {
		s = adocQuoted.ReplaceAllString(s, "“$1”")
	}
	if strings.ContainsAny(s, "[(") {
		s = adocMacros(s)
	}
	if strings.Contains(s, "<<") {
		s = adocXref.ReplaceAllStringFunc(s, adocReference)
	}
	s = adocMarks(legacy).strip(s)
	if strings.Contains(s, "{") {
		s = adocCharacter.ReplaceAllStringFunc(s, adocCharacterOf)
	}
	s = strings.NewReplacer(`\*`, "*", `\_`, "_", "\\`", "`", `\#`, "#", `\{`, "{").Replace(s)
	return html.UnescapeString(s)
}

// adocMacros replaces macros, which have an argument in brackets, with the text
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
	return plain.Line(adocMacro.ReplaceAllString(s, "$1"))
}

// adocCharacterOf returns the character that an attribute reference stands for,
// or else the reference itself.
func adocCharacterOf(ref string) string {
	if c, ok := adocCharacters[strings.Trim(ref, "{}")]; ok {
		return c
	}
	return ref
}

var adocCharacters = map[string]string{
	"caret": "^", "amp": "&", "lt": "<", "gt": ">", "plus": "+", "asterisk": "*", "tilde": "~", "backslash": `\`, "backtick": "`",
	"apos": "'", "quot": `"`, "startsb": "[", "endsb": "]", "vbar": "|", "nbsp": " ", "sp": " ", "empty": "", "blank": "",
	"zwsp": "", "wj": "", "cpp": "C++",
}

// adocReference returns the text that "<<target,text>>" displays.
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
