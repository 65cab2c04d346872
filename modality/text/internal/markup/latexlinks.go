package markup

import (
	"bytes"
	"context"
	"strings"

	"github.com/citekit/citekit/modality/text/internal/linkset"
)

// findLaTeXLinks reads the LaTeX commands that refer to labels, works, files
// and URIs. It skips comments and verbatim text.
func findLaTeXLinks(ctx context.Context, src []byte, set *linkset.Set) error {
	l := latexLinker{set: set, src: src, line: 1}
	for n := 0; l.at < len(src) && l.wasted <= 4*len(src)+maxGroup && !set.Full(); n++ {
		if n%4096 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		l.step()
	}
	return ctx.Err()
}

type latexLinker struct {
	set     *linkset.Set
	src     []byte
	at      int
	line    int             // line number of at
	wasted  int             // bytes searched for brackets that do not close, roughly
	unended map[string]bool // environments without a further end
}

func (l *latexLinker) step() {
	n := bytes.IndexAny(l.src[l.at:], "\\%")
	if n < 0 {
		l.at = len(l.src)
		return
	}
	l.pass(l.at + n)
	if l.src[l.at] == '%' {
		l.pass(l.at + len(firstLine(l.src[l.at:])))
		return
	}
	name := commandName(l.src[l.at:])
	l.command(name, l.at+1+len(name))
}

func (l *latexLinker) pass(to int) {
	to = min(to, len(l.src))
	l.line += bytes.Count(l.src[l.at:to], []byte("\n"))
	l.at = to
}

// command reads a command whose name ends at after.
func (l *latexLinker) command(name string, after int) {
	switch name {
	case "":
		l.pass(after + 1)
	case "verb", "lstinline":
		l.verbatim(after)
	case "begin":
		l.environment(after)
	default:
		kind, prefix := latexKind(name)
		if kind == "" {
			l.pass(after)
			return
		}
		l.link(name, kind, prefix, after)
	}
}

// latexKind returns the kind of links that a command makes, and the prefix of
// their targets.
func latexKind(name string) (kind, prefix string) {
	switch name {
	case "ref", "pageref", "eqref", "autoref", "nameref", "cref", "Cref", "vref", "cpageref", "hyperref":
		return linkset.Reference, "#"
	case "label", "hypertarget":
		return linkset.Anchor, "#"
	case "bibitem":
		return linkset.Anchor, ""
	case "input", "include", "subfile", "includeonly", "bibliography", "addbibresource", "lstinputlisting", "verbatiminput":
		return linkset.Include, ""
	case "includegraphics", "includesvg", "includepdf":
		return linkset.Image, ""
	case "href", "url", "nolinkurl":
		return linkset.Hyperlink, ""
	}
	if isCitation(name) {
		return linkset.Citation, ""
	}
	return "", ""
}

func isCitation(name string) bool {
	switch strings.ToLower(name) {
	case "cite", "citet", "citep", "citeauthor", "citeyear", "citealt", "citealp", "parencite", "textcite", "autocite", "footcite",
		"fullcite", "nocite", "supercite", "smartcite":
		return true
	}
	return false
}

// link reads the arguments of a command that refers to something.
func (l *latexLinker) link(name, kind, prefix string, after int) {
	first := l.line
	l.pass(after)
	if l.peek() == '*' {
		l.pass(l.at + 1)
	}
	option := ""
	for l.peek() == '[' {
		n := bracketEnd(l.src[l.at:min(len(l.src), l.at+maxGroup)])
		if n == 0 {
			l.wasted += maxGroup
			return
		}
		option = string(l.src[l.at+1 : l.at+n-1])
		l.pass(l.at + n)
	}
	target, ok := l.group()
	if name == "hyperref" && option != "" {
		l.set.Add(first, l.line, kind, latexText(target), prefix+option)
		return
	}
	if !ok {
		return
	}
	text := ""
	if name == "href" || name == "hyperref" {
		text, _ = l.group()
		text = latexText(text)
	}
	l.add(first, kind, text, prefix, target)
}

// add adds a link, or one link for each key of a list.
func (l *latexLinker) add(first int, kind, text, prefix, target string) {
	if kind == linkset.Hyperlink || kind == linkset.Image {
		l.set.Add(first, l.line, kind, text, strings.NewReplacer(`\%`, "%", `\#`, "#", `\_`, "_", `\&`, "&", `\~`, "~").Replace(target))
		return
	}
	for key := range strings.SplitSeq(target, ",") {
		if key = strings.TrimSpace(key); key != "" && !strings.ContainsAny(key, `\#{}`) {
			l.set.Add(first, l.line, kind, text, prefix+key)
		}
	}
}

func (l *latexLinker) peek() byte {
	if l.at >= len(l.src) {
		return 0
	}
	return l.src[l.at]
}

// group reads an argument in braces.
func (l *latexLinker) group() (text string, ok bool) {
	rest := skipSpaceAndLine(l.src[l.at:])
	from := len(l.src) - len(rest)
	if len(rest) == 0 || rest[0] != '{' {
		return "", false
	}
	depth := 0
	for i := 0; i < min(len(rest), maxGroup); i++ {
		switch rest[i] {
		case '\\':
			i++
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				l.pass(from + i + 1)
				return string(rest[1:i]), true
			}
		}
	}
	l.wasted += maxGroup
	return "", false
}

// verbatim skips the text between two equal characters.
func (l *latexLinker) verbatim(after int) {
	l.pass(after)
	if l.peek() == '*' {
		l.pass(l.at + 1)
	}
	mark := l.peek()
	if mark == 0 || mark == '\n' || mark >= 0x80 {
		return
	}
	rest := l.src[l.at+1:]
	if end := bytes.IndexAny(rest, string([]byte{mark, '\n'})); end >= 0 && rest[end] == mark {
		l.pass(l.at + end + 2)
	}
}

// environment skips an environment whose text is not markup.
func (l *latexLinker) environment(after int) {
	l.pass(after)
	for _, name := range []string{"verbatim", "Verbatim", "lstlisting", "minted", "comment", "filecontents"} {
		begin, ending := "{"+name+"}", `\end{`+name+"}"
		if !bytes.HasPrefix(l.src[l.at:], []byte(begin)) || l.unended[name] {
			continue
		}
		n := bytes.Index(l.src[l.at:], []byte(ending))
		if n < 0 {
			if l.unended == nil {
				l.unended = map[string]bool{}
			}
			l.unended[name] = true
			return
		}
		l.pass(l.at + n + len(ending))
		return
	}
}
