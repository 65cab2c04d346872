package htmlblocks

import (
	"bytes"
	"cmp"
	"slices"
)

// A Cut is a page of some blocks of another.
type Cut struct {
	Data    []byte
	Scripts int // scripts and templates that it lacks
}

// Cut returns a page of the blocks from first to last, counted from 1, which
// must be there: what the page has before its body but scripts and what it says
// of itself, the blocks, byte for byte but for scripts, and around them the tags
// of the elements that they are in.
func (p *Page) Cut(first, last int) Cut {
	w := p.newWriter()
	for _, b := range p.Blocks[first-1 : last] {
		w.enter(b.within)
		w.span(b.Span)
		w.data = append(w.data, '\n')
	}
	return w.close()
}

// A writer makes a cut.
type writer struct {
	page    *Page
	data    []byte
	scripts int
	within  int
}

func (p *Page) newWriter() *writer {
	w := &writer{page: p, within: -1, scripts: p.hidden}
	for i, s := range p.head {
		if i > 0 && p.head[i-1].End != s.Start {
			w.data = append(bytes.TrimRight(w.data, " \t\r\n"), '\n')
		}
		w.data = append(w.data, p.src[s.Start:s.End]...)
	}
	if len(p.head) > 0 && p.head[len(p.head)-1].End > len(byteOrderMark) {
		w.data = append(w.data, '\n')
	}
	return w
}

const byteOrderMark = "\xef\xbb\xbf"

// span writes bytes of the page, without scripts.
func (w *writer) span(s Span) {
	for _, script := range w.page.scriptsIn(s) {
		w.data = append(w.data, w.page.src[s.Start:max(script.Start, s.Start)]...)
		s.Start = min(script.End, s.End)
		w.scripts++
	}
	w.data = append(w.data, w.page.src[s.Start:s.End]...)
}

// scriptsIn returns the scripts that begin in a span.
func (p *Page) scriptsIn(s Span) []Span {
	first, after := p.scriptFrom(s.Start), p.scriptFrom(s.End)
	return p.scripts[first:max(first, after)]
}

// scriptFrom returns the index of the first script at or behind an offset.
func (p *Page) scriptFrom(offset int) int {
	i, _ := slices.BinarySearchFunc(p.scripts, offset, func(s Span, offset int) int { return cmp.Compare(s.Start, offset) })
	return i
}

// enter closes and opens wrappers to be within one.
func (w *writer) enter(within int) {
	if within == w.within {
		return
	}
	open := w.page.around(within)
	common := 0
	for _, have := range w.page.around(w.within) {
		if common < len(open) && open[common] == have {
			common++
		}
	}
	w.leave(len(w.page.around(w.within)) - common)
	for _, i := range open[common:] {
		tag := w.page.wrappers[i].tag
		w.data = append(w.data, w.page.src[tag.Start:tag.End]...)
	}
	w.within = within
}

// leave closes so many wrappers.
func (w *writer) leave(n int) {
	for ; n > 0; n-- {
		w.data = append(w.data, "</"+w.page.wrappers[w.within].name+">"...)
		w.within = w.page.wrappers[w.within].within
	}
}

// around returns a wrapper and those around it, outermost first.
func (p *Page) around(within int) []int {
	n := 0
	for i := within; i >= 0; i = p.wrappers[i].within {
		n++
	}
	all := make([]int, n)
	for i := within; i >= 0; i = p.wrappers[i].within {
		n--
		all[n] = i
	}
	return all
}

func (w *writer) close() Cut {
	w.leave(len(w.page.around(w.within)))
	if w.page.body {
		w.data = append(w.data, "</body>"...)
	}
	if w.page.html {
		w.data = append(w.data, "</html>"...)
	}
	if w.page.body || w.page.html {
		w.data = append(w.data, '\n')
	}
	return Cut{w.data, w.scripts}
}
