//go:build unix

package cloud_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/fstest"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/cloud"
	"github.com/citekit/citekit/cloud/internal/pgtest"
	"github.com/citekit/citekit/internal/about"
	"github.com/citekit/citekit/workspace"
	"github.com/citekit/citekit/workspace/driver"
	"github.com/citekit/citekit/workspace/workspacetest"
)

func files() cloud.Sources {
	return workspace.NewMemory(fstest.MapFS{workspacetest.SourcePath: {Data: []byte(workspacetest.SourceContent)}})
}

func open(t testing.TB, url string, b driver.Bucket) *cloud.Workspace {
	t.Helper()
	w, err := cloud.Open(context.Background(), url, &cloud.Options{Bucket: b, Sources: files()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	return w
}

// shared is a database of the shared server, and how many schemas tests have made of it.
var shared struct {
	sync.Mutex
	url     string
	schemas int
}

// schema returns the URL of a schema of its own in a database of the shared server.
func schema(t testing.TB) string {
	t.Helper()
	s := pgtest.Shared(t)
	shared.Lock()
	defer shared.Unlock()
	if shared.url == "" {
		shared.url = s.Database(t)
	}
	shared.schemas++
	return fmt.Sprintf("%s?schema=s%d", shared.url, shared.schemas)
}

// sql runs commands in the database of a URL of the shared server, for a schema {s}.
func sql(t testing.TB, url, text string) string {
	t.Helper()
	before, name, _ := strings.Cut(url, "?schema=")
	return pgtest.Shared(t).Exec(t, before[strings.LastIndexByte(before, '/')+1:], strings.ReplaceAll(text, "{s}", name))
}

func TestConforms(t *testing.T) {
	workspacetest.RunShared(t, func(t testing.TB) func() citekit.Workspace {
		url, b := schema(t), driver.NewMemory()
		return func() citekit.Workspace { return damageable{open(t, url, b), url, b} }
	})
}

// A damageable workspace can be damaged.
type damageable struct {
	*cloud.Workspace
	url string
	b   driver.Bucket
}

func (d damageable) DamageEvidence(t testing.TB, key string) {
	content := sql(t, d.url, `SELECT content FROM {s}.evidence WHERE content IS NOT NULL AND key = '`+key+`'`)
	if content == "" {
		sql(t, d.url, `UPDATE {s}.evidence SET inline = set_byte(inline, 0, get_byte(inline, 0) # 1) WHERE key = '`+key+`'`)
		return
	}
	body, _, err := d.b.Read(t.Context(), content, driver.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer body.Close()
	data, err := io.ReadAll(body)
	if err == nil {
		data[len(data)-1] ^= 1
		_, err = d.b.Write(t.Context(), content, bytes.NewReader(data), driver.WriteOptions{})
	}
	if err != nil {
		t.Fatal(err)
	}
}

// far is a bucket whose bodies cannot seek, as those from far away.
type far struct{ driver.Bucket }

func (f far) Read(ctx context.Context, key string, opts driver.ReadOptions) (io.ReadCloser, driver.Attributes, error) {
	body, at, err := f.Bucket.Read(ctx, key, opts)
	return struct{ io.ReadCloser }{body}, at, err
}

func (f far) keys(t testing.TB) (keys []string) {
	t.Helper()
	page, err := f.List(t.Context(), driver.ListOptions{Limit: 1000})
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range page.Objects {
		if !strings.HasPrefix(o.Key, "workspace-") { // the mark of the bucket
			keys = append(keys, o.Key)
		}
	}
	return keys
}

// Through a cache, all is the same, also what is damaged.
func TestConformsWithCache(t *testing.T) {
	if !long() {
		t.Skip("TestConformsOnS3 reads through a cache; CITEKIT_LONG=1 runs this too")
	}
	dir := t.TempDir()
	workspacetest.RunShared(t, func(t testing.TB) func() citekit.Workspace {
		url, b := schema(t)+"&cache="+dir, far{driver.NewMemory()}
		return func() citekit.Workspace { return open(t, url, b) }
	})
}

const evidenceKey = "0123456789abcdef"

var large = strings.Repeat("0123456789", 10_000)

func store(t testing.TB, w citekit.Workspace, key, content string) *citekit.StoredEvidence {
	t.Helper()
	stored, err := w.StoreEvidence(t.Context(), key, citekit.EvidenceMeta{Name: "n.txt", Size: -1, Resource: "r"}, strings.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	return stored
}

func kept(t testing.TB, w workspace.Deleter) (all []workspace.Kept) {
	t.Helper()
	for k, err := range w.Kept(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, k)
	}
	return all
}

// Bytes of evidence that was replaced or deleted stay for a day, for who reads them.
func TestBytesAreDeletedLater(t *testing.T) {
	url, b := schema(t), far{driver.NewMemory()}
	w := open(t, url, b)
	for _, change := range []func(){
		func() { store(t, w, evidenceKey, strings.ToUpper(large)+"x") },
		func() { store(t, w, evidenceKey, "small") },
		func() {
			for _, k := range kept(t, w) {
				if err := w.DeleteKept(t.Context(), k); err != nil {
					t.Fatal(err)
				}
			}
		},
	} {
		store(t, w, evidenceKey, large)
		body, _, err := w.OpenEvidence(t.Context(), evidenceKey)
		if err != nil {
			t.Fatal(err)
		}
		defer body.Close()
		change()
		if n, err := w.Sweep(t.Context()); n != 0 || err != nil {
			t.Fatalf("Sweep at once deleted %d, %v; want 0", n, err)
		}
		if data, err := io.ReadAll(body); err != nil || string(data) != large {
			t.Fatalf("what is open has %d bytes, %v; want %d", len(data), err, len(large))
		}
	}
	sql(t, url, `UPDATE {s}.garbage SET since = since - interval '25 hours'`)
	if _, err := w.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	if keys := b.keys(t); len(keys) > 0 {
		t.Fatalf("the objects %q are left a day after nothing refers to them", keys)
	}
	if n := sql(t, url, `SELECT count(*) FROM {s}.garbage`); n != "0" {
		t.Fatalf("%s rows are left that say what is to be deleted", n)
	}
}

// What a writer left that was killed is found, if the bucket is old enough.
func TestLeftovers(t *testing.T) {
	url, b := schema(t), &aged{Bucket: driver.NewMemory()}
	w := open(t, url, b)
	store(t, w, evidenceKey, large)
	id := sql(t, url, `SELECT id FROM {s}.store`)
	for _, key := range []string{"content-" + id + "-zzz", "content-other-zzz", "other"} {
		if _, err := b.Write(t.Context(), key, strings.NewReader("left"), driver.WriteOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	if all := kept(t, w); len(all) != 1 {
		t.Fatalf("kept are %+v; want the evidence alone", all)
	}
	b.old.Store(true)
	all := kept(t, w)
	if len(all) != 2 || all[1].Kind != workspace.KeptScrap || all[1].Name != "content-"+id+"-zzz" {
		t.Fatalf("kept are %+v; want the evidence and what is left of this store", all)
	}
	for _, name := range []string{all[1].Name, "content-other-zzz", "other", "../x"} {
		if err := w.DeleteKept(t.Context(), workspace.Kept{Kind: workspace.KeptScrap, Name: name}); err != nil {
			t.Fatal(err)
		}
	}
	if keys := (far{b.Bucket}).keys(t); len(keys) != 3 || slices.Contains(keys, all[1].Name) {
		t.Fatalf("left are %q; want three, of which none is %q", keys, all[1].Name)
	}
	replaced := sql(t, url, `SELECT content FROM {s}.evidence`)
	store(t, w, evidenceKey, large+"x") // of a day ago, but replaced now
	if all := kept(t, w); len(all) != 1 {
		t.Fatalf("kept are %+v; want the evidence alone, and not what was replaced just now", all)
	}
	for _, key := range (far{b.Bucket}).keys(t) { // what a row refers to stays
		if err := w.DeleteKept(t.Context(), workspace.Kept{Kind: workspace.KeptScrap, Name: key}); err != nil {
			t.Fatal(err)
		}
	}
	if found, err := w.FindEvidence(t.Context(), evidenceKey); err != nil || found.Size != int64(len(large)+1) {
		t.Fatalf("the evidence is %+v, %v", found, err)
	}
	if keys := (far{b.Bucket}).keys(t); !slices.Contains(keys, replaced) {
		t.Fatalf("left are %q; want %q too, which was replaced just now", keys, replaced)
	}
}

// aged is a bucket whose objects are old.
type aged struct {
	driver.Bucket
	old atomic.Bool
}

func (a *aged) List(ctx context.Context, opts driver.ListOptions) (driver.Page, error) {
	opts.Limit = min(opts.Limit, 2)
	page, err := a.Bucket.List(ctx, opts)
	for i := range page.Objects {
		if a.old.Load() {
			page.Objects[i].ModTime = page.Objects[i].ModTime.AddDate(0, 0, -2)
		}
	}
	return page, err
}

// Evidence whose bytes were changed or deleted behind the back of the store is missing,
// and can be stored again.
func TestDamagedEvidence(t *testing.T) {
	url, b := schema(t), far{driver.NewMemory()}
	w := open(t, url, b)
	for name, damage := range map[string]func(key string) error{
		"replaced": func(key string) error {
			_, err := b.Write(t.Context(), key, strings.NewReader(strings.ToLower(large)), driver.WriteOptions{})
			return err
		},
		"deleted": func(key string) error { return b.Delete(t.Context(), key, "") },
	} {
		store(t, w, evidenceKey, large)
		key := sql(t, url, `SELECT content FROM {s}.evidence`)
		if err := damage(key); err != nil {
			t.Fatal(err)
		}
		if found, err := w.FindEvidence(t.Context(), evidenceKey); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: FindEvidence = %+v, %v; want fs.ErrNotExist", name, found, err)
		}
		if _, _, err := w.OpenEvidence(t.Context(), evidenceKey); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: OpenEvidence: %v; want fs.ErrNotExist", name, err)
		}
	}
	store(t, w, evidenceKey, "small")
	sql(t, url, `UPDATE {s}.evidence SET inline = 'smalL'`)
	if found, err := w.FindEvidence(t.Context(), evidenceKey); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("small: FindEvidence = %+v, %v; want fs.ErrNotExist", found, err)
	}
}

func TestTrim(t *testing.T) {
	url := schema(t)
	w, ctx := open(t, url, driver.NewMemory()), t.Context()
	for i, age := range []string{"1 hour", "3 hours", "2 hours", "1 minute"} {
		store(t, w, fmt.Sprintf("%016x", i), "0123456789")
		sql(t, url, fmt.Sprintf(`UPDATE {s}.evidence SET used = now() - interval '%s' WHERE key = '%016x'`, age, i))
	}
	index, err := w.StoreEvidence(ctx, "ffffffff", citekit.EvidenceMeta{Name: "index", Size: 5, Keep: true}, strings.NewReader("index"))
	if err != nil {
		t.Fatal(err)
	}
	sql(t, url, `UPDATE {s}.evidence SET used = now() - interval '20 days' WHERE key = 'ffffffff'`)
	trim := func(trim workspace.Trim, want workspace.Trimmed) {
		t.Helper()
		if done, err := w.TrimEvidence(ctx, trim); err != nil || done != want {
			t.Fatalf("TrimEvidence(%+v) = %+v, %v; want %+v", trim, done, err, want)
		}
	}
	trim(workspace.Trim{}, workspace.Trimmed{Left: 45})
	trim(workspace.Trim{MaxBytes: 35, DryRun: true}, workspace.Trimmed{Files: 1, Bytes: 10, Left: 35})
	trim(workspace.Trim{MaxBytes: 35}, workspace.Trimmed{Files: 1, Bytes: 10, Left: 35})
	if _, err := w.FindEvidence(ctx, fmt.Sprintf("%016x", 1)); !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("the evidence that was used least recently: %v; want fs.ErrNotExist", err)
	}
	if _, err := w.FindEvidence(ctx, fmt.Sprintf("%016x", 0)); err != nil { // which marks it as used
		t.Fatal(err)
	}
	// It may have been used five minutes later than is known, without a mark.
	sql(t, url, fmt.Sprintf(`UPDATE {s}.evidence SET used = now() - interval '34 minutes' WHERE key = '%016x'`, 0))
	trim(workspace.Trim{UnusedFor: 30 * 60e9}, workspace.Trimmed{Files: 1, Bytes: 10, Left: 25})
	sql(t, url, fmt.Sprintf(`UPDATE {s}.evidence SET used = now() WHERE key = '%016x'`, 0))
	trim(workspace.Trim{MaxBytes: 1}, workspace.Trimmed{Left: 25})
	if found, err := w.FindEvidence(ctx, "ffffffff"); err != nil || found.SHA256 != index.SHA256 {
		t.Fatalf("what is to be kept is %+v, %v", found, err)
	}
}

// TestTrimTranscripts trims the transcripts that no map names.
func TestTrimTranscripts(t *testing.T) {
	url := schema(t)
	w := open(t, url, driver.NewMemory())
	named, other := strings.Repeat("a", 64), strings.Repeat("b", 64)
	m := fmt.Sprintf(`{"resource_id":"talk","type":"audio","source_path":"talk.wav","nodes":[],"metadata":{"transcript":{"source_path":%q}}}`, about.TranscriptPath(named))
	if _, err := w.WriteMapIf(t.Context(), "talk", []byte(m), citekit.Stamp{}); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{named, other} {
		meta := citekit.EvidenceMeta{Resource: "talk", Name: about.TranscriptName(key), Size: 5, Keep: true}
		if _, err := w.StoreEvidence(t.Context(), key, meta, strings.NewReader("words")); err != nil {
			t.Fatal(err)
		}
	}
	sql(t, url, `UPDATE {s}.evidence SET used = now() - interval '40 days'`)
	if done, err := w.TrimEvidence(t.Context(), workspace.Trim{MaxBytes: 1}); err != nil || done.Files != 1 || done.Left != 5 {
		t.Errorf("TrimEvidence = %+v, %v", done, err)
	}
	if _, err := w.FindEvidence(t.Context(), named); err != nil {
		t.Errorf("the transcript of the map: %v", err)
	}
	if _, err := w.FindEvidence(t.Context(), other); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("another: %v", err)
	}
}

// changedIDs returns the ids of changed maps, in order.
func changedIDs(ctx context.Context, w *cloud.Workspace, since string) ([]string, string, error) {
	changed, next, err := w.ChangedMaps(ctx, since)
	return slices.Sorted(maps.Keys(changed)), next, err
}

// Others hear of changes, and can read which maps changed.
func TestChanges(t *testing.T) {
	url, b := schema(t), driver.NewMemory()
	w, other, ctx := open(t, url, b), open(t, url, b), t.Context()
	stamps := make(map[citekit.Stamp]bool)
	stamp := func(isNew bool) {
		t.Helper()
		for range 2 {
			s, err := other.MapsStamp(ctx)
			if err != nil || stamps[s] == isNew {
				t.Fatalf("MapsStamp = %v, %v; want a new one: %v", s, err, isNew)
			}
			stamps[s], isNew = true, false
		}
	}
	stamp(true)
	cursor := ""
	changed := func(want ...string) {
		t.Helper()
		ids, next, err := changedIDs(ctx, other, cursor)
		if err != nil {
			t.Fatal(err)
		}
		for _, id := range want {
			if !slices.Contains(ids, id) {
				t.Fatalf("ChangedMaps(%v) = %q; want %q too", cursor, ids, id)
			}
		}
		cursor = next
	}
	changed()
	for _, id := range []string{"a", "b", "a"} {
		if err := w.WriteMap(ctx, id, []byte("{}")); err != nil {
			t.Fatal(err)
		}
		stamp(true)
		changed(id)
	}
	if _, err := w.WriteNoteIf(ctx, "kind", "n", nil, citekit.Stamp{}); err != nil {
		t.Fatal(err)
	}
	stamp(false)
	s, err := w.StatMap(ctx, "a")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.DeleteMaps(ctx, []workspace.MapVersion{{ID: "a", Stamp: s}}); err != nil {
		t.Fatal(err)
	}
	stamp(true)
	changed("a")
	changed() // after transactions that write nothing it has nothing to say
	if ids, _, err := changedIDs(ctx, other, cursor); err != nil || len(ids) > 0 {
		t.Fatalf("ChangedMaps when nothing has changed = %q, %v", ids, err)
	}
	all, _, err := other.ChangedMaps(ctx, "")
	if b, statErr := w.StatMap(ctx, "b"); err != nil || statErr != nil || !maps.Equal(all, map[string]citekit.Stamp{"a": {}, "b": b}) {
		t.Fatalf("ChangedMaps from the start = %v, %v; want a deleted and b", all, err)
	}
	for range 3 {
		next := other.Changed()
		if err := w.WriteMap(ctx, "c", []byte("{}")); err != nil {
			t.Fatal(err)
		}
		<-next
	}
}

// A transaction that began before others and ends after them is not left out.
func TestChangesOutOfOrder(t *testing.T) {
	url := schema(t)
	w, ctx := open(t, url, driver.NewMemory()), t.Context()
	before, _ := w.MapsStamp(ctx)
	late := pgtest.Shared(t).Begin(t, url[strings.LastIndexByte(url, '/')+1:strings.IndexByte(url, '?')])
	name := url[strings.LastIndexByte(url, '=')+1:]
	late.Exec(t, `INSERT INTO `+name+`.maps (id, version, size, packed) VALUES ('late', nextval('`+name+`.versions'), 0, '')`)
	if err := w.WriteMap(ctx, "early", []byte("{}")); err != nil {
		t.Fatal(err)
	}
	_, cursor, err := changedIDs(ctx, w, "")
	if err != nil {
		t.Fatal(err)
	}
	middle, _ := w.MapsStamp(ctx)
	late.Exec(t, `COMMIT`)
	after, err := w.MapsStamp(ctx)
	if err != nil || before == middle || middle == after {
		t.Fatalf("MapsStamp = %v, %v, %v, %v; want three", before, middle, after, err)
	}
	if ids, _, err := changedIDs(ctx, w, cursor); err != nil || !slices.Contains(ids, "late") {
		t.Fatalf("ChangedMaps = %q, %v; want \"late\" too", ids, err)
	}
}

// What was dumped on a server and restored on another has numbers of transactions that
// are still to come there.
func TestRestoredElsewhere(t *testing.T) {
	url := schema(t)
	w, ctx := open(t, url, driver.NewMemory()), t.Context()
	for _, id := range []string{"a", "b"} {
		if err := w.WriteMap(ctx, id, []byte("{}")); err != nil {
			t.Fatal(err)
		}
	}
	sql(t, url, `UPDATE {s}.maps SET xid = '1000000000000'; INSERT INTO {s}.deleted_maps (id, xid) VALUES ('c', '1000000000000')`)
	w = open(t, url, driver.NewMemory())
	ids, cursor, err := changedIDs(ctx, w, "")
	if err != nil || !slices.Equal(ids, []string{"a", "b", "c"}) {
		t.Fatalf("ChangedMaps = %q, %v; want all", ids, err)
	}
	if ids, _, err := changedIDs(ctx, w, cursor); err != nil || len(ids) > 0 {
		t.Fatalf("ChangedMaps when nothing has changed = %q, %v; want none", ids, err)
	}
}
