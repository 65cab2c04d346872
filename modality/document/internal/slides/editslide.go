package slides

import (
	"strings"

	"github.com/citekit/citekit/modality/document/internal/xmlspan"
)

// A partEditor edits a slide, or a part that the slide uses.
type partEditor struct {
	*cutter
	part   string
	gone   omissions
	label  string // names the part in a change
	number string // replaces fields; "" keeps the fields

	local  []*element // links to macros and custom shows, which no cut has
	fields []*element // that show the number of the slide
	named  []reference
}

// A reference is an attribute that names a relationship that is left out.
type reference struct {
	*element
	attr xmlspan.Attr
	why  reason
}

func (ed *partEditor) visit(e *element, s *xmlspan.Scanner) {
	switch {
	case isLink(e) && isLocal(s.Get("", "action")):
		ed.local = append(ed.local, e)
	case e.is("a", "fld") && ed.number != "" && s.Get("", "type") == "slidenum":
		ed.fields = append(ed.fields, e)
	}
	for _, a := range e.refs {
		if why := ed.gone.of(a.Value); why != 0 {
			ed.named = append(ed.named, reference{e, a, why})
		}
	}
}

// decide sets the edits of the elements of a part.
func (ed *partEditor) decide(text string, root *element) {
	for _, e := range ed.local {
		e.edit.removed = true
		ed.change("links of %s to macros and custom shows removed", ed.label)
	}
	for _, e := range ed.fields {
		ed.write(text, e)
	}
	for _, ref := range ed.named {
		ed.unname(text, root, ref)
	}
}

// write replaces a field by a number.
func (ed *partEditor) write(text string, field *element) {
	name := text[field.pos+1 : field.inner]
	name = name[:strings.IndexAny(name, " \t\r\n/>")]
	prefix := strings.TrimSuffix(name, "fld")
	field.edit.replaced = true
	field.edit.before = "<" + prefix + "r>"
	if format := field.child("a", "rPr"); format != nil {
		field.edit.instead = []*element{format}
	}
	field.edit.after = "<" + prefix + "t>" + ed.number + "</" + prefix + "t></" + prefix + "r>"
	ed.change("slide numbers written as text, so that they stay")
}

// unname edits an element that names a relationship that is left out.
func (ed *partEditor) unname(text string, root *element, ref reference) {
	switch e := ref.element; {
	case e.is("p", "sldLayoutId"):
		e.edit.removed = true
	case isLink(e):
		e.edit.removed = true
		ed.report(ref.why)
	case e.is("p", "oleObj") && e.around("p", "graphicFrame") != nil:
		ed.picture(text, root, e.around("p", "graphicFrame"))
	case e.is("p", "control") && e.around("p", "controls") != nil:
		ed.controls(text, root, e.around("p", "controls"))
	case e.around("mc", "Choice") != nil:
		ed.fallBack(text, e.around("mc", "Choice").parent)
		ed.report(ref.why)
	default:
		e.edit.attrs = append(e.edit.attrs, xmlspan.Edit{Pos: ref.attr.Pos, Stop: ref.attr.Stop})
		ed.report(ref.why)
	}
}

func (ed *partEditor) report(why reason) {
	switch why {
	case leftOut:
		ed.change("links of %s to slides that are left out removed", ed.label)
	case active:
		ed.change("programs and embedded objects of %s left out", ed.label)
	case missing:
		ed.change("references of %s to parts that the source lacks removed", ed.label)
	}
}

// picture replaces the frame of an embedded object by its picture.
func (ed *partEditor) picture(text string, root, frame *element) {
	if frame.edit.removed || frame.edit.replaced {
		return
	}
	picture := frame.find("p", "pic")
	if picture == nil && ed.draw(text, frame) {
		ed.change("embedded objects of %s replaced by their pictures", ed.label)
		return
	}
	if picture == nil {
		frame.edit.removed = true
		ed.change("embedded objects without a picture of %s left out", ed.label)
		ed.stop(root)
		return
	}
	frame.edit.replaced, frame.edit.instead = true, []*element{picture}
	picture.edit.extra = declarations(text, frame, picture)
	if own, other := picture.find("p", "cNvPr"), frame.find("p", "cNvPr"); own != nil && other != own {
		own.edit.replaced, own.edit.instead = true, []*element{other}
	}
	ed.change("embedded objects of %s replaced by their pictures", ed.label)
}

// controls moves the pictures of controls after the shapes.
func (ed *partEditor) controls(text string, root, list *element) {
	if list.edit.removed {
		return
	}
	list.edit.removed = true
	ed.change("controls of %s left out", ed.label)
	tree := root.find("p", "spTree")
	list.each(func(e *element) {
		if e.is("p", "pic") && tree != nil {
			e.edit.extra = declarations(text, list, e)
			tree.edit.also = append(tree.edit.also, e)
		}
	})
}

// stop removes the animations of a slide that lost a shape.
func (ed *partEditor) stop(root *element) {
	if timing := root.find("p", "timing"); timing != nil && !timing.edit.removed {
		timing.edit.removed = true
		ed.change("animations of %s left out", ed.label)
	}
}

// fallBack replaces a set of alternatives by the last one.
func (ed *partEditor) fallBack(text string, alternatives *element) {
	if alternatives.edit.replaced {
		return
	}
	alternatives.edit.replaced = true
	fallback := alternatives.child("mc", "Fallback")
	if fallback == nil {
		return
	}
	alternatives.edit.instead = fallback.children
	for _, e := range fallback.children {
		e.edit.extra = declarations(text, alternatives, e)
	}
}

// isLink reports whether e is the target of a click.
func isLink(e *element) bool {
	return e.space == "a" && (e.local == "hlinkClick" || e.local == "hlinkHover" || e.local == "hlinkMouseOver")
}

// isLocal reports whether an action runs something that no cut has.
func isLocal(action string) bool {
	return strings.HasPrefix(action, "ppaction://customshow") || strings.HasPrefix(action, "ppaction://macro")
}
