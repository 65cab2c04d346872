package reanchor

import (
	"context"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/workspace"
)

// wholeVersion is the number of digits of a full version.
const wholeVersion = 64

// freshFor is how long a list of versions is used before it is made again.
const freshFor = time.Second

// versions finds the full hash of a version from the first digits in an
// address, among the versions that the workspace keeps.
type versions struct {
	lib *citekit.Library

	mu   sync.Mutex
	made time.Time
	kept map[string][]string // by resource
	seen map[string]string   // the version last met of each resource
}

// saw notes the present version of a resource. After another one the list is made
// again, as the version before may have been kept since.
func (v *versions) saw(resource, hash string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if before, ok := v.seen[resource]; ok && before != hash {
		v.kept = nil
	}
	if v.seen == nil {
		v.seen = make(map[string]string)
	}
	v.seen[resource] = hash
}

// whole returns the hash that begins with some digits. If no kept version
// begins with these digits, or several do, the error matches [fs.ErrNotExist].
func (v *versions) whole(ctx context.Context, resource, digits string) (string, error) {
	if len(digits) == wholeVersion {
		return digits, nil
	}
	all, err := v.of(ctx, resource)
	if err != nil {
		return "", err
	}
	found := slices.DeleteFunc(all, func(hash string) bool { return !strings.HasPrefix(hash, digits) })
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return "", fmt.Errorf("no text is kept of version %.12s: %w", digits, fs.ErrNotExist)
	}
	return "", fmt.Errorf("%d versions that are kept begin with %s; cite more digits: %w", len(found), digits, fs.ErrNotExist)
}

// of returns the hashes of the versions of a resource that something is kept of,
// each once.
func (v *versions) of(ctx context.Context, resource string) ([]string, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.kept == nil || time.Since(v.made) > freshFor {
		if err := v.list(ctx); err != nil {
			return nil, err
		}
	}
	all := slices.Clone(v.kept[resource])
	slices.Sort(all)
	return slices.Compact(all), nil
}

func (v *versions) list(ctx context.Context) error {
	keeper, ok := v.lib.Workspace().(workspace.Deleter)
	if !ok {
		v.kept = map[string][]string{}
		return nil
	}
	kept := make(map[string][]string)
	for k, err := range keeper.Kept(ctx) {
		if err != nil {
			return fmt.Errorf("the versions that are kept: %w", err)
		}
		if k.Kind == workspace.KeptEvidence && k.ResourceID != "" && len(k.SourceHash) == wholeVersion {
			kept[k.ResourceID] = append(kept[k.ResourceID], k.SourceHash)
		}
	}
	v.kept, v.made = kept, time.Now()
	return nil
}
