package markup

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/citekit/citekit/internal/plain"
)

// restText returns the text that the inline markup of reStructuredText
// displays.
func restText(s string) string {
	s = plain.Cut(strings.TrimSpace(s), maxProse)
	if !strings.ContainsAny(s, "*`_\\:") {
		return plain.Line(s)
	}
	var b strings.Builder
	before := byte(' ')
	for i := 0; i < len(s); {
		if inner, n := restSpan(s[i:], before); n > 0 {
			b.WriteString(inner)
			before = s[i+n-1]
			i += n
			continue
		}
		before = s[i]
		if s[i] == '\\' && i+1 < len(s) {
			i++
			if s[i] != ' ' && s[i] != '\n' {
				b.WriteByte(s[i])
			}
			i++
			continue
		}
		if s[i] != '_' || !endsReference(s[:i], s[i+1:]) {
			b.WriteByte(s[i])
		}
		i++
	}
	return plain.Line(b.String())
}

// restSpan returns the text of the inline markup at the start of s, and its
// length; 0 if there is none. Inline markup may begin after space and some
// punctuation.
func restSpan(s string, before byte) (inner string, n int) {
	if isAlnum(before) || before >= 0x80 || before == '\\' {
		return "", 0
	}
	switch {
	case strings.HasPrefix(s, "``"):
		return enclosed(s, "``", "``")
	case strings.HasPrefix(s, "**"):
		return enclosed(s, "**", "**")
	case s[0] == '*':
		return enclosed(s, "*", "*")
	case s[0] == '`':
		inner, n = enclosed(s, "`", "`")
		inner, n = withoutTarget(inner), n+suffixLength(s[n:], n)
	case s[0] == ':':
		inner, n = roleSpan(s)
	}
	return inner, n
}

// enclosed returns the text between open and end. It neither begins nor ends
// with space.
func enclosed(s, open, end string) (inner string, n int) {
	rest := s[len(open):]
	if rest == "" || rest[0] == ' ' || rest[0] == '\n' {
		return "", 0
	}
	for from := 1; from <= len(rest); {
		i := strings.Index(rest[from:], end)
		if i < 0 {
			return "", 0
		}
		i += from
		after := rest[i+len(end):]
		if last := rest[i-1]; last != ' ' && last != '\n' && (last != '\\' || end == "``") && (endsSpan(after) || end == "`" && after[0] == '_') {
			return rest[:i], len(open) + i + len(end)
		}
		from = i + 1
	}
	return "", 0
}

// endsSpan reports whether inline markup may end before text.
func endsSpan(text string) bool {
	r, _ := utf8.DecodeRuneInString(text)
	return text == "" || strings.ContainsRune("'\")]}>-/:.,;!?\\ \n\t", r) || r >= 0x80 && unicode.IsPunct(r)
}

// suffixLength returns the length of the suffix of interpreted text: the
// underscores of a reference, or a role.
func suffixLength(rest string, n int) int {
	switch {
	case n == 0:
		return 0
	case strings.HasPrefix(rest, "__"):
		return 2
	case strings.HasPrefix(rest, "_"):
		return 1
	}
	return 0
}

// roleSpan returns the text of ":role:`text`".
func roleSpan(s string) (inner string, n int) {
	end := strings.Index(s, ":`")
	if end < 1 || strings.ContainsAny(s[:end], " \n`") {
		return "", 0
	}
	inner, n = enclosed(s[end+1:], "`", "`")
	if n == 0 {
		return "", 0
	}
	switch s[:end] {
	case ":pep":
		inner = "PEP " + inner
	case ":rfc":
		inner = "RFC " + inner
	}
	inner = strings.TrimPrefix(withoutTarget(inner), "!")
	if short, ok := strings.CutPrefix(inner, "~"); ok {
		inner = short[strings.LastIndexByte(short, '.')+1:]
	}
	return inner, end + 1 + n
}

// withoutTarget returns the text of "text <target>".
func withoutTarget(s string) string {
	if i := strings.LastIndex(s, "<"); i > 0 && strings.HasSuffix(s, ">") && (s[i-1] == ' ' || s[i-1] == '\n') {
		return strings.TrimSpace(s[:i])
	}
	return s
}

// endsReference reports whether the underscore between before and after makes
// the word before it a reference.
func endsReference(before, after string) bool {
	after = strings.TrimPrefix(after, "_")
	before = strings.TrimSuffix(before, "_")
	name := strings.TrimRightFunc(before, isReferenceRune)
	return name != before && isReferenceEnd(before) && !strings.HasSuffix(name, "_") && endsSpan(after)
}

func isReferenceEnd(name string) bool {
	r, _ := utf8.DecodeLastRuneInString(name)
	return unicode.IsLetter(r) || unicode.IsDigit(r)
}

func isReferenceRune(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("-.+:", r)
}
