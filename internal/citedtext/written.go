package citedtext

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/plain"
)

// ampersands are the forms of "&" in Markdown, HTML and JSON; none begins with
// one after it.
var ampersands = []string{`\u0026amp;`, `\u0026`, "&amp;", "&#38;", "&#x26;", "&"}

// otherReferences are references of HTML to characters that end an address.
var otherReferences = []string{
	"&lt;", "&gt;", "&quot;", "&apos;", "&nbsp;", "&#34;", "&#39;", "&#60;", "&#62;", "&#x22;", "&#x27;", "&#x3c;", "&#x3e;", "&#x3C;", "&#x3E;",
}

// ampersandAt returns how the "&" at the start of a text is written; "" if there
// is none.
func ampersandAt(s string) string {
	if s == "" || s[0] != '&' && s[0] != '\\' {
		return ""
	}
	for _, other := range otherReferences {
		if strings.HasPrefix(s, other) {
			return ""
		}
	}
	for _, form := range ampersands {
		if strings.HasPrefix(s, form) {
			return form
		}
	}
	return ""
}

// jsonEscape returns the character of ASCII that the start of a text means, if
// it is a "\u" escape of JSON.
func jsonEscape(s string) (c byte, ok bool) {
	if len(s) < jsonEscapeLen || s[0] != '\\' || s[1] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(s[2:jsonEscapeLen], 16, 7)
	return byte(n), err == nil
}

const jsonEscapeLen = len(`\u0026`)

// parse parses an address as written in Markdown, HTML and JSON.
func parse(written string) (citekit.Address, error) {
	if !strings.ContainsAny(written, `\&`) {
		return citekit.ParseAddress(written)
	}
	var b strings.Builder
	for i := 0; i < len(written); {
		if form := ampersandAt(written[i:]); form != "" {
			b.WriteByte('&')
			i += len(form)
			continue
		}
		if c, ok := jsonEscape(written[i:]); ok {
			b.WriteByte(c)
			i += jsonEscapeLen
			continue
		}
		if written[i] != '\\' {
			b.WriteByte(written[i])
		}
		i++
	}
	return citekit.ParseAddress(b.String())
}

// fragmentEnd returns the length of the fragment at the start of s, and how its
// first "&" is written.
func fragmentEnd(s string) (end int, and string) {
	for {
		from := end
		end += runEnd(s[end:], charsetOf(s[end:]))
		i := end
		form := ampersandAt(s[i:])
		if form == "" && strings.HasPrefix(s[i:], `\&`) {
			i++
			form = ampersandAt(s[i:])
		}
		if form == "" {
			if rest := restOf(s[end:]); rest > 0 {
				return end + rest, and
			}
			return from + withoutText(s[from:end]), and
		}
		if and == "" {
			and = form
		}
		end = i + len(form)
	}
}

// maxRest is how much of a word is searched for further parameters, in bytes.
const maxRest = 128

// restOf returns the length of the rest of a word if a parameter is in it. The
// sign before it then belongs to the address, such as "/" in a name, or is wrong,
// such as ";" for "&": what is before the sign is another address than was meant.
func restOf(s string) int {
	word := s[:min(len(s), maxRest)]
	if word = word[:urlEnd(word)]; word == "" {
		return 0
	}
	for _, end := range append([]string{"://", "*"}, otherReferences...) {
		word, _, _ = strings.Cut(word, end)
	}
	if i := strings.IndexFunc(word, func(r rune) bool { return r >= utf8.RuneSelf && !unicode.Is(unicode.Latin, r) }); i >= 0 {
		word = word[:i]
	}
	for i := 1; i < len(word); i++ {
		if !isAlphanumeric(word[i-1]) && slices.ContainsFunc(parameters, func(name string) bool { return strings.HasPrefix(word[i:], name) }) {
			return len(word)
		}
	}
	return 0
}

var parameters = []string{
	"member=", "message=", "part=", "table=", "sheet=", "pages=", "blocks=", "cells=", "rows=", "cols=", "t=", "lines=", "bbox=", "v=",
}

// A charset is what a part of an address may be written with.
type charset struct {
	isByte  func(byte) bool // of ASCII
	letters bool            // and letters, digits and marks of all scripts
}

// charsetOf returns what the parameter at the start of s may be written with. Only
// names have all bytes that [citekit.Address.String] leaves as they are, and
// letters that it escapes: a sign after a number ends it.
func charsetOf(s string) charset {
	named := func(name string) bool { return strings.HasPrefix(s, name) }
	switch {
	case named("member="):
		return charset{isMemberByte, true}
	case slices.ContainsFunc([]string{"sheet=", "table=", "cols="}, named):
		return charset{isNameByte, true}
	case named("part="):
		return charset{isNameByte, false}
	}
	return charset{isNumberByte, false}
}

// runEnd returns the length of the run at the start of s that a charset has. A
// backslash before a byte of it is an escape of Markdown and included, and so is
// such a byte as an escape of JSON.
func runEnd(s string, c charset) int {
	i := 0
	for i < len(s) {
		if s[i] >= utf8.RuneSelf {
			n := letterLen(s[i:])
			if n == 0 || !c.letters {
				break
			}
			i += n
		} else if c.isByte(s[i]) {
			i++
		} else if b, ok := jsonEscape(s[i:]); ok && c.isByte(b) {
			i += jsonEscapeLen
		} else if s[i] == '\\' && i+1 < len(s) && !isAlphanumeric(s[i+1]) && c.isByte(s[i+1]) {
			i++
		} else {
			break
		}
	}
	return i
}

// letterLen returns the length of the letter, digit or mark at the start of a
// text; 0 if there is none.
func letterLen(s string) int {
	r, n := utf8.DecodeRuneInString(s)
	if unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) {
		return n
	}
	return 0
}

// withoutText returns the length of the run at the start of an address without
// the text that follows it at once, as in Japanese: that begins where a letter of
// a script without capitals follows a letter or digit of ASCII.
func withoutText(run string) int {
	for i, r := range run {
		if i > 0 && r >= utf8.RuneSelf && unicode.Is(unicode.Lo, r) && isAlphanumeric(run[i-1]) {
			return i
		}
	}
	return len(run)
}

var idChars = charset{isIDByte, true}

func isIDByte(c byte) bool { return plain.IsUnreserved(c) || c == '%' }

func isNumberByte(c byte) bool { return isAlphanumeric(c) || strings.IndexByte("=,.:-%", c) >= 0 }

func isNameByte(c byte) bool { return plain.IsUnreserved(c) || isNumberByte(c) }

func isMemberByte(c byte) bool { return isNameByte(c) || c == '/' || c == '!' }
