package llm_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/mapper/llm"
)

// The test program is its own mapper: with this variable set it does what the
// variable says.
const act = "CITEKIT_TEST_MAPPER"

func TestMain(m *testing.M) {
	if what := os.Getenv(act); what != "" {
		performCommand(what)
		return
	}
	os.Exit(m.Run())
}

func performCommand(what string) {
	switch what {
	case "transcriber":
		performTranscriber(os.Args[1:])
	case "map":
		var input llm.CommandInput
		if err := json.NewDecoder(os.Stdin).Decode(&input); err != nil {
			failCommand(err)
		}
		content, err := os.ReadFile(input.Source.Path)
		if err != nil {
			failCommand(err)
		}
		fmt.Printf(`{"title":%q,"nodes":[{"id":"all","title":%q,"type":"recipe","location":{"modality":"text","lines":[1,%d]},
			"children":[{"title":"past the end","lines":[1,99]}]}]}`,
			filepath.Ext(input.Source.Path), strings.TrimSpace(string(content)), input.Source.Extent.Lines)
	case "input":
		input, _ := io.ReadAll(os.Stdin)
		fmt.Printf(`{"title":"x","nodes":[{"lines":[1,1],"summary":%q}]}`, input)
	case "args":
		fmt.Printf(`{"nodes":[{"lines":[1,1],"title":%q}]}`, strings.Join(os.Args[1:], "|"))
	case "headlines":
		if err := headlines(); err != nil {
			failCommand(err)
		}
	case "fail":
		fmt.Fprintln(os.Stderr, "first\n\x1b[31mno model\x1b[0m\nat all")
		os.Exit(3)
	case "nonsense":
		fmt.Print("I did not find any.")
	case "outside":
		fmt.Print(`[{"title":"A","lines":[5,6]}]`)
	case "endless":
		for {
			if _, err := os.Stdout.Write(make([]byte, 1<<16)); err != nil {
				return
			}
		}
	case "child":
		// What it starts outlives it, if nobody kills both.
		child := exec.Command(os.Args[0])
		child.Env = append(os.Environ(), act+"=hang")
		child.Stdout = os.Stdout
		if err := child.Start(); err != nil {
			failCommand(err)
		}
		_ = os.WriteFile(os.Getenv("CITEKIT_TEST_STARTED"), fmt.Appendln(nil, child.Process.Pid), 0o600)
		time.Sleep(time.Hour)
	case "hang":
		time.Sleep(time.Hour)
	}
}

func failCommand(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// commandLined measures lines.
type commandLined struct{ citekit.Resolver }

func (commandLined) Measure(_ context.Context, src *citekit.Source) (citekit.Extent, error) {
	content, err := io.ReadAll(src.Reader())
	return citekit.Extent{Modality: citekit.Text, Lines: strings.Count(string(content), "\n"), MediaType: "text/plain"}, err
}

var commandResolvers = citekit.Resolvers{citekit.Text: commandLined{}}

func commandSource(content string) *citekit.Source {
	return citekit.NewSource(strings.NewReader(content), citekit.SourceInfo{Name: "--a *.md", Size: int64(len(content))})
}

func runCommand(t *testing.T, ctx context.Context, what string, opts llm.CommandOptions, src *citekit.Source) (*citekit.Draft, error) {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	opts.Env = append(os.Environ(), append(opts.Env, act+"="+what)...)
	m, err := llm.NewCommand(program, commandResolvers, &opts)
	if err != nil {
		t.Fatal(err)
	}
	return m.Map(ctx, src, citekit.MapRequest{Modality: citekit.Text})
}

func TestCommandMap(t *testing.T) {
	got, err := runCommand(t, t.Context(), "map", llm.CommandOptions{}, commandSource("one\ntwo\n"))
	if err != nil {
		t.Fatal(err)
	}
	want := &citekit.Draft{
		Title: ".md",
		Nodes: []*citekit.Node{{ID: "all", Title: "one two", Type: "recipe", Location: citekit.Location{
			Modality: citekit.Text, Lines: citekit.Range{First: 1, Last: 2},
		}}},
		Method:   "command",
		Metadata: map[string]any{"nodes_left_out": 1},
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(citekit.Node{}, citekit.Location{})); diff != "" {
		t.Error(diff)
	}
	if copies, _ := filepath.Glob(filepath.Join(os.TempDir(), "citekit-*", "source.md")); len(copies) > 0 {
		t.Errorf("copies are left: %q", copies)
	}
}

// heldContent is content in a file that has another name than the source.
type heldContent struct{ *os.File }

func (h heldContent) LocalFile() (*os.File, error) { return h.File, nil }

// TestCommandHeldContent gives programs a copy that has the extension of the source.
func TestCommandHeldContent(t *testing.T) {
	path := filepath.Join(t.TempDir(), "0123abcd")
	if err := os.WriteFile(path, []byte("one\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	got, err := runCommand(t, t.Context(), "map", llm.CommandOptions{}, citekit.NewSource(heldContent{f}, citekit.SourceInfo{Name: "a.md", Size: 4}))
	if err != nil || got.Title != ".md" || got.Nodes[0].Title != "one" {
		t.Errorf("%+v, %v; want a path that ends in .md", got, err)
	}
}

// TestCommandLeftCopy removes the copy of a process that was killed.
func TestCommandLeftCopy(t *testing.T) {
	temp := t.TempDir()
	for _, name := range []string{"TMPDIR", "TMP", "TEMP"} {
		t.Setenv(name, temp)
	}
	left := filepath.Join(temp, "citekit-source-left")
	if err := errors.Join(os.Mkdir(left, 0o700), os.WriteFile(filepath.Join(left, "lock"), []byte("in use"), 0o600)); err != nil {
		t.Fatal(err)
	}
	if _, err := runCommand(t, t.Context(), "map", llm.CommandOptions{}, commandSource("one\ntwo\n")); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(left); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("it stays: %v", err)
	}
}

func TestCommandInput(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a b.txt")
	if err := os.WriteFile(path, []byte("one\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	got, err := runCommand(t, t.Context(), "input", llm.CommandOptions{}, citekit.NewSource(f, citekit.SourceInfo{Name: "a b.txt", Size: 4}))
	if err != nil {
		t.Fatal(err)
	}
	// The summary is cut, which is enough to see how the input begins.
	begins := fmt.Sprintf(`{"source":{"path":%q,"name":"a b.txt","size":4,"modality":"text","media_type":"text/plain","extent":{"modality":"text","lines":1,"media_type":"text/plain"}},"schema":{"type":"object",`, path)
	if !strings.HasPrefix(got.Nodes[0].Summary, begins) {
		t.Errorf("input %s", got.Nodes[0].Summary)
	}
}

func TestCommandArgumentsAreNotForAShell(t *testing.T) {
	got, err := runCommand(t, t.Context(), "args", llm.CommandOptions{Args: []string{"$HOME", "; exit 1", "*"}}, commandSource("one\n"))
	if err != nil || got.Nodes[0].Title != "$HOME|; exit 1|*" {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestCommandErrors(t *testing.T) {
	for _, test := range []struct {
		what    string
		content string
		options llm.CommandOptions
		want    string
		is      error
	}{
		{"fail", "one\n", llm.CommandOptions{}, "the mapper failed (exit status 3): first; [31mno model[0m; at all", nil},
		{"nonsense", "one\n", llm.CommandOptions{}, "the mapper: the answer is not a map of the source: the answer has no JSON: invalid syntax", llm.ErrAnswer},
		{"outside", "one\n", llm.CommandOptions{}, `the mapper: the answer is not a map of the source: node 1 ("A"): lines 5-6 of 1; lines run 1-1`, llm.ErrAnswer},
		{"endless", "one\n", llm.CommandOptions{}, "the output of the mapper is longer than 8388608 bytes: too large", citekit.ErrTooLarge},
		{"hang", "one\n", llm.CommandOptions{Timeout: 0.2}, "the mapper was still running after 200ms: context deadline exceeded", context.DeadlineExceeded},
		{"map", "", llm.CommandOptions{}, "empty; there is nothing to cite", citekit.ErrFormat},
		{"map", "one\n", llm.CommandOptions{MaxCopyBytes: 3}, "a source of 4 bytes that would have to be copied; at most 3: too large", citekit.ErrTooLarge},
	} {
		t.Run(test.what, func(t *testing.T) {
			_, err := runCommand(t, t.Context(), test.what, test.options, commandSource(test.content))
			if err == nil {
				t.Fatal("no error")
			}
			if diff := cmp.Diff(test.want, err.Error()); diff != "" {
				t.Error(diff)
			}
			if test.is != nil && !errors.Is(err, test.is) {
				t.Errorf("%v is not %v", err, test.is)
			}
		})
	}
}

// TestCommandDir runs a program by a relative path in another directory.
func TestCommandDir(t *testing.T) {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(filepath.Dir(program))
	m, err := llm.NewCommand("."+string(filepath.Separator)+filepath.Base(program), commandResolvers, &llm.CommandOptions{
		Dir: t.TempDir(), Env: append(os.Environ(), act+"=args"),
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Map(t.Context(), commandSource("one\n"), citekit.MapRequest{Modality: citekit.Text}); err != nil {
		t.Error(err)
	}
}

func TestCommandNewErrors(t *testing.T) {
	plain := filepath.Join(t.TempDir(), "plain")
	if err := os.WriteFile(plain, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	wants := map[string]error{"./not-there": fs.ErrNotExist, "no-such-program-here": fs.ErrNotExist}
	if runtime.GOOS != "windows" { // where what may be run is told by its name
		wants[plain] = fs.ErrPermission
	}
	for path, want := range wants {
		if _, err := llm.NewCommand(path, commandResolvers, nil); !errors.Is(err, want) || strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", path, err)
		}
	}
	program, _ := os.Executable()
	m, err := llm.NewCommand(program, commandResolvers, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Map(t.Context(), commandSource("x"), citekit.MapRequest{Modality: citekit.Virtual}); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("virtual: %v", err)
	}
}
