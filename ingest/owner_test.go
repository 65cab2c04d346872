package ingest_test

import (
	"context"
	"errors"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/ingest"
	"github.com/citekit/citekit/internal/ledger"
	"github.com/citekit/citekit/workspace"
)

// readMap returns the bytes of a map file.
func (f *ingestFixture) readMap(t *testing.T, id string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(f.dir, ".resource_maps", id+".json"))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// edit changes a map as a person would.
func (f *ingestFixture) edit(t *testing.T, id, from, to string) (edited string) {
	t.Helper()
	edited = strings.Replace(f.readMap(t, id), from, to, 1)
	f.write(t, ".resource_maps/"+id+".json", edited)
	return edited
}

const otherMap = `{"resource_id":"a","type":"text","title":"Mine","source_path":"other.txt","nodes":[]}`

// TestIngestStaleOriginal checks that the bytes that a source had are not taken
// for those it has.
func TestIngestStaleOriginal(t *testing.T) {
	for _, concurrency := range []int{1, 4} {
		f := newIngestFixture(t, map[string]string{"a.txt": "old\n", "other.txt": "other\n"})
		f.want(t, f.ingest(t, nil), "mapped a.txt as a: 1", "mapped other.txt as other: 1")
		f.write(t, "a.txt", "new\nnew\n")
		f.write(t, "b.txt", "old\n")
		f.ingest(t, &ingest.Options{Concurrency: concurrency})
		m, err := f.lib.Map(t.Context(), "b")
		if err != nil {
			t.Fatal(err)
		}
		if m.Node("old") == nil || m.Node("new") != nil {
			t.Errorf("concurrency %d: b.txt has the nodes of what a.txt is now", concurrency)
		}
		if problems := ingest.Check(t.Context(), f.lib, m); len(problems) > 0 {
			t.Errorf("concurrency %d: problems: %v", concurrency, problems)
		}
	}
}

// TestIngestCopyOfChanging checks that what was made of a source that changed
// meanwhile is not taken for what another one has.
func TestIngestCopyOfChanging(t *testing.T) {
	f := newIngestFixture(t, map[string]string{"a.txt": "old\n", "b.txt": "old\n"})
	f.mapper.maps = func(src *citekit.Source, s *citekit.Draft) error {
		if src.Name() != "a.txt" {
			return nil
		}
		s.Nodes[0].Title = "of other bytes"
		return os.WriteFile(filepath.Join(f.dir, "a.txt"), []byte("changed\n"), 0o600)
	}
	f.want(t, f.ingest(t, &ingest.Options{Concurrency: 1}),
		"failed a.txt (the source changed while it was being read: source has changed)", "mapped b.txt as b: 1")
	if m, err := f.lib.Map(t.Context(), "b"); err != nil || m.Node("old") == nil {
		t.Errorf("%v, error %v", m, err)
	}
}

// TestIngestForceKeepsOthers checks that force does not reach the map of
// another source that stands where the own one was.
func TestIngestForceKeepsOthers(t *testing.T) {
	for _, force := range []bool{false, true} {
		f := newIngestFixture(t, map[string]string{"a.txt": "one\n", "other.txt": "other\n"})
		f.want(t, f.ingest(t, nil, "a.txt"), "mapped a.txt as a: 1")
		f.write(t, ".resource_maps/a.json", otherMap)
		f.write(t, "a.txt", "changed\n")
		f.want(t, f.ingest(t, &ingest.Options{Force: force}, "a.txt"), "mapped a.txt as a-txt: 1")
		if f.readMap(t, "a") != otherMap {
			t.Errorf("force %t: the map of another source was replaced", force)
		}
	}
}

func TestIngestUnchangedButMapIsOthers(t *testing.T) {
	f := newIngestFixture(t, map[string]string{"a.txt": "one\n", "other.txt": "other\n"})
	f.want(t, f.ingest(t, nil, "a.txt"), "mapped a.txt as a: 1")
	f.write(t, ".resource_maps/a.json", otherMap)
	f.want(t, f.ingest(t, nil, "a.txt"), "mapped a.txt as a-txt: 1")
	f.want(t, f.ingest(t, nil, "a.txt"), "unchanged a.txt as a-txt: 1")
	if f.readMap(t, "a") != otherMap {
		t.Error("the map of another source was replaced")
	}
}

// TestIngestIDTakenMeanwhile checks that a source whose map was deleted, and
// whose id another one got, gets another id.
func TestIngestIDTakenMeanwhile(t *testing.T) {
	f := newIngestFixture(t, map[string]string{"x/a.txt": "one\n"})
	f.want(t, f.ingest(t, nil), "mapped x/a.txt as a: 1")
	if err := os.Remove(filepath.Join(f.dir, ".resource_maps", "a.json")); err != nil {
		t.Fatal(err)
	}
	f.write(t, "b/a.txt", "two\n")
	f.want(t, f.ingest(t, nil), "mapped b/a.txt as a: 1", "mapped x/a.txt as x-a: 1")
	f.want(t, f.ingest(t, nil), "unchanged b/a.txt as a: 1", "unchanged x/a.txt as x-a: 1")
}

func TestIngestAskedIDKeepsEditedMaps(t *testing.T) {
	f := newIngestFixture(t, map[string]string{"a.txt": "one\n"})
	asked := &ingest.Options{ResourceID: "chosen"}
	f.want(t, f.ingest(t, asked, "a.txt"), "mapped a.txt as chosen: 1")
	edited := f.edit(t, "chosen", `"title":"one"`, `"title":"My own words"`)
	f.write(t, "a.txt", "two\n")
	f.want(t, f.ingest(t, asked, "a.txt"),
		"failed a.txt (the source has changed, and its map 'chosen' was changed by hand; force replaces it: source has changed)")
	if f.readMap(t, "chosen") != edited {
		t.Error("a map that was changed by hand was replaced")
	}
}

// TestIngestByHandCostsNothing checks that sources whose maps are a person's
// are not mapped in vain.
func TestIngestByHandCostsNothing(t *testing.T) {
	f := newIngestFixture(t, map[string]string{
		"a.txt": "one\n", "own.txt": "mine\n",
		".resource_maps/own.json": `{"resource_id":"own","type":"text","title":"Mine","source_path":"own.txt","nodes":[]}`,
	})
	byHand := "skipped own.txt as own (the map 'own' of this source was made by hand; force replaces it: file already exists)"
	f.want(t, f.ingest(t, nil), "mapped a.txt as a: 1", byHand)
	f.edit(t, "a", `"title":"one"`, `"title":"My own words"`)
	f.write(t, "a.txt", "two\n")
	f.want(t, f.ingest(t, nil),
		"failed a.txt (the source has changed, and its map 'a' was changed by hand; force replaces it: source has changed)", byHand)
	if calls := f.mapper.calls.Load(); calls != 1 {
		t.Errorf("mapped %d times", calls)
	}
}

// TestIngestKilled checks that the maps that an ingest wrote before it was
// killed are not taken for ones that a person changed.
func TestIngestKilled(t *testing.T) {
	f := newIngestFixture(t, map[string]string{"a.txt": "one\n", "b.txt": "two\n"})
	f.want(t, f.ingest(t, nil), "mapped a.txt as a: 1", "mapped b.txt as b: 1")
	f.write(t, "a.txt", "changed\n")
	f.mapper.maps = func(src *citekit.Source, _ *citekit.Draft) error {
		if src.Name() == "b.txt" { // a.txt has its map by now
			f.write(t, "killed", f.readNotes(t))
		}
		return nil
	}
	f.write(t, "b.txt", "changed too\n")
	f.want(t, f.ingest(t, &ingest.Options{Concurrency: 1}), "mapped a.txt as a: 1", "mapped b.txt as b: 1")
	data, err := os.ReadFile(filepath.Join(f.dir, "killed"))
	if err != nil {
		t.Fatal(err)
	}
	f.write(t, notesLog, string(data)) // as it was when b.txt was being mapped
	f.write(t, "a.txt", "changed again\n")
	f.want(t, f.ingest(t, nil, "a.txt", "b.txt"), "mapped a.txt as a: 1", "unchanged b.txt as b: 1")
	edited := f.edit(t, "a", `"title":"changed again"`, `"title":"My own words"`)
	f.write(t, "a.txt", "once more\n")
	f.want(t, f.ingest(t, nil, "a.txt"),
		"failed a.txt (the source has changed, and its map 'a' was changed by hand; force replaces it: source has changed)")
	if f.readMap(t, "a") != edited {
		t.Error("a map that was changed by hand was replaced")
	}
}

// TestIngestForgedNotes checks that notes that others wrote do no harm, and as
// little if they had the key.
func TestIngestForgedNotes(t *testing.T) {
	f := newIngestFixture(t, map[string]string{"a.txt": "one\n", "other.txt": "other\n", ".resource_maps/a.json": otherMap})
	for name, note := range map[string][]byte{
		"another's map": ledger.Note{ID: "a", Type: "text"}.Encode(),
		"no id":         ledger.Note{ID: "../../a", Type: "text"}.Encode(),
		"no type":       ledger.Note{ID: "a", Type: "no type"}.Encode(),
		"no note":       []byte("{"),
		"none":          {},
	} {
		for _, source := range []string{"a.txt", "", "../x"} {
			f.forge(t, source, note)
		}
		f.want(t, f.ingest(t, nil, "a.txt"), "mapped a.txt as a-txt: 1")
		if f.readMap(t, "a") != otherMap {
			t.Errorf("%s: the map of another source was replaced", name)
		}
		if err := os.Remove(filepath.Join(f.dir, ".resource_maps", "a-txt.json")); err != nil {
			t.Fatal(err)
		}
	}
	f.write(t, notesLog, "1\tno seal\n")
	f.want(t, f.ingest(t, nil, "a.txt"), "mapped a.txt as a-txt: 1")
}

// TestIngestBrokenForAWhile checks that a source that could not be read for a
// time keeps its id, and its map the changes of a person.
func TestIngestBrokenForAWhile(t *testing.T) {
	f := newIngestFixture(t, map[string]string{"a.txt": "one\n"})
	f.want(t, f.ingest(t, &ingest.Options{ResourceID: "chosen"}, "a.txt"), "mapped a.txt as chosen: 1")
	f.write(t, "a.txt", "\x00")
	f.want(t, f.ingest(t, nil), "skipped a.txt (binary: source cannot be read)")
	f.edit(t, "chosen", `"title":"one"`, `"title":"My own words"`)
	f.write(t, "a.txt", "two\n")
	f.want(t, f.ingest(t, nil),
		"failed a.txt (the source has changed, and its map 'chosen' was changed by hand; force replaces it: source has changed)")
	f.want(t, f.ingest(t, &ingest.Options{Force: true}), "mapped a.txt as chosen: 1")
}

// TestIngestSkippedByAnotherMapper checks that what one mapper cannot read is
// left to another.
func TestIngestSkippedByAnotherMapper(t *testing.T) {
	f := newIngestFixture(t, map[string]string{"a.txt": "one\n"})
	refuses := new(lineMapper)
	refuses.maps = func(*citekit.Source, *citekit.Draft) error { return citekit.ErrFormat }
	f.want(t, f.ingest(t, &ingest.Options{Mapper: refuses}), "skipped a.txt (source cannot be read)")
	f.want(t, f.ingest(t, nil), "mapped a.txt as a: 1")
}

// TestIngestBadNodes checks that a mapper whose nodes are wrong fails, and
// nothing else.
func TestIngestBadNodes(t *testing.T) {
	f := newIngestFixture(t, map[string]string{"a.txt": "one\n", "b.txt": "two\n"})
	f.mapper.maps = func(src *citekit.Source, s *citekit.Draft) error {
		if src.Name() == "a.txt" {
			s.Nodes = append(s.Nodes, nil)
		}
		return nil
	}
	lines := f.ingest(t, nil)
	if len(lines) != 2 || !strings.HasPrefix(lines[0], "failed a.txt") || lines[1] != "mapped b.txt as b: 1" {
		t.Errorf("%q", lines)
	}
}

// TestIngestLargeCompanion checks that a file beside a recording that is too
// large to be its words is noticed when it changes, and not read for it.
func TestIngestLargeCompanion(t *testing.T) {
	f := newIngestFixture(t, map[string]string{"talk.ts": "words\n", "talk.srt": ""})
	large := filepath.Join(f.dir, "talk.srt")
	for i, want := range []string{"mapped talk.ts as talk: 1", "mapped talk.ts as talk: 1", "unchanged talk.ts as talk: 1"} {
		if !strings.HasPrefix(want, "unchanged") {
			if err := errors.Join(os.Truncate(large, 0), os.Truncate(large, 1<<40+int64(i))); err != nil {
				t.Skip("this file system has no sparse files: ", err)
			}
			time.Sleep(150 * time.Millisecond) // by now it has an identity
		}
		f.want(t, f.ingest(t, nil, "talk.ts"), want)
	}
}

// TestIngestNameNotUTF8 checks that a file that no map can name gets none.
func TestIngestNameNotUTF8(t *testing.T) {
	f := newIngestFixture(t, map[string]string{"a.txt": "one\n"})
	err := os.WriteFile(filepath.Join(f.dir, "b\xff.txt"), []byte("two\n"), 0o600)
	if err != nil {
		t.Skip("this file system has only names in UTF-8: ", err)
	}
	for range 2 {
		report, err := ingest.Run(t.Context(), f.lib, []string{"."}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if item := report.Items[1]; item.Status != ingest.Failed || !errors.Is(item.Err, citekit.ErrSyntax) {
			t.Errorf("%+v", item)
		}
		ids, err := f.lib.Resources(t.Context())
		if err != nil || len(ids) != 1 {
			t.Errorf("maps %q, error %v", ids, err)
		}
	}
}

// notesLog is the file that has the notes.
const notesLog = ".citekit_output/.meta/notes/ingest.log"

// readNotes returns the file that has the notes.
func (f *ingestFixture) readNotes(t *testing.T) string {
	return read(t, filepath.Join(f.dir, notesLog))
}

// forge writes a note as a person with the key could.
func (f *ingestFixture) forge(t *testing.T, source string, note []byte) {
	t.Helper()
	ws := f.lib.Workspace()
	_, stamp, err := ws.ReadNote(t.Context(), ledger.Kind, source)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	if _, err := ws.WriteNoteIf(t.Context(), ledger.Kind, source, note, stamp); err != nil {
		t.Fatal(err)
	}
}

// A hidingNotes is a workspace whose notes cannot be read.
type hidingNotes struct{ *workspace.Directory }

func (hidingNotes) Notes(context.Context, string) iter.Seq2[citekit.Note, error] {
	return func(yield func(citekit.Note, error) bool) {
		yield(citekit.Note{}, &fs.PathError{Op: "open", Path: "/secret/notes", Err: syscall.EMFILE})
	}
}

// TestIngestNotesHidden checks that a map which a person changed is not
// replaced when the notes that would say so cannot be read.
func TestIngestNotesHidden(t *testing.T) {
	f := newIngestFixture(t, map[string]string{"a.txt": "one\n"})
	f.ingest(t, nil)
	edited := f.edit(t, "a", `"title":"one"`, `"title":"uno"`)
	f.write(t, "a.txt", "two\n")
	ws, err := workspace.Open(f.dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	lib := citekit.New(hidingNotes{ws}, citekit.Resolvers{citekit.Text: f.mapper}, nil)
	defer lib.Close()
	report, err := ingest.Run(t.Context(), lib, []string{"."}, nil)
	if err == nil || strings.Contains(err.Error(), "secret") || len(report.Items) != 0 {
		t.Errorf("ingest without its notes: %v, %+v", err, report.Items)
	}
	if _, err := ingest.Delete(t.Context(), lib, "a", &ingest.DeleteOptions{KeepByHand: true}); err == nil {
		t.Error("deleted without the notes")
	}
	if now := f.readMap(t, "a"); now != edited {
		t.Errorf("the map is now %s", now)
	}
}

// A savingMapper does something while a source is measured, after the id of its
// map was given out.
type savingMapper struct {
	*lineMapper
	save func()
}

func (m savingMapper) Measure(ctx context.Context, src *citekit.Source) (citekit.Extent, error) {
	m.save()
	return m.lineMapper.Measure(ctx, src)
}

// TestIngestSavedMeanwhile checks that a map which a person saves while ingest
// makes one under the same id is not replaced.
func TestIngestSavedMeanwhile(t *testing.T) {
	f := newIngestFixture(t, map[string]string{"a.txt": "one\n"})
	const mine = `{"resource_id":"a","type":"text","title":"mine","source_path":"a.txt","nodes":[]}`
	ws, err := workspace.Open(f.dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	mapper := savingMapper{f.mapper, func() { f.write(t, ".resource_maps/a.json", mine) }}
	lib := citekit.New(ws, citekit.Resolvers{citekit.Text: mapper}, nil)
	defer lib.Close()
	for _, status := range []ingest.Status{ingest.Failed, ingest.Skipped} {
		report, err := ingest.Run(t.Context(), lib, []string{"."}, nil)
		if err != nil || len(report.Items) != 1 || report.Items[0].Status != status {
			t.Errorf("%v, %+v; want %s", err, report.Items, status)
		}
		if now := f.readMap(t, "a"); now != mine {
			t.Errorf("the map is now %s", now)
		}
	}
}
