package citekit

import (
	"context"
	"errors"
	"path"
	"slices"
	"strings"

	"github.com/citekit/citekit/internal/ledger"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/plain"
	"github.com/citekit/citekit/internal/slug"
	"github.com/citekit/citekit/internal/sniff"
)

// suggest returns the ids of resources that a wrong id may mean, best first:
// those of the source of that name, those that a file of that name would get,
// and those that look like it.
func (l *Library) suggest(ctx context.Context, wrong string, ids []string) []string {
	base := path.Base(strings.ReplaceAll(wrong, `\`, "/"))
	suggested := l.notedAs(ctx, base)
	stem := strings.TrimSuffix(base, slug.Ext(base))
	for _, id := range []string{slug.File(wrong), slug.File(base), slug.File(stem)} {
		if _, there := slices.BinarySearch(ids, id); there {
			suggested = append(suggested, id)
		}
	}
	suggested = append(suggested, closeIDs(wrong, slices.Values(ids))...)
	if stem != wrong {
		suggested = append(suggested, closeIDs(stem, slices.Values(ids))...)
	}
	var distinct []string
	for _, id := range suggested {
		if len(distinct) < maxClose && !slices.Contains(distinct, id) && message.IsPlain(id) {
			distinct = append(distinct, id)
		}
	}
	return distinct
}

// notedAs returns the ids that package ingest has noted for sources of a base
// name, in order.
func (l *Library) notedAs(ctx context.Context, base string) []string {
	var ids []string
	for n, err := range l.workspace.Notes(ctx, ledger.Kind) {
		if err != nil {
			return nil
		}
		if path.Base(n.Name) != base {
			continue
		}
		if noted, ok := ledger.Parse(n.Data); ok && noted.ID != "" {
			ids = append(ids, noted.ID)
		}
	}
	slices.Sort(ids)
	return ids
}

// A schemeError reports an address whose scheme is that of another modality
// than the resource has. It matches [errors.ErrUnsupported].
type schemeError struct {
	resource string
	modality Modality
	use      string // the address that would be right
}

func (e *schemeError) Error() string {
	return plain.Shorten(e.resource, maxShown) + " is " + article(e.modality) + ": use " + plain.Shorten(e.use, maxShown)
}

func (e *schemeError) Is(target error) bool { return target == errors.ErrUnsupported }

func article(m Modality) string {
	if strings.ContainsAny(string(m[:1]), "aeiou") {
		return "an " + string(m)
	}
	return "a " + string(m)
}

// checkScheme returns an error if an address cannot be one of a map: it has
// another modality than the map and all its nodes. The sound of a video may be
// cited as audio.
func (m *indexedMap) checkScheme(a Address) error {
	asked := a.Location.Modality
	if asked == "" || asked == m.Type || !m.Type.builtIn() || m.Type == Virtual || asked == Audio && m.Type == Video {
		return nil
	}
	for n := range m.All() {
		if n.Location.Modality == asked {
			return nil
		}
	}
	return &schemeError{m.ResourceID, m.Type, rightAddress(m.Type, a)}
}

// checkVirtual returns an error if the source of a map cannot be what an
// address takes it for. What the map says it is, is believed.
func (l *Library) checkVirtual(ctx context.Context, t target) error {
	asked := t.address.Location.Modality
	switch {
	case t.m == nil, asked == t.m.Type, asked == Audio && t.m.Type == Video:
		return nil
	case !asked.builtIn():
		return t.m.checkScheme(t.address)
	}
	is := l.look(ctx, t.path)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case is == "":
		return t.m.checkScheme(t.address)
	case is == asked, asked == Audio && is == Video:
		return nil
	}
	return &schemeError{t.address.Resource, is, rightAddress(is, t.address)}
}

// look returns what a source is: by its content, or where that cannot be read,
// by its name. It is "" if neither tells.
func (l *Library) look(ctx context.Context, path string) Modality {
	src, err := l.workspace.OpenSource(ctx, path)
	if err != nil {
		return Modality(sniff.ByName(path))
	}
	defer src.Close()
	modality, _, err := l.detect(ctx, src)
	if err != nil {
		return Modality(sniff.ByName(path))
	}
	return modality
}

// rightAddress returns an address as it would be with another modality, with
// its selector if that has one, else with the one to fill in.
func rightAddress(modality Modality, a Address) string {
	a.Location.Modality = modality
	if a.Location.Validate() == nil {
		return a.String()
	}
	a.Location, a.Version = Location{Modality: modality}, ""
	return a.String() + selectorHint[modality]
}

// selectorHint is what a person fills in behind an address.
var selectorHint = map[Modality]string{
	Document: "#pages=…", Video: "#t=…", Audio: "#t=…", Image: "#bbox=…", Text: "#lines=…",
}
