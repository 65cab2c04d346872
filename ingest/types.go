package ingest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/ledger"
	"github.com/citekit/citekit/internal/message"
)

// A foreignMap is the error for a map of a type that the Library has no resolver
// for. Another program made it, and only that can make it anew.
type foreignMap struct {
	id      string
	missing *citekit.NoResolverError
}

func (e *foreignMap) Error() string {
	return fmt.Sprintf("the map '%s' is of type %s, which this program has no resolver for; map it with the program that knows %[2]s; force replaces the map: %v",
		message.Clip(e.id), message.Clip(string(e.missing.Modality)), errors.ErrUnsupported)
}

// Unwrap returns the [*citekit.NoResolverError].
func (e *foreignMap) Unwrap() error { return e.missing }

// checkMap returns a [*foreignMap] if the Library has no resolver for the type of
// the map with an id.
func (in *run) checkMap(id, kind string) error {
	_, err := in.lib.Resolver(citekit.Modality(kind))
	var missing *citekit.NoResolverError
	if kind == "" || citekit.Modality(kind) == citekit.Virtual || !errors.As(err, &missing) {
		return nil
	}
	return &foreignMap{id, missing}
}

// judgeForeign judges a source whose map must not be replaced, as the Library has
// no resolver for its type.
func (in *run) judgeForeign(noted ledger.Note) verdict {
	if noted.ID == "" || in.opts.Force || in.opts.ResourceID != "" && in.opts.ResourceID != noted.ID {
		return verdict{}
	}
	return verdict{modality: citekit.Modality(noted.Type)}.refused(in.checkMap(noted.ID, noted.Type))
}

// refused is failed for an error that may be nil; v is then undecided.
func (v verdict) refused(err error) verdict {
	if err == nil {
		return verdict{}
	}
	return v.failed(err)
}

// checkReplaced returns a [*foreignMap] if the map that a task is about to replace
// is of a type that the Library has no resolver for.
func (in *run) checkReplaced(ctx context.Context, t *task, id string) error {
	if in.opts.Force || t.replaces == (citekit.Stamp{}) {
		return nil
	}
	if n, _ := in.book.Note(t.Path); n.ID == id && n.Stamp != "" && n.Stamp == t.replaces.Identity {
		return in.checkMap(id, n.Type)
	}
	m, _, err := in.lib.ReadMap(ctx, id)
	if err != nil {
		return ctx.Err() // what may be replaced was decided before
	}
	return in.checkMap(id, string(m.Type))
}

// detectors are the modalities whose resolvers recognize their sources, sorted.
func detectors(resolvers citekit.Resolvers) (all []citekit.Modality) {
	for m, r := range resolvers {
		if _, ok := r.(citekit.Detector); ok {
			all = append(all, m)
		}
	}
	slices.Sort(all)
	return all
}

// claimedBy returns the modality whose resolver recognizes a source, or "" if none
// does. Only resolvers that are a [citekit.Detector] are asked.
func (in *run) claimedBy(ctx context.Context, src *citekit.Source) citekit.Modality {
	for _, m := range in.detectors {
		var own bool
		err := in.lib.WithSlot(ctx, m, func(ctx context.Context) (err error) {
			own, err = in.lib.Resolvers()[m].(citekit.Detector).Detect(ctx, src)
			return err
		})
		if err != nil {
			return "" // mapping it reports the error
		}
		if own {
			return m
		}
	}
	return ""
}

// isOthers reports whether a resolver recognizes a source as of another type than
// was noted: a program without that resolver mapped or skipped it. A type that was
// asked for, and a map that another mapper made, stand.
func (in *run) isOthers(ctx context.Context, t *task, n ledger.Note) bool {
	if len(in.detectors) == 0 || in.opts.Type != "" || n.Asked != "" || n.Mapper != in.mapperFor(citekit.Modality(n.Type)) && !in.isOlder(n) {
		return false
	}
	src, err := in.ws.OpenSource(ctx, t.Path) // not hashed
	if err != nil {
		return false
	}
	defer src.Close()
	claimed := in.claimedBy(ctx, src)
	return claimed != "" && string(claimed) != n.Type
}

// mapperFor returns the name, in maps, of what maps sources of a modality. For one
// that is not built in it has the version of the resolver, so that its maps follow
// the resolver.
func (in *run) mapperFor(m citekit.Modality) string {
	if in.opts.Mapper != nil || m == "" || m.BuiltIn() {
		return in.name
	}
	v, ok := in.lib.Resolvers()[m].(citekit.Versioner)
	if !ok || len(v.Version()) > maxMapperName-len(in.name) {
		return in.name
	}
	return in.name + " " + v.Version()
}

// isOlder reports whether an earlier version of the resolvers made the map of a
// note, or found nothing to map.
func (in *run) isOlder(n ledger.Note) bool {
	kind, _, _ := strings.Cut(resolversMapper, "/")
	return in.opts.Mapper == nil && strings.HasPrefix(n.Mapper, kind+"/") && n.Mapper != in.mapperFor(citekit.Modality(n.Type))
}
