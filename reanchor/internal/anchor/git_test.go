package anchor_test

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/citekit/citekit/internal/test/sharedtest"
)

// TestTwoVersionsOfModules holds what is found to git, on modules that nothing
// was tuned on: golang.org/x/tools 0.40.0 to 0.51.0 alone was looked at before.
func TestTwoVersionsOfModules(t *testing.T) {
	if os.Getenv("CITEKIT_LONG") == "" {
		t.Skip("CITEKIT_LONG is not set: it downloads modules")
	}
	goCode, markdown := newJudge(), newJudge()
	for _, m := range []struct{ path, old, new string }{
		{"golang.org/x/net", "v0.30.0", "v0.59.0"},
		{"golang.org/x/text", "v0.14.0", "v0.43.0"},
		{"github.com/modelcontextprotocol/go-sdk", "v1.2.0", "v1.8.0"},
		{"github.com/spf13/cobra", "v1.3.0", "v1.9.1"},
		{"golang.org/x/tools/gopls", "v0.15.3", "v0.20.0"},
	} {
		old, now := download(t, m.path+"@"+m.old), download(t, m.path+"@"+m.new)
		goCode.directories(t, old, now, ".go", 8)
		markdown.directories(t, old, now, ".md", 24)
	}
	t.Run("Go", func(t *testing.T) { goCode.mustReach(t, .93) })
	t.Run("Markdown", func(t *testing.T) { markdown.mustReach(t, .80) })
}

// download returns the directory of a version of a module.
func download(t *testing.T, version string) string {
	t.Helper()
	c := exec.Command("go", "mod", "download", "-json", version)
	c.Dir = t.TempDir()
	c.Env = append(os.Environ(), "GOFLAGS=-mod=mod")
	out, err := c.Output()
	var m struct{ Dir string }
	if err == nil {
		err = json.Unmarshal(out, &m)
	}
	if err != nil {
		t.Skipf("%s cannot be downloaded: %v", version, err)
	}
	return m.Dir
}

// TestEdited holds what is found to edits that are known, and to what git makes
// of these.
func TestEdited(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: not with -short")
	}
	if _, err := exec.LookPath("git"); err != nil {
		sharedtest.Missing(t, "no git")
	}
	for _, c := range []struct {
		name, ext string
		dir       string
		inside    float64
	}{
		{"Go", ".go", filepath.Join(sharedtest.GoRoot(t), "src", "net", "http"), .93},
		{"Markdown", ".md", moduleDir(t, "github.com/modelcontextprotocol/go-sdk"), .80},
	} {
		t.Run(c.name, func(t *testing.T) {
			names, err := filesBelow(c.dir, c.ext)
			if err != nil || len(names) == 0 {
				t.Fatalf("%s has %d files: %v", c.dir, len(names), err)
			}
			byGit, byEdits := newJudge(), newJudge()
			dir := t.TempDir()
			rounds := 1
			if c.name == "Markdown" {
				rounds = 6
			}
			if sharedtest.Long() {
				rounds *= 4
			}
			for _, name := range names {
				for round := range rounds {
					editAndJudge(t, dir, c.dir, name, uint64(round), byGit, byEdits)
				}
			}
			t.Run("by git", func(t *testing.T) { byGit.mustReach(t, c.inside) })
			t.Run("by the edits", func(t *testing.T) { byEdits.mustReach(t, c.inside) })
		})
	}
}

// moduleDir returns the directory of a module that go.mod requires.
func moduleDir(t *testing.T, path string) string {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", path).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// editAndJudge judges a file of a directory after a round of edits, which depend
// on its name there.
func editAndJudge(t *testing.T, dir, from, name string, round uint64, byGit, byEdits *judge) {
	data, err := os.ReadFile(filepath.Join(from, name))
	if err != nil {
		t.Fatal(err)
	}
	old := strings.SplitAfter(string(data), "\n")
	if len(old) < 20 {
		return
	}
	now, to := edited(rand.New(rand.NewPCG(round, hashOf(name))), old)
	oldPath, newPath := filepath.Join(dir, "old"), filepath.Join(dir, "new")
	for path, text := range map[string]string{oldPath: string(data), newPath: now} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	byGit.pair(t, name, oldPath, newPath, 8)
	byEdits.texts(name, string(data), now, to, 8)
}

// edited returns lines with some of them inserted, deleted and changed, and where
// each is then, or -1.
func edited(r *rand.Rand, old []string) (string, []int) {
	var b strings.Builder
	to := make([]int, len(old))
	at := 0
	add := func(line string) {
		b.WriteString(line)
		at++
	}
	deleting := 0
	for i, line := range old {
		if deleting--; deleting >= 0 {
			to[i] = -1
			continue
		}
		switch n := r.IntN(200); {
		case n < 3: // some lines that tell, before it
			for range 1 + r.IntN(12) {
				add(strings.Repeat(string(rune('a'+r.IntN(26))), 1+r.IntN(9)) + " inserted " + old[r.IntN(len(old)-1)])
			}
		case n < 5:
			deleting = r.IntN(8)
			to[i] = -1
			continue
		case n < 11 && strings.Contains(strings.TrimSpace(line), " "):
			to[i] = -1
			fields := strings.SplitAfter(line, " ")
			fields[r.IntN(len(fields)-1)] = "changed "
			add(strings.Join(fields, ""))
			continue
		}
		to[i] = at
		add(line)
	}
	return b.String(), to
}
