// Package xmp reads XMP packets (ISO 16684-1), which hold the metadata of
// images and documents. It returns properties that are texts or lists of texts.
// Damaged packets are read up to the damage.
package xmp

import (
	"bytes"
	"encoding/xml"
	"strings"
)

// Namespaces of properties.
const (
	DublinCore = "http://purl.org/dc/elements/1.1/"
	Basic      = "http://ns.adobe.com/xap/1.0/"
	Photoshop  = "http://ns.adobe.com/photoshop/1.0/"
	Exif       = "http://ns.adobe.com/exif/1.0/"
	TIFF       = "http://ns.adobe.com/tiff/1.0/"
	PDF        = "http://ns.adobe.com/pdf/1.3/"
)

const (
	rdf     = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
	xmlName = "http://www.w3.org/XML/1998/namespace"
)

// maxDepth is how deep elements may be nested to be read: a text in several
// languages is at 6.
const maxDepth = 16

// A Packet holds the properties of a packet that are texts or lists of texts.
// The zero value has none.
type Packet struct {
	properties map[xml.Name]*property
}

type property struct {
	values    []string
	isDefault int // index of the text in the default language, or -1
}

// Read returns the properties of a packet up to where its XML is damaged, or
// nested more than 16 deep. A property is a text, an attribute or a list of
// texts, directly in a description that is not part of another property. White
// space around texts is removed, and empty texts are left out. Only the
// entities of XML itself are known, and nothing is fetched. The Packet takes no
// more memory than a small multiple of packet.
func Read(packet []byte) Packet {
	r := reader{properties: make(map[xml.Name]*property)}
	decoder := xml.NewDecoder(bytes.NewReader(packet))
	for {
		token, err := decoder.Token()
		if err != nil || !r.take(token) {
			return Packet{r.properties}
		}
	}
}

// Text returns the text of a property. If it has several texts, that is the one
// in the default language, else the first. Without the property it returns "".
func (p Packet) Text(space, local string) string {
	found := p.properties[xml.Name{Space: space, Local: local}]
	if found == nil {
		return ""
	}
	return found.values[max(0, found.isDefault)]
}

// List returns the texts of a property, in their order.
func (p Packet) List(space, local string) []string {
	if found := p.properties[xml.Name{Space: space, Local: local}]; found != nil {
		return found.values
	}
	return nil
}

// A reader gathers properties.
type reader struct {
	properties map[xml.Name]*property
	open       []element
	text       strings.Builder // of the innermost open element, after the elements in it
}

type element struct {
	name      xml.Name
	isDefault bool // its text is in the default language
}

// take handles a token and reports whether to continue.
func (r *reader) take(token xml.Token) bool {
	switch token := token.(type) {
	case xml.StartElement:
		if len(r.open) == maxDepth {
			return false
		}
		r.open = append(r.open, element{token.Name, hasDefaultLanguage(token)})
		r.text.Reset()
		if r.inDescription(len(r.open)) {
			for _, a := range token.Attr {
				r.add(a.Name, a.Value, false)
			}
		}
	case xml.CharData:
		r.text.Write(token)
	case xml.EndElement:
		innermost := r.open[len(r.open)-1]
		r.add(r.property(), r.text.String(), innermost.isDefault)
		r.open = r.open[:len(r.open)-1]
		r.text.Reset()
	}
	return true
}

func hasDefaultLanguage(e xml.StartElement) bool {
	for _, a := range e.Attr {
		if a.Name.Space == xmlName && a.Name.Local == "lang" {
			return a.Value == "x-default"
		}
	}
	return false
}

// inDescription reports whether the innermost of the n outermost open elements
// is a description that is not within another description.
func (r *reader) inDescription(n int) bool {
	description := xml.Name{Space: rdf, Local: "Description"}
	if n == 0 || r.open[n-1].name != description {
		return false
	}
	for _, e := range r.open[:n-1] {
		if e.name == description {
			return false
		}
	}
	return true
}

// property returns the name of the property whose text is in the innermost open
// element: that element, or the one around a list. It is zero for texts inside
// structures.
func (r *reader) property() xml.Name {
	n := len(r.open)
	if n >= 3 && r.open[n-1].name == (xml.Name{Space: rdf, Local: "li"}) && r.open[n-2].name.Space == rdf {
		n -= 2
	}
	if r.inDescription(n - 1) {
		return r.open[n-1].name
	}
	return xml.Name{}
}

func (r *reader) add(name xml.Name, text string, isDefault bool) {
	if text = strings.TrimSpace(text); text == "" || name.Local == "" {
		return
	}
	p := r.properties[name]
	if p == nil {
		p = &property{isDefault: -1}
		r.properties[name] = p
	}
	p.values = append(p.values, text)
	if isDefault && p.isDefault < 0 {
		p.isDefault = len(p.values) - 1
	}
}
