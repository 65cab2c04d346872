package e2e

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/citekit/citekit/internal/test/sharedtest"
)

// A replay does in folders what a Dockerfile says, where there is no engine for
// containers. A stage that builds runs on this machine, in a folder that stands
// for its root: so its instructions may write to relative paths alone.
type replay struct {
	t      *testing.T
	stages map[string]stage
	roots  map[string]string // of the stages that are done
}

func newReplay(t *testing.T) *replay {
	r := &replay{t: t, stages: make(map[string]stage), roots: make(map[string]string)}
	for _, s := range readDockerfile(t) {
		r.stages[s.name] = s
	}
	return r
}

// stage replays a stage, after those that it copies from, and returns its root.
func (r *replay) stage(name string) string {
	r.t.Helper()
	if root, ok := r.roots[name]; ok {
		return root
	}
	root, dir := r.t.TempDir(), "/"
	if err := os.Chmod(root, 0o755); err != nil {
		r.t.Fatal(err)
	}
	r.roots[name] = root
	env := []string{}
	for _, i := range r.stages[name].instructions {
		switch i.name {
		case "ARG":
			variable, value, _ := strings.Cut(i.arguments, "=")
			if variable == "TARGETARCH" {
				value = runtime.GOARCH
			}
			env = append(env, variable+"="+value)
		case "WORKDIR":
			dir = i.arguments
			r.must(os.MkdirAll(filepath.Join(root, dir), 0o755))
		case "COPY":
			r.copy(i, root, dir)
		case "RUN":
			run := exec.CommandContext(r.t.Context(), "sh", "-c", i.arguments)
			run.Dir, run.Env = filepath.Join(root, dir), append(os.Environ(), env...)
			if out, err := run.CombinedOutput(); err != nil {
				r.t.Fatalf("line %d: %v\n%s", i.line, err, out)
			}
		}
	}
	return root
}

// copy replays COPY, from the source tree or from another stage.
func (r *replay) copy(i instruction, root, dir string) {
	r.t.Helper()
	words := strings.Fields(i.arguments)
	from, to := words[:len(words)-1], words[len(words)-1]
	if !filepath.IsAbs(to) {
		to = filepath.Join(dir, to)
	}
	to = filepath.Join(root, to)
	r.must(os.MkdirAll(to, 0o755))
	if source := i.flag("from"); source == "" {
		for _, name := range from {
			r.copyContext(name, to)
		}
	} else {
		output(r.t, "cp", "-R", "--preserve=mode", filepath.Join(r.stage(source), from[0])+"/.", to)
	}
	if owner := i.flag("chown"); owner != "" {
		output(r.t, "chown", "-R", owner, to)
	}
}

// copyContext copies what there is below a path of the source tree, but for what
// .dockerignore leaves out.
func (r *replay) copyContext(name, to string) {
	r.t.Helper()
	ignored, err := os.ReadFile(filepath.Join("..", "..", "..", ".dockerignore"))
	r.must(err)
	top := filepath.Join("..", "..", "..", name)
	r.must(filepath.WalkDir(top, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel("../../..", file)
		if err != nil {
			return err
		}
		for pattern := range strings.Lines(string(ignored)) {
			if pattern = strings.TrimSpace(pattern); pattern == "" || pattern[0] == '#' || !ignores(pattern, rel) {
				continue
			}
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		target := filepath.Join(to, rel)
		if file == top { // a file goes into the folder without those above it
			target = filepath.Join(to, d.Name())
		}
		if d.IsDir() {
			return os.MkdirAll(target, 0o755)
		}
		if !d.Type().IsRegular() {
			return nil
		}
		data, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		return os.WriteFile(target, data, info.Mode().Perm())
	}))
}

func (r *replay) must(err error) {
	r.t.Helper()
	if err != nil {
		r.t.Fatal(err)
	}
}

// A container runs programs in the root of a stage as an engine would, with
// --read-only, --tmpfs /tmp and --security-opt no-new-privileges: in namespaces of
// mounts and of the network, as the user that the stage names, with a root file
// system that is mounted read-only and the volumes elsewhere.
type container struct {
	t       *testing.T
	stage   stage
	root    string
	volumes string
	holder  int // process that keeps the network
}

// enter is what a program is started through: the arguments are the root, the
// folder of the volumes, the user and group, the volumes until "--", and the
// program. Mounts end with the program.
const enter = `set -e
root=$1 volumes=$2 uid=$3 gid=$4; shift 4
mount --make-rprivate /
mount --bind "$root" "$root"
while [ "$1" != -- ]; do mount --bind "$volumes$1" "$root$1"; shift; done; shift
mount -t tmpfs -o mode=1777 tmpfs "$root/tmp"
mount --rbind /proc "$root/proc"
mount --bind /dev "$root/dev"
mount -o remount,bind,ro "$root"
exec setpriv --no-new-privs chroot --userspec="$uid:$gid" --groups= "$root" "$@"`

func newContainer(t *testing.T, r *replay, name string) *container {
	t.Helper()
	c := &container{t: t, stage: r.stages[name], root: r.stage(name), volumes: t.TempDir()}
	for _, dir := range []string{"proc", "dev"} { // which an engine makes
		r.must(os.MkdirAll(filepath.Join(c.root, dir), 0o555))
	}
	r.must(os.Chmod(c.volumes, 0o755))
	for _, volume := range c.volumeNames() {
		place := filepath.Join(c.volumes, volume)
		r.must(os.MkdirAll(filepath.Dir(place), 0o755))
		output(t, "cp", "-R", "--preserve=all", filepath.Join(c.root, volume), place) // as a new volume begins
	}
	holder := exec.CommandContext(t.Context(), "unshare", "--net", "sh", "-c", "ip link set lo up && echo up && exec cat")
	in, err := holder.StdinPipe()
	r.must(err)
	out, err := holder.StdoutPipe()
	r.must(err)
	r.must(holder.Start())
	t.Cleanup(func() { in.Close(); holder.Wait() })
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "up\n" {
		t.Fatalf("a network of its own: %q, %v", line, err)
	}
	c.holder = holder.Process.Pid
	return c
}

func (c *container) volumeNames() []string {
	names, err := c.stage.all("VOLUME")[0].list()
	if err != nil {
		c.t.Fatal(err)
	}
	return names
}

// command returns a program of the container, as the image says it is run.
func (c *container) command(ctx context.Context, args ...string) *exec.Cmd {
	uid, gid, _ := strings.Cut(c.stage.all("USER")[0].arguments, ":")
	list := []string{"--net=/proc/" + strconv.Itoa(c.holder) + "/ns/net", "unshare", "--mount", "sh", "-c", enter, "sh",
		c.root, c.volumes, uid, gid}
	list = append(list, c.volumeNames()...)
	cmd := exec.CommandContext(ctx, "nsenter", append(append(list, "--"), args...)...)
	for _, i := range c.stage.all("ENV") {
		cmd.Env = append(cmd.Env, strings.Fields(i.arguments)...)
	}
	cmd.Env = append(cmd.Env, "PATH="+os.Getenv("PATH")) // until the program begins
	return cmd
}

// run runs a program to its end and returns what it printed.
func (c *container) run(args ...string) (string, error) {
	cmd := c.command(c.t.Context(), args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("%q: %w\n%s", args, err, stderr.Bytes())
	}
	return string(out), err
}

// place returns where a path of the container is on this machine.
func (c *container) place(path string) string {
	for _, volume := range c.volumeNames() {
		if path == volume || strings.HasPrefix(path, volume+"/") {
			return filepath.Join(c.volumes, path)
		}
	}
	return filepath.Join(c.root, path)
}

// write writes a file for the user of the container.
func (c *container) write(path, text string) {
	c.t.Helper()
	file := c.place(path)
	writeFile(c.t, file, []byte(text))
	output(c.t, "chown", strings.Fields(c.stage.all("USER")[0].arguments)[0], file)
}

// needContainer skips a test where this user cannot make a container.
func needContainer(t *testing.T) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root can change the root folder")
	}
	for _, program := range []string{"unshare", "nsenter", "setpriv", "ip", "curl"} {
		sharedtest.Tool(t, program)
	}
	if out, err := exec.Command("unshare", "--net", "--mount", "true").CombinedOutput(); err != nil {
		t.Skipf("no namespaces here: %v: %s", err, out)
	}
}

// TestContainer builds the image without an engine, and runs in it what docs and
// manifests run: a key is made, files are mapped, and the server answers its probe
// and a client with that key until it is told to stop.
func TestContainer(t *testing.T) {
	needContainer(t)
	c := newContainer(t, newReplay(t), "citekit")
	c.checkFiles()
	c.write("/srv/citekit/guide.md", installGuide)
	citekit := func(args ...string) string {
		t.Helper()
		out, err := c.run(append([]string{"/usr/local/bin/citekit"}, args...)...)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	if out := citekit("ingest", "guide.md", "--dir", "/srv/citekit"); !strings.Contains(out, "guide") {
		t.Errorf("ingest: %s", out)
	}
	key := tokenIn(citekit("key", "new", "--keys", "/var/lib/citekit/keys.json", "--workspace", "main"))
	if key == "" {
		t.Fatal("no key")
	}
	server := c.start()
	health := c.stage.all("HEALTHCHECK")[0].arguments
	health = health[strings.Index(health, "["):]
	var probe []string
	if err := json.Unmarshal([]byte(health), &probe); err != nil {
		t.Fatal(err)
	}
	if _, err := c.run(probe...); err != nil {
		t.Errorf("the probe of the image: %v", err)
	}
	if tools := c.call(key, "tools/list"); !strings.Contains(tools, `"getNode"`) {
		t.Errorf("tools/list: %s", tools)
	}
	if refused := c.call(key+"x", "tools/list"); !strings.Contains(refused, "401") {
		t.Errorf("with another key: %s", refused)
	}
	server.stop()
	if _, err := c.run(probe...); err == nil {
		t.Error("the server is well after its end")
	}
}

// checkFiles checks whose the files of the image are, and that its root has nothing
// that its user could write.
func (c *container) checkFiles() {
	c.t.Helper()
	var writable []string
	err := filepath.WalkDir(c.root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		stat := info.Sys().(*syscall.Stat_t)
		if stat.Uid != 0 || info.Mode().Perm()&0o022 != 0 {
			writable = append(writable, strings.TrimPrefix(path, c.root))
		}
		return nil
	})
	if err != nil {
		c.t.Fatal(err)
	}
	slices.Sort(writable)
	want := append(c.volumeNames(), "/tmp")
	slices.Sort(want)
	if !slices.Equal(writable, want) {
		c.t.Errorf("its user could write %q, not only %q", writable, want)
	}
	if _, err := c.run("/usr/local/bin/citekit", "ingest", "/etc/passwd", "--dir", "/etc/citekit"); err == nil {
		c.t.Error("it wrote a map into the root file system")
	}
}

// A contained is a server in a container.
type contained struct {
	t   *testing.T
	cmd *exec.Cmd
	log *bufio.Scanner
}

// start starts the server as the image says, and returns when it listens.
func (c *container) start() *contained {
	c.t.Helper()
	var args []string
	for _, name := range []string{"ENTRYPOINT", "CMD"} {
		list, err := c.stage.all(name)[0].list()
		if err != nil {
			c.t.Fatal(err)
		}
		args = append(args, list...)
	}
	s := &contained{t: c.t, cmd: c.command(c.t.Context(), args...)}
	stderr, err := s.cmd.StderrPipe()
	if err != nil {
		c.t.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() { s.cmd.Process.Kill(); s.cmd.Wait() })
	s.log = bufio.NewScanner(stderr)
	var seen []string
	for s.log.Scan() {
		if seen = append(seen, s.log.Text()); strings.Contains(s.log.Text(), ":8808/mcp") {
			return s
		}
	}
	c.t.Fatalf("the server did not say where it is: %s", strings.Join(seen, "\n"))
	return nil
}

// stop ends the server as an engine does, and checks that it ends well in time.
func (s *contained) stop() {
	s.t.Helper()
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		s.t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() {
		for s.log.Scan() {
		}
		ended <- s.cmd.Wait()
	}()
	select {
	case err := <-ended:
		if status, ok := s.cmd.ProcessState.Sys().(syscall.WaitStatus); !ok || status.Signaled() && status.Signal() == syscall.SIGKILL || err != nil && status.ExitStatus() > 128+15 {
			s.t.Errorf("the server ended with %v", err)
		}
	case <-time.After(3 * time.Minute):
		s.t.Error("the server did not end")
	}
}

// call has a client in the network of the container call a method of the protocol,
// and returns the status and the answer.
func (c *container) call(key, method string) string {
	c.t.Helper()
	body := `{"jsonrpc": "2.0", "id": 1, "method": "` + method + `", "params": {"_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"}, "io.modelcontextprotocol/clientCapabilities": {}}}}`
	return string(output(c.t, "nsenter", "--net=/proc/"+strconv.Itoa(c.holder)+"/ns/net", "curl", "-sS", "-w", "\n%{http_code}\n", "http://127.0.0.1:8808/mcp",
		"-H", "Authorization: Bearer "+key, "-H", "Content-Type: application/json", "-H", "Accept: application/json, text/event-stream",
		"-H", "Mcp-Protocol-Version: 2026-07-28", "-H", "Mcp-Method: "+method, "-d", body))
}

// tokenIn returns the token in what "citekit key new" printed.
func tokenIn(text string) string {
	for _, word := range strings.Fields(text) {
		if strings.HasPrefix(word, "citekit_") && len(word) > 40 {
			return word
		}
	}
	return ""
}
