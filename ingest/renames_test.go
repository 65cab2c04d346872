package ingest_test

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/ingest"
	"github.com/citekit/citekit/internal/test/sharedtest"
)

func (f *ingestFixture) rename(t *testing.T, from, to string) {
	t.Helper()
	path := filepath.Join(f.dir, filepath.FromSlash(to))
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.Rename(filepath.Join(f.dir, filepath.FromSlash(from)), path)); err != nil {
		t.Fatal(err)
	}
}

// following are options with which maps follow, and what they were asked.
func following(asked *[]string) *ingest.Options {
	return &ingest.Options{Renames: func(renames []ingest.Rename) bool {
		for _, r := range renames {
			*asked = append(*asked, r.ResourceID+": "+r.From+" to "+r.To)
		}
		return true
	}}
}

func TestIngestRenamed(t *testing.T) {
	f := newIngestFixture(t, map[string]string{"a.txt": "one\n", "b.txt": "two\n", "c.txt": "three\n"})
	f.ingest(t, nil)
	calls := f.mapper.calls.Load()
	f.rename(t, "a.txt", "new/z.txt")
	f.write(t, "new/d.txt", "four\n")
	var asked []string
	f.want(t, f.ingest(t, following(&asked)), "unchanged b.txt as b: 1", "unchanged c.txt as c: 1", "mapped new/d.txt as d: 1", "renamed new/z.txt as a: 1")
	f.want(t, asked, "a: a.txt to new/z.txt")
	if n := f.mapper.calls.Load() - calls; n != 1 {
		t.Errorf("%d sources were mapped", n)
	}
	if cite(t, f.lib, "a") {
		t.Error("cited before")
	}
	f.want(t, f.ingest(t, following(&asked)), "unchanged b.txt as b: 1", "unchanged c.txt as c: 1", "unchanged new/d.txt as d: 1", "unchanged new/z.txt as a: 1")
	f.want(t, asked, "a: a.txt to new/z.txt") // and no more

	// It goes back, and away by name alone.
	f.rename(t, "new/z.txt", "a.txt")
	f.want(t, f.ingest(t, following(&asked), "a.txt"), "renamed a.txt as a: 1")
	f.rename(t, "a.txt", "e.txt")
	f.want(t, f.ingest(t, following(&asked), "a.txt", "e.txt"), "renamed e.txt as a: 1")
}

func TestIngestRenamedUnlessWanted(t *testing.T) {
	f := newIngestFixture(t, map[string]string{"a.txt": "one\n"})
	f.ingest(t, nil)
	f.rename(t, "a.txt", "b.txt")
	refuse := &ingest.Options{Renames: func([]ingest.Rename) bool { return false }}
	f.want(t, f.ingest(t, refuse), "copied b.txt as b: 1", `vanished a.txt as a (its bytes are in "b.txt" now; its map was not moved)`)
	f.want(t, f.ingest(t, nil), "unchanged b.txt as b: 1", "vanished a.txt as a")
}

// TestIngestRenamedInDoubt checks that nothing follows where nobody knows what
// is meant.
func TestIngestRenamedInDoubt(t *testing.T) {
	for name, test := range map[string]struct {
		before map[string]string
		change func(t *testing.T, f *ingestFixture)
	}{
		"a copy": {map[string]string{"a.txt": "one\n"}, func(t *testing.T, f *ingestFixture) { f.write(t, "b.txt", "one\n") }},
		"two new files": {map[string]string{"a.txt": "one\n"}, func(t *testing.T, f *ingestFixture) {
			f.rename(t, "a.txt", "b/a.txt")
			f.write(t, "c.txt", "one\n")
		}},
		"two old files": {map[string]string{"a.txt": "one\n", "b.txt": "one\n"}, func(t *testing.T, f *ingestFixture) {
			f.rename(t, "a.txt", "c.txt")
			f.rename(t, "b.txt", "c.txt")
		}},
		"two of each": {map[string]string{"a.txt": "one\n", "b.txt": "one\n"}, func(t *testing.T, f *ingestFixture) {
			f.rename(t, "a.txt", "c.txt")
			f.rename(t, "b.txt", "d.txt")
		}},
		"other bytes": {map[string]string{"a.txt": "one\n"}, func(t *testing.T, f *ingestFixture) {
			f.rename(t, "a.txt", "b.txt")
			f.write(t, "b.txt", "two\n")
		}},
		"a mapped file": {map[string]string{"a.txt": "one\n", "b.txt": "one\n"}, func(t *testing.T, f *ingestFixture) {
			f.rename(t, "a.txt", "b.txt")
		}},
	} {
		t.Run(name, func(t *testing.T) {
			f := newIngestFixture(t, test.before)
			f.ingest(t, nil)
			test.change(t, f)
			var asked []string
			for _, line := range f.ingest(t, following(&asked)) {
				if strings.HasPrefix(line, "renamed") {
					t.Error(line)
				}
			}
			if len(asked) > 0 {
				t.Errorf("asked for %q", asked)
			}
		})
	}
}

// TestIngestRenamedFolder renames a folder in which several files have the same
// bytes and the same name.
func TestIngestRenamedFolder(t *testing.T) {
	files := make(map[string]string)
	for i := range 50 {
		files[fmt.Sprintf("old/deep/n%d.txt", i)] = fmt.Sprintf("note %d\n", i)
		files[fmt.Sprintf("old/part%d/licence.txt", i)] = "free\n"
	}
	f := newIngestFixture(t, files)
	ids := make(map[string]string) // by the path in the folder
	report, err := ingest.Run(t.Context(), f.lib, []string{"."}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, item := range report.Items {
		ids[strings.TrimPrefix(item.Path, "old/")] = item.ResourceID
	}
	f.rename(t, "old", "brand/new")
	var asked []string
	report, err = ingest.Run(t.Context(), f.lib, []string{"."}, following(&asked))
	if err != nil || report.Count(ingest.Renamed) != 100 || len(report.Items) != 100 {
		t.Fatalf("%d of %d renamed, %v", report.Count(ingest.Renamed), len(report.Items), err)
	}
	for _, item := range report.Items {
		name := strings.TrimPrefix(item.Path, "brand/new/")
		if item.ResourceID != ids[name] || item.From != "old/"+name {
			t.Errorf("%s from %s is %s; it was %s", item.Path, item.From, item.ResourceID, ids[name])
		}
		if m, err := f.lib.Map(t.Context(), item.ResourceID); err != nil || m.SourcePath != item.Path {
			t.Errorf("%s: %v, %v", item.ResourceID, m.SourcePath, err)
		}
	}
}

// TestIngestRenamedEdited checks that what a person wrote into a map stays, and
// is still known to be theirs.
func TestIngestRenamedEdited(t *testing.T) {
	f := newIngestFixture(t, map[string]string{"a.txt": "one\n"})
	f.ingest(t, nil)
	f.edit(t, "a", `"title":"one"`, `"title":"uno"`)
	f.rename(t, "a.txt", "b.txt")
	var asked []string
	f.want(t, f.ingest(t, following(&asked)), "renamed b.txt as a: 1")
	if text := f.readMap(t, "a"); !strings.Contains(text, "uno") || !strings.Contains(text, `"b.txt"`) {
		t.Errorf("map %s", text)
	}
	f.write(t, "b.txt", "changed\n")
	if lines := f.ingest(t, nil); len(lines) != 1 || !strings.Contains(lines[0], "by hand") {
		t.Errorf("%q", lines)
	}
	if _, err := ingest.Delete(t.Context(), f.lib, "a", &ingest.DeleteOptions{KeepByHand: true}); !errors.Is(err, ingest.ErrByHand) {
		t.Errorf("deleted: %v", err)
	}
}

// TestIngestRenamedKilled checks what an ingest finds that was killed after maps
// had followed and before that was noted.
func TestIngestRenamedKilled(t *testing.T) {
	f := newIngestFixture(t, map[string]string{"a.txt": "one\n", "b.txt": "two\n"})
	f.ingest(t, nil)
	f.edit(t, "b", `"title":"two"`, `"title":"duo"`)
	f.rename(t, "a.txt", "c/a.txt")
	f.rename(t, "b.txt", "c/b.txt")
	before := f.readNotes(t)
	var asked []string
	f.ingest(t, following(&asked))
	f.write(t, notesLog, before)
	f.want(t, f.ingest(t, nil), "unchanged c/a.txt as a: 1", "unchanged c/b.txt as b: 1")
	ids, err := f.lib.Resources(t.Context())
	if err != nil || !slices.Equal(ids, []string{"a", "b"}) {
		t.Errorf("there are %v, %v", ids, err)
	}
	for id, name := range map[string]string{"a": "c/a.txt", "b": "c/b.txt"} {
		f.write(t, name, "changed "+id+"\n")
	}
	lines := f.ingest(t, nil)
	if len(lines) != 2 || lines[0] != "mapped c/a.txt as a: 1" || !strings.Contains(lines[1], "by hand") {
		t.Errorf("%q", lines)
	}
}

func TestPairRenamesOfRecordings(t *testing.T) {
	f := newIngestFixture(t, map[string]string{"talk.mp3": "sound\n", "talk.srt": "words\n", "talk.en.vtt": "more\n"})
	f.mapper.maps = func(src *citekit.Source, s *citekit.Draft) error {
		if src.Name() == "talk.mp3" {
			s.Transcript = "talk.srt"
		}
		return nil
	}
	text := &ingest.Options{Type: citekit.Text}
	f.ingest(t, text, "talk.mp3")
	for _, name := range []string{"mp3", "srt", "en.vtt"} {
		f.rename(t, "talk."+name, "done/speech."+name)
	}
	calls := f.mapper.calls.Load()
	var asked []string
	opts := following(&asked)
	opts.Type = citekit.Text
	f.want(t, f.ingest(t, opts, "done/*.mp3"), "renamed done/speech.mp3 as talk: 1")
	if n := f.mapper.calls.Load() - calls; n != 0 {
		t.Errorf("mapped %d times", n)
	}
	if text := f.readMap(t, "talk"); !strings.Contains(text, "done/speech.srt") || strings.Contains(text, "talk.srt") {
		t.Errorf("map %s", text)
	}
}

func TestPairRenames(t *testing.T) {
	sharedtest.Once(t)
	// Each pair is told from the others only once those that end in more of
	// the same names are paired.
	chain := func(n int) (from, to []string) {
		for i := range n {
			end := strings.Repeat("d/", i) + "x"
			from, to = append(from, fmt.Sprintf("a%d/%s", i, end)), append(to, fmt.Sprintf("b%d/%s", i, end))
		}
		return from, to
	}
	from, to := chain(20)
	pairs := ingest.PairRenames(from, to)
	for i, old := range from {
		if pairs[old] != to[i] {
			t.Errorf("%s is %q, want %q", old, pairs[old], to[i])
		}
	}
	from, to = chain(1000) // which takes no longer than it must
	if pairs := ingest.PairRenames(from, to); pairs != nil {
		t.Errorf("%d pairs of paths too deep to tell", len(pairs))
	}
	for name, test := range map[string]struct{ from, to string }{
		"two names alike":     {"a/x b/x", "c/x d/x"},
		"no name alike":       {"a/x b/y", "c/z d/v"},
		"one more than there": {"a/x b/x", "c/x"},
		"one that is left":    {"a/x b/y", "c/x d/z"},
	} {
		if pairs := ingest.PairRenames(strings.Fields(test.from), strings.Fields(test.to)); pairs != nil {
			t.Errorf("%s: %v", name, pairs)
		}
	}
	got := ingest.PairRenames(strings.Fields("a/x a/y/x /a/z"), strings.Fields("b/y/x b/x /b/z"))
	if want := map[string]string{"a/x": "b/x", "a/y/x": "b/y/x", "/a/z": "/b/z"}; !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
