package citekit

import (
	"context"
	"errors"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/citekit/citekit/internal/sniff"
)

// maxScanned is how many maps are read to find a source that nothing else
// leads to.
const maxScanned = 1000

// ResourcesOf returns the ids of the resources whose source is at a path, as
// maps give it: relative to the base directory with forward slashes, or
// absolute. Where more than 1000 maps are stored, it knows of those that Ingest
// made and of those with ids made from the name of the source.
func (l *Library) ResourcesOf(ctx context.Context, source string) ([]string, error) {
	return l.resourcesBy(ctx, source, func(other string) bool { return other == source })
}

// ResourcesNamed is ResourcesOf for the base name of a source, wherever it is.
func (l *Library) ResourcesNamed(ctx context.Context, name string) ([]string, error) {
	return l.resourcesBy(ctx, name, func(source string) bool { return path.Base(source) == name })
}

// resourcesBy returns the resources whose source matches, of which name is one.
func (l *Library) resourcesBy(ctx context.Context, name string, matches func(source string) bool) ([]string, error) {
	candidates := l.noted(ctx, matches)
	candidates = append(candidates, ResourceIDFor(name), olderIDFor(name))
	found, err := l.withSource(ctx, candidates, matches)
	if err != nil || len(found) > 0 {
		return found, err
	}
	ids, err := l.workspace.MapIDs(ctx)
	if err != nil || len(ids) > maxScanned {
		return nil, err
	}
	return l.withSource(ctx, ids, matches)
}

// noted returns the ids that the notes of ingest have for sources that match.
func (l *Library) noted(ctx context.Context, matches func(source string) bool) []string {
	finder, ok := l.workspace.(Finder)
	if !ok {
		return nil
	}
	file, err := readLedgerFile(ctx, finder)
	if err != nil {
		return nil
	}
	var ids []string
	for source, n := range file.Sources {
		if n.ID != "" && matches(source) {
			ids = append(ids, n.ID)
		}
	}
	return ids
}

// withSource returns those of ids whose maps have a source that matches.
func (l *Library) withSource(ctx context.Context, ids []string, matches func(source string) bool) ([]string, error) {
	found := make(map[string]bool)
	for _, id := range ids {
		if found[id] || CheckResourceID(id) != nil {
			continue
		}
		if _, err := l.workspace.StatMap(ctx, id); err != nil {
			continue
		}
		m, err := l.load(ctx, id)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err == nil && matches(m.SourcePath) {
			found[id] = true
		}
	}
	return slices.Sorted(maps.Keys(found)), nil
}

// suggest returns the ids of resources that a wrong id may mean, best first:
// those of the source of that name, those that a file of that name would get,
// and those that look like it.
func (l *Library) suggest(ctx context.Context, wrong string, ids []string) []string {
	base := path.Base(strings.ReplaceAll(wrong, `\`, "/"))
	suggested := l.noted(ctx, func(source string) bool { return path.Base(source) == base })
	slices.Sort(suggested)
	stem := strings.TrimSuffix(base, nameExt(base))
	for _, id := range []string{idFromName(wrong), idFromName(base), idFromName(stem)} {
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
		if len(distinct) < maxClose && !slices.Contains(distinct, id) && isPlainText(id) {
			distinct = append(distinct, id)
		}
	}
	return distinct
}

// A schemeError reports an address whose scheme is that of another modality
// than the resource has. It matches [errors.ErrUnsupported].
type schemeError struct {
	resource string
	modality Modality
	use      string // the address that would be right
}

func (e *schemeError) Error() string {
	return clipTo(e.resource, maxShown) + " is " + article(e.modality) + ": use " + clipTo(e.use, maxShown)
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
