package command

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/citekit/citekit"
)

// pinDigits is how many hex digits of the SHA-256 of a source go into an address that
// names its version, as with cite --pin, or whose resource id is only a file name.
const pinDigits = 16

// findSource reads word as a source of a store, perhaps with "#" and a fragment, as
// findFile does with files.
func findSource(ctx context.Context, lib *citekit.Library, word string) (part filePart, ok bool) {
	for end := len(word); end > 0; end = strings.LastIndexByte(word[:end], '#') {
		if src, err := lib.Workspace().OpenSource(ctx, word[:end]); err == nil {
			src.Close()
			return filePart{name: word[:end], path: word[:end], fragment: strings.TrimPrefix(word[end:], "#")}, true
		}
	}
	return filePart{}, false
}

// resolveFile resolves part of a file without a map. The address pins the version of
// the file if that is known, because the resource id is only a name.
func resolveFile(ctx context.Context, lib *citekit.Library, part filePart, opts citekit.ResolveOptions) (found, error) {
	loc, version, err := parseFragment(part.fragment)
	if err != nil {
		return found{}, err
	}
	opts.Version = version
	if opts.Doubt = part.kind == ""; part.kind != "" && loc.Member == "" {
		loc.Modality = part.kind
	}
	e, err := lib.ResolveFile(ctx, part.path, loc, &opts)
	if err != nil {
		return found{}, namingFile(part, err)
	}
	if err := checkTime(e.Address, loc, part.fragment); err != nil {
		return found{}, err
	}
	if e.Address.Version == "" && e.SourceHash != "" {
		e.Address.Version = e.SourceHash[:pinDigits]
	}
	return found{Evidence: e, file: part.name, path: part.path}, nil
}

// namingFile rewrites an error about a file without a map to name the file as the
// person did, not by an id that nobody has seen.
func namingFile(part filePart, err error) error {
	var failed *citekit.ResolveError
	if !errors.As(err, &failed) {
		return err
	}
	name := part.name
	if part.fragment != "" {
		name += "#" + part.fragment
	}
	return fmt.Errorf("%s %s: %w", failed.Op, name, failed.Err)
}
