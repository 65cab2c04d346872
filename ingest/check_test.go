package ingest_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/ingest"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/modality"
	"github.com/citekit/citekit/workspace"
)

// TestCheck lists the faults of a map, then its warnings, then what its source says.
func TestCheck(t *testing.T) {
	ws := workspace.NewMemory(nil)
	ws.AddSource("r.txt", []byte("one\ntwo\n"))
	lib := citekit.New(ws, modality.All(), nil)
	defer lib.Close()
	m, err := citekit.ParseMap([]byte(`{"resource_id": "r", "title": "R", "type": "text", "source_path": "r.txt", "created_at": "today",
		"metadata": {"source_hash": "` + strings.Repeat("0", 64) + `"},
		"nodes": [
			{"id": "whole", "type": "s", "location": {"modality": "text"}},
			{"id": "a", "type": "s", "location": {"modality": "text", "lines": [1, 1]}, "children": [
				{"id": "b\u202e", "type": "s", "location": {"modality": "text", "lines": [2, 3]}}]},
			{"id": "a", "type": "s", "location": {"modality": "document", "pages": [1, 3]}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range ingest.Check(t.Context(), lib, m) {
		kind := "fault"
		if p.Warning {
			kind = "warning"
		}
		if !errors.Is(p, p.Err) {
			t.Errorf("%v does not match what it is about", p)
		}
		head, _, _ := strings.Cut(p.Error(), ": ")
		got = append(got, kind+" "+head)
	}
	want := []string{
		"fault nodes[2].id (node 'a')",
		"warning created_at",
		"warning nodes[1].children[0].id (node 'b\\u202e')",
		"warning nodes[1].children[0].location (node 'b\\u202e')",
		"warning nodes[2].location.pages (node 'a')",
		"fault metadata.source_hash",
		"fault nodes[1].children[0].location (node 'b\\u202e')",
		"fault nodes[2].location (node 'a')",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	m.SourcePath = "gone.txt"
	all := ingest.Check(t.Context(), lib, m)
	if last := all[len(all)-1]; last.Path != "source_path" || citekit.CodeOf(last) != message.CodeNotFound {
		t.Errorf("of a source that is gone: %v", last)
	}
}

// An index is an Indexer that found something, or not.
type index struct {
	found ingest.Indexed
	err   error
}

func (x index) Index(_ context.Context, progress func(done, of int)) (ingest.Indexed, error) {
	if progress != nil {
		progress(1, 2)
	}
	return x.found, x.err
}

// TestIngestIndex has what was mapped indexed, and says how far that came.
func TestIngestIndex(t *testing.T) {
	f := newIngestFixture(t, map[string]string{"a.txt": "one\n", "b.txt": "two\n"})
	found := ingest.Indexed{Resources: 2, Searchable: 1, Missing: []ingest.NotIndexed{{ResourceID: "b", Path: "b.txt", Begun: true, Err: citekit.ErrTooLarge}}}
	const part = `{"resources":2,"searchable":1,"missing":[{"resource_id":"b","path":"b.txt","begun":true,"reason":"too large","code":"TOO_LARGE"}]`
	full := errors.New("the disk is full")
	for _, test := range []struct {
		index index
		want  string
	}{
		{index{found, nil}, part + `}`},
		{index{found, full}, part + `,"reason":"the index is not up to date: the disk is full","code":"INTERNAL"}`},
	} {
		var mu sync.Mutex
		var seen []ingest.Progress
		progress := func(p ingest.Progress) {
			mu.Lock()
			defer mu.Unlock()
			seen = append(seen, p)
		}
		report, err := ingest.Run(t.Context(), f.lib, []string{"."}, &ingest.Options{
			Index: test.index, Progress: progress,
		})
		if err != nil || report.Index == nil {
			t.Fatal(report, err)
		}
		if !errors.Is(report.Err(), test.index.err) {
			t.Errorf("the report ends with %v, want %v", report.Err(), test.index.err)
		}
		if data, err := json.Marshal(report.Index); err != nil || string(data) != test.want {
			t.Errorf("%s, %v; want %s", data, err, test.want)
		}
		if want := (ingest.Progress{Done: 2, Total: 2, Part: 1, Indexed: 1, ToIndex: 2}); !slices.Contains(seen, want) || seen[len(seen)-1] != want {
			t.Errorf("progress %+v", seen)
		}
	}
}
