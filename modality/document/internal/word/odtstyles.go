package word

import (
	"strings"

	"github.com/citekit/citekit/modality/document/internal/odf"
	"github.com/citekit/citekit/modality/document/internal/xmlspan"
)

// odtStyles are the styles of an ODT that determine numbering and structure. Styles
// in content.xml override those of the same name in styles.xml.
type odtStyles struct {
	paragraphs  map[string]odtStyle
	spans       odf.Spans
	tables      map[string]string // master pages of table styles
	lists       map[string]*odtList
	outline     *odtList          // numbering of headings
	next        map[string]string // the next master page of each master page
	firstMaster string
}

// An odtStyle is a paragraph style.
type odtStyle struct {
	parent  string
	list    string
	hasList bool
	master  string
}

// An odtList is a list style.
type odtList struct {
	name   string
	levels [odtLevels]odtLevel
}

const odtLevels = 10

// An odtLevel says how a level of a list is numbered (ODF 1.3, part 3, section
// 16.30).
type odtLevel struct {
	format         string // "" for bullets and unnumbered levels
	prefix, suffix string
	pattern        string // such as "%1%.%2%.", if given
	display        int    // number of levels shown
	start          int
	follow         string // text between number and paragraph
}

func readODTStyles(styles, content string) (*odtStyles, error) {
	o := &odtStyles{paragraphs: make(map[string]odtStyle), spans: make(odf.Spans), tables: make(map[string]string), lists: make(map[string]*odtList), next: make(map[string]string)}
	for _, text := range []string{styles, content} {
		if text == "" {
			continue
		}
		if err := o.read(odf.Scan(text)); err != nil {
			return nil, xmlspan.Known(err)
		}
	}
	return o, nil
}

func (o *odtStyles) read(s *xmlspan.Scanner) error {
	var container string
	for range s.Starts() {
		switch {
		case s.Depth == 2:
			if container = s.Local; container == "body" {
				return nil // its content is read when it is indexed
			}
		case s.Depth == 3:
			o.definition(s)
		}
	}
	return s.Err()
}

func (o *odtStyles) definition(s *xmlspan.Scanner) {
	name := s.Get("style", "name")
	switch {
	case s.Is("style", "style"):
		master := s.Get("style", "master-page-name")
		switch s.Get("style", "family") {
		case "paragraph":
			st := odtStyle{parent: s.Get("style", "parent-style-name"), master: master}
			st.list, st.hasList = s.Attr("style", "list-style-name")
			o.paragraphs[name] = st
			o.spans.Read(s)
		case "table":
			o.tables[name] = master
		default:
			o.spans.Read(s)
		}
	case s.Is("style", "default-style"):
		o.spans.Read(s)
	case s.Is("style", "master-page"):
		if o.firstMaster == "" {
			o.firstMaster = name
		}
		o.next[name] = s.Get("style", "next-style-name")
	case s.Is("text", "list-style"):
		o.lists[name] = readODTList(s, name)
	case s.Is("text", "outline-style"):
		o.outline = readODTList(s, outlineName)
	}
}

// outlineName is the key for the numbering of headings among the list styles. No
// style has that name, as it is not an XML name.
const outlineName = " outline"

// readODTList reads the style whose Start is the current token.
func readODTList(s *xmlspan.Scanner, name string) *odtList {
	l := &odtList{name: name}
	for i := range l.levels {
		l.levels[i].start = 1
	}
	depth, at := s.Depth, -1
	for range s.Starts() {
		if s.Depth == depth+1 {
			at = odf.Number(s.Get("text", "level"), 0) - 1
			if at < 0 || at >= odtLevels {
				at = -1
				continue
			}
			l.levels[at] = readODTLevel(s)
		}
		if s.Local == "list-level-label-alignment" && at >= 0 {
			l.levels[at].follow = followed(s.Get("text", "label-followed-by"))
		}
	}
	return l
}

func readODTLevel(s *xmlspan.Scanner) odtLevel {
	l := odtLevel{start: 1, display: 1, follow: "\t"}
	if s.Local != "list-level-style-number" && s.Local != "outline-level-style" {
		return l
	}
	for a := range s.Attrs() {
		switch a.Local {
		case "num-format":
			l.format = a.Value
		case "num-prefix":
			l.prefix = a.Value
		case "num-suffix":
			l.suffix = a.Value
		case "num-list-format":
			l.pattern = a.Value
		case "display-levels":
			l.display = odf.Number(a.Value, 1)
		case "start-value":
			l.start = odf.Number(a.Value, 1)
		}
	}
	return l
}

func followed(by string) string {
	switch by {
	case "space":
		return " "
	case "nothing":
		return ""
	}
	return "\t"
}

const maxParents = 64

// isNamed reports whether a style has a name or is based on the style with it.
func (o *odtStyles) isNamed(style, name string) bool {
	for range maxParents {
		if strings.EqualFold(style, name) {
			return true
		}
		if style = o.paragraphs[style].parent; style == "" {
			break
		}
	}
	return false
}

// master returns the master page that a paragraph style begins, or "".
func (o *odtStyles) master(style string) string {
	for range maxParents {
		st, ok := o.paragraphs[style]
		if !ok || st.master != "" {
			return st.master
		}
		style = st.parent
	}
	return ""
}

// listStyle returns the list style that a paragraph style names.
func (o *odtStyles) listStyle(style string) (name string, ok bool) {
	for range maxParents {
		st, there := o.paragraphs[style]
		if !there || st.hasList {
			return st.list, st.hasList
		}
		style = st.parent
	}
	return "", false
}

// lastPage returns the master page in force some pages after one: the end of its
// chain of next pages, unless the chain is a cycle.
func (o *odtStyles) lastPage(master string) string {
	seen := map[string]bool{}
	for at := master; ; at = o.next[at] {
		next := o.next[at]
		if next == "" || next == at {
			return at
		}
		if seen[at] {
			return master
		}
		seen[at] = true
	}
}
