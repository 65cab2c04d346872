// Package plain makes short plain text from any text: one line, cut at the end of a
// character, a word or a number of tokens; names that are easy to type; the numbers of
// addresses; the parts of URIs; one form of characters. Lengths are in bytes of UTF-8 unless a
// function says otherwise. All functions take time linear in what they read, and
// return text that needs no change without copying it.
package plain

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	zeroWidthNonJoiner = '\u200c' // part of Persian spelling
	zeroWidthJoiner    = '\u200d' // part of Indic scripts and of emoji

	ellipsis = "…"

	// examined is how much of a text is read for each byte that may be returned:
	// four, as texts rarely have more white space than that.
	examined = 4
)

// Line returns text on one line: each run of white space is one space, with
// none at the ends. Bytes that are not UTF-8, control characters and format
// characters (Unicode's Cc and Cf) are left out, as they do not show, or change
// how their neighbours show. The two joiners of zero width stay where they
// follow a character of the same word, since words and emoji are spelt with
// them. U+FFFD stays: it shows that a character could not be read.
func Line(text string) string {
	if isLine(text) {
		return text
	}
	var b strings.Builder
	b.Grow(len(text))
	last := ' '
	for i := 0; i < len(text); {
		r, size := runeAt(text, i)
		switch {
		case isSpace(r):
			last = ' '
		case stays(r, size, last):
			if last == ' ' && b.Len() > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(text[i : i+size])
			last = r
		}
		i += size
	}
	return b.String()
}

// isLine reports whether Line would not change text.
func isLine(text string) bool {
	last := ' '
	for i := 0; i < len(text); {
		r, size := runeAt(text, i)
		switch {
		case r == ' ' && last != ' ':
		case isSpace(r), !stays(r, size, last):
			return false
		}
		last = r
		i += size
	}
	return text == "" || last != ' '
}

func runeAt(text string, i int) (rune, int) {
	if c := text[i]; c < utf8.RuneSelf {
		return rune(c), 1
	}
	return utf8.DecodeRuneInString(text[i:])
}

func isSpace(r rune) bool {
	if r > ' ' && r < 0x7f {
		return false
	}
	return unicode.IsSpace(r)
}

// stays reports whether Line keeps r, which is not white space, is encoded in
// size bytes, and comes after last.
func stays(r rune, size int, last rune) bool {
	if r > ' ' && r < 0x7f {
		return true
	}
	return staysRare(r, size, last)
}

func staysRare(r rune, size int, last rune) bool {
	switch r {
	case utf8.RuneError:
		return size > 1
	case zeroWidthNonJoiner, zeroWidthJoiner:
		return last != ' '
	}
	return !unicode.In(r, unicode.Cc, unicode.Cf)
}

// Cut returns the longest start of s that has at most n bytes and does not end
// within a character. Each byte that is not UTF-8 is treated as a character.
func Cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	n = max(n, 0)
	for start := n - 1; start >= 0 && start > n-utf8.UTFMax; start-- {
		if !utf8.RuneStart(s[start]) {
			continue
		}
		if _, size := utf8.DecodeRuneInString(s[start:]); start+size > n {
			return s[:start]
		}
		break
	}
	return s[:n]
}

// CutRunes returns the first n characters of s.
func CutRunes(s string, n int) string {
	for i := range s {
		if n <= 0 {
			return s[:i]
		}
		n--
	}
	return s
}

// Shorten returns s if it has at most n bytes, and else as much of its start as
// fits before an ellipsis. n must be at least 3, the length of the ellipsis.
func Shorten(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.TrimRight(Cut(s, n-len(ellipsis)), " ") + ellipsis
}

// Words returns the first words of text, on one line as by [Line], in at most n
// bytes. If not all words fit, it removes punctuation that announces more, such
// as a comma, at the end. If not even the first word fits, it cuts that word.
// It reads at most 4 n bytes of text.
func Words(text string, n int) string {
	head := Cut(text, examined*max(n, 0))
	line := Line(head)
	whole := len(head) == len(text) // whether head ends where a word does
	if !whole {
		r, _ := utf8.DecodeRuneInString(text[len(head):])
		whole = unicode.IsSpace(r) || strings.TrimRightFunc(head, unicode.IsSpace) != head
	}
	if len(line) <= n && whole {
		return line
	}
	short := Cut(line, n)
	if len(short) == len(line) || line[len(short)] != ' ' {
		if i := strings.LastIndexByte(short, ' '); i > 0 {
			short = short[:i]
		}
	}
	if trimmed := strings.TrimRight(short, " ,;:-–—("); trimmed != "" {
		return trimmed
	}
	return short
}

// NameOutside returns the last element of an absolute path of any system, and a
// relative path as it is.
func NameOutside(path string) string {
	absolute := strings.HasPrefix(path, "/") || strings.HasPrefix(path, `\`) ||
		len(path) > 2 && path[1] == ':' && (path[2] == '/' || path[2] == '\\')
	if absolute {
		path = path[strings.LastIndexAny(path, `/\`)+1:]
	}
	return path
}

// ShortenAddress returns what to show of an address in at most about n bytes. A part of
// one is none: of a long one it is the address of the whole resource, or what has no
// scheme.
func ShortenAddress(s string, n int) string {
	if len(s) <= n {
		return s
	}
	whole, _, _ := strings.Cut(s, "#")
	if _, rest, ok := strings.Cut(whole, "://"); ok && len(whole) > n {
		return Shorten(rest, n)
	} else if ok {
		return fmt.Sprintf("%s (at selectors of %d bytes)", whole, len(s)-len(whole)-1)
	}
	return Shorten(s, n)
}
