// Slugs become ids of resources and nodes, and names of evidence files. The same text
// always gives the same slug.

package plain

import (
	"cmp"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxFile is the longest name that File makes, in bytes.
const maxFile = 120

// FileSlug returns the name of a file without its extension as a slug: dots and
// underscores between two letters or digits stay. It returns "file" if nothing
// is left.
func FileSlug(name string) string { return cmp.Or(Slug(name, "._", maxFile), "file") }

// SlugForFile returns the base name of a path with forward slashes, without its
// extension, in the form of [FileSlug].
func SlugForFile(name string) string {
	base := path.Base(name)
	return FileSlug(strings.TrimSuffix(base, SlugExt(base)))
}

// SlugExt returns the extension of a file name with its dot, or "". The end of a
// sentence, as in "Dr. Who", is not an extension.
func SlugExt(base string) string {
	ext := path.Ext(base)
	if ext == base || len(ext) < 2 || strings.Contains(ext, " ") {
		return ""
	}
	return ext
}

// SlugStem returns the start of s, of at most max bytes, with an underscore for
// each character that is not safe in file names on every system. ASCII letters
// and digits, "-", "." and "_" are safe, but "-" and "." are not safe at the
// start. Two names may have the same stem.
func SlugStem(s string, max int) string {
	safe := strings.Map(func(r rune) rune {
		if r < utf8.RuneSelf && r != '~' && IsUnreserved(byte(r)) {
			return r
		}
		return '_'
	}, s[:min(len(s), max)])
	if safe != "" && (safe[0] == '-' || safe[0] == '.') { // an option, a hidden file
		return "_" + safe[1:]
	}
	return safe
}

// Slug returns text as a name that is easy to type: its letters and digits in
// lower case, in Normalization Form C, and one hyphen for every run of anything
// else between them. A character of kept stays if it stands alone between two
// of them. Invisible characters are left out. A name has at most max bytes; it
// is "" if text has neither letters nor digits.
func Slug(text, kept string, max int) string {
	var b strings.Builder
	gap := ""
	for _, r := range withoutHidden(text) {
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

// widen returns the gap between two parts of a name with r added to it.
func widen(gap string, r rune, kept string) string {
	if gap == "" && strings.ContainsRune(kept, r) {
		return string(r)
	}
	return "-"
}

func isNameRune(r rune) bool {
	return r != utf8.RuneError && unicode.In(r, unicode.L, unicode.N, unicode.M)
}

// withoutHidden returns text in lower case and Normalization Form C, with ligatures
// of Latin letters written out, and without invisible characters.
func withoutHidden(text string) string {
	composed := NFC(ligatures.Replace(strings.Map(func(r rune) rune {
		if unicode.In(r, unicode.Cf, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point) {
			return -1
		}
		return r
	}, text)))
	// The lower-case letter may compose with a mark although the capital did
	// not, as with U+0130.
	return NFC(strings.Map(unicode.ToLower, composed))
}

var ligatures = strings.NewReplacer("\ufb00", "ff", "\ufb01", "fi", "\ufb02", "fl", "\ufb03", "ffi", "\ufb04", "ffl", "\ufb05", "st", "\ufb06", "st")
