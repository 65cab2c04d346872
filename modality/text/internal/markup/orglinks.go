package markup

import (
	"bytes"
	"context"
	"slices"
	"strings"

	"github.com/citekit/citekit/modality/text/internal/linkset"
)

// findOrgLinks reads Org line by line: links in double brackets, citations,
// included files, targets and URIs. It skips source and example blocks.
func findOrgLinks(ctx context.Context, src []byte, set *linkset.Set) error {
	l := orgLinker{set: set}
	return eachLine(ctx, src, l.line)
}

type orgLinker struct {
	set   *linkset.Set
	block string // name of the skipped block in lower case, or ""
}

func (l *orgLinker) line(number int, line []byte) {
	text := strings.TrimLeft(string(line), " \t")
	lower := strings.ToLower(text[:min(len(text), 40)])
	if l.block != "" {
		if strings.HasPrefix(lower, "#+end_"+l.block) {
			l.block = ""
		}
		return
	}
	switch {
	case strings.HasPrefix(lower, "#+begin_src"), strings.HasPrefix(lower, "#+begin_example"), strings.HasPrefix(lower, "#+begin_comment"), strings.HasPrefix(lower, "#+begin_export"):
		l.block, _, _ = strings.Cut(lower[len("#+begin_"):], " ")
	case strings.HasPrefix(lower, "#+include:"):
		l.include(number, strings.TrimSpace(text[len("#+include:"):]))
	case strings.HasPrefix(lower, ":custom_id:"):
		l.set.Add(number, number, linkset.Anchor, "", "#"+strings.TrimSpace(text[len(":custom_id:"):]))
	case text == "#", strings.HasPrefix(text, "# "), strings.HasPrefix(text, ": "):
	default:
		l.inline(number, line)
	}
}

func (l *orgLinker) include(number int, argument string) {
	if quoted, ok := strings.CutPrefix(argument, `"`); ok {
		argument, _, _ = strings.Cut(quoted, `"`)
	} else {
		argument, _, _ = strings.Cut(argument, " ")
	}
	l.set.Add(number, number, linkset.Include, "", argument)
}

func (l *orgLinker) inline(number int, line []byte) {
	start := 0
	for i := 0; i < len(line); {
		n := bytes.IndexAny(line[i:], "[<")
		if n < 0 {
			break
		}
		at := i + n
		length := l.marked(number, line[at:])
		if length == 0 {
			i = at + 1
			continue
		}
		addURIs(l.set, number, line[start:at])
		i = at + length
		start = i
	}
	addURIs(l.set, number, line[start:])
}

// marked reads the link or target at the start of rest, and returns its length,
// or 0.
func (l *orgLinker) marked(number int, rest []byte) int {
	rest = rest[:min(len(rest), maxTargetBytes)]
	switch {
	case bytes.HasPrefix(rest, []byte("[[")):
		return l.bracketed(number, rest)
	case bytes.HasPrefix(rest, []byte("<<")):
		end := 2 + bytes.IndexAny(rest[2:], "<>")
		if end < 3 || !bytes.HasPrefix(rest[end:], []byte(">>")) {
			return 0
		}
		l.set.Add(number, number, linkset.Anchor, "", "#"+string(rest[2:end]))
		return end + 2
	case bytes.HasPrefix(rest, []byte("[cite")):
		return l.cite(number, rest)
	}
	return 0
}

// bracketed reads a link in double brackets.
func (l *orgLinker) bracketed(number int, rest []byte) int {
	end := 2 + bytes.IndexAny(rest[2:], "[]")
	if end < 3 || rest[end] != ']' {
		return 0
	}
	target, text := string(rest[2:end]), ""
	if bytes.HasPrefix(rest[end:], []byte("][")) {
		from := end + 2
		n := bytes.Index(rest[from:min(len(rest), from+maxInline)], []byte("]]"))
		if n < 0 {
			return 0
		}
		text, end = string(rest[from:from+n]), from+n
	}
	if !bytes.HasPrefix(rest[end:], []byte("]]")) {
		return 0
	}
	l.link(number, target, text)
	return end + 2
}

// link adds a link. A target without a path or scheme is a heading or name in
// the same source.
func (l *orgLinker) link(number int, target, text string) {
	kind := linkset.Hyperlink
	path, isFile := strings.CutPrefix(target, "file:")
	switch {
	case isFile:
		target = path
		if i := strings.Index(target, "::"); i >= 0 {
			target = target[:i] + "#" + strings.TrimLeft(target[i+2:], "*#")
		}
	case strings.HasPrefix(target, "#"):
		kind = linkset.Reference
	case strings.HasPrefix(target, "*"):
		kind, target = linkset.Reference, "#"+target[1:]
	case !strings.ContainsAny(target, ":/."):
		kind, target = linkset.Reference, "#"+target
	}
	if text == "" && isFile && isPicture(target) {
		kind = linkset.Image
	}
	l.set.Add(number, number, kind, text, target)
}

func isPicture(path string) bool {
	lower := strings.ToLower(path)
	return slices.ContainsFunc([]string{".png", ".jpg", ".jpeg", ".gif", ".svg", ".webp"}, func(ext string) bool {
		return strings.HasSuffix(lower, ext)
	})
}

// keyBytes are the characters of a key of a work.
const keyBytes = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.:/"

// cite reads a citation such as "[cite:@smith2020; @jones]".
func (l *orgLinker) cite(number int, rest []byte) int {
	end := 1 + bytes.IndexAny(rest[1:], "[]")
	if end < 1 || rest[end] != ']' || bytes.IndexByte(rest[:end], ':') < 0 {
		return 0
	}
	for part := range strings.SplitSeq(string(rest[:end]), "@") {
		key := part[:len(part)-len(strings.TrimLeft(part, keyBytes))]
		if !strings.HasPrefix(part, "[cite") {
			l.set.Add(number, number, linkset.Citation, "", key)
		}
	}
	return end + 1
}
