package epub

import (
	"context"
	"path"
	"slices"
	"strings"
)

// keepsItem reports whether an item of the manifest is kept.
func (c *cutter) keepsItem(it *item) bool {
	if it.name == "" {
		return c.items[it] || c.remote[it.href]
	}
	return c.kept[it.name]
}

// cutPackage removes references to what is left out from the package document.
func (c *cutter) cutPackage(ctx context.Context) error {
	t := c.opf
	var edits []edit
	gone := make(map[string]bool) // ids
	remove := func(i int32) {
		edits = append(edits, t.removal(i))
		if id := t.attr(i, "id"); id != "" {
			gone[id] = true
		}
	}
	for _, it := range c.manifest {
		if !c.keepsItem(it) {
			remove(it.node)
			continue
		}
		edits = append(edits, c.itemEdits(it)...)
	}
	for i, ref := range c.spine {
		if _, cited := slices.BinarySearch(c.numbers, i+1); !cited {
			remove(ref.node)
		}
	}
	edits = append(edits, c.spineEdits()...)
	edits = append(edits, c.extraEdits()...)
	for i := range t.within(0, "reference") {
		if !c.has(c.name, t.attr(i, "href")) {
			remove(i)
		}
	}
	if guide := t.first(0, "guide"); guide != 0 && !c.keepsAny(guide, "reference", "href") {
		remove(guide)
	}
	for _, name := range []string{"collection", "tours", "bindings"} {
		for i := range t.within(0, name) {
			remove(i)
		}
	}
	edits = append(edits, c.metadataEdits(gone)...)
	return c.make(ctx, c.name, splice(t.data, edits))
}

func (c *cutter) keepsAny(parent int32, name, attr string) bool {
	for i := range c.opf.within(parent, name) {
		if c.has(c.name, c.opf.attr(i, attr)) {
			return true
		}
	}
	return false
}

// extraEdits declare the added table of contents.
func (c *cutter) extraEdits() []edit {
	if c.extra == "" {
		return nil
	}
	t := c.opf
	tag := t.tag(c.nav.node)
	name := path.Base(c.extra)
	at := t.nodes[c.nav.node].start
	return []edit{{at, at, tag[:1+nameLen(tag[1:])] + ` id="` + strings.TrimSuffix(name, ".xhtml") + `" href="` + name +
		`" media-type="application/xhtml+xml" properties="nav"/>`}}
}

// spineEdits make the first part linear if none is, since a book needs one, and drop
// the page map.
func (c *cutter) spineEdits() []edit {
	t := c.opf
	var edits []edit
	aside := func(n int) bool { return strings.EqualFold(t.attr(c.spine[n-1].node, "linear"), "no") }
	if !slices.ContainsFunc(c.numbers, func(n int) bool { return !aside(n) }) {
		edits = append(edits, t.withAttr(c.spine[c.numbers[0]-1].node, "linear", "")...)
		c.changes = append(c.changes, "the part made a linear one")
	}
	for _, name := range []string{"toc", "page-map"} {
		if it := c.byID[t.attr(c.spineNode, name)]; it != nil && !c.keepsItem(it) {
			edits = append(edits, t.withAttr(c.spineNode, name, "")...)
		}
	}
	return edits
}

// metadataEdits drop metadata about elements that are gone, the cover if it is gone,
// and links to records that are gone.
func (c *cutter) metadataEdits(gone map[string]bool) (edits []edit) {
	t := c.opf
	for i, n := range t.children(t.first(0, "metadata")) {
		if n.name != "meta" && n.name != "link" {
			continue
		}
		refines, isLocal := strings.CutPrefix(t.attr(i, "refines"), "#")
		switch {
		case isLocal && gone[refines]:
		case n.name == "meta" && t.attr(i, "name") == "cover" && gone[t.attr(i, "content")]:
		case n.name == "link" && c.isGone(t.attr(i, "href")):
		case n.name == "meta" && !c.whole && strings.HasPrefix(t.attr(i, "property"), "media:"):
		default:
			continue
		}
		if id := t.attr(i, "id"); id != "" {
			gone[id] = true
		}
		edits = append(edits, t.removal(i))
	}
	return edits
}

func (c *cutter) isGone(href string) bool {
	name, _, ok := resolve(c.name, href)
	return ok && !c.kept[c.find(name)]
}

// declared maps the properties that describe the content of an item to functions that
// check them.
var declared = map[string]func(*tree) bool{
	"svg":    func(t *tree) bool { return t.first(0, "svg") != 0 },
	"mathml": func(t *tree) bool { return t.first(0, "math") != 0 },
	"switch": func(t *tree) bool { return t.first(0, "switch") != 0 },
	"scripted": func(t *tree) bool {
		return t.first(0, "script") != 0 || t.first(0, "form") != 0 || t.hasHandlers()
	},
	"remote-resources": func(t *tree) bool {
		return slices.ContainsFunc(t.refs().needs, func(href string) bool { return strings.Contains(href, "://") })
	},
}

// hasHandlers reports whether an attribute of an element contains a script, such as
// onclick.
func (t *tree) hasHandlers() bool {
	for i, n := range t.nodes {
		if n.name == "" || !strings.Contains(t.tag(int32(i)), " on") {
			continue
		}
		for a := range attributes(t.tag(int32(i))) {
			if strings.HasPrefix(a.name, "on") {
				return true
			}
		}
	}
	return false
}

// itemEdits drop properties that an item no longer has.
func (c *cutter) itemEdits(it *item) (edits []edit) {
	if overlay := c.byID[it.overlay]; overlay != nil && !c.keepsItem(overlay) {
		edits = append(edits, c.opf.withAttr(it.node, "media-overlay", "")...)
	}
	made, ok := c.made[it.name]
	if !ok || len(it.properties) == 0 {
		return edits
	}
	t := c.text
	if !c.part[it.name] {
		var err error
		if t, err = parse(decode(made), true); err != nil {
			return edits
		}
	}
	left := slices.DeleteFunc(slices.Clone(it.properties), func(property string) bool {
		holds := declared[property]
		return holds != nil && !holds(t) || property == "nav" && c.extra != ""
	})
	if len(left) == len(it.properties) {
		return edits
	}
	return append(edits, c.opf.withAttr(it.node, "properties", strings.Join(left, " "))...)
}

// cutContainer reduces the container to its first rendition, and the encryption file
// to the kept fonts.
func (c *cutter) cutContainer(ctx context.Context) error {
	t := c.container
	var edits []edit
	for i := range t.within(0, "rootfile") {
		if i != c.rootfile {
			edits = append(edits, t.removal(i))
		}
	}
	for i := range t.within(0, "links") {
		edits = append(edits, t.removal(i))
	}
	if len(edits) > 0 {
		if err := c.make(ctx, containerName, splice(t.data, edits)); err != nil {
			return err
		}
	}
	if c.archive.File(encryptionName) == nil {
		return nil
	}
	t, err := c.tree(ctx, encryptionName, false)
	if err != nil {
		return err
	}
	edits = nil
	kept := false
	for i := range t.within(0, "encrypteddata") {
		name, _, ok := resolve("", t.attr(t.first(i, "cipherreference"), "URI"))
		if ok && c.kept[c.find(name)] {
			kept = true
			continue
		}
		edits = append(edits, t.removal(i))
	}
	if !kept {
		return nil
	}
	return c.make(ctx, encryptionName, splice(t.data, edits))
}
