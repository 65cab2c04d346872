package ingest_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/ingest"
	"github.com/citekit/citekit/internal/ctxio"
	"github.com/citekit/citekit/internal/test/linetest"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/workspace"
)

// A lineMapper makes a node of every line of a text, titled by it.
type lineMapper struct {
	linetest.Resolver
	calls atomic.Int32
	maps  func(src *citekit.Source, s *citekit.Draft) error // may change what was found
}

func (m *lineMapper) Map(ctx context.Context, src *citekit.Source, req citekit.MapRequest) (*citekit.Draft, error) {
	m.calls.Add(1)
	data, err := io.ReadAll(src.Reader())
	if err != nil {
		return nil, err
	}
	if bytes.IndexByte(data, 0) >= 0 {
		return nil, fmt.Errorf("binary: %w", citekit.ErrFormat)
	}
	s := &citekit.Draft{Method: "lines"}
	for line := range strings.Lines(string(data)) {
		n := len(s.Nodes) + 1
		s.Nodes = append(s.Nodes, &citekit.Node{
			Title:    strings.TrimSpace(line),
			Type:     "passage",
			Location: citekit.Location{Modality: citekit.Text, Lines: citekit.Range{First: n, Last: n}},
		})
	}
	if req.Progress != nil {
		req.Progress(0.5)
	}
	if m.maps != nil {
		err = m.maps(src, s)
	}
	return s, err
}

// An ingestFixture is a directory with a library that maps texts by lines.
type ingestFixture struct {
	dir    string
	mapper *lineMapper
	lib    *citekit.Library
}

func newIngestFixture(t *testing.T, files map[string]string) *ingestFixture {
	t.Helper()
	f := &ingestFixture{dir: t.TempDir(), mapper: new(lineMapper)}
	for name, content := range files {
		f.write(t, name, content)
	}
	ws, err := workspace.Open(f.dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	f.lib = citekit.New(ws, citekit.Resolvers{citekit.Text: f.mapper}, nil)
	t.Cleanup(func() { f.lib.Close() })
	return f
}

func (f *ingestFixture) write(t *testing.T, name, content string) {
	t.Helper()
	path := filepath.Join(f.dir, filepath.FromSlash(name))
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(content), 0o644)); err != nil {
		t.Fatal(err)
	}
}

// ingest returns a line for each item, such as "mapped a.txt as a: 2".
func (f *ingestFixture) ingest(t *testing.T, opts *ingest.Options, paths ...string) []string {
	t.Helper()
	if len(paths) == 0 {
		paths = []string{"."}
	}
	report, err := ingest.Run(t.Context(), f.lib, paths, opts)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, item := range report.Items {
		line := string(item.Status) + " " + item.Path
		if item.ResourceID != "" && item.Status != ingest.Failed {
			line += " as " + item.ResourceID
		}
		if item.Nodes > 0 {
			line += ": " + strconv.Itoa(item.Nodes)
		}
		if item.Err != nil {
			line += " (" + item.Err.Error() + ")"
		}
		lines = append(lines, line)
	}
	return lines
}

func (f *ingestFixture) want(t *testing.T, got []string, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestIngest(t *testing.T) {
	f := newIngestFixture(t, map[string]string{"a.txt": "one\ntwo\n", "b/a.txt": "three\n", "b/c.txt": "four\nfour\n"})
	f.want(t, f.ingest(t, nil), "mapped a.txt as a: 2", "mapped b/a.txt as b-a: 1", "mapped b/c.txt as c: 2")
	m, err := f.lib.Map(t.Context(), "c")
	if err != nil {
		t.Fatal(err)
	}
	data, err := m.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	created := m.CreatedAt
	if _, err := time.Parse(time.RFC3339, created); err != nil {
		t.Error(err)
	}
	var got, want any
	text := `{"resource_id": "c", "type": "text", "title": "c.txt", "source_path": "b/c.txt", "nodes": [
		{"id": "four", "title": "four", "type": "passage", "location": {"modality": "text", "lines": [1, 1]}, "children": []},
		{"id": "four-2", "title": "four", "type": "passage", "location": {"modality": "text", "lines": [2, 2]}, "children": []}],
		"metadata": {"source_hash": "c1cb5b7aff30f3d18dcd5d74c5b1caaa8a8d6a9ab8cb1d22e8f3ba5d3e4a2c11", "source_size": 10, "mapper": "structure/4", "method": "lines", "lines": 3},
		"created_at": "` + created + `"}`
	if err := errors.Join(json.Unmarshal(data, &got), json.Unmarshal([]byte(text), &want)); err != nil {
		t.Fatal(err)
	}
	hash, _, _ := ctxio.Hash(t.Context(), strings.NewReader("four\nfour\n"))
	want.(map[string]any)["metadata"].(map[string]any)["source_hash"] = hash
	want.(map[string]any)["metadata"].(map[string]any)["map_hash"] = m.Metadata["map_hash"]
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("map (-want +got):\n%s", diff)
	}
	e, err := f.lib.Resolve(t.Context(), "c", "four-2", nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := read(t, e.OutputPath); got != "four\n" {
		t.Errorf("evidence %q", got)
	}
	if problems := ingest.Check(t.Context(), f.lib, m); len(problems) > 0 {
		t.Errorf("problems: %v", problems)
	}
}

func TestIngestAgain(t *testing.T) {
	f := newIngestFixture(t, map[string]string{"a.txt": "one\n", "b.txt": "two\n", "bin": "\x00", "empty.txt": ""})
	skipped := []string{
		"skipped bin (binary: source cannot be read)",
		"skipped empty.txt (empty; there is nothing to cite)",
	}
	f.want(t, f.ingest(t, nil), append([]string{"mapped a.txt as a: 1", "mapped b.txt as b: 1"}, skipped...)...)
	calls := f.mapper.calls.Load()
	f.want(t, f.ingest(t, nil), append([]string{"unchanged a.txt as a: 1", "unchanged b.txt as b: 1"}, skipped...)...)
	if now := f.mapper.calls.Load(); now > calls+1 { // the binary file may be too young to have an identity
		t.Errorf("mapped %d times more", now-calls)
	}
	f.write(t, "a.txt", "one\nand more\n")
	if err := os.Remove(filepath.Join(f.dir, "b.txt")); err != nil {
		t.Fatal(err)
	}
	f.want(t, f.ingest(t, nil), append([]string{"mapped a.txt as a: 2"}, append(skipped, "vanished b.txt as b")...)...)
	f.want(t, f.ingest(t, nil, "b.txt", "a.txt", "none.txt"),
		"vanished b.txt as b", "unchanged a.txt as a: 2", "failed none.txt (source: no such file or directory)")
	f.want(t, f.ingest(t, &ingest.Options{Force: true}, "a.txt"), "mapped a.txt as a: 2")
	f.want(t, f.ingest(t, nil, "bin", "empty.txt"),
		"failed bin (binary: source cannot be read)", "failed empty.txt (empty; there is nothing to cite)")
}

func TestIngestWithoutNotes(t *testing.T) {
	f := newIngestFixture(t, map[string]string{"a.txt": "one\n", "b/a.txt": "two\n", "c/a.txt": "gone\n"})
	f.want(t, f.ingest(t, nil), "mapped a.txt as a: 1", "mapped b/a.txt as b-a: 1", "mapped c/a.txt as c-a: 1")
	if err := errors.Join(os.RemoveAll(filepath.Join(f.dir, ".citekit_output")), os.RemoveAll(filepath.Join(f.dir, "c"))); err != nil {
		t.Fatal(err)
	}
	calls := f.mapper.calls.Load()
	f.want(t, f.ingest(t, nil), "unchanged a.txt as a: 1", "unchanged b/a.txt as b-a: 1", "vanished c/a.txt as c-a")
	if f.mapper.calls.Load() != calls {
		t.Error("mapped again")
	}
}

func TestIngestNeverReplacesOthers(t *testing.T) {
	f := newIngestFixture(t, map[string]string{
		"a.txt": "one\n", "a.md": "other\n", "x/y/a.txt": "1\n", "z/y/a.txt": "2\n", "own.txt": "mine\n", "strange.txt": "s\n",
		".resource_maps/own.json":     `{"resource_id":"own","type":"text","title":"Mine","source_path":"own.txt","nodes":[]}`,
		".resource_maps/strange.json": `{`,
	})
	f.want(t, f.ingest(t, nil),
		"mapped a.md as a: 1", "mapped a.txt as a-txt: 1",
		"skipped own.txt as own (the map 'own' of this source was made by hand; force replaces it: file already exists)",
		"mapped strange.txt as strange-txt: 1", "mapped x/y/a.txt as y-a: 1", "mapped z/y/a.txt as z-y-a: 1")
	f.want(t, f.ingest(t, &ingest.Options{Force: true}, "own.txt"), "mapped own.txt as own: 1")
	f.want(t, f.ingest(t, &ingest.Options{ResourceID: "a"}, "own.txt"),
		"failed own.txt (the map 'a' belongs to another source: file already exists)")
	f.want(t, f.ingest(t, &ingest.Options{ResourceID: "chosen"}, "own.txt"), "copied own.txt as chosen: 1")
	if _, err := ingest.Run(t.Context(), f.lib, []string{"."}, &ingest.Options{ResourceID: "chosen"}); !errors.Is(err, citekit.ErrSyntax) {
		t.Errorf("one id for many: %v", err)
	}
}

func TestIngestKeepsEditedMaps(t *testing.T) {
	f := newIngestFixture(t, map[string]string{"a.txt": "one\n"})
	f.want(t, f.ingest(t, nil), "mapped a.txt as a: 1")
	m, err := f.lib.Map(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	edited := m.Clone()
	edited.Nodes[0].Title = "My own words"
	if err := f.lib.Save(t.Context(), edited); err != nil {
		t.Fatal(err)
	}
	f.want(t, f.ingest(t, nil), "unchanged a.txt as a: 1")
	f.write(t, "a.txt", "two\n")
	f.want(t, f.ingest(t, nil),
		"failed a.txt (the source has changed, and its map 'a' was changed by hand; force replaces it: source has changed)")
	f.want(t, f.ingest(t, &ingest.Options{Force: true}), "mapped a.txt as a: 1")
}

func TestIngestSameBytes(t *testing.T) {
	files := map[string]string{}
	for i := range 20 {
		files[fmt.Sprintf("copy%02d.txt", i)] = "the same\n"
	}
	f := newIngestFixture(t, files)
	report, err := ingest.Run(t.Context(), f.lib, []string{"."}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if calls := f.mapper.calls.Load(); calls != 1 {
		t.Errorf("mapped %d times", calls)
	}
	if report.Count(ingest.Copied) != 19 || report.Count(ingest.Mapped) != 1 {
		t.Errorf("report: %v", report.Items)
	}
	f.write(t, "later.txt", "the same\n")
	f.write(t, "later.md", "the same\n")
	f.want(t, f.ingest(t, nil, "later.txt"), "copied later.txt as later: 1")
	m, err := f.lib.Map(t.Context(), "later")
	if err != nil {
		t.Fatal(err)
	}
	if m.Title != "later.txt" || m.SourcePath != "later.txt" || m.ResourceID != "later" || m.Node("the-same") == nil {
		t.Errorf("copy: %+v", m)
	}
	f.want(t, f.ingest(t, nil, "later.md"), "mapped later.md as later-md: 1") // read in another way
	if calls := f.mapper.calls.Load(); calls != 2 {
		t.Errorf("mapped %d times", calls)
	}
}

// TestIngestOneBadSource checks that a mapper that fails in every way harms
// no other source.
func TestIngestOneBadSource(t *testing.T) {
	f := newIngestFixture(t, map[string]string{"a.txt": "one\n", "b.txt": "panic\n", "c.txt": "outside\n", "d.txt": "error\n", "e.txt": "changes\n", "f.txt": "fine\n"})
	f.mapper.maps = func(src *citekit.Source, s *citekit.Draft) error {
		switch src.Name() {
		case "b.txt":
			panic("a bug")
		case "c.txt":
			s.Nodes[0].Location.Lines = citekit.Range{First: 7, Last: 9}
		case "d.txt":
			return errors.New("no luck")
		case "e.txt":
			time.Sleep(20 * time.Millisecond)
			return os.WriteFile(filepath.Join(f.dir, "e.txt"), []byte("changed by now\n"), 0o644)
		}
		return nil
	}
	f.want(t, f.ingest(t, nil),
		"mapped a.txt as a: 1",
		"failed b.txt (the text resolver failed on this source: a bug)",
		"failed c.txt (node 'outside': lines 7-9 of 2; lines run 1-2: location out of range)",
		"failed d.txt (no luck)",
		"failed e.txt (the source changed while it was being read: source has changed)",
		"mapped f.txt as f: 1")
	ids, err := f.lib.Resources(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"a", "f"}, ids); diff != "" {
		t.Errorf("maps (-want +got):\n%s", diff)
	}
}

func TestIngestCancelled(t *testing.T) {
	sharedtest.NotShort(t)
	const sources = 500 // so many that some are left when the 21st is told
	files := map[string]string{}
	for i := range sources {
		files[fmt.Sprintf("%03d.txt", i)] = strconv.Itoa(i) + "\n"
	}
	f := newIngestFixture(t, files)
	ctx, cancel := context.WithCancel(t.Context())
	opts := &ingest.Options{Each: func(item ingest.Item) {
		if item.Path == "020.txt" {
			cancel()
		}
	}}
	report, err := ingest.Run(ctx, f.lib, []string{"."}, opts)
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v", err)
	}
	mapped := report.Count(ingest.Mapped)
	ids, err := f.lib.Resources(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if mapped < 21 || mapped == sources || len(ids) != mapped {
		t.Errorf("%d reported as mapped, %d maps", mapped, len(ids))
	}
	report, err = ingest.Run(t.Context(), f.lib, []string{"."}, nil)
	if err != nil || report.Count(ingest.Unchanged) != mapped || report.Count(ingest.Mapped) != sources-mapped {
		t.Errorf("again: %v, %v", report.Items, err)
	}
}

func TestIngestProgress(t *testing.T) {
	f := newIngestFixture(t, map[string]string{"a.txt": "one\n", "b.txt": "two\n"})
	var mu sync.Mutex
	var got []ingest.Progress
	var each []string
	opts := &ingest.Options{
		Concurrency: 1,
		Progress: func(p ingest.Progress) {
			mu.Lock()
			defer mu.Unlock()
			got = append(got, p)
		},
		Each: func(item ingest.Item) { each = append(each, item.Path) },
	}
	f.ingest(t, opts)
	at := func(done int, path string, part float64) ingest.Progress {
		return ingest.Progress{Done: done, Total: 2, Path: path, Part: part}
	}
	want := []ingest.Progress{
		at(0, "a.txt", 0), at(0, "a.txt", 0.5), at(1, "a.txt", 1),
		at(1, "b.txt", 0), at(1, "b.txt", 0.5), at(2, "b.txt", 1),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("progress (-want +got):\n%s", diff)
	}
	if !slices.Equal(each, []string{"a.txt", "b.txt"}) {
		t.Errorf("each: %q", each)
	}
}

// TestIngestIDs checks that ids do not depend on what is done first.
func TestIngestIDs(t *testing.T) {
	files := map[string]string{}
	for i := range 30 {
		files[fmt.Sprintf("d%02d/same.txt", i)] = strings.Repeat("x\n", 1+(i*7)%11)
	}
	var first []string
	for range 3 {
		f := newIngestFixture(t, files)
		got := f.ingest(t, &ingest.Options{Concurrency: 8})
		if first == nil {
			first = got
		}
		for i := range got { // which of two equal files is mapped is open
			got[i] = strings.Replace(got[i], "copied", "mapped", 1)
			first[i] = strings.Replace(first[i], "copied", "mapped", 1)
		}
		if diff := cmp.Diff(first, got); diff != "" {
			t.Fatalf("(-first +now):\n%s", diff)
		}
	}
	if first[0] != "mapped d00/same.txt as same: 1" || !strings.HasPrefix(first[1], "mapped d01/same.txt as d01-same: ") {
		t.Errorf("ids: %q", first[:2])
	}
}

// TestIngestTwoProcesses checks that two libraries over one directory do not
// give one id to two sources.
func TestIngestTwoProcesses(t *testing.T) {
	f := newIngestFixture(t, map[string]string{"a/same.txt": "one\n", "b/same.txt": "two\n"})
	ws, err := workspace.Open(f.dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	other := citekit.New(ws, citekit.Resolvers{citekit.Text: new(lineMapper)}, nil)
	defer other.Close()
	var both sync.WaitGroup
	both.Go(func() { ingest.Run(t.Context(), f.lib, []string{"a"}, nil) })
	both.Go(func() { ingest.Run(t.Context(), other, []string{"b"}, nil) })
	both.Wait()
	got := f.ingest(t, nil)
	if len(got) != 2 || !strings.HasPrefix(got[0], "unchanged a/same.txt") || !strings.HasPrefix(got[1], "unchanged b/same.txt") {
		t.Errorf("%q", got)
	}
}

func TestIngestMapper(t *testing.T) {
	f := newIngestFixture(t, map[string]string{"a.txt": "one\n"})
	other := &lineMapper{maps: func(_ *citekit.Source, s *citekit.Draft) error {
		s.Title, s.Method = "A title", "thought"
		s.Nodes[0].ID = "thought"
		s.Metadata = map[string]any{"model": "m", "mapper": "lies"}
		return nil
	}}
	f.want(t, f.ingest(t, nil), "mapped a.txt as a: 1")
	withOther := &ingest.Options{Mapper: other, MapperName: "other/1"}
	f.want(t, f.ingest(t, withOther), "mapped a.txt as a: 1")
	f.want(t, f.ingest(t, withOther), "unchanged a.txt as a: 1")
	f.want(t, f.ingest(t, nil), "unchanged a.txt as a: 1") // not to be lost by the way
	m, err := f.lib.Map(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	if m.Title != "A title" || m.Metadata["mapper"] != "other/1" || m.Metadata["model"] != "m" || m.Node("thought") == nil {
		t.Errorf("map %+v", m)
	}
}

func TestIngestOptions(t *testing.T) {
	f := newIngestFixture(t, map[string]string{"a.txt": "one\n", "b.txt": "more than ten bytes\n"})
	for _, opts := range []*ingest.Options{{Type: "book"}, {Type: citekit.Virtual}, {Concurrency: -1}, {MaxSourceBytes: -1}, {ResourceID: "a/b"}} {
		if _, err := ingest.Run(t.Context(), f.lib, []string{"."}, opts); !errors.Is(err, citekit.ErrSyntax) {
			t.Errorf("%+v: %v", opts, err)
		}
	}
	f.want(t, f.ingest(t, &ingest.Options{MaxSourceBytes: 10}),
		"mapped a.txt as a: 1", "skipped b.txt (20 bytes; at most 10: too large)")
	f.want(t, f.ingest(t, &ingest.Options{Type: citekit.Document}),
		"failed a.txt (no mapper for document: unsupported operation)", "failed b.txt (no mapper for document: unsupported operation)")
}

func TestIngestNeedsFinder(t *testing.T) {
	lib := citekit.New(plainWorkspace{workspace.NewMemory(nil)}, nil, nil)
	if _, err := ingest.Run(t.Context(), lib, []string{"."}, nil); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("error %v", err)
	}
}

// A plainWorkspace is no Finder.
type plainWorkspace struct{ citekit.Workspace }

func TestIngestItemJSON(t *testing.T) {
	item := ingest.Item{Path: "a", Status: ingest.Failed, Err: fmt.Errorf("bad: %w", citekit.ErrFormat)}
	data, err := json.Marshal(item)
	if want := `{"path":"a","status":"failed","reason":"bad: source cannot be read","code":"INVALID_INPUT"}`; err != nil || string(data) != want {
		t.Errorf("%s, %v", data, err)
	}
}

// BenchmarkIngest maps folders of small files, and again unchanged.
func BenchmarkIngest(b *testing.B) {
	for _, n := range []int{1_000, 10_000} {
		for _, again := range []bool{false, true} {
			b.Run(fmt.Sprintf("files=%d/unchanged=%v", n, again), func(b *testing.B) {
				benchmarkIngest(b, n, again)
			})
		}
	}
}

func benchmarkIngest(b *testing.B, n int, again bool) {
	dir := b.TempDir()
	old := time.Now().Add(-time.Hour)
	for i := range n {
		path := filepath.Join(dir, fmt.Sprintf("d%02d", i%97), fmt.Sprintf("file%d.txt", i))
		err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, fmt.Appendf(nil, "one\ntwo %d\n", i), 0o644), os.Chtimes(path, old, old))
		if err != nil {
			b.Fatal(err)
		}
	}
	time.Sleep(200 * time.Millisecond) // for the files to have identities
	status := ingest.Mapped
	if again {
		status = ingest.Unchanged
		ingestOnce(b, dir, n, ingest.Mapped)
	}
	for b.Loop() {
		if !again {
			b.StopTimer()
			os.RemoveAll(filepath.Join(dir, ".resource_maps"))
			os.RemoveAll(filepath.Join(dir, ".citekit_output"))
			b.StartTimer()
		}
		ingestOnce(b, dir, n, status)
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/float64(n), "µs/file")
}

func ingestOnce(b *testing.B, dir string, n int, want ingest.Status) {
	ws, err := workspace.Open(dir, nil)
	if err != nil {
		b.Fatal(err)
	}
	lib := citekit.New(ws, citekit.Resolvers{citekit.Text: new(lineMapper)}, nil)
	defer lib.Close()
	report, err := ingest.Run(b.Context(), lib, []string{"."}, nil)
	if err != nil {
		b.Fatal(err)
	}
	if got := report.Count(want); got != n {
		b.Fatalf("%d of %d %s; %v", got, n, want, report.Err())
	}
}

// TestIngestBrokenMap checks that a file in the place of a map is reported,
// and replaced only if that is asked for.
func TestIngestBrokenMap(t *testing.T) {
	f := newIngestFixture(t, map[string]string{"a.txt": "one\n", "b.doc": "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\x00"})
	f.want(t, f.ingest(t, nil), "mapped a.txt as a: 1", "skipped b.doc (DOC files are not read; save it as DOCX or PDF: unsupported operation)")
	f.write(t, ".resource_maps/a.json", "{")
	f.want(t, f.ingest(t, nil, "a.txt"), "failed a.txt (its map 'a' cannot be read; force replaces it: invalid syntax)")
	f.write(t, "a.txt", "two\n")
	f.want(t, f.ingest(t, nil, "a.txt"), "failed a.txt (the source has changed, and its map 'a' was changed by hand; force replaces it: source has changed)")
	f.want(t, f.ingest(t, &ingest.Options{Force: true}, "a.txt"), "mapped a.txt as a: 1")
}

// TestIngestOutdated checks that what earlier resolvers made is made again
// once, and that what a person wrote or changed is left alone.
func TestIngestOutdated(t *testing.T) {
	f := newIngestFixture(t, map[string]string{"a.txt": "one\n", "b.txt": "two\n", "own.txt": "mine\n"})
	older := &ingest.Options{Mapper: f.mapper, MapperName: "structure/1"}
	f.want(t, f.ingest(t, older, "a.txt", "b.txt"), "mapped a.txt as a: 1", "mapped b.txt as b: 1")
	edited := f.edit(t, "b", `"title":"two"`, `"title":"My own words"`)
	const own = `{"resource_id":"own","type":"text","title":"","source_path":"own.txt","nodes":[]}`
	f.write(t, ".resource_maps/own.json", own)

	byHand := "skipped own.txt as own (the map 'own' of this source was made by hand; force replaces it: file already exists)"
	f.want(t, f.ingest(t, nil), "mapped a.txt as a: 1", "unchanged b.txt as b: 1", byHand)
	if f.readMap(t, "b") != edited || f.readMap(t, "own") != own {
		t.Error("a map of a person was replaced")
	}
	calls := f.mapper.calls.Load()
	f.want(t, f.ingest(t, nil), "unchanged a.txt as a: 1", "unchanged b.txt as b: 1", byHand)
	if now := f.mapper.calls.Load(); now != calls {
		t.Errorf("mapped %d times more", now-calls)
	}
}

// TestMissingPath checks where the failure of a path that does not exist is, and
// that of no paths.
func TestMissingPath(t *testing.T) {
	lib := citekit.New(workspace.NewMemory(nil), citekit.Resolvers{citekit.Text: new(lineMapper)}, nil)
	defer lib.Close()
	report, err := ingest.Run(t.Context(), lib, []string{"none.txt"}, nil)
	if err != nil || !errors.Is(report.Err(), fs.ErrNotExist) {
		t.Errorf("a missing path: %v, and in the report %v", err, report.Err())
	}
	if report, err = ingest.Run(t.Context(), lib, nil, nil); !errors.Is(err, citekit.ErrSyntax) || report == nil {
		t.Errorf("no paths: %v", err)
	}
}
