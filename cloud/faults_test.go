//go:build unix

package cloud_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/cloud"
	"github.com/citekit/citekit/cloud/internal/pgtest"
	"github.com/citekit/citekit/workspace"
	"github.com/citekit/citekit/workspace/driver"
)

// TestMain runs what a test wants done by another process.
func TestMain(m *testing.M) {
	if do := helpers[os.Getenv("CITEKIT_TEST_HELPER")]; do != nil {
		if err := do(os.Getenv("CITEKIT_TEST_URL")); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

var helpers = map[string]func(url string) error{"open": openOnce, "write": writeForEver, "lease": leaseForEver}

// helper returns a command that runs a helper in a process of its own.
func helper(t testing.TB, name, url string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(self)
	c.Env = append(os.Environ(), "CITEKIT_TEST_HELPER="+name, "CITEKIT_TEST_URL="+url)
	return c
}

func openOnce(url string) error {
	w, err := cloud.Open(context.Background(), url, &cloud.Options{Bucket: driver.NewMemory()})
	if err != nil {
		return err
	}
	if err := w.WriteMap(context.Background(), fmt.Sprint("of ", os.Getpid()), []byte("{}")); err != nil {
		return err
	}
	return w.Close()
}

// Processes that open an empty database at once all find it ready.
func TestMigrateTogether(t *testing.T) {
	url := schema(t)
	const processes = 8
	var running sync.WaitGroup
	for i := range processes {
		c := helper(t, "open", url)
		running.Go(func() {
			if out, err := c.CombinedOutput(); err != nil {
				t.Errorf("process %d: %v: %s", i, err, out)
			}
		})
	}
	running.Wait()
	if ids, err := open(t, url, driver.NewMemory()).ListMaps(t.Context(), "", 0); err != nil || len(ids) != processes {
		t.Errorf("ListMaps = %q, %v; want a map of each process", ids, err)
	}
	if n := sql(t, url, `SELECT count(*) FROM {s}.migrations`); n != fmt.Sprint(cloud.Migrated) {
		t.Errorf("%s migrations were made; want %d", n, cloud.Migrated)
	}
}

// A later version may have added migrations; whether this one still works with them, the
// schema says.
func TestLaterMigrations(t *testing.T) {
	url := schema(t)
	w := open(t, url, driver.NewMemory())
	sql(t, url, `INSERT INTO {s}.migrations (number, needed) VALUES (1000, 1)`)
	if err := w.WriteMap(t.Context(), "m", []byte("{}")); err != nil {
		t.Fatal(err)
	}
	open(t, url, driver.NewMemory())
	sql(t, url, `UPDATE {s}.migrations SET needed = 1000 WHERE number = 1000`)
	if _, err := cloud.Open(t.Context(), url, &cloud.Options{Bucket: driver.NewMemory()}); err == nil || !strings.Contains(err.Error(), "later version") {
		t.Fatalf("Open of what a later version needs alone: %v; want an error that says so", err)
	}
}

// long reports whether the tests run that take long.
func long() bool { return os.Getenv("CITEKIT_LONG") != "" }

// Of 16 writers over two pools that replace the same version, one wins each round.
func TestOneWriterWins(t *testing.T) {
	url, b := schema(t), driver.NewMemory()
	spaces, ctx := []*cloud.Workspace{open(t, url, b), open(t, url, b)}, t.Context()
	rounds := 40
	if long() {
		rounds = 1000
	}
	const writers = 16
	var stamp citekit.Stamp
	for round := range rounds {
		var writing sync.WaitGroup
		var wins atomic.Int64
		var won [writers]citekit.Stamp
		for i := range writers {
			writing.Go(func() {
				next, err := spaces[i%2].WriteMapIf(ctx, "m", fmt.Appendf(nil, "%d of %d", round, i), stamp)
				switch {
				case err == nil:
					wins.Add(1)
					won[i] = next
				case !errors.Is(err, citekit.ErrConflict):
					t.Errorf("round %d: WriteMapIf: %v; want no error but citekit.ErrConflict", round, err)
				}
			})
		}
		writing.Wait()
		data, now, err := spaces[round%2].ReadMap(ctx, "m", 100)
		var of, by int
		if _, scanErr := fmt.Sscanf(string(data), "%d of %d", &of, &by); err != nil || scanErr != nil || wins.Load() != 1 || of != round || won[by] != now {
			t.Fatalf("round %d: %d won, and the map is %q with the stamp %v, %v; want one, whose the map is", round, wins.Load(), data, now, err)
		}
		stamp = now
	}
}

// isFault reports whether an error is one of the store, which names no host.
func isFault(err error) bool {
	var fault interface{ StorageFault() string }
	return errors.As(err, &fault) && !strings.Contains(fault.StorageFault(), "127.0.0.1") && !strings.Contains(fault.StorageFault(), pgtest.User)
}

// A server that ends and comes back breaks calls, which say so, and nothing else: what
// was confirmed stays, what was not happened once or not at all, and the pool recovers.
func TestServerRestarts(t *testing.T) {
	server := pgtest.Start(t)
	url, b := server.Database(t), driver.NewMemory()
	w, ctx := open(t, url, b), t.Context()
	var confirmed, unknown [4]int
	counted := make(chan struct{})
	done := make(chan struct{})
	var counting sync.WaitGroup
	for i := range confirmed {
		counting.Go(func() {
			id := fmt.Sprint("m", i)
			for {
				select {
				case <-done:
					return
				default:
				}
				data, stamp, err := w.ReadMap(ctx, id, 1<<20)
				if err == nil || errors.Is(err, fs.ErrNotExist) {
					_, err = w.WriteMapIf(ctx, id, append(data, 'x'), stamp)
					switch {
					case err == nil:
						confirmed[i]++
						select {
						case counted <- struct{}{}:
						default:
						}
					case errors.Is(err, cloud.ErrUnknown):
						unknown[i]++
					}
				}
				if err != nil && !isFault(err) {
					t.Errorf("while the server ends: %v; want an error of the store", err)
					return
				}
			}
		})
	}
	for i, end := range []func(){server.Kill, server.Stop, server.Kill} {
		for range 40 { // some calls between
			<-counted
		}
		end()
		if i == 2 { // down for longer than calls are repeated
			if err := w.WriteMap(ctx, "other", []byte("{}")); !isFault(err) {
				t.Errorf("WriteMap while there is no server: %v; want an error of the store", err)
			}
		}
		server.Restart(t)
		if err := w.WriteMap(ctx, "other", []byte("{}")); err != nil {
			t.Errorf("WriteMap after restart %d: %v; want no error", i+1, err)
		}
	}
	close(done)
	counting.Wait()
	for i := range confirmed {
		data, _, err := w.ReadMap(ctx, fmt.Sprint("m", i), 1<<20)
		if n := len(data); err != nil || n < confirmed[i] || n > confirmed[i]+unknown[i] {
			t.Errorf("counted %d, %v; want %d, and at most %d more", n, err, confirmed[i], unknown[i])
		}
	}
	t.Logf("confirmed %v, unknown %v", confirmed, unknown)
}

// Each attempt is a connection to a server that does not answer.
func TestAttemptsAreCounted(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	var calls atomic.Int64
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			calls.Add(1)
			conn.Close()
		}
	}()
	url := "pg://citekit@" + l.Addr().String() + "/db?sslmode=disable"
	if _, err = cloud.Open(t.Context(), url, &cloud.Options{Bucket: driver.NewMemory(), Attempts: 3}); !isFault(err) {
		t.Errorf("Open: %v; want an error of the store", err)
	}
	if n := calls.Load(); n != 3 {
		t.Errorf("%d connections; want 3", n)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err = cloud.Open(ctx, url, &cloud.Options{Bucket: driver.NewMemory()}); !errors.Is(err, context.Canceled) {
		t.Errorf("Open with a context that is done: %v; want context.Canceled", err)
	}
}

// What a killed process wrote is there as a whole or not at all.
func TestKilledWriter(t *testing.T) {
	url := schema(t)
	dir := t.TempDir()
	w := open(t, url, folder(dir))
	times := 3
	if long() {
		times = 30
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range times {
		c := helper(t, "write", url)
		c.Env = append(c.Env, "CITEKIT_TEST_DIR="+dir)
		out, err := c.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		for range 1 + random.IntN(40) {
			lines.Scan()
		}
		_ = c.Process.Kill()
		_ = c.Wait()
		checkWhole(t, w)
	}
	sql(t, url, `UPDATE {s}.garbage SET since = since - interval '25 hours'`)
	if _, err := w.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	checkWhole(t, w)
	if entries, err := os.ReadDir(dir); err != nil || len(entries) > 2 {
		t.Errorf("%d objects are left, %v; want the mark and that of the evidence alone", len(entries), err)
	}
}

// writeForEver writes a map, two notes and evidence again and again, and says when.
func writeForEver(url string) error {
	w, err := cloud.Open(context.Background(), url, &cloud.Options{Bucket: folder(os.Getenv("CITEKIT_TEST_DIR"))})
	if err != nil {
		return err
	}
	ctx := context.Background()
	for i := 0; ; i++ {
		content := strings.Repeat(fmt.Sprintf("%d,%d;", os.Getpid(), i), 20_000)
		if err := w.WriteMap(ctx, "m", []byte(content)); err != nil {
			return err
		}
		fmt.Println()
		var changes []citekit.NoteChange
		for _, name := range []string{"a", "b"} {
			_, stamp, err := w.ReadNote(ctx, "kind", name)
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
			changes = append(changes, citekit.NoteChange{Name: name, Data: []byte(content[:30_000]), Stamp: stamp})
		}
		if _, err := w.ChangeNotes(ctx, "kind", changes); err != nil {
			return err
		}
		fmt.Println()
		if _, err := w.StoreEvidence(ctx, evidenceKey, citekit.EvidenceMeta{Name: "n", Size: -1}, strings.NewReader(content)); err != nil {
			return err
		}
		fmt.Println()
	}
}

func checkWhole(t *testing.T, w *cloud.Workspace) {
	t.Helper()
	whole := func(what, content string, err error) {
		t.Helper()
		unit, _, _ := strings.Cut(content, ";")
		if err != nil && !errors.Is(err, fs.ErrNotExist) || strings.Trim(strings.ReplaceAll(content, unit+";", ""), unit) != "" {
			t.Errorf("%s has %d bytes, %v; want what one call wrote", what, len(content), err)
		}
	}
	data, _, err := w.ReadMap(t.Context(), "m", 1<<30)
	whole("the map", string(data), err)
	a, _, err := w.ReadNote(t.Context(), "kind", "a")
	whole("the note", string(a), err)
	if b, _, _ := w.ReadNote(t.Context(), "kind", "b"); string(a) != string(b) {
		t.Error("of two notes that are always changed together, one was")
	}
	body, stored, err := w.OpenEvidence(t.Context(), evidenceKey)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	if err != nil {
		t.Error(err)
		return
	}
	defer body.Close()
	content, err := io.ReadAll(body)
	whole("the evidence", string(content), err)
	if sumOf(content) != stored.SHA256 {
		t.Errorf("the evidence has %d bytes, which are not those of its hash", len(content))
	}
}

// A role with too few rights is told what it lacks.
func TestRights(t *testing.T) {
	url := schema(t)
	server := pgtest.Shared(t)
	databaseName := url[strings.LastIndexByte(url, '/')+1 : strings.IndexByte(url, '?')]
	_, query, _ := strings.Cut(url, "?")
	roleURL := server.Address("limited", databaseName) + "?" + query
	sql(t, url, `DROP ROLE IF EXISTS limited; CREATE ROLE limited LOGIN`)
	refused := func(step string, want ...string) {
		t.Helper()
		_, err := cloud.Open(t.Context(), roleURL, &cloud.Options{Bucket: driver.NewMemory()})
		if !isFault(err) {
			t.Errorf("%s: %v; want an error of the store", step, err)
			return
		}
		for _, w := range want {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("%s: %v; want it to have %q", step, err, w)
			}
		}
	}
	refused("no schema, and none may be made", "permission denied for database", "GRANT CREATE ON DATABASE")
	w := open(t, url, driver.NewMemory())
	refused("the schema may not be used", "permission denied for schema", "GRANT USAGE ON SCHEMA")
	sql(t, url, `GRANT USAGE ON SCHEMA {s} TO limited; GRANT SELECT ON ALL TABLES IN SCHEMA {s} TO limited`)
	refused("it may be read", "INSERT on the table maps", "DELETE on the table notes", "UPDATE on the table store", "USAGE on the sequence versions", "GRANT SELECT, INSERT")
	sql(t, url, `GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA {s} TO limited; GRANT USAGE ON ALL SEQUENCES IN SCHEMA {s} TO limited`)
	limited := open(t, roleURL, driver.NewMemory())
	if err := limited.WriteMap(t.Context(), "m", []byte("{}")); err != nil {
		t.Error(err)
	}
	store(t, limited, evidenceKey, large)
	store(t, limited, evidenceKey, large+"x")
	sql(t, url, `REVOKE INSERT, UPDATE ON {s}.maps FROM limited`)
	if err := limited.WriteMap(t.Context(), "m", []byte("{}")); !isFault(err) || !strings.Contains(err.Error(), "GRANT SELECT, INSERT") {
		t.Errorf("WriteMap without the right: %v; want an error that says what is missing", err)
	}
	if err := w.WriteMap(t.Context(), "m", []byte("{}")); err != nil {
		t.Error(err)
	}
}

// Two schemas over one bucket see nothing of each other.
func TestSchemasAreApart(t *testing.T) {
	b := far{driver.NewMemory()}
	url, otherURL := schema(t), schema(t)
	w, other, ctx := open(t, url, b), open(t, otherURL, b), t.Context()
	if err := w.WriteMap(ctx, "m", []byte("secret")); err != nil {
		t.Fatal(err)
	}
	stamp, err := w.StatMap(ctx, "m")
	if err != nil {
		t.Fatal(err)
	}
	noteStamp, err := w.WriteNoteIf(ctx, workspace.PinNotes, "m", []byte("secret"), citekit.Stamp{})
	if err != nil {
		t.Fatal(err)
	}
	store(t, w, evidenceKey, large)
	release, err := w.LockIngest(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	absent := func(what string, err error) {
		t.Helper()
		if !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s of another schema: %v; want fs.ErrNotExist", what, err)
		}
	}
	_, err = other.StatMap(ctx, "m")
	absent("StatMap", err)
	_, _, err = other.ReadMap(ctx, "m", 100)
	absent("ReadMap", err)
	_, _, err = other.ReadNote(ctx, workspace.PinNotes, "m")
	absent("ReadNote", err)
	_, err = other.FindEvidence(ctx, evidenceKey)
	absent("FindEvidence", err)
	_, _, err = other.OpenEvidence(ctx, evidenceKey)
	absent("OpenEvidence", err)
	_, err = other.DeleteMaps(ctx, []workspace.MapVersion{{ID: "m", Stamp: stamp}})
	absent("DeleteMaps", err)
	absent("DeleteNoteIf", other.DeleteNoteIf(ctx, workspace.PinNotes, "m", noteStamp))
	if _, err := other.WriteMapIf(ctx, "m", nil, stamp); !errors.Is(err, citekit.ErrConflict) {
		t.Errorf("WriteMapIf of a map of another schema: %v; want citekit.ErrConflict", err)
	}
	if ids, err := other.ListMaps(ctx, "", 0); err != nil || len(ids) > 0 {
		t.Errorf("ListMaps = %q, %v; want none", ids, err)
	}
	for n, err := range other.Notes(ctx, workspace.PinNotes) {
		t.Errorf("Notes yields %q, %v; want none", n.Name, err)
	}
	if ids, _, err := other.ChangedMaps(ctx, ""); err != nil || len(ids) > 0 {
		t.Errorf("ChangedMaps = %v, %v; want none", ids, err)
	}
	if all := kept(t, other); len(all) > 0 {
		t.Errorf("Kept yields %+v; want none", all)
	}
	free, err := other.LockIngest(ctx)
	if err != nil {
		t.Fatal(err)
	}
	free()
	for _, k := range kept(t, w) {
		if err := other.DeleteKept(ctx, k); err != nil {
			t.Error(err)
		}
	}
	for _, key := range b.keys(t) {
		if err := other.DeleteKept(ctx, workspace.Kept{Kind: workspace.KeptScrap, Name: key}); err != nil {
			t.Error(err)
		}
	}
	if all := kept(t, w); len(all) != 2 {
		t.Errorf("after the other schema deleted what it could, kept are %+v; want the evidence and the pin", all)
	}
	if found, err := w.FindEvidence(ctx, evidenceKey); err != nil || found.Size != int64(len(large)) {
		t.Errorf("FindEvidence = %+v, %v", found, err)
	}
}

// What callers choose is never part of a statement.
func TestInjection(t *testing.T) {
	url := schema(t)
	w, ctx := open(t, url, driver.NewMemory()), t.Context()
	before := sql(t, url, `SELECT count(*) FROM pg_class`)
	attacks := []string{
		`'; DROP TABLE maps; --`, `" OR 1=1 --`, `$1`, `{s}.maps`, `'); SELECT pg_sleep(9) --`, `\'`, "x'\"", `%s`, "$$", `E'\\'`, `''`, "é'", "a\u2028'", `"; COPY maps TO PROGRAM 'id`,
	}
	for _, a := range attacks {
		id := strings.ReplaceAll(a, "/", "")
		if citekit.CheckResourceID(id) == nil {
			if _, err := w.WriteMapIf(ctx, id, []byte(a), citekit.Stamp{}); err != nil {
				t.Errorf("WriteMapIf(%q): %v", id, err)
			}
			if data, _, err := w.ReadMap(ctx, id, 100); err != nil || string(data) != a {
				t.Errorf("ReadMap(%q) = %q, %v", id, data, err)
			}
		}
		if _, err := w.WriteMapIf(ctx, "m", nil, citekit.Stamp{Identity: a}); !errors.Is(err, citekit.ErrConflict) {
			t.Errorf("WriteMapIf with the stamp %q: %v; want citekit.ErrConflict", a, err)
		}
		if _, err := w.ListMaps(ctx, a, 3); err != nil {
			t.Errorf("ListMaps(%q): %v", a, err)
		}
		if _, _, err := w.ReadMap(ctx, a, 10); err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, citekit.ErrTooLarge) {
			t.Errorf("ReadMap(%q): %v", a, err)
		}
		if _, err := w.WriteNoteIf(ctx, "kind", a, []byte(a), citekit.Stamp{}); err != nil {
			t.Errorf("WriteNoteIf(%q): %v", a, err)
		}
		if data, _, err := w.ReadNote(ctx, "kind", a); err != nil || string(data) != a {
			t.Errorf("ReadNote(%q) = %q, %v", a, data, err)
		}
		if _, err := w.WriteNoteIf(ctx, a, "n", nil, citekit.Stamp{}); !errors.Is(err, citekit.ErrSyntax) {
			t.Errorf("WriteNoteIf of the kind %q: %v; want citekit.ErrSyntax", a, err)
		}
		if _, err := w.FindEvidence(ctx, a); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("FindEvidence(%q): %v; want fs.ErrNotExist", a, err)
		}
		meta := citekit.EvidenceMeta{Name: "n", Size: -1, Resource: a, SourceHash: a + "\x00\xff", MediaType: a}
		if _, err := w.StoreEvidence(ctx, evidenceKey, meta, strings.NewReader(a)); err != nil {
			t.Errorf("StoreEvidence for %q: %v", a, err)
		}
		for _, k := range kept(t, w) {
			if k.Kind == workspace.KeptEvidence && (k.ResourceID != a || k.SourceHash != a+"\x00\xff") {
				t.Errorf("Kept yields %+v; want %q", k, a)
			}
		}
		release, held, err := w.TryLease(ctx, a)
		if err != nil || !held {
			t.Errorf("TryLease(%q): %v, %v", a, held, err)
			continue
		}
		release()
		for _, kind := range []string{workspace.KeptEvidence, workspace.KeptPin, workspace.KeptScrap, workspace.KeptGrant, a} {
			if err := w.DeleteKept(ctx, workspace.Kept{Kind: kind, Name: a, ResourceID: a}); err != nil {
				t.Errorf("DeleteKept(%q, %q): %v", kind, a, err)
			}
		}
		if _, _, err := w.ChangedMaps(ctx, "x"+a); !errors.Is(err, citekit.ErrSyntax) {
			t.Errorf("ChangedMaps(%q): %v; want citekit.ErrSyntax", "x"+a, err)
		}
	}
	if after := sql(t, url, `SELECT count(*) FROM pg_class`); after != before {
		t.Errorf("there are %s relations; want %s, as before", after, before)
	}
}

// A lease ends when its holder was killed, and not while it is renewed.
func TestLeaseOfTheKilled(t *testing.T) {
	url := schema(t)
	w, other, ctx := open(t, url, driver.NewMemory()), open(t, url, driver.NewMemory()), t.Context()
	release, held, err := w.TryLease(ctx, "one")
	if err != nil || !held {
		t.Fatal(held, err)
	}
	if _, held, err := other.TryLease(ctx, "one"); err != nil || held {
		t.Fatalf("TryLease of what another holds = %v, %v; want that it does not hold it", held, err)
	}
	sql(t, url, `UPDATE {s}.leases SET expires = now() - interval '1 second'`) // as if it had not been renewed
	again, held, err := other.TryLease(ctx, "one")
	if err != nil || !held {
		t.Fatalf("TryLease of what was not renewed = %v, %v; want that it holds it", held, err)
	}
	release() // the first holder gives up what is not its own any more
	if n := sql(t, url, `SELECT count(*) FROM {s}.leases`); n != "1" {
		t.Fatalf("%s leases; want that of the second holder", n)
	}
	again()
	releaseIndex, first := w.TryLockIndex()
	if releaseOther, second := other.TryLockIndex(); !first || second {
		t.Fatalf("TryLockIndex of two: %v and %v; want the first alone", first, second)
	} else {
		releaseOther()
	}
	releaseIndex()
	if n := sql(t, url, `SELECT count(*) FROM {s}.leases`); n != "0" {
		t.Fatalf("%s leases after all were given up", n)
	}
}

// A call that waits for another transaction ends with its context.
func TestCancelledWhileWaiting(t *testing.T) {
	url := schema(t)
	w := open(t, url, driver.NewMemory())
	if err := w.WriteMap(t.Context(), "m", []byte("0")); err != nil {
		t.Fatal(err)
	}
	name := url[strings.LastIndexByte(url, '=')+1:]
	other := pgtest.Shared(t).Begin(t, url[strings.LastIndexByte(url, '/')+1:strings.IndexByte(url, '?')])
	other.Exec(t, `UPDATE `+name+`.maps SET size = size`)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan error)
	go func() { ended <- w.WriteMap(ctx, "m", []byte("1")) }()
	for sql(t, url, `SELECT count(*) FROM pg_locks WHERE NOT granted`) == "0" {
	}
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("WriteMap whose context was cancelled: %v; want context.Canceled", err)
	}
	other.Exec(t, `ROLLBACK`)
	if err := w.WriteMap(t.Context(), "m", []byte("2")); err != nil {
		t.Error(err)
	}
}

// A bucket that Open got stays open if Open fails.
func TestOpenFails(t *testing.T) {
	b := &closing{Bucket: driver.NewMemory()}
	url := schema(t)
	sql(t, url, `CREATE SCHEMA {s}; CREATE TABLE {s}.migrations (number int, needed int); INSERT INTO {s}.migrations VALUES (9, 9)`)
	if _, err := cloud.Open(t.Context(), url, &cloud.Options{Bucket: b}); err == nil || b.closed {
		t.Errorf("Open: %v, and the bucket is closed: %v; want an error, and an open bucket", err, b.closed)
	}
	w := open(t, schema(t), b)
	if err := w.Close(); err != nil || !b.closed {
		t.Errorf("Close: %v, and the bucket is closed: %v; want it closed", err, b.closed)
	}
	if _, err := cloud.Open(t.Context(), schema(t), nil); err == nil || !strings.Contains(err.Error(), "bucket=s3://") {
		t.Errorf("Open without a bucket: %v; want an error that says how to give one", err)
	}
}

type closing struct {
	driver.Bucket
	closed bool
}

func (c *closing) Close() error {
	c.closed = true
	return nil
}

// What the URL does not say comes from the environment, such as a socket.
func TestEnvironment(t *testing.T) {
	url := schema(t)
	for name, value := range pgtest.Shared(t).Environment() {
		t.Setenv(name, value)
	}
	w := open(t, "pg://"+pgtest.User+"@/"+url[strings.LastIndexByte(url, '/')+1:], driver.NewMemory())
	if err := w.WriteMap(t.Context(), "m", []byte("{}")); err != nil {
		t.Error(err)
	}
	if ids, err := open(t, url, driver.NewMemory()).ListMaps(t.Context(), "", 0); err != nil || len(ids) != 1 {
		t.Errorf("ListMaps of the URL that says all = %q, %v; want the map", ids, err)
	}
}
