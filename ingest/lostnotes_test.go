package ingest_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/ingest"
	"github.com/citekit/citekit/internal/ledger"
	"github.com/citekit/citekit/workspace"
)

const editedByHand = "failed edited.txt (the source has changed, and its map 'edited' was changed by hand; force replaces it: source has changed)"

// newEditedFixture returns a folder with a map that a person changed, and one
// whose id a person chose.
func newEditedFixture(t *testing.T) (f *ingestFixture, older string) {
	f = newIngestFixture(t, map[string]string{"edited.txt": "one\n", "named.txt": "two\n", "plain.txt": "three\n"})
	f.want(t, f.ingest(t, nil, "edited.txt", "plain.txt"), "mapped edited.txt as edited: 1", "mapped plain.txt as plain: 1")
	older = f.readNotes(t)
	f.want(t, f.ingest(t, &ingest.Options{ResourceID: "chosen"}, "named.txt"), "mapped named.txt as chosen: 1")
	f.edit(t, "edited", `"title":"one"`, `"title":"My own words"`)
	f.ingest(t, nil)
	return f, older
}

// change changes all sources.
func (f *ingestFixture) change(t *testing.T, to string) {
	t.Helper()
	for _, name := range []string{"edited.txt", "named.txt", "plain.txt"} {
		f.write(t, name, to+" "+name+"\n")
	}
}

// wantKept ingests: every source keeps its id, and the map that a person changed
// stays.
func (f *ingestFixture) wantKept(t *testing.T, lines []string) {
	t.Helper()
	f.want(t, lines, editedByHand, "mapped named.txt as chosen: 1", "mapped plain.txt as plain: 1")
	if text := f.readMap(t, "edited"); !strings.Contains(text, "My own words") {
		t.Errorf("the map is now %s", text)
	}
	ids, err := f.lib.Resources(t.Context())
	if err != nil || !slices.Equal(ids, []string{"chosen", "edited", "plain"}) {
		t.Errorf("maps %q, %v", ids, err)
	}
}

// lose is what becomes of notes. The log is that of a fixture as it is.
var lose = map[string]func(t *testing.T, f *ingestFixture, older string){
	"nothing": func(*testing.T, *ingestFixture, string) {},
	"all":     func(t *testing.T, f *ingestFixture, _ string) { os.Remove(filepath.Join(f.dir, notesLog)) },
	"folder":  func(t *testing.T, f *ingestFixture, _ string) { os.RemoveAll(filepath.Join(f.dir, ".citekit_output")) },
	"older":   func(t *testing.T, f *ingestFixture, older string) { f.write(t, notesLog, older) },
	"emptied": func(t *testing.T, f *ingestFixture, _ string) { f.write(t, notesLog, "") },
	"of edited.txt": func(t *testing.T, f *ingestFixture, _ string) {
		f.write(t, notesLog, without(f.readNotes(t), `"edited.txt"`))
	},
	"of named.txt": func(t *testing.T, f *ingestFixture, _ string) {
		f.write(t, notesLog, without(f.readNotes(t), `"named.txt"`))
	},
	"damaged": func(t *testing.T, f *ingestFixture, _ string) {
		f.write(t, notesLog, strings.ReplaceAll(f.readNotes(t), "chosen", "choses"))
	},
}

// without returns lines without those that have a part.
func without(text, part string) string {
	lines := slices.Collect(strings.Lines(text))
	return strings.Join(slices.DeleteFunc(lines, func(line string) bool { return strings.Contains(line, part) }), "")
}

// TestIngestNotesLost checks that a map which a person changed is not replaced,
// and that every source keeps its id, whatever is lost of the notes before a
// run.
func TestIngestNotesLost(t *testing.T) {
	for name, lose := range lose {
		t.Run(name, func(t *testing.T) {
			f, older := newEditedFixture(t)
			lose(t, f, older)
			f.want(t, f.ingest(t, nil), "unchanged edited.txt as edited: 1", "unchanged named.txt as chosen: 1", "unchanged plain.txt as plain: 1")
			lose(t, f, older)
			f.change(t, "changed")
			f.wantKept(t, f.ingest(t, nil))
		})
	}
}

// TestIngestNotesLostMeanwhile is TestIngestNotesLost for notes that are lost
// while ingest maps: the run goes on, and the next one knows all.
func TestIngestNotesLostMeanwhile(t *testing.T) {
	for name, lose := range lose {
		t.Run(name, func(t *testing.T) {
			f, older := newEditedFixture(t)
			f.change(t, "changed")
			f.mapper.maps = func(src *citekit.Source, _ *citekit.Draft) error {
				if src.Name() == "named.txt" {
					lose(t, f, older)
				}
				return nil
			}
			f.wantKept(t, f.ingest(t, &ingest.Options{Concurrency: 1}))
			f.mapper.maps = nil
			f.want(t, f.ingest(t, nil, "named.txt", "plain.txt"), "unchanged named.txt as chosen: 1", "unchanged plain.txt as plain: 1")
			f.change(t, "again")
			f.wantKept(t, f.ingest(t, nil))
		})
	}
}

// TestIngestNotesCut cuts the file of the notes anywhere.
func TestIngestNotesCut(t *testing.T) {
	f, _ := newEditedFixture(t)
	notes := f.readNotes(t)
	step := 97
	if testing.Short() {
		step = 499
	}
	for end := 0; end < len(notes); end += step {
		f.write(t, notesLog, notes[:end])
		f.change(t, strconv.Itoa(end))
		f.wantKept(t, f.ingest(t, nil))
		if t.Failed() {
			t.Fatalf("cut at %d of %d", end, len(notes))
		}
	}
}

// TestIngestCopiedFolder checks that maps tell in another place, where no note
// counts, what a person changed.
func TestIngestCopiedFolder(t *testing.T) {
	f, _ := newEditedFixture(t)
	dir := filepath.Join(t.TempDir(), "copy")
	if err := os.CopyFS(dir, os.DirFS(f.dir)); err != nil {
		t.Fatal(err)
	}
	ws, err := workspace.Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	c := &ingestFixture{dir: dir, mapper: f.mapper, lib: citekit.New(ws, citekit.Resolvers{citekit.Text: f.mapper}, nil)}
	defer c.lib.Close()
	c.change(t, "changed")
	c.wantKept(t, c.ingest(t, nil))
}

// TestIngestUnmarkedMap checks that a map is not replaced that does not tell
// whether a person changed it.
func TestIngestUnmarkedMap(t *testing.T) {
	f := newIngestFixture(t, map[string]string{"a.txt": "one\n"})
	f.want(t, f.ingest(t, nil), "mapped a.txt as a: 1")
	m, err := f.lib.Map(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	mark, _ := m.Metadata["map_hash"].(string)
	f.edit(t, "a", `"map_hash":"`+mark+`",`, "")
	f.want(t, f.ingest(t, nil), "unchanged a.txt as a: 1")
	f.write(t, "a.txt", "two\n")
	f.want(t, f.ingest(t, nil), "failed a.txt (the source has changed, and its map 'a' may have been changed by hand; force replaces it: source has changed)")
	f.want(t, f.ingest(t, &ingest.Options{Force: true}), "mapped a.txt as a: 1")
}

// TestIngestWritesOneNote checks that what changes of one source costs one line.
func TestIngestWritesOneNote(t *testing.T) {
	files := map[string]string{}
	for i := range 50 {
		files["file"+string(rune('a'+i/10))+string(rune('0'+i%10))+".txt"] = strings.Repeat("line\n", i+1)
	}
	f := newIngestFixture(t, files)
	f.ingest(t, nil)
	time.Sleep(200 * time.Millisecond) // until then, the last files and maps have no identity
	f.ingest(t, nil)
	before := f.readNotes(t)
	f.write(t, "filea3.txt", "changed\n")
	f.ingest(t, nil)
	added, ok := strings.CutPrefix(f.readNotes(t), before)
	if !ok || strings.Count(added, "\n") != 1 || !strings.Contains(added, "filea3.txt") {
		t.Errorf("written: %q", added)
	}
	f.ingest(t, nil)
}

// TestIngestLongTexts checks that what a mapper says does not keep notes from
// being stored.
func TestIngestLongTexts(t *testing.T) {
	long := strings.Repeat("é\t\n", 70_000)
	f := newIngestFixture(t, map[string]string{"a.txt": "one\n", "b.txt": "two\n", "c.txt": "three\n"})
	f.mapper.maps = func(src *citekit.Source, d *citekit.Draft) error {
		d.Method = long
		if src.Name() == "b.txt" {
			return errors.Join(citekit.ErrFormat, errors.New(long))
		}
		return nil
	}
	f.ingest(t, nil)
	calls := f.mapper.calls.Load()
	lines := f.ingest(t, nil)
	if len(lines) != 3 || lines[0] != "unchanged a.txt as a: 1" || !strings.HasPrefix(lines[1], "skipped b.txt") || f.mapper.calls.Load() != calls {
		t.Errorf("%.100q, mapped %d times", lines, f.mapper.calls.Load()-calls)
	}
	for n, err := range f.lib.Workspace().Notes(t.Context(), ledger.Kind) {
		if err != nil || len(n.Data) > 8000 {
			t.Errorf("note %q of %d bytes, %v", n.Name, len(n.Data), err)
		}
	}
	if _, err := ingest.Run(t.Context(), f.lib, []string{"."}, &ingest.Options{Mapper: f.mapper, MapperName: long}); !errors.Is(err, citekit.ErrSyntax) {
		t.Errorf("a mapper with a long name: %v", err)
	}
}

// TestIngestTogether has two ingest at once.
func TestIngestTogether(t *testing.T) {
	f, _ := newEditedFixture(t)
	f.change(t, "changed")
	var running sync.WaitGroup
	for range 3 {
		running.Go(func() {
			ws, err := workspace.Open(f.dir, nil)
			if err != nil {
				t.Error(err)
				return
			}
			lib := citekit.New(ws, citekit.Resolvers{citekit.Text: f.mapper}, nil)
			defer lib.Close()
			report, err := ingest.Run(t.Context(), lib, []string{"."}, nil)
			if err != nil || report.Count(ingest.Failed) != 1 || report.Count(ingest.Mapped)+report.Count(ingest.Unchanged) != 2 {
				t.Errorf("%v, %v", err, report.Err())
			}
		})
	}
	running.Wait()
	f.want(t, f.ingest(t, nil), editedByHand, "unchanged named.txt as chosen: 1", "unchanged plain.txt as plain: 1")
}
