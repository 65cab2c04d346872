package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/citekit/citekit"
)

// A filePart is part of a file that the person named.
type filePart struct {
	name     string // as it was named
	path     string // absolute
	fragment string // what follows "#"
}

// findFile reads word as a file, perhaps with "#" and a fragment. Names may
// themselves have a "#": the longest beginning of the word that is a file
// counts.
func findFile(word string) (part filePart, ok bool) {
	for end := len(word); end > 0; end = strings.LastIndexByte(word[:end], '#') {
		info, err := os.Stat(word[:end])
		if err != nil || info.IsDir() {
			continue
		}
		path, err := filepath.Abs(word[:end])
		if err != nil {
			return filePart{}, false
		}
		return filePart{word[:end], path, strings.TrimPrefix(word[end:], "#")}, true
	}
	return filePart{}, false
}

// isPath reports whether word can only be meant as a path.
func isPath(word string) bool {
	return filepath.IsAbs(word) || strings.HasPrefix(word, "./") || strings.HasPrefix(word, "../") ||
		strings.HasPrefix(word, "."+string(filepath.Separator))
}

// A nodeName is a node of a resource, or the whole resource if the node is
// "".
type nodeName struct {
	resource, node string
}

func (n nodeName) String() string {
	if n.node == "" {
		return fmt.Sprintf("resource '%s'", n.resource)
	}
	return fmt.Sprintf("node '%s' of resource '%s'", n.node, n.resource)
}

// maxSplits bounds how many of its dots a word is split at.
const maxSplits = 64

// splits returns the readings of word as resource.node, those with the longest
// resource id first, and last that of a whole resource.
func splits(word string) []nodeName {
	var names []nodeName
	for end := strings.LastIndexByte(word, '.'); end > 0 && len(names) < maxSplits; end = strings.LastIndexByte(word[:end], '.') {
		names = append(names, nodeName{word[:end], word[end+1:]})
	}
	return append(names, nodeName{resource: word})
}

// findNodes returns the readings of word, in the order of [splits], that name
// something. If none does the error says what is missing.
func findNodes(ctx context.Context, lib *library, word string) ([]nodeName, error) {
	var found []nodeName
	var firstErr error
	names := splits(word)
	for _, name := range names {
		if !lib.has(ctx, name.resource) {
			continue
		}
		err := name.check(ctx, lib)
		if err == nil {
			found = append(found, name)
		} else if firstErr == nil || errors.Is(firstErr, fs.ErrNotExist) && !errors.Is(err, fs.ErrNotExist) {
			firstErr = err
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

// check returns an error unless there is what n names.
func (n nodeName) check(ctx context.Context, lib *library) error {
	if n.node == "" {
		_, err := lib.Map(ctx, n.resource)
		return err
	}
	_, err := lib.Node(ctx, n.resource, n.node)
	return err
}

// describeMissing returns the error for a word of whose readings none has a
// map: that of the first whose resource id is nearly right, else of the one
// with the shortest resource id, which is what is meant in most cases.
func describeMissing(ctx context.Context, lib *library, names []nodeName) error {
	var err error
	for _, name := range names[:max(1, len(names)-1)] {
		err = name.check(ctx, lib)
		var missing *citekit.NotFoundError
		if errors.As(err, &missing) && len(missing.Close) > 0 {
			return err
		}
	}
	return err
}

// chooseNode returns the one reading of word, or the first of several after
// telling of the others.
func (s *session) chooseNode(ctx context.Context, lib *library, word string) (nodeName, error) {
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
