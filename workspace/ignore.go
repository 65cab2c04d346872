package workspace

import (
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"github.com/citekit/citekit/internal/pathpattern"
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
			if (isFolder || !rule.folder) && pathpattern.GitMatch(rule.segments, segments) {
				return !rule.keep
			}
		}
	}
	return false
}

// splitPattern returns the folder that a pattern begins with, and the rest of
// the pattern. The folder is the longest for which isFolder is true, or that has
// no wildcards; isFolder is only asked about folders with wildcards.
func splitPattern(pattern string, isFolder func(name string) bool) (dir string, segments []string) {
	volume := filepath.VolumeName(filepath.FromSlash(pattern))
	pattern = pattern[len(volume):]
	segments = strings.Split(pattern, "/")
	first := func(n int) string {
		dir := path.Join(segments[:n]...)
		if strings.HasPrefix(pattern, "/") {
			dir = "/" + dir
		}
		if dir == "" {
			dir = "."
		}
		return volume + dir
	}
	fixed := 0
	for fixed < len(segments)-1 && !pathpattern.Is(segments[fixed]) {
		fixed++
	}
	for n := len(segments) - 1; n > fixed; n-- {
		if pathpattern.Is(segments[n-1]) && isFolder(first(n)) {
			for n < len(segments)-1 && !pathpattern.Is(segments[n]) {
				n++
			}
			fixed = n
			break
		}
	}
	return first(fixed), segments[fixed:]
}
