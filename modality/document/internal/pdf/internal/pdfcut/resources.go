package pdfcut

import (
	"bytes"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/citekit/citekit/modality/document/internal/pdf/internal/pdf"
)

const (
	maxContent    = 16 << 20 // decoded bytes of one content stream that is examined
	maxAllContent = 96 << 20 // of all content streams
	maxNames      = 1 << 17  // names in content; if there are more, all names count as used
)

// A nameSet holds the names that occur in content streams; nil means all names.
type nameSet map[pdf.Name]bool

func (s nameSet) has(name pdf.Name) bool { return s == nil || s[name] }

// hasContent reports whether a stream is a form or a pattern, which have their own
// resources.
func hasContent(dict pdf.Dict) bool {
	return dict["Subtype"] == pdf.Name("Form") || dict["PatternType"] == int64(1)
}

// pageResources returns the resources of a page whose names occur in its content.
func (c *cutter) pageResources(page pdf.Dict) (pdf.Object, error) {
	contents, err := c.d.Resolve(c.f, page["Contents"])
	if err != nil {
		return nil, err
	}
	streams, ok := contents.(pdf.Array)
	if !ok {
		streams = pdf.Array{page["Contents"]}
	}
	if err := c.f.Visit(len(streams)); err != nil {
		return nil, err
	}
	names := nameSet{}
	for _, o := range streams {
		resolved, err := c.d.Resolve(c.f, o)
		if err != nil {
			return nil, err
		}
		if s, ok := resolved.(*pdf.Stream); ok && names != nil {
			if names, err = c.addNames(names, o, s); err != nil {
				return nil, err
			}
		}
	}
	return c.usedResources(page["Resources"], names)
}

// streamResources is pageResources for a form or pattern.
func (c *cutter) streamResources(s *pdf.Stream) (pdf.Object, error) {
	names, err := c.addNames(nameSet{}, nil, s)
	if err != nil {
		return nil, err
	}
	return c.usedResources(s.Dict["Resources"], names)
}

// addNames adds to names the names in a content stream, to which o leads. It returns
// nil, for all names, if the stream cannot be examined.
func (c *cutter) addNames(names nameSet, o pdf.Object, s *pdf.Stream) (nameSet, error) {
	ref, isRef := o.(pdf.Ref)
	found, ok := c.used[ref.Num]
	if !ok || !isRef {
		var err error
		if found, err = c.namesIn(s); err != nil {
			return nil, err
		}
		if isRef && len(found) <= maxNames-c.usedNames {
			c.used[ref.Num] = found
			c.usedNames += len(found)
		}
	}
	if found == nil {
		return nil, nil
	}
	maps.Copy(names, found)
	return names, c.f.Visit(len(found))
}

// namesIn returns the names in a content stream, or nil if it cannot be examined.
func (c *cutter) namesIn(s *pdf.Stream) (nameSet, error) {
	if c.decoded > maxAllContent {
		c.w.out.excessive = true
		return nil, nil
	}
	data, err := c.d.Data(c.f, s, maxContent)
	if err != nil {
		c.w.out.excessive = c.w.out.excessive || errors.Is(err, pdf.ErrLimit)
		c.decoded += maxContent / 4
		if isSoft(err) && c.f.Err() == nil {
			return nil, nil
		}
		return nil, err
	}
	c.decoded += len(data)
	names := nameSet{}
	if scanNames(names, data); len(names) > maxNames {
		return nil, nil
	}
	return names, nil
}

// scanNames adds everything that can be a name, even within strings and inline images.
// It stops above maxNames.
func scanNames(names nameSet, content []byte) {
	for len(names) <= maxNames {
		i := bytes.IndexByte(content, '/')
		if i < 0 {
			return
		}
		content = content[i+1:]
		end := bytes.IndexAny(content, "\x00\t\n\f\r ()<>[]{}/%")
		if end < 0 {
			end = len(content)
		}
		if !names[pdf.Name(content[:end])] {
			names[pdf.DecodeName(content[:end])] = true
		}
	}
}

var resourceKinds = []pdf.Name{"ColorSpace", "ExtGState", "Font", "Pattern", "Properties", "Shading", "XObject"}

// usedResources copies the resources that are in names.
func (c *cutter) usedResources(o pdf.Object, names nameSet) (pdf.Object, error) {
	resources, err := c.d.Dict(c.f, o)
	if err != nil || resources == nil {
		return nil, err
	}
	kinds := map[pdf.Name]pdf.Dict{}
	for _, kind := range resourceKinds {
		if kinds[kind], err = c.d.Dict(c.f, resources[kind]); err != nil {
			return nil, err
		}
	}
	if names, err = c.addInnerNames(names, kinds["XObject"]); err != nil {
		return nil, err
	}
	out := pdf.Dict{}
	if err := c.f.Visit(4 * len(resources)); err != nil {
		return nil, err
	}
	for _, key := range slices.Sorted(maps.Keys(resources)) {
		value := resources[key]
		if kind := kinds[key]; kind != nil {
			if err := c.f.Visit(len(kind)); err != nil {
				return nil, err
			}
			if value = used(kind, names); len(value.(pdf.Dict)) == 0 {
				continue
			}
		}
		if out[key], err = c.copy(value); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func used(kind pdf.Dict, names nameSet) pdf.Dict {
	out := pdf.Dict{}
	for name, o := range kind {
		if names.has(name) || strings.HasPrefix(string(name), "Default") {
			out[name] = o
		}
	}
	return out
}

// addInnerNames adds the names in forms that have no resources of their own and so use
// those of the page.
func (c *cutter) addInnerNames(names nameSet, forms pdf.Dict) (nameSet, error) {
	looked := nameSet{}
	for changed := true; changed && names != nil; {
		changed = false
		if err := c.f.Visit(4 * len(forms)); err != nil {
			return nil, err
		}
		for _, name := range slices.Sorted(maps.Keys(forms)) {
			if names == nil || !names[name] || looked[name] {
				continue
			}
			looked[name], changed = true, true
			o, err := c.d.Resolve(c.f, forms[name])
			if err != nil {
				return nil, err
			}
			s, ok := o.(*pdf.Stream)
			if !ok || s.Dict["Subtype"] != pdf.Name("Form") || s.Dict["Resources"] != nil {
				continue
			}
			if names, err = c.addNames(names, forms[name], s); err != nil {
				return nil, err
			}
		}
	}
	return names, nil
}
