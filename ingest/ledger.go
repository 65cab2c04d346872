package ingest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"sync"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/ledger"
)

// A book is the ledger of a workspace, and where it is stored. It is not
// believed where it would replace a map: see [run.stateOf].
type book struct {
	*ledger.Ledger
	notes citekit.Finder

	mu      sync.Mutex
	writing bool // which is in the stored ledger
}

// openBook reads the ledger of a workspace, or makes it from the maps.
func openBook(ctx context.Context, lib *citekit.Library, notes citekit.Finder) (*book, error) {
	file, err := readLedger(ctx, notes)
	if errors.Is(err, fs.ErrNotExist) {
		file.Sources, err = notesOfMaps(ctx, lib)
	}
	if err != nil {
		return nil, err
	}
	b := &book{Ledger: ledger.New(file.Sources, isSound), notes: notes}
	if file.Writing != "" {
		err = adoptAll(ctx, lib, b.Ledger, file.Writing)
	}
	return b, err
}

// openBookToForget reads the ledger to take something out of it. Without one
// there is nothing to take out; one of an ingest that was killed is put right
// first.
func openBookToForget(ctx context.Context, lib *citekit.Library, notes citekit.Finder) (*book, error) {
	file, err := readLedger(ctx, notes)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, err
	}
	if file.Writing != "" {
		return openBook(ctx, lib, notes)
	}
	return &book{Ledger: ledger.New(file.Sources, isSound), notes: notes}, nil
}

// readLedger reads the stored ledger. If there is none, or one of another
// version, the error matches fs.ErrNotExist; any other error says that it
// could not be read, and nothing of what it may hold.
func readLedger(ctx context.Context, notes citekit.Finder) (ledger.File, error) {
	data, err := notes.ReadNotes(ctx, ledger.Name)
	if err != nil {
		return ledger.File{}, err
	}
	file, err := ledger.Parse(data)
	if err != nil {
		return file, fmt.Errorf("%w: %w", err, fs.ErrNotExist)
	}
	return file, nil
}

// isSound reports whether ingest could have made a note.
func isSound(n ledger.Note) bool {
	return (n.ID == "" || citekit.CheckResourceID(n.ID) == nil) && (n.Type == "" || citekit.Modality(n.Type).Valid())
}

// notesOfMaps returns what the maps that ingest made say of their sources.
func notesOfMaps(ctx context.Context, lib *citekit.Library) (map[string]ledger.Note, error) {
	ids, err := lib.Resources(ctx)
	if err != nil {
		return nil, err
	}
	notes := make(map[string]ledger.Note)
	for _, id := range ids {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		m, _, err := lib.ReadMap(ctx, id)
		if err != nil {
			continue // it is not ours, whatever it is
		}
		mapper := mapperOf(m)
		if mapper == "" || m.SourceHash() == "" {
			continue
		}
		method, _ := m.Metadata["method"].(string)
		n := ledger.Note{ID: id, Type: string(m.Type), Hash: m.SourceHash(), Mapper: mapper, Method: method}
		for range m.All() {
			n.Nodes++
		}
		notes[m.SourcePath] = n
	}
	return notes, nil
}

// adoptAll notes which maps an ingest wrote that was killed before it could.
func adoptAll(ctx context.Context, lib *citekit.Library, l *ledger.Ledger, since string) error {
	for source, n := range l.All() {
		if err := ctx.Err(); err != nil {
			return err
		}
		stamp, err := lib.Workspace().StatMap(ctx, n.ID)
		if n.ID == "" || err != nil || stamp.Identity == n.Stamp {
			continue
		}
		m, hash, err := lib.ReadMap(ctx, n.ID)
		if err != nil || mapperOf(m) == "" {
			continue
		}
		if m.SourcePath != source {
			if n, ok := adoptMoved(ctx, lib, l, source, n, m, hash, stamp); ok {
				l.Forget(source)
				l.Put(m.SourcePath, n)
			}
			continue
		}
		if m.CreatedAt < since {
			continue
		}
		n.Identity, n.Hash, n.Skipped = "", m.SourceHash(), ""
		n.Mapper, n.MapHash, n.Stamp = mapperOf(m), hash, stamp.Identity
		l.Put(source, n)
	}
	l.SetChanged(true)
	return nil
}

// begin stores that maps are going to be written, once.
func (b *book) begin(ctx context.Context) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.writing {
		return nil
	}
	err := b.write(ctx, now())
	b.writing = err == nil
	return err
}

// store writes the ledger if something was put into it.
func (b *book) store(ctx context.Context) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.Changed() && !b.writing {
		return nil
	}
	err := b.write(ctx, "")
	b.SetChanged(err != nil)
	b.writing = err != nil
	return err
}

func (b *book) write(ctx context.Context, writing string) error {
	data, err := b.Encode(writing)
	if err != nil {
		return err
	}
	return b.notes.WriteNotes(ctx, ledger.Name, data)
}

// unseen returns the mapped sources below the folders that were not seen.
func (b *book) unseen(seen, folders map[string]bool) []string {
	var unseen []string
	for source, n := range b.All() {
		if n.ID != "" && !seen[source] && belowAny(source, folders) {
			unseen = append(unseen, source)
		}
	}
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
