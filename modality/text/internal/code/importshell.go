package code

import (
	"bytes"
	"strings"

	"github.com/citekit/citekit/modality/text/internal/linkset"
)

// shellImports finds the files that "source" and "." read, if their paths are
// plain.
func (f *importFinder) shellImports() {
	s := &shellScanner{src: f.src, command: true, frames: []shellFrame{{kind: shellCommands, symbol: -1}}}
	for s.at < len(f.src) && !f.stop(s.at) {
		if inCommands(s.top()) && s.command && (s.at == 0 || s.beginsWord()) {
			f.shellSource(s.at)
		}
		s.step()
	}
}

// inCommands reports whether a frame contains commands.
func inCommands(top *shellFrame) bool {
	switch top.kind {
	case shellCommands, shellBraces:
		return true
	case shellCase:
		return !top.pattern && !top.word
	}
	return false
}

// shellSource records the file that the command at offset at reads.
func (f *importFinder) shellSource(at int) {
	rest := f.src[at:]
	after, ok := bytes.CutPrefix(rest, []byte(". "))
	if !ok {
		after, ok = bytes.CutPrefix(rest, []byte("source "))
	}
	if !ok {
		return
	}
	path := bytes.TrimLeft(after, " \t")
	from := len(f.src) - len(path)
	end := from
	if len(path) > 0 && (path[0] == '"' || path[0] == '\'') {
		n := bytes.IndexAny(path[1:], string(path[:1])+"\n")
		if n < 0 || path[1+n] != path[0] {
			return
		}
		end = from + n + 2
	} else {
		for end < len(f.src) && bytes.IndexByte([]byte(" \t\n;&|<>()"), f.src[end]) < 0 {
			end++
		}
	}
	if target := strings.Trim(string(f.src[from:end]), `"'`); target != "" && !strings.ContainsAny(target, "$`*?\\\"'") {
		f.add(at, end, linkset.Include, "", target)
	}
}
