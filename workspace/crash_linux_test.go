package workspace_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/test/faulttest"
	"github.com/citekit/citekit/internal/test/sharedtest"
)

// A writer is killed at, or gets an error from, every system call that can
// change the store, one after the other. There is the old map or the new one,
// and a failure is never reported as success.
func TestFaultAtEachCall(t *testing.T) {
	if !long() {
		t.Skip("takes a minute or two; set CITEKIT_LONG")
	}
	strace := sharedtest.Tool(t, "strace")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	runs := 0
	for _, fault := range faulttest.SystemCalls() {
		call, _, _ := strings.Cut(fault, ":")
		untouched := 0
		for n := 1; n <= 80 && untouched < 2; n++ {
			dir := t.TempDir()
			if err := open(t, dir, nil).WriteMap(context.Background(), "old", []byte(oldMap)); err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command(strace, "-f", "-qq", "-o", filepath.Join(dir, "trace"), "-e", "trace="+call, "-e", fmt.Sprintf("inject=%s:when=%d", fault, n), self)
			cmd.Env = process(t, "once", dir).Env
			out, err := cmd.CombinedOutput()
			runs++
			if err == nil && bytes.Contains(out, []byte("ERR")) {
				t.Errorf("%s #%d: status 0 with an error: %s", fault, n, out)
			}
			trace, _ := os.ReadFile(filepath.Join(dir, "trace"))
			if !bytes.Contains(trace, []byte("INJECTED")) && !bytes.Contains(trace, []byte("SIGKILL")) {
				untouched++
			}
			checkOnce(t, dir, string(out))
			if t.Failed() {
				t.Fatalf("%s #%d: %s", fault, n, out)
			}
			os.RemoveAll(dir)
		}
	}
	t.Logf("%d runs", runs)
}

// mountTmpfs mounts a small file system, where that is possible.
func mountTmpfs(t testing.TB, options string) string {
	t.Helper()
	dir := t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, options); err != nil {
		t.Skipf("cannot mount: %v", err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(dir, unix.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// On a full file system errors say so, the old versions are intact, and
// writing works again when there is room.
func TestFullFileSystem(t *testing.T) {
	for _, options := range []string{"size=2m", "nr_inodes=40"} {
		dir, ctx := mountTmpfs(t, options), context.Background()
		d := open(t, dir, nil)
		if err := d.WriteMap(ctx, "old", []byte(oldMap)); err != nil {
			t.Fatal(err)
		}
		store(t, d, keyOf(1), "e1.txt", evidenceBody(1))
		var full error
		for i := 0; full == nil && i < 1000; i++ {
			full = d.WriteMap(ctx, fmt.Sprint("m", i), bytes.Repeat([]byte("x"), 30000))
		}
		if full == nil || !strings.Contains(full.Error(), "no space left") {
			t.Fatalf("%s: %v", options, full)
		}
		big := strings.Repeat("x", 4<<20)
		_, err := d.StoreEvidence(ctx, keyOf(2), citekit.EvidenceMeta{Name: "e2", Size: int64(len(big))}, strings.NewReader(big))
		if err == nil || !strings.Contains(err.Error(), "no space left") {
			t.Errorf("%s: %v", options, err)
		}
		if err := d.WriteMap(ctx, "old", bytes.Repeat([]byte("x"), 50000)); err == nil {
			t.Errorf("%s: a map was replaced on a full file system", options)
		}
		if data, _, err := d.ReadMap(ctx, "old", 1000); err != nil || string(data) != oldMap {
			t.Errorf("%s: the old map is %.30q, %v", options, data, err)
		}
		if !checkEvidence(t, d, keyOf(1), evidenceBody(1)) {
			t.Errorf("%s: evidence is gone", options)
		}
		for _, name := range []string{mapsDir, ".citekit_output/.meta/tmp"} {
			temps, _ := filepath.Glob(filepath.Join(dir, name, ".tmp-*"))
			if len(temps) > 0 {
				t.Errorf("%s: left behind: %v", options, temps)
			}
		}
		for i := range 10 {
			os.Remove(filepath.Join(dir, mapsDir, fmt.Sprintf("m%d.json", i)))
		}
		if err := d.WriteMap(ctx, "old", []byte(newMap)); err != nil {
			t.Errorf("%s: with room again: %v", options, err)
		}
	}
}

func TestReadOnlyFileSystem(t *testing.T) {
	dir, ctx := mountTmpfs(t, "size=2m"), context.Background()
	d := open(t, dir, nil)
	if err := d.WriteMap(ctx, "old", []byte(oldMap)); err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(dir, "a.txt"), "a")
	store(t, d, keyOf(1), "e1.txt", evidenceBody(1))
	if err := unix.Mount("", dir, "", unix.MS_REMOUNT|unix.MS_RDONLY, ""); err != nil {
		t.Skip(err)
	}
	if err := d.WriteMap(ctx, "old", []byte(newMap)); err == nil || !strings.Contains(err.Error(), "read-only") {
		t.Errorf("WriteMap: %v", err)
	}
	if _, err := d.StoreEvidence(ctx, keyOf(2), citekit.EvidenceMeta{Name: "e", Size: -1}, strings.NewReader("")); err == nil || !strings.Contains(err.Error(), "read-only") {
		t.Errorf("StoreEvidence: %v", err)
	}
	fresh := open(t, dir, nil)
	if data, _, err := fresh.ReadMap(ctx, "old", 1000); err != nil || string(data) != oldMap {
		t.Errorf("ReadMap = %q, %v", data, err)
	}
	if !checkEvidence(t, fresh, keyOf(1), evidenceBody(1)) {
		t.Error("evidence is not found")
	}
	src, err := fresh.OpenSource(ctx, "a.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	if hash, err := src.Hash(ctx); err != nil || hash != sum("a") {
		t.Errorf("Hash = %s, %v", hash, err)
	}
}

// On a full file system notes stay as they were, no change is told that was not
// made, and changes work again when there is room.
func TestNotesOnFullFileSystem(t *testing.T) {
	dir, ctx := mountTmpfs(t, "size=512k"), context.Background()
	d := open(t, dir, nil)
	want := map[string]string{"first": "kept"}
	writeNote(t, d, "first", "kept", citekit.Stamp{})
	body := bytes.Repeat([]byte("x"), 10000)
	var full error
	for i := 0; full == nil && i < 1000; i++ {
		name := fmt.Sprint("n", i)
		if _, full = d.WriteNoteIf(ctx, "kind", name, body, citekit.Stamp{}); full == nil {
			want[name] = string(body)
		}
	}
	if full == nil || !strings.Contains(full.Error(), "no space left") || strings.Contains(full.Error(), dir) {
		t.Fatal(full)
	}
	stamps := checkNotes(t, d, want)
	batch := []citekit.NoteChange{
		{Name: "first", Data: body, Stamp: stamps["first"]},
		{Name: "n0", Stamp: stamps["n0"]},
		{Name: "more", Data: body},
	}
	if _, err := d.ChangeNotes(ctx, "kind", batch); err == nil {
		t.Error("notes were changed on a full file system")
	}
	checkNotes(t, d, want)
	checkNotes(t, open(t, dir, nil), want)
	if err := unix.Mount("tmpfs", dir, "tmpfs", unix.MS_REMOUNT, "size=4m"); err != nil {
		t.Skip(err)
	}
	if _, err := d.ChangeNotes(ctx, "kind", batch); err != nil {
		t.Fatal("with room again:", err)
	}
	want["first"], want["more"] = string(body), string(body)
	delete(want, "n0")
	checkNotes(t, d, want)
	checkNotes(t, open(t, dir, nil), want)
}

func TestNotesOnReadOnlyFileSystem(t *testing.T) {
	dir, ctx := mountTmpfs(t, "size=2m"), context.Background()
	d := open(t, dir, nil)
	stamp := writeNote(t, d, "first", "kept", citekit.Stamp{})
	if err := unix.Mount("", dir, "", unix.MS_REMOUNT|unix.MS_RDONLY, ""); err != nil {
		t.Skip(err)
	}
	if _, err := d.WriteNoteIf(ctx, "kind", "first", []byte("new"), stamp); err == nil || !strings.Contains(err.Error(), "read-only") {
		t.Errorf("WriteNoteIf: %v", err)
	}
	if err := d.DeleteNoteIf(ctx, "kind", "first", stamp); err == nil || !strings.Contains(err.Error(), "read-only") {
		t.Errorf("DeleteNoteIf: %v", err)
	}
	for _, ws := range []citekit.NoteStore{d, open(t, dir, nil)} {
		checkNotes(t, ws, map[string]string{"first": "kept"})
	}
}

// While a source and a link to a secret change places as fast as they can, no
// open ever reads the secret, and a hash is that of the bytes read.
func TestSwappedSource(t *testing.T) {
	opens := rounds(2000)
	if long() {
		opens = 20000
	}
	outer := t.TempDir()
	root, ctx := filepath.Join(outer, "root"), context.Background()
	good := strings.Repeat("good line\n", 50)
	writeFile(t, filepath.Join(outer, "secret.txt"), canary)
	writeFile(t, filepath.Join(root, "doc.txt"), good)
	symlink(t, filepath.Join(outer, "secret.txt"), filepath.Join(root, "evil"))
	done, swaps := make(chan struct{}), make(chan int)
	go func() {
		n := 0
		for {
			select {
			case <-done:
				swaps <- n
				return
			default:
			}
			if unix.Renameat2(unix.AT_FDCWD, root+"/doc.txt", unix.AT_FDCWD, root+"/evil", unix.RENAME_EXCHANGE) == nil {
				n++
			}
		}
	}()
	d := open(t, root, nil)
	read := 0
	for range opens {
		src, err := d.OpenSource(ctx, "doc.txt")
		if err != nil {
			continue
		}
		data := make([]byte, src.Size())
		src.ReadAt(data, 0)
		if string(data) != good {
			t.Fatalf("read %q", data)
		}
		if hash, err := src.Hash(ctx); err == nil && hash != sum(good) {
			t.Fatalf("hash %s", hash)
		}
		src.Close()
		read++
	}
	close(done)
	if n := <-swaps; n < 100 || read == 0 {
		t.Logf("%d swaps, %d of %d opens read the file: this shows little", n, read, opens)
	} else {
		t.Logf("%d swaps, %d of %d opens read the file", n, read, opens)
	}
}

// A loss of power is played by shutting down a file system under the writers
// without writing its log. What was acknowledged before is there afterwards.
func TestPowerCut(t *testing.T) {
	if !long() {
		t.Skip("takes minutes; set CITEKIT_LONG")
	}
	for _, fs := range []struct{ mkfs, size, options string }{
		{"mkfs.ext4", "96M", "commit=1"},
		{"mkfs.ext4", "96M", "commit=600"},
		{"mkfs.xfs", "400M", ""},
	} {
		t.Run(strings.TrimPrefix(fs.mkfs, "mkfs.")+fs.options, func(t *testing.T) {
			mkfs := sharedtest.Tool(t, fs.mkfs)
			work := t.TempDir()
			image, mount := filepath.Join(work, "image"), filepath.Join(work, "mount")
			os.Mkdir(mount, 0o755)
			run(t, "truncate", "-s", fs.size, image)
			run(t, mkfs, "-q", image)
			loop := strings.TrimSpace(run(t, "losetup", "-f", "--show", image))
			defer run(t, "losetup", "-d", loop)
			j, random := newJournal(), sharedtest.Rand(t)
			for range 25 {
				run(t, "mount", "-o", "rw,"+fs.options, loop, mount)
				j.check(t, mount)
				if t.Failed() {
					run(t, "umount", mount)
					return
				}
				cutPower(t, random, mount, j)
				unmount(t, mount)
			}
			t.Logf("%d acknowledged writes, 25 cuts", j.acks)
		})
	}
}

// cutPower runs writers and shuts the file system down under them.
func cutPower(t *testing.T, random *rand.Rand, mount string, j *journal) {
	t.Helper()
	type writer struct {
		cmd *exec.Cmd
		out *os.File
	}
	var writers []writer
	for _, role := range []string{"maps", "evidence"} {
		out, err := os.CreateTemp(t.TempDir(), role)
		if err != nil {
			t.Fatal(err)
		}
		cmd := process(t, role, mount)
		cmd.Env = append(cmd.Env, fmt.Sprint(seedVar, "=", random.Uint32()))
		cmd.Stdout = out
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		writers = append(writers, writer{cmd, out})
	}
	time.Sleep(time.Duration(100+random.IntN(500)) * time.Millisecond)
	before := make([]int64, len(writers))
	for i, w := range writers { // what was said before the cut counts
		info, err := w.out.Stat()
		if err != nil {
			t.Fatal(err)
		}
		before[i] = info.Size()
	}
	const shutdown, noLogFlush = 0x8004587d, 2
	d, err := os.Open(mount)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.IoctlSetPointerInt(int(d.Fd()), shutdown, noLogFlush); err != nil {
		t.Fatal(err)
	}
	d.Close()
	for i, w := range writers {
		w.cmd.Process.Kill()
		w.cmd.Wait()
		said, err := os.ReadFile(w.out.Name())
		if err != nil {
			t.Fatal(err)
		}
		j.read(t, bytes.NewReader(said[:before[i]]))
		later := newJournal()
		later.read(discardErrors{t}, bytes.NewReader(said[before[i]:]))
		for path, tried := range later.tried {
			for hash := range tried {
				if j.tried[path] == nil {
					j.tried[path] = make(map[string]bool)
				}
				j.tried[path][hash] = true
			}
		}
		w.out.Close()
	}
}

// discardErrors lets writers fail after the cut.
type discardErrors struct{ testing.TB }

func (discardErrors) Errorf(string, ...any) {}

func unmount(t *testing.T, mount string) {
	t.Helper()
	for range 50 {
		if unix.Unmount(mount, 0) == nil {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatal("cannot unmount")
}

func run(t *testing.T, name string, args ...string) string {
	t.Helper()
	out, err := exec.Command(name, args...).CombinedOutput()
	if err != nil {
		t.Skipf("%s: %v: %s", name, err, out)
	}
	return string(out)
}
