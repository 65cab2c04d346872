package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/ingest"
	"github.com/citekit/citekit/internal/command/internal/term"
	"github.com/citekit/citekit/internal/lazyregexp"
	"github.com/citekit/citekit/internal/lookup"
)

// A filePart is part of a file that the person named.
type filePart struct {
	name     string // as the person wrote it
	path     string // absolute
	fragment string // the part after "#"

	kind citekit.Modality // stated by the person, or ""
}

// findFile reads word as a file, perhaps with "#" and a fragment. As names may
// contain "#", the longest leading part that is a file counts. A relative path is
// relative to the base directory or, if that does not exist, to the working
// directory. A file at both is an error. For a store no word is a file.
func (s *session) findFile(word string) (part filePart, ok bool, err error) {
	if s.storeURL != "" { // its sources are no files here
		return filePart{}, false, nil
	}
	base, err := filepath.Abs(s.dir)
	if err != nil {
		return filePart{}, false, err
	}
	for end := len(word); end > 0; end = strings.LastIndexByte(word[:end], '#') {
		here, err := filepath.Abs(word[:end])
		if err != nil {
			return filePart{}, false, err
		}
		path := here
		if !filepath.IsAbs(word[:end]) {
			path = filepath.Join(base, word[:end])
		}
		found, other := statFile(path), statFile(here)
		switch {
		case found == nil && other == nil:
			continue
		case found == nil:
			path = here
		case other != nil && !os.SameFile(found, other):
			return filePart{}, false, usagef("resolve", "%s is a file below %s, and another one where you are; write the path of the one you mean from %s",
				word[:end], s.baseName(), string(filepath.Separator))
		}
		return filePart{name: word[:end], path: path, fragment: strings.TrimPrefix(word[end:], "#")}, true, nil
	}
	if m := fileAndLines.FindStringSubmatch(word); m != nil { // as compilers and grep name a line
		if part, ok, err = s.findFile(m[1]); ok && part.fragment == "" {
			part.fragment = "lines=" + m[2]
		}
		return part, ok, err
	}
	return filePart{}, false, nil
}

var fileAndLines = lazyregexp.New(`^(.+?):([0-9]{1,9}(?:-[0-9]{1,9})?)(?::[0-9]+)?:?$`)

// statFile returns information about a file, or nil if there is none.
func statFile(path string) fs.FileInfo {
	info, err := os.Stat(path)
	if err != nil || info.IsDir() {
		return nil
	}
	return info
}

// isPath reports whether word can only be a path.
func isPath(word string) bool {
	return filepath.IsAbs(word) || strings.HasPrefix(word, "./") || strings.HasPrefix(word, "../") ||
		strings.HasPrefix(word, "."+string(filepath.Separator))
}

// A nodeName names a node of a resource, or the whole resource if node is "".
type nodeName struct {
	resource, node string
}

func (n nodeName) String() string {
	if n.node == "" {
		return fmt.Sprintf("resource '%s'", n.resource)
	}
	return fmt.Sprintf("node '%s' of resource '%s'", n.node, n.resource)
}

// maxSplits is the most dots of a word that are tried as separators.
const maxSplits = 64

// splits returns the readings of word as resource.node, longest resource id first.
// The last one reads word as a whole resource.
func splits(word string) []nodeName {
	var names []nodeName
	for end := strings.LastIndexByte(word, '.'); end > 0 && len(names) < maxSplits; end = strings.LastIndexByte(word[:end], '.') {
		names = append(names, nodeName{word[:end], word[end+1:]})
	}
	return append(names, nodeName{resource: word})
}

// findNodes returns the readings of word that name something, in the order of
// [splits]. If there are none, the error says what is missing.
func findNodes(ctx context.Context, lib *citekit.Library, word string) ([]nodeName, error) {
	var found []nodeName
	var firstErr error
	names := splits(word)
	for _, name := range names {
		if !hasMap(ctx, lib, name.resource) {
			continue
		}
		err := name.check(ctx, lib)
		if err == nil {
			found = append(found, name)
		} else if firstErr == nil || errors.Is(firstErr, fs.ErrNotExist) && !errors.Is(err, fs.ErrNotExist) {
			firstErr = err
		}
	}
	if len(found) == 0 { // the id of a node may begin with that of its resource
		for _, name := range names {
			whole := nodeName{name.resource, word}
			if name.node != "" && hasMap(ctx, lib, name.resource) && whole.check(ctx, lib) == nil {
				found = append(found, whole)
			}
		}
	}
	switch {
	case len(found) > 0:
		return found, nil
	case firstErr != nil:
		return nil, firstErr
	}
	return nil, describeMissing(ctx, lib, names)
}

// check returns an error unless what n names exists.
func (n nodeName) check(ctx context.Context, lib *citekit.Library) error {
	if n.node == "" {
		_, err := lib.Map(ctx, n.resource)
		return err
	}
	_, err := lib.Node(ctx, n.resource, n.node)
	return err
}

// describeMissing returns the error for a word if no reading of it has a map. It is
// the error of the first reading whose resource id is nearly right, else of the
// reading with the shortest resource id, which is usually meant.
func describeMissing(ctx context.Context, lib *citekit.Library, names []nodeName) error {
	var err error
	for _, name := range names[:max(1, len(names)-1)] {
		err = name.check(ctx, lib)
		var missing *citekit.NotFoundError
		if errors.As(err, &missing) && len(missing.Suggestions) > 0 {
			return err
		}
	}
	return err
}

// chooseNode returns the only reading of word, or the first of several with a
// warning about the others.
func (s *session) chooseNode(ctx context.Context, lib *citekit.Library, word string) (nodeName, error) {
	found, err := findNodes(ctx, lib, word)
	if err != nil {
		return nodeName{}, err
	}
	for _, other := range found[1:] {
		if other.node != "" {
			s.warn(fmt.Sprintf("'%s' is taken as %v; there is also %v, for which give --resource", word, found[0], other))
		}
	}
	return found[0], nil
}

// named returns a word as functions that take ids read it: the word itself or, for a
// file that is the source of a resource, the id of that with the fragment behind the
// name. A word that is an id already, or names no file, stays.
func (s *session) named(ctx context.Context, lib *citekit.Library, word string) (string, error) {
	if strings.Contains(word, "://") {
		return word, nil
	}
	part, isFile, err := s.findFile(word)
	if s.storeURL != "" {
		part, isFile, err = findMapped(ctx, lib, word)
	}
	if err != nil || !isFile {
		return word, err
	}
	id, _, _ := strings.Cut(word, "#")
	if _, err := findNodes(ctx, lib, id); err == nil && !isPath(word) {
		return word, nil
	}
	ids, err := s.resourcesOf(ctx, lib, part)
	switch {
	case err != nil:
		return word, err
	case len(ids) == 0:
		return word, hinted{fmt.Errorf("the file %s has no map%w", term.Line(part.name), silent{fs.ErrNotExist}), "'citekit ingest " + shellWord(part.name) + "' makes one"}
	case len(ids) > 1:
		return word, fmt.Errorf("'%s' is the source of %d resources: %s; name one of them: %w", part.name, len(ids), someOf(ids), citekit.ErrSyntax)
	case part.fragment == "":
		return ids[0], nil
	}
	if loc, version, err := parseFragment(part.fragment); err == nil {
		part.fragment = cmp.Or(citekit.Address{Resource: ids[0], Location: loc, Version: version}.Fragment(), part.fragment)
	}
	return ids[0] + "#" + part.fragment, nil
}

// findMapped is findFile for the sources of a store that have maps.
func findMapped(ctx context.Context, lib *citekit.Library, word string) (part filePart, ok bool, err error) {
	for end := len(word); end > 0; end = strings.LastIndexByte(word[:end], '#') {
		ids, err := ingest.ResourcesOf(ctx, lib, word[:end])
		if err != nil {
			return filePart{}, false, err
		}
		if len(ids) > 0 {
			return filePart{name: word[:end], path: word[:end], fragment: strings.TrimPrefix(word[end:], "#")}, true, nil
		}
	}
	return filePart{}, false, nil
}

// allNamed calls named for each word.
func (s *session) allNamed(ctx context.Context, lib *citekit.Library, words []string) ([]string, error) {
	all := make([]string, len(words))
	for i, word := range words {
		var err error
		if all[i], err = s.named(ctx, lib, word); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// resources returns the ids of the resources that words name, by their ids, addresses,
// or sources.
func (s *session) resources(ctx context.Context, lib *citekit.Library, words []string) ([]string, error) {
	all, err := s.allNamed(ctx, lib, words)
	for i := 0; i < len(all) && err == nil; i++ {
		if id, err := lookup.Resource(ctx, lib, all[i]); err == nil {
			all[i] = id
		}
	}
	return all, err
}

// adviseResource returns a better error if the first word that is not a resource id
// is an address or the path of a source.
func adviseResource(ctx context.Context, lib *citekit.Library, err error, words ...string) error {
	i := slices.IndexFunc(words, func(word string) bool { return !hasMap(ctx, lib, word) })
	if err == nil || i < 0 {
		return err
	}
	word := words[i]
	if strings.Contains(word, "://") {
		if a, parseErr := parseAddress(word); parseErr == nil {
			return fmt.Errorf("'%s' is an address; give the id of its resource, '%s': %w", word, a.Resource, citekit.ErrSyntax)
		}
		return err
	}
	var missing *citekit.NotFoundError
	if errors.As(err, &missing) && len(missing.Suggestions) > 0 {
		return err // suggests what may be meant
	}
	if ids, findErr := resourcesWithSource(ctx, lib, word); findErr == nil && len(ids) > 0 {
		return fmt.Errorf("'%s' is the source of %s; give its id%w", word, quotedIDs(ids), silent{err})
	}
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w; 'citekit list' shows the resources", err)
	}
	return err
}

// quotedIDs returns a phrase such as "resource 'a'" or "the resources 'a', 'b'".
func quotedIDs(ids []string) string {
	if len(ids) == 1 {
		return "resource '" + ids[0] + "'"
	}
	return "the resources '" + strings.Join(ids[:min(len(ids), 5)], "', '") + "'"
}
