package search

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/about"
	"github.com/citekit/citekit/internal/plain"
	"github.com/citekit/citekit/search/internal/index"
	"github.com/citekit/citekit/textlayer"
)

// Limits on the data that each entry repeats.
const (
	maxTitle = 500 // bytes
	maxPath  = 8   // titles nearest to the node
	maxWords = 50  // authors or labels
)

// A maker makes the entries of one resource for an index.
type maker struct {
	m       *citekit.ResourceMap
	common  index.Entry // shared by all entries
	places  []*place
	written map[*place]bool // places that have a passage
	yield   func(index.Entry) bool
	count   int
	work    *meter
	err     error // of work
}

// makeEntries yields the entries of a resource: one for each passage of its
// text, and one for each node without a passage. A resource without text has
// only entries of nodes. If it takes too much work, the error is errTooMuch, after at
// least one entry.
func makeEntries(ctx context.Context, layers *textlayer.Store, m *citekit.ResourceMap, work *meter, yield func(index.Entry) bool) error {
	k := &maker{m: m, places: places(m), written: make(map[*place]bool), yield: yield, work: work}
	err := k.entries(ctx, layers)
	if errors.Is(err, errTooMuch) && k.count == 0 {
		k.yield(k.entry(nil))
	}
	return err
}

func (k *maker) entries(ctx context.Context, layers *textlayer.Store) error {
	m := k.m
	k.common = commonEntry(m)
	layer, err := layers.Open(ctx, m.ResourceID)
	switch {
	case err == nil:
		defer layer.Close()
		k.work.kind = kindOf(layer)
		err = k.passages(ctx, layer)
	case textlayer.HasNoText(err):
		err = nil
	}
	if err != nil {
		return err
	}
	return k.nodes(ctx)
}

// commonEntry returns the data that all entries of a resource share.
func commonEntry(m *citekit.ResourceMap) index.Entry {
	e := index.Entry{
		Modality:   m.Type,
		Authors:    words(m.Metadata, ";", "author", "authors", "artist", "creator"),
		Labels:     words(m.Metadata, ",;", "keywords", "tags", "labels", "categories", "genre"),
		SourcePath: m.SourcePath,
	}
	created, known := about.Time(m.Metadata)
	if !known {
		created, _ = about.Created(m.CreatedAt)
	}
	e.Created = created.Truncate(time.Second)
	return e
}

// passages yields the entries of the passages of a text.
func (k *maker) passages(ctx context.Context, layer *textlayer.Layer) error {
	parts, err := divided(ctx, layer, k.places, k.work)
	if err != nil {
		return err
	}
	for p, err := range passages(ctx, layer, parts) {
		if err != nil {
			return err
		}
		e := k.entry(p.place)
		e.Text, e.Location = p.text, part{p.from, p.to, lengthOf(layer)}.String()
		if !k.add(e) {
			return k.ended(ctx)
		}
		k.written[p.place] = true
	}
	return nil
}

// nodes yields an entry for each node without a passage, and for a resource
// that would otherwise have no entry.
func (k *maker) nodes(ctx context.Context) error {
	for _, p := range k.places {
		if k.written[p] {
			continue
		}
		e := k.entry(p)
		e.Summary = plain.Shorten(p.node.Summary, mostBytes)
		if !k.add(e) {
			return k.ended(ctx)
		}
	}
	if k.count == 0 {
		k.add(k.entry(nil))
	}
	return k.ended(ctx)
}

// ended returns why no more entries are made.
func (k *maker) ended(ctx context.Context) error { return cmp.Or(ctx.Err(), k.err) }

func (k *maker) add(e index.Entry) bool {
	if k.err = k.work.spend(entryWork + int64(sizeOf(e))); k.err != nil {
		return false
	}
	e.Ordinal = k.count
	k.count++
	return k.yield(e)
}

// entry returns an entry about a place, or about the whole resource if p is
// nil. The path of a place begins with the title of its source, unless that is among
// the other titles, and its file name: what a text is of is seldom said in each of its
// parts.
func (k *maker) entry(p *place) index.Entry {
	e := k.common
	if p == nil {
		e.Title = plain.Shorten(k.m.Title, maxTitle)
		return e
	}
	e.Node, e.Type, e.Title = p.node.ID, p.node.Type, plain.Shorten(p.node.Title, maxTitle)
	around := p.path[max(0, len(p.path)-maxPath):]
	e.Path = []string{""}
	if title := k.m.Title; title != p.node.Title && !slices.Contains(p.path, title) {
		e.Path[0] = plain.Shorten(title, maxTitle)
	}
	if name := path.Base(k.m.SourcePath); !strings.Contains(e.Path[0], name) && p.node.Title != name {
		e.Path[0] = strings.TrimSpace(e.Path[0] + " " + plain.Shorten(name, maxTitle))
	}
	for _, title := range around {
		e.Path = append(e.Path, plain.Shorten(title, maxTitle))
	}
	if p.node.Location.Modality != "" {
		e.Modality = p.node.Location.Modality
	}
	return e
}

// pathOf returns the titles of the nodes around that of a hit, from the root.
func pathOf(h *index.Hit) []string {
	if len(h.Entry.Path) < 2 {
		return nil
	}
	return h.Entry.Path[1:]
}

// words returns the texts that the metadata have under some keys. It splits a
// text at the separators.
func words(metadata map[string]any, separators string, keys ...string) (list []string) {
	for _, key := range keys {
		switch value := metadata[key].(type) {
		case string:
			for text := range strings.FieldsFuncSeq(value, func(r rune) bool { return strings.ContainsRune(separators, r) }) {
				if text = strings.TrimSpace(text); text != "" {
					list = append(list, plain.Shorten(text, maxTitle))
				}
			}
		case []any:
			for _, v := range value {
				if text, ok := v.(string); ok && text != "" {
					list = append(list, plain.Shorten(text, maxTitle))
				}
			}
		}
	}
	return list[:min(len(list), maxWords)]
}

// A part is the range of a passage, in bytes, in the text of its resource, with
// an identifier of that text.
type part struct {
	from, to int64
	of       string
}

// lengthOf identifies a text among those that a resource may have with the same
// map.
func lengthOf(layer *textlayer.Layer) string {
	return fmt.Sprintf("%x-%.8s", layer.Len(), layer.SourceHash())
}

// String returns the part in the form stored in an index.
func (p part) String() string { return fmt.Sprintf("%x-%x-%s", p.from, p.to, p.of) }

// parsePart parses the form that String returns. An entry of a node without a
// passage has no part.
func parsePart(s string) (p part, ok bool) {
	n, err := fmt.Sscanf(s, "%x-%x-%s", &p.from, &p.to, &p.of)
	return p, n == 3 && err == nil && p.from >= 0 && p.to >= p.from
}
