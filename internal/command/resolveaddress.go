package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/citekit/citekit"
)

// resolveFragment resolves the part of a resource that a fragment selects, or its
// whole source if there is no fragment.
func resolveFragment(ctx context.Context, lib *citekit.Library, id, fragment string, opts *citekit.ResolveOptions) (found, error) {
	m, err := lib.Map(ctx, id)
	if err != nil {
		return found{}, err
	}
	loc, version, err := parseFragment(fragment)
	if err != nil {
		return found{}, err
	}
	a := citekit.Address{Resource: id, Location: loc, Version: version}
	if err := checkTime(m.Address(nil), loc, fragment); err != nil {
		return found{}, err
	}
	switch {
	case loc.Member != "" && opts.Virtual:
		a.Location.Modality = m.ModalityOf(loc) // if that is unknown, the member is looked at
		return resolveAddress(ctx, lib, a, opts)
	case loc.Member != "":
		return resolveMember(ctx, lib, a, m, opts)
	}
	if a.Location.Modality = m.Type; a.Location.Validate() != nil {
		return found{}, wrongScheme(m, loc, version)
	}
	return resolveAddress(ctx, lib, a, opts)
}

// checkTime returns the error of a fragment that is everything, such as "t=0-", for
// what has no time.
func checkTime(whole citekit.Address, loc citekit.Location, fragment string) error {
	if !loc.IsWhole() || !strings.HasPrefix(fragment, "t=") && !strings.Contains(fragment, "&t=") {
		return nil
	}
	_, err := citekit.ParseAddress(citekit.Address{Resource: whole.Resource, Location: whole.Location}.String() + "#t=0-")
	return err
}

// resolveMember resolves part of a member of an archive, whose modality is that of
// the member: the first one that the member has and that allows the selector.
func resolveMember(ctx context.Context, lib *citekit.Library, a citekit.Address, m *citekit.ResourceMap, opts *citekit.ResolveOptions) (found, error) {
	var failed error
	for _, modality := range append([]citekit.Modality{m.Type}, lib.Modalities()...) {
		if a.Location.Modality = modality; a.Location.Validate() != nil {
			continue
		}
		e, err := resolveAddress(ctx, lib, a, opts)
		if err == nil || !errors.Is(err, errors.ErrUnsupported) {
			return e, err
		}
		failed = cmp.Or(failed, err)
	}
	if failed == nil {
		failed = wrongScheme(m, a.Location, a.Version)
	}
	return found{}, failed
}

// adviseAddress returns a better error for an address that cannot be parsed, if what
// it seems to name exists.
func adviseAddress(ctx context.Context, lib *citekit.Library, word string, err error) error {
	scheme, rest, _ := strings.Cut(word, "://")
	escaped, fragment, _ := strings.Cut(rest, "#")
	id, escapeErr := url.PathUnescape(escaped)
	if escapeErr != nil || !hasMap(ctx, lib, id) {
		return err
	}
	loc, version, parseErr := parseFragment(fragment)
	m, mapErr := lib.Map(ctx, id)
	if parseErr == nil && loc.Member != "" {
		return adviseMember(ctx, lib, citekit.Address{Resource: id, Location: loc, Version: version}, scheme, err)
	}
	if parseErr != nil || mapErr != nil || strings.HasPrefix(citekit.Address{Resource: id, Location: citekit.Location{Modality: m.Type}}.String(), scheme+"://") {
		return err
	}
	return wrongScheme(m, loc, version)
}

// adviseMember is adviseAddress for an address of a part of a member without its
// scheme. If the member cannot be opened, the error says why.
func adviseMember(ctx context.Context, lib *citekit.Library, a citekit.Address, scheme string, err error) error {
	opened, failed := lib.Open(ctx, a)
	if failed != nil {
		return failed
	}
	defer opened.Source.Close()
	if is := opened.Address.Location.Modality; schemeOf(is) != scheme {
		return mismatched{a.Mismatch(is)}
	}
	return err
}

// A mismatched error says which address would be valid for a resource.
type mismatched struct{ error }

func (m mismatched) Unwrap() error { return m.error }

// wrongScheme returns the error for a location that does not fit the type of a
// resource.
func wrongScheme(m *citekit.ResourceMap, loc citekit.Location, version string) error {
	if !m.Type.Valid() {
		return fmt.Errorf("map '%s' has no type that could be addressed; 'citekit check-map %s' says more: %w", m.ResourceID, m.ResourceID, citekit.ErrSyntax)
	}
	return mismatched{citekit.Address{Resource: m.ResourceID, Location: loc, Version: version}.Mismatch(m.Type)}
}

func resolveNode(ctx context.Context, lib *citekit.Library, name nodeName, opts *citekit.ResolveOptions) (found, error) {
	e, err := lib.Resolve(ctx, name.resource, name.node, opts)
	return found{Evidence: e}, withHint(err, "")
}

func resolveAddress(ctx context.Context, lib *citekit.Library, a citekit.Address, opts *citekit.ResolveOptions) (found, error) {
	e, err := lib.ResolveAddress(ctx, a, opts)
	return found{Evidence: e}, withHint(err, a.Version)
}

// withHint adds to an error about a resource the flag that would help. It suggests
// none that ignores a version pinned by the address.
func withHint(err error, pinned string) error {
	switch {
	case errors.Is(err, citekit.ErrStale) && pinned == "":
		return hinted{err, "--allow-stale resolves it all the same"}
	case isOutside(err):
		return hinted{err, "--root DIR allows the files of another directory, 'citekit ingest --allow-outside' allows single files permanently"}
	}
	return err
}

// isOutside reports whether a source was refused because it is outside the roots.
func isOutside(err error) bool {
	var refused interface{ Outside() bool }
	return errors.As(err, &refused) && refused.Outside()
}
