package pdf

import (
	"bytes"
	"maps"
	"slices"
)

const (
	maxContent = 4 << 20 // bytes of decoded content that are searched
	maxForms   = 16      // forms of a page that are searched
	formDepth  = 3
)

// A TextSearch finds out which pages of a document show text. It searches shared
// content only once. It is not safe for concurrent use.
type TextSearch struct {
	d     *Document
	f     *File
	shows map[int]shown // by object number of content and forms
}

// shown says whether something shows text, or why that is unknown.
type shown struct {
	text bool
	err  error
}

// NewTextSearch returns a TextSearch in d, which it reads with f.
func NewTextSearch(f *File, d *Document) *TextSearch {
	return &TextSearch{d: d, f: f, shows: map[int]shown{}}
}

// OnPage reports whether the content of page i, counted from 0, shows any text,
// visible or not. known is false if the content cannot be read.
func (t *TextSearch) OnPage(i int) (shows, known bool, err error) {
	page, err := t.d.PageDict(t.f, i)
	if err == nil {
		s := pageSearch{TextSearch: t, forms: maxForms, seen: map[int]bool{}}
		shows, err = s.page(page)
	}
	if err != nil {
		return false, false, spared(err)
	}
	return shows, true, nil
}

// A pageSearch searches one page.
type pageSearch struct {
	*TextSearch
	forms int // forms that may still be searched
	seen  map[int]bool
}

func (s *pageSearch) page(page Dict) (bool, error) {
	contents, err := s.d.Resolve(s.f, page["Contents"])
	if err != nil {
		return false, err
	}
	parts, ok := contents.(Array)
	if !ok {
		parts = Array{page["Contents"]}
	}
	if err := s.f.Visit(len(parts)); err != nil {
		return false, err
	}
	for _, part := range parts {
		if shows, err := s.content(part); shows || err != nil {
			return shows, err
		}
	}
	return s.formsIn(page["Resources"], 0)
}

// content reports whether the stream o shows text. An unreadable stream is not read
// again for the next page.
func (s *pageSearch) content(o Object) (bool, error) {
	ref, isRef := o.(Ref)
	if known, ok := s.shows[ref.Num]; ok && isRef {
		return known.text, known.err
	}
	resolved, err := s.d.Resolve(s.f, o)
	if err != nil {
		return false, err
	}
	stream, ok := resolved.(*Stream)
	if !ok {
		return false, nil
	}
	data, err := s.d.Data(s.f, stream, maxContent)
	found := shown{text: err == nil && showsText(data), err: err}
	if isRef && (err == nil || spared(err) == nil) {
		s.shows[ref.Num] = found
	}
	return found.text, found.err
}

// formsIn searches the form XObjects in resources.
func (s *pageSearch) formsIn(resources Object, depth int) (bool, error) {
	dict, err := s.d.Dict(s.f, resources)
	if err != nil {
		return false, err
	}
	objects, err := s.d.Dict(s.f, dict["XObject"])
	if err != nil || depth == formDepth {
		return false, err
	}
	if err := s.f.Visit(4 * len(objects)); err != nil { // for sorting them
		return false, err
	}
	for _, name := range slices.Sorted(maps.Keys(objects)) {
		ref, ok := objects[name].(Ref)
		if !ok || s.seen[ref.Num] {
			continue
		}
		if s.forms == 0 {
			return false, nil
		}
		s.seen[ref.Num] = true
		resolved, err := s.d.Resolve(s.f, ref)
		if err != nil {
			return false, err
		}
		form, ok := resolved.(*Stream)
		if !ok || form.Dict["Subtype"] != Name("Form") {
			continue
		}
		s.forms--
		if shows, err := s.content(ref); shows || err != nil {
			return shows, err
		}
		if shows, err := s.formsIn(form.Dict["Resources"], depth+1); shows || err != nil {
			return shows, err
		}
	}
	return false, nil
}

// showsText reports whether content has an operator that shows text, after its
// operand (9.4.3).
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
