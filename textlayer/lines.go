package textlayer

import (
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/citekit/citekit"
)

// lineEnds is the kind of line ends of a run.
type lineEnds byte

const (
	noEnds  lineEnds = iota // the lines cannot be found: the run has none, or counts them in another way
	lfEnds                  // LF
	anyEnds                 // LF, CRLF, and CR alone
)

// endsOf returns the kind of line ends of a run: the kind with which it has as
// many lines as its location says.
func endsOf(r citekit.TextRun) lineEnds {
	if r.Location.Lines.IsZero() || r.Text == "" {
		return noEnds
	}
	for _, e := range []lineEnds{lfEnds, anyEnds} {
		if e.lines(r.Text) == r.Location.Lines.Len() {
			return e
		}
	}
	return noEnds
}

// lines returns how many lines a text has. The last one may be unended.
func (e lineEnds) lines(text string) int {
	n := e.count(text, len(text))
	if e.after(text, len(text)) {
		return n
	}
	return n + 1
}

// count returns how many lines end in the first n bytes of a text.
func (e lineEnds) count(text string, n int) int {
	if e == lfEnds {
		return strings.Count(text[:n], "\n")
	}
	count := 0
	for i := e.next(text, 0); i >= 0 && i <= n; i = e.next(text, i) {
		count++
	}
	return count
}

// after reports whether a line ends just before offset i of a text.
func (e lineEnds) after(text string, i int) bool {
	switch {
	case i == 0:
		return false
	case text[i-1] == '\n':
		return true
	}
	return e == anyEnds && text[i-1] == '\r' && (i == len(text) || text[i] != '\n')
}

// next returns the offset after the next line end that begins at or after from,
// or -1.
func (e lineEnds) next(text string, from int) int {
	chars := "\n"
	if e == anyEnds {
		chars = "\r\n"
	}
	i := strings.IndexAny(text[from:], chars)
	if i < 0 {
		return -1
	}
	i += from + 1
	if text[i-1] == '\r' && i < len(text) && text[i] == '\n' {
		i++
	}
	return i
}

// starts returns the start of each line of a text. If the text ends with a line
// end, the last element is the end of the text.
func (e lineEnds) starts(text string) []int {
	starts := []int{0}
	for at := e.next(text, 0); at >= 0; at = e.next(text, at) {
		starts = append(starts, at)
	}
	return starts
}

// lineStarts caches the starts of the lines of one run, because many places are
// in one run.
type lineStarts struct {
	mu     sync.Mutex
	from   int64 // start of the run
	starts []int // relative to the start of the run; must not be changed
}

// lineStarts returns the starts of the lines in a run.
func (l *Layer) lineStarts(r run) ([]int, error) {
	l.lines.mu.Lock()
	defer l.lines.mu.Unlock()
	if l.lines.starts == nil || l.lines.from != r.from {
		text, err := l.textOf(r)
		if err != nil {
			return nil, err
		}
		l.lines.from, l.lines.starts = r.from, r.ends.starts(text)
	}
	return l.lines.starts, nil
}

// cutPiece cuts the first piece from a run that is too long, at the end of a
// line if there is one. The line ends are those of the run.
func cutPiece(r citekit.TextRun, e lineEnds) (piece, rest citekit.TextRun) {
	if len(r.Text) <= maxPiece {
		return r, citekit.TextRun{Location: r.Location}
	}
	at := strings.LastIndexByte(r.Text[:maxPiece], '\n') + 1
	if at == 0 {
		for at = maxPiece; !utf8.RuneStart(r.Text[at]); at-- {
		}
	}
	piece, rest = r, r
	piece.Text, rest.Text, rest.Missing = r.Text[:at], r.Text[at:], ""
	if e != noEnds {
		ended := e.count(r.Text, at)
		rest.Location.Lines.First += ended
		piece.Location.Lines.Last = rest.Location.Lines.First
		if e.after(r.Text, at) {
			piece.Location.Lines.Last--
		}
	}
	return piece, rest
}
