package search_test

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/ingest"
	"github.com/citekit/citekit/internal/test/faulttest"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/modality"
	"github.com/citekit/citekit/search"
	"github.com/citekit/citekit/workspace"
)

// The processes of these tests are told the directory, and the seed of their chance.
const (
	changerVar = "CITEKIT_SEARCH_CHANGER"
	seedVar    = "CITEKIT_SEARCH_SEED"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(changerVar); dir != "" {
		changeForever(dir)
		return
	}
	os.Exit(m.Run())
}

// notes is how many sources the processes of these tests change.
const notes = 6

// note returns a source of two sections, each with a word of all, one of its
// own and one of its version.
func note(i, version int) string {
	section := fmt.Sprintf("shared own%d mark%dx%d", i, i, version)
	return fmt.Sprintf("# First\n\n%s\n\n# Second\n\n%s\n", section, section)
}

func noteName(i int) string { return fmt.Sprintf("note%d.md", i) }

// changeForever changes sources, maps them and brings the index up to date until
// it is killed.
func changeForever(dir string) {
	ws, err := workspace.Open(dir, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	lib := citekit.New(ws, modality.All(), nil)
	s := search.New(lib, nil)
	seed, _ := strconv.ParseUint(os.Getenv(seedVar), 10, 64)
	r := rand.New(rand.NewPCG(seed, 0))
	for version := 1; err == nil; version++ {
		i := r.IntN(notes)
		err = os.WriteFile(filepath.Join(dir, noteName(i)), []byte(note(i, version)), 0o600)
		if err == nil {
			_, err = ingest.Run(context.Background(), lib, []string{noteName(i)}, nil)
		}
		if err == nil {
			err = s.Update(context.Background())
		}
		fmt.Println("changed")
	}
	fmt.Println(err)
}

// TestKilled kills processes that change sources, map them and index them, two
// at once. Nothing that is found afterwards is not in a source, and once all is
// mapped again everything is found, once.
func TestKilled(t *testing.T) {
	if !sharedtest.Long() {
		t.Skip("kills many processes, as TestKill of search/internal/index and TestIngestKilled of e2e do: only with CITEKIT_LONG=1")
	}
	const rounds = 100
	dir, random := t.TempDir(), sharedtest.Rand(t)
	for i := range notes {
		write(t, dir, noteName(i), note(i, 0))
	}
	for range rounds {
		var wait sync.WaitGroup
		for range 2 {
			seed, after := random.Uint64(), time.Duration(random.IntN(900))*time.Millisecond
			wait.Go(func() { changeUntilKilled(t, dir, seed, after) })
		}
		wait.Wait()
		s := openShelf(t, dir)
		checkSources(t, s, false)
		s.ingest(t)
		checkSources(t, s, true)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// changeUntilKilled runs a process that changes sources, and kills it some time after
// it has said that it has changed one.
func changeUntilKilled(t *testing.T, dir string, seed uint64, after time.Duration) {
	self, err := os.Executable()
	if err != nil {
		t.Error(err)
		return
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), changerVar+"="+dir, seedVar+"="+strconv.FormatUint(seed, 10))
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Error(err)
		return
	}
	kill := time.AfterFunc(3*time.Minute, func() { cmd.Process.Kill() })
	changed := false
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if lines.Text() != "changed" {
			t.Error(lines.Text())
		}
		if !changed {
			changed = true
			kill.Reset(after)
		}
	}
	_ = cmd.Wait()
	if !changed {
		t.Error("a process changed nothing in three minutes")
	}
}

// checkSources compares what is found with the sources: nothing else is found,
// and if all is to be there each section once.
func checkSources(t *testing.T, s *shelf, all bool) {
	t.Helper()
	found := make(map[string]int)
	results, err := s.Search(ctx, search.Request{Query: "shared", TopK: 50})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range results.Results {
		found[r.ResourceID+" "+r.Passage.Text]++
	}
	want := make(map[string]int)
	for i := range notes {
		content, err := os.ReadFile(filepath.Join(s.dir, noteName(i)))
		if err != nil {
			t.Fatal(err)
		}
		for section := range strings.SplitSeq(string(content), "# ") {
			if strings.Contains(section, "shared") {
				want[fmt.Sprintf("note%d # %s", i, section)]++
			}
		}
	}
	for text, n := range found {
		if n > want[text] {
			t.Errorf("found %d times, and is there %d times: %q", n, want[text], text)
		}
	}
	if all && len(found) != len(want) {
		t.Errorf("%d sections are found, of %d", len(found), len(want))
	}
}

// TestFaultAtEachCall fails each call of the workspace in turn while the index
// is made and while one of its resources changes. What is found meanwhile is in
// a source, and who opens the workspace later finds everything.
func TestFaultAtEachCall(t *testing.T) {
	sharedtest.NotShort(t)
	for n := 1; ; n++ {
		f := &faulttest.Workspace{Memory: workspace.NewMemory(nil), Fail: n}
		shelve(t, f.Memory, 0, 1, 2)
		found := func(ws citekit.Workspace) (string, error) {
			lib := citekit.New(ws, modality.All(), nil)
			defer lib.Close()
			s := search.New(lib, nil)
			defer s.Close()
			return wordsFound(s)
		}
		if got, err := found(f); err == nil && !isPartOf(got, "0x0 1x0 2x0") {
			t.Fatalf("call %d: found %s", n, got)
		}
		f.AddSource(noteName(1), []byte(note(1, 7)))
		saveNote(t, f.Memory, 1, 7)
		if got, err := found(f); err == nil && !isPartOf(got, "0x0 1x7 2x0") {
			t.Fatalf("call %d: after a change found %s", n, got)
		}
		reached := f.Calls() >= n
		f.Heal()
		if got, err := found(f); err != nil || got != "0x0 1x7 2x0" {
			t.Fatalf("call %d: opened again found %s, %v", n, got, err)
		}
		if !reached {
			t.Logf("%d calls", n-1)
			return
		}
	}
}

// shelve puts notes in their first version, with maps, into a workspace.
func shelve(t *testing.T, ws *workspace.Memory, which ...int) {
	t.Helper()
	for _, i := range which {
		ws.AddSource(noteName(i), []byte(note(i, 0)))
		saveNote(t, ws, i, 0)
	}
}

// saveNote stores a map of a version of a note, which is not that of others.
func saveNote(t *testing.T, ws *workspace.Memory, i, version int) {
	t.Helper()
	lib := citekit.New(ws, modality.All(), nil)
	defer lib.Close()
	m := &citekit.ResourceMap{ResourceID: fmt.Sprint("note", i), Type: citekit.Text, SourcePath: noteName(i), Title: fmt.Sprint("Version ", version)}
	for name, lines := range map[string][2]int{"first": {1, 4}, "second": {5, 7}} {
		location := citekit.Text.Lines(lines[0], lines[1])
		m.Nodes = append(m.Nodes, &citekit.Node{ID: name, Title: name, Location: location})
	}
	if err := lib.Save(ctx, m); err != nil {
		t.Fatal(err)
	}
}

// wordsFound returns the versions of notes that are found, twice each.
func wordsFound(s *search.Searcher) (string, error) {
	results, err := s.Search(ctx, search.Request{Query: "shared", TopK: 50})
	if err != nil {
		return "", err
	}
	count := make(map[string]int)
	for _, r := range results.Results {
		_, mark, _ := strings.Cut(r.Passage.Text, "mark")
		count[strings.TrimSpace(mark)]++
	}
	var words []string
	for word, n := range count {
		if n != 2 {
			word += fmt.Sprint(" times ", n)
		}
		words = append(words, word)
	}
	slices.Sort(words)
	return strings.Join(words, " "), nil
}

func isPartOf(some, all string) bool {
	for word := range strings.FieldsSeq(some) {
		if !slices.Contains(strings.Fields(all), word) {
			return false
		}
	}
	return true
}
