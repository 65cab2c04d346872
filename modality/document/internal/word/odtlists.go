package word

import (
	"slices"
	"strconv"
	"strings"

	"github.com/citekit/citekit/modality/document/internal/odf"
	"github.com/citekit/citekit/modality/document/internal/xmlspan"
)

// An odtParagraph is a numbered paragraph.
type odtParagraph struct {
	pos    int // offset of its first byte
	item   int // offset of the element that can set its number: a list item, or the heading itself
	style  string
	level  int // from 0
	values [odtLevels]int
	above  [odtLevels]bool // higher levels that had not begun and take their first number here
	label  string          // its number and the text between number and paragraph
}

// odtLists number the paragraphs of a text in document order.
type odtLists struct {
	styles *odtStyles
	open   []odtElement
	byID   map[string]*odtCounter
	last   map[string]*odtCounter // the last list of each style
	head   odtCounter             // the counter of headings

	starts map[odtStart]int // start numbers that differ in a cut
	items  map[int]int      // numbers that elements of a cut begin with, by offset

	// want, if not nil, receives each numbered paragraph and may change its values.
	want func(*odtParagraph)
}

// An odtStart is a level of a list style.
type odtStart struct {
	style string
	level int
}

// An odtCounter counts a list, which may continue in several elements.
type odtCounter struct {
	values  [odtLevels]int
	counted [odtLevels]bool
}

// An odtElement is an open element: a list, a list item, or an element within an item
// that has its own lists.
type odtElement struct {
	kind    int
	depth   int
	style   string // style of a list
	counter *odtCounter

	pos, start int  // of an item: its offset, and its number or -1
	fresh      bool // its first paragraph is still to come
}

const (
	openList = iota
	openItem
	openFrame
)

func newODTLists(styles *odtStyles) *odtLists {
	return &odtLists{styles: styles, byID: make(map[string]*odtCounter), last: make(map[string]*odtCounter)}
}

// skipsLists reports whether the current element contains lists that do not belong to
// the text.
func skipsLists(s *xmlspan.Scanner) bool {
	return s.Is("office", "annotation") || s.Is("text", "tracked-changes") || s.Space == "text" && strings.HasSuffix(s.Local, "-source")
}

func (l *odtLists) leave(s *xmlspan.Scanner) {
	if n := len(l.open); n > 0 && l.open[n-1].depth == s.Depth {
		l.open = l.open[:n-1]
	}
}

// enter records the element whose Start is the current token. If it is a numbered
// paragraph, enter returns it.
func (l *odtLists) enter(s *xmlspan.Scanner) (p odtParagraph, numbered bool) {
	switch {
	case s.Is("text", "list"):
		l.list(s)
	case s.Is("text", "list-item"):
		start := odf.Number(s.Get("text", "start-value"), -1)
		l.open = append(l.open, odtElement{kind: openItem, depth: s.Depth, pos: s.Pos, start: start, fresh: true})
	case s.Is("text", "list-header"):
		l.open = append(l.open, odtElement{kind: openItem, depth: s.Depth})
	case s.Is("text", "note-body"), s.Is("draw", "text-box"), s.Is("table", "table-cell"):
		l.open = append(l.open, odtElement{kind: openFrame, depth: s.Depth})
	case s.Is("text", "p"), s.Is("text", "h"):
		return l.paragraph(s)
	}
	return p, false
}

// list opens a list, new or continued.
func (l *odtLists) list(s *xmlspan.Scanner) {
	o := odtElement{kind: openList, depth: s.Depth, style: s.Get("text", "style-name")}
	defer func() { l.open = append(l.open, o) }()
	if outer := l.outer(); outer != nil {
		o.counter = outer.counter
		if o.style == "" {
			o.style = outer.style
		}
		return
	}
	id := s.Get("http://www.w3.org/XML/1998/namespace", "id")
	o.counter = l.byID[s.Get("text", "continue-list")]
	if o.counter == nil && s.Get("text", "continue-numbering") == "true" {
		o.counter = l.last[o.style]
	}
	if o.counter == nil {
		o.counter = new(odtCounter)
	}
	l.last[o.style] = o.counter
	if id != "" {
		l.byID[id] = o.counter
	}
}

// outer returns the innermost open list, or nil.
func (l *odtLists) outer() *odtElement {
	for i := len(l.open) - 1; i >= 0 && l.open[i].kind != openFrame; i-- {
		if l.open[i].kind == openList {
			return &l.open[i]
		}
	}
	return nil
}

// paragraph numbers the current paragraph.
func (l *odtLists) paragraph(s *xmlspan.Scanner) (p odtParagraph, numbered bool) {
	list := l.outer()
	if list == nil {
		return l.heading(s)
	}
	item := &l.open[len(l.open)-1]
	if item.kind != openItem || !item.fresh {
		return p, false
	}
	item.fresh = false
	style := list.style
	if style == "" {
		style, _ = l.styles.listStyle(s.Get("text", "style-name"))
	}
	depth := -1
	for i := len(l.open) - 1; i >= 0 && l.open[i].kind != openFrame; i-- {
		if l.open[i].kind == openList {
			depth++
		}
	}
	p = odtParagraph{pos: s.Pos, item: item.pos, style: style, level: min(depth, odtLevels-1)}
	return l.count(p, l.styles.lists[style], list.counter, item.start)
}

// heading numbers the current heading, which is in no list.
func (l *odtLists) heading(s *xmlspan.Scanner) (p odtParagraph, numbered bool) {
	if s.Local != "h" || l.styles.outline == nil || s.Get("text", "is-list-header") == "true" {
		return p, false
	}
	if list, ok := l.styles.listStyle(s.Get("text", "style-name")); ok && list == "" {
		return p, false
	}
	level := odf.Number(s.Get("text", "outline-level"), 1) - 1
	p = odtParagraph{pos: s.Pos, item: s.Pos, style: outlineName, level: min(max(level, 0), odtLevels-1)}
	start := -1
	if s.Get("text", "restart-numbering") == "true" {
		start = odf.Number(s.Get("text", "start-value"), l.start(l.styles.outline, p.level))
	}
	return l.count(p, l.styles.outline, &l.head, start)
}

// start returns the start number of a level.
func (l *odtLists) start(list *odtList, level int) int {
	if n, ok := l.starts[odtStart{list.name, level}]; ok {
		return n
	}
	return list.levels[level].start
}

// count numbers a paragraph of a list, with start unless that is negative.
func (l *odtLists) count(p odtParagraph, list *odtList, c *odtCounter, start int) (odtParagraph, bool) {
	if list == nil {
		return p, false
	}
	for k := range p.level {
		if !c.counted[k] {
			c.values[k], c.counted[k], p.above[k] = l.start(list, k), true, true
		}
	}
	switch k := p.level; {
	case start >= 0:
		c.values[k] = start
	case c.counted[k]:
		c.values[k]++
	default:
		c.values[k] = l.start(list, k)
	}
	c.counted[p.level] = true
	for k := p.level + 1; k < odtLevels; k++ {
		c.counted[k] = false
	}
	p.values = c.values
	if l.want != nil {
		l.want(&p)
		c.values = p.values
	}
	p.label = list.label(p.level, p.values)
	return p, list.levels[p.level].format != ""
}

// label returns the number of a paragraph and the text between them.
func (l *odtList) label(at int, values [odtLevels]int) string {
	level := l.levels[at]
	if level.format == "" {
		return ""
	}
	if level.pattern != "" {
		text := level.pattern
		for k := range odtLevels {
			if key := "%" + strconv.Itoa(k+1) + "%"; strings.Contains(text, key) {
				text = strings.ReplaceAll(text, key, odtNumber(l.levels[k].format, values[k]))
			}
		}
		return text + level.follow
	}
	var parts []string
	for k := max(at-level.display+1, 0); k <= at; k++ {
		if l.levels[k].format != "" {
			parts = append(parts, odtNumber(l.levels[k].format, values[k]))
		}
	}
	return level.prefix + strings.Join(parts, ".") + level.suffix + level.follow
}

// odtNumber writes a number in a format of ODF (part 3, section 19.500).
func odtNumber(format string, n int) string {
	i := slices.Index([]string{"i", "I", "a", "A"}, format)
	if i < 0 {
		if format == "" {
			return ""
		}
		return strconv.Itoa(n)
	}
	return formatNumber([]string{"lowerRoman", "upperRoman", "lowerLetter", "upperLetter"}[i], n)
}
