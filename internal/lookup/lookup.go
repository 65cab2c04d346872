// Package lookup finds the part of a resource that an id means. Agents and
// people write ids in several forms: an address, "resource.node", or a resource
// alone. If nothing has the id, the error suggests what was probably meant.
package lookup

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/plain"
)

// A Part is what an id means.
type Part struct {
	Map     *citekit.ResourceMap
	Node    *citekit.Node // nil if it is not a node
	Address citekit.Address
}

// Find returns the part that an id means. It splits "resource.node" after the
// longest resource id that exists. If the ids of nodes begin with that of their
// resource, as they do under a heading of its name, the id of such a node also
// works alone. A fragment may follow a resource id without a scheme. If nothing has
// the id, the path of a source as maps have it, or the name of one in any folder, means
// its resource, if it is that of one only; a fragment may follow it too.
//
// Errors are those of [citekit.ParseAddress], [citekit.Library.Map] and
// [citekit.Library.Node], the latter with suggestions, and for a member that the map
// has no node of those of [citekit.Library.Open].
func Find(ctx context.Context, lib *citekit.Library, id string) (Part, error) {
	if id == "" {
		return Part{}, fmt.Errorf("an empty id; give that of a resource or a node, or an address: %w", citekit.ErrSyntax)
	}
	p, err := find(ctx, lib, id)
	if raw := plain.ReadCodes(id); err == errNothing && raw != id { // as ids are shown to models
		p, err = find(ctx, lib, raw)
	}
	if err == errNothing {
		p, err = fromSource(ctx, lib, id)
	}
	if err == errNothing {
		err = missing(ctx, lib, id)
	}
	return p, err
}

// errNothing reports an id that names nothing in any reading.
var errNothing = errors.New("nothing has this id")

func find(ctx context.Context, lib *citekit.Library, id string) (Part, error) {
	if strings.Contains(id, "://") {
		a, err := citekit.ParseAddress(id)
		if err != nil {
			return Part{}, WithMeant(ctx, lib, id, err)
		}
		return partAt(ctx, lib, a)
	}
	if resource, fragment, ok := strings.Cut(id, "#"); ok && hasMap(ctx, lib, resource) {
		return fragmentPart(ctx, lib, resource, fragment)
	}
	for resource, node := range readings(id) {
		if !hasMap(ctx, lib, resource) {
			continue
		}
		p, err := nodePart(ctx, lib, resource, node)
		if node == "" || !errors.Is(err, fs.ErrNotExist) {
			return p, err
		}
	}
	for resource, node := range readings(id) {
		if node == "" || !hasMap(ctx, lib, resource) {
			continue
		}
		if p, err := nodePart(ctx, lib, resource, id); !errors.Is(err, fs.ErrNotExist) {
			return p, err
		}
	}
	return Part{}, errNothing
}

// hasMap reports whether a resource has a map.
func hasMap(ctx context.Context, lib *citekit.Library, resource string) bool {
	if citekit.CheckResourceID(resource) != nil {
		return false
	}
	_, err := lib.Workspace().StatMap(ctx, resource)
	return err == nil
}

// nodePart returns a node of a resource, or the whole resource if node is "".
func nodePart(ctx context.Context, lib *citekit.Library, resource, node string) (Part, error) {
	m, err := lib.Map(ctx, resource)
	if err != nil {
		return Part{}, err
	}
	if node == "" {
		return Part{Map: m, Address: m.Address(nil)}, nil
	}
	n, err := lib.Node(ctx, resource, node)
	if err != nil {
		return Part{}, err
	}
	return Part{Map: m, Node: n, Address: m.Address(n)}, nil
}

// fragmentPart returns the part of an address without its scheme.
func fragmentPart(ctx context.Context, lib *citekit.Library, resource, fragment string) (Part, error) {
	m, err := lib.Map(ctx, resource)
	if err != nil {
		return Part{}, err
	}
	if whole := m.Address(nil); isOwn(whole.Location.Modality) {
		a, err := citekit.ParseAddress(whole.String() + "#" + fragment)
		if err != nil {
			return Part{}, err
		}
		return partAt(ctx, lib, a)
	}
	loc, version, err := citekit.ParseFragment(fragment)
	if err != nil {
		return Part{}, err
	}
	if loc.Modality == "" {
		loc.Modality = m.ModalityOf(loc)
	}
	if loc.IsWhole() && fragment != "" { // a time from 0 to the end, where there is one
		a, err := citekit.ParseAddress(m.Address(nil).String() + "#" + fragment)
		if err != nil {
			return Part{}, err
		}
		return partAt(ctx, lib, a)
	}
	a := citekit.Address{Resource: resource, Location: loc, Version: version}
	if loc.Modality == "" && loc.Member != "" { // a member without a node, as a damaged one
		opened, err := lib.Open(ctx, a)
		if err != nil {
			return Part{}, err
		}
		a = opened.Address
		if err := opened.Source.Close(); err != nil {
			return Part{}, err
		}
	}
	return partAt(ctx, lib, a)
}

// isOwn reports whether a modality is one that a program defines, whose selectors
// do not tell that they are of it.
func isOwn(modality citekit.Modality) bool {
	return modality != "" && !modality.BuiltIn()
}

func partAt(ctx context.Context, lib *citekit.Library, a citekit.Address) (Part, error) {
	m, err := lib.Map(ctx, a.Resource)
	if err != nil {
		return Part{}, err
	}
	for n := range m.All() {
		if n.Location.Equal(a.Location) {
			return Part{Map: m, Node: n, Address: a}, nil
		}
	}
	return Part{Map: m, Address: a}, nil
}
