package plain

import (
	"html"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxReference is the length of the longest reference that [Reference] reads.
const MaxReference = 40

// Reference returns the characters that the character reference of HTML at the
// start of a text stands for, such as "&" for "&amp;", "<" for "&#60;" and "é"
// for "&eacute;", and the length of the reference. The length is 0 if there is
// none, or one to a character that does not show.
func Reference[T string | []byte](text T) (meant string, length int) {
	if len(text) == 0 || text[0] != '&' {
		return "", 0
	}
	written := string(text[:min(len(text), MaxReference)])
	n := strings.IndexByte(written, ';')
	if n < 0 || strings.ContainsFunc(written[1:n], func(r rune) bool {
		return r >= utf8.RuneSelf || r != '#' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}) {
		return "", 0
	}
	written = written[:n+1]
	meant = html.UnescapeString(written)
	switch {
	case meant == written, len(written) > len("&x;") && strings.HasSuffix(meant, ";") && written != "&semi;" && written != "&#59;": // it read a name without its ";"
		return "", 0
	case strings.ContainsFunc(meant, func(r rune) bool { return !unicode.IsGraphic(r) || r == utf8.RuneError }):
		return "", 0
	}
	return meant, len(written)
}
