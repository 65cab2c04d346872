package epub

import (
	"context"
	"strings"

	"github.com/citekit/citekit/internal/about"
)

const maxTOCDepth = 200 // below the limit of 256 for a map

// An entry is an entry of a table of contents.
type entry struct {
	title    string
	name     string // name of the member that it leads to; "" if it leads nowhere
	fragment string
	children []*entry
}

// contents reads the navigation document, or the NCX if that has no entries. The
// method says which.
func (b *book) contents(ctx context.Context) (entries []*entry, method string, err error) {
	for _, source := range []struct {
		item   *item
		isHTML bool
		read   func(*contentsReader, *tree) []*entry
		method string
	}{
		{b.nav, true, (*contentsReader).nav, "nav"},
		{b.ncx, false, (*contentsReader).ncx, "ncx"},
	} {
		if source.item == nil || source.item.name == "" {
			continue
		}
		t, err := b.tree(ctx, source.item.name, source.isHTML)
		if err != nil {
			return nil, "", err
		}
		r := &contentsReader{book: b, base: source.item.name}
		if entries := source.read(r, t); len(entries) > 0 {
			return entries, source.method, nil
		}
	}
	return nil, "", ctx.Err()
}

// A contentsReader reads a table of contents, up to the number of entries that a map
// has nodes.
type contentsReader struct {
	*book
	base  string
	count int
}

// add appends an entry to list. An entry without a title is replaced by its children.
func (r *contentsReader) add(list []*entry, title, href string, children []*entry) []*entry {
	if isBlank(title) {
		return append(list, children...)
	}
	e := &entry{title: title, children: children}
	if href != "" {
		if name, fragment, ok := resolve(r.base, href); ok {
			e.name, e.fragment = r.find(name), fragment
		}
	}
	return append(list, e)
}

// full counts an entry, and reports whether there are too many entries or it is too
// deep.
func (r *contentsReader) full(depth int) bool {
	r.count++
	return r.count > about.MaxMappedNodes || depth > maxTOCDepth
}

// navOf returns the table of contents in a navigation document.
func navOf(t *tree) int32 {
	only := int32(0)
	for i := range t.within(0, "nav") {
		if navType(t, i) == "toc" {
			return i
		}
		if only == 0 && navType(t, i) == "" {
			only = i
		}
	}
	return only
}

// navType returns the type of a nav element, such as "toc" or "page-list".
func navType(t *tree, i int32) string {
	kinds := t.attr(i, "epub:type") + " " + strings.ReplaceAll(t.attr(i, "role"), "doc-", "")
	for _, kind := range []string{"toc", "page-list", "pagelist", "landmarks"} {
		for word := range strings.FieldsSeq(kinds) {
			if word == kind {
				return kind
			}
		}
	}
	return strings.TrimSpace(kinds)
}

func (r *contentsReader) nav(t *tree) []*entry {
	nav := navOf(t)
	if nav == 0 {
		return nil
	}
	return r.navList(t, t.first(nav, "ol"), 1)
}

func (r *contentsReader) navList(t *tree, list int32, depth int) (entries []*entry) {
	if list == 0 {
		return nil
	}
	for i, n := range t.children(list) {
		if n.name != "li" {
			continue
		}
		if r.full(depth) {
			break
		}
		inner := t.child(i, "ol")
		link := t.linkOf(i, inner)
		label := link
		if label == 0 {
			label = i
		}
		href := ""
		if link != 0 {
			href = t.attr(link, "href")
		}
		title := t.label(label, inner)
		if isBlank(title) && link != 0 {
			title = t.attr(link, "title")
		}
		entries = r.add(entries, title, href, r.navList(t, inner, depth+1))
	}
	return entries
}

// child returns the first child of the given name, or 0.
func (t *tree) child(i int32, name string) int32 {
	for c, n := range t.children(i) {
		if n.name == name {
			return c
		}
	}
	return 0
}

// linkOf returns the link of an entry, which comes before its nested list, or 0.
func (t *tree) linkOf(i, inner int32) int32 {
	link := t.first(i, "a")
	if link != 0 && inner != 0 && t.nodes[link].start > t.nodes[inner].start {
		return 0
	}
	return link
}

func (r *contentsReader) ncx(t *tree) []*entry {
	return r.navPoints(t, t.first(0, "navmap"), 1)
}

func (r *contentsReader) navPoints(t *tree, parent int32, depth int) (entries []*entry) {
	if parent == 0 {
		return nil
	}
	for i, n := range t.children(parent) {
		if n.name != "navpoint" {
			continue
		}
		if r.full(depth) {
			break
		}
		title, href := "", ""
		if label := t.child(i, "navlabel"); label != 0 {
			title = t.label(label, 0)
		}
		if content := t.child(i, "content"); content != 0 {
			href = t.attr(content, "src")
		}
		entries = r.add(entries, title, href, r.navPoints(t, i, depth+1))
	}
	return entries
}
