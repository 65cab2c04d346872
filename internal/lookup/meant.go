package lookup

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/url"
	"path"
	"strings"

	"github.com/citekit/citekit"
)

// Bounds of the search for what was meant by an id that does not exist.
const (
	maxMeant = 3       // things that were meant
	maxMaps  = 1000    // maps that are looked at
	maxNodes = 200_000 // of these maps; the map that exceeds them is the last
)

// Meant returns at most three addresses that may be meant by a text that is none:
// the id of a resource, a node as "resource.node" or by its id alone, the name or
// path of a source, or the file URL of one; a fragment may follow all but nodes.
func Meant(ctx context.Context, lib *citekit.Library, text string) (meant []citekit.Address) {
	if !strings.Contains(text, "://") {
		if p, err := find(ctx, lib, text); err == nil {
			return []citekit.Address{p.Address}
		}
	}
	name, fragment := splitName(text)
	for _, m := range bySource(ctx, lib, name) {
		a := m.Address(nil)
		if p, err := fragmentPart(ctx, lib, m.ResourceID, fragment); fragment != "" && err == nil {
			a = p.Address
		}
		meant = append(meant, a)
	}
	if len(meant) == 0 {
		for _, p := range byNode(ctx, lib, text) {
			meant = append(meant, p.Address)
		}
	}
	return meant
}

// WithMeant returns the error of [citekit.ParseAddress] about a text, with the
// addresses that the text may mean, if there are some. If the resource exists and
// only the scheme is not its own, the error is that of [citekit.Address.Mismatch].
func WithMeant(ctx context.Context, lib *citekit.Library, text string, err error) error {
	if right := mismatch(ctx, lib, text); right != nil && errors.Is(err, citekit.ErrSyntax) {
		return right
	}
	if !errors.Is(err, citekit.ErrSyntax) || strings.Contains(text, "://") && !isFileURL(text) {
		return err
	}
	meant := Meant(ctx, lib, text)
	if len(meant) == 0 {
		return err
	}
	var addresses []string
	for _, a := range meant {
		addresses = append(addresses, a.String())
	}
	fault, _, _ := strings.Cut(strings.TrimSuffix(err.Error(), ": "+citekit.ErrSyntax.Error()), "; ")
	return fmt.Errorf("%s; did you mean %s?: %w", fault, strings.Join(addresses, " or "), citekit.ErrSyntax)
}

// mismatch returns the error for the address of a resource, or of a member of one,
// that has another scheme than it needs; nil if that is not the fault.
func mismatch(ctx context.Context, lib *citekit.Library, text string) error {
	scheme, rest, ok := strings.Cut(text, "://")
	escaped, fragment, _ := strings.Cut(rest, "#")
	id, err := url.PathUnescape(escaped)
	if !ok || err != nil || !hasMap(ctx, lib, id) {
		return nil
	}
	m, err := lib.Map(ctx, id)
	if err != nil || !m.Type.Valid() || m.Type == citekit.Virtual {
		return nil
	}
	loc, version, err := citekit.ParseFragment(fragment)
	if err != nil {
		return nil
	}
	a := citekit.Address{Resource: id, Location: loc, Version: version}
	is := m.Type
	if loc.Member != "" {
		opened, err := lib.Open(ctx, a)
		if err != nil {
			return err
		}
		defer opened.Source.Close()
		is = opened.Address.Location.Modality
	}
	whole := citekit.Address{Resource: id, Location: citekit.Location{Modality: is}}
	if strings.HasPrefix(whole.String(), scheme+"://") {
		return nil
	}
	return a.Mismatch(is)
}

func isFileURL(text string) bool {
	scheme, _, ok := strings.Cut(text, "://")
	return ok && strings.EqualFold(scheme, "file")
}

// splitName returns the path in a text that names a source, with forward slashes,
// and the fragment behind it.
func splitName(text string) (name, fragment string) {
	name, fragment, _ = strings.Cut(text, "#")
	if isFileURL(name) {
		_, name, _ = strings.Cut(name, "://")
		if unescaped, err := url.PathUnescape(name); err == nil {
			name = unescaped
		}
	}
	return strings.ReplaceAll(name, `\`, "/"), fragment
}

// maps yields the maps in which to look for what was meant, in the order of their
// ids: at most some, and none after those before it have some nodes in total.
func maps(ctx context.Context, lib *citekit.Library, most, nodes int) iter.Seq[*citekit.ResourceMap] {
	return func(yield func(*citekit.ResourceMap) bool) {
		ids, err := lib.ResourcesAfter(ctx, "", most)
		if err != nil {
			return // what was meant stays unknown
		}
		for _, id := range ids {
			m, err := lib.Map(ctx, id)
			if ctx.Err() != nil || err == nil && !yield(m) {
				return
			}
			if err != nil {
				continue
			}
			if nodes -= m.Len(); nodes < 0 {
				return
			}
		}
	}
}

// How well the path of a source fits a name.
const (
	otherName = iota // not at all
	sameName         // the files have the same name
	samePath         // one path ends with the other
	wholePath        // the paths are equal
)

// bySource returns the maps of at most three sources with a name or path, of those
// that fit it best, in the order of their ids.
func bySource(ctx context.Context, lib *citekit.Library, name string) (found []*citekit.ResourceMap) {
	if path.Base(name) == "." || path.Base(name) == "/" {
		return nil
	}
	best := sameName
	for m := range maps(ctx, lib, maxMaps, maxNodes) {
		fit := fitOf(strings.ReplaceAll(m.SourcePath, `\`, "/"), strings.TrimPrefix(name, "./"))
		if fit > best {
			best, found = fit, nil
		}
		if fit == best && len(found) < maxMeant {
			found = append(found, m)
		}
	}
	return found
}

func fitOf(source, name string) int {
	switch {
	case source == "":
		return otherName
	case source == name:
		return wholePath
	case strings.HasSuffix(name, "/"+source), strings.HasSuffix(source, "/"+name):
		return samePath
	case path.Base(source) == path.Base(name):
		return sameName
	}
	return otherName
}

// byNode returns at most three nodes with an id, of different resources.
func byNode(ctx context.Context, lib *citekit.Library, id string) (found []Part) {
	if id == "" {
		return nil
	}
	for m := range maps(ctx, lib, maxMaps, maxNodes) {
		n := m.Node(id)
		if n == nil {
			continue
		}
		if found = append(found, Part{Map: m, Node: n, Address: m.Address(n)}); len(found) == maxMeant {
			break
		}
	}
	return found
}
