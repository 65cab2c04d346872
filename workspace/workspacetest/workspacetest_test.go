package workspacetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/workspace"
)

func newMemory() *workspace.Memory {
	m := workspace.NewMemory(nil)
	m.AddSource(SourcePath, []byte(SourceContent))
	return m
}

// A faulty workspace is a memory whose methods others replace, with what they
// need for it.
type faulty struct {
	*workspace.Memory

	mu    sync.Mutex
	held  map[string][]byte
	stamp map[string]citekit.Stamp
}

func newFaulty() *faulty {
	return &faulty{Memory: newMemory(), held: make(map[string][]byte), stamp: make(map[string]citekit.Stamp)}
}

// fault is what a workspace does wrong, and what must be reported of it.
type fault struct {
	name string
	want string // in what is reported, which begins with the name of the check
	make func(b *faulty) citekit.Workspace
}

type torn struct{ *faulty }

func (w torn) WriteMap(ctx context.Context, id string, data []byte) error {
	if err := w.faulty.WriteMap(ctx, id, data[:len(data)/2]); err != nil {
		return err
	}
	time.Sleep(time.Millisecond)
	return w.faulty.WriteMap(ctx, id, data)
}

type staleRead struct{ *faulty }

func (w staleRead) ReadMap(ctx context.Context, id string, max int64) ([]byte, citekit.Stamp, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if data, ok := w.held[id]; ok {
		return bytes.Clone(data), w.stamp[id], nil
	}
	data, stamp, err := w.faulty.ReadMap(ctx, id, max)
	if err == nil {
		w.held[id], w.stamp[id] = bytes.Clone(data), stamp
	}
	return data, stamp, err
}

// listChange changes what is listed.
type listChange struct {
	*faulty
	change func(ids []string, after string, limit int) []string
}

func (w listChange) ListMaps(ctx context.Context, after string, limit int) ([]string, error) {
	ids, err := w.faulty.ListMaps(ctx, "", 0)
	return w.change(ids, after, limit), err
}

func from(ids []string, after string, limit int) []string {
	i, found := slices.BinarySearch(ids, after)
	if found {
		i++
	}
	ids = ids[i:]
	if limit > 0 {
		ids = ids[:min(limit, len(ids))]
	}
	return ids
}

type noCompare struct{ *faulty }

func (w noCompare) WriteMapIf(ctx context.Context, id string, data []byte, _ citekit.Stamp) (citekit.Stamp, error) {
	if err := w.WriteMap(ctx, id, data); err != nil {
		return citekit.Stamp{}, err
	}
	return w.StatMap(ctx, id)
}

// compareFirst compares, and writes later.
type compareFirst struct{ *faulty }

func (w compareFirst) WriteMapIf(ctx context.Context, id string, data []byte, stamp citekit.Stamp) (citekit.Stamp, error) {
	if err := citekit.CheckResourceID(id); err != nil {
		return citekit.Stamp{}, err
	}
	if now, _ := w.StatMap(ctx, id); now != stamp {
		return citekit.Stamp{}, citekit.ErrConflict
	}
	time.Sleep(time.Millisecond)
	return noCompare(w).WriteMapIf(ctx, id, data, stamp)
}

type noCompareNotes struct{ *faulty }

func (w noCompareNotes) WriteNoteIf(ctx context.Context, kind, name string, data []byte, _ citekit.Stamp) (citekit.Stamp, error) {
	_, now, _ := w.ReadNote(ctx, kind, name)
	return w.faulty.WriteNoteIf(ctx, kind, name, data, now)
}

// changesOneByOne makes the changes that it can.
type changesOneByOne struct{ *faulty }

func (w changesOneByOne) ChangeNotes(ctx context.Context, kind string, changes []citekit.NoteChange) ([]citekit.Stamp, error) {
	var stamps []citekit.Stamp
	var conflict citekit.NoteConflictError
	for _, c := range changes {
		stamp, err := w.faulty.ChangeNotes(ctx, kind, []citekit.NoteChange{c})
		switch {
		case errors.Is(err, citekit.ErrConflict):
			conflict.Names = append(conflict.Names, c.Name)
		case err != nil:
			return nil, err
		default:
			stamps = append(stamps, stamp...)
		}
	}
	if len(conflict.Names) > 0 {
		return nil, &conflict
	}
	return stamps, nil
}

// changesAny changes notes whatever their stamps are.
type changesAny struct{ *faulty }

func (w changesAny) ChangeNotes(ctx context.Context, kind string, changes []citekit.NoteChange) ([]citekit.Stamp, error) {
	changes = slices.Clone(changes)
	for i, c := range changes {
		_, changes[i].Stamp, _ = w.ReadNote(ctx, kind, c.Name)
	}
	return w.faulty.ChangeNotes(ctx, kind, changes)
}

// firstConflict names one note of those that others changed.
type firstConflict struct{ *faulty }

func (w firstConflict) ChangeNotes(ctx context.Context, kind string, changes []citekit.NoteChange) ([]citekit.Stamp, error) {
	stamps, err := w.faulty.ChangeNotes(ctx, kind, changes)
	var conflict *citekit.NoteConflictError
	if errors.As(err, &conflict) {
		conflict.Names = conflict.Names[:1]
	}
	return stamps, err
}

// deletesNone takes nil for no data.
type deletesNone struct{ *faulty }

func (w deletesNone) ChangeNotes(ctx context.Context, kind string, changes []citekit.NoteChange) ([]citekit.Stamp, error) {
	changes = slices.Clone(changes)
	for i, c := range changes {
		changes[i].Data = append([]byte{}, c.Data...)
	}
	return w.faulty.ChangeNotes(ctx, kind, changes)
}

// otherOrder gives the stamps in another order.
type otherOrder struct{ *faulty }

func (w otherOrder) ChangeNotes(ctx context.Context, kind string, changes []citekit.NoteChange) ([]citekit.Stamp, error) {
	stamps, err := w.faulty.ChangeNotes(ctx, kind, changes)
	slices.Reverse(stamps)
	return stamps, err
}

// ignoresChangeContext changes notes for those who gave up.
type ignoresChangeContext struct{ *faulty }

func (w ignoresChangeContext) ChangeNotes(ctx context.Context, kind string, changes []citekit.NoteChange) ([]citekit.Stamp, error) {
	return w.faulty.ChangeNotes(context.WithoutCancel(ctx), kind, changes)
}

// locksNothing lets all ingest at once.
type locksNothing struct{ *faulty }

func (w locksNothing) LockIngest(context.Context) (func(), error) { return func() {}, nil }

// contentStamp gives equal versions equal stamps.
type contentStamp struct{ *faulty }

func (w contentStamp) StatMap(ctx context.Context, id string) (citekit.Stamp, error) {
	data, _, err := w.faulty.ReadMap(ctx, id, 1<<20)
	return citekit.Stamp{Identity: sum(string(data))}, err
}

func (w contentStamp) ReadMap(ctx context.Context, id string, max int64) ([]byte, citekit.Stamp, error) {
	data, _, err := w.faulty.ReadMap(ctx, id, max)
	return data, citekit.Stamp{Identity: sum(string(data))}, err
}

// evidence changes what is said of evidence.
type evidence struct {
	*faulty
	change func(*citekit.StoredEvidence)
}

func (w evidence) FindEvidence(ctx context.Context, key string) (*citekit.StoredEvidence, error) {
	found, err := w.faulty.FindEvidence(ctx, key)
	if err == nil {
		w.change(found)
	}
	return found, err
}

type altered struct{ *faulty }

func (w altered) OpenEvidence(ctx context.Context, key string) (io.ReadSeekCloser, *citekit.StoredEvidence, error) {
	body, stored, err := w.faulty.OpenEvidence(ctx, key)
	if err != nil {
		return nil, nil, err
	}
	data, _ := io.ReadAll(body)
	if len(data) > 0 {
		data[0] ^= 1
	}
	return nopCloser{bytes.NewReader(data)}, stored, nil
}

type nopCloser struct{ *bytes.Reader }

func (nopCloser) Close() error { return nil }

// shortBody stores what there is of a body.
type shortBody struct{ *faulty }

func (w shortBody) StoreEvidence(ctx context.Context, key string, meta citekit.EvidenceMeta, body io.Reader) (*citekit.StoredEvidence, error) {
	data, _ := io.ReadAll(body)
	meta.Size = int64(len(data))
	return w.faulty.StoreEvidence(ctx, key, meta, bytes.NewReader(data))
}

var errGone = errors.New("gone")

type noKind struct{ *faulty }

func (w noKind) StatMap(ctx context.Context, id string) (citekit.Stamp, error) {
	stamp, err := w.faulty.StatMap(ctx, id)
	if err != nil {
		err = errGone
	}
	return stamp, err
}

type noKindEvidence struct{ *faulty }

func (w noKindEvidence) FindEvidence(ctx context.Context, key string) (*citekit.StoredEvidence, error) {
	found, err := w.faulty.FindEvidence(ctx, key)
	if err != nil {
		err = errGone
	}
	return found, err
}

// openAll opens whatever is named.
type openAll struct{ *faulty }

func (w openAll) OpenSource(ctx context.Context, path string) (*citekit.Source, error) {
	f, err := os.Open(path)
	if err != nil {
		return w.faulty.OpenSource(ctx, path)
	}
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	return citekit.NewSource(f, citekit.SourceInfo{Name: info.Name(), Size: info.Size()}), nil
}

type noLimit struct{ *faulty }

func (w noLimit) ReadMap(ctx context.Context, id string, _ int64) ([]byte, citekit.Stamp, error) {
	return w.faulty.ReadMap(ctx, id, 1<<40)
}

type noContext struct{ *faulty }

func (w noContext) WriteMap(ctx context.Context, id string, data []byte) error {
	return w.faulty.WriteMap(context.WithoutCancel(ctx), id, data)
}

type noEvidenceContext struct{ *faulty }

func (w noEvidenceContext) StoreEvidence(ctx context.Context, key string, meta citekit.EvidenceMeta, body io.Reader) (*citekit.StoredEvidence, error) {
	return w.faulty.StoreEvidence(context.WithoutCancel(ctx), key, meta, body)
}

// shares keeps the slices that it is given, and gives the ones that it keeps.
type shares struct{ *faulty }

func (w shares) WriteMap(ctx context.Context, id string, data []byte) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.held[id] = data
	return w.faulty.WriteMap(ctx, id, data)
}

func (w shares) ReadMap(ctx context.Context, id string, max int64) ([]byte, citekit.Stamp, error) {
	data, stamp, err := w.faulty.ReadMap(ctx, id, max)
	w.mu.Lock()
	defer w.mu.Unlock()
	if held, ok := w.held[id]; ok && err == nil {
		data = held
	}
	return data, stamp, err
}

type sharesNotes struct{ *faulty }

func (w sharesNotes) ReadNote(ctx context.Context, kind, name string) ([]byte, citekit.Stamp, error) {
	data, stamp, err := w.faulty.ReadNote(ctx, kind, name)
	w.mu.Lock()
	defer w.mu.Unlock()
	at := kind + "\x00" + name + "\x00" + stamp.Identity
	if held, ok := w.held[at]; ok {
		return held, stamp, err
	}
	w.held[at] = data
	return data, stamp, err
}

type notesTwice struct{ *faulty }

func (w notesTwice) Notes(ctx context.Context, kind string) iter.Seq2[citekit.Note, error] {
	return func(yield func(citekit.Note, error) bool) {
		for n, err := range w.faulty.Notes(ctx, kind) {
			for range 2 {
				if !yield(n, err) {
					return
				}
			}
		}
	}
}

// pinsStay deletes maps without their pins.
type pinsStay struct{ *faulty }

func (w pinsStay) DeleteMaps(ctx context.Context, maps []workspace.MapVersion) (int, error) {
	pins := make(map[string][]byte)
	for _, m := range maps {
		if data, _, err := w.ReadNote(ctx, workspace.PinNotes, m.ID); err == nil {
			pins[m.ID] = data
		}
	}
	n, err := w.faulty.DeleteMaps(ctx, maps)
	for _, m := range maps[:n] {
		if data, ok := pins[m.ID]; ok && err == nil {
			_, err = w.WriteNoteIf(ctx, workspace.PinNotes, m.ID, data, citekit.Stamp{})
		}
	}
	return n, err
}

type deletesAny struct{ *faulty }

func (w deletesAny) DeleteMaps(ctx context.Context, maps []workspace.MapVersion) (int, error) {
	maps = slices.Clone(maps)
	for i, m := range maps {
		stamp, err := w.StatMap(ctx, m.ID)
		if err != nil {
			return 0, err
		}
		maps[i].Stamp = stamp
	}
	return w.faulty.DeleteMaps(ctx, maps)
}

// deletesAll goes on after a map that it cannot delete.
type deletesAll struct{ *faulty }

func (w deletesAll) DeleteMaps(ctx context.Context, maps []workspace.MapVersion) (deleted int, err error) {
	for _, m := range maps {
		n, failed := w.faulty.DeleteMaps(ctx, []workspace.MapVersion{m})
		deleted, err = deleted+n, errors.Join(err, failed)
	}
	return deleted, err
}

type closesOnce struct{ *faulty }

func (w closesOnce) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, closed := w.held["closed"]; closed {
		return errors.New("closed twice")
	}
	w.held["closed"] = nil
	return nil
}

// notDamaged finds evidence whose content was damaged.
type notDamaged struct{ *faulty }

func (notDamaged) DamageEvidence(testing.TB, string) {}

// findsAll finds all that there is.
type findsAll struct{ *faulty }

func (w findsAll) Find(ctx context.Context, _ workspace.FindRequest) iter.Seq2[workspace.Candidate, error] {
	return w.faulty.Find(ctx, workspace.FindRequest{Paths: []string{"."}})
}

// firstPage yields the first thousand that are kept.
type firstPage struct{ *faulty }

func (w firstPage) Kept(ctx context.Context) iter.Seq2[workspace.Kept, error] {
	return func(yield func(workspace.Kept, error) bool) {
		left := 1000
		for k, err := range w.faulty.Kept(ctx) {
			if left--; left < 0 || !yield(k, err) {
				return
			}
		}
	}
}

// cutOff ends evidence that is open once it was deleted.
type cutOff struct{ *faulty }

func (w cutOff) OpenEvidence(ctx context.Context, key string) (io.ReadSeekCloser, *citekit.StoredEvidence, error) {
	body, stored, err := w.faulty.OpenEvidence(ctx, key)
	if err != nil {
		return nil, nil, err
	}
	return cutOffBody{body, func() bool { _, err := w.FindEvidence(ctx, key); return err != nil }}, stored, err
}

type cutOffBody struct {
	io.ReadSeekCloser
	deleted func() bool
}

func (b cutOffBody) Read(p []byte) (int, error) {
	if b.deleted() {
		return 0, io.EOF
	}
	return b.ReadSeekCloser.Read(p)
}

// keyPaths gives evidence paths of its keys.
type keyPaths struct{ *faulty }

func (w keyPaths) StoreEvidence(ctx context.Context, key string, meta citekit.EvidenceMeta, body io.Reader) (*citekit.StoredEvidence, error) {
	stored, err := w.faulty.StoreEvidence(ctx, key, meta, body)
	return keyPath(stored, key), err
}

func (w keyPaths) FindEvidence(ctx context.Context, key string) (*citekit.StoredEvidence, error) {
	stored, err := w.faulty.FindEvidence(ctx, key)
	return keyPath(stored, key), err
}

func (w keyPaths) OpenEvidence(ctx context.Context, key string) (io.ReadSeekCloser, *citekit.StoredEvidence, error) {
	body, stored, err := w.faulty.OpenEvidence(ctx, key)
	return body, keyPath(stored, key), err
}

func keyPath(stored *citekit.StoredEvidence, key string) *citekit.StoredEvidence {
	if stored != nil {
		stored.Path = "memory:/" + key
	}
	return stored
}

var faults = []fault{
	{"damage is not seen", "damaged evidence: FindEvidence of 5 bytes that were damaged", func(b *faulty) citekit.Workspace { return notDamaged{b} }},
	{"finds all", "find: Find([]) yields", func(b *faulty) citekit.Workspace { return findsAll{b} }},
	{"first page of what is kept", "much is kept: Kept yields 1000 pieces of evidence", func(b *faulty) citekit.Workspace { return firstPage{b} }},
	{"ends what is open", "delete what is open: evidence that was deleted while it was open", func(b *faulty) citekit.Workspace { return cutOff{b} }},
	{"paths of keys", "names of evidence: evidence with the name", func(b *faulty) citekit.Workspace { return keyPaths{b} }},
	{"torn writes", "maps while they are written: ReadMap while others write: 1500 bytes", func(b *faulty) citekit.Workspace { return torn{b} }},
	{"stale reads", "maps: ReadMap(\"poem\")", func(b *faulty) citekit.Workspace { return staleRead{b} }},
	{"unordered", "pages of maps: ListMaps", func(b *faulty) citekit.Workspace {
		return listChange{b, func(ids []string, after string, limit int) []string {
			ids = from(ids, after, limit)
			slices.Reverse(ids)
			return ids
		}}
	}},
	{"listed twice", "pages of maps: ListMaps", func(b *faulty) citekit.Workspace {
		return listChange{b, func(ids []string, after string, limit int) []string {
			ids = from(ids, after, 0)
			twice := append(ids, ids...)
			slices.Sort(twice)
			return from(twice, "", limit)
		}}
	}},
	{"pages that overlap", "pages of maps: ListMaps", func(b *faulty) citekit.Workspace {
		return listChange{b, func(ids []string, after string, limit int) []string {
			i, _ := slices.BinarySearch(ids, after)
			return from(ids[i:], "", limit)
		}}
	}},
	{"pages of any size", "pages of maps: ListMaps", func(b *faulty) citekit.Workspace {
		return listChange{b, func(ids []string, after string, _ int) []string { return from(ids, after, 0) }}
	}},
	{"nil for nothing", "maps: ListMaps of nothing", func(b *faulty) citekit.Workspace {
		return listChange{b, func(ids []string, after string, limit int) []string {
			if ids = from(ids, after, limit); len(ids) == 0 {
				return nil
			}
			return ids
		}}
	}},
	{"maps are not compared", "maps with compare-and-swap: WriteMapIf of a map that is gone", func(b *faulty) citekit.Workspace { return noCompare{b} }},
	{"maps are compared too early", "counting: maps 0: counted", func(b *faulty) citekit.Workspace { return compareFirst{b} }},
	{"notes are not compared", "notes with compare-and-swap: kind: WriteNoteIf of a note that is gone", func(b *faulty) citekit.Workspace { return noCompareNotes{b} }},
	{"changes one by one", "changes of notes: kind: Notes yields \"good\"", func(b *faulty) citekit.Workspace { return changesOneByOne{b} }},
	{"changes are not compared", "changes of notes: kind: ChangeNotes with a conflict that is wrong", func(b *faulty) citekit.Workspace { return changesAny{b} }},
	{"names one conflict", "changes of notes with compare-and-swap: kind: ChangeNotes of notes that others changed", func(b *faulty) citekit.Workspace { return firstConflict{b} }},
	{"changes that do not delete", "changes of notes: kind: Notes yields", func(b *faulty) citekit.Workspace { return deletesNone{b} }},
	{"stamps in another order", "changes of notes: kind: ChangeNotes gave note", func(b *faulty) citekit.Workspace { return otherOrder{b} }},
	{"ignores the context of changes", "cancelled: ChangeNotes", func(b *faulty) citekit.Workspace { return ignoresChangeContext{b} }},
	{"locks nothing", "lock of ingest: LockIngest while it is locked", func(b *faulty) citekit.Workspace { return locksNothing{b} }},
	{"stamps of the content", "stamps of maps: StatMap after WriteMap of the same bytes", func(b *faulty) citekit.Workspace { return contentStamp{b} }},
	{"wrong hash", "evidence: FindEvidence", func(b *faulty) citekit.Workspace {
		return evidence{b, func(e *citekit.StoredEvidence) { e.SHA256 = sum("other") }}
	}},
	{"wrong size", "evidence: FindEvidence", func(b *faulty) citekit.Workspace {
		return evidence{b, func(e *citekit.StoredEvidence) { e.Size++ }}
	}},
	{"lost media type", "evidence: FindEvidence", func(b *faulty) citekit.Workspace {
		return evidence{b, func(e *citekit.StoredEvidence) { e.MediaType = "" }}
	}},
	{"altered evidence", "evidence: the evidence is", func(b *faulty) citekit.Workspace { return altered{b} }},
	{"part of a body", "bad evidence: short body: stored", func(b *faulty) citekit.Workspace { return shortBody{b} }},
	{"missing maps have no kind", "maps: StatMap of nothing", func(b *faulty) citekit.Workspace { return noKind{b} }},
	{"missing evidence has no kind", "evidence: FindEvidence of nothing", func(b *faulty) citekit.Workspace { return noKindEvidence{b} }},
	{"opens everything", "source: OpenSource(\"/etc/passwd\")", func(b *faulty) citekit.Workspace { return openAll{b} }},
	{"no limit", "maps: ReadMap with a small limit", func(b *faulty) citekit.Workspace { return noLimit{b} }},
	{"ignores the context of maps", "cancelled: WriteMap", func(b *faulty) citekit.Workspace { return noContext{b} }},
	{"ignores the context of evidence", "cancelled: StoreEvidence", func(b *faulty) citekit.Workspace { return noEvidenceContext{b} }},
	{"shares slices of maps", "slices: ReadMap", func(b *faulty) citekit.Workspace { return shares{b} }},
	{"shares slices of notes", "slices: kind: ReadNote", func(b *faulty) citekit.Workspace { return sharesNotes{b} }},
	{"lists notes twice", "notes: kind: Notes yields", func(b *faulty) citekit.Workspace { return notesTwice{b} }},
	{"pins stay", "delete maps: Kept yields", func(b *faulty) citekit.Workspace { return pinsStay{b} }},
	{"deletes on after one", "delete several maps: with one that was replaced: 3 deleted", func(b *faulty) citekit.Workspace { return deletesAll{b} }},
	{"deletes any version", "delete maps: a map that was replaced", func(b *faulty) citekit.Workspace { return deletesAny{b} }},
	{"closes once", "close: Close, call 2", func(b *faulty) citekit.Workspace { return closesOnce{b} }},
}

// TestFaults breaks a workspace in many ways. The suite must report each once, with
// what was wanted.
func TestFaults(t *testing.T) {
	sharedtest.Once(t)
	for _, f := range faults {
		t.Run(f.name, func(t *testing.T) {
			if f.name == "opens everything" && runtime.GOOS == "windows" {
				t.Skip("there is no such file")
			}
			if f.name == "first page of what is kept" && testing.Short() {
				t.Skip("the suite keeps that much without -short alone")
			}
			var all []string
			not := make(broken)
			for _, c := range checks {
				all = append(all, failures(t, not, c.promise, func(t testing.TB) { c.run(t, f.make(newFaulty())) })...)
			}
			checkOneFault(t, all, f.want)
		})
	}
}

func checkOneFault(t *testing.T, reported []string, want string) {
	t.Helper()
	if got := strings.Join(reported, "\n"); len(reported) != 1 || !strings.HasPrefix(got, want) || !strings.Contains(got, "want") {
		t.Errorf("the suite should report %q once, and what it wanted, but reports:\n%s", want, got)
	}
}

// A forgetful storage loses something between a workspace and the next.
type forgetful struct {
	*workspace.Memory
	deleting bool
}

func (w forgetful) Close() error {
	for _, id := range someIDs {
		if stamp, err := w.StatMap(context.Background(), id); err == nil && w.deleting {
			if _, err := w.DeleteMaps(context.Background(), []workspace.MapVersion{{ID: id, Stamp: stamp}}); err != nil {
				return err
			}
		}
	}
	return nil
}

// A greedy workspace gives everybody the lease.
type greedy struct{ *workspace.Memory }

func (greedy) LeaseEvidence(ctx context.Context, _ string) (*citekit.StoredEvidence, func(), error) {
	return nil, func() {}, ctx.Err()
}

// TestSharedFaults breaks storage that is shared.
func TestSharedFaults(t *testing.T) {
	for _, f := range []struct {
		name string
		want string
		open func() func() citekit.Workspace
	}{
		{"Close deletes", "shared: closing keeps: ListMaps", func() func() citekit.Workspace {
			m := newMemory()
			return func() citekit.Workspace { return forgetful{m, true} }
		}},
		{"nothing is shared", "shared: closing keeps: ListMaps", func() func() citekit.Workspace {
			return func() citekit.Workspace { return newMemory() }
		}},
		{"others are not seen", "shared: others are seen: ReadMap", func() func() citekit.Workspace {
			m := newMemory()
			return func() citekit.Workspace {
				return staleRead{&faulty{Memory: m, held: make(map[string][]byte), stamp: make(map[string]citekit.Stamp)}}
			}
		}},
		{"each compares alone", "shared: counting: maps 0: counted", func() func() citekit.Workspace {
			m := newMemory()
			return func() citekit.Workspace { return compareFirst{&faulty{Memory: m}} }
		}},
		{"everybody has the lease", "shared: leases of evidence: 8 of 8 callers", func() func() citekit.Workspace {
			m := newMemory()
			return func() citekit.Workspace { return greedy{m} }
		}},
	} {
		t.Run(f.name, func(t *testing.T) {
			var all []string
			not := make(broken)
			for _, c := range sharedChecks {
				all = append(all, failures(t, not, c.promise, func(t testing.TB) { c.run(t, f.open()) })...)
			}
			checkOneFault(t, all, f.want)
		})
	}
}

// A memory that is opened again and again is a storage that is shared.
func TestCorrectShared(t *testing.T) {
	RunShared(t, func(testing.TB) func() citekit.Workspace {
		m := newMemory()
		return func() citekit.Workspace { return m }
	})
}

// A recorder collects what the suite would report.
type recorder struct {
	testing.TB
	mu       sync.Mutex
	failures []string
}

func (r *recorder) Errorf(format string, args ...any) { r.add(fmt.Sprintf(format, args...)) }
func (r *recorder) Error(args ...any)                 { r.add(fmt.Sprint(args...)) }
func (r *recorder) Fatal(args ...any)                 { r.add(fmt.Sprint(args...)); runtime.Goexit() }
func (r *recorder) Helper()                           {}

func (r *recorder) Fatalf(format string, args ...any) {
	r.add(fmt.Sprintf(format, args...))
	runtime.Goexit()
}

func (r *recorder) add(failure string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failures = append(r.failures, failure)
}

// failures returns what the check of a promise reports, each with its name. There is
// nothing if it builds on one that does not hold.
func failures(t *testing.T, not broken, p promise, run func(testing.TB)) []string {
	if not.blocks(p) != "" {
		return nil
	}
	rec := &recorder{TB: t}
	done := make(chan struct{})
	go func() {
		defer close(done)
		run(rec)
	}()
	<-done
	all := make([]string, len(rec.failures))
	for i, failure := range rec.failures {
		all[i] = p.name + ": " + failure
	}
	if len(all) > 0 {
		not.fail(p)
	}
	return all
}
