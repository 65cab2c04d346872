package lookup

import (
	"context"
	"fmt"
	"net/url"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/ledger"
	"github.com/citekit/citekit/internal/plain"
)

// Resource returns the id of the resource that a name means: its id, the address of
// all of it, or the path of its source as maps have it, or the name of that in any
// folder, if it is the source of no other resource.
//
// Errors are those of [citekit.ParseAddress] and [citekit.Library.Map], the latter with
// the ids if the name is that of several sources, or match [citekit.ErrSyntax] if an
// address is of a part.
func Resource(ctx context.Context, lib *citekit.Library, name string) (id string, err error) {
	if strings.Contains(name, "://") {
		a, err := citekit.ParseAddress(name)
		switch {
		case err != nil:
			return "", WithMeant(ctx, lib, name, err)
		case !a.Location.IsWhole() || a.Version != "":
			return "", fmt.Errorf("%s is the address of a part; give the id of its resource, '%s': %w", a, a.Resource, citekit.ErrSyntax)
		}
		name = a.Resource
	}
	_, err = lib.Map(ctx, name)
	if err == nil || hasMap(ctx, lib, name) {
		return name, err
	}
	ids, sourceErr := ofSource(ctx, lib, name)
	switch {
	case sourceErr != nil:
		return "", sourceErr
	case len(ids) == 0:
		return "", err
	case len(ids) > 1:
		return "", &citekit.NotFoundError{Kind: "resource", ID: name, Suggestions: ids[:min(len(ids), maxMeant)]}
	}
	return ids[0], nil
}

// fromSource returns the part that a path or name of a source means, perhaps with a
// fragment; names may contain "#" too. The error is errNothing if it means none, or one
// of several.
func fromSource(ctx context.Context, lib *citekit.Library, text string) (Part, error) {
	for end := len(text); end > 0; end = strings.LastIndexByte(text[:end], '#') {
		ids, err := ofSource(ctx, lib, text[:end])
		switch {
		case err != nil:
			return Part{}, err
		case len(ids) == 1 && end == len(text):
			return nodePart(ctx, lib, ids[0], "")
		case len(ids) == 1:
			return fragmentPart(ctx, lib, ids[0], standard(text[end+1:]))
		}
	}
	return Part{}, errNothing
}

// ofSource returns the resources whose source has a path or, in any folder, a name.
func ofSource(ctx context.Context, lib *citekit.Library, name string) ([]string, error) {
	name = path.Clean(strings.ReplaceAll(name, `\`, "/"))
	base := path.Base(name)
	if base == "." || base == "/" {
		return nil, nil
	}
	matches := func(source string) bool { return source == name }
	if base == name {
		matches = func(source string) bool { return path.Base(source) == name }
	}
	return BySource(ctx, lib, matches, plain.SlugForFile(name), plain.FileSlug(name))
}

// maxScanned is how many maps are read to find a source that cannot be found
// otherwise.
const maxScanned = 1000

// BySource returns the ids of the resources whose source matches, in their order:
// those of the notes that ingest keeps, and the candidates, or else, if at most 1000
// maps are stored, of all. Errors are those of [citekit.Library.Resources].
func BySource(ctx context.Context, lib *citekit.Library, matches func(source string) bool, candidates ...string) ([]string, error) {
	for stored, err := range lib.Workspace().Notes(ctx, ledger.Kind) {
		if err != nil {
			break
		}
		if !matches(stored.Name) {
			continue
		}
		if n, ok := ledger.Parse(stored.Data); ok && n.ID != "" {
			candidates = append(candidates, n.ID)
		}
	}
	found, err := withSource(ctx, lib, candidates, matches)
	if err != nil || len(found) > 0 {
		return found, err
	}
	ids, err := lib.Resources(ctx)
	if err != nil || len(ids) > maxScanned {
		return nil, err
	}
	return withSource(ctx, lib, ids, matches)
}

// withSource returns the ids whose maps have a matching source.
func withSource(ctx context.Context, lib *citekit.Library, ids []string, matches func(source string) bool) (found []string, err error) {
	slices.Sort(ids)
	for _, id := range slices.Compact(ids) {
		if citekit.CheckResourceID(id) != nil {
			continue
		}
		if _, err := lib.Workspace().StatMap(ctx, id); err != nil {
			continue
		}
		m, err := lib.Map(ctx, id)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err == nil && matches(m.SourcePath) {
			found = append(found, id)
		}
	}
	return found, nil
}

const fileURL = "file://"

// FromRoot returns an absolute path or a file URL as maps have it: relative to the first
// of some folders, with slashes, or if it is not below that, the path. It returns other
// texts unchanged.
func FromRoot(roots []string, path string) string {
	rest, isURL := strings.CutPrefix(path, fileURL)
	if !isURL && !filepath.IsAbs(path) {
		return path
	}
	if isURL {
		if unescaped, err := url.PathUnescape(rest); err == nil {
			path = unescaped
		}
	}
	if len(roots) > 0 {
		if below, err := filepath.Rel(roots[0], filepath.FromSlash(path)); err == nil && filepath.IsLocal(below) {
			path = below
		}
	}
	return filepath.ToSlash(path)
}
