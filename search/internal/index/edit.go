package index

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/search/internal/index/internal/segment"
)

// An edit is a manifest that is being changed. It does not include lost
// segments.
type edit struct {
	records []segmentRecord
	held    []*heldSegment // nil for added segments
	dead    [][]int
}

func (s *snapshot) edit() *edit {
	e := new(edit)
	for i, h := range s.segments {
		if h != nil {
			e.records = append(e.records, s.manifest.segments[i])
			e.held = append(e.held, h)
			e.dead = append(e.dead, slices.Clone(s.dead[i]))
		}
	}
	return e
}

// outdate marks everything that segments hold of a resource as outdated. It reports
// whether they hold anything.
func (e *edit) outdate(id string) (had bool) {
	for i, h := range e.held {
		if h == nil {
			continue
		}
		for n := range h.data.FindResource(id) {
			had = e.kill(i, n) || had
		}
	}
	return had
}

// kill marks a resource of a segment as outdated, unless it is.
func (e *edit) kill(i, n int) bool {
	at, is := slices.BinarySearch(e.dead[i], n)
	if !is {
		e.dead[i] = slices.Insert(e.dead[i], at, n)
	}
	return !is
}

func (e *edit) add(records []segmentRecord) {
	for _, r := range records {
		e.records, e.held, e.dead = append(e.records, r), append(e.held, nil), append(e.dead, nil)
	}
}

func (e *edit) remove(i int) {
	e.records = slices.Delete(e.records, i, i+1)
	e.held = slices.Delete(e.held, i, i+1)
	e.dead = slices.Delete(e.dead, i, i+1)
}

// manifest returns the changed manifest. It leaves out segments that hold only
// outdated entries.
func (e *edit) manifest() manifest {
	all := make([]segmentRecord, 0, len(e.records))
	for i, r := range e.records {
		if len(e.dead[i]) == r.Resources && r.Resources > 0 {
			continue
		}
		if dead := appendNumbers(nil, e.dead[i]); !bytes.Equal(dead, r.Dead) {
			r.Dead, r.part = dead, nil
		}
		all = append(all, r)
	}
	return arrange(all)
}

// change replaces the manifest by the result of f. If another process or
// goroutine replaces it concurrently, change calls f again on the new manifest.
func (l *Local) change(ctx context.Context, f func(*edit) error) error {
	for {
		s, err := l.acquire(ctx, 0)
		if err != nil {
			return err
		}
		if s.parts != nil {
			s.release()
			return errResharded
		}
		err = l.changeOnce(ctx, s, f)
		s.release()
		if !errors.Is(err, citekit.ErrConflict) {
			return err
		}
	}
}

func (l *Local) changeOnce(ctx context.Context, s *snapshot, f func(*edit) error) error {
	e := s.edit()
	if err := f(e); err != nil {
		return err
	}
	added, m, root, err := l.fit(ctx, e)
	if err == nil {
		err = l.write(ctx, s, &m, root)
	}
	if err != nil {
		l.discard(ctx, added)
		return err
	}
	l.remove(ctx, notIn(s.manifest.segments, &m))
	return nil
}

// write replaces the manifest of a snapshot, and deletes other notes.
func (l *Local) write(ctx context.Context, s *snapshot, m *manifest, root []byte, others ...citekit.NoteChange) error {
	changes, err := l.changes(m, &s.manifest, root, s.stamp)
	if err != nil {
		return err
	}
	stamps := make([]citekit.Stamp, 1)
	if changes = append(changes, others...); len(changes) == 1 {
		stamps[0], err = l.store.WriteNoteIf(ctx, manifestKind, l.name, root, s.stamp)
	} else {
		stamps, err = l.store.ChangeNotes(ctx, manifestKind, changes)
	}
	if conflict, ok := errors.AsType[*citekit.NoteConflictError](err); ok && !slices.Contains(conflict.Names, l.name) {
		l.distrust() // a part is not as it was read
	}
	if err != nil {
		l.lookAgain() // it may have been written
		return fmt.Errorf("search: write the manifest: %w", err)
	}
	var now citekit.Stamp
	for i, c := range changes {
		if c.Name == l.name {
			now = stamps[i]
		} else if p := m.part(strings.TrimPrefix(c.Name, l.partName(""))); p != nil {
			p.stamp = stamps[i]
		}
	}
	l.adopt(ctx, *m, change{s.stamp, now})
	return nil
}

// fit returns the changed manifest and its root. If it is too large, fit rewrites
// the segments with the most outdated resources, and returns the new ones too.
func (l *Local) fit(ctx context.Context, e *edit) (added []segmentRecord, m manifest, root []byte, err error) {
	for {
		m = e.manifest()
		if root, err = m.encode(); !errors.Is(err, citekit.ErrTooLarge) {
			return added, m, root, err
		}
		most := 0
		for i := range e.dead {
			if len(e.dead[i]) > len(e.dead[most]) {
				most = i
			}
		}
		if len(e.dead[most]) == 0 {
			return added, m, nil, err
		}
		r, err := l.mergeViews(ctx, []segment.View{segment.NewView(e.held[most].data, e.dead[most])})
		if err != nil {
			return added, m, nil, err
		}
		added = append(added, r)
		e.records[most], e.held[most], e.dead[most] = r, nil, nil
	}
}

// mergeViews stores one segment with the current entries of several.
func (l *Local) mergeViews(ctx context.Context, views []segment.View) (segmentRecord, error) {
	r, err := l.storeSegment(ctx, func(w io.Writer) error { return segment.Merge(ctx, w, views) })
	for _, v := range views {
		r.Entries += v.Docs()
		r.Resources += v.Resources()
	}
	return r, err
}

// adopt makes a manifest that was just written the one to search. If that
// fails, the next search tries again.
func (l *Local) adopt(ctx context.Context, m manifest, c change) {
	l.mu.Lock()
	if len(l.own) == maxOwn {
		l.own = l.own[1:]
	}
	l.own = append(l.own, c)
	old := l.holding()
	l.mu.Unlock()
	var next *snapshot
	if old != nil && old.stamp == c.before {
		next, _ = l.loadSnapshot(context.WithoutCancel(ctx), m, c.after, old, func() {})
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.adopted++
	if next != nil && l.now != nil && l.now.stamp == c.before && !l.closed {
		l.replace(next)
		next = nil
	} else {
		l.checked = time.Time{}
	}
	for _, s := range []*snapshot{old, next} {
		if s != nil {
			s.release()
		}
	}
}

// notIn returns the records that a manifest does not name.
func notIn(records []segmentRecord, m *manifest) []segmentRecord {
	keys := m.keys()
	return slices.DeleteFunc(slices.Clone(records), func(r segmentRecord) bool { return keys[r.Key] })
}
