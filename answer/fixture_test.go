package answer_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/answer"
	"github.com/citekit/citekit/ingest"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/mapper/llm"
	"github.com/citekit/citekit/modality"
	"github.com/citekit/citekit/search"
	"github.com/citekit/citekit/textlayer"
	"github.com/citekit/citekit/workspace"
)

var ctx = context.Background()

// A room is an Answerer over the files of a directory.
type room struct {
	*answer.Answerer
	lib   *citekit.Library
	texts *textlayer.Store
	dir   string
}

// open returns an Answerer over the files that are in a directory.
func open(t testing.TB, dir string, model llm.Model) *room {
	t.Helper()
	ws, err := workspace.Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	lib := citekit.New(ws, modality.All(), nil)
	if _, err := ingest.Run(ctx, lib, []string{"."}, nil); err != nil {
		t.Fatal(err)
	}
	searcher := search.New(lib, nil)
	t.Cleanup(func() { searcher.Close(); lib.Close() })
	return &room{answer.New(searcher, &answer.Options{Model: model}), lib, searcher.Layers(), dir}
}

// newRoom returns an Answerer over files.
func newRoom(t testing.TB, files map[string]string) *room {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		write(t, filepath.Join(dir, name), []byte(content))
	}
	return open(t, dir, nil)
}

func write(t testing.TB, name string, content []byte) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o700), os.WriteFile(name, content, 0o600)); err != nil {
		t.Fatal(err)
	}
}

// A questionForm is a question of testdata/questions.json.
type questionForm struct {
	Question string
	Source   string
	Kind     string
	Sentence string
	Also     []string

	tuning bool // looked at while the constants were chosen
}

// questions returns the questions whose sources there are, which it puts into a
// directory with others.
func questions(t testing.TB) (list []questionForm, dir string) {
	t.Helper()
	data, err := os.ReadFile("testdata/questions.json")
	if err != nil {
		t.Fatal(err)
	}
	var all []questionForm
	if err := json.Unmarshal(data, &all); err != nil {
		t.Fatal(err)
	}
	dir = t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, "sources"), os.DirFS("testdata/sources")); err != nil {
		t.Fatal(err)
	}
	if shared, ok := sharedtest.Extra(t); ok {
		for _, folder := range []string{"text", "pdf"} {
			if err := os.CopyFS(filepath.Join(dir, "corpus", folder), os.DirFS(filepath.Join(shared, "corpus", folder))); err != nil {
				t.Fatal(err)
			}
		}
	}
	modules := make(map[string]string)
	for i, q := range all {
		q.tuning = i%2 == 0
		if rest, ok := strings.CutPrefix(q.Source, "module/"); ok {
			copyModule(t, modules, rest, filepath.Join(dir, filepath.FromSlash(q.Source)))
		}
		if _, err := os.Stat(filepath.Join(dir, filepath.FromSlash(q.Source))); err == nil {
			list = append(list, q)
		}
	}
	return list, dir
}

// copyModule copies the Markdown of a module that this one needs, with all that
// lies beside it.
func copyModule(t testing.TB, known map[string]string, name, to string) {
	t.Helper()
	if _, err := os.Stat(to); err == nil {
		return
	}
	parts := strings.SplitN(name, "/", 4)
	module := strings.Join(parts[:3], "/")
	from, ok := known[module]
	if !ok {
		out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", module).Output()
		if err != nil {
			t.Fatal(err)
		}
		from = strings.TrimSpace(string(out))
		known[module] = from
	}
	beside, err := filepath.Glob(filepath.Join(filepath.Dir(filepath.Join(from, filepath.FromSlash(parts[3]))), "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range beside {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(filepath.Dir(to), filepath.Base(name)), data)
	}
}
