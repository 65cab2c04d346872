package workspace

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/about"
)

const (
	// keepFor is how long evidence is kept after its last use. It is a little
	// more than promised, because the last use is known only to the minute.
	keepFor = 10*time.Minute + markEvery + time.Second

	// keepLong is the same for evidence with Keep set: evidence in use is used
	// again within that time.
	keepLong = 30 * 24 * time.Hour

	// lookAgain is how long the directory is not searched again after a search
	// freed too little, unless some evidence is known to become free earlier.
	lookAgain = time.Minute
)

// A usageRecord counts the bytes of evidence. It may include a file that a
// crash lost, and is corrected whenever the directory is searched.
type usageRecord struct {
	Bytes int64 `json:"bytes"`

	// FullUntil is set when a search of the directory could not free enough
	// space: searching again before that time is useless. Until then, a write
	// that does not fit costs only a read of this record.
	FullUntil time.Time `json:"full_until,omitzero"`
}

// makeRoom adds size bytes, to be stored under key, to the count. If there are
// then more than the budget allows, it removes the least recently used
// evidence.
func (d *Directory) makeRoom(ctx context.Context, root *os.Root, key string, size int64) error {
	if d.budget < 0 {
		return nil
	}
	var usage usageRecord
	known := d.readOwn(root, usageName, &usage) == nil
	if !known || usage.Bytes+size > d.budget {
		if known && d.isFull(root, key, usage) {
			d.fullUntil.Store(usage.FullUntil.UnixNano())
			return d.errFull(size)
		}
		left, free, err := d.evict(ctx, root, key, d.budget-size)
		if err != nil {
			return err
		}
		usage = usageRecord{Bytes: left}
		if left+size > d.budget {
			usage.Bytes += d.sizeOf(root, key) // the stored evidence stays
			usage.FullUntil = free
			_ = d.writeOwn(root, usageName, usage, false) // if this fails, the directory is searched again
			d.fullUntil.Store(free.UnixNano())
			return d.errFull(size)
		}
		d.fullUntil.Store(0)
	}
	usage.Bytes += size
	return d.writeOwn(root, usageName, usage, false)
}

// EvidenceFull reports whether this Directory lately refused to store evidence
// because it holds as much as [Options.MaxEvidenceBytes] allows, all of it in use:
// within the last minute, and not after space became free.
func (d *Directory) EvidenceFull() bool { return d.now().UnixNano() < d.fullUntil.Load() }

// isFull reports whether freeing space is useless for now. Existing evidence
// may still be replaced.
func (d *Directory) isFull(root *os.Root, key string, usage usageRecord) bool {
	wait := usage.FullUntil.Sub(d.now())
	return wait > 0 && wait <= keepLong && d.sizeOf(root, key) == 0
}

// sizeOf returns how many bytes of evidence are stored under key.
func (d *Directory) sizeOf(root *os.Root, key string) int64 {
	held, err := d.readHeld(root, key)
	if err != nil {
		return 0
	}
	info, err := root.Lstat(held.Meta.Name)
	if err != nil {
		return 0
	}
	return info.Size()
}

// notStored is an error of the store that also matches [citekit.ErrNotStored].
type notStored struct{ error }

func (e notStored) Unwrap() []error { return []error{e.error, citekit.ErrNotStored} }

func (d *Directory) errFull(size int64) error {
	return notStored{fmt.Errorf("%d more bytes would exceed the limit of %d bytes for evidence, and everything stored was used in the last minutes or is an index in use; try again in some minutes, or raise the limit: %w", size, d.budget, citekit.ErrTooLarge)}
}

// storedFile is an evidence file that might be evicted.
type storedFile struct {
	key, name string
	resource  string
	size      int64
	used      time.Time
	keep      bool
}

// freeAt returns when a file may be evicted if it is not used before then.
func (f storedFile) freeAt() time.Time {
	if f.keep {
		return f.used.Add(keepLong)
	}
	return f.used.Add(keepFor)
}

// inUse reports whether evidence may not be evicted now. A last use well in the
// future means that the clock was set back since.
func (f storedFile) inUse(now time.Time) bool {
	kept := keepFor
	if f.keep {
		kept = keepLong
	}
	return now.Sub(f.used).Abs() < kept
}

// isTranscript reports whether evidence is the transcript of a map, which a machine may
// need hours to make again. It stays as long as its map.
func (d *Directory) isTranscript(ctx context.Context, f storedFile) bool {
	if !strings.HasPrefix(f.name, about.TranscriptPrefix) {
		return false
	}
	data, _, err := d.ReadMap(ctx, f.resource, math.MaxInt32)
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist)
	}
	var m citekit.ResourceMap
	if err := m.UnmarshalJSON(data); err != nil {
		return true
	}
	key, _, ok := about.TranscriptOf(&m)
	return ok && key == f.key
}

// evict removes the least recently used evidence until at most limit bytes are
// left. It returns how many bytes are left, and when more may be evicted. If it
// has to remove anything, it continues down to nine tenths of the limit, so
// that it runs less often. It does not count the file stored under key.
func (d *Directory) evict(ctx context.Context, root *os.Root, key string, limit int64) (left int64, free time.Time, err error) {
	files, err := d.evidenceFiles(ctx, root, true)
	if err != nil {
		return 0, free, err
	}
	files = slices.DeleteFunc(files, func(f storedFile) bool { return f.key == key })
	for _, f := range files {
		left += f.size
	}
	now := d.now()
	free = now.Add(lookAgain)
	if left <= limit {
		return left, free, nil
	}
	sortByUse(files)
	for _, f := range files {
		if left <= limit-limit/10 {
			break
		}
		if d.isTranscript(ctx, f) {
			continue
		}
		if f.inUse(now) {
			if at := f.freeAt(); at.Before(free) {
				free = at
			}
			continue
		}
		if err := ctx.Err(); err != nil {
			return 0, free, err
		}
		if d.remove(root, f) {
			left -= f.size
		}
	}
	return left, free, nil
}

// sortByUse sorts files by last use, oldest first.
func sortByUse(files []storedFile) {
	slices.SortFunc(files, func(a, b storedFile) int {
		if c := a.used.Compare(b.used); c != 0 {
			return c
		}
		return strings.Compare(a.key, b.key)
	})
}

// remove removes evidence, unless it was used since its record was read. The
// file goes first: a record without a file is detected, but a file without a
// record would stay forever.
func (d *Directory) remove(root *os.Root, f storedFile) bool {
	record, err := root.Lstat(recordName(evidenceDir, f.key))
	if err == nil && !record.ModTime().Equal(f.used) {
		return false
	}
	info, err := root.Lstat(f.name)
	if err == nil && info.IsDir() {
		return false
	}
	if err == nil && root.Remove(f.name) != nil {
		return false
	}
	d.records.remove(f.key)
	root.Remove(recordName(evidenceDir, f.key))
	return true
}

// evidenceFiles returns all files that have a record made by this user's
// citekit. If clean is set, it removes records that are damaged or have no
// file; the directory must then be locked. Records of other users stay, and so
// do the files they name, whatever those are.
func (d *Directory) evidenceFiles(ctx context.Context, root *os.Root, clean bool) ([]storedFile, error) {
	dir, err := root.Open(evidenceDir)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	var files []storedFile
	for {
		names, err := dir.Readdirnames(1024)
		for _, name := range names {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if f, ok := d.evidenceFile(root, name, clean); ok {
				files = append(files, f)
			}
		}
		if errors.Is(err, io.EOF) {
			return files, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

func (d *Directory) evidenceFile(root *os.Root, name string, clean bool) (storedFile, bool) {
	key, ok := strings.CutSuffix(name, ".json")
	if !ok || checkKey(key) != nil {
		return storedFile{}, false
	}
	held, err := d.readHeld(root, key)
	var size int64
	if err == nil {
		var info fs.FileInfo
		if info, err = root.Lstat(held.Meta.Name); err == nil {
			size = info.Size()
		}
	}
	if clean && (errors.Is(err, fs.ErrNotExist) || err == errDamaged) {
		root.Remove(recordName(evidenceDir, key))
	}
	if err != nil {
		return storedFile{}, false
	}
	return storedFile{key: key, name: held.Meta.Name, resource: held.Meta.Resource, size: size, used: held.marked, keep: held.Meta.Keep}, true
}
