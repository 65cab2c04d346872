package workspacetest

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/workspace"
)

// A Damager is a workspace of a test that can damage what it stores. Where evidence is
// in files, the suite does that itself; a workspace that is neither is not checked for
// damage.
type Damager interface {
	// DamageEvidence changes a byte of the stored content of evidence, as a fault of the
	// storage would.
	DamageEvidence(t testing.TB, key string)
}

// damage damages stored evidence, if that can be done.
func damage(t testing.TB, ws citekit.Workspace, key string, stored *citekit.StoredEvidence) bool {
	t.Helper()
	if damager, ok := ws.(Damager); ok {
		damager.DamageEvidence(t, key)
		return true
	}
	if !isFile(stored.Path) {
		return false
	}
	f, err := os.OpenFile(stored.Path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	last := make([]byte, 1)
	if _, err = f.ReadAt(last, stored.Size-1); err == nil {
		_, err = f.WriteAt([]byte{last[0] ^ 1}, stored.Size-1)
	}
	if err != nil {
		t.Fatal(err)
	}
	return true
}

// contents are evidence of the sizes that stores keep in different ways.
var contents = []string{"small", strings.Repeat("large", 100_000)}

// checkDamaged damages evidence: it must count as missing until it is stored again.
func checkDamaged(t testing.TB, ws citekit.Workspace) {
	ctx := t.Context()
	store := func(body string) *citekit.StoredEvidence {
		stored, err := ws.StoreEvidence(ctx, key, citekit.EvidenceMeta{Name: "n.txt", Size: -1}, strings.NewReader(body))
		if err != nil {
			t.Fatalf("StoreEvidence: %v, want no error", err)
		}
		return stored
	}
	for _, body := range contents {
		if !damage(t, ws, key, store(body)) {
			return
		}
		if found, err := ws.FindEvidence(ctx, key); !errors.Is(err, fs.ErrNotExist) {
			t.Fatalf("FindEvidence of %d bytes that were damaged: %+v, %v; want fs.ErrNotExist", len(body), found, err)
		}
		if opener, ok := ws.(citekit.EvidenceOpener); ok {
			if _, _, err := opener.OpenEvidence(ctx, key); !errors.Is(err, fs.ErrNotExist) {
				t.Fatalf("OpenEvidence of %d bytes that were damaged: %v; want fs.ErrNotExist", len(body), err)
			}
		}
		stored := store(body)
		if found, err := ws.FindEvidence(ctx, key); err != nil || found.SHA256 != sum(body) {
			t.Fatalf("FindEvidence after what was damaged was stored again: %+v, %v; want the hash of the content", found, err)
		}
		if data, ok := content(t, ws, key, stored); ok && string(data) != body {
			t.Fatalf("evidence that was damaged and stored again has %d bytes; want the %d that were stored", len(data), len(body))
		}
	}
}

// checkDeletedWhileOpen deletes evidence that is being read: what is read must be the
// content, to its end or to an error.
func checkDeletedWhileOpen(t testing.TB, ws citekit.Workspace) {
	opener, opens := ws.(citekit.EvidenceOpener)
	d, deletes := ws.(workspace.Deleter)
	if !opens || !deletes {
		return
	}
	ctx := t.Context()
	for _, body := range contents {
		for _, offset := range []int64{-1, 0, 3} { // -1 reads on, the others seek
			if _, err := ws.StoreEvidence(ctx, key, citekit.EvidenceMeta{Name: "n.txt", Size: -1}, strings.NewReader(body)); err != nil {
				t.Fatalf("StoreEvidence: %v, want no error", err)
			}
			open, _, err := opener.OpenEvidence(ctx, key)
			if err != nil {
				t.Fatalf("OpenEvidence: %v, want no error", err)
			}
			deleteOpen(t, d, open, body, offset)
			if err := open.Close(); err != nil {
				t.Fatalf("Close of evidence that was deleted: %v, want no error", err)
			}
			if _, err := ws.FindEvidence(ctx, key); !errors.Is(err, fs.ErrNotExist) {
				t.Fatalf("FindEvidence of what was deleted: %v, want fs.ErrNotExist", err)
			}
		}
	}
}

// deleteOpen deletes what is kept while open, which has a body, is read.
func deleteOpen(t testing.TB, d workspace.Deleter, open io.ReadSeeker, body string, offset int64) {
	t.Helper()
	if _, err := io.ReadFull(open, make([]byte, 2)); err != nil {
		t.Fatalf("evidence that is open: %v, want no error", err)
	}
	for k, err := range d.Kept(t.Context()) {
		if err != nil {
			t.Fatalf("Kept: %v, want no error", err)
		}
		if err := d.DeleteKept(t.Context(), k); err != nil {
			t.Fatalf("DeleteKept(%+v) of what is open: %v, want no error", k, err)
		}
	}
	want := body[2:]
	if offset >= 0 {
		want = body[offset:]
		if _, err := open.Seek(offset, io.SeekStart); err != nil {
			t.Fatalf("Seek(%d) in evidence that was deleted: %v, want no error", offset, err)
		}
	}
	data, err := io.ReadAll(open)
	if err == nil && string(data) != want || !strings.HasPrefix(want, string(data)) || err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("evidence that was deleted while it was open, from %d: %d bytes, %v; want the %d that were stored, or fewer and fs.ErrNotExist", offset, len(data), err, len(want))
	}
}

// manyKept is how much a workspace keeps in checkManyKept: more than common stores
// list at once.
const manyKept = 1010

// checkManyKept keeps much: Kept must yield all of it, each once, and stop when it is
// told to.
func checkManyKept(t testing.TB, ws citekit.Workspace) {
	d, ok := ws.(workspace.Deleter)
	if !ok || testing.Short() {
		return
	}
	ctx := t.Context()
	number := manyKept
	store := func(i int) (*citekit.StoredEvidence, error) {
		meta := citekit.EvidenceMeta{Name: fmt.Sprintf("x_%d.txt", i), Size: 1}
		return ws.StoreEvidence(ctx, fmt.Sprintf("%016x", i), meta, strings.NewReader("x"))
	}
	if stored, err := store(0); err == nil && isFile(stored.Path) {
		number = 30 // folders have no pages, and files take long
	}
	var pins []citekit.NoteChange
	for i := range number {
		pins = append(pins, citekit.NoteChange{Name: fmt.Sprint("pin", i), Data: []byte("one")})
	}
	if _, err := ws.ChangeNotes(ctx, workspace.PinNotes, pins); err != nil {
		t.Fatalf("ChangeNotes: %v, want no error", err)
	}
	var storing sync.WaitGroup
	var first firstFault
	const callers = 8
	for caller := range callers {
		storing.Go(func() {
			for i := caller; i < number; i += callers {
				if _, err := store(i); err != nil {
					first.report("StoreEvidence: %v, want no error", err)
				}
			}
		})
	}
	storing.Wait()
	first.check(t)
	seen := make(map[string]int)
	for k, err := range d.Kept(ctx) {
		if err != nil {
			t.Fatalf("Kept: %v, want no error", err)
		}
		if seen[k.Kind]++; seen[k.Kind+k.Name] > 0 {
			t.Fatalf("Kept yields %+v twice, want it once", k)
		}
		seen[k.Kind+k.Name]++
	}
	if seen[workspace.KeptEvidence] != number || seen[workspace.KeptPin] != number {
		t.Fatalf("Kept yields %d pieces of evidence and %d pins, want %d of each", seen[workspace.KeptEvidence], seen[workspace.KeptPin], number)
	}
	yielded := 0
	for range d.Kept(ctx) {
		if yielded++; yielded == 3 {
			break
		}
	}
}

// checkNamed checks that the path of evidence ends in its name, from which programs tell
// what it is.
func checkNamed(t testing.TB, ws citekit.Workspace) {
	for i, name := range []string{"poem_n1.txt", "clip_é.mp4", "no-extension"} {
		key := fmt.Sprintf("%016x", i)
		stored, err := ws.StoreEvidence(t.Context(), key, citekit.EvidenceMeta{Name: name, Size: -1}, strings.NewReader("x"))
		if err != nil {
			t.Fatalf("StoreEvidence: %v, want no error", err)
		}
		if base := path.Base(filepath.ToSlash(stored.Path)); base != name {
			t.Fatalf("evidence with the name %q has the path %q, want one that ends in its name", name, stored.Path)
		}
	}
}

// checkFind searches for the source: what is found must be what was asked for.
func checkFind(t testing.TB, ws citekit.Workspace) {
	finder, ok := ws.(workspace.Finder)
	if !ok {
		return
	}
	source := workspace.Candidate{Path: SourcePath, Size: int64(len(SourceContent))}
	named := source
	named.Named = true
	for _, c := range []struct {
		paths []string
		want  *workspace.Candidate // nil for none
		err   error                // for the path; nil for none
	}{
		{nil, nil, nil},
		{[]string{"."}, &source, nil},
		{[]string{"docs"}, &source, nil},
		{[]string{"docs", ".", "docs/*"}, &source, nil},
		{[]string{"docs/*.txt"}, &source, nil},
		{[]string{"**/p?em.[t]xt"}, &source, nil},
		{[]string{SourcePath}, &named, nil},
		{[]string{"docs/none.txt"}, nil, fs.ErrNotExist},
		{[]string{"doc"}, nil, fs.ErrNotExist},
		{[]string{"docs/*.md"}, nil, nil},
		{[]string{"*.txt"}, nil, nil},
		{[]string{"../x"}, nil, citekit.ErrForbidden},
	} {
		var found []workspace.Candidate
		var failed error
		for candidate, err := range finder.Find(t.Context(), workspace.FindRequest{Paths: c.paths}) {
			switch {
			case err != nil:
				failed = errors.Join(failed, err)
			case !candidate.Folder:
				candidate.Identity, candidate.Companions = "", nil
				found = append(found, candidate)
			}
		}
		if c.err != nil && !errors.Is(failed, c.err) || c.err == nil && failed != nil && !errors.Is(failed, fs.ErrNotExist) {
			t.Fatalf("Find(%q): %v, want the error %v", c.paths, failed, c.err)
		}
		if c.want == nil && len(found) > 0 || c.want != nil && (len(found) != 1 || found[0].Path != c.want.Path || found[0].Size != c.want.Size) {
			t.Fatalf("Find(%q) yields %+v, want %+v, once", c.paths, found, c.want)
		}
		if c.want != nil && c.want.Named && !found[0].Named {
			t.Fatalf("Find(%q) yields %+v, want it to be the one that is named", c.paths, found[0])
		}
	}
}
