//go:build unix

package cloud_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/cloud"
	"github.com/citekit/citekit/modality/text"
	"github.com/citekit/citekit/search"
	"github.com/citekit/citekit/workspace"
	"github.com/citekit/citekit/workspace/driver"
)

// A replica searches a workspace.
type replica struct {
	citekit.Workspace
	*search.Searcher
	lib *citekit.Library
}

func newReplica(t testing.TB, ws citekit.Workspace, opts *search.Options) *replica {
	lib := citekit.New(ws, citekit.Resolvers{citekit.Text: new(text.Resolver)}, nil)
	s := search.New(lib, opts)
	t.Cleanup(func() { s.Close() })
	return &replica{ws, s, lib}
}

// replicas returns so many over one store, each with connections of its own, and with its
// sources.
func replicas(t testing.TB, n int, opts *search.Options) (all []*replica, sources *workspace.Memory, url string) {
	url, sources = schema(t)+"&cache="+t.TempDir(), workspace.NewMemory(nil)
	bucket := far{driver.NewMemory()}
	for range n {
		ws, err := cloud.Open(t.Context(), url, &cloud.Options{Bucket: bucket, Sources: sources})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { ws.Close() })
		all = append(all, newReplica(t, ws, opts))
	}
	return all, sources, url
}

// add adds a source of one passage with its map.
func (r *replica) add(t testing.TB, sources *workspace.Memory, id, content string) {
	t.Helper()
	if err := r.addFile(sources, id, []byte(content)); err != nil {
		t.Fatal(err)
	}
}

func (r *replica) addFile(sources *workspace.Memory, id string, content []byte) error {
	sources.AddSource(id+".txt", content)
	return r.lib.Save(context.Background(), &citekit.ResourceMap{
		ResourceID: id, Type: citekit.Text, SourcePath: id + ".txt", Nodes: []*citekit.Node{},
		Metadata: map[string]any{"source_hash": fmt.Sprintf("%x", sha256.Sum256(content))},
	})
}

func (r *replica) found(t testing.TB, query string) (ids []string) {
	t.Helper()
	found, err := r.Search(t.Context(), search.Request{Query: query, TopK: search.MaxTopK})
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range found.Results {
		ids = append(ids, one.ResourceID)
	}
	return ids
}

// What one replica indexes, all find, also after the connections are cut on which they
// hear of changes. Nobody waits for time to pass, but for what the workspace tells.
func TestSearchSeesOthers(t *testing.T) {
	all, sources, url := replicas(t, 3, nil)
	for i, r := range all {
		id := fmt.Sprint("r", i)
		if i == 2 {
			base, _, _ := strings.Cut(url, "&")
			sql(t, base, `SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE query LIKE 'LISTEN%{s}"'`)
		}
		r.add(t, sources, id, "The kettle of "+id+" is here.")
		if err := r.Update(t.Context()); err != nil {
			t.Fatal(err)
		}
		for j, other := range all {
			for {
				changed := other.Workspace.(*cloud.Workspace).Changed()
				if len(other.found(t, "kettle "+id)) == i+1 {
					break
				}
				select {
				case <-changed:
				case <-time.After(3 * time.Minute):
					t.Fatalf("replica %d does not find %s", j, id)
				}
			}
		}
	}
	stats, err := all[0].Stats(t.Context())
	if err != nil || stats.Resources != len(all) || stats.Entries != len(all) {
		t.Errorf("%+v, %v", stats, err)
	}
}

// Four processes that map and index at the same time lose nothing, and nothing is there
// twice. What is found is what is found in memory.
func TestIndexWriters(t *testing.T) {
	const each = 12
	content := func(id string) string {
		return fmt.Sprintf("Shared words of a kettle on a stove. The own word of this text is %s, and no other has it.", id)
	}
	memory := workspace.NewMemory(nil)
	alone := newReplica(t, memory, nil)
	for w := range 4 {
		for i := range each {
			id := fmt.Sprintf("w%dx%d", w, i)
			alone.add(t, memory, id, content(id))
		}
	}
	one, err := alone.Search(t.Context(), search.Request{Query: "kettle own w2x7 stove", TopK: search.MaxTopK})
	if err != nil {
		t.Fatal(err)
	}
	want := one.Results
	for _, shards := range []int{0, 3} {
		all, sources, _ := replicas(t, 4, &search.Options{Shards: shards})
		var wait sync.WaitGroup
		for w, r := range all {
			wait.Go(func() {
				for i := range each {
					id := fmt.Sprintf("w%dx%d", w, i)
					if err := r.addFile(sources, id, []byte(content(id))); err != nil {
						t.Error(err)
					}
					if err := r.Update(t.Context()); err != nil {
						t.Error(err)
					}
				}
			})
		}
		wait.Wait()
		for i, r := range all {
			if err := r.Update(t.Context()); err != nil {
				t.Fatal(err)
			}
			if stats, err := r.Stats(t.Context()); err != nil || stats.Resources != 4*each || stats.Entries != 4*each || stats.Lost > 0 {
				t.Errorf("%d shards, replica %d: %+v, %v", shards, i, stats, err)
			}
			found, err := r.Search(t.Context(), search.Request{Query: "kettle own w2x7 stove", TopK: search.MaxTopK})
			if err != nil {
				t.Fatal(err)
			}
			if len(found.Results) != len(want) {
				t.Fatalf("%d shards, replica %d: %d results, and in memory %d", shards, i, len(found.Results), len(want))
			}
			found.Results[0].Score = want[0].Score // entries that were put twice count until they are merged away
			if !reflect.DeepEqual(found.Results[0], want[0]) {
				t.Errorf("%d shards, replica %d: the first is %+v; in memory %+v", shards, i, found.Results[0], want[0])
			}
		}
	}
}
