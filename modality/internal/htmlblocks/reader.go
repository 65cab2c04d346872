package htmlblocks

import (
	"bytes"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

const (
	maxDepth    = 4 << 10 // elements that are open in a block; deeper ones are not followed
	maxSearch   = 200     // of these, how many an end tag may end, but those of tables
	maxWrappers = 512     // that are open
)

// An element is one that is open in a block.
type element struct {
	tag   atom.Atom
	name  string
	start Span // its start tag
}

// A reader goes through the tags of a page.
type reader struct {
	page   *Page
	tokens *html.Tokenizer

	kind       html.TokenType
	start, end int // of the token

	began   bool // the body
	within  int  // the innermost wrapper that is open, or -1
	depth   int  // of wrappers that are open
	foreign int  // drawings and formulas that are open

	hidden      atom.Atom // the element that is open and shows nothing
	hiddenDepth int       // elements of its name that are open
	hiddenStart int

	open  Block // the block that is open
	isRun bool
	in    bool // there is one
	shown bool // the run shows something
	stack []element
	names map[string]int // how often a name is in the stack
	last  int            // where the last thing that counts of the run ends
}

func newReader(src []byte, xml bool) *reader {
	r := &reader{page: &Page{src: src, xml: xml}, tokens: html.NewTokenizer(bytes.NewReader(src)), within: -1, names: make(map[string]int)}
	r.tokens.AllowCDATA(xml)
	return r
}

func (r *reader) next() bool {
	r.kind = r.tokens.Next()
	r.start = r.end
	r.end += len(r.tokens.Raw())
	return r.kind != html.ErrorToken
}

func (r *reader) read() {
	switch r.kind {
	case html.TextToken:
		r.text()
	case html.StartTagToken, html.SelfClosingTagToken:
		name, more := r.tokens.TagName()
		tag := atom.Lookup(name)
		ended := r.kind == html.SelfClosingTagToken && (r.page.xml || r.foreign > 0)
		if ended || r.foreign > 0 && tag == atom.Title {
			r.tokens.NextIsNotRawText()
		}
		r.startTag(tag, string(name), more, ended)
	case html.EndTagToken:
		name, _ := r.tokens.TagName()
		r.endTag(atom.Lookup(name), string(name))
	case html.DoctypeToken:
		r.keep()
	case html.CommentToken:
		if bytes.HasPrefix(r.raw(), []byte("<?xml")) {
			r.keep()
		}
	}
}

func (r *reader) raw() []byte { return r.page.src[r.start:r.end] }

// keep keeps a token before the body for every cut.
func (r *reader) keep() {
	if !r.began {
		r.page.head = append(r.page.head, Span{r.start, r.end})
	}
}

func (r *reader) text() {
	if r.hidden != 0 {
		if r.hidden == atom.Title || r.hidden == atom.Style {
			r.keepLook(r.hidden)
		}
		return
	}
	raw := r.raw()
	blank := bytes.TrimLeft(raw, " \t\r\n\f")
	if bytes.HasPrefix(raw, []byte("\xef\xbb\xbf")) && r.start == 0 {
		r.page.head = append(r.page.head, Span{0, 3})
		blank = bytes.TrimLeft(raw[3:], " \t\r\n\f")
	}
	if len(blank) == 0 {
		return
	}
	r.began = true
	if !r.in {
		r.beginRun(r.end - len(blank))
	}
	r.shown = true
	r.last = r.end - (len(raw) - len(bytes.TrimRight(raw, " \t\r\n\f")))
}

func (r *reader) startTag(tag atom.Atom, name string, more, ended bool) {
	kind := kindOf(tag, name)
	if r.hidden != 0 {
		if tag == r.hidden && !ended {
			r.hiddenDepth++
		}
		return
	}
	if kind == nothing || !r.began && r.isOfHead(tag) {
		r.readHead(tag, more, ended)
		return
	}
	if kind == hides && (tag != atom.Title || r.foreign == 0) {
		r.hide(tag, ended)
		return
	}
	r.began = true
	if (tag == atom.Svg || tag == atom.Math) && !ended {
		r.foreign++
	}
	if r.foreign > 0 && kind != void {
		kind = inline
	}
	r.place(tag, name, kind, ended)
}

// place finds what becomes of an element of the body.
func (r *reader) place(tag atom.Atom, name string, kind kind, ended bool) {
	ended = ended || kind == void || tag == atom.Hr && !r.page.xml
	breaks := kind == block || kind == wraps
	switch {
	case r.in && r.isRun && breaks && !r.shown:
		r.wrapOpen()
	case r.in && r.isRun && breaks && (len(r.stack) == 0 || !r.page.xml):
		r.endBlock(r.last)
	case r.in && !r.isRun && r.impliesEnd(tag, breaks):
		r.endBlock(r.start)
	}
	switch {
	case r.in:
		r.push(tag, name, ended)
	case kind == wraps:
		if !ended {
			r.wrap(element{tag, name, Span{r.start, r.end}})
		}
		return
	case kind == block:
		r.in, r.isRun = true, false
		r.open = Block{Span: Span{Start: r.start}, Tag: name, within: r.within}
		r.push(tag, name, ended)
		if ended {
			r.endBlock(r.end)
		}
		return
	default:
		r.beginRun(r.start)
		r.push(tag, name, ended)
	}
	if r.shown = r.shown || shows(tag); r.isRun {
		r.last = r.end
	}
}

// impliesEnd reports whether the start of an element ends the block that is
// open without its tag.
func (r *reader) impliesEnd(tag atom.Atom, breaks bool) bool {
	if r.page.xml || len(r.stack) == 0 {
		return false
	}
	root, top := r.stack[0].tag, r.stack[len(r.stack)-1].tag
	return root == atom.P && breaks && !r.bounded() || isHeading(root) && isHeading(tag) && len(r.stack) == 1 && top == root
}

// bounded reports whether something is open in a block that the block's end
// cannot pass.
func (r *reader) bounded() bool {
	for i := len(r.stack) - 1; i > 0 && i > len(r.stack)-maxSearch; i-- {
		if bounds(r.stack[i].tag) {
			return true
		}
	}
	return false
}

func (r *reader) beginRun(start int) {
	r.in, r.isRun, r.shown = true, true, false
	r.open = Block{Span: Span{Start: start}, within: r.within}
	r.last = r.end
}

// push opens an element in a block, ending those of its kind before it that HTML
// ends by it.
func (r *reader) push(tag atom.Atom, name string, ended bool) {
	if !r.page.xml && len(r.stack) > 1 && endsBy(r.stack[len(r.stack)-1].tag, tag) {
		r.cutStack(len(r.stack) - 1)
	}
	if !ended && len(r.stack) < maxDepth {
		r.stack = append(r.stack, element{tag, name, Span{r.start, r.end}})
		r.names[name]++
	}
}

// cutStack ends the elements from the n-th on.
func (r *reader) cutStack(n int) {
	for _, e := range r.stack[n:] {
		r.names[e.name]--
	}
	r.stack = r.stack[:n]
}

// wrapOpen makes wrappers of the elements of a run that shows nothing yet, for
// they hold blocks.
func (r *reader) wrapOpen() {
	for _, e := range r.stack {
		r.wrap(e)
	}
	r.endBlock(r.last)
}

// endsBy reports whether an element that is open ends where another starts.
func endsBy(open, next atom.Atom) bool {
	switch open {
	case atom.Li, atom.Option, atom.Tr, atom.P:
		return open == next
	case atom.Dt, atom.Dd:
		return next == atom.Dt || next == atom.Dd
	case atom.Td, atom.Th:
		return next == atom.Td || next == atom.Th || next == atom.Tr
	}
	return false
}

func (r *reader) endTag(tag atom.Atom, name string) {
	if r.hidden != 0 {
		r.endHidden(tag)
		return
	}
	if !r.began && (tag == atom.Head || tag == atom.Html) || kindOf(tag, name) == nothing {
		if tag == atom.Head && !r.began {
			r.keep()
			r.page.heads = false
		}
		return
	}
	if tag == atom.Svg || tag == atom.Math {
		r.foreign = max(r.foreign-1, 0)
	}
	if r.in {
		if r.pop(tag, name) {
			return
		}
		if r.bounded() {
			return
		}
	}
	if !r.isOpen(name) {
		return
	}
	switch {
	case r.in && r.isRun:
		r.endBlock(r.last)
	case r.in && kindOf(tag, name) == wraps:
		r.endBlock(r.start)
	}
	r.unwrap(name)
}

// pop ends the element with a name in the block that is open. It reports whether
// there was one.
func (r *reader) pop(tag atom.Atom, name string) bool {
	search := maxSearch
	if isTablePart(tag) {
		search = maxDepth
	}
	if r.names[name] == 0 && !isHeading(tag) {
		return false
	}
	for i := len(r.stack) - 1; i >= 0 && i > len(r.stack)-1-search; i-- {
		e := r.stack[i]
		if e.name == name || isHeading(tag) && isHeading(e.tag) {
			r.cutStack(i)
			if r.isRun {
				r.last = r.end
			} else if i == 0 {
				r.endBlock(r.end)
			}
			return true
		}
		if bounds(e.tag) && !isTablePart(tag) || kindOf(tag, name) == inline && !isPart(tag) && (kindOf(e.tag, e.name) != inline || isPart(e.tag)) {
			return false
		}
	}
	return false
}

// endBlock ends the block that is open at an offset. A run that shows nothing is
// none.
func (r *reader) endBlock(end int) {
	r.open.End = r.open.Start + len(bytes.TrimRight(r.page.src[r.open.Start:end], " \t\r\n\f"))
	if !r.isRun || r.shown {
		r.page.Blocks = append(r.page.Blocks, r.open)
	}
	r.in, r.isRun, r.shown = false, false, false
	r.cutStack(0)
}

func (r *reader) finish() {
	if r.hidden != 0 && r.hidden != atom.Title && r.hidden != atom.Style {
		r.page.scripts = append(r.page.scripts, Span{r.hiddenStart, r.end})
	}
	if r.in && r.isRun {
		r.endBlock(max(r.last, r.open.Start))
	} else if r.in {
		r.endBlock(len(r.page.src))
	}
}
