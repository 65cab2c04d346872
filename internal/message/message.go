// Package message has what the texts of errors and notices share. It shortens and
// escapes values that came from outside, so that they are safe to display, counts
// things, and guesses what a person or a model meant by a word or an id that does not
// exist. It never replaces what the caller wrote.
package message

import (
	"path/filepath"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/citekit/citekit/internal/plain"
)

// maxClip is how many bytes of a value Clip and Quote show.
const maxClip = 60

// NoMaps is the hint where there is nothing to list or to search.
const NoMaps = "no file is mapped here yet; ingest the files first"

// Modalities lists the built-in modalities in the order of the documentation.
const Modalities = "document, video, audio, image, text, virtual"

// Clip shortens s to 60 bytes and escapes what cannot be printed.
func Clip(s string) string {
	quoted := strconv.Quote(plain.Shorten(s, maxClip))
	return quoted[1 : len(quoted)-1]
}

// Quote is Clip in double quotes.
func Quote(s string) string { return `"` + Clip(s) + `"` }

// IsPlain reports whether s is UTF-8 without control characters, line
// separators, or characters that change how their neighbours display.
func IsPlain(s string) bool {
	for _, r := range s {
		if r < 0x20 || r == 0x7f || r > 0x7f && (unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp)) {
			return false
		}
	}
	return utf8.ValidString(s)
}

// Count returns a number with the name of the counted thing. The plural of the
// name must end in "s", or in "ies" if the name ends in "ry".
func Count(n int, thing string) string {
	if stem, ok := strings.CutSuffix(thing, "ry"); ok && n != 1 {
		thing = stem + "ries"
	} else if n != 1 {
		thing += "s"
	}
	return strconv.Itoa(n) + " " + thing
}

// Holding says how many of some things hold, such as "1 of 1 citation holds".
func Holding(n, all int, thing string) string {
	verb := "hold"
	if n == 1 || all == 1 {
		verb = "holds"
	}
	return strconv.Itoa(n) + " of " + Count(all, thing) + " " + verb
}

// Article returns a word in lower case with "a" or "an" before it.
func Article[S ~string](word S) string {
	if word != "" && strings.IndexByte("aeiou", word[0]) >= 0 {
		return "an " + string(word)
	}
	return "a " + string(word)
}

// ShellWord returns a path as it is written in a command.
func ShellWord(path string) string {
	isSafe := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r > 0x7f || strings.ContainsRune("_./-+,@%", r)
	}
	if path != "" && strings.TrimLeftFunc(path, isSafe) == "" && path[0] != '-' {
		return path
	}
	if strings.HasPrefix(path, "-") {
		path = "." + string(filepath.Separator) + path
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}

// Joined returns two hints as one; either may be "".
func Joined(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "; " + b
}
