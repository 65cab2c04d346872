package epub

import (
	"cmp"
	"slices"
	"strings"
)

// An edit replaces the bytes [start, end) by text.
type edit struct {
	start, end int32
	text       string
}

// splice returns data with the edits applied. Edits inside another are dropped.
func splice(data string, edits []edit) string {
	edits = slices.Clone(edits)
	slices.SortStableFunc(edits, func(a, b edit) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(b.end, a.end))
	})
	var out strings.Builder
	out.Grow(len(data))
	pos := int32(0)
	for _, e := range edits {
		if e.start < pos {
			continue
		}
		out.WriteString(data[pos:e.start])
		out.WriteString(e.text)
		pos = e.end
	}
	out.WriteString(data[pos:])
	return out.String()
}

// removal removes an element and the spaces before it.
func (t *tree) removal(i int32) edit {
	start := t.nodes[i].start
	for start > 0 && isSpace(rune(t.data[start-1])) {
		start--
	}
	return edit{start: start, end: t.nodes[i].end}
}

// withAttr sets an attribute of a start tag, or removes it with the space before it.
// It changes nothing if the attribute is missing.
func (t *tree) withAttr(i int32, name, value string) []edit {
	tag := t.tag(i)
	for a := range attributes(tag) {
		if a.name != name {
			continue
		}
		start := t.nodes[i].start
		if value != "" {
			return []edit{{start + int32(a.start), start + int32(a.end), name + `="` + value + `"`}}
		}
		from := a.start
		for from > 0 && isSpace(rune(tag[from-1])) {
			from--
		}
		return []edit{{start: start + int32(from), end: start + int32(a.end)}}
	}
	return nil
}
