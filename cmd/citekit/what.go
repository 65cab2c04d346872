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
		return filePart{path, strings.TrimPrefix(word[end:], "#")}, true
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

// findNodes returns all readings of word as resource.node among what there
// is: first those with the longest resource id, last that of a whole
// resource. If there is none the error says what is missing.
func findNodes(ctx context.Context, lib *citekit.Library, word string) ([]nodeName, error) {
	var found []nodeName
	var missing missingNode
	end := len(word)
	for range maxSplits {
		if end = strings.LastIndexByte(word[:end], '.'); end < 1 {
			break
		}
		name := nodeName{word[:end], word[end+1:]}
		_, err := lib.Node(ctx, name.resource, name.node)
		switch {
		case err == nil:
			found = append(found, name)
		case !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, citekit.ErrSyntax):
			return nil, err
		default:
			missing.note(name, err)
		}
	}
	_, err := lib.Map(ctx, word)
	if err == nil {
		return append(found, nodeName{resource: word}), nil
	}
	if len(found) > 0 {
		return found, nil
	}
	missing.note(nodeName{resource: word}, err)
	return nil, missing.err
}

// A missingNode keeps the error that helps most of those of several readings.
type missingNode struct {
	err  error
	rank int
}

func (m *missingNode) note(name nodeName, err error) {
	if rank := helpfulness(name, err); m.err == nil || rank > m.rank {
		m.err, m.rank = err, rank
	}
}

// helpfulness ranks an error: a resource that exists says most, then one with
// a name that is nearly right, then the reading the word has in most cases.
func helpfulness(name nodeName, err error) int {
	var missing *citekit.NotFoundError
	if !errors.As(err, &missing) {
		if errors.Is(err, citekit.ErrSyntax) && citekit.CheckResourceID(name.resource) != nil {
			return 0
		}
		return 5 // a map that cannot be read
	}
	switch {
	case missing.Kind == "node":
		return 4
	case len(missing.Close) > 0:
		return 3
	case name.node == "" || strings.Contains(name.resource, "."):
		return 1
	}
	return 2
}

// chooseNode returns the one reading of word, or the first of several after
// telling of the others.
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
