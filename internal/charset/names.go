package charset

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
)

// Names returns a function that decodes the names of the members of one archive, which
// says of none in which charset they are. All names decide together: they are UTF-8, or
// in the East Asian or other charset that they clearly have, or else in IBM code page
// 437, the default of ZIP archives.
func Names(names []string) func(stored string) string {
	var foreign strings.Builder // the names that are not ASCII
	unicode := true
	for _, name := range names {
		if !isASCII(name) && foreign.Len() < maxDetected {
			foreign.WriteString(name)
			foreign.WriteByte('\n')
		}
		unicode = unicode && utf8.ValidString(name)
	}
	if unicode {
		return func(stored string) string { return stored }
	}
	told := encodingOf(foreign.String())
	return func(stored string) string {
		if told != nil {
			if text, err := told.NewDecoder().String(stored); err == nil {
				return text
			}
		}
		if utf8.ValidString(stored) {
			return stored
		}
		return ibm437(stored)
	}
}

// encodingOf returns the encoding that names clearly have, or nil.
func encodingOf(names string) encoding.Encoding {
	text := []byte(names)
	name := EastAsian(text, true)
	for _, e := range eastAsian {
		if e.charset == name {
			return e.encoding
		}
	}
	if !inWords(names) {
		return nil
	}
	name = Detect(text)
	for _, c := range candidates {
		if name != "" && c.name == name {
			return c.chars
		}
	}
	return nil
}

// inWords reports whether characters that are not ASCII stand together, as in words of
// another script, and not alone, as in those of Western languages.
func inWords(names string) bool {
	const least = 8
	all, alone := 0, 0
	for i := range len(names) {
		if names[i] < utf8.RuneSelf {
			continue
		}
		all++
		if (i == 0 || names[i-1] < utf8.RuneSelf) && (i+1 == len(names) || names[i+1] < utf8.RuneSelf) {
			alone++
		}
	}
	return all >= least && 5*alone < all
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// ibm437 decodes IBM code page 437.
func ibm437(stored string) string {
	var text strings.Builder
	for i := range len(stored) {
		if c := stored[i]; c < utf8.RuneSelf {
			text.WriteByte(c)
		} else {
			text.WriteRune(page437[c-utf8.RuneSelf])
		}
	}
	return text.String()
}

var page437 = []rune("ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0")
