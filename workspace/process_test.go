package workspace_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/workspace"
)

// The tests of crashes run this program again as a writer, whose chance has a seed.
const (
	roleVar = "CITEKIT_TEST_ROLE"
	seedVar = "CITEKIT_TEST_SEED"
)

func TestMain(m *testing.M) {
	if role := os.Getenv(roleVar); role != "" {
		os.Exit(play(role, os.Getenv("STORE"), os.Stdout))
	}
	os.Exit(runWithSettings(m))
}

// runWithSettings runs the tests with a place for settings of their own, which
// the processes that they start share.
func runWithSettings(m *testing.M) int {
	dir, err := os.MkdirTemp("", "citekit-settings-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	for _, place := range []string{"HOME", "XDG_CONFIG_HOME", "AppData"} { // by system
		os.Setenv(place, dir)
	}
	return m.Run()
}

// roles are what a process of this program can do beside what play names.
var roles = map[string]func(ctx context.Context, dir string, out io.Writer) error{}

// play does what the writer of a role does, telling of every write before it
// begins (TRY) and when it is done (ACK).
func play(role, dir string, out io.Writer) int {
	ctx := context.Background()
	ws, err := workspace.Open(dir, &workspace.Options{MaxEvidenceBytes: 2 << 20})
	if err != nil {
		fmt.Fprintln(out, "ERR", err)
		return 1
	}
	defer ws.Close()
	seed, _ := strconv.ParseUint(os.Getenv(seedVar), 10, 64)
	random := rand.New(rand.NewPCG(seed, 0))
	switch role {
	case "maps":
		err = writeMaps(ctx, ws, out, random)
	case "evidence":
		err = writeEvidence(ctx, ws, out, random)
	case "pin":
		var v string
		v, err = pin(ctx, ws, "name", "guard", strconv.Itoa(os.Getpid()))
		fmt.Fprintln(out, v)
	case "count maps":
		for err == nil {
			if _, err = countMap(ctx, ws, "n"); err == nil {
				fmt.Fprintln(out, "map")
			}
		}
	case "count":
		for err == nil {
			for _, kind := range []string{"kind", workspace.PinNotes} {
				if _, err = count(ctx, ws, kind, "n"); err == nil {
					fmt.Fprintln(out, kind)
				}
			}
		}
	case "once":
		err = writeOnce(ctx, ws, out)
	default:
		err = roles[role](ctx, dir, out)
	}
	if err != nil {
		fmt.Fprintln(out, "ERR", err)
		return 1
	}
	return 0
}

// writeMaps replaces and adds maps until it is killed.
func writeMaps(ctx context.Context, ws *workspace.Directory, out io.Writer, random *rand.Rand) error {
	for i := 0; ; i++ {
		id := fmt.Sprintf("m%03d", random.IntN(40))
		switch i % 4 {
		case 1:
			id = fmt.Sprintf("New-%d-%d", os.Getpid(), i)
		case 3:
			id = fmt.Sprintf("Über %d", random.IntN(10))
		}
		data := fmt.Sprintf(`{"resource_id":%q,"pad":%q}`, id, strings.Repeat("x", random.IntN(20000)))
		path := newMapPath(id)
		fmt.Fprintln(out, "TRY", path, sum(data))
		if err := ws.WriteMap(ctx, id, []byte(data)); err != nil {
			return err
		}
		fmt.Fprintln(out, "ACK", path, sum(data))
	}
}

// writeEvidence stores, finds and pins until it is killed. The content of the
// evidence of a key is always the same.
func writeEvidence(ctx context.Context, ws *workspace.Directory, out io.Writer, random *rand.Rand) error {
	for {
		i := random.IntN(300)
		meta := citekit.EvidenceMeta{Name: fmt.Sprintf("e%d.txt", i), Size: -1}
		if _, err := ws.FindEvidence(ctx, keyOf(i)); err == nil && i%2 == 0 {
			continue
		}
		// A fast writer fills the budget before any evidence may be evicted.
		if _, err := ws.StoreEvidence(ctx, keyOf(i), meta, strings.NewReader(evidenceBody(i))); err != nil && !errors.Is(err, citekit.ErrTooLarge) {
			return err
		}
		version, err := pin(ctx, ws, fmt.Sprint(i%50), "", strconv.Itoa(os.Getpid()))
		if err != nil {
			return err
		}
		fmt.Fprintln(out, "PIN", i%50, version)
	}
}

// newMapPath returns where WriteMap puts a map that was not there.
func newMapPath(id string) string { return mapsDir + "/" + workspace.FileName(id) }

func evidenceBody(i int) string { return strings.Repeat(fmt.Sprintf("evidence %d\n", i), 10+i*7) }

// writeOnce replaces the map of "old" and stores some evidence.
func writeOnce(ctx context.Context, ws *workspace.Directory, out io.Writer) error {
	if err := ws.WriteMap(ctx, "old", []byte(newMap)); err != nil {
		return err
	}
	fmt.Fprintln(out, "ACK map")
	if _, err := pin(ctx, ws, "once", "", "v"); err != nil {
		return err
	}
	fmt.Fprintln(out, "ACK pin")
	if _, err := count(ctx, ws, "kind", "once"); err != nil {
		return err
	}
	fmt.Fprintln(out, "ACK note")
	if _, err := ws.ChangeNotes(ctx, "kind", []citekit.NoteChange{{Name: "first", Data: []byte("1")}, {Name: "second", Data: []byte("1")}}); err != nil {
		return err
	}
	fmt.Fprintln(out, "ACK both notes")
	_, err := ws.StoreEvidence(ctx, keyOf(1), citekit.EvidenceMeta{Name: "e1.txt", Size: -1}, strings.NewReader(evidenceBody(1)))
	return err
}

const (
	oldMap = `{"resource_id":"old","title":"the version of before"}`
	newMap = `{"resource_id":"old","title":"the version of afterwards, somewhat longer"}`
)

// process makes a command that runs this program in a role over dir.
func process(t testing.TB, role, dir string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), roleVar+"="+role, "STORE="+dir)
	return cmd
}

// killed runs processes in roles over dir at the same time, and kills them some
// milliseconds after each has told of something done. It returns what they said.
func killed(t testing.TB, random *rand.Rand, dir string, roles ...string) (said []string) {
	t.Helper()
	said = make([]string, len(roles))
	cmds := make([]*exec.Cmd, len(roles))
	var beginning, ending sync.WaitGroup
	for i, role := range roles {
		cmd := process(t, role, dir)
		cmd.Env = append(cmd.Env, fmt.Sprint(seedVar, "=", random.Uint32()))
		out, err := cmd.StdoutPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		cmds[i] = cmd
		late := time.AfterFunc(3*time.Minute, func() { cmd.Process.Kill() })
		beginning.Add(1)
		ending.Go(func() {
			begun := sync.OnceFunc(func() { late.Stop(); beginning.Done() })
			done := false
			for lines := bufio.NewReader(out); ; {
				line, err := lines.ReadString('\n')
				if err != nil {
					break // it may be cut off
				}
				said[i] += line
				if !strings.HasPrefix(line, "TRY ") {
					done = true
					begun()
				}
			}
			begun()
			cmd.Wait()
			if !done {
				t.Errorf("process %q did nothing in three minutes: %q", role, said[i])
			}
		})
	}
	beginning.Wait()
	time.Sleep(time.Duration(random.IntN(60)) * time.Millisecond)
	for _, cmd := range cmds {
		cmd.Process.Kill()
	}
	ending.Wait()
	return said
}

// long reports whether the tests may take minutes.
func long() bool { return sharedtest.Long() }

// rounds returns how often a test repeats what it does n times as a rule.
func rounds(n int) int {
	switch {
	case testing.Short():
		return max(n/10, 1)
	case long():
		return 4 * n
	}
	return n
}

// A journal is what writers said they did.
type journal struct {
	acked map[string]string          // path to content hash
	tried map[string]map[string]bool // path to content hashes
	pins  map[string]string
	acks  int
}

func newJournal() *journal {
	return &journal{acked: map[string]string{}, tried: map[string]map[string]bool{}, pins: map[string]string{}}
}

// read takes in what a writer said. Lines cut off at the end count for
// nothing.
func (j *journal) read(t testing.TB, r io.Reader) {
	lines := bufio.NewReader(r)
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			return
		}
		if msg, failed := strings.CutPrefix(line, "ERR "); failed {
			t.Errorf("a writer failed: %s", msg)
			continue
		}
		verb, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		i := strings.LastIndexByte(rest, ' ')
		path, value := rest[:i], rest[i+1:]
		switch verb {
		case "TRY":
			if j.tried[path] == nil {
				j.tried[path] = make(map[string]bool)
			}
			j.tried[path][value] = true
		case "ACK":
			j.acked[path] = value
			j.acks++
		case "PIN":
			if old, ok := j.pins[path]; ok && old != value {
				t.Errorf("pin %s changed from %s to %s", path, old, value)
			}
			j.pins[path] = value
			j.acks++
		}
	}
}

// check checks the store against what was said of it: every map is there,
// whole, in the version acknowledged last or one begun later.
func (j *journal) check(t testing.TB, dir string) {
	t.Helper()
	ctx := context.Background()
	ws := open(t, dir, nil)
	defer ws.Close() // the file system may be unmounted next
	for path, acked := range j.acked {
		data, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(path)))
		if got := sum(string(data)); err != nil || got != acked && !j.tried[path][got] {
			t.Errorf("%s: %d bytes that nobody wrote, %v", path, len(data), err)
		}
	}
	ids, err := ws.ListMaps(ctx, "", 0)
	if err != nil {
		t.Error(err)
	}
	for _, id := range ids {
		data, _, err := ws.ReadMap(ctx, id, 1<<20)
		if path := newMapPath(id); err != nil || !j.tried[path][sum(string(data))] {
			t.Errorf("map %q: %d bytes that nobody wrote, %v", id, len(data), err)
		}
	}
	for name, version := range j.pins {
		if got, err := pin(ctx, ws, name, "", "other"); err != nil || got != version {
			t.Errorf("pin %s is %q, %v; it was %q", name, got, err, version)
		}
	}
	for i := range 300 {
		checkEvidence(t, ws, keyOf(i), evidenceBody(i))
	}
}

// Writers are killed again and again; what they acknowledged is there.
func TestKilledWriters(t *testing.T) {
	sharedtest.NotShort(t)
	rounds := 4
	if long() {
		rounds = 500
	}
	dir, random := t.TempDir(), sharedtest.Rand(t)
	j := newJournal()
	for round := range rounds {
		for _, role := range []string{"maps", "evidence"} {
			j.read(t, strings.NewReader(killed(t, random, dir, role)[0]))
		}
		if round%20 == 0 || round == rounds-1 {
			j.check(t, dir)
		}
	}
	t.Logf("%d acknowledged writes, %d kills", j.acks, 2*rounds)
}

// checkOnce checks the store after a writer in the role "once" was
// interrupted, having said said.
func checkOnce(t testing.TB, dir, said string) {
	t.Helper()
	ctx := context.Background()
	ws := open(t, dir, nil)
	ids, err := ws.ListMaps(ctx, "", 0)
	if err != nil || len(ids) != 1 || ids[0] != "old" {
		t.Errorf("ListMaps = %q, %v", ids, err)
	}
	data, _, err := ws.ReadMap(ctx, "old", 1000)
	if err != nil || string(data) != newMap && (string(data) != oldMap || strings.Contains(said, "ACK map")) {
		t.Errorf("the map is %q, %v", data, err)
	}
	if strings.Contains(said, "ACK pin") {
		if v, err := pin(ctx, ws, "once", "", "other"); err != nil || v != "v" {
			t.Errorf("the pin is %q, %v", v, err)
		}
	}
	if strings.Contains(said, "ACK note") {
		if data, _, err := ws.ReadNote(ctx, "kind", "once"); err != nil || string(data) != "1" {
			t.Errorf("the note is %q, %v", data, err)
		}
	}
	_, _, first := ws.ReadNote(ctx, "kind", "first")
	_, _, second := ws.ReadNote(ctx, "kind", "second")
	if strings.Contains(said, "ACK both") && second != nil || second == nil && first != nil {
		t.Errorf("notes that are written together: %v, %v", first, second)
	}
	checkEvidence(t, ws, keyOf(1), evidenceBody(1))
	if _, err := ws.FindEvidence(ctx, keyOf(2)); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}
