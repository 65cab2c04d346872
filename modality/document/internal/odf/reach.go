package odf

import (
	"context"
	"slices"
	"strings"

	"github.com/citekit/citekit/modality/document/internal/xmlspan"
)

// Fit sets the content and the styles of a cut. Both are made from those of the
// source; an empty styles means that there are none. Fit removes styles, fonts and
// master pages that are not used, and keeps the files that are shown: pictures,
// fonts, media, charts and formulas. The master pages in masters are used in
// addition to those that the content names. Fit returns the differences from the
// source, each a short phrase. Errors are as for [Open].
func (c *Cut) Fit(ctx context.Context, content, styles string, masters []string) (changes []string, err error) {
	content, lost, err := c.clean(content, "", true)
	if err != nil {
		return nil, err
	}
	var g graph
	g.masters = masters
	if content, styles, err = g.prune(content, styles); err != nil {
		return nil, err
	}
	if styles != "" {
		var more omissions
		if styles, more, err = c.clean(styles, "", false); err != nil {
			return nil, err
		}
		lost.add(more)
		c.Replace(Styles, styles)
	}
	c.Replace(Content, content)
	for _, text := range []string{content, styles} {
		if text == "" {
			continue
		}
		if err := c.keepFiles(ctx, text, "", &lost); err != nil {
			return nil, err
		}
	}
	if c.p.hasMacros() {
		lost.macros++
	}
	return lost.changes(), nil
}

// changes lists what was left out, each as a short phrase.
func (o omissions) changes() (list []string) {
	for _, change := range []struct {
		n    int
		text string
	}{
		{o.macros, "macros left out"},
		{o.objects, "embedded objects left out, their pictures kept"},
		{o.controls, "form controls left out"},
		{o.links, "links to missing or outside files left out"},
	} {
		if change.n > 0 {
			list = append(list, change.text)
		}
	}
	return list
}

func (p *Package) hasMacros() bool {
	for _, f := range p.zip.Files() {
		if strings.HasPrefix(f.Name(), "Basic/") || strings.HasPrefix(f.Name(), "Scripts/") {
			return true
		}
	}
	return false
}

// keepFiles keeps the files that a text in a directory refers to, except those
// that a link leads to.
func (c *Cut) keepFiles(ctx context.Context, text, dir string, lost *omissions) error {
	s := Scan(text)
	for range s.Starts() {
		if s.Local == "a" {
			continue
		}
		href, ok := s.Attr("xlink", "href")
		if !ok || strings.HasPrefix(href, "#") {
			continue
		}
		if s.Local == "object" {
			if err := c.keepObject(ctx, dir+localName(href)+"/", lost); err != nil {
				return err
			}
			continue
		}
		if name := c.p.named(dir, href); name != Content && name != Styles && !strings.HasPrefix(name, "META-INF/") && name != meta {
			c.Keep(name)
		}
	}
	return xmlspan.Known(s.Err())
}

// keepObject keeps a chart or a formula: its content, its styles and the files that
// they show.
func (c *Cut) keepObject(ctx context.Context, dir string, lost *omissions) error {
	if c.kept[dir] || !c.p.isShown(dir) {
		return nil
	}
	c.Keep(dir)
	for _, name := range []string{dir + Content, dir + Styles} {
		if !c.p.Has(name) {
			continue
		}
		text, err := c.p.Text(ctx, name)
		if err != nil {
			return err
		}
		clean, more, err := c.clean(text, dir, true)
		if err != nil {
			return err
		}
		lost.add(more)
		if c.Keep(name); clean != text {
			c.Replace(name, clean)
		}
		if err := c.keepFiles(ctx, clean, dir, lost); err != nil {
			return err
		}
	}
	return nil
}

// A graph records which definitions of styles use which.
type graph struct {
	defs    []*definition
	byName  map[name][]*definition
	roots   []name // what the content uses
	masters []string
	first   *definition // master page
}

// A name is the name of a definition, with its kind: "style", "font", "layout" (of
// pages) or "master" (a master page).
type name struct{ kind, text string }

// A use is a name that a file uses.
type use struct {
	name
	file int
}

// A definition is an element that defines how something looks.
type definition struct {
	pos, stop int // of its element
	name
	file    int // 0 content, 1 styles
	common  bool
	uses    []name
	always  bool
	never   bool
	reached bool
}

// prune returns content and styles without unused definitions.
func (g *graph) prune(content, styles string) (string, string, error) {
	files := []string{content, styles}
	for i, text := range files {
		if text == "" {
			continue
		}
		if err := g.read(text, i); err != nil {
			return "", "", err
		}
	}
	g.reachAll()
	var edits [2][]xmlspan.Edit
	for _, d := range g.defs {
		if !d.reached {
			edits[d.file] = append(edits[d.file], xmlspan.Edit{Pos: d.pos, Stop: d.stop})
		}
	}
	for i, text := range files {
		files[i] = xmlspan.Splice(text, 0, len(text), edits[i])
	}
	return files[0], files[1], nil
}

// read records the definitions of a file, and the names that the rest of it uses.
func (g *graph) read(text string, file int) error {
	s := Scan(text)
	var container string
	for range s.Starts() {
		switch {
		case s.Depth == 2:
			container = s.Local
			g.roots = uses(s, g.roots, false)
		case s.Depth == 3 && container != "body":
			g.define(s, file, container)
		case container == "body":
			g.roots = uses(s, g.roots, false)
		}
	}
	return xmlspan.Known(s.Err())
}

// define records the definition whose Start is the token at hand.
func (g *graph) define(s *xmlspan.Scanner, file int, container string) {
	d := &definition{pos: s.Pos, file: file, common: container == "styles" || container == "master-styles"}
	d.kind = "style"
	switch s.Local {
	case "font-face":
		d.kind = "font"
	case "page-layout":
		d.kind = "layout"
	case "master-page":
		d.kind = "master"
		if g.first == nil {
			g.first = d
		}
	case "handout-master":
		d.never = true
	}
	for a := range s.Attrs() {
		if a.Local == "name" {
			d.text = a.Value
		}
	}
	d.always = d.text == "" && !d.never || s.Local == "outline-style"
	depth := s.Depth
	for {
		if s.Kind == xmlspan.Start {
			d.uses = uses(s, d.uses, d.kind == "master")
		}
		if s.Kind == xmlspan.End && s.Depth == depth || !s.Next() {
			break
		}
	}
	d.stop = s.Stop
	if g.byName == nil {
		g.byName = make(map[name][]*definition)
	}
	g.defs = append(g.defs, d)
	g.byName[d.name] = append(g.byName[d.name], d)
}

// uses appends the definitions that the element at hand names.
func uses(s *xmlspan.Scanner, list []name, master bool) []name {
	for a := range s.Attrs() {
		kind := "style"
		switch {
		case a.Local == "master-page-name", master && a.Local == "next-style-name":
			kind = "master"
		case a.Local == "page-layout-name" && a.Space == "style":
			kind = "layout"
		case strings.HasPrefix(a.Local, "font-name"):
			kind = "font"
		case strings.HasSuffix(a.Local, "class-names"):
			for _, text := range strings.Fields(a.Value) {
				list = append(list, name{kind, text})
			}
			continue
		case strings.HasSuffix(a.Local, "-name"), a.Local == "stroke-dash", a.Local == "marker-start", a.Local == "marker-end":
		default:
			continue
		}
		list = append(list, name{kind, a.Value})
	}
	return list
}

// reachAll marks the definitions that are used.
func (g *graph) reachAll() {
	var next []*definition
	mark := func(d *definition) {
		if !d.reached && !d.never {
			d.reached = true
			next = append(next, d)
		}
	}
	found := make(map[use]bool)
	find := func(names []name, file int) {
		for _, n := range names {
			if found[use{n, file}] {
				continue
			}
			found[use{n, file}] = true
			for _, d := range g.byName[n] {
				if d.file == file || d.common {
					mark(d)
				}
			}
		}
	}
	for _, d := range g.defs {
		if d.always {
			mark(d)
		}
	}
	find(g.roots, 0)
	for _, master := range g.masters {
		find([]name{{"master", master}}, 1)
	}
	if g.first != nil && !g.hasMaster() {
		mark(g.first)
	}
	styles := g.commonStyles()
	shown := make(map[string]bool) // master pages whose styles are marked
	for len(next) > 0 {
		d := next[len(next)-1]
		next = next[:len(next)-1]
		find(d.uses, d.file)
		if d.kind != "master" || shown[d.text] {
			continue
		}
		shown[d.text] = true
		// The styles of presentations belong to master pages by their names.
		of := d.text + "-"
		i, _ := slices.BinarySearchFunc(styles, of, func(d *definition, text string) int { return strings.Compare(d.text, text) })
		for ; i < len(styles) && strings.HasPrefix(styles[i].text, of); i++ {
			mark(styles[i])
		}
	}
}

// commonStyles returns the styles that every file can use, sorted by their names.
func (g *graph) commonStyles() (list []*definition) {
	for _, d := range g.defs {
		if d.common && d.kind == "style" {
			list = append(list, d)
		}
	}
	slices.SortFunc(list, func(a, b *definition) int { return strings.Compare(a.text, b.text) })
	return list
}

func (g *graph) hasMaster() bool {
	for _, d := range g.defs {
		if d.kind == "master" && d.reached {
			return true
		}
	}
	return false
}
