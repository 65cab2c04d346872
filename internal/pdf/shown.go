package pdf

import (
	"bytes"
	"maps"
	"slices"
)

const (
	maxContent = 4 << 20 // decoded bytes of content that are looked at
	maxForms   = 16      // forms of a page that are looked at
	formDepth  = 3
)

// ShowsText reports whether the content of page i, counted from 0, shows any
// text, visible or not. It is not known if the content cannot be read.
func (d *Document) ShowsText(f *File, i int) (shows, known bool, err error) {
	page, err := d.PageDict(f, i)
	if err == nil {
		s := textSearch{d: d, f: f, forms: maxForms, seen: map[int]bool{}}
		shows, err = s.page(page)
	}
	if err != nil {
		return false, false, spared(err)
	}
	return shows, true, nil
}

type textSearch struct {
	d     *Document
	f     *File
	forms int // that may still be looked at
	seen  map[int]bool
}

func (s *textSearch) page(page Dict) (bool, error) {
	parts, err := s.d.list(s.f, page["Contents"])
	if err != nil {
		return false, err
	}
	for _, part := range parts {
		if shows, err := s.content(part); shows || err != nil {
			return shows, err
		}
	}
	return s.formsIn(page["Resources"], 0)
}

func (s *textSearch) content(o Object) (bool, error) {
	stream, ok := o.(*Stream)
	if !ok {
		return false, nil
	}
	data, err := s.d.Data(s.f, stream, maxContent)
	return showsText(data), err
}

// formsIn looks at the form XObjects that resources name.
func (s *textSearch) formsIn(resources Object, depth int) (bool, error) {
	dict, err := s.d.Dict(s.f, resources)
	if err != nil {
		return false, err
	}
	objects, err := s.d.Dict(s.f, dict["XObject"])
	if err != nil || depth == formDepth {
		return false, err
	}
	for _, name := range slices.Sorted(maps.Keys(objects)) {
		ref, ok := objects[name].(Ref)
		if !ok || s.seen[ref.Num] {
			continue
		}
		s.seen[ref.Num] = true
		resolved, err := s.d.Resolve(s.f, ref)
		if err != nil {
			return false, err
		}
		form, ok := resolved.(*Stream)
		if !ok || form.Dict["Subtype"] != Name("Form") || s.forms == 0 {
			continue
		}
		s.forms--
		if shows, err := s.content(form); shows || err != nil {
			return shows, err
		}
		if shows, err := s.formsIn(form.Dict["Resources"], depth+1); shows || err != nil {
			return shows, err
		}
	}
	return false, nil
}

// showsText reports whether content has an operator that shows text, after
// its operand (9.4.3).
func showsText(content []byte) bool {
	for _, operator := range []string{"Tj", "TJ", "'", `"`} {
		for rest := content; ; {
			i := bytes.Index(rest, []byte(operator))
			if i < 0 {
				break
			}
			before := bytes.TrimRight(rest[:i], "\x00\t\n\f\r ")
			rest = rest[i+len(operator):]
			ends := len(rest) == 0 || class[rest[0]] != regular
			if ends && len(before) > 0 && bytes.IndexByte([]byte(")>]"), before[len(before)-1]) >= 0 {
				return true
			}
		}
	}
	return false
}
