package slides

import (
	"errors"
	"fmt"
	"strings"

	"github.com/citekit/citekit/modality/document/internal/ooxml"
	"github.com/citekit/citekit/modality/document/internal/xmlspan"
)

// draw replaces the frame of an embedded object by its picture if only the VML
// drawing of the slide has the picture, as in files from before PowerPoint 2010.
// It reports whether there is such a picture.
func (ed *partEditor) draw(text string, frame *element) bool {
	object := frame.find("p", "oleObj")
	named, off, ext := frame.find("p", "cNvPr"), frame.find("a", "off"), frame.find("a", "ext")
	if object == nil || named == nil || off == nil || ext == nil {
		return false
	}
	image, err := ed.drawn(attributeOf(text, object, "spid"))
	if err != nil || image == "" {
		return false
	}
	base := "http://schemas.openxmlformats.org/"
	types, main, drawing := base+"officeDocument/2006/relationships", base+"presentationml/2006/main", base+"drawingml/2006/main"
	if strings.Contains(text, `"http://purl.oclc.org/ooxml/presentationml/main"`) { // a strict document
		base = "http://purl.oclc.org/ooxml/"
		types, main, drawing = base+"officeDocument/relationships", base+"presentationml/main", base+"drawingml/main"
	}
	id := ""
	for n := 1; id == "" || ed.hasID(id); n++ {
		id = fmt.Sprintf("rIdPicture%d", n)
	}
	ed.gone[id] = 0
	ed.cut.Relate(ed.part, ooxml.Rel{ID: id, Type: types + "/image", Target: image})
	attributes := func(e *element, names ...string) (list string) {
		for _, name := range names {
			list += fmt.Sprintf(` %s="%s"`, name, xmlspan.Escape(attributeOf(text, e, name)))
		}
		return list
	}
	frame.edit.replaced = true
	frame.edit.before = fmt.Sprintf(`<p:pic xmlns:p="%s" xmlns:a="%s" xmlns:r="%s"><p:nvPicPr><p:cNvPr%s/><p:cNvPicPr/><p:nvPr/></p:nvPicPr>`+
		`<p:blipFill><a:blip r:embed="%s"/><a:stretch><a:fillRect/></a:stretch></p:blipFill>`+
		`<p:spPr><a:xfrm><a:off%s/><a:ext%s/></a:xfrm><a:prstGeom prst="rect"><a:avLst/></a:prstGeom></p:spPr></p:pic>`,
		main, drawing, types, attributes(named, "id", "name", "descr"), id,
		attributes(off, "x", "y"), attributes(ext, "cx", "cy"))
	return true
}

func (ed *partEditor) hasID(id string) bool {
	_, has := ed.gone[id]
	return has
}

// drawn returns the part with the picture of a shape in the VML drawings of a
// part, or "".
func (ed *partEditor) drawn(shape string) (string, error) {
	rels, err := ed.pkg.Rels(ed.ctx, ed.part)
	for _, rel := range rels {
		part := ed.pkg.Part(rel.Target)
		if shape == "" || rel.Kind() != "vmlDrawing" || rel.External || part == nil {
			continue
		}
		text, err := part.TextUpTo(ed.ctx, maxSlideBytes)
		if err != nil {
			return "", err
		}
		if id := imageOf(text, shape); id != "" {
			return ed.imagePart(part.Name, id)
		}
	}
	return "", err
}

// imagePart returns the picture that a relationship of a drawing leads to.
func (ed *partEditor) imagePart(drawing, id string) (string, error) {
	rels, err := ed.pkg.Rels(ed.ctx, drawing)
	for _, rel := range rels {
		if part := ed.pkg.Part(rel.Target); rel.ID == id && rel.Kind() == "image" && !rel.External && part != nil {
			return part.Name, nil
		}
	}
	return "", errors.Join(err, ed.ctx.Err())
}

// imageOf returns the id of the relationship to the picture of a shape, or "".
func imageOf(vml, shape string) string {
	s := scan(vml)
	inside := 0 // the depth of the shape
	for s.Next() {
		if s.Kind == xmlspan.End && s.Depth == inside {
			return ""
		}
		if s.Kind != xmlspan.Start {
			continue
		}
		if inside == 0 && s.Space == "v" && (isShape(s.Get("", "id"), shape) || isShape(s.Get("o", "spid"), shape)) {
			inside = s.Depth
		}
		if inside > 0 && s.Is("v", "imagedata") {
			for a := range s.Attrs() {
				if strings.EqualFold(a.Local, "relid") || a.Space == "r" && a.Local == "id" {
					return a.Value
				}
			}
		}
	}
	return ""
}

// isShape reports whether a shape of a drawing has the number that a slide gives.
// The number in the slide may lack the prefix that all shapes share.
func isShape(id, shape string) bool {
	return id != "" && strings.TrimPrefix(id, "_x0000_s") == strings.TrimPrefix(shape, "_x0000_s")
}

// attributeOf returns an attribute without a prefix of an element.
func attributeOf(text string, e *element, name string) string {
	s := xmlspan.New(text[e.pos:e.stop])
	s.Next()
	return s.Get("", name)
}
