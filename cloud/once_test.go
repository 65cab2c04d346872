//go:build unix

package cloud_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/cloud"
	"github.com/citekit/citekit/modality/text"
	"github.com/citekit/citekit/preview"
	"github.com/citekit/citekit/textlayer"
	"github.com/citekit/citekit/workspace"
	"github.com/citekit/citekit/workspace/driver"
	"github.com/citekit/citekit/workspace/workspacetest"
)

// A counting resolver counts how often it extracts.
type counting struct {
	citekit.Resolver
	calls *atomic.Int64
}

func (c counting) Resolve(ctx context.Context, src *citekit.Source, req citekit.Request) (*citekit.Content, error) {
	c.calls.Add(1)
	return c.Resolver.Resolve(ctx, src, req)
}

// newCounted returns a library with a pool of its own, whose resolver counts.
func newCounted(t testing.TB, url string, b driver.Bucket, calls *atomic.Int64) *citekit.Library {
	t.Helper()
	w, err := cloud.Open(context.Background(), url, &cloud.Options{Bucket: b, Sources: files()})
	if err != nil {
		t.Fatal(err)
	}
	lib := citekit.New(w, citekit.Resolvers{citekit.Text: counting{new(text.Resolver), calls}}, nil)
	t.Cleanup(func() { lib.Close() })
	return lib
}

func resolve(ctx context.Context, lib *citekit.Library, first int) (*citekit.Evidence, error) {
	return lib.ResolveFile(ctx, workspacetest.SourcePath, citekit.Text.Lines(first, 2), nil)
}

// Many callers of several replicas, that ask for the same at once, get what was
// extracted once.
func TestExtractedOnce(t *testing.T) {
	url, b := schema(t), driver.NewMemory()
	const replicas, callers, rounds = 3, 4, 20
	var calls atomic.Int64
	var libs []*citekit.Library
	for range replicas {
		libs = append(libs, newCounted(t, url, b, &calls))
	}
	for round := range rounds {
		var all sync.WaitGroup
		var hashes [replicas * callers]string
		for i := range hashes {
			all.Go(func() {
				e, err := resolve(t.Context(), libs[i%replicas], 1+round%2)
				if err != nil {
					t.Error(err)
					return
				}
				hashes[i] = e.SHA256
			})
		}
		all.Wait()
		if distinct := slices.Compact(hashes[:]); len(distinct) != 1 || distinct[0] == "" {
			t.Fatalf("round %d: the evidence has the hashes %q; want one", round, distinct)
		}
		if n := calls.Swap(0); n != 1 {
			t.Fatalf("round %d: %d extractions; want 1", round, n)
		}
		sql(t, url, `DELETE FROM {s}.evidence`)
	}
}

// A countingReader counts how often it reads a text and draws a picture.
type countingReader struct {
	*text.Resolver
	reads, draws *atomic.Int64
}

func (c countingReader) ReadText(ctx context.Context, src *citekit.Source, loc citekit.Location) iter.Seq2[citekit.TextRun, error] {
	c.reads.Add(1)
	return c.Resolver.ReadText(ctx, src, loc)
}

func (c countingReader) Preview(context.Context, *citekit.Source, citekit.Location, preview.Options) (*preview.Preview, error) {
	c.draws.Add(1)
	return &preview.Preview{MediaType: "image/png", Data: []byte("\x89PNG"), Width: 1, Height: 1}, nil
}

// The text of a source and its pictures are made once, also if several replicas want them
// at once.
func TestTextAndPictureOnce(t *testing.T) {
	const replicas, rounds = 3, 10
	url, b := schema(t), driver.NewMemory()
	memory := workspace.NewMemory(nil)
	var reads, draws atomic.Int64
	var libs []*citekit.Library
	for range replicas {
		w, err := cloud.Open(t.Context(), url, &cloud.Options{Bucket: b, Sources: memory})
		if err != nil {
			t.Fatal(err)
		}
		lib := citekit.New(w, citekit.Resolvers{citekit.Text: countingReader{new(text.Resolver), &reads, &draws}}, nil)
		t.Cleanup(func() { lib.Close() })
		libs = append(libs, lib)
	}
	for round := range rounds {
		id := fmt.Sprint("r", round)
		if err := (&replica{lib: libs[0]}).addFile(memory, id, []byte(strings.Repeat(id+" says something\n", 32<<10))); err != nil {
			t.Fatal(err)
		}
		var all sync.WaitGroup
		for i := range 4 * replicas {
			all.Go(func() {
				lib := libs[i%replicas]
				layer, err := textlayer.New(lib, nil).Open(t.Context(), id)
				if err != nil {
					t.Error(err)
					return
				}
				layer.Close()
				if _, err := preview.New(lib).Make(t.Context(), citekit.Address{Resource: id, Location: citekit.Text.Lines(1, 2)}, nil); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		if r, d := reads.Swap(0), draws.Swap(0); r != 1 || d != 1 {
			t.Fatalf("round %d: the text was read %d times, the picture drawn %d times; want once", round, r, d)
		}
	}
}

// A lease is waited for until it ends or the evidence is there, and no longer than its
// caller wants it. If the store gives no lease, the evidence is made without one.
func TestLeaseOfAnother(t *testing.T) {
	url, ctx := schema(t), t.Context()
	var calls atomic.Int64
	lib := newCounted(t, url, driver.NewMemory(), &calls)
	e, err := resolve(ctx, lib, 1)
	if err != nil {
		t.Fatal(err)
	}
	type result struct {
		e   *citekit.Evidence
		err error
	}
	// begin resolves while another holds the lease.
	begin := func(ctx context.Context) <-chan result {
		sql(t, url, `DELETE FROM {s}.evidence; INSERT INTO {s}.leases VALUES ('evidence `+e.Key+`', 'another', now() + interval '1 hour')
			ON CONFLICT (name) DO UPDATE SET holder = EXCLUDED.holder, expires = EXCLUDED.expires`)
		calls.Store(0)
		ended := make(chan result, 1)
		go func() {
			e, err := resolve(ctx, lib, 1)
			ended <- result{e, err}
		}()
		return ended
	}
	check := func(what string, got result, extractions int64) {
		t.Helper()
		if got.err != nil || got.e.SHA256 != e.SHA256 || calls.Load() != extractions {
			t.Errorf("%s: %+v, %v after %d extractions; want %d", what, got.e, got.err, calls.Load(), extractions)
		}
	}

	ended := begin(ctx)
	sql(t, url, `UPDATE {s}.leases SET expires = now() - interval '1 second'`) // its holder was killed
	check("the lease ended", <-ended, 1)

	ended = begin(ctx)
	if _, err := lib.Workspace().StoreEvidence(ctx, e.Key, citekit.EvidenceMeta{Name: e.Name, Size: e.Size}, strings.NewReader(workspacetest.SourceContent)); err != nil {
		t.Fatal(err)
	}
	check("the evidence was stored", <-ended, 0) // although the lease lasts

	waiting, cancel := context.WithCancel(ctx)
	ended = begin(waiting)
	cancel()
	if got := <-ended; !errors.Is(got.err, context.Canceled) || calls.Load() != 0 {
		t.Errorf("a caller who gave up: %v after %d extractions; want context.Canceled", got.err, calls.Load())
	}
	if held := sql(t, url, `SELECT holder FROM {s}.leases`); held != "another" {
		t.Errorf("the lease is held by %q; want \"another\"", held)
	}

	sql(t, url, `DELETE FROM {s}.evidence; ALTER TABLE {s}.leases RENAME TO other`)
	calls.Store(0)
	e2, err := resolve(ctx, lib, 1)
	check("no lease can be had", result{e2, err}, 1)
}

// The lease of a process that was killed ends by itself.
func TestKilledHolder(t *testing.T) {
	if !long() {
		t.Skip("takes seconds; CITEKIT_LONG=1 runs it")
	}
	url := schema(t)
	w := open(t, url, driver.NewMemory())
	c := helper(t, "lease", url)
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	_ = c.Process.Kill()
	_ = c.Wait()
	begun := time.Now()
	stored, release, err := w.LeaseEvidence(t.Context(), evidenceKey)
	if stored != nil || err != nil {
		t.Fatalf("LeaseEvidence = %+v, %v; want a release", stored, err)
	}
	release()
	t.Logf("waited %v", time.Since(begun))
}

// leaseForEver holds the lease of evidence until it is killed.
func leaseForEver(url string) error {
	w, err := cloud.Open(context.Background(), url, &cloud.Options{Bucket: driver.NewMemory()})
	if err != nil {
		return err
	}
	if _, _, err := w.LeaseEvidence(context.Background(), evidenceKey); err != nil {
		return err
	}
	fmt.Println()
	select {}
}
