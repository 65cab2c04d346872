package epub

import (
	"strings"

	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/plain"
)

// A cfi is a parsed EPUB CFI. Without a range, start and end are equal.
type cfi struct {
	start, end []localPath
	isRange    bool
}

// A localPath is a path within one document. A "!" separates the local paths of a
// CFI.
type localPath struct {
	steps  []cfiStep
	offset int // character offset in the text of the last step
}

// atElement reports whether the path ends at an element, not at a point in text.
func (p localPath) atElement() bool {
	return len(p.steps) == 0 || p.steps[len(p.steps)-1].number%2 == 0
}

type cfiStep struct {
	number int
	id     string
}

const (
	maxCFI      = 8 << 10
	maxCFIDepth = 1000
)

// parseCFI parses "epubcfi(path)" or "epubcfi(path,start,end)", optionally after a
// file name and "#".
func parseCFI(s string) (cfi, error) {
	if len(s) > maxCFI {
		return cfi{}, syntaxError("an EPUB CFI of %d bytes; at most %d", len(s), maxCFI)
	}
	_, inner, ok := strings.Cut(s, "epubcfi(")
	inner, closed := strings.CutSuffix(inner, ")")
	if !ok || !closed {
		return cfi{}, syntaxError("%s; an EPUB CFI is such as epubcfi(/6/4!/4/10)", message.Quote(s))
	}
	p := cfiParser{text: inner}
	path, err := p.paths(nil)
	if err != nil {
		return cfi{}, err
	}
	c := cfi{start: path, end: path}
	if p.take(',') {
		c.isRange = true
		if c.start, err = p.paths(path); err != nil {
			return cfi{}, err
		}
		if !p.take(',') {
			return cfi{}, syntaxError("a range of an EPUB CFI has a start and an end")
		}
		if c.end, err = p.paths(path); err != nil {
			return cfi{}, err
		}
	}
	if p.text != "" {
		return cfi{}, syntaxError("%s stands in an EPUB CFI where a step should", message.Quote(p.text))
	}
	if len(c.start[0].steps) == 0 || len(c.end[0].steps) == 0 {
		return cfi{}, syntaxError("an EPUB CFI begins with steps, such as /6/4")
	}
	return c, nil
}

// A cfiParser holds the rest of the text to parse.
type cfiParser struct {
	text  string
	count int
}

func (p *cfiParser) take(c byte) bool {
	if p.text == "" || p.text[0] != c {
		return false
	}
	p.text = p.text[1:]
	return true
}

// paths parses steps, indirections and the end of a path, and appends them to those
// of a parent.
func (p *cfiParser) paths(parent []localPath) ([]localPath, error) {
	list := []localPath{{}}
	if len(parent) > 0 {
		list = append([]localPath(nil), parent...)
		last := &list[len(list)-1]
		last.steps = append([]cfiStep(nil), last.steps...)
	}
	for {
		last := &list[len(list)-1]
		switch {
		case p.take('!'):
			list = append(list, localPath{})
		case p.take('/'):
			step, err := p.step()
			if err != nil {
				return nil, err
			}
			last.steps = append(last.steps, step)
		default:
			return list, p.end(last)
		}
		if p.count++; p.count > maxCFIDepth {
			return nil, syntaxError("an EPUB CFI of more than %d steps", maxCFIDepth)
		}
	}
}

// step reads a number and its assertion.
func (p *cfiParser) step() (cfiStep, error) {
	number, err := p.number()
	if err != nil {
		return cfiStep{}, err
	}
	id, err := p.assertion()
	return cfiStep{number, id}, err
}

func (p *cfiParser) number() (int, error) {
	n := 0
	for n < len(p.text) && '0' <= p.text[n] && p.text[n] <= '9' {
		n++
	}
	value := plain.WholeNumber(p.text[:n])
	if n == 0 || value < 0 || value > maxMarkup {
		return 0, syntaxError("%s in an EPUB CFI; a number should be there", message.Quote(p.text))
	}
	p.text = p.text[n:]
	return value, nil
}

// assertion parses an optional part in brackets, and returns its text up to the first
// parameter.
func (p *cfiParser) assertion() (string, error) {
	if !p.take('[') {
		return "", nil
	}
	var id strings.Builder
	whole := true
	for i := 0; i < len(p.text); i++ {
		switch c := p.text[i]; {
		case c == ']':
			p.text = p.text[i+1:]
			return id.String(), nil
		case c == '^' && i+1 < len(p.text):
			i++
			if whole {
				id.WriteByte(p.text[i])
			}
		case c == ';' || c == ',':
			whole = false
		case whole:
			id.WriteByte(c)
		}
	}
	return "", syntaxError("a bracket of an EPUB CFI is not closed")
}

// end parses the end of a path: a character offset, a time or a point in a picture.
func (p *cfiParser) end(path *localPath) (err error) {
	if p.take(':') {
		if path.offset, err = p.number(); err != nil {
			return err
		}
	}
	for p.take('~') || p.take('@') || p.take(':') {
		n := 0
		for n < len(p.text) && ('0' <= p.text[n] && p.text[n] <= '9' || p.text[n] == '.') {
			n++
		}
		if n == 0 {
			return syntaxError("%s in an EPUB CFI; a number should be there", message.Quote(p.text))
		}
		p.text = p.text[n:]
	}
	_, err = p.assertion()
	return err
}
