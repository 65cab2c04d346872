package lookup

import (
	"context"
	"errors"
	"strings"

	"github.com/citekit/citekit"
)

// missing returns the error for an id that names nothing in any reading: that of
// the source or the node alone which it names, or the
// error of the missing node if the resource exists, else that of the reading
// with a resource of a similar id, else that of the shortest reading.
func missing(ctx context.Context, lib *citekit.Library, id string) error {
	if meant := idsMeant(ctx, lib, id); len(meant) > 0 {
		return &citekit.NotFoundError{Kind: "resource", ID: id, Suggestions: meant}
	}
	if nodes := byNode(ctx, lib, id); len(nodes) > 0 {
		missing := &citekit.NotFoundError{Kind: "node", ID: id}
		for _, n := range nodes {
			missing.Suggestions = append(missing.Suggestions, n.Map.ResourceID+"."+n.Node.ID)
		}
		return missing
	}
	var best error
	for resource, node := range readings(id) {
		if best != nil && !hasMap(ctx, lib, resource) && strings.Contains(resource, ".") {
			continue // suggestions are searched for only with the longest and the shortest id
		}
		_, err := nodePart(ctx, lib, resource, node)
		if err == nil {
			err = &citekit.NotFoundError{Kind: "resource", ID: id} // it did not exist a moment ago
		}
		if best == nil || rank(err) >= rank(best) {
			best = err
		}
	}
	return best
}

// idsMeant returns the ids that are meant by the name or path of a source, each
// with the fragment behind the name.
func idsMeant(ctx context.Context, lib *citekit.Library, text string) (ids []string) {
	name, fragment := splitName(text)
	for _, m := range bySource(ctx, lib, name) {
		id := m.ResourceID
		if fragment != "" {
			id += "#" + fragment
		}
		ids = append(ids, id)
	}
	return ids
}

// rank orders errors by how well they show what was probably meant.
func rank(err error) int {
	var missing *citekit.NotFoundError
	switch {
	case !errors.As(err, &missing):
		return 0
	case missing.Kind == "node":
		return 3
	case len(missing.Suggestions) > 0:
		return 2
	}
	return 1
}

// mostReadings is at how many of its dots an id is split.
const mostReadings = 64

// readings yields the readings of an id as a resource and a node, the longest
// resource id first. The first reading is the whole id as a resource.
func readings(id string) func(yield func(resource, node string) bool) {
	return func(yield func(resource, node string) bool) {
		if !yield(id, "") {
			return
		}
		end := len(id)
		for range mostReadings {
			if end = strings.LastIndexByte(id[:end], '.'); end <= 0 || !yield(id[:end], id[end+1:]) {
				return
			}
		}
	}
}
