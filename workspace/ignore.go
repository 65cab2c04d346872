package workspace

import (
	"io/fs"
	"path"
	"path/filepath"
	"strings"
)

const (
	ignoreName     = ".gitignore"
	maxIgnoreBytes = 1 << 20
	maxIgnoreRules = 10_000
	maxIgnoreLine  = 4096 // bytes; longer lines are skipped, because no path is longer
)

// An ignoreList holds the rules of one .gitignore file, as in gitignore(5).
type ignoreList struct {
	dir   string // the folder of the rules, slash-separated; "." is the top
	rules []ignoreRule
	outer *ignoreList // of a folder above, or nil
}

// An ignoreRule is one line of a .gitignore file.
type ignoreRule struct {
	segments []string // of the pattern, between slashes; "**" is any number
	keep     bool     // the line began with "!"
	folder   bool     // it ended in "/"
}

// readIgnore returns the rules in a folder, followed by those of the folders
// above.
func readIgnore(fsys fs.FS, name, dir string, outer *ignoreList) *ignoreList {
	info, err := fs.Stat(fsys, name)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxIgnoreBytes {
		return outer
	}
	data, err := fs.ReadFile(fsys, name)
	if err != nil || len(data) > maxIgnoreBytes {
		return outer
	}
	if rules := parseIgnore(string(data)); len(rules) > 0 {
		return &ignoreList{dir: dir, rules: rules, outer: outer}
	}
	return outer
}

func parseIgnore(text string) []ignoreRule {
	var rules []ignoreRule
	text = strings.TrimPrefix(text, "\ufeff")
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r")
		if len(line) > maxIgnoreLine || len(rules) == maxIgnoreRules {
			continue
		}
		if rule, ok := parseIgnoreLine(line); ok {
			rules = append(rules, rule)
		}
	}
	return rules
}

func parseIgnoreLine(line string) (rule ignoreRule, ok bool) {
	line = trimSpaces(line)
	if line == "" || line[0] == '#' {
		return rule, false
	}
	line, rule.keep = strings.CutPrefix(line, "!")
	line, rule.folder = strings.CutSuffix(line, "/")
	anchored := strings.Contains(line, "/")
	line = strings.TrimPrefix(line, "/")
	if line == "" {
		return rule, false
	}
	if !anchored {
		rule.segments = []string{"**"}
	}
	for segment := range strings.SplitSeq(line, "/") {
		if n := len(rule.segments); segment == "**" && n > 0 && rule.segments[n-1] == "**" {
			continue
		}
		rule.segments = append(rule.segments, segment)
	}
	return rule, true
}

// trimSpaces removes the spaces at the end of a line, except one after a
// backslash.
func trimSpaces(line string) string {
	trimmed := strings.TrimRight(line, " ")
	backslashes := len(trimmed) - len(strings.TrimRight(trimmed, `\`))
	if backslashes%2 == 1 && len(trimmed) < len(line) {
		return trimmed + " "
	}
	return trimmed
}

// ignores reports whether the rules exclude the file or folder at name, a path
// from the top. The last rule that matches decides; rules of inner folders take
// precedence over those of outer ones.
func (l *ignoreList) ignores(name string, isFolder bool) bool {
	for ; l != nil; l = l.outer {
		inside := name
		if l.dir != "." {
			inside = strings.TrimPrefix(name, l.dir+"/")
		}
		segments := strings.Split(inside, "/")
		for i := len(l.rules) - 1; i >= 0; i-- {
			rule := l.rules[i]
			if (isFolder || !rule.folder) && matchSegments(rule.segments, segments) {
				return !rule.keep
			}
		}
	}
	return false
}

// matchSegments reports whether the segments of a path match those of a
// pattern. In the pattern, "**" stands for any number of segments; at the end,
// for at least one.
func matchSegments(pattern, segments []string) bool {
	afterStars, retry := -1, 0
	p, s := 0, 0
	for s < len(segments) {
		switch {
		case p < len(pattern) && pattern[p] == "**":
			if p == len(pattern)-1 {
				return true
			}
			p++
			afterStars, retry = p, s
		case p < len(pattern) && matchName(pattern[p], segments[s]):
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

// mayLead reports whether a path below the folder with these segments can match
// a pattern.
func mayLead(pattern, segments []string) bool {
	for i, segment := range segments {
		switch {
		case i == len(pattern):
			return false
		case pattern[i] == "**":
			return true
		case !matchName(pattern[i], segment):
			return false
		}
	}
	return len(segments) < len(pattern)
}

// matchName reports whether one name matches a pattern of "*", "?", "[...]" and
// backslashes. A malformed pattern matches nothing.
func matchName(pattern, name string) bool {
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
			patternRest, nameRest, ok := matchOne(pattern, name)
			if ok {
				pattern, name = patternRest, nameRest
				continue
			}
		}
		if !starred || starName == "" {
			return false
		}
		starName = starName[1:]
		pattern, name = starPattern, starName
	}
}

// matchOne matches the first byte of name with the first element of pattern,
// which is not a star, and returns the rest of both. It compares bytes, as git
// does.
func matchOne(pattern, name string) (patternRest, nameRest string, ok bool) {
	switch pattern[0] {
	case '?':
		return pattern[1:], name[1:], true
	case '[':
		rest, in, ok := matchClass(pattern[1:], name[0])
		return rest, name[1:], ok && in
	case '\\':
		if len(pattern) == 1 {
			return "", "", false
		}
		pattern = pattern[1:]
	}
	return pattern[1:], name[1:], pattern[0] == name[0]
}

// matchClass reports whether c is in the class at the start of text, which
// begins after a "[".
func matchClass(text string, c byte) (rest string, in, ok bool) {
	negated := false
	if text != "" && (text[0] == '!' || text[0] == '^') {
		negated, text = true, text[1:]
	}
	for first := true; text != ""; first = false {
		if text[0] == ']' && !first {
			return text[1:], in != negated, true
		}
		if after, found := strings.CutPrefix(text, "[:"); found {
			// The names of classes have five or six letters.
			if end := strings.Index(after[:min(len(after), 8)], ":]"); end >= 0 {
				in = in || inNamedClass(after[:end], c)
				text = after[end+len(":]"):]
				continue
			}
		}
		var low, high byte
		low, text = classByte(text)
		high = low
		if len(text) > 1 && text[0] == '-' && text[1] != ']' {
			high, text = classByte(text[1:])
		}
		in = in || low <= c && c <= high
	}
	return "", false, false
}

func classByte(text string) (c byte, rest string) {
	if len(text) > 1 && text[0] == '\\' {
		text = text[1:]
	}
	return text[0], text[1:]
}

// inNamedClass reports whether c is in a POSIX class in the C locale.
func inNamedClass(name string, c byte) bool {
	lower, upper, digit := 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9'
	switch name {
	case "alpha":
		return lower || upper
	case "alnum":
		return lower || upper || digit
	case "digit":
		return digit
	case "lower":
		return lower
	case "upper":
		return upper
	case "space":
		return strings.IndexByte(" \t\n\v\f\r", c) >= 0
	case "blank":
		return c == ' ' || c == '\t'
	case "punct":
		return '!' <= c && c <= '~' && !lower && !upper && !digit
	case "xdigit":
		return digit || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
	case "cntrl":
		return c < ' ' || c == 0x7f
	case "graph":
		return '!' <= c && c <= '~'
	case "print":
		return ' ' <= c && c <= '~'
	}
	return false
}

// isPattern reports whether a path contains wildcard characters.
func isPattern(name string) bool { return strings.ContainsAny(name, "*?[") }

// splitPattern returns the folder that a pattern begins with, and the rest of
// the pattern.
func splitPattern(pattern string) (dir string, segments []string) {
	volume := filepath.VolumeName(filepath.FromSlash(pattern))
	pattern = pattern[len(volume):]
	segments = strings.Split(pattern, "/")
	fixed := 0
	for fixed < len(segments)-1 && !isPattern(segments[fixed]) {
		fixed++
	}
	dir = path.Join(segments[:fixed]...)
	if strings.HasPrefix(pattern, "/") {
		dir = "/" + dir
	}
	if dir == "" {
		dir = "."
	}
	return volume + dir, segments[fixed:]
}
