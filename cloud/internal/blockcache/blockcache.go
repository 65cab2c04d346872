// Package blockcache keeps parts of the objects of an object store on the disk of this
// machine, within a budget that all processes share.
//
// An object of at most 64 MiB is fetched whole, by requests that run side by side, and is
// then a file that programs can read and map. A larger one is fetched in blocks of 512 KiB:
// blocks that are missing and lie side by side come in one request, and who reads on from
// block to block has the next ones fetched ahead.
//
// An object never changes under its name. What is fetched is written to a temporary file,
// which gets its place when it is complete and on disk, so that neither the end of a
// process nor a loss of power leaves half of it there. What was not used for longest gives
// way first. Files that are open stay readable. A process that reads many small objects
// once keeps these off the disk: see [Cache.SkipSmall].
package blockcache

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/citekit/citekit/internal/ctxio"
	"github.com/citekit/citekit/internal/localfile"
	"golang.org/x/sync/errgroup"
)

// Options are the options of [Open]. The zero value is ready to use.
type Options struct {
	// MaxBytes is how much the folder may hold; zero means 10 GiB.
	MaxBytes int64
}

const (
	maxBytes = 10 << 30

	// maxWhole is the largest object in bytes that is fetched whole without being asked.
	maxWhole = 64 << 20

	// blockSize is what a larger one is fetched in. Of a large file whose structure is
	// known, a part of some hundred kilobytes is then in two blocks at most, with one for
	// the start of the file.
	blockSize = 512 << 10

	// MaxSmall is the largest object in bytes that [Cache.SkipSmall] is about.
	MaxSmall = 256 << 10

	// nearEnd is how close to the end of a block a read ends that needs the next one as
	// well, as what is read then most often goes on.
	nearEnd = blockSize / 4

	// pieceSize is the most that one request fetches.
	pieceSize = 16 << 20
)

// ErrHash reports an object whose content is not what its hash says.
var ErrHash = errors.New("the content of an object has another hash")

// A Cache is a folder with parts of objects. It is safe for concurrent use, also by
// several processes.
type Cache struct {
	dir string
	budget
	flights flights

	skipSmall              atomic.Bool
	hits, fetches, fetched atomic.Int64
}

// A Use says how a cache was used by this process, and how full its folder is.
type Use struct {
	Hits    int64 // objects and blocks that were there
	Fetches int64 // requests
	Fetched int64 // bytes that they brought
	Held    int64 // bytes that the folder holds, or -1 if that is not known
}

// Use returns how the cache was used since it was opened.
func (c *Cache) Use() Use {
	return Use{c.hits.Load(), c.fetches.Load(), c.fetched.Load(), c.held()}
}

// counting returns an object whose requests are counted.
func (c *Cache) counting(o Object) Object {
	fetch := o.Fetch
	o.Fetch = func(ctx context.Context, offset, n int64) (io.ReadCloser, error) {
		c.fetches.Add(1)
		body, err := fetch(ctx, offset, n)
		if err == nil {
			c.fetched.Add(n)
		}
		return body, err
	}
	return o
}

// Open opens the cache in a folder, which it makes if it is not there. A nil opts means
// the defaults.
func Open(dir string, opts *Options) (*Cache, error) {
	if opts == nil {
		opts = new(Options)
	}
	c := &Cache{dir: dir}
	c.budget = budget{dir: dir, max: opts.MaxBytes}
	if c.max <= 0 {
		c.max = maxBytes
	}
	for _, folder := range []string{heldFolder, tempFolder} {
		if err := os.MkdirAll(filepath.Join(dir, folder), 0o700); err != nil {
			return nil, fmt.Errorf("the folder of the cache: %w", localfile.WithoutPath(err))
		}
	}
	return c, nil
}

// SkipSmall keeps objects of at most [MaxSmall] bytes off the disk from now on: this process
// reads many of them, and each once or twice in a row. They are then in memory while they
// are open.
func (c *Cache) SkipSmall() { c.skipSmall.Store(true) }

// skips reports whether an object is to be in memory alone.
func (c *Cache) skips(o Object) bool { return o.Size <= MaxSmall && c.skipSmall.Load() }

// Close waits until what was fetched is on disk. The files of c must have been closed.
func (c *Cache) Close() { c.flights.working.Wait() }

// An Object is one version of an object.
type Object struct {
	ID     string // of this version, among all objects of all stores
	Size   int64  // bytes
	SHA256 string // of the content in lower-case hex; "" is not checked
	Whole  bool   // fetch it whole although it is large

	// Fetch requests n bytes from an offset.
	Fetch func(ctx context.Context, offset, n int64) (io.ReadCloser, error)
}

// whole reports whether an object is fetched whole.
func (c *Cache) whole(o Object) bool { return (o.Whole || o.Size <= maxWhole) && o.Size <= c.max }

// path returns where an object is, or a part of it.
func (c *Cache) path(o Object, part string) string {
	sum := sha256.Sum256([]byte(o.ID + "\x00" + strconv.FormatInt(o.Size, 10)))
	name := hex.EncodeToString(sum[:20])
	return filepath.Join(c.dir, heldFolder, name[:2], name+part)
}

// errDisk marks a fault of the disk, without which objects can still be read.
type errDisk struct{ error }

func (e errDisk) Unwrap() error { return e.error }

func diskError(err error) error {
	if err == nil {
		return nil
	}
	return errDisk{fmt.Errorf("the cache of objects: %w", localfile.WithoutPath(err))}
}

// usedWithin is how exactly it is known when a file was last used.
const usedWithin = time.Minute

// open opens what is held at a path of so many bytes, or returns nil.
func open(path string, size int64) *os.File {
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	info, err := f.Stat()
	if err != nil || info.Size() != size {
		f.Close()
		return nil
	}
	if now := time.Now(); now.Sub(info.ModTime()) > usedWithin {
		_ = os.Chtimes(path, now, now) // used last
	}
	return f
}

// openWhole opens the file of a whole object, which it fetches if it is not there.
func (c *Cache) openWhole(ctx context.Context, o Object) (*os.File, error) {
	path := c.path(o, "")
	for try := range 3 { // it may be removed at once, to make room
		if f := open(path, o.Size); f != nil {
			if try == 0 {
				c.hits.Add(1)
			}
			return f, nil
		}
		made := c.flights.join(ctx, []string{path}, 1, func(ctx context.Context, _, _ int, finish func([]byte)) error {
			err := c.hold(ctx, path, o.Size, func(f *os.File) error { return fetchWhole(ctx, o, f) })
			if err == nil {
				finish(nil)
			}
			return err
		})
		_, err := c.flights.wait(ctx, made[0])
		if err != nil {
			return nil, err
		}
	}
	return nil, diskError(errFull)
}

// readSmall returns the content of a small object, which may be on disk.
func (c *Cache) readSmall(ctx context.Context, o Object) ([]byte, error) {
	path := c.path(o, "")
	if f := open(path, o.Size); f != nil {
		defer f.Close()
		data := make([]byte, o.Size)
		if _, err := io.ReadFull(f, data); err == nil {
			c.hits.Add(1)
			return data, nil
		}
	}
	made := c.flights.join(ctx, []string{path + "-small"}, 1, func(ctx context.Context, _, _ int, finish func([]byte)) error {
		data := make([]byte, o.Size)
		body, err := o.Fetch(ctx, 0, o.Size)
		if err != nil {
			return err
		}
		defer body.Close()
		if _, err := io.ReadFull(ctxio.Reader(ctx, body), data); err != nil {
			return err
		}
		if o.SHA256 != "" && ctxio.HashOf(data) != o.SHA256 {
			return ErrHash
		}
		finish(data)
		return nil
	})
	return c.flights.wait(ctx, made[0])
}

// fetchWhole writes an object to a file, and checks its hash.
func fetchWhole(ctx context.Context, o Object, f *os.File) error {
	pieces, piecesCtx := errgroup.WithContext(ctx)
	pieces.SetLimit(8)
	for off := int64(0); off < o.Size; off += pieceSize {
		pieces.Go(func() error {
			n := min(pieceSize, o.Size-off)
			return fetch(piecesCtx, o, off, n, io.NewOffsetWriter(f, off))
		})
	}
	if err := pieces.Wait(); err != nil || o.SHA256 == "" {
		return err
	}
	hash, _, err := ctxio.Hash(ctx, io.NewSectionReader(f, 0, o.Size))
	if err == nil && hash != o.SHA256 {
		err = ErrHash
	}
	return err
}

// fetch copies a part of an object.
func fetch(ctx context.Context, o Object, off, n int64, to io.Writer) error {
	body, err := o.Fetch(ctx, off, n)
	if err != nil {
		return err
	}
	defer body.Close()
	got, err := io.Copy(to, io.LimitReader(ctxio.Reader(ctx, body), n))
	if err == nil && got != n {
		err = io.ErrUnexpectedEOF
	}
	return err
}

// hold makes the file at a path, of so many bytes, with what write writes.
func (c *Cache) hold(ctx context.Context, path string, size int64, write func(*os.File) error) error {
	if err := c.reserve(ctx, size); err != nil {
		return err
	}
	err := c.holdReserved(path, size, write)
	if err != nil {
		c.giveBack(size)
	}
	return err
}

func (c *Cache) holdReserved(path string, size int64, write func(*os.File) error) error {
	f, err := os.CreateTemp(filepath.Join(c.dir, tempFolder), "")
	if err != nil {
		return diskError(err)
	}
	defer os.Remove(f.Name()) // if it is still there
	defer f.Close()
	if locked, err := localfile.TryLock(f); err == nil && locked {
		defer localfile.Unlock(f)
	}
	if err := f.Truncate(size); err != nil {
		return diskError(err)
	}
	if err := write(f); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return diskError(err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return diskError(err)
	}
	localfile.Unlock(f)
	f.Close()
	return diskError(os.Rename(f.Name(), path))
}
