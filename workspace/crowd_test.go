package workspace_test

import (
	"context"
	"errors"
	"io/fs"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/citekit/citekit"
)

// TestCrowd has many callers do all that a workspace can at once, which lets
// one write to a folder, list one, or hold notes at a time. Some give up. All
// end, and everything is free afterwards.
func TestCrowd(t *testing.T) {
	each(t, func(t *testing.T, ws citekit.Workspace, _ func(string) ([]byte, error)) {
		finder, deleter := ws.(citekit.Finder), ws.(citekit.Deleter)
		store := func(ctx context.Context, id string) error {
			meta := citekit.EvidenceMeta{Name: "x_lines-" + id + ".txt", Size: -1, Resource: id}
			_, err := ws.StoreEvidence(ctx, strings.Repeat(id, 64), meta, strings.NewReader("evidence of "+id))
			return err
		}
		write := func(ctx context.Context, id string) error { return ws.WriteMap(ctx, id, []byte(`{}`)) }
		operations := map[string]func(ctx context.Context, id string) error{
			"write":          write,
			"store evidence": store,
			"read": func(ctx context.Context, id string) error {
				_, _, err := ws.ReadMap(ctx, id, 1000)
				return err
			},
			"list": func(ctx context.Context, _ string) error {
				_, err := ws.ListMaps(ctx, "", 0)
				return err
			},
			"pin": func(ctx context.Context, id string) error {
				_, err := pin(ctx, ws, id, "guard", "one")
				return err
			},
			"find evidence": func(ctx context.Context, id string) error {
				_, err := ws.FindEvidence(ctx, strings.Repeat(id, 64))
				return err
			},
			"hash a source": func(ctx context.Context, _ string) error {
				src, err := ws.OpenSource(ctx, "docs/poem.txt")
				if err != nil {
					return err
				}
				defer src.Close()
				_, err = src.Hash(ctx)
				return err
			},
			"delete a map": func(ctx context.Context, id string) error {
				stamp, err := ws.StatMap(ctx, id)
				if err != nil {
					return err
				}
				return deleter.DeleteMap(ctx, id, stamp)
			},
			"delete what is kept": func(ctx context.Context, _ string) error {
				for k, err := range deleter.Kept(ctx) {
					if err != nil {
						return err
					}
					if err := deleter.DeleteKept(ctx, k); err != nil { // while it is looked through
						return err
					}
				}
				return nil
			},
			"notes": func(ctx context.Context, _ string) error {
				release, err := finder.LockNotes(ctx, "ingest")
				if err != nil {
					return err
				}
				defer release()
				if err := write(ctx, "d"); err != nil { // while the notes are held
					return err
				}
				return finder.WriteNotes(ctx, "ingest", []byte("notes"))
			},
		}
		var callers sync.WaitGroup
		for name, operation := range operations {
			for i := range 8 {
				callers.Go(func() {
					ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
					givesUp := i%4 == 3
					if givesUp {
						ctx, cancel = context.WithTimeout(t.Context(), time.Duration(i)*200*time.Microsecond)
					}
					defer cancel()
					for range 3 {
						err := operation(ctx, string(rune('a'+i%3)))
						if err != nil && !givesUp && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, citekit.ErrStale) {
							t.Errorf("%s: %v", name, err)
						}
					}
				})
			}
		}
		callers.Wait()
		for _, name := range []string{"write", "store evidence", "list", "pin", "notes"} {
			if err := operations[name](t.Context(), "a"); err != nil {
				t.Errorf("%s, afterwards: %v", name, err)
			}
		}
	})
}
