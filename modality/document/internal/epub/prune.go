package epub

import (
	"context"
	"fmt"
	"html"
	"net/url"
	"path"
	"path/filepath"
	"strings"
)

// cutContents reduces the tables of contents to the entries of the part. Each keeps
// at least one entry, as the format requires.
func (c *cutter) cutContents(ctx context.Context) error {
	if c.title == "" {
		c.title = fmt.Sprintf("Part %d", c.numbers[0])
	}
	c.newContents()
	for _, source := range []struct {
		item   *item
		isHTML bool
		prune  func(*pruner) string
	}{
		{c.nav, true, (*pruner).nav},
		{c.ncx, false, (*pruner).ncx},
	} {
		it := source.item
		if it == nil || it.name == "" || c.part[it.name] || it == c.ncx && it == c.nav {
			continue
		}
		t, err := c.tree(ctx, it.name, source.isHTML)
		if err != nil {
			return err
		}
		p := &pruner{cutter: c, tree: t, base: it.name}
		text := source.prune(p)
		if text == "" {
			continue
		}
		if err := c.make(ctx, it.name, text); err != nil {
			return err
		}
		c.keep(it.name)
		if err := c.followAll(ctx, []string{it.name}); err != nil {
			return err
		}
	}
	return nil
}

// newContents adds a table of contents if blocks are cut from the part that was the
// table of contents of the book.
func (c *cutter) newContents() {
	if c.nav == nil || !c.part[c.nav.name] || c.whole {
		return
	}
	for n, id := 0, ""; id == "" || c.find(c.extra) != "" || c.byID[id] != nil; n++ {
		id = fmt.Sprintf("contents-%d", n)
		c.extra = path.Join(path.Dir(c.name), id+".xhtml")
	}
	p := &pruner{cutter: c, base: c.extra}
	title := html.EscapeString(c.title)
	c.made[c.extra] = []byte(`<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops"><head><title>` + title +
		`</title></head><body><nav epub:type="toc"><ol><li><a href="` + p.href() + `">` + title + "</a></li></ol></nav></body></html>")
	c.changes = append(c.changes, "a table of contents added, as the blocks are of the one of the book")
}

// A pruner prunes one table of contents. Entries that lead elsewhere are replaced by
// those of their children that lead to the part.
type pruner struct {
	*cutter
	*tree
	base  string
	order map[string]int // play order of the targets of an NCX
}

func (p *pruner) endTag(i int32) string {
	if n := &p.nodes[i]; n.close < n.end {
		return p.data[n.close:n.end]
	}
	return "</" + p.rawName(i) + ">"
}

// openTag returns the start tag of an element that gets content.
func (p *pruner) openTag(i int32) string {
	if tag, empty := strings.CutSuffix(p.tag(i), "/>"); empty {
		return tag + ">"
	}
	return p.tag(i)
}

// rawName returns the name of an element as written.
func (p *pruner) rawName(i int32) string {
	tag := p.tag(i)[1:]
	return tag[:nameLen(tag)]
}

// element returns an element with other content.
func (p *pruner) element(i int32, content string) string {
	return p.openTag(i) + content + p.endTag(i)
}

// target returns the name of the first part, or of its fallback.
func (p *pruner) target() string {
	if it := p.firstItem(); it.name != "" {
		return it.name
	}
	return p.book.content(p.firstItem()).name
}

// href returns a reference to the part.
func (p *pruner) href() string {
	dir := filepath.ToSlash(filepath.Dir(filepath.FromSlash(p.base)))
	rel, err := filepath.Rel(filepath.FromSlash(dir), filepath.FromSlash(p.target()))
	if err != nil {
		rel = p.target()
	}
	return html.EscapeString((&url.URL{Path: filepath.ToSlash(rel)}).String())
}

// nav returns the navigation document with only its lists, or "" if it has no table
// of contents.
func (p *pruner) nav() string {
	toc := navOf(p.tree)
	body := p.first(0, "body")
	if toc == 0 || body == 0 {
		return ""
	}
	var content strings.Builder
	for i := range p.within(body, "nav") {
		list := p.first(i, "ol")
		if list == 0 && i != toc {
			continue
		}
		entries := ""
		if list != 0 {
			entries = p.navList(list)
		}
		switch {
		case i == toc && entries == "":
			entries = `<li><a href="` + p.href() + `">` + html.EscapeString(p.title) + "</a></li>"
			p.changes = append(p.changes, "an entry for the part added to the table of contents")
		case i != toc && (entries == "" || navType(p.tree, i) == ""):
			continue
		}
		content.WriteString("\n" + p.element(i, p.heading(i, list)+p.listOf(list, entries)))
	}
	edits := []edit{{p.nodes[body].open, p.nodes[body].close, content.String() + "\n"}}
	for _, name := range []string{"link", "style", "script"} {
		for i := range p.within(p.first(0, "head"), name) {
			edits = append(edits, p.removal(i))
		}
	}
	return splice(p.data, edits)
}

func (p *pruner) listOf(list int32, entries string) string {
	if list == 0 {
		return "<ol>" + entries + "</ol>"
	}
	return p.element(list, entries)
}

// heading returns the heading of a nav element before its list.
func (p *pruner) heading(nav, list int32) string {
	for i, n := range p.children(nav) {
		if len(n.name) == 2 && n.name[0] == 'h' && n.name != "hr" && (list == 0 || n.end <= p.nodes[list].start) {
			return p.data[p.nodes[i].start:p.nodes[i].end]
		}
	}
	return ""
}

func (p *pruner) navList(list int32) string {
	var out strings.Builder
	for i, n := range p.children(list) {
		if n.name != "li" {
			continue
		}
		inner := p.child(i, "ol")
		below, end := "", n.close
		if inner != 0 {
			below, end = p.navList(inner), p.nodes[inner].start
		}
		link := p.linkOf(i, inner)
		if link == 0 || !p.has(p.base, p.attr(link, "href")) {
			out.WriteString(below)
			continue
		}
		if below != "" {
			below = p.element(inner, below)
		}
		out.WriteString(p.element(i, p.data[n.open:end]+below))
	}
	return out.String()
}

func (p *pruner) ncx() string {
	root := p.first(0, "navmap")
	if root == 0 {
		return ""
	}
	points := p.navPoints(root, "navpoint")
	if points == "" {
		prefix := strings.TrimSuffix(p.rawName(root), "navMap")
		points = fmt.Sprintf(`<%[1]snavPoint id="part-%[2]d" playOrder="1"><%[1]snavLabel><%[1]stext>%[3]s</%[1]stext></%[1]snavLabel><%[1]scontent src="%[4]s"/></%[1]snavPoint>`,
			prefix, p.numbers[0], html.EscapeString(p.title), p.href())
	}
	edits := []edit{{p.nodes[root].start, p.nodes[root].end, p.element(root, points)}}
	for _, list := range []struct{ list, target string }{{"pagelist", "pagetarget"}, {"navlist", "navtarget"}} {
		for i := range p.within(0, list.list) {
			targets := p.navPoints(i, list.target)
			if targets == "" {
				edits = append(edits, p.removal(i))
				continue
			}
			edits = append(edits, edit{p.nodes[i].start, p.nodes[i].end, p.element(i, p.labels(i)+targets)})
		}
	}
	return splice(p.data, edits)
}

// labels returns the labels of an element.
func (p *pruner) labels(i int32) string {
	var out strings.Builder
	for c, n := range p.children(i) {
		if n.name == "navlabel" || n.name == "navinfo" || n.name == "content" {
			out.WriteString(p.data[p.nodes[c].start:p.nodes[c].end])
		}
	}
	return out.String()
}

func (p *pruner) navPoints(parent int32, name string) string {
	var out strings.Builder
	for i, n := range p.children(parent) {
		if n.name != name {
			continue
		}
		content := p.child(i, "content")
		if content == 0 || !p.has(p.base, p.attr(content, "src")) {
			out.WriteString(p.navPoints(i, name))
			continue
		}
		tag := p.ordered(p.openTag(i), p.attr(content, "src"))
		out.WriteString(tag + p.labels(i) + p.navPoints(i, name) + p.endTag(i))
	}
	return out.String()
}

// ordered sets the play order in a start tag. The order has no gaps, and each target
// has one number.
func (p *pruner) ordered(tag, target string) string {
	if p.order == nil {
		p.order = make(map[string]int)
	}
	if p.order[target] == 0 {
		p.order[target] = len(p.order) + 1
	}
	for a := range attributes(tag) {
		if a.name == "playOrder" {
			return fmt.Sprintf(`%splayOrder="%d"%s`, tag[:a.start], p.order[target], tag[a.end:])
		}
	}
	return tag
}
