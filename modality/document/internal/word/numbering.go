package word

import (
	"strconv"
	"strings"

	"github.com/citekit/citekit/modality/document/internal/ooxml"
	"github.com/citekit/citekit/modality/document/internal/xmlspan"
)

const levelCount = 9

// A level says how the paragraphs at one level of a list are numbered.
type level struct {
	start   int
	format  string
	text    string // such as "%1.%2)"
	suffix  string // "tab", "space" or "nothing"
	restart int    // the level, from 1, after which numbering restarts; -1 means any higher level
	legal   bool   // whether all numbers in it are decimal
	style   string // id of the style whose paragraphs are at this level
	raw     string // the element as written
}

// An abstract is a definition of lists; its lists share their counters.
type abstract struct {
	levels    [levelCount]level
	styleLink string // the style that names the definition to use instead
}

// A num is one list: a definition with changes.
type num struct {
	id, abstract string
	starts       [levelCount]int // -1 if not given
	levels       [levelCount]*level
	pos, stop    int // of its element in numbering.xml
}

// numbering are the lists of a document.
type numbering struct {
	text      string
	prefix    string // prefix of its element names, such as "w:"
	abstracts map[string]*abstract
	nums      map[string]*num
	numsStop  int // offset after the last list
}

func readNumbering(text string, all *styles) (*numbering, error) {
	n := &numbering{text: text, abstracts: make(map[string]*abstract), nums: make(map[string]*num)}
	if text == "" {
		return n, nil
	}
	s := ooxml.Scan(text)
	for s.Next() {
		switch {
		case s.Kind == xmlspan.Start && s.Depth == 1:
			n.prefix = prefixAt(text, s.Pos)
		case s.Kind == xmlspan.Start && s.Is("w", "abstractNum"):
			id := s.Get("w", "abstractNumId")
			n.abstracts[id] = readAbstract(s, text)
		case s.Kind == xmlspan.Start && s.Is("w", "num"):
			list := readNum(s, text)
			n.nums[list.id] = list
			n.numsStop = list.stop
		}
	}
	n.link(all)
	return n, xmlspan.Known(s.Err())
}

// prefixAt returns the prefix of the tag at pos, including the colon.
func prefixAt(text string, pos int) string {
	name := strings.TrimPrefix(text[pos:min(len(text), pos+64)], "<")
	if end := strings.IndexAny(name, ": \t\r\n>/"); end >= 0 && name[end] == ':' {
		return name[:end+1]
	}
	return ""
}

func readAbstract(s *xmlspan.Scanner, text string) *abstract {
	a := new(abstract)
	for i := range a.levels {
		a.levels[i] = level{start: 1, restart: -1}
	}
	for range s.Starts() {
		switch {
		case s.Is("w", "numStyleLink"):
			a.styleLink = s.Get("w", "val")
		case s.Is("w", "lvl"):
			if i := number(s.Get("w", "ilvl"), -1); i >= 0 && i < levelCount {
				a.levels[i] = readLevel(s, text)
			}
		}
	}
	return a
}

// readLevel reads the level whose Start is the current token.
func readLevel(s *xmlspan.Scanner, text string) level {
	l := level{start: 0, format: "decimal", suffix: "tab", restart: -1}
	pos := s.Pos
	for range s.Starts() {
		switch s.Local {
		case "start":
			l.start = number(s.Get("w", "val"), 0)
		case "numFmt":
			l.format = s.Get("w", "val")
		case "lvlText":
			l.text = s.Get("w", "val")
		case "suff":
			l.suffix = s.Get("w", "val")
		case "lvlRestart":
			l.restart = number(s.Get("w", "val"), -1)
		case "isLgl":
			value, there := s.Attr("w", "val")
			l.legal = !there || isOn(value)
		case "pStyle":
			l.style = s.Get("w", "val")
		case "AlternateContent", "pPr", "rPr":
			s.Skip()
		}
	}
	l.raw = text[pos:s.Stop]
	return l
}

func readNum(s *xmlspan.Scanner, text string) *num {
	list := &num{id: s.Get("w", "numId"), pos: s.Pos}
	for i := range list.starts {
		list.starts[i] = -1
	}
	at := -1
	for range s.Starts() {
		switch {
		case s.Is("w", "abstractNumId"):
			list.abstract = s.Get("w", "val")
		case s.Is("w", "lvlOverride"):
			at = number(s.Get("w", "ilvl"), -1)
		case at < 0 || at >= levelCount:
		case s.Is("w", "startOverride"):
			list.starts[at] = number(s.Get("w", "val"), -1)
		case s.Is("w", "lvl"):
			l := readLevel(s, text)
			list.levels[at] = &l
		}
	}
	list.stop = s.Stop
	return list
}

// link resolves definitions that refer to another definition by a style.
func (n *numbering) link(all *styles) {
	for _, list := range n.nums {
		a := n.abstracts[list.abstract]
		if a == nil || a.styleLink == "" {
			continue
		}
		id, _ := all.numbering(a.styleLink)
		if other := n.nums[id]; other != nil && other != list && n.abstracts[other.abstract] != nil {
			n.abstracts[list.abstract] = n.abstracts[other.abstract]
		}
	}
}

// level returns how level i of a list is numbered.
func (n *numbering) level(list *num, i int) *level {
	if own := list.levels[i]; own != nil {
		return own
	}
	return &n.abstracts[list.abstract].levels[i]
}

// start returns the start number of level i of a list.
func (n *numbering) start(list *num, i int) int {
	if list.starts[i] >= 0 {
		return list.starts[i]
	}
	return n.level(list, i).start
}

// list returns the list with an id, or nil if it has no definition.
func (n *numbering) list(id string) *num {
	list := n.nums[id]
	if list == nil || n.abstracts[list.abstract] == nil {
		return nil
	}
	return list
}

// levelOfStyle returns the level of a list that belongs to a style, or -1.
func (n *numbering) levelOfStyle(list *num, style string) int {
	for i := range levelCount {
		if style != "" && n.level(list, i).style == style {
			return i
		}
	}
	return -1
}

// A count is the state of one level of a definition.
type count struct {
	n     int
	begun bool
}

// counters number the paragraphs of a document in order.
type counters struct {
	n      *numbering
	counts map[*abstract]*[levelCount]count
	used   map[string]bool // lists that have numbered a paragraph
}

func newCounters(n *numbering) *counters {
	return &counters{n: n, counts: make(map[*abstract]*[levelCount]count), used: make(map[string]bool)}
}

func (c *counters) of(list *num) *[levelCount]count {
	a := c.n.abstracts[list.abstract]
	if c.counts[a] == nil {
		c.counts[a] = new([levelCount]count)
	}
	return c.counts[a]
}

// next numbers a paragraph at a level of a list, and returns the numbers of that
// level and of the higher levels. A start override of a list takes effect at its
// first paragraph. Higher levels that have not begun begin then.
func (c *counters) next(list *num, at int) (values [levelCount]int) {
	counts := c.of(list)
	if !c.used[list.id] {
		c.used[list.id] = true
		for i, start := range list.starts {
			if start >= 0 {
				counts[i].begun = false
			}
		}
	}
	for i := range at + 1 {
		switch {
		case !counts[i].begun:
			counts[i] = count{c.n.start(list, i), true}
		case i == at:
			counts[i].n++
		}
		values[i] = counts[i].n
	}
	for i := at + 1; i < levelCount; i++ {
		if restart := c.n.level(list, i).restart; restart < 0 || at < restart {
			counts[i].begun = false
		}
	}
	return values
}

// label returns the number before a paragraph and the text between them. A bullet has
// no label.
func (n *numbering) label(list *num, at int, values [levelCount]int) string {
	l := n.level(list, at)
	if l.format == "bullet" || l.text == "" {
		return ""
	}
	var b strings.Builder
	for i := 0; i < len(l.text); i++ {
		if l.text[i] == '%' && i+1 < len(l.text) && '1' <= l.text[i+1] && l.text[i+1] <= '9' {
			i++
			k := int(l.text[i] - '1')
			b.WriteString(n.format(n.level(list, k), l.legal, values[k]))
			continue
		}
		b.WriteByte(l.text[i])
	}
	text := strings.TrimSpace(b.String())
	switch {
	case text == "":
		return ""
	case l.suffix == "space":
		return text + " "
	case l.suffix == "nothing":
		return text
	}
	return text + "\t"
}

func (n *numbering) format(l *level, legal bool, value int) string {
	if legal {
		return strconv.Itoa(value)
	}
	return formatNumber(l.format, value)
}
