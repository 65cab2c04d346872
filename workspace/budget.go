package workspace

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/citekit/citekit"
)

// keepFor is how long evidence is kept after its last use. It is a little
// more than promised, as the last use is known to the minute.
const keepFor = 10*time.Minute + markEvery + time.Second

// A usageRecord is how many bytes of evidence there are. It may count a file
// that a crash lost, and is put right whenever the directory is looked
// through.
type usageRecord struct {
	Bytes int64 `json:"bytes"`
}

// makeRoom counts size bytes that will be stored under key, removing evidence
// that was used longest ago if there are more than the budget allows.
func (d *Directory) makeRoom(ctx context.Context, root *os.Root, key string, size int64) error {
	if d.budget < 0 {
		return nil
	}
	var usage usageRecord
	known := d.readOwn(root, usageName, &usage) == nil
	if !known || usage.Bytes+size > d.budget {
		left, err := d.evict(ctx, root, key, d.budget-size)
		if err != nil {
			return err
		}
		usage.Bytes = left
	}
	usage.Bytes += size
	if usage.Bytes > 2*d.budget {
		return fmt.Errorf("the evidence used in the last minutes fills the evidence directory twice over (budget %d bytes): %w", d.budget, citekit.ErrTooLarge)
	}
	return d.writeOwn(root, usageName, usage, false)
}

// storedFile is an evidence file that might be evicted.
type storedFile struct {
	key, name string
	size      int64
	used      time.Time
}

// evict removes evidence, that used longest ago first, until at most limit
// bytes are left, and returns how many are. To have it done less often, it
// goes on to nine tenths of the limit. It counts the file of key as gone.
func (d *Directory) evict(ctx context.Context, root *os.Root, key string, limit int64) (left int64, err error) {
	files, err := d.evidenceFiles(ctx, root)
	if err != nil {
		return 0, err
	}
	files = slices.DeleteFunc(files, func(f storedFile) bool { return f.key == key })
	for _, f := range files {
		left += f.size
	}
	if left <= limit {
		return left, nil
	}
	slices.SortFunc(files, func(a, b storedFile) int {
		if c := a.used.Compare(b.used); c != 0 {
			return c
		}
		return strings.Compare(a.key, b.key)
	})
	now := d.now()
	for _, f := range files {
		if left <= limit-limit/10 {
			break
		}
		if inUse(f.used, now) {
			continue
		}
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		if d.remove(root, f) {
			left -= f.size
		}
	}
	return left, nil
}

// inUse reports whether evidence used at a time may not be evicted now. A time
// well in the future is from before the clock was set back.
func inUse(used, now time.Time) bool { return now.Sub(used).Abs() < keepFor }

// remove removes evidence, unless it was used since its record was read. The
// file goes first: a record without a file is found out, a file without a
// record would stay for ever.
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

// evidenceFiles returns all files that have a record which this person's
// citekit made. Records that are damaged or have no file are removed; those of
// others stay, and so do the files that they name, whatever these are.
func (d *Directory) evidenceFiles(ctx context.Context, root *os.Root) ([]storedFile, error) {
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
			if f, ok := d.evidenceFile(root, name); ok {
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

func (d *Directory) evidenceFile(root *os.Root, name string) (storedFile, bool) {
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
	if errors.Is(err, fs.ErrNotExist) || err == errDamaged {
		root.Remove(recordName(evidenceDir, key))
	}
	if err != nil {
		return storedFile{}, false
	}
	return storedFile{key: key, name: held.Meta.Name, size: size, used: held.marked}, true
}
