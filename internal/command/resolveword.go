package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/ingest"
	"github.com/citekit/citekit/internal/lazyregexp"
)

// resolveMeant resolves a word, an address or a file.
func (s *session) resolveMeant(ctx context.Context, lib *citekit.Library, what string, part filePart, isFile bool, r resolveRequest) (found, error) {
	switch {
	case r.resource != "":
		return resolveNode(ctx, lib, nodeName{r.resource, what}, &r.options)
	case isFile && (part.fragment != "" || isPath(what)):
		return s.resolveSource(ctx, lib, part, &r.options)
	case strings.Contains(what, "://"):
		a, err := parseAddress(what)
		if err != nil {
			return found{}, adviseAddress(ctx, lib, what, err)
		}
		return resolveAddress(ctx, lib, a, &r.options)
	}
	e, err := s.resolveWord(ctx, lib, what, part, isFile, &r.options)
	if err != nil && !isFile {
		err = cmp.Or(s.patternError(what), err)
	}
	return e, err
}

// allowed returns the files that must be readable to resolve the part.
func (p filePart) allowed() []string {
	if p.path == "" {
		return nil
	}
	return []string{p.path}
}

// resolveWord resolves what may be a node, a resource or a whole file.
func (s *session) resolveWord(ctx context.Context, lib *citekit.Library, word string, part filePart, isFile bool, opts *citekit.ResolveOptions) (found, error) {
	if resource, fragment, ok := strings.Cut(word, "#"); ok && !isFile {
		return resolvePart(ctx, lib, resource, fragment, opts)
	}
	name, err := s.chooseNode(ctx, lib, word)
	switch {
	case isFile && (err != nil || name.node == ""):
		return s.resolveSource(ctx, lib, part, opts)
	case isFile:
		return found{}, ambiguous(part.name, name)
	case err != nil:
		return resolveNamed(ctx, lib, word, "", err, opts)
	case name.node != "":
		return resolveNode(ctx, lib, name, opts)
	}
	return resolveFragment(ctx, lib, name.resource, "", opts)
}

func ambiguous(file string, name nodeName) error {
	return usagef("resolve", "'%s' is a file, and also %v; write ./%s for the file, --resource for the other", file, name, file)
}

// resolveSource resolves part of a file. If the file is the unchanged source of a
// resource, the evidence belongs to that resource; otherwise it has no map.
func (s *session) resolveSource(ctx context.Context, lib *citekit.Library, part filePart, opts *citekit.ResolveOptions) (found, error) {
	ids, err := s.resourcesOf(ctx, lib, part)
	if err != nil {
		return found{}, err
	}
	if !isPath(part.name) && !slices.Contains(ids, part.name) && hasMap(ctx, lib, part.name) {
		return found{}, ambiguous(part.name, nodeName{resource: part.name})
	}
	if len(ids) != 1 {
		return resolveFile(ctx, lib, part, *opts)
	}
	e, err := resolveFragment(ctx, lib, ids[0], part.fragment, opts)
	wrong := errors.As(err, new(mismatched))
	if !wrong && !errors.Is(err, citekit.ErrStale) {
		return e, err
	}
	e, fileErr := resolveFile(ctx, lib, part, *opts)
	if wrong && fileErr != nil {
		return found{}, err // the file is unchanged since it was mapped
	}
	e.old = !wrong
	return e, fileErr
}

// resourcesOf returns the resources whose source is a file, by its path or by the
// path that it links to.
func (s *session) resourcesOf(ctx context.Context, lib *citekit.Library, part filePart) ([]string, error) {
	if s.storeURL != "" {
		return ingest.ResourcesOf(ctx, lib, part.path)
	}
	placer, err := s.placer()
	if err != nil {
		return nil, err
	}
	own := placer.inMap(part.path)
	ids, err := ingest.ResourcesOf(ctx, lib, own)
	if target := placer.inMap(resolveLinks(part.path)); err == nil && len(ids) == 0 && target != own {
		return ingest.ResourcesOf(ctx, lib, target)
	}
	return ids, err
}

// resolvePart resolves a fragment of word, which is the id of a resource, or the
// name or path of a source.
func resolvePart(ctx context.Context, lib *citekit.Library, word, fragment string, opts *citekit.ResolveOptions) (found, error) {
	if hasMap(ctx, lib, word) {
		return resolveFragment(ctx, lib, word, fragment, opts)
	}
	if base := filepath.Base(word); base != word {
		_, err := lib.Map(ctx, base)
		return resolveNamed(ctx, lib, word, fragment, err, opts)
	}
	_, err := lib.Map(ctx, word)
	return resolveNamed(ctx, lib, word, fragment, err, opts)
}

// resolveNamed resolves part of the resource whose source has a name or path that
// does not exist as a file. If there is no such resource, the error says so and
// includes err.
func resolveNamed(ctx context.Context, lib *citekit.Library, word, fragment string, err error, opts *citekit.ResolveOptions) (found, error) {
	ids, findErr := resourcesWithSource(ctx, lib, word)
	switch {
	case findErr != nil:
		return found{}, findErr
	case len(ids) > 1:
		return found{}, fmt.Errorf("'%s' is the source of %d resources: %s; name one of them: %w", word, len(ids), someOf(ids), citekit.ErrSyntax)
	case len(ids) == 1:
		return resolveFragment(ctx, lib, ids[0], fragment, opts)
	}
	err = orNoFile(ctx, lib, word, fragment != "", err)
	if instead := lineOf(ctx, lib, word); instead != "" && fragment == "" {
		err = hinted{err, "did you mean '" + instead + "'?"}
	}
	return found{}, err
}

var fileAndLine = lazyregexp.New(`^(.+?):([1-9][0-9]{0,8})(:[0-9]+)?:?$`)

// lineOf returns what selects a line of a text that is written as compilers and
// grep do, FILE:LINE or FILE:LINE:COLUMN: an address if the file is the source of
// one resource, else the file with a fragment. It returns "" for anything else.
func lineOf(ctx context.Context, lib *citekit.Library, word string) string {
	m := fileAndLine.FindStringSubmatch(word)
	if m == nil {
		return ""
	}
	if ids, err := resourcesWithSource(ctx, lib, m[1]); err == nil && len(ids) == 1 {
		line, _ := strconv.Atoi(m[2])
		loc := citekit.Location{Lines: citekit.Range{First: line, Last: line}}
		if about, err := lib.Map(ctx, ids[0]); err == nil {
			if loc.Modality = about.Type; loc.Validate() == nil {
				return citekit.Address{Resource: ids[0], Location: loc}.String()
			}
		}
		return ""
	}
	if info, err := os.Stat(m[1]); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	return m[1] + "#lines=" + m[2]
}

// resourcesWithSource returns the resources whose source has the path word, or in
// any folder the name word.
func resourcesWithSource(ctx context.Context, lib *citekit.Library, word string) ([]string, error) {
	ids, err := ingest.ResourcesOf(ctx, lib, path.Clean(filepath.ToSlash(word)))
	if len(ids) == 0 && err == nil && filepath.Base(word) == word {
		return ingest.ResourcesNamed(ctx, lib, word)
	}
	return ids, err
}

// someOf returns the first few names, and says how many more there are.
func someOf(names []string) string {
	const most = 5
	if len(names) > most {
		return strings.Join(names[:most], ", ") + ", …"
	}
	return strings.Join(names, ", ")
}
