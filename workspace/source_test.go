package workspace_test

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/workspace"
)

const canary = "CANARY: this must never be read"

// hostileRoot makes a directory of traps: outer/root with links, pipes and
// devices, beside outer/root-evil and outer/canary.
func hostileRoot(t testing.TB) (root, secret string) {
	t.Helper()
	outer := t.TempDir()
	root, secret = filepath.Join(outer, "root"), filepath.Join(outer, "canary", "secret.txt")
	writeFile(t, secret, canary)
	writeFile(t, filepath.Join(outer, "root-evil", "secret.txt"), canary)
	writeFile(t, filepath.Join(root, "ok.txt"), "ok")
	writeFile(t, filepath.Join(root, "sub", "inner.txt"), "inner")
	writeFile(t, filepath.Join(root, "a:b.txt"), "colon")
	writeFile(t, filepath.Join(root, "file:x"), "colon")
	writeFile(t, filepath.Join(root, mapsDir, "m.json"), canary)
	writeFile(t, filepath.Join(root, ".citekit_output", "e.txt"), canary)
	for name, target := range map[string]string{
		"link-file.txt": secret, "link-dir": filepath.Dir(secret), "link-chain": "link-dir",
		"link-relative.txt": "../canary/secret.txt", "link-a": "link-b", "link-b": "link-a",
		"link-environ.txt": "/proc/self/environ", "link-dev-zero.txt": "/dev/zero",
		"link-inside-ok.txt": "ok.txt", "link-sub": "sub", "link-absolute.txt": filepath.Join(root, "ok.txt"),
		"link-dangling": "../none",
	} {
		symlink(t, target, filepath.Join(root, name))
	}
	mkfifo(t, filepath.Join(root, "fifo.txt"))
	if l, err := net.Listen("unix", filepath.Join(root, "s")); err == nil {
		t.Cleanup(func() { l.Close() })
	}
	return root, secret
}

func TestHostilePaths(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs symbolic links and pipes")
	}
	root, secret := hostileRoot(t)
	evil := filepath.Join(filepath.Dir(root), "root-evil", "secret.txt")
	refused := []string{
		"../canary/secret.txt", "../root-evil/secret.txt", secret, evil, secret + "x", filepath.Dir(secret), filepath.Dir(root), root, root + "/",
		root + "-evil/secret.txt", root + "/../canary/secret.txt", "/", "//" + secret, "/." + secret,
		"link-file.txt", "link-file.txt/", "link-dir/secret.txt", "link-dir/../../canary/secret.txt", "link-chain/secret.txt",
		"link-relative.txt", "link-a", "link-environ.txt", "link-dangling", "/proc/self/environ", "/proc/self/root" + secret, "/proc/self/cwd/doc.go",
		"/dev/zero", "/dev/stdin", "/dev/video0", "link-dev-zero.txt", "fifo.txt", "s", "sub", "sub/", "sub/.", "link-sub", "..", ".", "./", "ok.txt/.", "ok.txt/", "ok.txt/..",
		"ok.txt\x00.pdf", "\x00", "~", "~/secret.txt", `~\secret.txt`, "file://" + secret, "file:" + secret, "file:secret", "FILE:///x",
		mapsDir + "/m.json", "./" + mapsDir + "/m.json", "sub/../" + mapsDir + "/m.json", root + "/" + mapsDir + "/m.json", strings.ToUpper(mapsDir) + "/m.json", ".citekit_output/e.txt",
		strings.Repeat("sub/../", 3000) + "ok.txt", strings.Repeat("a", 5000),
		"http://127.0.0.1:18999/a.pdf", "https://127.0.0.1:18999/a.pdf", "HTTP://127.0.0.1:18999/a.mp4", "http:/127.0.0.1:18999/a.mp4",
		"ftp://127.0.0.1:18999/a", "gopher://127.0.0.1:18999/_x", "rtsp://127.0.0.1:18999/x", "tcp://127.0.0.1:18999", "udp://127.0.0.1:18998",
		"tls://127.0.0.1:18999", "rtmp://127.0.0.1:18999/a", "hls+http://127.0.0.1:18999/a.m3u8", "concat:http://127.0.0.1:18999/a|b",
		"subfile,,start,0,end,9,,:" + secret, "data:text/plain;base64,Q0FOQVJZ", "pipe:0", "fd:0", "async:file:" + secret,
		"cache:file:" + secret, "crypto:file:" + secret, `\\127.0.0.1\share\a`, "//127.0.0.1/share/a", "s3://bucket/key", "lavfi:color",
		`\\?\C:\x`, `\??\C:\x`, `C:\Windows\win.ini`, "C:/Windows/win.ini", "virtual://x",
	}
	missing := []string{
		`..\..\canary\secret.txt`, "%2e%2e/%2e%2e/canary/secret.txt", "..%2fcanary%2fsecret.txt", "....//....//canary/secret.txt",
		"$HOME/secret.txt", "none.txt", "sub/none.txt", root + "/none.txt", "~user",
	}
	ctx := context.Background()
	d := open(t, root, nil)
	for _, path := range refused {
		src, err := d.OpenSource(ctx, path)
		if err == nil {
			src.Close()
		}
		if !errors.Is(err, citekit.ErrForbidden) {
			t.Errorf("OpenSource(%.80q): %v", path, err)
		} else if strings.Contains(err.Error(), secret) || strings.Contains(err.Error(), root) {
			t.Errorf("OpenSource(%.80q): the error tells a path: %v", path, err)
		}
	}
	for _, path := range missing {
		if _, err := d.OpenSource(ctx, path); !errors.Is(err, fs.ErrNotExist) || strings.Contains(err.Error(), root) {
			t.Errorf("OpenSource(%.80q): %v", path, err)
		}
	}
	if _, err := d.OpenSource(ctx, ""); !errors.Is(err, citekit.ErrSyntax) {
		t.Errorf("OpenSource of an empty path: %v", err)
	}
	good := map[string]string{
		"ok.txt": "ok", "./sub/../ok.txt": "ok", "link-inside-ok.txt": "ok", "link-sub/inner.txt": "inner", "sub//inner.txt": "inner",
		root + "/ok.txt": "ok", root + "/../root/ok.txt": "ok", "a:b.txt": "colon", "file:x": "colon", "link-absolute.txt": "ok",
	}
	for path, want := range good {
		if got, err := readSource(d, path); err != nil || got != want {
			t.Errorf("OpenSource(%q) = %q, %v", path, got, err)
		}
	}
}

func readSource(ws citekit.Workspace, path string) (string, error) {
	src, err := ws.OpenSource(context.Background(), path)
	if err != nil {
		return "", err
	}
	defer src.Close()
	data, err := io.ReadAll(src.Reader())
	return string(data), err
}

// Whether something exists outside the roots cannot be told from errors.
func TestOutsideTellsNothing(t *testing.T) {
	root, secret := hostileRoot(t)
	d := open(t, root, nil)
	_, there := d.OpenSource(context.Background(), secret)
	for _, path := range []string{secret + "x", filepath.Dir(secret), secret + "/x/y", "../none", "link-dir/secret.txt", "link-dir/none"} {
		if _, err := d.OpenSource(context.Background(), path); err == nil || err.Error() != there.Error() {
			t.Errorf("%q: %v; where there is a file: %v", path, err, there)
		}
	}
}

func TestRootsAndFiles(t *testing.T) {
	outer := t.TempDir()
	base, books := filepath.Join(outer, "base"), filepath.Join(outer, "books")
	writeFile(t, filepath.Join(base, "in.txt"), "in")
	writeFile(t, filepath.Join(books, "book.txt"), "book")
	writeFile(t, filepath.Join(outer, "one.txt"), "one")
	writeFile(t, filepath.Join(outer, "two.txt"), "two")
	symlink(t, books, filepath.Join(outer, "shelf"))
	symlink(t, books, filepath.Join(base, "shelf"))
	symlink(t, filepath.Join(outer, "two.txt"), filepath.Join(books, "two.txt"))
	symlink(t, filepath.Join(outer, "one.txt"), filepath.Join(outer, "alias.txt"))
	d := open(t, base, &workspace.Options{
		Roots: []string{filepath.Join(outer, "shelf")},
		Files: []string{filepath.Join(outer, "alias.txt")},
	})
	for path, want := range map[string]string{
		"in.txt":                               "in",
		filepath.Join(outer, "shelf/book.txt"): "book",
		filepath.Join(books, "book.txt"):       "book",
		"../books/book.txt":                    "book",
		"shelf/book.txt":                       "book", // from one root into another
		filepath.Join(outer, "alias.txt"):      "one",
		filepath.Join(outer, "one.txt"):        "one",
		"../one.txt":                           "one",
	} {
		if got, err := readSource(d, path); err != nil || got != want {
			t.Errorf("%q = %q, %v", path, got, err)
		}
	}
	for _, path := range []string{"../two.txt", filepath.Join(outer, "two.txt"), filepath.Join(books, "two.txt"), "shelf/two.txt"} {
		if _, err := readSource(d, path); !errors.Is(err, citekit.ErrForbidden) {
			t.Errorf("%q: %v", path, err)
		}
	}
	// An allowed file that becomes a link is not what was allowed.
	os.Remove(filepath.Join(outer, "one.txt"))
	symlink(t, filepath.Join(outer, "two.txt"), filepath.Join(outer, "one.txt"))
	if got, err := readSource(d, filepath.Join(outer, "one.txt")); !errors.Is(err, citekit.ErrForbidden) {
		t.Errorf("an allowed file that became a link: %q, %v", got, err)
	}
}

func TestRootsMustExist(t *testing.T) {
	outer := t.TempDir()
	writeFile(t, filepath.Join(outer, "file"), "x")
	for name, want := range map[string]string{"none": "no such file", "file": "not a directory"} {
		d, err := workspace.Open(outer, &workspace.Options{Roots: []string{outer, filepath.Join(outer, name)}})
		if err == nil {
			d.Close()
		}
		if err == nil || !strings.Contains(err.Error(), name) || runtime.GOOS != "windows" && !strings.Contains(err.Error(), want) {
			t.Errorf("a root that is %s: %v", name, err)
		}
		if name == "none" && !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("a missing root: %v", err)
		}
	}
}

func TestBaseMustExist(t *testing.T) {
	t.Chdir(t.TempDir())
	writeFile(t, "file", "x")
	for name, want := range map[string]string{"none/here": "no such file", "file": "not a directory"} {
		d, err := workspace.Open(name, nil)
		if err == nil {
			d.Close()
		}
		if err == nil || !strings.Contains(err.Error(), `"`+name+`"`) || runtime.GOOS != "windows" && !strings.Contains(err.Error(), want) {
			t.Errorf("a base directory that is %s: %v", name, err)
		}
		if name != "file" && !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("a missing base directory: %v", err)
		}
	}
}

// Maps and evidence are no sources, by whichever way they are reached.
func TestOwnFoldersThroughLinks(t *testing.T) {
	outer := t.TempDir()
	real := filepath.Join(outer, "real")
	writeFile(t, filepath.Join(real, "docs", "in.txt"), "in")
	writeFile(t, filepath.Join(real, mapsDir, "m.json"), canary)
	writeFile(t, filepath.Join(real, ".citekit_output", ".meta", "e.txt"), canary)
	symlink(t, "real", filepath.Join(outer, "link"))
	symlink(t, ".citekit_output", filepath.Join(real, "out"))
	symlink(t, "../"+mapsDir, filepath.Join(real, "docs", "maps"))
	symlink(t, mapsDir+"/m.json", filepath.Join(real, "map.json"))
	symlink(t, "../.citekit_output/.meta", filepath.Join(real, "docs", "meta"))
	symlink(t, "in.txt", filepath.Join(real, "docs", "link.txt"))
	names := []string{
		mapsDir + "/m.json", ".citekit_output/.meta/e.txt", "out/.meta/e.txt",
		"docs/maps/m.json", "map.json", "docs/meta/e.txt",
	}
	for _, base := range []string{filepath.Join(outer, "link"), real} {
		d := open(t, base, &workspace.Options{Files: []string{filepath.Join(real, "map.json")}})
		for _, name := range names {
			for _, path := range []string{name, filepath.Join(outer, "link", name), filepath.Join(real, name)} {
				if got, err := readSource(d, path); !errors.Is(err, citekit.ErrForbidden) {
					t.Errorf("%s: %q = %q, %v", filepath.Base(base), path, got, err)
				}
			}
		}
		for _, path := range []string{"docs/in.txt", "docs/link.txt", filepath.Join(real, "docs", "in.txt")} {
			if got, err := readSource(d, path); err != nil || got != "in" {
				t.Errorf("%s: %q = %q, %v", filepath.Base(base), path, got, err)
			}
		}
	}
	// Maps that a person keeps beside the sources, under another spelling.
	d := open(t, filepath.Join(outer, "link"), &workspace.Options{MapsDir: real})
	if got, err := readSource(d, "docs/in.txt"); err != nil || got != "in" {
		t.Errorf("maps beside the sources: %q, %v", got, err)
	}
}

// Of a path outside the roots nothing is looked at, not even whether it leads
// back into them.
func TestOutsideIsNotFollowed(t *testing.T) {
	outer := t.TempDir()
	base := filepath.Join(outer, "base")
	writeFile(t, filepath.Join(base, "in.txt"), "in")
	symlink(t, base, filepath.Join(outer, "back"))
	d := open(t, base, nil)
	for _, path := range []string{filepath.Join(outer, "back", "in.txt"), "../back/in.txt"} {
		if got, err := readSource(d, path); !errors.Is(err, citekit.ErrForbidden) {
			t.Errorf("%q = %q, %v", path, got, err)
		}
	}
}

func TestBaseThroughLink(t *testing.T) {
	outer := t.TempDir()
	writeFile(t, filepath.Join(outer, "real", "in.txt"), "in")
	symlink(t, "real", filepath.Join(outer, "link"))
	d := open(t, filepath.Join(outer, "link"), nil)
	for _, path := range []string{"in.txt", filepath.Join(outer, "link", "in.txt"), filepath.Join(outer, "real", "in.txt")} {
		if got, err := readSource(d, path); err != nil || got != "in" {
			t.Errorf("%q = %q, %v", path, got, err)
		}
	}
	if err := d.WriteMap(context.Background(), "m", []byte("{}")); err != nil {
		t.Error(err)
	}
}

// A source that changes while it is open is noticed, and its hash is never
// taken for that of another version.
func TestSourceChanges(t *testing.T) {
	dir, ctx := t.TempDir(), context.Background()
	path := filepath.Join(dir, "a.txt")
	d := open(t, dir, nil)
	for i := range 30 {
		content := strings.Repeat(string(rune('a'+i%26)), 100)
		writeFile(t, path, content)
		src, err := d.OpenSource(ctx, "a.txt")
		if err != nil {
			t.Fatal(err)
		}
		if hash, err := src.Hash(ctx); err != nil || hash != sum(content) {
			t.Fatalf("hash of version %d: %s, %v", i, hash, err)
		}
		writeFile(t, path, content+"x")
		if err := src.CheckUnchanged(); !errors.Is(err, citekit.ErrStale) {
			t.Fatalf("a changed source: %v", err)
		}
		src.Close()
	}
}

// A source that changed just now has no version until it is hashed; a while
// later it has one again.
func TestVersionOfJustChanged(t *testing.T) {
	sharedtest.NotShort(t)
	t.Parallel()
	dir, ctx := t.TempDir(), context.Background()
	path := filepath.Join(dir, "a.txt")
	d := open(t, dir, nil)
	for range rounds(1) {
		writeFile(t, path, "content")
		soon := time.Now().Add(time.Second) // so that it is racy however slow the test
		os.Chtimes(path, soon, soon)
		for time.Until(soon) > 0 {
			time.Sleep(time.Millisecond)
		}
		src, err := d.OpenSource(ctx, "a.txt")
		if err != nil {
			t.Fatal(err)
		}
		late := time.Since(soon) > 100*time.Millisecond
		if v := src.Version(); v != "" && !late {
			t.Errorf("version %q", v)
		}
		if err := src.CheckUnchanged(); err != nil {
			t.Error(err)
		}
		if hash, err := src.Hash(ctx); err != nil || src.Version() != hash {
			t.Errorf("after hashing: %q, %v", src.Version(), err)
		}
		src.Close()
	}
	waitUntilSettled(t, path)
	d = open(t, dir, nil) // the other may have hashed the file once it was settled
	needIdentities(t, d, "a.txt")
	v := version(t, d, "a.txt")
	if again := version(t, d, "a.txt"); v == "" || v != again || v == sum("content") {
		t.Errorf("versions %q, %q", v, again)
	}
}

func TestHashIsRemembered(t *testing.T) {
	dir, ctx := t.TempDir(), context.Background()
	path := filepath.Join(dir, "a.txt")
	content := strings.Repeat("content", 200000) // enough for a record
	writeFile(t, path, content)
	knownHash := func(d *workspace.Directory) string {
		src, err := d.OpenSource(ctx, "a.txt")
		if err != nil {
			t.Fatal(err)
		}
		defer src.Close()
		return src.KnownHash()
	}
	d := open(t, dir, nil)
	hash := func() {
		src, err := d.OpenSource(ctx, "a.txt")
		if err != nil {
			t.Fatal(err)
		}
		defer src.Close()
		if _, err := src.Hash(ctx); err != nil {
			t.Fatal(err)
		}
	}
	waitUntilSettled(t, path)
	needIdentities(t, d, "a.txt")
	hash()
	if got := knownHash(d); got != sum(content) {
		t.Errorf("in this process: %q", got)
	}
	if got := knownHash(open(t, dir, nil)); got != sum(content) {
		t.Errorf("in another process: %q", got)
	}
	records, _ := filepath.Glob(filepath.Join(dir, ".citekit_output", ".meta", "hashes", "*.json"))
	if len(records) != 1 {
		t.Fatalf("records: %v", records)
	}
	data, _ := os.ReadFile(records[0])
	bad := strings.Replace(string(data), sum(content), sum("other"), 1)
	writeFile(t, records[0], bad)
	if got := knownHash(open(t, dir, nil)); got != "" {
		t.Errorf("a damaged record was believed: %q", got)
	}
	// Changed, with the size and the time of before.
	info, _ := os.Stat(path)
	writeFile(t, path, strings.ToUpper(content))
	os.Chtimes(path, info.ModTime(), info.ModTime())
	if runtime.GOOS != "windows" {
		if got := knownHash(d); got != "" {
			t.Errorf("a changed file has the hash %q", got)
		}
	}
}

// needIdentities skips a test where sources are told apart by their content alone,
// as on Linux in memory. Nobody writes to the source called name.
func needIdentities(t testing.TB, ws citekit.Workspace, name string) {
	t.Helper()
	if version(t, ws, name) == "" {
		t.Skip("this file system does not tell whether a file changes")
	}
}

// waitUntilSettled waits until the last change of a file is so long ago that
// its metadata can be relied on.
func waitUntilSettled(t testing.TB, path string) {
	t.Helper()
	for range 100 {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if time.Since(info.ModTime()) > 200*time.Millisecond {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
}

func FuzzOpenSourcePath(f *testing.F) {
	root, secret := hostileRoot(f)
	for _, path := range []string{"ok.txt", "../canary/secret.txt", "link-dir/secret.txt", "a/../../b", "file:x", "C:\\x", "~", secret, "/proc/self/environ", "sub/inner.txt", "link-sub/../ok.txt", ".resource_maps/m.json"} {
		f.Add(path)
	}
	d := open(f, root, nil)
	f.Fuzz(func(t *testing.T, path string) {
		got, err := readSource(d, path)
		if err == nil && got != "ok" && got != "inner" && got != "colon" {
			t.Errorf("OpenSource(%q) reads %.40q", path, got)
		}
		if err != nil && (strings.Contains(err.Error(), root) || strings.Contains(err.Error(), "panic")) {
			t.Errorf("OpenSource(%q): %v", path, err)
		}
	})
}

// TestSourceStamp checks the stamps of files. A file that is some moments old has one,
// which changes when the file does. A folder, or a file that is not there, has none.
func TestSourceStamp(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "in", "a.txt")
	if err := errors.Join(os.Mkdir(filepath.Dir(path), 0o700), os.WriteFile(path, []byte("one"), 0o600)); err != nil {
		t.Fatal(err)
	}
	d, err := workspace.Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, other := range []string{"in", "none.txt", "../a.txt", "https://a.example/b", "", ".resource_maps"} {
		if stamp := d.SourceStamp(t.Context(), other); stamp != "" {
			t.Errorf("%q has the stamp %q", other, stamp)
		}
	}
	if runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
		if stamp := d.SourceStamp(t.Context(), "in/a.txt"); stamp != "" {
			t.Errorf("a stamp where metadata do not tell all: %q", stamp)
		}
		return
	}
	stamp := ""
	for stamp == "" { // until a change would show
		time.Sleep(10 * time.Millisecond)
		stamp = d.SourceStamp(t.Context(), "in/a.txt")
	}
	if again := d.SourceStamp(t.Context(), path); again != stamp {
		t.Errorf("by its absolute path it has %q, not %q", again, stamp)
	}
	if err := os.WriteFile(path, []byte("two"), 0o600); err != nil {
		t.Fatal(err)
	}
	if changed := d.SourceStamp(t.Context(), "in/a.txt"); changed == stamp {
		t.Error("a change does not show")
	}
}
