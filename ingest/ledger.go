package ingest

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"path"
	"slices"
	"sync"
	"unicode/utf8"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/ledger"
)

const (
	// headName is the name of the note about all maps, not about one source.
	headName = ""

	maxNote = 64 << 10 // bytes, as in [citekit.NoteStore]

	// maxSourcePath is the size in bytes of the longest path that can be the
	// name of a note.
	maxSourcePath = 4096

	// storeBatch is how many notes are stored together, and how many must have
	// changed before they are stored during an ingest.
	storeBatch = 1000
)

// A ledgerStore is the ledger of a workspace and its storage. It is not trusted where
// it would replace a map: see [run.stateOf].
type ledgerStore struct {
	*ledger.Ledger
	store citekit.NoteStore

	mu      sync.Mutex
	stamps  map[string]citekit.Stamp // of the stored notes, by name
	unowned string                   // a digest of the maps without a note, at the last check
	unsaved bool                     // unowned has changed
}

// openBook reads the ledger of a workspace. It skips missing and invalid notes:
// see [run.reconcile].
func openBook(ctx context.Context, store citekit.NoteStore) (*ledgerStore, error) {
	b := &ledgerStore{store: store, stamps: make(map[string]citekit.Stamp)}
	notes := make(map[string]ledger.Note)
	for stored, err := range store.Notes(ctx, ledger.Kind) {
		if err != nil {
			return nil, err
		}
		b.stamps[stored.Name] = stored.Stamp
		if stored.Name == headName {
			b.unowned = string(stored.Data)
			continue
		}
		if n, ok := ledger.Parse(stored.Data); ok && isSound(n) {
			notes[stored.Name] = n
		}
	}
	b.Ledger = ledger.New(notes)
	return b, ctx.Err()
}

// openNotesOf reads the notes of some sources alone, for a run beside others: it can
// neither tell what others have mapped nor whose an id is.
func openNotesOf(ctx context.Context, store citekit.NoteStore, candidates []candidate) (*ledgerStore, error) {
	b := &ledgerStore{Ledger: ledger.New(make(map[string]ledger.Note)), store: store, stamps: make(map[string]citekit.Stamp)}
	var sources []string
	for _, c := range candidates {
		if isNotable(c.Path) {
			sources = append(sources, c.Path)
		}
	}
	if done, err := b.readTogether(ctx, sources); done || err != nil {
		return b, cmp.Or(err, ctx.Err())
	}
	for _, source := range sources {
		if err := b.read(ctx, source); err != nil {
			return nil, err
		}
	}
	return b, ctx.Err()
}

// loadStored takes a note as it is stored; the zero Note is none.
func (b *ledgerStore) loadStored(source string, stored citekit.Note) {
	b.stamps[source] = stored.Stamp
	if n, ok := ledger.Parse(stored.Data); ok && isSound(n) {
		b.Load(source, n)
	}
}

// reserve stores which id the map of a source gets, before there is one. If another run
// has changed the note of the source since, the error matches [citekit.ErrConflict], and
// the ledger has that note.
func (b *ledgerStore) reserve(ctx context.Context, source, id string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	n, _ := b.Note(source)
	if n.ID == id {
		return nil
	}
	n.ID, n.Stamp = id, ""
	stamp, err := b.store.WriteNoteIf(ctx, ledger.Kind, source, n.Bounded().Encode(), b.stamps[source])
	if errors.Is(err, citekit.ErrConflict) {
		if again := b.read(ctx, source); again != nil {
			return again
		}
		return err
	}
	if err == nil {
		b.stamps[source] = stamp
		b.Load(source, n)
	}
	return err
}

// reserveAll is reserve for several sources: all ids are stored, or none. If the error
// matches [citekit.ErrConflict], the ledger has the notes that it had.
func (b *ledgerStore) reserveAll(ctx context.Context, sources, ids []string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	var changes []citekit.NoteChange
	var notes []ledger.Note
	for i, source := range sources {
		n, _ := b.Note(source)
		if n.ID != ids[i] {
			n.ID, n.Stamp = ids[i], ""
			notes = append(notes, n)
			changes = append(changes, citekit.NoteChange{Name: source, Data: n.Bounded().Encode(), Stamp: b.stamps[source]})
		}
	}
	stamps, err := b.store.ChangeNotes(ctx, ledger.Kind, changes)
	if err != nil {
		return err
	}
	for i, c := range changes {
		b.stamps[c.Name] = stamps[i]
		b.Load(c.Name, notes[i])
	}
	return nil
}

// read reads the note of one source.
func (b *ledgerStore) read(ctx context.Context, source string) error {
	data, stamp, err := b.store.ReadNote(ctx, ledger.Kind, source)
	if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, citekit.ErrDamaged) {
		return err
	}
	b.loadStored(source, citekit.Note{Data: data, Stamp: stamp})
	return nil
}

// isSound reports whether ingest could have made a note.
func isSound(n ledger.Note) bool {
	return (n.ID == "" || citekit.CheckResourceID(n.ID) == nil) && (n.Type == "" || citekit.Modality(n.Type).Valid())
}

// isNotable reports whether a source at a path can have a note.
func isNotable(source string) bool {
	return source != headName && len(source) <= maxSourcePath && utf8.ValidString(source)
}

// setUnowned records which maps have no note.
func (b *ledgerStore) setUnowned(maps []mapVersion) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if digest := digestOfMaps(maps); digest != b.unowned {
		b.unowned, b.unsaved = digest, true
	}
}

func digestOfMaps(maps []mapVersion) string {
	if len(maps) == 0 {
		return ""
	}
	h := sha256.New()
	for _, m := range maps { // sorted by id, as listed
		h.Write([]byte(m.id + "\x00" + m.stamp.Identity + "\x00"))
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// writeSome stores notes if there are many to store. Notes that it fails to
// store are stored later.
func (b *ledgerStore) writeSome(ctx context.Context) {
	if b.Changed() >= storeBatch && b.mu.TryLock() {
		_ = b.writeChanged(ctx)
		b.mu.Unlock()
	}
}

// write stores the notes that changed.
func (b *ledgerStore) write(ctx context.Context) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.writeChanged(ctx)
}

func (b *ledgerStore) writeChanged(ctx context.Context) error {
	names := b.TakeChanged()
	for i := 0; i < len(names); i += storeBatch {
		batch := names[i:min(i+storeBatch, len(names))]
		if err := b.writeNotes(ctx, batch); err != nil {
			b.PutBack(names[i:])
			return err
		}
	}
	if !b.unsaved {
		return nil
	}
	err := b.writeNotes(ctx, []string{headName})
	b.unsaved = err != nil
	return err
}

// maxConflicts is how often notes are written again after another process
// changed them. Such a process holds no ingest lock: the notes were deleted, or
// their file was replaced.
const maxConflicts = 4

// writeNotes stores the notes with these names, overwriting concurrent changes.
func (b *ledgerStore) writeNotes(ctx context.Context, names []string) (err error) {
	for range maxConflicts {
		var conflict *citekit.NoteConflictError
		if err = b.change(ctx, names); !errors.As(err, &conflict) {
			return err
		}
		for _, name := range conflict.Names {
			_, now, err := b.store.ReadNote(ctx, ledger.Kind, name)
			if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, citekit.ErrDamaged) {
				return err
			}
			b.stamps[name] = now
		}
	}
	return err
}

func (b *ledgerStore) change(ctx context.Context, names []string) error {
	changes := make([]citekit.NoteChange, len(names))
	for i, name := range names {
		changes[i] = citekit.NoteChange{Name: name, Data: b.encode(name), Stamp: b.stamps[name]}
	}
	stamps, err := b.store.ChangeNotes(ctx, ledger.Kind, changes)
	if err != nil {
		return err
	}
	for i, name := range names {
		b.stamps[name] = stamps[i]
	}
	return nil
}

// encode returns the stored form of the note with a name, or nil if there is
// none.
func (b *ledgerStore) encode(name string) []byte {
	if name == headName {
		return []byte(b.unowned)
	}
	n, ok := b.Note(name)
	if !ok {
		return nil
	}
	if data := n.Encode(); len(data) <= maxNote {
		return data
	}
	return nil // the map and the source contain it
}

// unseen returns the mapped sources below the folders that were not seen.
func (b *ledgerStore) unseen(seen, folders map[string]bool) []string {
	var unseen []string
	for source, n := range b.All() {
		if n.ID != "" && !seen[source] && belowAny(source, folders) {
			unseen = append(unseen, source)
		}
	}
	slices.Sort(unseen)
	return unseen
}

// belowAny reports whether one of the folders leads to name.
func belowAny(name string, folders map[string]bool) bool {
	for {
		dir := path.Dir(name)
		if folders[dir] {
			return true
		}
		if dir == name || dir == "." {
			return false
		}
		name = dir
	}
}
