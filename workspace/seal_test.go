package workspace_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/workspace"
)

const evidenceDir = ".citekit_output"

// A known is what a directory is made to know, and asked for.
type known struct {
	source  string // large enough for its hash to be recorded
	body    string
	version string
	notes   string
}

var something = known{strings.Repeat("source ", 300_000), "the right bytes, whole", "v1", "notes"}

// learn makes a directory know something: evidence, a pin, a hash and notes.
func learn(t testing.TB, dir string, opts *workspace.Options) *workspace.Directory {
	t.Helper()
	ctx := context.Background()
	path := filepath.Join(dir, "source.txt")
	writeFile(t, path, something.source)
	waitUntilSettled(t, path)
	d := open(t, dir, opts)
	store(t, d, key, "e.txt", something.body)
	if _, err := pin(ctx, d, "name", "guard", something.version); err != nil {
		t.Fatal(err)
	}
	src, err := d.OpenSource(ctx, "source.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	if _, err := src.Hash(ctx); err != nil {
		t.Fatal(err)
	}
	if _, err := d.WriteNoteIf(ctx, "ingest", "n", []byte(something.notes), citekit.Stamp{}); err != nil {
		t.Fatal(err)
	}
	return d
}

// checkKnows checks that a directory knows what it was made to know, or
// nothing of it.
func checkKnows(t testing.TB, dir string, opts *workspace.Options, want bool) {
	t.Helper()
	ctx := context.Background()
	d := open(t, dir, opts)
	if there := checkEvidence(t, d, key, something.body); there != want {
		t.Errorf("evidence is there: %v", there)
	}
	pinned, err := pin(ctx, d, "name", "guard", "now")
	if err != nil || (pinned == something.version) != want || pinned != something.version && pinned != "now" {
		t.Errorf("pinned %q, %v", pinned, err)
	}
	notes, _, err := d.ReadNote(ctx, "ingest", "n")
	if there := err == nil && string(notes) == something.notes; there != want || err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("notes %q, %v", notes, err)
	}
	src, err := d.OpenSource(ctx, "source.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	if hash := src.KnownHash(); hash != "" && (!want || hash != sum(something.source)) {
		t.Errorf("the hash %s is known", hash)
	}
}

// copyTo copies a directory with all it holds.
func copyTo(t testing.TB, dir string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), "copy")
	if err := os.CopyFS(to, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	return to
}

// What was recorded counts in the directory that it was recorded in, for the
// person who did, under its name.
func TestSeals(t *testing.T) {
	sharedtest.NotShort(t)
	keys := t.TempDir()
	mine := func() *workspace.Options { return &workspace.Options{KeyDir: keys} }
	t.Run("same", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		learn(t, dir, mine())
		checkKnows(t, dir, mine(), true)
	})
	t.Run("another person", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		learn(t, dir, mine())
		theirs := &workspace.Options{KeyDir: t.TempDir()}
		checkKnows(t, dir, theirs, false)
		store(t, open(t, dir, theirs), key, "e.txt", something.body)
		if !checkEvidence(t, open(t, dir, theirs), key, something.body) {
			t.Error("what was made again is not found")
		}
	})
	t.Run("copied", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		learn(t, dir, mine())
		to := copyTo(t, dir)
		checkKnows(t, to, mine(), false)
		checkKnows(t, dir, mine(), true)
		learn(t, to, mine())
		if !checkEvidence(t, open(t, to, mine()), key, something.body) {
			t.Error("what was made again is not found")
		}
	})
	t.Run("put in place of another", func(t *testing.T) {
		t.Parallel()
		dir, other := t.TempDir(), t.TempDir()
		learn(t, dir, mine())
		learn(t, other, mine())
		out := filepath.Join(dir, evidenceDir)
		if err := errors.Join(os.RemoveAll(out), os.CopyFS(out, os.DirFS(filepath.Join(other, evidenceDir)))); err != nil {
			t.Fatal(err)
		}
		checkKnows(t, dir, mine(), false)
	})
	t.Run("moved", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		learn(t, dir, mine())
		to := filepath.Join(t.TempDir(), "moved")
		if err := os.Rename(dir, to); err != nil {
			t.Fatal(err)
		}
		checkKnows(t, to, mine(), false)
	})
	t.Run("a copy where it was", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		learn(t, dir, mine())
		out := filepath.Join(dir, evidenceDir)
		was := out + ".was" // stays, so that the copy cannot get its number
		if err := errors.Join(os.Rename(out, was), os.CopyFS(out, os.DirFS(was))); err != nil {
			t.Fatal(err)
		}
		checkKnows(t, dir, mine(), false)
	})
	t.Run("by a link", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		learn(t, dir, mine())
		link := filepath.Join(t.TempDir(), "link")
		symlink(t, dir, link)
		checkKnows(t, link, mine(), true)
	})
	t.Run("before there were seals", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		learn(t, dir, mine())
		forge(t, dir, func(record []byte) []byte { return record }, false)
		checkKnows(t, dir, mine(), false)
	})
}

// records returns the files below .meta.
func records(t testing.TB, dir string) (paths []string) {
	t.Helper()
	err := filepath.WalkDir(filepath.Join(dir, evidenceDir, ".meta"), func(path string, e fs.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() && filepath.Ext(path) == ".json" {
			paths = append(paths, path)
		}
		return err
	})
	if err != nil || len(paths) == 0 {
		t.Fatal(paths, err)
	}
	return paths
}

// forge does to every record what one who has no key can: it changes the
// content, keeps or drops the seal, and makes the checksum right.
func forge(t testing.TB, dir string, change func(record []byte) []byte, keepSeal bool) {
	t.Helper()
	for _, path := range records(t, dir) {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var r struct {
			Seal   string          `json:"seal,omitempty"`
			SHA256 string          `json:"sha256"`
			Record json.RawMessage `json:"record"`
		}
		if err := json.Unmarshal(data, &r); err != nil {
			t.Fatal(path, err)
		}
		if !keepSeal {
			r.Seal = ""
		}
		r.Record = change(r.Record)
		r.SHA256 = sum(r.Seal + string(r.Record))
		if data, err = json.Marshal(r); err != nil {
			t.Fatal(err)
		}
		writeFile(t, path, string(data))
	}
	forgeNotes(t, filepath.Join(dir, evidenceDir, ".meta", "notes", "ingest.log"), change, keepSeal)
}

// forgeNotes is forge for the lines of a log.
func forgeNotes(t testing.TB, path string, change func(record []byte) []byte, keepSeal bool) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var forged []byte
	for line := range bytes.Lines(data) {
		_, rest, _ := bytes.Cut(bytes.TrimSuffix(line, []byte("\n")), []byte("\t"))
		seal, content, _ := bytes.Cut(rest, []byte("\t"))
		if !keepSeal {
			seal = nil
		}
		content = append(append(seal, '\t'), change(content)...)
		forged = fmt.Appendf(forged, "%d\t%s\n", len(content), content)
	}
	writeFile(t, path, string(forged))
}

// Altered evidence with a record that says so is not found, in this process
// or another, whatever is done to the seal.
func TestForgedRecords(t *testing.T) {
	sharedtest.NotShort(t)
	const altered = "the wrong bytes, whole"
	change := func(record []byte) []byte {
		for old, planted := range map[string]string{
			sum(something.body): sum(altered), sum(something.source): sum("other"), something.version: "v2", something.notes: "NOTES",
		} {
			record = bytes.ReplaceAll(record, []byte(old), []byte(planted))
		}
		return record
	}
	for _, keepSeal := range []bool{true, false} {
		dir := t.TempDir()
		d := learn(t, dir, nil)
		writeFile(t, filepath.Join(dir, evidenceDir, "e.txt"), altered)
		forge(t, dir, change, keepSeal)
		if checkEvidence(t, d, key, something.body) {
			t.Error("altered evidence is found")
		}
		checkKnows(t, dir, nil, false)
	}
}

// A genuine record is of no use under another name.
func TestMovedRecords(t *testing.T) {
	dir, ctx := t.TempDir(), context.Background()
	d := open(t, dir, nil)
	stored := make([]*citekit.StoredEvidence, 2)
	for i := range stored {
		stored[i] = store(t, d, keyOf(i), string(rune('a'+i))+".txt", strings.Repeat(string(rune('a'+i)), 50))
		if _, err := pin(ctx, d, string(rune('a'+i)), "guard", string(rune('a'+i))); err != nil {
			t.Fatal(err)
		}
	}
	swap := func(a, b string) {
		if err := errors.Join(os.Rename(a, a+".x"), os.Rename(b, a), os.Rename(a+".x", b)); err != nil {
			t.Fatal(err)
		}
	}
	meta := filepath.Join(dir, evidenceDir, ".meta")
	swap(filepath.Join(meta, "evidence", keyOf(0)+".json"), filepath.Join(meta, "evidence", keyOf(1)+".json"))
	pins, _ := filepath.Glob(filepath.Join(meta, "pins", "*.json"))
	swap(pins[0], pins[1])
	for _, filesToo := range []bool{false, true} {
		if filesToo {
			swap(stored[0].Path, stored[1].Path)
		}
		for _, ws := range []*workspace.Directory{open(t, dir, nil), d} {
			for i := range stored {
				checkEvidence(t, ws, keyOf(i), strings.Repeat(string(rune('a'+i)), 50))
			}
		}
	}
	for _, name := range []string{"a", "b"} {
		if v, err := pin(ctx, open(t, dir, nil), name, "guard", "now"); err != nil || v != "now" {
			t.Errorf("pinned by the record of another: %q, %v", v, err)
		}
	}
	kinds := []string{"evidence", "pins", "hashes"}
	for _, from := range kinds {
		for _, to := range kinds {
			found, _ := filepath.Glob(filepath.Join(meta, from, "*.json"))
			for _, path := range found {
				if from != to {
					data, _ := os.ReadFile(path)
					writeFile(t, filepath.Join(meta, to, filepath.Base(path)), string(data))
				}
			}
		}
	}
	for i := range stored {
		checkEvidence(t, open(t, dir, nil), keyOf(i), strings.Repeat(string(rune('a'+i)), 50))
	}
}

// A damaged pin is refused; one that was not made here is none.
func TestDamagedAndForeignPins(t *testing.T) {
	ctx := context.Background()
	for name, test := range map[string]struct {
		change  func(data string) string
		damaged bool
	}{
		"truncated":      {func(s string) string { return s[:len(s)/2] }, true},
		"emptied":        {func(string) string { return "" }, true},
		"changed":        {func(s string) string { return strings.Replace(s, "v1", "v2", 1) }, true},
		"seal damaged":   {func(s string) string { return strings.Replace(s, `{"seal":"`, `{"seal":"x`, 1) }, true},
		"without a seal": {func(s string) string { return `{"sha256":"` + sum(`{"name":"name"}`) + `","record":{"name":"name"}}` }, false},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if _, err := pin(ctx, open(t, dir, nil), "name", "guard", "v1"); err != nil {
				t.Fatal(err)
			}
			path := records(t, dir)[0]
			data, _ := os.ReadFile(path)
			writeFile(t, path, test.change(string(data)))
			v, err := pin(ctx, open(t, dir, nil), "name", "guard", "now")
			if errors.Is(err, citekit.ErrStale) != test.damaged || err == nil && v != "now" {
				t.Errorf("%q, %v", v, err)
			}
		})
	}
}

// Neither storing nor making room touches what only planted records name.
func TestPlantedRecordsRemoveNothing(t *testing.T) {
	dir := t.TempDir()
	out := filepath.Join(dir, evidenceDir)
	mine := []string{"mine.txt", "report_pages=1-" + keyOf(7) + ".pdf"}
	for _, name := range mine {
		writeFile(t, filepath.Join(out, name), strings.Repeat("m", 400))
	}
	old := time.Now().Add(-time.Hour)
	for i, name := range mine {
		// As an earlier version wrote it, and as another person's citekit does.
		unsealed := `{"meta":{"name":"` + name + `","size":400,"media_type":""},"sha256":"` + sum(strings.Repeat("m", 400)) + `","identity":""}`
		path := filepath.Join(out, ".meta", "evidence", keyOf(7+2*i)+".json")
		writeFile(t, path, `{"sha256":"`+sum(unsealed)+`","record":`+unsealed+`}`)
		os.Chtimes(path, old, old)
		theirs := open(t, dir, &workspace.Options{KeyDir: t.TempDir()})
		store(t, theirs, keyOf(8+2*i), name, strings.Repeat("m", 400))
		markUsed(t, dir, keyOf(8+2*i), old)
	}
	writeFile(t, filepath.Join(out, ".meta", "usage.json"), `{"sha256":"`+sum(`{"bytes":100000}`)+`","record":{"bytes":100000}}`)
	d := open(t, dir, &workspace.Options{MaxEvidenceBytes: 500})
	for i := range 5 {
		store(t, d, keyOf(20+i), "e"+keyOf(i), strings.Repeat("e", 200))
		markUsed(t, dir, keyOf(20+i), old)
	}
	for _, name := range mine {
		if data, err := os.ReadFile(filepath.Join(out, name)); err != nil || string(data) != strings.Repeat("m", 400) {
			t.Errorf("%s: %.20q, %v", name, data, err)
		}
	}
	if there := checkEvidence(t, d, keyOf(20), strings.Repeat("e", 200)); there {
		t.Error("our own evidence of long ago is still there")
	}
}

func TestKey(t *testing.T) {
	perm := func(path string, want fs.FileMode) {
		t.Helper()
		if info, err := os.Lstat(path); err != nil || runtime.GOOS != "windows" && info.Mode() != want {
			t.Errorf("%s: %v, %v", filepath.Base(path), info.Mode(), err)
		}
	}
	isKept := func(dir string) bool {
		return bytes.Equal(workspace.LoadKey(dir), workspace.LoadKey(dir)) && !bytes.Equal(workspace.LoadKey(dir), workspace.ProcessKey())
	}
	t.Run("made", func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "config", "citekit")
		if !isKept(dir) {
			t.Error("the key is not kept")
		}
		perm(filepath.Join(dir, "evidence.key"), 0o600)
		if entries, _ := os.ReadDir(dir); len(entries) != 1 {
			t.Errorf("left behind: %v", entries)
		}
	})
	t.Run("made by many", func(t *testing.T) {
		dir := t.TempDir()
		keys := make([][]byte, 50)
		var loading sync.WaitGroup
		for i := range keys {
			loading.Go(func() { keys[i] = workspace.LoadKey(dir) })
		}
		loading.Wait()
		for i := range keys {
			if !bytes.Equal(keys[i], keys[0]) || len(keys[i]) != 32 {
				t.Fatal("two keys")
			}
		}
	})
	spoil := map[string]func(path string){
		"cut":          func(path string) { os.Truncate(path, 31) },
		"longer":       func(path string) { writeFile(t, path, strings.Repeat("k", 33)) },
		"read by all":  func(path string) { os.Chmod(path, 0o644) },
		"written":      func(path string) { os.Chmod(path, 0o620) },
		"a full mode":  func(path string) { os.Chmod(path, 0o777) },
		"not for many": func(path string) { os.Chmod(path, 0o640) },
	}
	for name, spoil := range spoil {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			before := workspace.LoadKey(dir)
			path := filepath.Join(dir, "evidence.key")
			spoil(path)
			if runtime.GOOS == "windows" && name != "cut" && name != "longer" {
				t.Skip("modes say nothing here")
			}
			if bytes.Equal(workspace.LoadKey(dir), before) || !isKept(dir) {
				t.Error("there is no new key")
			}
			perm(path, 0o600)
		})
	}
	refuse := map[string]func(path string){
		"link":      func(path string) { other := path + ".other"; os.Rename(path, other); symlink(t, other, path) },
		"directory": func(path string) { os.Remove(path); os.MkdirAll(filepath.Join(path, "x"), 0o700) },
		"pipe":      func(path string) { os.Remove(path); mkfifo(t, path) },
	}
	for name, plant := range refuse {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			workspace.LoadKey(dir)
			plant(filepath.Join(dir, "evidence.key"))
			if !bytes.Equal(workspace.LoadKey(dir), workspace.ProcessKey()) {
				t.Error("it was taken for a key, or replaced")
			}
		})
	}
	t.Run("nowhere", func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "file")
		writeFile(t, file, "")
		if !bytes.Equal(workspace.LoadKey(filepath.Join(file, "citekit")), workspace.ProcessKey()) {
			t.Error("a key was kept in a file")
		}
		dir := t.TempDir()
		opts := &workspace.Options{KeyDir: filepath.Join(file, "citekit")}
		learn(t, dir, opts)
		checkKnows(t, dir, opts, true) // in this process
	})
}

// No map may show the key, wherever it is and whatever leads to it.
func TestKeyIsNoSource(t *testing.T) {
	dir := t.TempDir()
	settings := filepath.Join(dir, "settings")
	opts := &workspace.Options{KeyDir: settings}
	store(t, open(t, dir, opts), key, "e.txt", "evidence")
	file := filepath.Join(settings, "evidence.key")
	symlink(t, file, filepath.Join(dir, "link"))
	paths := []string{"settings/evidence.key", file, "link"}
	if os.Link(file, filepath.Join(dir, "hard")) == nil {
		paths = append(paths, "hard")
	}
	for _, path := range paths {
		if data, err := readSource(open(t, dir, opts), path); !errors.Is(err, citekit.ErrForbidden) {
			t.Errorf("%s: %q, %v", path, data, err)
		}
	}
}
