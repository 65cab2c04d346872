// Package member has what the resolvers of sources that hold others share: the
// error for a member that is not there, the depth that they are read to, and
// sources of members that lie in memory or in a file without a name.
package member

import (
	"context"
	"fmt"
	"iter"
	"path"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/suggest"
)

const (
	maxSuggested = 3
	leastEdit    = 2 // that any two names may differ by
)

// Missing returns the error, matching [citekit.ErrRange], for a member that is
// not among the names. It names those that the one asked for may mean: of the
// same last element, else those that look like it.
func Missing(name string, names iter.Seq[string]) error {
	text := "no member '" + message.Clip(name) + "'"
	if like := near(name, names); len(like) > 0 {
		text += "; did you mean '" + strings.Join(like, "', '") + "'?"
	}
	return fmt.Errorf("%s: %w", text, citekit.ErrRange)
}

func near(name string, names iter.Seq[string]) []string {
	var same []string
	plain := func(yield func(string) bool) {
		for n := range names {
			if !message.IsPlain(n) {
				continue
			}
			if len(same) < maxSuggested && strings.EqualFold(path.Base(n), path.Base(name)) {
				same = append(same, n)
			}
			if !yield(n) {
				return
			}
		}
	}
	like := suggest.Closest(name, plain, maxSuggested, leastEdit)
	if len(same) > 0 {
		return same
	}
	return like
}

type depthKey struct{}

// Depth returns how many members the source being read is in, as [Deeper]
// counts.
func Depth(ctx context.Context) int {
	depth, _ := ctx.Value(depthKey{}).(int)
	return depth
}

// Deeper returns the context to read a member with. What has read
// [citekit.MaxMemberDepth] of them does not look into a further one: an archive
// may be in itself.
func Deeper(ctx context.Context) context.Context {
	return context.WithValue(ctx, depthKey{}, Depth(ctx)+1)
}
