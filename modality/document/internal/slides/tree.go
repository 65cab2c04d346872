package slides

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/modality/document/internal/xmlspan"
)

// maxElements is the largest number of elements in a part that is edited.
const maxElements = 1 << 19

// An element is an element of a part that is edited, with its place in the part.
type element struct {
	space, local string
	pos, stop    int // with its tags
	inner, tail  int // where its start tag ends, and its end tag begins
	parent       *element
	children     []*element
	refs         []xmlspan.Attr // attributes that name relationships

	edit edit
}

// An edit is what is done to an element.
type edit struct {
	removed bool
	attrs   []xmlspan.Edit
	extra   string     // what is added to its start tag
	also    []*element // what is added before its end tag

	replaced      bool // by the following
	before, after string
	instead       []*element
}

// parse reads a part as a tree. It calls visit with each element and the scanner
// at its start.
func parse(text string, visit func(*element, *xmlspan.Scanner)) (*element, error) {
	s := scan(text)
	root := &element{tail: len(text), stop: len(text)}
	at, n := root, 0
	for s.Next() {
		switch s.Kind {
		case xmlspan.Start:
			if n++; n > maxElements {
				return nil, fmt.Errorf("a part with more than %d elements: %w", maxElements, citekit.ErrTooLarge)
			}
			e := &element{space: s.Space, local: s.Local, pos: s.Pos, inner: s.Stop, parent: at}
			for a := range s.Attrs() {
				if a.Space == "r" {
					e.refs = append(e.refs, a)
				}
			}
			at.children = append(at.children, e)
			at = e
			visit(e, s)
		case xmlspan.End:
			at.tail, at.stop = s.Pos, s.Stop
			at = at.parent
		}
	}
	if err := s.Err(); err != nil {
		return nil, xmlspan.Known(err)
	}
	return root, nil
}

func (e *element) is(space, local string) bool { return e.space == space && e.local == local }

// around returns the innermost element of a name that contains e, or nil.
func (e *element) around(space, local string) *element {
	for at := e.parent; at != nil; at = at.parent {
		if at.is(space, local) {
			return at
		}
	}
	return nil
}

// find returns the first element of a name within e, or nil.
func (e *element) find(space, local string) *element {
	for _, child := range e.children {
		if child.is(space, local) {
			return child
		}
		if found := child.find(space, local); found != nil {
			return found
		}
	}
	return nil
}

// child returns the first child of a name, or nil.
func (e *element) child(space, local string) *element {
	for _, child := range e.children {
		if child.is(space, local) {
			return child
		}
	}
	return nil
}

// removeIfEmpty removes e if all its children are removed.
func (e *element) removeIfEmpty() {
	for _, child := range e.children {
		if !child.edit.removed {
			return
		}
	}
	e.edit.removed = true
}

// A printer writes an edited part, and records the relationships it still names.
type printer struct {
	text  string
	named map[string]bool
	b     strings.Builder
}

func (p *printer) print(e *element) {
	switch {
	case e.edit.removed:
		return
	case e.edit.replaced:
		p.b.WriteString(e.edit.before)
		p.all(e.edit.instead)
		p.b.WriteString(e.edit.after)
		return
	}
	p.start(e)
	at := e.inner
	for _, child := range e.children {
		p.b.WriteString(p.text[at:child.pos])
		p.print(child)
		at = child.stop
	}
	tail := max(at, e.tail)
	p.b.WriteString(p.text[at:tail])
	p.all(e.edit.also)
	p.b.WriteString(p.text[tail:e.stop])
}

func (p *printer) all(elements []*element) {
	for _, e := range elements {
		p.print(e)
	}
}

// start writes the start tag.
func (p *printer) start(e *element) {
	gone := make(map[int]bool)
	for _, a := range e.edit.attrs {
		gone[a.Pos] = true
	}
	for _, a := range e.refs {
		if !gone[a.Pos] {
			p.named[a.Value] = true
		}
	}
	if e.parent == nil {
		return // it stands for the part
	}
	tag := xmlspan.Splice(p.text, e.pos, e.inner, e.edit.attrs)
	if e.edit.extra != "" {
		end := strings.IndexAny(tag, " \t\r\n/>")
		tag = tag[:end] + e.edit.extra + tag[end:]
	}
	p.b.WriteString(tag)
}

// declarations returns the namespace declarations that e needs from the start tags
// of outer and of the elements between outer and e. Without them, e would lose
// its namespaces in the place of outer.
func declarations(text string, outer, e *element) string {
	have := names(text[e.pos:e.inner])
	var b strings.Builder
	for at := e.parent; at != nil && at != outer.parent; at = at.parent {
		found := names(text[at.pos:at.inner])
		for _, name := range slices.Sorted(maps.Keys(found)) {
			_, prefix, prefixed := strings.Cut(name, ":")
			if _, known := have[name]; known || prefixed && !strings.Contains(text[e.pos:e.stop], prefix+":") {
				continue
			}
			have[name] = found[name]
			b.WriteString(" " + found[name])
		}
	}
	return b.String()
}

// names returns the namespace declarations in a start tag, by their names.
func names(tag string) map[string]string {
	found := make(map[string]string)
	for {
		i := strings.Index(tag, "xmlns")
		if i < 0 {
			return found
		}
		tag = tag[i:]
		equals := strings.IndexByte(tag, '=')
		if equals < 0 {
			return found
		}
		name := strings.TrimRight(tag[:equals], " \t\r\n")
		value := strings.TrimLeft(tag[equals+1:], " \t\r\n")
		if value == "" || value[0] != '"' && value[0] != '\'' {
			return found
		}
		end := strings.IndexByte(value[1:], value[0])
		if end < 0 {
			return found
		}
		found[name] = name + "=" + value[:end+2]
		tag = value[end+2:]
	}
}

// each calls visit with e and every element in it.
func (e *element) each(visit func(*element)) {
	visit(e)
	for _, child := range e.children {
		child.each(visit)
	}
}
