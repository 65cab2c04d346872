package archive

import (
	"context"
	"io"
	"iter"
	"path"
	"strings"
	"sync"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/modality/internal/member"
)

// openFolder opens a folder, whose name ends in "/", as an archive of its files.
func (r *Resolver) openFolder(ctx context.Context, l *listing, name string) (*citekit.Source, error) {
	var inside []*entry
	for _, e := range l.entries {
		if e.refusal == nil && strings.HasPrefix(e.name, name) {
			inside = append(inside, e)
		}
	}
	if len(inside) == 0 {
		return nil, member.Missing(name, l.folders())
	}
	body, w := io.Pipe()
	var cutting sync.WaitGroup
	cutting.Go(func() { w.CloseWithError(l.cut(ctx, w, inside)) })
	defer cutting.Wait()
	defer body.Close()
	src, err := r.unpacker().Source(ctx, path.Base(name)+l.cutExt, body, -1)
	return src, known(ctx, err)
}

// folders yields the names of all folders that contain members.
func (l *listing) folders() iter.Seq[string] {
	return func(yield func(string) bool) {
		seen := make(map[string]bool)
		for _, e := range l.entries {
			for i, c := range e.name {
				if c != '/' || e.refusal != nil || seen[e.name[:i+1]] {
					continue
				}
				seen[e.name[:i+1]] = true
				if !yield(e.name[:i+1]) {
					return
				}
			}
		}
	}
}
