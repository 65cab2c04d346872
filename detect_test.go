package citekit_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/fstest"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/ingest"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/internal/test/snifftest"
	"github.com/citekit/citekit/workspace"
)

// A taker takes every source as its own.
type taker citekit.Modality

func (k taker) Resolve(_ context.Context, src *citekit.Source, _ citekit.Request) (*citekit.Content, error) {
	return &citekit.Content{Body: io.NopCloser(src.Reader()), Size: src.Size(), MediaType: "x/y", Ext: ".x"}, nil
}

func (k taker) Measure(context.Context, *citekit.Source) (citekit.Extent, error) {
	return citekit.Extent{Modality: citekit.Modality(k)}, nil
}

func (k taker) Map(context.Context, *citekit.Source, citekit.MapRequest) (*citekit.Draft, error) {
	node := &citekit.Node{Title: "all", Type: "whole", Location: citekit.Location{Modality: citekit.Modality(k)}}
	return &citekit.Draft{Nodes: []*citekit.Node{node}, Method: "whole"}, nil
}

// A hollow resolver has nothing to give.
type hollow struct{ taker }

func (hollow) Resolve(context.Context, *citekit.Source, citekit.Request) (*citekit.Content, error) {
	return nil, nil
}

func TestHollowResolver(t *testing.T) {
	ws := workspace.NewMemory(fstest.MapFS{"log.txt": {Data: []byte("start\nstop\n")}})
	lib := citekit.New(ws, citekit.Resolvers{citekit.Text: hollow{taker(citekit.Text)}}, nil)
	defer lib.Close()
	lines := citekit.Text.Lines(1, 1)
	err := lib.Save(t.Context(), &citekit.ResourceMap{ResourceID: "log", Title: "log", SourcePath: "log.txt", Type: citekit.Text, Nodes: []*citekit.Node{{ID: "first", Title: "first", Type: "line", Location: lines}}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := lib.Resolve(t.Context(), "log", "first", nil); err == nil || !strings.Contains(err.Error(), "returned no content") {
		t.Errorf("evidence by it: %v", err)
	}
}

// takers returns a library in which a file is what it was classified as.
func takers(t *testing.T, dir string, extra ...citekit.Modality) *citekit.Library {
	t.Helper()
	ws, err := workspace.Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	resolvers := make(citekit.Resolvers)
	for _, m := range append(extra, citekit.Document, citekit.Video, citekit.Audio, citekit.Image, citekit.Text) {
		resolvers[m] = taker(m)
	}
	lib := citekit.New(ws, resolvers, nil)
	t.Cleanup(func() { lib.Close() })
	return lib
}

// A counter counts how often it is asked to measure and to map.
type counter struct {
	taker
	measured, mapped *atomic.Int32
}

func (c counter) Measure(ctx context.Context, src *citekit.Source) (citekit.Extent, error) {
	c.measured.Add(1)
	return c.taker.Measure(ctx, src)
}

func (c counter) Map(ctx context.Context, src *citekit.Source, req citekit.MapRequest) (*citekit.Draft, error) {
	c.mapped.Add(1)
	return c.taker.Map(ctx, src, req)
}

// fresh is a workspace whose sources were just written, however slow the test is.
type fresh struct{ *workspace.Directory }

func (f fresh) OpenSource(ctx context.Context, path string) (*citekit.Source, error) {
	src, err := f.Directory.OpenSource(ctx, path)
	if err != nil {
		return nil, err
	}
	defer src.Close()
	data, err := io.ReadAll(src.Reader())
	return citekit.NewSource(bytes.NewReader(data), citekit.SourceInfo{Name: src.Name(), Size: src.Size()}), err
}

// TestMeasuredOnce ingests a file that was just written. Nothing of it may be kept
// before it is hashed: what is measured before that would be measured again.
func TestMeasuredOnce(t *testing.T) {
	dir := t.TempDir()
	ws, err := workspace.Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	c := counter{taker(citekit.Image), new(atomic.Int32), new(atomic.Int32)}
	lib := citekit.New(fresh{ws}, citekit.Resolvers{citekit.Image: c}, &citekit.Options{HashLimit: -1})
	defer lib.Close()
	if err := os.WriteFile(filepath.Join(dir, "new.png"), []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"), 0o600); err != nil {
		t.Fatal(err)
	}
	report, err := ingest.Run(t.Context(), lib, []string{"."}, nil)
	if err != nil || report.Err() != nil {
		t.Fatal(err, report.Err())
	}
	if c.measured.Load() != 1 || c.mapped.Load() != 1 {
		t.Errorf("measured %d times, mapped %d times", c.measured.Load(), c.mapped.Load())
	}
}

// TestOneAnswer checks that everyone says the same of every format, and of
// every file of the corpus, if there is one.
func TestOneAnswer(t *testing.T) {
	sharedtest.NotShort(t)
	dir := t.TempDir()
	want := make(map[string]citekit.Modality)
	write := func(name string, data []byte) {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for i, s := range snifftest.All() {
		name := fmt.Sprintf("sample-%03d", i)
		if i%3 == 1 && s.ID != "" && !strings.Contains(s.Name, "cut off") && !strings.Contains(s.Name, "without tables") {
			name += []string{".pdf", ".mp3", ".mp4", ".png", ".txt"}[i%5] // which lies
		}
		write(name, s.Data)
		want[name] = citekit.Modality(s.Kind)
	}
	lib := takers(t, dir)
	report, err := ingest.Run(t.Context(), lib, []string{"."}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(report.Items) != len(want) {
		t.Errorf("%d items for %d files", len(report.Items), len(want))
	}
	for _, item := range report.Items {
		checkAnswers(t, lib, dir, item, want[item.Path])
	}
}

// TestOneAnswerCorpus is TestOneAnswer for real files.
func TestOneAnswerCorpus(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: not with -short")
	}
	dir := sharedtest.Corpus(t, "")
	copied := t.TempDir()
	for _, folder := range []string{"media", "image", "pdf", "text", "docs"} {
		if err := os.CopyFS(filepath.Join(copied, folder), os.DirFS(filepath.Join(dir, folder))); err != nil {
			t.Fatal(err)
		}
	}
	lib := takers(t, copied)
	report, err := ingest.Run(t.Context(), lib, []string{"."}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, item := range report.Items {
		if item.Status != ingest.Skipped {
			checkAnswers(t, lib, copied, item, "")
		}
	}
}

func checkAnswers(t *testing.T, lib *citekit.Library, dir string, item ingest.Item, want citekit.Modality) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(item.Path)))
	if err != nil {
		t.Fatal(err)
	}
	src := citekit.NewSource(bytes.NewReader(data), citekit.SourceInfo{Name: path.Base(item.Path), Size: int64(len(data))})
	alone, err := builtIn.Detect(t.Context(), src)
	if err != nil {
		t.Fatal(err)
	}
	e, err := lib.ResolveFile(t.Context(), item.Path, citekit.Location{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if want == "" {
		want = alone
	}
	if item.Status == ingest.Skipped && item.Err != nil && strings.Contains(item.Err.Error(), " files are not read; save it as ") {
		item.Type = want // it was told, and nothing is said of a text that is none to read
	}
	if item.Type != want || alone != want || e.Modality != want {
		t.Errorf("%s: ingest says %s (%v), Detect %s, ResolveFile %s; want %s", item.Path, item.Type, item.Err, alone, e.Modality, want)
	}
}

// TestExtensionWhereContentSaysNothing checks the order of the classification.
func TestExtensionWhereContentSaysNothing(t *testing.T) {
	for name, want := range map[string]citekit.Modality{
		"a.mp3": citekit.Audio, "a.HEIC": citekit.Image, "a.m2ts": citekit.Video, "a.pdf": citekit.Document, "a.bin": citekit.Text, "a": citekit.Text,
	} {
		for _, content := range []string{"", "\x00\x01\x02"} {
			src := citekit.NewSource(strings.NewReader(content), citekit.SourceInfo{Name: name, Size: int64(len(content))})
			if got, err := builtIn.Detect(t.Context(), src); got != want || err != nil {
				t.Errorf("%s with %q: %s, %v; want %s", name, content, got, err, want)
			}
		}
	}
}

// A ballads resolver is for a modality of its own, which it recognizes.
type ballads struct{ taker }

func (b ballads) Detect(_ context.Context, src *citekit.Source) (bool, error) {
	head := make([]byte, 6)
	if _, err := src.ReadAt(head, 0); err != nil && err != io.EOF {
		return false, err
	}
	return string(head) == "ballad", nil
}

func TestModalityOfOnesOwn(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "song"), []byte("ballad of the sea\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	ws, err := workspace.Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	lib := citekit.New(ws, citekit.Resolvers{citekit.Text: taker(citekit.Text), "ballad": ballads{"ballad"}, "midi": nil}, nil)
	defer lib.Close()
	if got := fmt.Sprint(lib.Modalities()); got != "[text ballad]" {
		t.Errorf("modalities %s", got)
	}
	report, err := ingest.Run(t.Context(), lib, []string{"song"}, nil)
	if err != nil || report.Err() != nil || report.Items[0].Type != "ballad" {
		t.Fatalf("%+v, %v", report, err)
	}
	for _, text := range []string{"ballad://song", "ballad://song#t=1-2", "ballad://song#pages=3-4,9&lines=1-2&bbox=0,0,1,1"} {
		a, err := citekit.ParseAddress(text)
		if err != nil {
			t.Fatal(err)
		}
		e, err := lib.ResolveAddress(t.Context(), a, nil)
		if err != nil || e.Modality != "ballad" || e.Address.String() != a.String() {
			t.Errorf("%s: %+v, %v", text, e, err)
		}
	}
	e, err := lib.ResolveFile(t.Context(), "song", citekit.Location{}, nil)
	if err != nil || e.Address.String() != "ballad://song" {
		t.Errorf("%+v, %v", e, err)
	}
	for text, use := range map[string]string{
		"midi://song#t=1-2": "ballad://song#t=1-2", "text://song#lines=2": "ballad://song#lines=2-2", "doc://song": "ballad://song",
	} {
		a, err := citekit.ParseAddress(text)
		if err != nil {
			t.Fatal(err)
		}
		for _, opts := range []*citekit.ResolveOptions{nil, {Virtual: true}} {
			_, err := lib.ResolveAddress(t.Context(), a, opts)
			if !errors.Is(err, errors.ErrUnsupported) || !strings.HasSuffix(err.Error(), "song is a ballad: use "+use) {
				t.Errorf("%s: %v", text, err)
			}
		}
		for _, err := range lib.ReadText(t.Context(), "song", a.Location) {
			if !errors.Is(err, errors.ErrUnsupported) {
				t.Errorf("text of %s: %v", text, err)
			}
		}
	}
	report, err = ingest.Run(t.Context(), lib, []string{"song"}, &ingest.Options{Type: "ballad", Force: true})
	if err != nil || report.Err() != nil {
		t.Errorf("asked for by name: %+v, %v", report, err)
	}
	if _, err := ingest.Run(t.Context(), lib, []string{"song"}, &ingest.Options{Type: "midi"}); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("a type without a resolver: %v", err)
	}
	// A map of a modality that no one resolves is kept and shown.
	m, err := citekit.ParseMap([]byte(`{"resource_id":"tune","type":"midi","source_path":"song","nodes":[{"id":"a","type":"bar","location":{"modality":"midi","start":1,"end":2}}]}`))
	if err == nil {
		err = lib.Save(t.Context(), m)
	}
	if err != nil {
		t.Fatal(err)
	}
	if n, err := lib.Node(t.Context(), "tune", "a"); err != nil || m.Address(n).String() != "midi://tune#t=1-2" {
		t.Errorf("%v", err)
	}
	if _, err := lib.Resolve(t.Context(), "tune", "a", nil); !errors.Is(err, errors.ErrUnsupported) || !strings.Contains(err.Error(), "no resolver for midi") {
		t.Errorf("a node without a resolver: %v", err)
	}
	if _, err := lib.Resolve(t.Context(), "tune", "a", &citekit.ResolveOptions{Virtual: true}); err != nil {
		t.Errorf("its address alone: %v", err)
	}
}

func TestModalityWords(t *testing.T) {
	for word, want := range map[citekit.Modality]bool{
		"document": true, "virtual": true, "midi": true, "a": true, "x264": true, "z" + citekit.Modality(strings.Repeat("0", 31)): true,
		"": false, "doc": false, "Midi": false, "4k": false, "a-b": false, "a.b": false, "http": false, "https": false, "file": false,
		"ftp": false, "mailto": false, "é": false, "a b": false, citekit.Modality(strings.Repeat("a", 33)): false,
	} {
		if word.Valid() != want {
			t.Errorf("%q: %v, want %v", word, !want, want)
		}
	}
	for scheme, hint := range map[string]string{
		"document": "write doc://", "https": "URLs are not fetched", "HTTP": "URLs are not fetched", "file": "URLs are not fetched",
		"Midi": "a-z, 0-9", "x-y": "a-z, 0-9", "": "a-z, 0-9",
	} {
		_, err := citekit.ParseAddress(scheme + "://x")
		if !errors.Is(err, citekit.ErrSyntax) || !strings.Contains(err.Error(), hint) {
			t.Errorf("%s://x: %v", scheme, err)
		}
	}
}

// TestUnreadFormats checks what ingest and resolve say about files in a known
// format that nothing reads.
func TestUnreadFormats(t *testing.T) {
	dir := t.TempDir()
	for _, s := range snifftest.All() {
		if s.ID == "doc" {
			if err := os.WriteFile(filepath.Join(dir, "misnamed.bin"), s.Data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	ws, err := workspace.Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	lib := citekit.New(ws, citekit.Resolvers{citekit.Text: refuser{}}, nil)
	defer lib.Close()
	report, err := ingest.Run(t.Context(), lib, []string{"misnamed.bin"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	_, resolved := lib.ResolveFile(t.Context(), "misnamed.bin", citekit.Location{}, nil)
	for _, err := range []error{report.Items[0].Err, resolved} {
		if !errors.Is(err, errors.ErrUnsupported) || !strings.Contains(err.Error(), "DOC files are not read; save it as DOCX or PDF") {
			t.Errorf("%v", err)
		}
	}
}

// A refuser finds no source to be its own.
type refuser struct{}

func (refuser) Resolve(context.Context, *citekit.Source, citekit.Request) (*citekit.Content, error) {
	return nil, fmt.Errorf("not mine: %w", citekit.ErrFormat)
}

func (refuser) Map(context.Context, *citekit.Source, citekit.MapRequest) (*citekit.Draft, error) {
	return nil, fmt.Errorf("not mine: %w", citekit.ErrFormat)
}
