package mp4

import (
	"cmp"
	"encoding/json"
	"io"
	"iter"
	"slices"
	"sort"
)

// A note is a unit in which x264 says its version.
type note struct {
	sample  int // with which decoding can begin
	unit    span
	version int
}

// mayNote reports whether notes are looked for in the samples of a track.
func (t *track) mayNote() bool { return t.isAVC() && t.table.sizes.uniform == 0 }

// noteIn returns the first note in a sample.
func (t *track) noteIn(r io.ReaderAt, i int) (note, bool) {
	for u := range t.units(r, i) {
		if version, ok := x264Version(u.head); ok {
			return note{i, u.span, version}, true
		}
	}
	return note{}, false
}

// lastNote returns the last note in sample i, the sync samples before it, and sample 0.
// What is known of notes is compared with the source where it matters.
func (t *track) lastNote(r io.ReaderAt, i int) (note, bool) {
	if t.noted {
		k := sort.Search(len(t.notes), func(k int) bool { return t.notes[k].sample > i }) - 1
		if k < 0 {
			return note{}, false
		}
		last := t.notes[k]
		if t.isNeeded(last, i) {
			if there, _ := t.noteIn(r, last.sample); there != last {
				return t.findNote(r, i)
			}
		}
		return last, true
	}
	return t.findNote(r, i)
}

// findNote reads samples backwards to find the last note.
func (t *track) findNote(r io.ReaderAt, i int) (note, bool) {
	for range maxWalked {
		if found, ok := t.noteIn(r, i); ok {
			return found, true
		}
		if i == 0 {
			break
		}
		ok := false
		if i, ok = t.table.syncAt(i - 1); !ok {
			i = 0
		}
	}
	return note{}, false
}

// isNeeded reports whether the decoder of sample i needs a note.
func (t *track) isNeeded(n note, i int) bool {
	_, _, _, desc := t.table.chunkOf(i)
	_, _, _, from := t.table.chunkOf(n.sample)
	return n.sample != i && from == desc && (n.version <= oldX264 || n.version < fixed444X264 && t.profile() == profile444)
}

// NotesVersion names what [Movie.Notes] returns. It changes with that.
const NotesVersion = "mp4 notes 1"

// keptNote is a note as it is kept: its sample, counted from 0, the offset and the length
// of its unit in bytes, and the version.
type keptNote [4]int64

// A firm reader notes whether a read failed.
type firm struct {
	io.ReaderAt
	failed bool
}

func (f *firm) ReadAt(p []byte, off int64) (int, error) {
	n, err := f.ReaderAt.ReadAt(p, off)
	f.failed = f.failed || err != nil && err != io.EOF
	return n, err
}

// Notes returns what samples say about how others are decoded, for [Movie.WithNotes], or
// nil if no track is of the kind that does, or a read failed. It reads each sync sample of
// source, from which m was opened.
func (m *Movie) Notes(source io.ReaderAt) []byte {
	if !m.NeedsNotes() {
		return nil
	}
	r := &firm{ReaderAt: source}
	kept := make([][]keptNote, len(m.tracks))
	for k, t := range m.tracks {
		if !t.fewSyncs() {
			continue
		}
		kept[k] = []keptNote{}
		for i := range t.table.fromSyncs() {
			if r.failed {
				return nil
			}
			if n, ok := t.noteIn(r, i); ok {
				kept[k] = append(kept[k], keptNote{int64(n.sample), n.unit.off, n.unit.len, int64(n.version)})
			}
		}
	}
	data, err := json.Marshal(kept)
	if err != nil || r.failed {
		return nil
	}
	return data
}

// NeedsNotes reports whether m has a track for which [Movie.WithNotes] saves reads.
func (m *Movie) NeedsNotes() bool { return slices.ContainsFunc(m.tracks, (*track).fewSyncs) }

// fewSyncs reports whether all notes of a track may be kept.
func (t *track) fewSyncs() bool {
	n := len(t.table.syncs) / 4
	if t.table.allSync {
		n = t.table.n
	}
	return t.Kind == Video && t.mayNote() && n < maxWalked
}

// fromSyncs yields sample 0 and the sync samples after it.
func (t *table) fromSyncs() iter.Seq[int] {
	return func(yield func(int) bool) {
		if !yield(0) {
			return
		}
		for i := 1; t.allSync && i < t.n; i++ {
			if !yield(i) {
				return
			}
		}
		for k := range len(t.syncs) / 4 {
			if i := t.sync(k); i > 0 && !yield(i) {
				return
			}
		}
	}
}

// WithNotes returns m with what [Movie.Notes] returned for the same bytes, or false if
// that cannot be.
func (m *Movie) WithNotes(data []byte) (*Movie, bool) {
	var kept [][]keptNote
	if json.Unmarshal(data, &kept) != nil || len(kept) != len(m.tracks) {
		return nil, false
	}
	with := *m
	with.tracks = append([]*track(nil), m.tracks...)
	for k, notes := range kept {
		if notes == nil {
			continue
		}
		t := *m.tracks[k]
		if !t.fewSyncs() {
			return nil, false
		}
		t.noted = true
		before := int64(-1)
		for _, n := range notes {
			if n[0] <= before || n[0] >= int64(t.table.n) {
				return nil, false
			}
			off, size, found := t.locate(int(n[0]))
			if !found || n[1] < off || n[2] <= 0 || n[2] > size || n[1]-off > size-n[2] {
				return nil, false
			}
			t.notes = append(t.notes, note{int(n[0]), span{n[1], n[2]}, int(n[3])})
			before = n[0]
		}
		with.tracks[k] = &t
	}
	return &with, true
}

// near is how many bytes between two runs are read with them.
const near = 256 << 10

// Parts returns where the samples of a clip are in the source: bytes from an offset up to
// another, in their order, without the gaps that are short.
func (c *Clip) Parts() (parts [][2]int64) {
	sorted := slices.SortedFunc(slices.Values(c.spans), func(a, b span) int { return cmp.Compare(a.off, b.off) })
	for _, s := range sorted {
		if k := len(parts) - 1; k >= 0 && s.off <= parts[k][1]+near {
			parts[k][1] = max(parts[k][1], s.off+s.len)
			continue
		}
		parts = append(parts, [2]int64{s.off, s.off + s.len})
	}
	return parts
}
