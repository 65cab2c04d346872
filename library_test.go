package citekit_test

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/ingest"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/test/linetest"
	"github.com/citekit/citekit/modality"
	"github.com/citekit/citekit/workspace"
)

type lineResolver = linetest.Resolver

func newFixture(t *testing.T) *linetest.Library {
	t.Helper()
	return linetest.New(t)
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestResolve(t *testing.T) {
	f := newFixture(t)
	e, err := f.Resolve(t.Context(), "poem", "start", nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := read(t, e.OutputPath); got != "one\ntwo\n" {
		t.Errorf("evidence = %q", got)
	}
	if !filepath.IsAbs(e.OutputPath) || !strings.HasPrefix(filepath.Base(e.OutputPath), "poem_start-") {
		t.Errorf("path = %s", e.OutputPath)
	}
	sum := fmt.Sprintf("%x", sha256.Sum256([]byte("one\ntwo\n")))
	if e.Address.String() != "text://poem#lines=1-2" || e.Cached || e.Size != 8 || e.SHA256 != sum {
		t.Errorf("%+v", e)
	}
	again, err := f.Resolve(t.Context(), "poem", "start", nil)
	if err != nil {
		t.Fatal(err)
	}
	if !again.Cached || again.OutputPath != e.OutputPath || again.SHA256 != e.SHA256 || f.Resolver.Calls.Load() != 1 {
		t.Errorf("the second time: %+v after %d extractions", again, f.Resolver.Calls.Load())
	}
}

func TestEvidenceJSON(t *testing.T) {
	f := newFixture(t)
	virtual, err := f.Resolve(t.Context(), "poem", "start", &citekit.ResolveOptions{Virtual: true})
	if err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(virtual)
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"output_path":null,"modality":"text","address":"text://poem#lines=1-2",` +
		`"node":{"id":"start","title":"Start","type":"stanza","location":{"modality":"text","lines":[1,2]}},"resource_id":"poem"}`
	if diff := cmp.Diff(want, string(data)); diff != "" {
		t.Error(diff)
	}
	if n := f.Resolver.Calls.Load(); n != 0 || len(f.Outputs(t)) != 0 {
		t.Errorf("a virtual resolve extracted %d times and left %v", n, f.Outputs(t))
	}
	physical, err := f.Resolve(t.Context(), "poem", "start.first", nil)
	if err != nil {
		t.Fatal(err)
	}
	var fields map[string]any
	if data, err = json.Marshal(physical); err == nil {
		err = json.Unmarshal(data, &fields)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"output_path", "modality", "address", "node", "resource_id", "media_type", "charset", "size", "sha256", "source_hash", "cached"} {
		if fields[name] == nil {
			t.Errorf("no %s in %s", name, data)
		}
	}
}

var modalities = []citekit.Modality{citekit.Document, citekit.Video, citekit.Audio, citekit.Image, citekit.Text, citekit.Virtual}

// TestUnsetLocations: a program with a variable that was not set does not cite all of
// a file.
func TestUnsetLocations(t *testing.T) {
	const unknown = citekit.Modality("")
	f := newFixture(t)
	m, err := f.Map(t.Context(), "poem")
	if err != nil {
		t.Fatal(err)
	}
	for name, loc := range map[string]citekit.Location{
		"line 0; lines count from 1":     unknown.Lines(0, 0),
		"page 0; pages count from 1":     unknown.Pages(0, 0),
		"block 0; blocks count from 1":   unknown.Blocks(0, 0),
		"bbox [0, 0, 0, 0] is empty":     unknown.Region(0, 0, 0, 0),
		"a sheet without a name":         unknown.Sheet("", ""),
		"a part without a number":        unknown.Part(""),
		"a member without a name":        unknown.Member(""),
		"a member without a name; an em": unknown.Lines(1, 1).In(unknown.Member("").Member),
	} {
		if loc.IsWhole() {
			t.Errorf("%s: all of a resource", name)
		}
		own := loc
		for _, m := range []citekit.Modality{citekit.Text, citekit.Document, citekit.Image} {
			if own.Modality = m; own.Validate() == nil {
				t.Errorf("%s: a valid %s location", name, m)
			}
		}
		_, byFile := f.ResolveFile(t.Context(), m.SourcePath, loc, nil)
		_, byAddress := f.ResolveAddress(t.Context(), citekit.Address{Resource: "poem", Location: loc}, nil)
		_, virtual := f.ResolveAddress(t.Context(), citekit.Address{Resource: "poem", Location: loc}, &citekit.ResolveOptions{Virtual: true})
		for how, err := range map[string]error{"ResolveFile": byFile, "ResolveAddress": byAddress, "virtual": virtual} {
			foreign := err != nil && (strings.Contains(err.Error(), "location cannot have") || strings.Contains(err.Error(), "is a text: use"))
			if !foreign && (!errors.Is(err, citekit.ErrSyntax) || !strings.Contains(err.Error(), name)) {
				t.Errorf("%s of %s: %v", how, name, err)
			}
		}
	}
	for _, loc := range []citekit.Location{{}, unknown.Seconds(0, 0)} {
		if e, err := f.ResolveFile(t.Context(), m.SourcePath, loc, nil); err != nil || !e.Address.Location.IsWhole() {
			t.Errorf("all of it: %+v, %v", e, err)
		}
	}
}

func TestResolveVirtualNode(t *testing.T) {
	f := newFixture(t)
	e, err := f.Resolve(t.Context(), "poem", "db", nil)
	if err != nil || e.OutputPath != "" || e.Address.String() != "virtual://db/7" {
		t.Errorf("%+v, %v", e, err)
	}
}

func TestResolveErrors(t *testing.T) {
	f := newFixture(t)
	f.Write(t, ".resource_maps/gone.json", `{"resource_id":"gone","type":"text","source_path":"missing.txt","nodes":[{"id":"n","location":{"modality":"text"}}]}`)
	f.Write(t, ".resource_maps/out.json", `{"resource_id":"out","type":"text","source_path":"/etc/passwd","nodes":[{"id":"n","location":{"modality":"text"}}]}`)
	f.Write(t, ".resource_maps/broken.json", `{"resource_id":"broken","nodes":[`)
	f.Write(t, ".resource_maps/other.json", `{"resource_id":"poem","nodes":[]}`)
	f.Write(t, ".resource_maps/bare.json", `{"resource_id":"bare"}`)
	f.Write(t, ".resource_maps/away.json", fmt.Sprintf(`{"resource_id":"away","type":"text","source_path":%q,"nodes":[{"id":"n","location":{"modality":"text"}}]}`, filepath.ToSlash(f.Dir)+"/lost/away.txt"))
	tests := []struct {
		resource, node string
		code           string
		want           string
	}{
		{"poem", "beyond", message.CodeInvalidInput, "citekit: resolve text://poem#lines=3-9: lines 3-9 of 4; lines run 1-4"},
		{"poem", "odd", message.CodeInvalidInput, "citekit: resolve poem.odd: lines [3, 2] end before they begin"},
		{"poem", "strat", message.CodeNotFound, "no node 'strat'; did you mean 'start'?"},
		{"poem", "photo", message.CodeUnsupported, "no resolver for image"},
		{"poen", "start", message.CodeNotFound, "no resource 'poen'; its map would be .resource_maps/poen.json; did you mean 'poem'"},
		{"../poem", "start", message.CodeInvalidInput, "looks like a path"},
		{"", "start", message.CodeInvalidInput, "resource id is empty"},
		{"gone", "n", message.CodeNotFound, "citekit: resolve text://gone: its source 'missing.txt' is gone; put it back, or map it where it is now"},
		{"away", "n", message.CodeNotFound, "citekit: resolve text://away: its source 'away.txt' is gone"}, // where it was is not told
		{"out", "n", message.CodeForbidden, "citekit: resolve text://out: "},
		{"broken", "n", message.CodeInvalidInput, "map 'broken': not JSON: line 1"},
		{"other", "n", message.CodeInvalidInput, "its resource_id is 'poem'"},
		{"bare", "n", message.CodeNotFound, "no node 'n'"},
	}
	for _, test := range tests {
		_, err := f.Resolve(t.Context(), test.resource, test.node, nil)
		if code := citekit.CodeOf(err); code != test.code || !strings.Contains(fmt.Sprint(err), test.want) {
			t.Errorf("resolve %s.%s: %s %v; want %s %q", test.resource, test.node, code, err, test.code, test.want)
		}
		var resolveError *citekit.ResolveError
		if !errors.As(err, &resolveError) {
			t.Errorf("resolve %s.%s: %T is no *ResolveError", test.resource, test.node, err)
		}
		if strings.Contains(fmt.Sprint(err), f.Dir) || strings.Contains(fmt.Sprint(err), "passwd") {
			t.Errorf("resolve %s.%s: the error has a path: %v", test.resource, test.node, err)
		}
	}
	if left := f.Outputs(t); len(left) != 0 {
		t.Errorf("failed resolves left %v", left)
	}
	if _, err := f.Resolve(t.Context(), "poem", "start", &citekit.ResolveOptions{Mode: "fast"}); citekit.CodeOf(err) != message.CodeInvalidInput {
		t.Errorf("mode fast: %v", err)
	}
}

func TestFailedExtractionLeavesNothing(t *testing.T) {
	for name, spoil := range map[string]func(*lineResolver){
		"error while reading": func(r *lineResolver) {
			r.Body = func(b io.ReadCloser) io.ReadCloser {
				return io.NopCloser(io.MultiReader(io.LimitReader(b, 3), errorReader{}))
			}
		},
		"shorter than declared": func(r *lineResolver) { r.Size = func(n int64) int64 { return n + 1 } },
		"longer than declared":  func(r *lineResolver) { r.Size = func(n int64) int64 { return n - 1 } },
		"panic":                 func(r *lineResolver) { r.Before = func(context.Context) error { panic("boom") } },
		"no body":               func(r *lineResolver) { r.Body = func(io.ReadCloser) io.ReadCloser { return nil } },
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			spoil(f.Resolver)
			if e, err := f.Resolve(t.Context(), "poem", "start", nil); err == nil {
				t.Fatalf("no error, but %+v", e)
			}
			if left := f.Outputs(t); len(left) != 0 {
				t.Errorf("left %v", left)
			}
			f.Resolver.Before, f.Resolver.Body, f.Resolver.Size = nil, nil, nil
			e, err := f.Resolve(t.Context(), "poem", "start", nil)
			if err != nil || e.Cached || read(t, e.OutputPath) != "one\ntwo\n" {
				t.Errorf("afterwards: %+v, %v", e, err)
			}
		})
	}
}

type errorReader struct{}

func (errorReader) Read([]byte) (int, error) { return 0, errors.New("broken pipe") }

func TestStale(t *testing.T) {
	f := newFixture(t)
	sum := strings.Repeat("0", 64)
	f.Write(t, ".resource_maps/hashed.json", `{"resource_id":"hashed","type":"text","source_path":"poem.txt","metadata":{"source_hash":"`+sum+`"},
		"nodes":[{"id":"n","location":{"modality":"text","lines":[1,1]}}]}`)
	if _, err := f.Resolve(t.Context(), "hashed", "n", nil); citekit.CodeOf(err) != message.CodeStale {
		t.Errorf("a wrong hash: %v", err)
	}
	f.Write(t, ".resource_maps/odd.json", `{"resource_id":"odd","type":"text","source_path":"poem.txt","metadata":{"source_hash":"sha256:zz"},
		"nodes":[{"id":"n","location":{"modality":"text","lines":[1,1]}}]}`)
	if _, err := f.Resolve(t.Context(), "odd", "n", nil); citekit.CodeOf(err) != message.CodeInvalidInput || !strings.Contains(err.Error(), "metadata.source_hash") {
		t.Errorf("no hash at all: %v", err)
	}
	e, err := f.Resolve(t.Context(), "hashed", "n", &citekit.ResolveOptions{AllowStale: true})
	if err != nil || !e.Stale || read(t, e.OutputPath) != "one\n" {
		t.Errorf("allowed: %+v, %v", e, err)
	}
	f.Write(t, ".resource_maps/hashed.json", `{"resource_id":"hashed","type":"text","source_path":"poem.txt","metadata":{"source_hash":"`+strings.ToUpper(e.SourceHash)+`","source_size":18},
		"nodes":[{"id":"n","location":{"modality":"text","lines":[1,1]}}]}`)
	if e, err := f.Resolve(t.Context(), "hashed", "n", nil); err != nil || e.Stale {
		t.Errorf("the right hash: %+v, %v", e, err)
	}
	if _, err := f.ResolveAddress(t.Context(), parse(t, "text://poem#lines=1-1&v="+e.SourceHash[:8]), nil); err != nil {
		t.Errorf("pinned to the right version: %v", err)
	}
	_, err = f.ResolveAddress(t.Context(), parse(t, "text://poem#lines=1-1&v=00000000"), &citekit.ResolveOptions{AllowStale: true})
	if citekit.CodeOf(err) != message.CodeStale {
		t.Errorf("pinned to another version: %v", err)
	}
}

// TestStaleWithoutHash checks that a map without a hash is held to the source
// it was first used with, until the map itself is written again.
func TestStaleWithoutHash(t *testing.T) {
	f := newFixture(t)
	first, err := f.Resolve(t.Context(), "poem", "start", nil)
	if err != nil {
		t.Fatal(err)
	}
	f.Write(t, "poem.txt", "uno\ndos\ntres\ncuatro")
	if _, err := f.Resolve(t.Context(), "poem", "start", nil); citekit.CodeOf(err) != message.CodeStale {
		t.Errorf("after the source changed: %v", err)
	}
	m, err := f.Map(t.Context(), "poem")
	if err != nil {
		t.Fatal(err)
	}
	clone := m.Clone()
	clone.Nodes = clone.Nodes[:1]
	if err := f.Save(t.Context(), clone); err != nil {
		t.Fatal(err)
	}
	e, err := f.Resolve(t.Context(), "poem", "start", nil)
	if err != nil || e.Cached || e.OutputPath == first.OutputPath || read(t, e.OutputPath) != "uno\ndos\n" {
		t.Errorf("after the map was saved: %+v, %v", e, err)
	}
	if got := read(t, first.OutputPath); got != "one\ntwo\n" {
		t.Errorf("the old evidence now holds %q", got)
	}
}

// TestPinSurvivesHashing checks that a source is not taken for another because
// its hash was learnt in between, nor because only its times changed.
func TestPinSurvivesHashing(t *testing.T) {
	f := newFixture(t)
	ws, err := workspace.Open(f.Dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	lib := citekit.New(ws, citekit.Resolvers{citekit.Text: f.Resolver}, &citekit.Options{HashLimit: -1})
	defer lib.Close()
	old := time.Now().Add(-time.Hour) // beyond doubt about the clock
	if err := os.Chtimes(filepath.Join(f.Dir, "poem.txt"), old, old); err != nil {
		t.Fatal(err)
	}
	if _, err := lib.Resolve(t.Context(), "poem", "start", nil); err != nil {
		t.Fatal(err)
	}
	hash := fmt.Sprintf("%x", sha256.Sum256([]byte("one\ntwo\nthree\nfour")))
	if _, err := lib.ResolveAddress(t.Context(), parse(t, "text://poem#lines=2-2&v="+hash), nil); err != nil {
		t.Errorf("pinned: %v", err)
	}
	if _, err := lib.Resolve(t.Context(), "poem", "start", nil); err != nil {
		t.Errorf("after the source was hashed: %v", err)
	}
	if _, err := f.Resolve(t.Context(), "poem", "start.first", nil); err != nil {
		t.Errorf("by a library that hashes: %v", err)
	}
}

// TestTouchedMapPinsStill checks that a map with the same content holds its
// source to the same version, whatever its times say.
func TestTouchedMapPinsStill(t *testing.T) {
	f := newFixture(t)
	if _, err := f.Resolve(t.Context(), "poem", "start", nil); err != nil {
		t.Fatal(err)
	}
	f.Write(t, "poem.txt", "uno\ndos\ntres\ncuatro")
	data := read(t, filepath.Join(f.Dir, ".resource_maps/poem.json"))
	f.Write(t, ".resource_maps/poem.json", data)
	if _, err := f.Resolve(t.Context(), "poem", "start", nil); citekit.CodeOf(err) != message.CodeStale {
		t.Errorf("%v", err)
	}
	f.Write(t, "poem.txt", "one\ntwo\nthree\nfour")
	if e, err := f.Resolve(t.Context(), "poem", "start", nil); err != nil || read(t, e.OutputPath) != "one\ntwo\n" {
		t.Errorf("with the content it had: %v", err)
	}
}

// TestSourceChangesWhileRead checks that evidence is never of two versions.
func TestSourceChangesWhileRead(t *testing.T) {
	f := newFixture(t)
	f.Resolver.Body = func(b io.ReadCloser) io.ReadCloser {
		f.Write(t, "poem.txt", "changed\nin\nbetween")
		return b
	}
	if e, err := f.Resolve(t.Context(), "poem", "start", nil); citekit.CodeOf(err) != message.CodeStale {
		t.Errorf("%+v, %v", e, err)
	}
	if left := f.Outputs(t); len(left) != 0 {
		t.Errorf("left %v", left)
	}
}

func TestEvidenceIsItsOwn(t *testing.T) {
	f := newFixture(t)
	f.Write(t, "a/README.md", "a\nx\n")
	f.Write(t, "b/README.md", "b\nx\n")
	node := func(id string) string {
		return `{"id":"` + id + `","location":{"modality":"text","lines":[1,1]}}`
	}
	f.Write(t, ".resource_maps/x.json", `{"resource_id":"x","type":"text","source_path":"a/README.md","nodes":[`+node("a.b")+`,`+node("a_b")+`,`+node("A.b")+`,`+node("a/b")+`,`+node("é")+`,`+node(`e\u0301`)+`,`+node(strings.Repeat("n", 10_000))+`]}`)
	f.Write(t, ".resource_maps/x_a.json", `{"resource_id":"x_a","type":"text","source_path":"b/README.md","nodes":[`+node("b")+`]}`)
	seen := make(map[string]string)
	for _, ref := range [][2]string{{"x", "a.b"}, {"x", "a_b"}, {"x", "A.b"}, {"x", "a/b"}, {"x", "é"}, {"x", "e\u0301"}, {"x", strings.Repeat("n", 10_000)}, {"x_a", "b"}} {
		e, err := f.Resolve(t.Context(), ref[0], ref[1], nil)
		if err != nil {
			t.Fatalf("%.40q: %v", ref, err)
		}
		name := strings.ToLower(filepath.Base(e.OutputPath))
		if len(name) > 140 || seen[name] != "" {
			t.Errorf("%.40q and %.40q share %s", ref, seen[name], name)
		}
		seen[name] = ref[0] + " " + ref[1]
		want := map[string]string{"x": "a\n", "x_a": "b\n"}[ref[0]]
		if got := read(t, e.OutputPath); got != want {
			t.Errorf("%.40q holds %q", ref, got)
		}
	}
}

func TestConcurrentResolvesShareOneExtraction(t *testing.T) {
	f := newFixture(t)
	release := make(chan struct{})
	f.Resolver.Before = func(ctx context.Context) error {
		<-release
		return nil
	}
	var wg sync.WaitGroup
	paths := make([]string, 32)
	for i := range paths {
		wg.Go(func() {
			e, err := f.Resolve(t.Context(), "poem", "start", nil)
			if err != nil {
				t.Error(err)
				return
			}
			paths[i] = e.OutputPath
		})
	}
	time.Sleep(20 * time.Millisecond) // let them gather; the assertions hold either way
	close(release)
	wg.Wait()
	for _, path := range paths {
		if path != paths[0] {
			t.Errorf("%s and %s", path, paths[0])
		}
	}
	if got := read(t, paths[0]); got != "one\ntwo\n" {
		t.Errorf("evidence = %q", got)
	}
	if n := f.Resolver.Calls.Load(); n != 1 {
		t.Errorf("%d extractions, want 1", n)
	}
}

// TestWaiterSurvivesCancelledLeader checks that a caller who waits for the
// extraction of one who gives up does not fail with it.
func TestWaiterSurvivesCancelledLeader(t *testing.T) {
	f := newFixture(t)
	started := make(chan struct{})
	var once sync.Once
	f.Resolver.Before = func(ctx context.Context) error {
		first := false
		once.Do(func() { first = true; close(started) })
		if !first {
			return nil
		}
		<-ctx.Done()
		return ctx.Err()
	}
	leader, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() {
		if _, err := f.Resolve(leader, "poem", "start", nil); !errors.Is(err, context.Canceled) {
			t.Errorf("leader: %v", err)
		}
	})
	<-started
	wg.Go(func() {
		if e, err := f.Resolve(t.Context(), "poem", "start", nil); err != nil || read(t, e.OutputPath) != "one\ntwo\n" {
			t.Errorf("waiter: %+v, %v", e, err)
		}
	})
	time.Sleep(10 * time.Millisecond) // let it wait; the assertions hold either way
	cancel()
	wg.Wait()
}

func TestResolveTimeout(t *testing.T) {
	f := newFixture(t)
	ws, err := workspace.Open(f.Dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	slow := &lineResolver{Before: func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }}
	lib := citekit.New(ws, citekit.Resolvers{citekit.Text: slow}, &citekit.Options{ExtractTimeout: time.Millisecond})
	defer lib.Close()
	var wg sync.WaitGroup
	for range 8 { // none of those who wait tries again
		wg.Go(func() {
			if _, err := lib.Resolve(t.Context(), "poem", "start", nil); citekit.CodeOf(err) != message.CodeTimeout {
				t.Errorf("%v", err)
			}
		})
	}
	wg.Wait()
}

func TestResolveFileVersion(t *testing.T) {
	f := newFixture(t)
	hash := fmt.Sprintf("%x", sha256.Sum256([]byte("one\ntwo\nthree\nfour")))
	loc := citekit.Location{Modality: citekit.Text, Lines: citekit.Range{First: 1, Last: 1}}
	e, err := f.ResolveFile(t.Context(), "poem.txt", loc, &citekit.ResolveOptions{Version: strings.ToUpper(hash[:8])})
	if err != nil || e.Address.String() != "text://poem#lines=1-1&v="+hash[:8] {
		t.Errorf("%+v, %v", e, err)
	}
	if _, err := f.ResolveFile(t.Context(), "poem.txt", loc, &citekit.ResolveOptions{Version: "00000000"}); citekit.CodeOf(err) != message.CodeStale {
		t.Errorf("another version: %v", err)
	}
	if _, err := f.ResolveFile(t.Context(), "poem.txt", loc, &citekit.ResolveOptions{Version: "new"}); citekit.CodeOf(err) != message.CodeInvalidInput {
		t.Errorf("no version: %v", err)
	}
}

// TestNameDecidesEvidence checks that equal bytes under another name are other
// evidence: the name decides its media type.
func TestNameDecidesEvidence(t *testing.T) {
	f := newFixture(t)
	f.Write(t, "a/notes.md", "x\n")
	f.Write(t, "b/notes.csv", "x\n")
	loc := citekit.Location{Modality: citekit.Text, Lines: citekit.Range{First: 1, Last: 1}}
	first, err := f.ResolveFile(t.Context(), "a/notes.md", loc, nil)
	if err != nil {
		t.Fatal(err)
	}
	if second, err := f.ResolveFile(t.Context(), "b/notes.csv", loc, nil); err != nil || second.Cached || second.OutputPath == first.OutputPath {
		t.Errorf("%+v, %v", second, err)
	}
	if again, err := f.ResolveFile(t.Context(), "a/notes.md", loc, &citekit.ResolveOptions{Mode: citekit.ModeCopy}); err != nil || !again.Cached {
		t.Errorf("the mode means nothing to text: %+v, %v", again, err)
	}
}

func TestLongIDsInErrors(t *testing.T) {
	f := newFixture(t)
	_, err := f.Resolve(t.Context(), "poem", strings.Repeat("x", 1<<20), nil)
	if citekit.CodeOf(err) != message.CodeNotFound || len(err.Error()) > 2000 {
		t.Errorf("%d bytes: %.100v", len(fmt.Sprint(err)), err)
	}
}

func TestResolveAddressAndFile(t *testing.T) {
	f := newFixture(t)
	e, err := f.ResolveAddress(t.Context(), parse(t, "text://poem#lines=3"), nil)
	if err != nil || read(t, e.OutputPath) != "three\n" || e.Node != nil {
		t.Errorf("address: %+v, %v", e, err)
	}
	e, err = f.ResolveAddress(t.Context(), parse(t, "virtual://nowhere/x"), nil)
	if err != nil || e.OutputPath != "" || e.Address.String() != "virtual://nowhere/x" {
		t.Errorf("virtual address: %+v, %v", e, err)
	}
	f.Write(t, "notes/My notes.md", "alpha\nbeta\n")
	loc, _, err := citekit.ParseFragment("lines=2")
	if err != nil {
		t.Fatal(err)
	}
	e, err = f.ResolveFile(t.Context(), "notes/My notes.md", loc, nil)
	if err != nil || read(t, e.OutputPath) != "beta\n" || e.Address.String() != "text://my-notes#lines=2-2" {
		t.Errorf("file: %+v, %v", e, err)
	}
	e, err = f.ResolveFile(t.Context(), "notes/My notes.md", citekit.Location{}, nil)
	if err != nil || read(t, e.OutputPath) != "alpha\nbeta\n" || e.Modality != citekit.Text {
		t.Errorf("whole file: %+v, %v", e, err)
	}
}

func parse(t *testing.T, s string) citekit.Address {
	t.Helper()
	a, err := citekit.ParseAddress(s)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestResourceIDFor(t *testing.T) {
	for name, want := range map[string]string{
		"book.pdf": "book", "/a/b/My talk.mp4": "my-talk", ".bashrc": "bashrc", "a.tar.gz": "a.tar", "..": "file", "": "file",
		"a\x1bb.txt": "a-b", "\xff.md": "file", "\xffa.md": "a", "a\u202eb.txt": "ab", "❤\ufe0f.txt": "file", "\u0301.txt": "file",
		"Smith (2020).pdf": "smith-2020", "fhs-3.0.pdf": "fhs-3.0", "snake_case__name_.py": "snake_case-name", "a...b": "a", "v1. .pdf": "v1",
		"Dr. Who and the Daleks": "dr-who-and-the-daleks", "l'\u00e9t\u00e9.md": "l-été", "l'e\u0301te\u0301.md": "l-été", "日本語 資料.pdf": "日本語-資料",
		"\u212aelvin.txt": "kelvin", "\ufb01le.txt": "file", "Stra\u00dfe.txt": "straße", "ΣΊΣΥΦΟΣ.txt": "σίσυφοσ", "می\u200cخواهم.txt": "میخواهم",
		strings.Repeat("x y ", 100): strings.Repeat("x-y-", 29) + "x-y", "#1 % & ?.txt": "1", "-rf.txt": "rf",
	} {
		if got := ingest.ResourceIDFor(name); got != want {
			t.Errorf("ResourceIDFor(%+q) = %+q, want %+q", name, got, want)
		}
	}
}

// builtIn has no Detector.
var builtIn = citekit.New(nil, nil, nil)

func TestDetect(t *testing.T) {
	for head, want := range map[string]citekit.Modality{
		"%PDF-1.7":                               citekit.Document,
		"junk\n%PDF-1.4\nstartxref\n0\n%%EOF":    citekit.Document,
		"\x89PNG\r\n\x1a\n":                      citekit.Image,
		"BM\x46\x00\x00\x00\x00\x00\x00\x00\x36": citekit.Image,
		"BMW sales were high\n":                  citekit.Text,
		"the wide world\n":                       citekit.Text,
		"# how a PDF begins: %PDF-1.7":           citekit.Text,
		"ID3 tags are old\n":                     citekit.Text,
		"\x89PNG\r\n":                            citekit.Image,
		"\xff\xd8\xff\xe0":                       citekit.Image,
		"GIF89a":                                 citekit.Image,
		"RIFF\x00\x00\x00\x00WEBPVP8 ":           citekit.Image,
		"RIFF\x00\x00\x00\x00WAVEfmt ":           citekit.Audio,
		"RIFF\x00\x00\x00\x00AVI LIST":           citekit.Video,
		"\x00\x00\x00\x0eftypisom\x00\x00":       citekit.Video,
		"\x00\x00\x00\x0eftypM4A \x00\x00":       citekit.Audio,
		"\x00\x00\x00\x0eftypavif\x00\x00":       citekit.Image,
		"\x1a\x45\xdf\xa3\x01":                   citekit.Video,
		"ID3\x04":                                citekit.Audio,
		"fLaC":                                   citekit.Audio,
		"OggS":                                   citekit.Audio,
		"\xff\xfb\x90\x00":                       citekit.Audio,
		"\xff\xfeh\x00i\x00":                     citekit.Text, // UTF-16 with a byte order mark
		"package main\n":                         citekit.Text,
		"":                                       citekit.Text,
		"#EXTM3U\n":                              citekit.Text,
		strings.Repeat("G"+strings.Repeat("\x00", 187), 3): citekit.Video,
	} {
		src := citekit.NewSource(strings.NewReader(head), citekit.SourceInfo{Size: int64(len(head))})
		if got, err := builtIn.Detect(t.Context(), src); got != want || err != nil {
			t.Errorf("Detect(%.20q) = %s, %v, want %s", head, got, err, want)
		}
	}
}

func TestLibraryCheck(t *testing.T) {
	f := newFixture(t)
	m, err := f.Map(t.Context(), "poem")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range ingest.Check(t.Context(), f.Library, m) {
		got = append(got, p.Path+" "+p.Node)
	}
	want := []string{"nodes[2].location odd", "nodes[1].location beyond", "nodes[4].location photo"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	clone := m.Clone()
	clone.SourcePath = "../outside.txt"
	if problems := ingest.Check(t.Context(), f.Library, clone); len(problems) != 2 || !errors.Is(problems[1], citekit.ErrForbidden) {
		t.Errorf("source outside the roots: %v", problems)
	}
}

func TestSaveChecks(t *testing.T) {
	f := newFixture(t)
	bad := &citekit.ResourceMap{ResourceID: "new", Type: citekit.Text, SourcePath: "poem.txt", Nodes: []*citekit.Node{{ID: "a", Location: citekit.Location{Modality: "X"}}}}
	if err := f.Save(t.Context(), bad); !errors.Is(err, citekit.ErrSyntax) || !strings.Contains(err.Error(), "map 'new': nodes[0].location (node 'a')") {
		t.Errorf("%v", err)
	}
	bad.Nodes[0].Location.Modality = citekit.Text
	if err := f.Save(t.Context(), bad); err != nil {
		t.Fatal(err)
	}
	ids, err := f.Resources(t.Context())
	if diff := cmp.Diff([]string{"new", "poem"}, ids); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
	if n, err := f.Node(t.Context(), "new", "a"); err != nil || n.Location.Modality != citekit.Text {
		t.Errorf("%+v, %v", n, err)
	}
	if extent, err := f.Measure(t.Context(), "new"); err != nil || extent.Lines != 4 {
		t.Errorf("Measure = %+v, %v", extent, err)
	}
}

func BenchmarkNode(b *testing.B)           { benchmarkBig(b, false, false) }
func BenchmarkVirtualResolve(b *testing.B) { benchmarkBig(b, true, false) }
func BenchmarkCachedResolve(b *testing.B)  { benchmarkBig(b, false, true) }

func benchmarkBig(b *testing.B, virtual, physical bool) {
	dir := b.TempDir()
	m := &citekit.ResourceMap{ResourceID: "big", Type: citekit.Text, SourcePath: "s.txt"}
	for i := range 10_000 {
		m.Nodes = append(m.Nodes, &citekit.Node{ID: fmt.Sprint("n", i), Type: "s", Location: citekit.Location{Modality: citekit.Text, Lines: citekit.Range{First: 1, Last: 1}}})
	}
	if err := os.WriteFile(filepath.Join(dir, "s.txt"), []byte("one\n"), 0o600); err != nil {
		b.Fatal(err)
	}
	ws, err := workspace.Open(dir, nil)
	if err != nil {
		b.Fatal(err)
	}
	lib := citekit.New(ws, citekit.Resolvers{citekit.Text: new(lineResolver)}, nil)
	defer lib.Close()
	if err := lib.Save(b.Context(), m); err != nil {
		b.Fatal(err)
	}
	i := 0
	for b.Loop() {
		id := fmt.Sprint("n", i%10_000)
		i++
		if physical {
			id = "n7"
		}
		if virtual || physical {
			_, err = lib.Resolve(b.Context(), "big", id, &citekit.ResolveOptions{Virtual: virtual})
		} else {
			_, err = lib.Node(b.Context(), "big", id)
		}
		if err != nil {
			b.Fatal(err)
		}
	}
}

// TestExtentOfOwnModality checks that the bounds which the resolver of a modality
// of one's own sets are those of its locations, and that others are not checked.
func TestExtentOfOwnModality(t *testing.T) {
	two := citekit.Range{First: 1, Last: 2}
	past := citekit.Range{First: 2, Last: 3}
	extent := citekit.Extent{Modality: "chat", Pages: 2, Lines: 2, Blocks: 2, Rows: 2, Parts: 2, Messages: 2, Duration: 2}
	for _, at := range []struct{ inside, outside citekit.Location }{
		{citekit.Location{Message: 2}, citekit.Location{Message: 3}},
		{citekit.Location{Blocks: two}, citekit.Location{Blocks: past}},
		{citekit.Location{Rows: two}, citekit.Location{Rows: past}},
		{citekit.Location{Part: "2"}, citekit.Location{Part: "2-3"}},
		{citekit.Document.Pages(1, 2), citekit.Document.Pages(2, 3)},
		{citekit.Text.Lines(1, 2), citekit.Text.Lines(2, 3)},
		{citekit.Video.Seconds(1, 2), citekit.Video.Seconds(2, 3)},
	} {
		at.inside.Modality, at.outside.Modality = "chat", "chat"
		if err := extent.Check(at.inside); err != nil {
			t.Errorf("%v: %v", at.inside, err)
		}
		if err := extent.Check(at.outside); !errors.Is(err, citekit.ErrRange) {
			t.Errorf("%v: error %v; want ErrRange", at.outside, err)
		}
		if err := (citekit.Extent{Modality: "chat"}).Check(at.outside); err != nil {
			t.Errorf("%v without a bound: %v", at.outside, err)
		}
	}
}

// TestErrorsShowWhatWasGiven checks that an error names the file and the cells as
// the caller gave them.
func TestErrorsShowWhatWasGiven(t *testing.T) {
	lib := citekit.New(workspace.NewMemory(nil), modality.All(), nil)
	defer lib.Close()
	for _, loc := range []citekit.Location{{}, citekit.Text.Lines(1, 2), {Modality: citekit.Text, Lines: citekit.Range{First: 1, Last: 1}}, citekit.Text.Member("a.txt")} {
		_, err := lib.ResolveFile(t.Context(), "in/nofile.txt", loc, nil)
		if !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), " in/nofile.txt: ") {
			t.Errorf("%v: %v", loc, err)
		}
	}
	loc := citekit.Document.Sheet("pets", "a1:Q0")
	if err := loc.Validate(); !errors.Is(err, citekit.ErrSyntax) || !strings.Contains(err.Error(), `cells "a1:Q0" are not in A1 notation`) {
		t.Error(err)
	}
	if got := loc.String(); got != "sheet=pets&cells=a1:Q0" {
		t.Error(got)
	}
	empty := citekit.Extent{Modality: citekit.Document}
	loc = citekit.Document.Pages(1, 1)
	if err := empty.Check(loc); !errors.Is(err, citekit.ErrRange) || !strings.Contains(err.Error(), "page 1 of 0; the source has no pages") {
		t.Error(err)
	}
}
