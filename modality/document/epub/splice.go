package epub

import (
	"cmp"
	"slices"
	"strings"
)

// An edit puts a text in the place of the bytes [start, end).
type edit struct {
	start, end int32
	text       string
}

// splice returns data with edits. Those that lie within another are dropped.
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

// removal takes out an element, with the spaces before it.
func (t *tree) removal(i int32) edit {
	start := t.nodes[i].start
	for start > 0 && isSpace(rune(t.data[start-1])) {
		start--
	}
	return edit{start: start, end: t.nodes[i].end}
}

// withAttr takes an attribute out of a start tag, with the space before it,
// or gives it another value. It changes nothing if there is none.
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
