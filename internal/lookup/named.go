package lookup

import (
	"context"
	"path"
	"strconv"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/lazyregexp"
	"github.com/citekit/citekit/internal/slug"
)

// maxNamed is the longest reference that Named reads, in bytes.
const maxNamed = 256

var (
	placeNamed = lazyregexp.New(`(?i)^(?:at |on |see )?(pages?|pp?\.|slides?|seiten?|s\.|lines?|ll?\.|zeilen?|z\.) ?([1-9][0-9]{0,8})(?: ?[-–—] ?([1-9][0-9]{0,8}))?$`)
	pathLike   = lazyregexp.New(`^[^\s,;:]+\.[A-Za-z0-9]{1,8}$`)
)

// Named returns the address that a reference in a text names in another form: a
// resource, "resource.node", or the name or path of a source, and perhaps a page or
// lines of it, such as "manual.pdf, page 8". It is zero if the reference names
// nothing in the library.
func Named(ctx context.Context, lib *citekit.Library, reference string) citekit.Address {
	reference = strings.Trim(strings.TrimSpace(reference), "`*_")
	if reference == "" || len(reference) > maxNamed || strings.Contains(reference, "://") {
		return citekit.Address{}
	}
	if a := named(ctx, lib, reference); a.Resource != "" {
		return a
	}
	for _, sign := range []string{",", ";", ":", " "} {
		name, place, ok := strings.Cut(reference, sign)
		if !ok {
			continue
		}
		a := named(ctx, lib, strings.Trim(strings.TrimSpace(name), "`*_"))
		if a.Resource == "" || sign == " " && !placeNamed.MatchString(strings.TrimSpace(place)) {
			continue
		}
		if at := a; a.Location.IsWhole() && placed(&at, strings.TrimSpace(place)) {
			return at
		}
		return a
	}
	return citekit.Address{}
}

// named returns the address of a resource, a node or a source, or zero.
func named(ctx context.Context, lib *citekit.Library, name string) citekit.Address {
	name, fragment, _ := strings.Cut(name, "#")
	for resource, node := range readings(name) {
		if !hasMap(ctx, lib, resource) {
			continue
		}
		if p, err := nodePart(ctx, lib, resource, node); err == nil {
			return withFragment(p.Address, fragment)
		}
	}
	if !pathLike.MatchString(strings.ReplaceAll(name, " ", "_")) {
		return citekit.Address{}
	}
	base := path.Base(name)
	for _, resource := range []string{strings.TrimSuffix(base, path.Ext(base)), slug.ForFile(base), slug.File(base)} {
		if !hasMap(ctx, lib, resource) {
			continue
		}
		if m, err := lib.Map(ctx, resource); err == nil && strings.EqualFold(path.Base(m.SourcePath), base) {
			return withFragment(m.Address(nil), fragment)
		}
	}
	return citekit.Address{}
}

// withFragment returns an address with the place that a fragment gives, if it is
// one.
func withFragment(a citekit.Address, fragment string) citekit.Address {
	if fragment == "" {
		return a
	}
	if at, err := citekit.ParseAddress(a.String() + "#" + fragment); err == nil {
		return at
	}
	return a
}

// placed adds the pages or lines that a place gives in words, if the resource has
// such.
func placed(a *citekit.Address, place string) bool {
	m := placeNamed.FindStringSubmatch(place)
	if m == nil {
		return false
	}
	first, _ := strconv.Atoi(m[2])
	last := first
	if m[3] != "" {
		last, _ = strconv.Atoi(m[3])
	}
	loc := citekit.Pages(first, last)
	if unit := strings.ToLower(m[1]); strings.HasPrefix(unit, "l") || strings.HasPrefix(unit, "z") {
		loc = citekit.Lines(first, last)
	}
	loc.Modality = a.Location.Modality
	if loc.Validate() != nil {
		return false
	}
	a.Location = loc
	return true
}
