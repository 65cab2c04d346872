// Package member has what the resolvers of containers, such as archives, share.
// It makes the error for a missing member, counts how deep members are nested,
// and copies members into memory or a temporary file to read them.
package member

import (
	"context"
	"fmt"
	"iter"
	"path"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/message"
)

const (
	maxSuggested = 3
	leastEdit    = 2 // difference allowed between any two names
)

// Missing returns the error, matching [citekit.ErrRange], for a member that is
// not among the names. The error suggests names with the same last element,
// else similar ones.
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
	like := message.Closest(name, plain, maxSuggested, leastEdit)
	if len(same) > 0 {
		return same
	}
	return like
}

type depthKey struct{}

// Depth returns how many members enclose the source being read, as counted by
// [Deeper].
func Depth(ctx context.Context) int {
	depth, _ := ctx.Value(depthKey{}).(int)
	return depth
}

// Deeper returns the context for reading a member. At a depth of
// [selector.MaxMemberDepth], no further member is opened, because an archive may
// contain itself.
func Deeper(ctx context.Context) context.Context {
	return context.WithValue(ctx, depthKey{}, Depth(ctx)+1)
}
