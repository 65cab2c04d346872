package workspace_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/workspace"
)

// writeTree writes files, named with slashes, below dir.
func writeTree(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, content := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// findSources returns the paths of the sources found, with the errors behind
// them.
func findSources(t *testing.T, f workspace.Finder, req workspace.FindRequest) []string {
	t.Helper()
	var found []string
	for source, err := range f.Find(t.Context(), req) {
		switch {
		case err != nil:
			found = append(found, source.Path+": "+citekit.CodeOf(err))
		case source.Link:
			found = append(found, source.Path+" (link)")
		case !source.Folder:
			found = append(found, source.Path)
		}
	}
	return found
}

var someFiles = map[string]string{
	"a.txt":                      "a",
	"b/c.txt":                    "c",
	"b/deep/er/d.md":             "d",
	"b/.hidden":                  "h",
	"b/[odd].txt":                "o",
	".git/config":                "g",
	"out/made.txt":               "m",
	"out/kept.txt":               "k",
	".gitignore":                 "/out/*\n!kept.txt\n*.log\n",
	"b/x.log":                    "x",
	"b/deep/.gitignore":          "er/\n",
	".resource_maps/a.json":      "{}",
	".citekit_output/a.txt":      "{}",
	"b/.resource_maps/a.json":    "{}",
	"b/.citekit_output/a.txt":    "{}",
	"talk.mp4":                   "v",
	"talk.srt":                   "s",
	"talk.en.vtt":                "s",
	"talk.mp4.json":              "s",
	"talkative.srt":              "s",
	".config/hidden/secrets.txt": "s",
}

func TestFind(t *testing.T) {
	base, other := t.TempDir(), t.TempDir()
	writeTree(t, base, someFiles)
	writeTree(t, other, map[string]string{"secret.txt": "s", "allowed.txt": "s"})
	ws, err := workspace.Open(base, &workspace.Options{Files: []string{filepath.Join(other, "allowed.txt")}})
	if err != nil {
		t.Fatal(err)
	}
	defer ws.Close()
	memory := workspace.NewMemory(os.DirFS(base))
	allowed := filepath.ToSlash(filepath.Join(other, "allowed.txt"))
	outside := filepath.ToSlash(filepath.Join(other, "secret.txt"))
	talk := []string{"talk.en.vtt", "talk.mp4", "talk.mp4.json", "talk.srt", "talkative.srt"}
	for _, test := range []struct {
		name   string
		req    workspace.FindRequest
		want   []string
		onDisk bool // only what a directory can do
	}{
		{"all", workspace.FindRequest{Paths: []string{"."}},
			slices.Concat([]string{"a.txt", "b/[odd].txt", "b/c.txt", "out/kept.txt"}, talk), false},
		{"folder", workspace.FindRequest{Paths: []string{"b"}}, []string{"b/[odd].txt", "b/c.txt"}, false},
		{"folder that is ignored", workspace.FindRequest{Paths: []string{"b/deep/er", "out/"}}, []string{"b/deep/er/d.md", "out/kept.txt"}, false},
		{"not ignored", workspace.FindRequest{Paths: []string{"b"}, NoIgnore: true}, []string{"b/[odd].txt", "b/c.txt", "b/deep/er/d.md", "b/x.log"}, false},
		{"hidden", workspace.FindRequest{Paths: []string{"b"}, Hidden: true}, []string{"b/.hidden", "b/[odd].txt", "b/c.txt", "b/deep/.gitignore"}, false},
		{"twice", workspace.FindRequest{Paths: []string{"a.txt", "./a.txt", "*.txt"}}, []string{"a.txt"}, false},
		{"literal", workspace.FindRequest{Paths: []string{"b/[odd].txt"}}, []string{"b/[odd].txt"}, false},
		{"named although ignored", workspace.FindRequest{Paths: []string{"b/x.log"}}, []string{"b/x.log"}, false},
		{"pattern", workspace.FindRequest{Paths: []string{"**/*.txt"}}, []string{"a.txt", "b/[odd].txt", "b/c.txt", "out/kept.txt"}, false},
		{"pattern in a folder", workspace.FindRequest{Paths: []string{"b/?.t[xy]t"}}, []string{"b/c.txt"}, false},
		{"no match", workspace.FindRequest{Paths: []string{"*.none"}}, []string{"*.none: NOT_FOUND"}, false},
		{"missing", workspace.FindRequest{Paths: []string{"none.txt", "a.txt"}}, []string{"none.txt: NOT_FOUND", "a.txt"}, false},
		{"above", workspace.FindRequest{Paths: []string{"../x", "b/../../x"}}, nil, false},
		{"outside", workspace.FindRequest{Paths: []string{outside, other, allowed}},
			[]string{outside + ": FORBIDDEN", filepath.ToSlash(other) + ": FORBIDDEN", allowed}, true},
		{"own", workspace.FindRequest{Paths: []string{".resource_maps", ".citekit_output/a.txt"}},
			[]string{".resource_maps: FORBIDDEN", ".citekit_output/a.txt: FORBIDDEN"}, true},
		{"absolute", workspace.FindRequest{Paths: []string{filepath.Join(base, "b")}}, []string{"b/[odd].txt", "b/c.txt"}, true},
		{"URL", workspace.FindRequest{Paths: []string{"http://example.com/a"}}, []string{"http://example.com/a: FORBIDDEN"}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, f := range []workspace.Finder{ws, memory} {
				if test.onDisk && f == workspace.Finder(memory) {
					continue
				}
				got := findSources(t, f, test.req)
				if test.name == "above" {
					if len(got) != 1 || !strings.HasSuffix(got[0], ": FORBIDDEN") {
						t.Errorf("%T: %q", f, got)
					}
					continue
				}
				if diff := cmp.Diff(test.want, got); diff != "" {
					t.Errorf("%T (-want +got):\n%s", f, diff)
				}
			}
		})
	}
}

func TestFindCompanions(t *testing.T) {
	base := t.TempDir()
	writeTree(t, base, someFiles)
	ws, err := workspace.Open(base, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer ws.Close()
	added := workspace.NewMemory(nil)
	for name, content := range someFiles {
		added.AddSource(name, []byte(content))
	}
	want := []string{"talk.en.vtt", "talk.mp4.json", "talk.srt"}
	for _, f := range []workspace.Finder{ws, added, workspace.NewMemory(os.DirFS(base))} {
		for _, name := range []string{".", "talk.mp4", "*.mp4"} {
			for source := range f.Find(t.Context(), workspace.FindRequest{Paths: []string{name}}) {
				if source.Path != "talk.mp4" {
					continue
				}
				if diff := cmp.Diff(want, source.Companions); diff != "" {
					t.Errorf("%T, %s (-want +got):\n%s", f, name, diff)
				}
			}
		}
	}
}

func TestFindLinks(t *testing.T) {
	base, other := t.TempDir(), t.TempDir()
	writeTree(t, base, map[string]string{"in/a.txt": "a"})
	writeTree(t, other, map[string]string{"secret.txt": "s"})
	for name, target := range map[string]string{"link.txt": "in/a.txt", "escape": other, "loop": "."} {
		if err := os.Symlink(target, filepath.Join(base, name)); err != nil {
			t.Skip("no symbolic links:", err)
		}
	}
	ws, err := workspace.Open(base, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer ws.Close()
	want := []string{"escape (link)", "in/a.txt", "link.txt (link)", "loop (link)"}
	if diff := cmp.Diff(want, findSources(t, ws, workspace.FindRequest{Paths: []string{"."}})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	want = []string{"link.txt", "escape: FORBIDDEN", "escape/secret.txt: FORBIDDEN"}
	if diff := cmp.Diff(want, findSources(t, ws, workspace.FindRequest{Paths: []string{"link.txt", "escape", "escape/secret.txt"}})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestFindCancelled(t *testing.T) {
	base := t.TempDir()
	writeTree(t, base, someFiles)
	ws, err := workspace.Open(base, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer ws.Close()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var last error
	n := 0
	for _, err := range ws.Find(ctx, workspace.FindRequest{Paths: []string{"."}}) {
		n, last = n+1, err
	}
	if n != 1 || !errors.Is(last, context.Canceled) {
		t.Errorf("%d yielded, the last with %v", n, last)
	}
}

// TestIgnoreLikeGit compares what is found with what git would add.
func TestIgnoreLikeGit(t *testing.T) {
	git := sharedtest.Tool(t, "git")
	files := map[string]string{}
	for _, name := range []string{
		"a", "b.o", "c.txt", "dir/a", "dir/b.o", "dir/sub/a", "dir/sub/deep/b.o", "foo/bar/baz", "x/foo/bar/q", "doc/a.pdf", "doc/in/a.pdf",
		"build/out", "src/build/out", "src/build.go", "ends space ", "back\\slash", "bang!", "!bang", "#hash", "a[b]", "ab", "[ab]", "a-b", "a]b",
		"Case", "case", "ünï/cödé", "ünx", "q1", "q22", "many/a/b/c/d", "many/d", "star*", "temp~", "0digit", "digit0", "-dash", "x.tar.gz",
	} {
		files[name] = "x"
	}
	for _, rules := range []string{
		"*.o\n", "/a\n", "a\n", "dir/\n", "dir\n!dir/sub\n", "dir/*\n!dir/sub\n", "foo/bar\n", "/foo/bar/\n", "**/bar\n", "foo/**\n", "many/**/d\n",
		"doc/*.pdf\n", "doc/**/*.pdf\n", "build/\n!src/build/\n", "src/build*\n", "ends space\\ \n", "ends space \n", "back\\\\slash\n", "bang!\n", "\\!bang\n",
		"!bang\n", "\\#hash\n", "#hash\n", "a[b]\n", "a\\[b\\]\n", "[ab]\n", "[!a]*\n", "[^a]*\n", "a[]-]b\n", "a[a-]b\n", "[[:digit:]]*\n", "[[:upper:]]*\n",
		"ün?\n", "?\n", "??\n", "*\n!*/\n!*.txt\n", "*\n!c.txt\n", "**\n", "/**\n", "**/a\n", "a/**\n", "q[0-9]\n", "q[9-0]\n", "[z-a]\n", "[\n", "a[\n", "\\\n", "a\\\n",
		"x.*\n", "*.*.gz\n", "star\\*\n", "temp~\n", "-dash\n", "/\n", "//\n", "/dir//sub\n", "dir/sub/\n!dir/sub/a\n", "  \n*.o  \n", "\ufeffa\n", "*.o\r\n", "a\\-b\n", "[a-c]\n", "***\n", "d**r/\n", "dir/**/\n", "dir/**/b.o",
		"many/**/**/d\n", "**/**/d\n", "!*\n", "[[:alpha:][:digit:]]\n", "[\\]]*\n", "[]]*\n", "a[!]a]b\n",
	} {
		t.Run(strings.TrimSpace(rules), func(t *testing.T) {
			base := t.TempDir()
			writeTree(t, base, files)
			writeTree(t, base, map[string]string{".gitignore": rules, "dir/.gitignore": "!b.o\n"})
			run := func(args ...string) string {
				cmd := exec.Command(git, append([]string{"-C", base, "-c", "core.quotePath=false", "-c", "core.excludesFile=", "-c", "core.ignoreCase=false"}, args...)...)
				cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
				out, err := cmd.Output()
				if err != nil {
					t.Fatalf("git %v: %v", args, err)
				}
				return string(out)
			}
			run("init", "-q")
			var want []string
			for _, name := range strings.Split(strings.TrimRight(run("ls-files", "-z", "--others", "--exclude-standard"), "\x00"), "\x00") {
				if !strings.HasPrefix(filepath.Base(name), ".") && name != "" {
					want = append(want, name)
				}
			}
			ws, err := workspace.Open(base, nil)
			if err != nil {
				t.Fatal(err)
			}
			defer ws.Close()
			got := findSources(t, ws, workspace.FindRequest{Paths: []string{"."}})
			slices.Sort(want)
			slices.Sort(got)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("rules %q (-git +got):\n%s", rules, diff)
			}
		})
	}
}

func FuzzIgnore(f *testing.F) {
	f.Add("*.o\n!a/**/b\n[a-z]\n", "a/x/b")
	f.Add("[[:alpha:\n\\", "\\")
	f.Add("a*b*c*d*e*f*g*h*\n**/**/x/**/y/**/z", "aaaaaaaaaaaaaaaaaaaaaaaaaaa")
	f.Fuzz(func(t *testing.T, rules, name string) {
		if !fs.ValidPath(name) || name == "." {
			return
		}
		m := workspace.NewMemory(fstest.MapFS{name: {Data: []byte("x")}, ".gitignore": {Data: []byte(rules)}})
		for found, err := range m.Find(t.Context(), workspace.FindRequest{Paths: []string{"."}, Hidden: true}) {
			if err == nil && !found.Folder && found.Path != name && found.Path != ".gitignore" {
				t.Errorf("found %q", found.Path)
			}
		}
	})
}

func TestAllow(t *testing.T) {
	base, other, state := t.TempDir(), t.TempDir(), filepath.Join(t.TempDir(), "allowed")
	writeTree(t, other, map[string]string{"a.txt": "a", "b.txt": "b"})
	open := func(base string) *workspace.Directory {
		ws, err := workspace.Open(base, &workspace.Options{AllowedDir: state})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { ws.Close() })
		return ws
	}
	readable := func(ws *workspace.Directory, path string) bool {
		src, err := ws.OpenSource(t.Context(), path)
		if err != nil {
			if !errors.Is(err, citekit.ErrForbidden) {
				t.Errorf("%s: %v", path, err)
			}
			return false
		}
		return src.Close() == nil
	}
	a, b := filepath.Join(other, "a.txt"), filepath.Join(other, "b.txt")
	ws := open(base)
	if readable(ws, a) {
		t.Error("readable before it was allowed")
	}
	if err := ws.Allow(t.Context(), a); err != nil {
		t.Fatal(err)
	}
	for _, again := range []*workspace.Directory{ws, open(base)} {
		if !readable(again, a) || readable(again, b) {
			t.Error("the allowed file alone is to be readable")
		}
	}
	if readable(open(t.TempDir()), a) {
		t.Error("allowed for another base directory")
	}
	plain, err := workspace.Open(base, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer plain.Close()
	if readable(plain, a) {
		t.Error("readable without the record")
	}
	if err := plain.Allow(t.Context(), a); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("allowed with nowhere to record it: %v", err)
	}
	if err := os.Remove(a); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(b, a); err == nil && readable(ws, a) {
		t.Error("a link in place of the allowed file is followed")
	}
}

// TestFindAllowedLink checks that a link to an allowed file is found as that
// file, as the command does: it has one map, however it is named.
func TestFindAllowedLink(t *testing.T) {
	base, other := t.TempDir(), t.TempDir()
	writeTree(t, other, map[string]string{"a.txt": "a"})
	ws, err := workspace.Open(base, &workspace.Options{AllowedDir: filepath.Join(t.TempDir(), "allowed")})
	if err != nil {
		t.Fatal(err)
	}
	defer ws.Close()
	target, err := filepath.EvalSymlinks(filepath.Join(other, "a.txt"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, filepath.Join(base, "link.txt")); err != nil {
		t.Skip("no symbolic links:", err)
	}
	if err := ws.Allow(t.Context(), target); err != nil {
		t.Fatal(err)
	}
	want := []string{filepath.ToSlash(target)}
	if diff := cmp.Diff(want, findSources(t, ws, workspace.FindRequest{Paths: []string{"link.txt"}})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestFindBesideMaps checks that maps that are kept beside the sources are
// neither sources nor companions, and that other JSON is.
func TestFindBesideMaps(t *testing.T) {
	base := t.TempDir()
	writeTree(t, base, map[string]string{"a.txt": "a", "talk.mp3": "t", "talk.words.json": "{}", "data.json": `{"resource_id": 7}`, "b/talk.json": `{"resource_id": "talk"}`})
	ws, err := workspace.Open(base, &workspace.Options{MapsDir: ".", EvidenceDir: "."})
	if err != nil {
		t.Fatal(err)
	}
	defer ws.Close()
	unlock, err := ws.LockMaps()
	if err != nil {
		t.Fatal(err)
	}
	unlock()
	for _, id := range []string{"a", "talk", "Talk"} {
		if err := ws.WriteMap(t.Context(), id, []byte(`{"resource_id": "`+id+`"}`)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := ws.WriteNoteIf(t.Context(), "ingest", "a.txt", []byte("noted"), citekit.Stamp{}); err != nil {
		t.Fatal(err)
	}
	for _, paths := range [][]string{{"."}, {"talk.mp3", "."}} {
		var got, companions []string
		for found, err := range ws.Find(t.Context(), workspace.FindRequest{Paths: paths, Hidden: true}) {
			if err != nil {
				t.Error(err)
			}
			if !found.Folder {
				got = append(got, found.Path)
			}
			companions = append(companions, found.Companions...)
		}
		slices.Sort(got)
		if diff := cmp.Diff([]string{"a.txt", "b/talk.json", "data.json", "talk.mp3", "talk.words.json"}, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", paths, diff)
		}
		if diff := cmp.Diff([]string{"talk.words.json"}, companions); diff != "" {
			t.Errorf("companions of %q (-want +got):\n%s", paths, diff)
		}
	}
}

// TestFindAdded checks that sources in memory are found however they are
// named.
func TestFindAdded(t *testing.T) {
	m := workspace.NewMemory(nil)
	for _, name := range []string{"a.txt", "b/c.txt", "bc.txt"} {
		m.AddSource(name, []byte("text"))
	}
	for name, want := range map[string][]string{
		"./a.txt": {"a.txt"},
		"b/":      {"b/c.txt"},
		"./":      {"a.txt", "b/c.txt", "bc.txt"},
		"b/*.txt": {"b/c.txt"},
		"./*.txt": {"a.txt", "bc.txt"},
		"none":    {"none: NOT_FOUND"},
	} {
		if diff := cmp.Diff(want, findSources(t, m, workspace.FindRequest{Paths: []string{name}})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestFindTakesWhatExistsLiterally checks that the folders which a pattern begins
// with, if they exist, are meant by their own names.
func TestFindTakesWhatExistsLiterally(t *testing.T) {
	base := t.TempDir()
	files := map[string]string{"p/Talks [2024]/one.md": "1", "p/Talks 2/two.md": "2", "p/Talks [2024]/in [1]/x.md": "3", "p/Über.md": "4"}
	writeTree(t, base, files)
	ws, err := workspace.Open(base, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer ws.Close()
	added := workspace.NewMemory(nil)
	for name, data := range files {
		added.AddSource(name, []byte(data))
	}
	for pattern, want := range map[string][]string{
		"p/Talks [2024]/*.md":        {"p/Talks [2024]/one.md"},
		"p/Talks [2024]/**":          {"p/Talks [2024]/in [1]/x.md", "p/Talks [2024]/one.md"},
		"p/Talks [2024]/in [1]/*.md": {"p/Talks [2024]/in [1]/x.md"},
		"p/Talks [2024]/i*/*.md":     {"p/Talks [2024]/in [1]/x.md"},
		"p/Talks [2024]":             {"p/Talks [2024]/in [1]/x.md", "p/Talks [2024]/one.md"},
		`p/Talks \[2024\]/*.md`:      {"p/Talks [2024]/one.md"},
		"p/Talks [[]2024]/*.md":      {"p/Talks [2024]/one.md"},
		"p/Talks [0-9]/*":            {"p/Talks 2/two.md"},
		"p/?ber.md":                  {"p/Über.md"},
	} {
		for _, f := range []workspace.Finder{ws, workspace.NewMemory(os.DirFS(base)), added} {
			if strings.Contains(pattern, `\`) && runtime.GOOS == "windows" {
				continue // a separator
			}
			got := findSources(t, f, workspace.FindRequest{Paths: []string{pattern}})
			slices.Sort(got)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%T: %s (-want +got):\n%s", f, pattern, diff)
			}
		}
	}
}

// A path or pattern that is too long is refused at once, and not repeated whole.
func TestFindLongPattern(t *testing.T) {
	ws, err := workspace.Open(t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer ws.Close()
	added := workspace.NewMemory(nil)
	added.AddSource("a.md", nil)
	for _, f := range []workspace.Finder{ws, added} {
		refused := 0
		for found, err := range f.Find(t.Context(), workspace.FindRequest{Paths: []string{strings.Repeat("*/", 1<<20)}}) {
			if citekit.CodeOf(err) != message.CodeForbidden || len(found.Path) > 1000 {
				t.Errorf("%T: %.100s, %.100v", f, found.Path, err)
			}
			refused++
		}
		if refused != 1 {
			t.Errorf("%T: %d refused", f, refused)
		}
	}
}

// TestFindPatternLooksNowhereElse checks that folders that cannot hold what a
// pattern asks for are not read.
func TestFindPatternLooksNowhereElse(t *testing.T) {
	base := t.TempDir()
	deep := strings.Repeat("d/", 102)
	writeTree(t, base, map[string]string{"a.txt": "a", "b/a.txt": "a", deep + "a.txt": "a"})
	ws, err := workspace.Open(base, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer ws.Close()
	for pattern, want := range map[string][]string{
		"*.txt":    {"a.txt"},
		"?/*.txt":  {"b/a.txt"},
		"b/**":     {"b/a.txt"},
		"**/a.txt": {"a.txt", "b/a.txt", strings.TrimSuffix(deep[:101*2], "/") + ": TOO_LARGE"},
	} {
		if diff := cmp.Diff(want, findSources(t, ws, workspace.FindRequest{Paths: []string{pattern}})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", pattern, diff)
		}
	}
}

// TestIgnoreHostile checks that rules that are made to take long do not: it
// would not end.
func TestIgnoreHostile(t *testing.T) {
	base := t.TempDir()
	files := map[string]string{}
	for _, line := range []string{strings.Repeat("[[:", 50_000), "*[" + strings.Repeat("[:", 100_000), strings.Repeat("*a", 50_000) + "b", strings.Repeat("**/", 50_000) + "b"} {
		files[".gitignore"] += line + "\n"
	}
	files[".gitignore"] += strings.Repeat(strings.Repeat("*a", 2000)+"b\n", 40) + "*.log\n"
	want := []string{}
	for i := range 50 {
		name := strings.Repeat("a", 200) + string(rune('A'+i%26)) + strings.Repeat("c", i/26)
		files[name], files[name+".log"] = "x", "x"
		want = append(want, name)
	}
	slices.Sort(want)
	writeTree(t, base, files)
	if diff := cmp.Diff(want, findSources(t, workspace.NewMemory(os.DirFS(base)), workspace.FindRequest{Paths: []string{"."}})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
