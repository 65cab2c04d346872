package command

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// A member is a made-up user of the machine, who runs the command in a folder
// that is shared with others.
type member struct {
	t            *testing.T
	program      string
	dir, home    string
	uid, gid     uint32
	group        uint32 // that the folder is shared with; 0 for a stranger
	key          string
	fileMode     string
	withoutGroup bool // of what is written
}

// run runs the command and returns what it prints, and whether it went well.
func (m *member) run(args ...string) (stdout, stderr string, ok bool) {
	m.t.Helper()
	cmd := exec.CommandContext(m.t.Context(), m.program, append([]string{"--dir", m.dir}, args...)...)
	cmd.Dir = m.home
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + m.home, "CITEKIT_FILE_MODE=" + m.fileMode, "CITEKIT_KEY_FILE=" + m.key}
	credential := &syscall.Credential{Uid: m.uid, Gid: m.gid}
	if m.group != 0 {
		credential.Groups = []uint32{m.group}
	}
	if m.group != 0 && !m.withoutGroup {
		cmd.Env = append(cmd.Env, fmt.Sprint("CITEKIT_GROUP=", m.group))
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: credential}
	var out, complaint bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &complaint
	err := cmd.Run()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		m.t.Fatal(err)
	}
	return out.String(), complaint.String(), err == nil
}

// must is run for what must go well.
func (m *member) must(args ...string) string {
	m.t.Helper()
	out, complaint, ok := m.run(args...)
	if !ok {
		m.t.Fatalf("user %d: citekit %s: %s", m.uid, strings.Join(args, " "), complaint)
	}
	return out
}

// resolved is what resolve prints of evidence.
type resolved struct {
	Path   string `json:"output_path"`
	SHA256 string `json:"sha256"`
}

func (m *member) resolve(id string) (r resolved) {
	m.t.Helper()
	if err := json.Unmarshal([]byte(m.must("resolve", "--json", id)), &r); err != nil {
		m.t.Fatal(err)
	}
	return r
}

// shareFolder makes a folder of a group, and returns users who are in it.
func shareFolder(t *testing.T, mode string, users ...uint32) (members []*member) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("it takes root to run the command as several users")
	}
	const group = 64_001
	outer, err := os.MkdirTemp("", "citekit-shared-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(outer) })
	program := filepath.Join(outer, "citekit")
	own, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(own)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(outer, "folder")
	keys := filepath.Join(outer, "keys")
	err = errors.Join(os.Chmod(outer, 0o755), os.WriteFile(program, data, 0o700), os.Chmod(program, 0o755),
		os.Mkdir(dir, 0o700), os.Chown(dir, 0, group), os.Chmod(dir, fs.ModeSetgid|0o770),
		os.Mkdir(keys, 0o700), os.Chown(keys, 0, group), os.Chmod(keys, 0o770),
		os.WriteFile(filepath.Join(dir, "poem.txt"), []byte("# One\nroses\n\n# Two\nviolets\n"), 0o600),
		os.Chown(filepath.Join(dir, "poem.txt"), 0, group), os.Chmod(filepath.Join(dir, "poem.txt"), 0o640))
	if err != nil {
		t.Fatal(err)
	}
	for _, uid := range users {
		home := filepath.Join(outer, fmt.Sprint("home", uid))
		must(t, errors.Join(os.Mkdir(home, 0o700), os.Chown(home, int(uid), int(uid))))
		members = append(members, &member{t: t, program: program, dir: dir, home: home, uid: uid, gid: uid,
			group: group, key: filepath.Join(keys, "evidence.key"), fileMode: mode})
	}
	return members
}

// checkModes checks what everything that citekit wrote belongs to and allows.
func checkModes(t *testing.T, dir string, group uint32, file, folder fs.FileMode) {
	t.Helper()
	for _, own := range []string{".resource_maps", ".citekit_output"} {
		err := filepath.WalkDir(filepath.Join(dir, own), func(path string, entry fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			info, err := entry.Info()
			if err != nil {
				return err
			}
			want := file
			if entry.IsDir() {
				want = fs.ModeDir | folder
			}
			if gid := info.Sys().(*syscall.Stat_t).Gid; info.Mode() != want || gid != group {
				t.Errorf("%s: %v of group %d; want %v of %d", path, info.Mode(), gid, want, group)
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
}

// Two users of a folder write maps, evidence and notes in turn and at once, and
// each uses what the other made.
func TestSharedFolder(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: not with -short")
	}
	users := shareFolder(t, "0660", 64_002, 64_003)
	a, b := users[0], users[1]
	a.must("ingest", "poem.txt")
	made := a.resolve("text://poem#lines=1-2")
	before, err := os.Stat(made.Path)
	if err != nil {
		t.Fatal(err)
	}
	found := b.resolve("text://poem#lines=1-2")
	after, err := os.Stat(found.Path)
	if err != nil {
		t.Fatal(err)
	}
	if found != made || !os.SameFile(before, after) {
		t.Errorf("the evidence of another was made again: %v, %v", made, found)
	}
	if out := b.must("search", "violets"); !strings.Contains(out, "text://poem#") {
		t.Errorf("search: %s", out)
	}
	b.must("ingest", "poem.txt", "--force")
	var together sync.WaitGroup
	for i := range 4 {
		for _, user := range users {
			together.Go(func() {
				file := filepath.Join(user.dir, fmt.Sprintf("%d-%d.txt", user.uid, i))
				if err := errors.Join(os.WriteFile(file, []byte("tulips\nof "+filepath.Base(file)+"\n"), 0o600), os.Chmod(file, 0o644)); err != nil {
					t.Error(err)
					return
				}
				for _, args := range [][]string{{"ingest", filepath.Base(file)}, {"resolve", "text://poem#lines=1-4"}, {"search", "tulips"}} {
					if _, complaint, ok := user.run(args...); !ok {
						t.Errorf("user %d: %s: %s", user.uid, strings.Join(args, " "), complaint)
					}
				}
			})
		}
	}
	together.Wait()
	for _, user := range users {
		if n := strings.Count(user.must("list"), "\n"); n != 9 {
			t.Errorf("user %d sees %d maps", user.uid, n)
		}
		if out := user.must("search", "tulips", "--top-k", "20"); strings.Count(out, "text://") < 8 {
			t.Errorf("user %d finds %s", user.uid, out)
		}
	}
	b.must("rm", "poem")
	a.must("prune", "--yes")
	checkModes(t, a.dir, a.group, 0o660, fs.ModeSetgid|0o770)
}

// With keys of their own, evidence of others is made again and never believed.
func TestSharedFolderOwnKeys(t *testing.T) {
	users := shareFolder(t, "0660", 64_002, 64_003)
	a, b := users[0], users[1]
	a.key, b.key = "", ""
	a.must("ingest", "poem.txt")
	made := a.resolve("text://poem#lines=1-2")
	must(t, os.WriteFile(made.Path, []byte("forged\n"), 0o660))
	found := b.resolve("text://poem#lines=1-2")
	data, err := os.ReadFile(found.Path)
	if err != nil || found != made || string(data) != "# One\nroses\n" {
		t.Errorf("%v, then %v: %q, %v", made, found, data, err)
	}
	if again := a.resolve("text://poem#lines=1-2"); again != made {
		t.Errorf("then %v", again)
	}
}

// Members who may only read find what is there, and are told what they cannot do.
func TestSharedFolderToRead(t *testing.T) {
	users := shareFolder(t, "0640", 64_002, 64_003, 64_004)
	a, b, stranger := users[0], users[1], users[2]
	a.must("ingest", "poem.txt")
	made := a.resolve("text://poem#lines=1-2")
	must(t, os.Chmod(filepath.Dir(a.key), 0o750))
	if found := b.resolve("text://poem#lines=1-2"); found != made {
		t.Errorf("found %v; want %v", found, made)
	}
	if _, complaint, ok := b.run("resolve", "text://poem#lines=4-5"); ok || !strings.Contains(complaint, "the evidence directory cannot be written: permission denied") {
		t.Errorf("one who may not write: %s", complaint)
	}
	checkModes(t, a.dir, a.group, 0o640, fs.ModeSetgid|0o750)
	stranger.group, stranger.key = 0, ""
	if _, complaint, ok := stranger.run("resolve", "text://poem#lines=1-2"); ok {
		t.Errorf("a stranger reads: %s", complaint)
	}
	must(t, os.Chmod(a.key, 0o644))
	if _, complaint, ok := a.run("resolve", "text://poem#lines=1-2"); ok || !strings.Contains(complaint, "the key file: others than its owner and its group may read it") {
		t.Errorf("a key that all may read: %s", complaint)
	}
}
