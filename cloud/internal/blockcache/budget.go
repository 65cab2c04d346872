package blockcache

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/citekit/citekit/internal/localfile"
)

// The folder of a cache.
const (
	heldFolder = "held" // what is held, by the start of its name
	tempFolder = "temp" // what is being fetched
	usedName   = "used" // how many bytes are held, or will be
)

// A budget is how much a folder may hold. A number in a file, which is locked while it
// changes, says how much it holds. The number is at least what is there, but for what
// others that were killed left; it is counted anew when it would exceed the budget.
type budget struct {
	dir string
	max int64 // bytes

	mu sync.Mutex
}

// errFull reports that so much does not fit into the budget.
var errFull = errors.New("no room is left in it")

// reserve makes room for so many bytes.
func (b *budget) reserve(ctx context.Context, size int64) error {
	if size > b.max {
		return diskError(errFull)
	}
	full := false
	err := b.change(ctx, func(used int64) int64 {
		if used+size > b.max {
			used = b.evict(b.max - b.max/8 - size)
		}
		if full = used+size > b.max; full {
			return used
		}
		return used + size
	})
	if err == nil && full {
		err = errFull
	}
	return diskError(err)
}

// giveBack ends what reserve began. If it cannot, what is held is counted too high until
// it is counted again.
func (b *budget) giveBack(size int64) {
	_ = b.change(context.Background(), func(used int64) int64 { return max(used-size, 0) })
}

// change changes how much is used, while no other process does.
func (b *budget) change(ctx context.Context, to func(used int64) int64) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	f, err := os.OpenFile(filepath.Join(b.dir, usedName), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := localfile.Lock(ctx, f); err != nil {
		return err
	}
	defer localfile.Unlock(f)
	// A number always has as many digits, so that a write never leaves part of another.
	digits := make([]byte, 20)
	used := int64(-1)
	if n, _ := f.ReadAt(digits, 0); n == len(digits) {
		if used, err = strconv.ParseInt(strings.TrimLeft(string(digits), "0"), 10, 64); err != nil {
			used = -1
		}
	}
	if used < 0 {
		used, _ = b.count()
	}
	next := strconv.FormatInt(to(used), 10)
	_, err = f.WriteAt([]byte(strings.Repeat("0", len(digits)-len(next))+next), 0)
	return err
}

// held returns how many bytes the number says, or -1.
func (b *budget) held() int64 {
	digits, err := os.ReadFile(filepath.Join(b.dir, usedName))
	if err != nil {
		return -1
	}
	used, err := strconv.ParseInt(string(digits), 10, 64)
	if err != nil {
		return -1
	}
	return used
}

// A heldFile is one that could give way.
type heldFile struct {
	path string
	size int64
	used time.Time
}

// count returns how many bytes are there, and the files that are complete.
func (b *budget) count() (used int64, held []heldFile) {
	for _, folder := range []string{heldFolder, tempFolder} {
		_ = filepath.WalkDir(filepath.Join(b.dir, folder), func(path string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return nil
			}
			info, err := e.Info()
			if err != nil {
				return nil
			}
			if folder == tempFolder && isAbandoned(path, info) && os.Remove(path) == nil {
				return nil
			}
			used += info.Size()
			if folder == heldFolder {
				held = append(held, heldFile{path, info.Size(), info.ModTime()})
			}
			return nil
		})
	}
	return used, held
}

// evict removes what was not used for longest until at most so many bytes are there, and
// returns how many are.
func (b *budget) evict(most int64) int64 {
	used, held := b.count()
	slices.SortFunc(held, func(x, y heldFile) int {
		return cmp.Or(x.used.Compare(y.used), cmp.Compare(x.path, y.path))
	})
	for _, f := range held {
		if used <= most {
			break
		}
		if os.Remove(f.path) == nil {
			used -= f.size
		}
	}
	return used
}

// isAbandoned reports whether no process writes a temporary file any more. One that was
// just made may not be locked yet.
func isAbandoned(path string, info fs.FileInfo) bool {
	if info.Size() == 0 {
		return time.Since(info.ModTime()) > time.Hour
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return false
	}
	defer f.Close()
	locked, err := localfile.TryLock(f)
	if locked {
		localfile.Unlock(f)
	}
	return err == nil && locked
}
