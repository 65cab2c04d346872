package citation

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/message"
)

// annotationContext is the JSON-LD context of the Web Annotation model.
const annotationContext = "http://www.w3.org/ns/anno.jsonld"

type annotation struct {
	Context json.RawMessage `json:"@context"`
	Type    json.RawMessage `json:"type"`
	Target  json.RawMessage `json:"target"`
}

// An annotationTarget is a specific resource: the selectors of a source.
type annotationTarget struct {
	ID       string          `json:"id,omitempty"`
	Type     string          `json:"type,omitempty"`
	Source   json.RawMessage `json:"source,omitempty"`
	Selector json.RawMessage `json:"selector,omitempty"`
}

type annotationSelector struct {
	Type string `json:"type"`

	Exact  string `json:"exact,omitempty"`
	Prefix string `json:"prefix,omitempty"`
	Suffix string `json:"suffix,omitempty"`

	Start *int64 `json:"start,omitempty"` // code points
	End   *int64 `json:"end,omitempty"`

	Value      string `json:"value,omitempty"`
	ConformsTo string `json:"conformsTo,omitempty"`
}

// Annotation returns c as a W3C Web Annotation in JSON-LD. The target's source
// is the resource and its id the address. Its selectors are, if available, a
// TextQuoteSelector, a TextPositionSelector, which counts code points of the
// text of package textlayer, and a FragmentSelector of the standard for the
// kind of source. For several pages, the FragmentSelector names the first; a place
// in a member, part or message has none, as the source is the whole file. For
// an invalid address the error matches [citekit.ErrSyntax].
func (c *Citation) Annotation() ([]byte, error) {
	if err := c.Address.Validate(); err != nil {
		return nil, err
	}
	whole := citekit.Address{Resource: c.Address.Resource, Location: citekit.Location{Modality: c.Address.Location.Modality}}
	target := annotationTarget{ID: c.Address.String(), Type: "SpecificResource", Source: marshal(whole.String())}
	if selectors := c.selectors(); len(selectors) > 0 {
		target.Selector = marshal(selectors)
	}
	return json.Marshal(annotation{
		Context: marshal(annotationContext), Type: marshal("Annotation"), Target: marshal(target),
	})
}

func (c *Citation) selectors() []annotationSelector {
	var selectors []annotationSelector
	if c.Quote != "" {
		selectors = append(selectors, annotationSelector{Type: "TextQuoteSelector", Exact: c.Quote, Prefix: c.Prefix, Suffix: c.Suffix})
	}
	if !c.Position.IsZero() {
		selectors = append(selectors, annotationSelector{Type: "TextPositionSelector", Start: &c.Position.Start, End: &c.Position.End})
	}
	if standard, ok := c.standard(); ok {
		selectors = append(selectors, annotationSelector{Type: "FragmentSelector", Value: standard.value, ConformsTo: standard.conformsTo})
	}
	return selectors
}

// marshal encodes a value that has a JSON form.
func marshal(v any) json.RawMessage {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if encoder.Encode(v) != nil {
		return nil
	}
	return bytes.TrimSpace(b.Bytes())
}

// ParseAnnotation returns the citations of a W3C Web Annotation, one for each
// target: a link, or a source with selectors. The address is the id of a target
// if that is an address, or else the source with the location of a
// FragmentSelector, which is inside the member, part or message that the source
// names, if it names one. For other targets, the path of the work is their IRI. For
// JSON of another shape the error matches [citekit.ErrSyntax].
func ParseAnnotation(data []byte) ([]Citation, error) {
	var a annotation
	if err := json.Unmarshal(data, &a); err != nil {
		return nil, syntaxError("this is no annotation, %s", message.Clip(err.Error()))
	}
	if !strings.Contains(string(a.Type), `"Annotation"`) || len(a.Target) == 0 {
		return nil, syntaxError(`this is no Web Annotation; it has "type": "Annotation" and a "target"`)
	}
	var targets []json.RawMessage
	if err := json.Unmarshal(a.Target, &targets); err != nil {
		targets = []json.RawMessage{a.Target}
	}
	found := make([]Citation, len(targets))
	for i, target := range targets {
		var err error
		if found[i], err = parseTarget(target); err != nil {
			return nil, err
		}
	}
	return found, nil
}

func parseTarget(data []byte) (c Citation, err error) {
	var link string
	if json.Unmarshal(data, &link) == nil {
		c.setSource(link)
		return c, nil
	}
	var target annotationTarget
	if err := json.Unmarshal(data, &target); err != nil {
		return c, syntaxError("the target of the annotation is no link and no object, %s", message.Clip(err.Error()))
	}
	c.setSource(sourceOf(target.Source))
	var selectors []annotationSelector
	if len(target.Selector) > 0 {
		if err := unmarshalOneOrMore(target.Selector, &selectors); err != nil {
			return c, syntaxError("a selector of the annotation is no object, %s", message.Clip(err.Error()))
		}
	}
	for _, s := range selectors {
		c.add(s)
	}
	if a, err := citekit.ParseAddress(target.ID); err == nil {
		c.Address = a
	}
	return c, nil
}

// sourceOf returns the IRI of a source, which is a string or an object with an
// id.
func sourceOf(data []byte) string {
	var source string
	if json.Unmarshal(data, &source) == nil {
		return source
	}
	var object struct {
		ID string `json:"id"`
	}
	if json.Unmarshal(data, &object) != nil {
		return ""
	}
	return object.ID
}

// setSource sets the address from an IRI, or the path if the IRI is not an
// address.
func (c *Citation) setSource(iri string) {
	if a, err := citekit.ParseAddress(iri); err == nil {
		c.Address = a
		return
	}
	c.Work.Path = iri
}

// add adds the data of a selector. It ignores selectors for another kind of
// source, and unknown ones.
func (c *Citation) add(s annotationSelector) {
	switch s.Type {
	case "TextQuoteSelector":
		c.Quote, c.Prefix, c.Suffix = s.Exact, s.Prefix, s.Suffix
	case "TextPositionSelector":
		if s.Start != nil && s.End != nil && 0 <= *s.Start && *s.Start <= *s.End {
			c.Position = CodePointRange{*s.Start, *s.End}
		}
	case "FragmentSelector":
		modality := c.Address.Location.Modality
		loc, err := parseStandard(s.Value, s.ConformsTo, modality)
		if was := c.Address.Location; isInner(was) {
			loc.Member, loc.Message, loc.Part = was.Member, was.Message, was.Part
		}
		if err == nil && (modality == "" || loc.Modality == modality) && loc.Validate() == nil {
			c.Address.Location = loc
		}
	}
}

// parseStandard parses a fragment of the standard with an IRI, in any spelling
// of the IRI.
func parseStandard(value, conformsTo string, modality citekit.Modality) (citekit.Location, error) {
	_, name, _ := strings.Cut(strings.TrimSuffix(conformsTo, "/"), "://")
	switch name[strings.LastIndexByte(name, '/')+1:] {
	case "rfc3778", "rfc8118":
		return ParsePDFFragment(value)
	case "rfc5147":
		return ParseTextFragment(value)
	case "rfc7111":
		return parseTable(value)
	case "media-frags":
		return ParseMediaFragment(value, citekit.Extent{Modality: modality})
	}
	return citekit.Location{}, syntaxError("fragment of an unknown standard %s", message.Quote(conformsTo))
}

// parseTable parses a fragment of RFC 7111 that selects one part of a table.
func parseTable(value string) (citekit.Location, error) {
	cells, err := ParseCSVFragment(value)
	if err != nil {
		return citekit.Location{}, err
	}
	if len(cells) != 1 {
		return citekit.Location{}, syntaxError("table fragment of %d parts; one is read", len(cells))
	}
	return cells[0].Location(citekit.Extent{})
}
