package code

import (
	"bytes"
	"strings"

	"github.com/citekit/citekit/modality/text/internal/linkset"
)

// pythonImports finds the modules that Python imports, in any block.
func (f *importFinder) pythonImports() {
	s := &pythonScanner{src: f.src, decorator: -1, documents: pythonNothing}
	for s.at < len(f.src) && !f.stop(s.at) {
		s.indent()
		if s.at >= len(f.src) {
			return
		}
		if c := f.src[s.at]; c == '\n' || c == '#' {
			s.skipLine()
			continue
		}
		start := s.at
		s.statement()
		f.pythonStatements(start, min(max(s.end, start), s.at))
	}
}

// pythonStatements reads the imports of a logical line, which may have several
// statements, including after a colon.
func (f *importFinder) pythonStatements(start, end int) {
	line := f.src[start:end]
	if !bytes.Contains(line, []byte("import")) {
		return
	}
	words := pythonWords{src: f.src, at: start, end: end}
	first := true
	for words.next() {
		switch word := words.text(); {
		case first && word == "import":
			f.pythonImport(&words)
			first = true
			continue
		case first && word == "from":
			f.pythonFrom(&words)
			first = true
			continue
		default:
			first = word == ";" || word == ":" && words.depth == 0
		}
	}
}

// pythonImport reads "import a.b as c, d".
func (f *importFinder) pythonImport(w *pythonWords) {
	start, name, alias := w.start, "", ""
	last := w.stop
	aliased := false
	flush := func() {
		if name != "" {
			f.add(start, last, linkset.Import, alias, name)
		}
		name, alias, aliased = "", "", false
	}
	for w.next() {
		switch word := w.text(); word {
		case ",":
			flush()
			start = w.stop
			continue
		case ";":
			flush()
			return
		case "as":
			aliased = true
		default:
			if name == "" && start != w.start && f.src[max(start-1, 0)] == ',' {
				start = w.start
			}
			if aliased {
				alias = word
			} else {
				name += word
			}
		}
		last = w.stop
	}
	flush()
}

// pythonFrom reads "from .a import b as c, d".
func (f *importFinder) pythonFrom(w *pythonWords) {
	start, module := w.start, ""
	for {
		if !w.next() || w.text() == ";" {
			return
		}
		if w.text() == "import" {
			break
		}
		module += w.text()
	}
	skip := false
	for w.next() {
		switch word := w.text(); {
		case word == ";":
			return
		case word == "as":
			skip = true
		case word == "," || word == "(" || word == ")":
			skip = false
		case !skip:
			if start < 0 {
				start = w.start
			}
			f.add(start, w.stop, linkset.Import, word, module)
			start = -1
		}
	}
}

// pythonWords yields the words and punctuation of a logical line, without
// comments. A string is one word.
type pythonWords struct {
	src         []byte
	at, end     int
	start, stop int // of the current word
	depth       int // brackets open
}

func (w *pythonWords) text() string { return string(w.src[w.start:w.stop]) }

func (w *pythonWords) next() bool {
	for w.at < w.end {
		switch c := w.src[w.at]; {
		case c == '#':
			w.at = min(lineEnd(w.src, w.at), w.end)
			continue
		case bytes.IndexByte([]byte(" \t\r\n\f\\"), c) >= 0:
			w.at++
			continue
		case c == '"' || c == '\'':
			w.take(pythonStringEnd(w.src, w.at))
		case isWord(c):
			w.take(wordEnd(w.src, w.at))
		default:
			w.depth += strings.Count("([{", string(rune(c))) - strings.Count(")]}", string(rune(c)))
			w.take(w.at + 1)
		}
		return true
	}
	return false
}

func (w *pythonWords) take(end int) {
	w.start, w.stop = w.at, min(max(end, w.at+1), w.end)
	w.at = w.stop
}
