// Package slug makes names that are easy to type from titles and the names of
// files.
package slug

import (
	"cmp"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/citekit/citekit/internal/nfc"
	"github.com/citekit/citekit/internal/percent"
)

// maxFile is the longest name that File makes, in bytes.
const maxFile = 120

// File returns the name of a file without its extension as a slug: dots and
// underscores between two letters or digits stay. It is "file" if nothing is
// left.
func File(name string) string { return cmp.Or(Make(name, "._", maxFile), "file") }

// ForFile returns the base name of a path with forward slashes, without its
// extension, as [File] makes it.
func ForFile(name string) string {
	base := path.Base(name)
	return File(strings.TrimSuffix(base, Ext(base)))
}

// Ext returns the extension of a file name with its dot, or "". The end of a
// sentence, as in "Dr. Who", is none.
func Ext(base string) string {
	ext := path.Ext(base)
	if ext == base || len(ext) < 2 || strings.Contains(ext, " ") {
		return ""
	}
	return ext
}

// Stem returns the start of s, of at most max bytes, with an underscore for each
// character that is not safe in the name of a file on every system: letters and
// digits of ASCII, "-", "." and "_" are, though not "-" and "." at the start. Two
// names may have the same stem.
func Stem(s string, max int) string {
	safe := strings.Map(func(r rune) rune {
		if r < utf8.RuneSelf && r != '~' && percent.IsUnreserved(byte(r)) {
			return r
		}
		return '_'
	}, s[:min(len(s), max)])
	if safe != "" && (safe[0] == '-' || safe[0] == '.') { // an option, a hidden file
		return "_" + safe[1:]
	}
	return safe
}

// Make returns text as a name that is easy to type: its letters and digits in
// lower case, in Normalization Form C, and one hyphen for every run of
// anything else between them. A character of kept stays where it stands alone
// between two of them. What cannot be seen is left out. A name has at most max
// bytes; it is "" if text has neither letter nor digit.
func Make(text, kept string, max int) string {
	var b strings.Builder
	gap := ""
	for _, r := range visible(text) {
		if !isNameRune(r) || unicode.Is(unicode.M, r) && (gap != "" || b.Len() == 0) {
			gap = widen(gap, r, kept)
			continue
		}
		if b.Len() == 0 {
			gap = ""
		}
		if b.Len()+len(gap)+utf8.RuneLen(r) > max {
			break
		}
		b.WriteString(gap)
		b.WriteRune(r)
		gap = ""
	}
	return b.String()
}

// widen returns the gap between two parts of a name once r belongs to it.
func widen(gap string, r rune, kept string) string {
	if gap == "" && strings.ContainsRune(kept, r) {
		return string(r)
	}
	return "-"
}

func isNameRune(r rune) bool {
	return r != utf8.RuneError && unicode.In(r, unicode.L, unicode.N, unicode.M)
}

// visible returns text in lower case and Normalization Form C, with ligatures of
// Latin letters written out, and without characters that have no look of their
// own.
func visible(text string) string {
	composed := nfc.String(ligatures.Replace(strings.Map(func(r rune) rune {
		if unicode.In(r, unicode.Cf, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point) {
			return -1
		}
		return r
	}, text)))
	// The small letter may compose with a mark that the capital stood apart from,
	// as that of U+0130 does.
	return nfc.String(strings.Map(unicode.ToLower, composed))
}

var ligatures = strings.NewReplacer("\ufb00", "ff", "\ufb01", "fi", "\ufb02", "fl", "\ufb03", "ffi", "\ufb04", "ffl", "\ufb05", "st", "\ufb06", "st")
