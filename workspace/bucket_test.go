package workspace_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/workspace"
	"github.com/citekit/citekit/workspace/driver"
	"github.com/citekit/citekit/workspace/workspacetest"
)

// A remote is a bucket in memory as it looks from far away: its bodies cannot seek,
// its keys are checked, and its calls are counted.
type remote struct {
	driver.Bucket
	t     testing.TB
	calls atomic.Int64
	bytes atomic.Int64 // that were written

	age  time.Duration // of its objects
	fail error         // of all calls that write
}

func newRemote(t testing.TB) *remote { return &remote{Bucket: driver.NewMemory(), t: t} }

func openBucket(b driver.Bucket) *workspace.Bucket {
	files := fstest.MapFS{workspacetest.SourcePath: {Data: []byte(workspacetest.SourceContent)}}
	return workspace.FromDriver(b, &workspace.BucketOptions{Sources: files})
}

var keyForm = regexp.MustCompile(`^[a-z0-9-]{1,900}$`)

func (r *remote) call(key string) {
	r.calls.Add(1)
	if !keyForm.MatchString(key) {
		r.t.Errorf("the driver gets the key %.100q", key)
	}
}

func (r *remote) Attributes(ctx context.Context, key string) (driver.Attributes, error) {
	r.call(key)
	return r.Bucket.Attributes(ctx, key)
}

func (r *remote) Read(ctx context.Context, key string, opts driver.ReadOptions) (io.ReadCloser, driver.Attributes, error) {
	r.call(key)
	body, at, err := r.Bucket.Read(ctx, key, opts)
	return struct{ io.ReadCloser }{body}, at, err
}

func (r *remote) Write(ctx context.Context, key string, body io.Reader, opts driver.WriteOptions) (driver.Attributes, error) {
	r.call(key)
	if r.fail != nil {
		return driver.Attributes{}, r.fail
	}
	at, err := r.Bucket.Write(ctx, key, body, opts)
	r.bytes.Add(at.Size)
	return at, err
}

func (r *remote) Delete(ctx context.Context, key, ifMatch string) error {
	r.call(key)
	return r.Bucket.Delete(ctx, key, ifMatch)
}

func (r *remote) List(ctx context.Context, opts driver.ListOptions) (driver.Page, error) {
	r.calls.Add(1)
	opts.Limit = min(opts.Limit, 3) // as a store with small pages
	page, err := r.Bucket.List(ctx, opts)
	for i := range page.Objects {
		page.Objects[i].ModTime = page.Objects[i].ModTime.Add(-r.age)
	}
	return page, err
}

// objects returns the keys with a prefix.
func (r *remote) objects(prefix string) (keys []string) {
	page, err := r.Bucket.List(r.t.Context(), driver.ListOptions{Prefix: prefix, Limit: 1000})
	if err != nil {
		r.t.Fatal(err)
	}
	for _, o := range page.Objects {
		keys = append(keys, o.Key)
	}
	return keys
}

// replace changes the only object with a prefix behind the back of the workspace.
func (r *remote) replace(prefix string, change func([]byte) []byte) {
	r.t.Helper()
	keys := r.objects(prefix)
	if len(keys) != 1 {
		r.t.Fatalf("objects %q", keys)
	}
	body, _, err := r.Bucket.Read(r.t.Context(), keys[0], driver.ReadOptions{})
	if err != nil {
		r.t.Fatal(err)
	}
	data, err := io.ReadAll(body)
	if err == nil {
		_, err = r.Bucket.Write(r.t.Context(), keys[0], bytes.NewReader(change(data)), driver.WriteOptions{})
	}
	if err != nil {
		r.t.Fatal(err)
	}
}

const bucketKey = "0123456789abcdef"

func storeIn(t testing.TB, ws citekit.Workspace, content string) {
	t.Helper()
	if _, err := ws.StoreEvidence(t.Context(), bucketKey, citekit.EvidenceMeta{Name: "n.txt", Size: -1}, strings.NewReader(content)); err != nil {
		t.Fatal(err)
	}
}

func keptIn(t testing.TB, ws workspace.Deleter) (all []workspace.Kept) {
	t.Helper()
	for k, err := range ws.Kept(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, k)
	}
	return all
}

// Keys of ids have the order of the ids, and are short enough, whatever the ids are.
func TestMapKeys(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	letters := []rune("\x21-.09AZ_az~\x7f é中\U0010ffff")
	id := func() string {
		var b strings.Builder
		for range random.IntN(6) {
			b.WriteRune(letters[random.IntN(len(letters))])
		}
		return b.String()
	}
	for range 10_000 {
		a, b := id(), id()
		if strings.Compare(a, b) != strings.Compare(workspace.MapKey(a), workspace.MapKey(b)) {
			t.Fatalf("%q and %q have the keys %q and %q", a, b, workspace.MapKey(a), workspace.MapKey(b))
		}
	}
	ws := openBucket(newRemote(t))
	longest := strings.Repeat("中", 170) + "xx"
	if err := ws.WriteMap(t.Context(), longest, []byte("{}")); err != nil {
		t.Error(err)
	}
	for after, want := range map[string]int{longest: 0, longest + "x": 0, longest[:511]: 1, strings.Repeat("\xff", 5000): 0, "": 1} {
		if ids, err := ws.ListMaps(t.Context(), after, 0); err != nil || len(ids) != want {
			t.Errorf("after %.10q of %d bytes: %d, %v; want %d", after, len(after), len(ids), err, want)
		}
	}
}

// What others put into the bucket under its keys is no map, note or evidence.
func TestForeignObjects(t *testing.T) {
	r := newRemote(t)
	ws, ctx := openBucket(r), t.Context()
	for _, key := range []string{"map-!", "map-0", "map-cg", "map-00", "map-", "evidence-01234567", "notes-kind", "notes-Kind", "content-x", "segment-x"} {
		if _, err := r.Bucket.Write(ctx, key, strings.NewReader(`{"content":"map-0"}`), driver.WriteOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	if ids, err := ws.ListMaps(ctx, "", 0); err != nil || len(ids) > 1 {
		t.Errorf("maps %q, %v", ids, err)
	}
	if _, _, err := ws.ReadMap(ctx, "f", 100); !errors.Is(err, citekit.ErrDamaged) && !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if _, err := ws.FindEvidence(ctx, "01234567"); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if _, err := ws.WriteNoteIf(ctx, "kind", "n", []byte("1"), citekit.Stamp{}); err != nil {
		t.Error(err)
	}
	for _, k := range keptIn(t, ws) {
		if err := ws.DeleteKept(ctx, k); err != nil {
			t.Errorf("%+v: %v", k, err)
		}
	}
}

// Large evidence is read in ranges; it does not change while it is open, and is
// stored once.
func TestLargeEvidence(t *testing.T) {
	r := newRemote(t)
	ws := openBucket(r)
	first := strings.Repeat("0123456789", 10_000)
	storeIn(t, ws, first)
	content, _, err := ws.OpenEvidence(t.Context(), bucketKey)
	if err != nil {
		t.Fatal(err)
	}
	defer content.Close()
	storeIn(t, ws, first)
	if keys := r.objects("content-"); len(keys) != 1 {
		t.Errorf("objects %q", keys)
	}
	storeIn(t, ws, strings.Repeat("x", 100_000))
	for _, c := range []struct {
		offset int64
		whence int
		want   string
	}{{0, io.SeekStart, "012"}, {2, io.SeekCurrent, "567"}, {-3, io.SeekEnd, "789"}, {99_991, io.SeekStart, "123"}} {
		if _, err := content.Seek(c.offset, c.whence); err != nil {
			t.Fatal(err)
		}
		got := make([]byte, 3)
		if _, err := io.ReadFull(content, got); err != nil || string(got) != c.want {
			t.Errorf("at %d, %d: %q, %v; want %q", c.offset, c.whence, got, err, c.want)
		}
	}
	if _, err := content.Seek(-1, io.SeekStart); err == nil {
		t.Error("seek before the start")
	}
	if n, err := content.Seek(200_000, io.SeekStart); err != nil || n != 200_000 {
		t.Error(n, err)
	}
	if n, err := content.Read(make([]byte, 1)); n != 0 || err != io.EOF {
		t.Error(n, err)
	}
}

// Damage counts as missing, but for pins.
func TestDamagedObjects(t *testing.T) {
	flip := func(data []byte) []byte { data[len(data)-2] ^= 1; return data }
	drop := func([]byte) []byte { return nil }
	large := strings.Repeat("x", 40_000)
	for _, content := range []string{"small", large} {
		for _, prefix := range []string{"evidence-", "content-"} {
			for _, change := range []func([]byte) []byte{flip, drop} {
				if content == "small" && prefix == "content-" {
					continue
				}
				r := newRemote(t)
				ws := openBucket(r)
				storeIn(t, ws, content)
				r.replace(prefix, change)
				if found, err := ws.FindEvidence(t.Context(), bucketKey); !errors.Is(err, fs.ErrNotExist) {
					t.Errorf("%.5q: damaged %s: %+v, %v", content, prefix, found, err)
				}
				storeIn(t, ws, content)
				if _, err := ws.FindEvidence(t.Context(), bucketKey); err != nil {
					t.Errorf("%.5q: damaged %s, stored again: %v", content, prefix, err)
				}
			}
		}
	}
	for _, prefix := range []string{"notes-", "segment-"} {
		for _, kind := range []string{"kind", workspace.PinNotes} {
			r := newRemote(t)
			for _, name := range []string{"a", "b"} {
				if _, err := openBucket(r).WriteNoteIf(t.Context(), kind, name, []byte(large), citekit.Stamp{}); err != nil {
					t.Fatal(err)
				}
			}
			r.replace(prefix, drop)
			ws := openBucket(r)
			_, _, err := ws.ReadNote(t.Context(), kind, "a")
			if want := map[string]error{"kind": fs.ErrNotExist, workspace.PinNotes: citekit.ErrDamaged}[kind]; !errors.Is(err, want) {
				t.Errorf("%s: a damaged object %s: %v, want %v", kind, prefix, err, want)
			}
			_, err = ws.WriteNoteIf(t.Context(), kind, "a", []byte("again"), citekit.Stamp{})
			if pin := kind == workspace.PinNotes; pin != errors.Is(err, citekit.ErrDamaged) || !pin && err != nil {
				t.Errorf("%s: written to a damaged object %s: %v", kind, prefix, err)
			}
		}
	}
}

// What nothing refers to is left over after an hour, and can be deleted.
func TestLeftovers(t *testing.T) {
	r := newRemote(t)
	ws, ctx := openBucket(r), t.Context()
	large := strings.Repeat("x", 40_000)
	storeIn(t, ws, large)
	storeIn(t, ws, large+"y") // the content before is left over
	for _, kind := range []string{"kind", workspace.PinNotes} {
		if _, err := ws.WriteNoteIf(ctx, kind, "n", []byte(large), citekit.Stamp{}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := r.Bucket.Write(ctx, "segment-kind-abc", strings.NewReader("[]"), driver.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Bucket.Write(ctx, "evidence-abcdef01", strings.NewReader("damaged"), driver.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	count := func() (scrap int) {
		for _, k := range keptIn(t, ws) {
			if k.Kind == workspace.KeptScrap {
				scrap++
			}
		}
		return scrap
	}
	if n := count(); n != 1 {
		t.Errorf("%d left over at once, want the damaged record alone", n)
	}
	r.age = 2 * time.Hour
	if n := count(); n != 3 {
		t.Errorf("%d left over, want 3", n)
	}
	for _, k := range keptIn(t, ws) {
		if k.Kind == workspace.KeptScrap {
			if err := ws.DeleteKept(ctx, k); err != nil {
				t.Error(err)
			}
		}
	}
	if all := keptIn(t, ws); len(all) != 2 {
		t.Errorf("kept are %+v, want the evidence and the pin", all)
	}
	if found, err := ws.FindEvidence(ctx, bucketKey); err != nil || found.Size != 40_001 {
		t.Errorf("%+v, %v", found, err)
	}
}

// TestBucketWork counts the calls and the bytes that a workspace needs of its driver.
func TestBucketWork(t *testing.T) {
	r := newRemote(t)
	ws, ctx := openBucket(r), t.Context()
	const notes = 2000
	for i := range notes {
		if _, err := ws.WriteNoteIf(ctx, "kind", fmt.Sprint(i), make([]byte, 200), citekit.Stamp{}); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(r.objects("segment-")); n > 12 {
		t.Errorf("%d segments", n)
	}
	if per := r.bytes.Load() / notes; per > 60_000 { // half of the latest, and a share of each segment
		t.Errorf("%d bytes are written for each note", per)
	}
	storeIn(t, ws, "small")
	if err := ws.WriteMap(ctx, "m", []byte("{}")); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		most int64
		call func() error
	}{
		{"ReadNote", 1, func() error { _, _, err := ws.ReadNote(ctx, "kind", "7"); return err }},
		{"WriteNoteIf", 5, func() error { _, err := ws.WriteNoteIf(ctx, "kind", "x", nil, citekit.Stamp{}); return err }},
		{"StatMap", 1, func() error { _, err := ws.StatMap(ctx, "m"); return err }},
		{"ReadMap", 1, func() error { _, _, err := ws.ReadMap(ctx, "m", 10); return err }},
		{"WriteMap", 1, func() error { return ws.WriteMap(ctx, "m", nil) }},
		{"FindEvidence", 1, func() error { _, err := ws.FindEvidence(ctx, bucketKey); return err }},
		{"StoreEvidence", 1, func() error { storeIn(t, ws, "other"); return nil }},
	} {
		before := r.calls.Load()
		if err := c.call(); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if n := r.calls.Load() - before; n > c.most {
			t.Errorf("%s made %d calls of the driver, want at most %d", c.name, n, c.most)
		}
	}
}

// The errors of a driver are not shown to others.
func TestDriverFails(t *testing.T) {
	r := newRemote(t)
	r.fail = errors.New("secret host")
	ws, ctx := openBucket(r), t.Context()
	_, evidenceErr := ws.StoreEvidence(ctx, bucketKey, citekit.EvidenceMeta{Name: "n", Size: -1}, strings.NewReader("x"))
	_, noteErr := ws.WriteNoteIf(ctx, "kind", "n", nil, citekit.Stamp{})
	_, lockErr := ws.LockIngest(ctx)
	for name, err := range map[string]error{"evidence": evidenceErr, "note": noteErr, "map": ws.WriteMap(ctx, "m", nil), "lock": lockErr} {
		var fault interface{ StorageFault() string }
		if !errors.Is(err, r.fail) || !errors.As(err, &fault) || strings.Contains(fault.StorageFault(), "secret") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if !errors.Is(evidenceErr, citekit.ErrNotStored) {
		t.Error(evidenceErr)
	}
}

// Who waits takes over the lock of a process that was killed, and of no other.
func TestLeaseOfTheKilled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRemote(t)
		release, err := openBucket(r).LockIngest(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		waiting, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
		defer cancel()
		if _, err := openBucket(r).LockIngest(waiting); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("while another holds it: %v", err)
		}
		release()
		if _, err := r.Bucket.Write(t.Context(), "lease-ingest", strings.NewReader("of a process that was killed"), driver.WriteOptions{}); err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		release, err = openBucket(r).LockIngest(t.Context())
		if err != nil || time.Since(start) < 30*time.Second || time.Since(start) > 40*time.Second {
			t.Fatalf("taken over after %v, %v", time.Since(start), err)
		}
		release()
		if keys := r.objects("lease-"); len(keys) > 0 {
			t.Errorf("objects %q", keys)
		}
	})
}
