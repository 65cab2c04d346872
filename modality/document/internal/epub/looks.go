package epub

import (
	"context"
	"strings"
	"sync"

	"github.com/citekit/citekit/modality/internal/htmlblocks"
)

// Bounds of the style sheets that a content document links to.
const (
	maxLinked      = 32
	maxLinkedBytes = 4 << 20
	maxSheets      = 64 // kept of a book
)

// A sheetTable are the sheets of a book that were read, by the names of their members.
type sheetTable struct {
	mu   sync.Mutex
	read map[string]*htmlblocks.Sheet
}

// sheet returns what the style sheets of a content document, which is a member of a name,
// say; nil if it has none. It fails only with ctx.Err().
func (b *book) sheet(ctx context.Context, t *tree, name string) (*htmlblocks.Sheet, error) {
	var names []string
	var own []string // what is in the document, behind those names
	links, left := 0, int64(maxLinkedBytes)
	for i := range t.nodes {
		n := &t.nodes[i]
		attr := func(name string) string { return t.attr(int32(i), name) }
		switch {
		case n.name == "style" && htmlblocks.IsSheet(func(name string) string {
			if name == "rel" {
				return "stylesheet"
			}
			return attr(name)
		}):
			names, own = append(names, ""), append(own, strings.NewReplacer("<![CDATA[", "", "]]>", "").Replace(unescape(t.data[n.open:n.close])))
		case n.name == "link" && links < maxLinked && htmlblocks.IsSheet(attr):
			links++
			to, _, ok := resolve(name, attr("href"))
			if to = b.find(to); !ok || to == "" {
				continue
			}
			if left -= b.archive.File(to).Size(); left < 0 {
				continue
			}
			names = append(names, to)
		}
	}
	if len(names) == 0 {
		return nil, nil
	}
	key := strings.Join(names, "\n")
	b.sheets.mu.Lock()
	defer b.sheets.mu.Unlock()
	if known := b.sheets.read[key]; known != nil && len(own) == 0 {
		return known, nil
	}
	sheet := new(htmlblocks.Sheet)
	inside := own
	for _, member := range names {
		if member == "" {
			sheet.Add(inside[0])
			inside = inside[1:]
		} else if css, err := b.text(ctx, member); err == nil {
			sheet.Add(css)
		}
	}
	if ctx.Err() == nil && len(own) == 0 && len(b.sheets.read) < maxSheets {
		if b.sheets.read == nil {
			b.sheets.read = make(map[string]*htmlblocks.Sheet)
		}
		b.sheets.read[key] = sheet
	}
	return sheet, ctx.Err()
}

// style finds how the text in each element looks by a sheet, which may be nil.
func (t *tree) style(sheet *htmlblocks.Sheet) {
	t.sheet = sheet
	if sheet == nil && !strings.Contains(t.data, "style") && !strings.Contains(t.data, "hidden") {
		return
	}
	t.looks = make([]htmlblocks.Look, len(t.nodes))
	for i := range t.nodes {
		n := &t.nodes[i]
		if i == 0 {
			continue
		}
		t.looks[i] = t.looks[n.parent]
		if n.name == "" {
			continue
		}
		t.looks[i] = sheet.Look(t.looks[n.parent], n.name, func(name string) (string, bool) {
			for a := range attributes(t.tag(int32(i))) {
				if a.name == name {
					return a.text(), true
				}
			}
			return "", false
		})
	}
}

// lookOf returns how a text or the text in an element looks.
func (t *tree) lookOf(i int32) htmlblocks.Look {
	if t.looks == nil {
		return htmlblocks.Look{}
	}
	return t.looks[i]
}
