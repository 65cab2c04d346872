package markup

import (
	"strings"

	"github.com/citekit/citekit/internal/plain"
)

// latexText returns the text that the LaTeX commands in s display: the
// arguments of commands that change how text looks, and accented letters.
// Formulas keep their source.
func latexText(s string) string {
	s = plain.Cut(s, maxProse)
	var b strings.Builder
	for i := 0; i < len(s); {
		n, text := latexToken(s[i:])
		b.WriteString(text)
		i += n
	}
	return plain.Line(b.String())
}

// latexToken returns the length of the token at the start of s and the text it
// displays.
func latexToken(s string) (n int, text string) {
	switch s[0] {
	case '{', '}':
		return 1, ""
	case '~':
		return 1, " "
	case '%':
		return len(s) - len(strings.TrimLeft(afterLine(s), " \t")), ""
	case '$':
		if end := strings.IndexByte(s[1:], '$'); end > 0 {
			return end + 2, s[1 : end+1]
		}
	case '`', '\'':
		return latexQuote(s)
	case '-':
		switch {
		case strings.HasPrefix(s, "---"):
			return 3, "—"
		case strings.HasPrefix(s, "--"):
			return 2, "–"
		}
	case '\\':
		return latexCommand(s)
	}
	return 1, s[:1]
}

func afterLine(s string) string {
	_, rest, _ := strings.Cut(s, "\n")
	return rest
}

func latexQuote(s string) (n int, text string) {
	switch {
	case strings.HasPrefix(s, "``"):
		return 2, "“"
	case strings.HasPrefix(s, "''"):
		return 2, "”"
	case s[0] == '`':
		return 1, "‘"
	}
	return 1, "’"
}

// latexCommand returns the length of the command at the start of s, including
// arguments that are not displayed, and the text it displays.
func latexCommand(s string) (n int, text string) {
	name := commandName([]byte(s[:min(len(s), 64)]))
	if name == "" {
		return latexSymbol(s)
	}
	n = 1 + len(name)
	rest := s[n:]
	if name == "verb" && len(rest) > 1 {
		if end := strings.IndexByte(rest[1:], rest[0]); end >= 0 {
			return n + end + 2, rest[1 : end+1]
		}
	}
	if mark, ok := accents[name]; ok && len(name) == 1 {
		if size, letter := accented(rest, mark); size > 0 {
			return n + size, letter
		}
	}
	space := len(rest) - len(strings.TrimLeft(rest, " \t\n"))
	if letter, ok := letters[name]; ok {
		return n + space, letter
	}
	if isHiddenCommand(name) {
		return n + argumentLength(rest), ""
	}
	if strings.HasPrefix(rest, "[") {
		return n + bracketEnd([]byte(rest)), ""
	}
	return n + space, ""
}

func isHiddenCommand(name string) bool {
	switch name {
	case "label", "footnote", "footnotemark", "thanks", "index", "cite", "citep", "citet", "ref", "pageref", "eqref",
		"vspace", "hspace", "phantom", "color", "includegraphics", "marginpar",
		"href", "textcolor", "texorpdfstring": // their second argument is displayed
		return true
	}
	return false
}

// argumentLength returns the length of the optional argument and the first
// mandatory argument at the start of s.
func argumentLength(s string) int {
	rest := []byte(strings.TrimPrefix(s, "*"))
	if len(rest) > 0 && rest[0] == '[' {
		rest = rest[bracketEnd(rest):]
	}
	if len(rest) > 0 && rest[0] == '{' {
		if _, after, ok := latexGroup(rest); ok {
			rest = after
		}
	}
	return len(s) - len(rest)
}

// latexSymbol returns the length of a command that is not a word, and the text
// it displays.
func latexSymbol(s string) (n int, text string) {
	if len(s) < 2 {
		return 1, ""
	}
	switch c := s[1]; c {
	case '&', '%', '$', '#', '_', '{', '}':
		return 2, s[1:2]
	case '\\', ' ', '\n', ',', ';', ':':
		return 2, " "
	case '\'', '`', '^', '"', '~', '=', '.':
		if size, letter := accented(s[2:], accents[string(c)]); size > 0 {
			return 2 + size, letter
		}
		return 2, ""
	case '(', ')', '[', ']', '/', '-', '!', '@':
		return 2, ""
	}
	return 1, ""
}

// accented returns the length of the letter, or letter in braces, at the start
// of s, and the letter with the mark, as one character if that exists.
func accented(s, mark string) (n int, letter string) {
	t := strings.TrimLeft(s, " ")
	n = len(s) - len(t)
	for _, form := range []string{`{\i}`, `{\j}`, `\i`, `\j`, "{"} {
		rest, ok := strings.CutPrefix(t, form)
		switch {
		case !ok:
		case form == "{" && len(rest) > 1 && isLetter(rest[0]) && rest[1] == '}':
			return n + 3, plain.NFC(rest[:1] + mark)
		case form != "{" && (strings.HasPrefix(form, "{") || rest == "" || !isLetter(rest[0])):
			return n + len(form), plain.NFC(strings.Trim(form, `{\}`) + mark)
		}
	}
	if t == "" || !isLetter(t[0]) {
		return 0, ""
	}
	return n + 1, plain.NFC(t[:1] + mark)
}

// accents maps the accent commands to combining characters.
var accents = map[string]string{
	"'": "\u0301", "`": "\u0300", "^": "\u0302", `"`: "\u0308", "~": "\u0303", "=": "\u0304", ".": "\u0307",
	"c": "\u0327", "v": "\u030c", "u": "\u0306", "H": "\u030b", "k": "\u0328", "r": "\u030a", "d": "\u0323", "b": "\u0331",
}

// letters maps the commands for letters and names to the text they display.
var letters = map[string]string{
	"ss": "ß", "ae": "æ", "AE": "Æ", "oe": "œ", "OE": "Œ", "o": "ø", "O": "Ø", "aa": "å", "AA": "Å", "l": "ł", "L": "Ł",
	"i": "ı", "j": "ȷ", "ldots": "…", "dots": "…", "textellipsis": "…", "LaTeX": "LaTeX", "TeX": "TeX", "BibTeX": "BibTeX",
	"textbackslash": `\`, "textasciitilde": "~", "textasciicircum": "^", "textbar": "|", "textless": "<", "textgreater": ">",
	"S": "§", "P": "¶", "copyright": "©", "pounds": "£", "textregistered": "®", "texttrademark": "™", "textemdash": "—",
	"textendash": "–", "quad": " ", "qquad": " ", "newline": " ", "linebreak": " ", "textquotesingle": "'", "textquoteright": "’",
	"textunderscore": "_", "slash": "/", "par": " ",
}
