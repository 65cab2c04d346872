package workspace

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/workspace/driver"
)

const (
	headPrefix    = "notes-"
	segmentPrefix = "segment-"

	maxLatest = 32 << 10  // bytes of notes in the object that is written for each change
	maxNotes  = 256 << 20 // bytes of an object with notes
)

// A storedNote is one version of a note in a bucket.
type storedNote struct {
	Name  string `json:"name"`
	Data  []byte `json:"data"` // nil says that the note was deleted
	Stamp string `json:"stamp,omitempty"`
}

// size returns about how many bytes of JSON a note is.
func (n storedNote) size() int { return len(n.Name) + len(n.Data)*4/3 + len(n.Stamp) + 40 }

// noteHead is the object that says what the notes of a kind are. Whoever changes
// notes replaces it, on the condition that nobody else has.
type noteHead struct {
	Nonce    string        `json:"nonce"` // of this version
	Segments []noteSegment `json:"segments,omitempty"`
	Latest   []storedNote  `json:"latest,omitempty"` // they count before those of the segments
}

// A noteSegment is an object with notes. It is never replaced. Each is more than
// twice as large as the next, so that a change rewrites few notes on average.
type noteSegment struct {
	Key    string `json:"key"`
	SHA256 string `json:"sha256"`
	Size   int    `json:"size"` // of the notes, as storedNote.size counts it

	notes map[string]storedNote // by name
}

// A noteTable is the notes of a kind, in one version. It does not change.
type noteTable struct {
	etag     string        // of the head; "" if there is none
	segments []noteSegment // a later one counts before an earlier
	latest   map[string]storedNote
	lost     error // why some notes are left out; nil if none are
}

// get returns a note.
func (t *noteTable) get(name string) ([]byte, citekit.Stamp, error) {
	n, ok := t.latest[name]
	for i := len(t.segments) - 1; i >= 0 && !ok; i-- {
		n, ok = t.segments[i].notes[name]
	}
	if !ok || n.Data == nil {
		return nil, citekit.Stamp{}, missing("note")
	}
	return n.Data, citekit.Stamp{Identity: n.Stamp}, nil
}

// all yields the notes, each once.
func (t *noteTable) all() iter.Seq[storedNote] {
	return func(yield func(storedNote) bool) {
		current := make(map[string]storedNote)
		for _, s := range t.segments {
			maps.Copy(current, s.notes)
		}
		maps.Copy(current, t.latest)
		for _, n := range current {
			if n.Data != nil && !yield(n) {
				return
			}
		}
	}
}

// notes returns the notes of a kind as they are now. What was read before is read
// again only if it has changed.
func (b *Bucket) notes(ctx context.Context, kind string) (*noteTable, error) {
	b.mu.Lock()
	known := b.kinds[kind]
	b.mu.Unlock()
	if known == nil {
		known = new(noteTable)
	}
	for {
		if known.etag != "" {
			at, err := b.driver.Attributes(ctx, headPrefix+kind)
			if err == nil && at.ETag == known.etag {
				return known, known.lostNotes(kind)
			}
			if err != nil && b.driver.ErrorKind(err) != driver.NotFound {
				return nil, b.fault(ctx, "notes", err)
			}
		}
		now, err := b.readNotes(ctx, kind, known)
		if err != nil {
			return nil, err
		}
		if errors.Is(now.lost, fs.ErrNotExist) && now.etag != known.etag {
			known = now // others may have replaced the segment and the head since
			continue
		}
		b.remember(kind, now)
		return now, now.lostNotes(kind)
	}
}

func (b *Bucket) remember(kind string, t *noteTable) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.kinds[kind] = t
}

// lostNotes returns the error for notes that are lost: a pin never counts as
// missing, and other notes may be lost.
func (t *noteTable) lostNotes(kind string) error {
	if t.lost == nil || kind != PinNotes {
		return nil
	}
	return fmt.Errorf("some of the pins are damaged or lost; to accept the sources as they are now, delete the object %q: %w",
		headPrefix+kind, citekit.ErrDamaged)
}

// readNotes reads the notes of a kind. It takes segments that are known from
// there. If one is damaged or missing, it is left out with all that are older: they
// may have notes that were deleted in it.
func (b *Bucket) readNotes(ctx context.Context, kind string, known *noteTable) (*noteTable, error) {
	data, at, err := b.get(ctx, headPrefix+kind, "notes", maxNotes)
	if errors.Is(err, fs.ErrNotExist) {
		return new(noteTable), nil
	}
	if err != nil {
		return nil, err
	}
	var head noteHead
	t := &noteTable{etag: at.ETag}
	if json.Unmarshal(data, &head) != nil {
		t.lost = citekit.ErrDamaged
		return t, nil
	}
	t.latest = byName(head.Latest)
	for _, s := range head.Segments {
		i := slices.IndexFunc(known.segments, func(k noteSegment) bool { return k.Key == s.Key })
		if i >= 0 {
			s = known.segments[i]
		} else if s.notes, err = b.readSegment(ctx, s); errors.Is(err, citekit.ErrDamaged) || errors.Is(err, fs.ErrNotExist) {
			t.lost, t.segments = err, nil
			continue
		} else if err != nil {
			return nil, err
		}
		t.segments = append(t.segments, s)
	}
	return t, nil
}

func (b *Bucket) readSegment(ctx context.Context, s noteSegment) (map[string]storedNote, error) {
	if !strings.HasPrefix(s.Key, segmentPrefix) {
		return nil, citekit.ErrDamaged
	}
	data, _, err := b.get(ctx, s.Key, "notes", maxNotes)
	if err != nil {
		return nil, err
	}
	var notes []storedNote
	if checksum(data) != s.SHA256 || json.Unmarshal(data, &notes) != nil {
		return nil, fmt.Errorf("the notes in %q: %w", s.Key, citekit.ErrDamaged)
	}
	return byName(notes), nil
}

func byName(notes []storedNote) map[string]storedNote {
	all := make(map[string]storedNote, len(notes))
	for _, n := range notes {
		all[n.Name] = n
	}
	return all
}

// ReadNote implements [citekit.NoteStore].
func (b *Bucket) ReadNote(ctx context.Context, kind, name string) ([]byte, citekit.Stamp, error) {
	if err := errors.Join(checkNote(kind, name, nil), ctx.Err()); err != nil {
		return nil, citekit.Stamp{}, err
	}
	t, err := b.notes(ctx, kind)
	if err != nil {
		return nil, citekit.Stamp{}, err
	}
	data, stamp, err := t.get(name)
	return slices.Clone(data), stamp, err
}

// Notes implements [citekit.NoteStore].
func (b *Bucket) Notes(ctx context.Context, kind string) iter.Seq2[citekit.Note, error] {
	return func(yield func(citekit.Note, error) bool) {
		err := errors.Join(checkKind(kind), ctx.Err())
		var t *noteTable
		if err == nil {
			t, err = b.notes(ctx, kind)
		}
		if err != nil {
			yield(citekit.Note{}, err)
			return
		}
		for n := range t.all() {
			if err := ctx.Err(); err != nil {
				yield(citekit.Note{}, err)
				return
			}
			if !yield(citekit.Note{Name: n.Name, Data: slices.Clone(n.Data), Stamp: citekit.Stamp{Identity: n.Stamp}}, nil) {
				return
			}
		}
	}
}

// WriteNoteIf implements [citekit.NoteStore].
func (b *Bucket) WriteNoteIf(ctx context.Context, kind, name string, data []byte, stamp citekit.Stamp) (citekit.Stamp, error) {
	if data == nil {
		data = []byte{}
	}
	stamps, err := b.ChangeNotes(ctx, kind, []citekit.NoteChange{{Name: name, Data: data, Stamp: stamp}})
	if err != nil {
		return citekit.Stamp{}, err
	}
	return stamps[0], nil
}

// DeleteNoteIf implements [citekit.NoteStore].
func (b *Bucket) DeleteNoteIf(ctx context.Context, kind, name string, stamp citekit.Stamp) error {
	_, now, err := b.ReadNote(ctx, kind, name)
	if err == nil && now != stamp {
		err = conflictOf(now)
	}
	if err == nil {
		_, err = b.ChangeNotes(ctx, kind, []citekit.NoteChange{{Name: name, Stamp: stamp}})
	}
	if err != nil {
		return fmt.Errorf("delete the note: %w", err)
	}
	return nil
}

// ChangeNotes implements [citekit.NoteStore].
func (b *Bucket) ChangeNotes(ctx context.Context, kind string, changes []citekit.NoteChange) ([]citekit.Stamp, error) {
	err := checkChanges(kind, changes)
	var stamps []citekit.Stamp
	if err == nil {
		stamps, err = b.changeNotes(ctx, kind, func(t *noteTable) ([]citekit.NoteChange, error) {
			return changes, compareNotes(changes, t.get)
		})
	}
	if err != nil {
		return nil, fmt.Errorf("change the notes: %w", err)
	}
	return stamps, nil
}

// deletePins deletes the pins of maps.
func (b *Bucket) deletePins(ctx context.Context, ids []string) error {
	if len(ids) == 0 {
		return nil
	}
	_, err := b.changeNotes(ctx, PinNotes, func(t *noteTable) ([]citekit.NoteChange, error) {
		var changes []citekit.NoteChange
		for _, id := range ids {
			if _, stamp, err := t.get(id); err == nil {
				changes = append(changes, citekit.NoteChange{Name: id, Stamp: stamp})
			}
		}
		return changes, nil
	})
	return err
}

// changeNotes makes the changes that decide returns for the notes of a kind as
// they are. If others change notes of the kind at the same time, it decides again.
func (b *Bucket) changeNotes(ctx context.Context, kind string, decide func(*noteTable) ([]citekit.NoteChange, error)) ([]citekit.Stamp, error) {
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		t, err := b.notes(ctx, kind)
		if err != nil {
			return nil, err
		}
		changes, err := decide(t)
		if err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(changes, func(c citekit.NoteChange) bool { return !isVain(c) }) {
			return make([]citekit.Stamp, len(changes)), nil
		}
		next, stamps := t.with(changes)
		if err = b.writeNotes(ctx, kind, t, next); err == nil {
			b.remember(kind, next)
			return stamps, nil
		}
		if !b.refused(err) {
			return nil, b.fault(ctx, "notes", err)
		}
	}
}

// with returns the next version of the notes, and the stamps of those that were
// changed.
func (t *noteTable) with(changes []citekit.NoteChange) (*noteTable, []citekit.Stamp) {
	next := &noteTable{segments: t.segments, latest: make(map[string]storedNote, len(t.latest)+len(changes))}
	maps.Copy(next.latest, t.latest)
	stamps := make([]citekit.Stamp, len(changes))
	unique := rand.Text()
	for i, c := range changes {
		n := storedNote{Name: c.Name, Data: slices.Clone(c.Data)}
		if c.Data != nil {
			n.Stamp = unique + "." + strconv.Itoa(i)
			stamps[i] = citekit.Stamp{Identity: n.Stamp}
		}
		next.latest[c.Name] = n
	}
	return next, stamps
}

// compact moves the latest notes into a segment if they have become many,
// together with the segments that are not much larger. It returns the segment,
// or nil.
func (t *noteTable) compact() *noteSegment {
	if len(t.segments) == 0 {
		dropDeleted(t.latest)
	}
	size := sizeOf(t.latest)
	if size <= maxLatest {
		return nil
	}
	notes, left := t.latest, len(t.segments)
	for left > 0 && t.segments[left-1].Size <= 2*size {
		left--
		merged := maps.Clone(t.segments[left].notes)
		maps.Copy(merged, notes)
		notes, size = merged, sizeOf(merged)
	}
	if left == 0 {
		dropDeleted(notes)
	}
	t.segments, t.latest = slices.Clone(t.segments[:left]), nil
	if len(notes) == 0 {
		return nil
	}
	t.segments = append(t.segments, noteSegment{Size: size, notes: notes})
	return &t.segments[left]
}

func sizeOf(notes map[string]storedNote) (size int) {
	for _, n := range notes {
		size += n.size()
	}
	return size
}

func dropDeleted(notes map[string]storedNote) {
	maps.DeleteFunc(notes, func(_ string, n storedNote) bool { return n.Data == nil })
}

// writeNotes stores the next version of the notes if they still are the version
// before. The error is that of the driver.
func (b *Bucket) writeNotes(ctx context.Context, kind string, before, next *noteTable) error {
	segment := next.compact()
	if segment != nil {
		data, err := json.Marshal(slices.Collect(maps.Values(segment.notes)))
		if err != nil {
			return err
		}
		segment.Key, segment.SHA256 = uniqueKey(segmentPrefix+kind), checksum(data)
		if _, err := b.put(ctx, segment.Key, data, driver.WriteOptions{}); err != nil {
			return err
		}
	}
	head := noteHead{Nonce: rand.Text(), Segments: next.segments, Latest: slices.Collect(maps.Values(next.latest))}
	data, err := json.Marshal(head)
	if err != nil {
		return err
	}
	at, err := b.putIf(ctx, headPrefix+kind, data, driver.WriteOptions{IfMatch: before.etag, IfAbsent: before.etag == ""})
	if err != nil {
		return err // a segment is left over, as the head may have been written all the same
	}
	next.etag = at.ETag
	for _, s := range before.segments {
		if !slices.ContainsFunc(next.segments, func(n noteSegment) bool { return n.Key == s.Key }) {
			b.remove(ctx, s.Key)
		}
	}
	return nil
}
