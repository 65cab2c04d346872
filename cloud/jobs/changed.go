package jobs

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/ledger"
	"github.com/citekit/citekit/internal/pathpattern"
	"github.com/citekit/citekit/workspace"
)

// Changed adds jobs for sources that may have changed, such as those that a bucket tells
// of. A path is a hint: what is there now decides, so that it does no harm if it comes
// late, twice or for nothing. Paths that a search passes over are passed over. If the
// queue is full, the error matches [ErrFull].
func (q *Queue) Changed(ctx context.Context, ws citekit.Workspace, paths []string) (Added, error) {
	var some []Source
	seen := make(map[string]bool)
	for _, name := range paths {
		if seen[name] || isHidden(name) {
			continue
		}
		seen[name] = true
		now, err := sourceNow(ctx, ws, name)
		if err != nil {
			return Added{}, err
		}
		some = append(some, now...)
		beside, err := recordingsBeside(ctx, ws, name)
		if err != nil {
			return Added{}, err
		}
		for _, name := range beside {
			if seen[name] {
				continue
			}
			seen[name] = true
			now, err := sourceNow(ctx, ws, name)
			if err != nil {
				return Added{}, err
			}
			some = append(some, now...)
		}
	}
	if len(some) == 0 {
		return Added{}, nil
	}
	return q.Add(ctx, some, Fresh, 0)
}

// sourceNow returns the source at a path as it is, unless it has a map of this version;
// or, if it is gone and has a map, without an identity.
func sourceNow(ctx context.Context, ws citekit.Workspace, name string) ([]Source, error) {
	c, err := candidate(ctx, ws, name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return goneSource(ctx, ws, name)
	case errors.Is(err, citekit.ErrForbidden), errors.Is(err, citekit.ErrSyntax):
		return nil, nil // no path names it
	case err != nil:
		return nil, err
	}
	same, err := unchanged(ctx, ws, c)
	if err != nil || same {
		return nil, err
	}
	return []Source{{c.Path, c.Identity, c.Size}}, nil
}

// candidate returns the one source at a path.
func candidate(ctx context.Context, ws citekit.Workspace, name string) (workspace.Candidate, error) {
	finder, ok := ws.(workspace.Finder)
	if !ok {
		return workspace.Candidate{}, errors.ErrUnsupported
	}
	if pathpattern.Is(name) { // one that is gone would stand for others
		src, err := ws.OpenSource(ctx, name)
		if err != nil {
			return workspace.Candidate{}, err
		}
		src.Close()
	}
	for c, err := range finder.Find(ctx, workspace.FindRequest{Paths: []string{name}}) {
		if err == nil && c.Folder {
			break
		}
		return c, err
	}
	return workspace.Candidate{}, errors.Join(ctx.Err(), fs.ErrNotExist)
}

func goneSource(ctx context.Context, ws citekit.Workspace, name string) ([]Source, error) {
	data, _, err := ws.ReadNote(ctx, ledger.Kind, name)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, citekit.ErrSyntax) || errors.Is(err, citekit.ErrDamaged) {
			err = nil
		}
		return nil, err
	}
	if n, ok := ledger.Parse(data); !ok || n.ID == "" {
		return nil, nil
	}
	return []Source{{Path: name}}, nil
}

// recordingsBeside returns the recordings with maps that a file of subtitles may belong
// to.
func recordingsBeside(ctx context.Context, ws citekit.Workspace, name string) (found []string, err error) {
	dir, base := path.Split(name)
	stem, _, _ := strings.Cut(base, ".")
	l, ok := ws.(Lister)
	if !ok || workspace.CompanionsOf(stem+".mp4", []string{base}) == nil {
		return nil, nil
	}
	for n, err := range l.SourceNotes(ctx, dir+stem+".", dir+stem+".\xff") {
		if err != nil {
			return nil, err
		}
		if beside, ok := strings.CutPrefix(n.Name, dir); ok && workspace.CompanionsOf(beside, []string{base}) != nil {
			found = append(found, n.Name)
		}
	}
	return found, nil
}
