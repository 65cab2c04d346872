// Package pathpattern matches the paths of files with patterns. In a pattern, "*"
// stands for any characters of one name, "?" for one of them and "[a-z]" for one in
// a range; a backslash takes the next character literally. The name "**" stands for
// any number of folders. Paths have forward slashes.
package pathpattern

import (
	"strings"
	"unicode/utf8"
)

// Is reports whether a path has characters with a meaning in a pattern. A
// backslash does not count, as it is a separator of Windows.
func Is(name string) bool { return strings.ContainsAny(name, "*?[") }

// Valid reports whether each range in a pattern has its end and each backslash a
// character after it. A pattern that is not valid matches nothing.
func Valid(pattern string) bool {
	for name := range strings.SplitSeq(pattern, "/") {
		for name != "" {
			first, rest := name[0], name[1:]
			switch {
			case first == '[':
				after, _, ok := matchClass(rest, 0, character)
				if !ok {
					return false
				}
				rest = after
			case first == '\\' && rest == "":
				return false
			case first == '\\':
				rest = rest[1:]
			}
			name = rest
		}
	}
	return true
}

// Match reports whether the path name matches a pattern, each as a whole. "**" at
// the end stands for at least one name.
func Match(pattern, name string) bool {
	return MatchNames(strings.Split(pattern, "/"), strings.Split(name, "/"))
}

// MatchNames is like Match, for the names between slashes.
func MatchNames(pattern, names []string) bool { return match(pattern, names, character) }

// GitMatch is like MatchNames, but compares bytes, as git does: "?" is
// one byte.
func GitMatch(pattern, names []string) bool { return match(pattern, names, oneByte) }

// Leads reports whether a path below the folder with these names can match the
// names of a pattern.
func Leads(pattern, names []string) bool {
	for i, name := range names {
		switch {
		case i == len(pattern):
			return false
		case pattern[i] == "**":
			return true
		case !matchName(pattern[i], name, character):
			return false
		}
	}
	return len(names) < len(pattern)
}

// Below reports whether the path name is below a folder that matches a pattern.
func Below(folder, name string) bool {
	pattern, names := strings.Split(folder, "/"), strings.Split(name, "/")
	for i := 1; i < len(names); i++ {
		if match(pattern, names[:i], character) {
			return true
		}
	}
	return false
}

// Literal returns a pattern whose first names are taken literally: as many as are
// the path of something for which exists is true. So a file or a folder that exists
// is meant by its own name, whatever characters that has.
func Literal(pattern string, exists func(name string) bool) string {
	names := strings.Split(pattern, "/")
	for i := len(names); i > 0; i-- {
		if !strings.ContainsAny(names[i-1], `*?[\`) || !exists(strings.Join(names[:i], "/")) {
			continue
		}
		for j, name := range names[:i] {
			names[j] = escaped(name)
		}
		break
	}
	return strings.Join(names, "/")
}

// IsLiteral reports whether a pattern has no wildcards, so that only one path
// matches it.
func IsLiteral(pattern string) bool {
	for i := 0; i < len(pattern); i++ {
		switch pattern[i] {
		case '*', '?', '[':
			return false
		case '\\':
			i++
		}
	}
	return true
}

// escaped returns the pattern that only name matches.
func escaped(name string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(name)
}

// A unit returns the first unit that patterns compare in text, which is not empty,
// and its length in bytes.
type unit func(text string) (rune, int)

func character(text string) (rune, int) {
	r, size := utf8.DecodeRuneInString(text)
	if r == utf8.RuneError && size == 1 {
		return -1 - rune(text[0]), 1 // equal to no character, nor to another byte
	}
	return r, size
}

func oneByte(text string) (rune, int) { return rune(text[0]), 1 }

// match reports whether the names of a path match those of a pattern.
func match(pattern, names []string, next unit) bool {
	afterStars, retry := -1, 0
	p, s := 0, 0
	for s < len(names) {
		switch {
		case p < len(pattern) && pattern[p] == "**":
			if p == len(pattern)-1 {
				return true
			}
			p++
			afterStars, retry = p, s
		case p < len(pattern) && matchName(pattern[p], names[s], next):
			p++
			s++
		case afterStars >= 0:
			retry++
			p, s = afterStars, retry
		default:
			return false
		}
	}
	return p == len(pattern)
}

// matchName reports whether one name matches a pattern without slashes.
func matchName(pattern, name string, next unit) bool {
	var starPattern, starName string
	starred := false
	for {
		if rest, ok := strings.CutPrefix(pattern, "*"); ok {
			pattern, starPattern, starName, starred = rest, rest, name, true
			continue
		}
		if pattern == "" && name == "" {
			return true
		}
		if pattern != "" && name != "" {
			patternRest, nameRest, ok := matchOne(pattern, name, next)
			if ok {
				pattern, name = patternRest, nameRest
				continue
			}
		}
		if !starred || starName == "" {
			return false
		}
		_, size := next(starName)
		starName = starName[size:]
		pattern, name = starPattern, starName
	}
}

// matchOne matches the first unit of name with the first element of pattern, which
// is not a star, and returns the rest of both.
func matchOne(pattern, name string, next unit) (patternRest, nameRest string, ok bool) {
	found, size := next(name)
	switch pattern[0] {
	case '?':
		return pattern[1:], name[size:], true
	case '[':
		rest, in, ok := matchClass(pattern[1:], found, next)
		return rest, name[size:], ok && in
	case '\\':
		if len(pattern) == 1 {
			return "", "", false
		}
		pattern = pattern[1:]
	}
	wanted, length := next(pattern)
	return pattern[length:], name[size:], wanted == found
}
