package blockcache

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"sync"
)

// A File reads one version of an object. Its methods but Read and Seek may be called at
// the same time.
type File struct {
	ctx    context.Context // of who opened it: reads end with it
	cache  *Cache
	object Object

	mu     sync.Mutex
	closed bool
	whole  *os.File          // the whole object, once it is there
	small  []byte            // the same, if it is in memory alone
	blocks []heldBlock       // those used last, the latest at the end
	ahead  map[int64]*flight // of blocks that are fetched ahead
	told   [][2]int64        // the first and last blocks of the parts that Ahead named last
	seen   sequence

	at int64 // of Read and Seek
}

// A heldBlock is a block that is open or in memory.
type heldBlock struct {
	number int64
	io.ReaderAt
}

// maxBlocks is how many blocks a File keeps open.
const maxBlocks = 8

// Open opens an object, of which nothing is fetched before it is read. Reads end once ctx
// is done. The caller closes the File.
func (c *Cache) Open(ctx context.Context, o Object) *File {
	if o.ID == "" {
		o.ID = rand.Text() // nobody else may get what this one fetches
	}
	return &File{ctx: ctx, cache: c, object: c.counting(o), ahead: make(map[int64]*flight)}
}

// Size returns the length of the object in bytes.
func (f *File) Size() int64 { return f.object.Size }

// IsWhole reports whether the object is fetched whole.
func (f *File) IsWhole() bool { return f.cache.whole(f.object) }

// Close closes the file, and what [File.LocalFile] returned.
func (f *File) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = true
	if f.whole != nil {
		f.whole.Close()
	}
	for _, b := range f.blocks {
		b.close()
	}
	f.blocks = nil
	for _, flying := range f.ahead {
		f.cache.flights.leave(flying)
	}
	clear(f.ahead)
	return nil
}

func (b heldBlock) close() {
	if file, ok := b.ReaderAt.(*os.File); ok {
		file.Close()
	}
}

// LocalFile returns the file of an object that is fetched whole; see [citekit.NewSource].
func (f *File) LocalFile() (*os.File, error) {
	if !f.IsWhole() {
		return nil, fmt.Errorf("an object of %d bytes is in no file: %w", f.object.Size, errors.ErrUnsupported)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return nil, os.ErrClosed
	}
	if f.whole == nil {
		whole, err := f.cache.openWhole(f.ctx, f.object)
		if err != nil {
			return nil, err
		}
		f.whole = whole
	}
	return f.whole, nil
}

// inMemory returns the content of a small object.
func (f *File) inMemory() ([]byte, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return nil, os.ErrClosed
	}
	if f.small == nil {
		data, err := f.cache.readSmall(f.ctx, f.object)
		if err != nil {
			return nil, err
		}
		f.small = data
	}
	return f.small, nil
}

// ReadAt implements [io.ReaderAt].
func (f *File) ReadAt(p []byte, off int64) (int, error) {
	switch {
	case off < 0:
		return 0, errors.New("a negative offset")
	case off >= f.object.Size:
		return 0, io.EOF
	}
	if err := f.ctx.Err(); err != nil {
		return 0, err
	}
	var short error
	if most := f.object.Size - off; int64(len(p)) > most {
		p, short = p[:most], io.EOF
	}
	if f.cache.skips(f.object) {
		data, err := f.inMemory()
		if err != nil {
			return 0, err
		}
		return copy(p, data[off:]), short
	}
	if f.IsWhole() {
		whole, err := f.LocalFile()
		if err == nil {
			n, err := whole.ReadAt(p, off)
			return n, cmp.Or(err, short)
		}
		if !errors.As(err, new(errDisk)) {
			return 0, err
		}
	}
	n, err := f.readBlocks(p, off)
	return n, cmp.Or(err, short)
}

// Read implements [io.Reader].
func (f *File) Read(p []byte) (int, error) {
	n, err := f.ReadAt(p, f.at)
	f.at += int64(n)
	if n > 0 && err == io.EOF {
		err = nil
	}
	return n, err
}

// Seek implements [io.Seeker].
func (f *File) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += f.at
	case io.SeekEnd:
		offset += f.object.Size
	}
	if offset < 0 {
		return 0, errors.New("a seek before the start")
	}
	f.at = offset
	return offset, nil
}

// readBlocks reads from blocks, and fetches those that are missing.
func (f *File) readBlocks(p []byte, off int64) (n int, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return 0, os.ErrClosed
	}
	first, last := off/blockSize, (off+int64(len(p))-1)/blockSize
	flying := f.join(first, last, (off+int64(len(p))-1+nearEnd)/blockSize)
	defer func() {
		for _, flying := range flying {
			f.cache.flights.leave(flying)
		}
	}()
	for i := first; i <= last; i++ {
		b, err := f.block(i, flying)
		if err != nil {
			return n, err
		}
		start := off + int64(n) - i*blockSize
		m, err := b.ReadAt(p[n:min(int64(len(p)), (i+1)*blockSize-off)], start)
		n += m
		if err != nil && err != io.EOF {
			return n, err
		}
	}
	return n, nil
}

// maxTold is how many parts are remembered that are read next.
const maxTold = 16

// Ahead begins to fetch parts that are read next, each from an offset up to another, as
// far as data may be held in memory. Reading on in a part fetches nothing beyond it.
func (f *File) Ahead(parts ...[2]int64) {
	if f.IsWhole() {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed || f.ctx.Err() != nil {
		return
	}
	f.told = f.told[:0]
	for _, p := range parts {
		if from, to := max(p[0], 0), min(p[1], f.object.Size); from < to {
			f.told = append(f.told, [2]int64{from / blockSize, (to - 1) / blockSize})
		}
	}
	slices.SortFunc(f.told, func(a, b [2]int64) int { return cmp.Compare(a[0], b[0]) })
	joined := f.told[:0]
	for _, t := range f.told {
		if k := len(joined) - 1; k >= 0 && t[0] <= joined[k][1]+1 { // they come in one request
			joined[k][1] = max(joined[k][1], t[1])
		} else {
			joined = append(joined, t)
		}
	}
	f.told = joined[:min(len(joined), maxTold)]
	for _, t := range f.told {
		room := maxAhead - int64(len(f.ahead))
		f.missing(t[0], min(t[1], t[0]+room-1), func(i int64, made *flight) { f.ahead[i] = made })
	}
}

// block returns a block, waiting for its flight if there is one.
func (f *File) block(i int64, flying map[int64]*flight) (io.ReaderAt, error) {
	if at := f.find(i); at >= 0 {
		b := f.blocks[at]
		f.blocks = append(slices.Delete(f.blocks, at, at+1), b)
		return b, nil
	}
	made := flying[i]
	delete(flying, i)
	if made == nil {
		made = f.ahead[i]
		delete(f.ahead, i)
	}
	var b io.ReaderAt
	if made != nil {
		data, err := f.cache.flights.wait(f.ctx, made)
		if err != nil {
			return nil, err
		}
		b = bytes.NewReader(data)
	} else if file := open(f.blockPath(i), f.blockLen(i)); file != nil {
		f.cache.hits.Add(1)
		b = file
	} else { // it gave way since it was looked for
		again := f.begin(i, i)
		data, err := f.cache.flights.wait(f.ctx, again[0])
		if err != nil {
			return nil, err
		}
		b = bytes.NewReader(data)
	}
	if len(f.blocks) == maxBlocks {
		f.blocks[0].close()
		f.blocks = slices.Delete(f.blocks, 0, 1)
	}
	f.blocks = append(f.blocks, heldBlock{i, b})
	return b, nil
}

func (f *File) find(i int64) int {
	return slices.IndexFunc(f.blocks, func(b heldBlock) bool { return b.number == i })
}

// isThere reports whether a block needs no flight.
func (f *File) isThere(i int64) bool {
	if f.find(i) >= 0 || f.ahead[i] != nil {
		return true
	}
	info, err := os.Stat(f.blockPath(i))
	return err == nil && info.Size() == f.blockLen(i)
}

// join begins the flights of the blocks from first to last that are missing, with those
// around them that will be asked for next: as far as near, if the last one is missing, and
// where reads go on, what they passed over and what follows.
func (f *File) join(first, last, near int64) map[int64]*flight {
	from, to := first, last
	if !f.isThere(last) {
		to = min(near, f.lastBlock())
		if last+1 == f.lastBlock() && f.blockLen(last+1) <= nearEnd {
			to = last + 1 // what little is left
		}
	}
	end := f.lastBlock()
	for _, t := range f.told {
		if t[0] <= first && first <= t[1] {
			end = max(last, t[1])
		}
	}
	to = min(to, end)
	passed, ahead := f.seen.next(first, last, end)
	if passed < first && !f.isThere(first) {
		from = passed
	}
	flying := make(map[int64]*flight)
	f.missing(from, max(to, ahead), func(i int64, made *flight) {
		if first <= i && i <= last {
			flying[i] = made
		} else {
			f.ahead[i] = made
		}
	})
	f.leaveFar(last)
	return flying
}

// leaveFar leaves the flights ahead of, or behind, a block that are farthest from it, if
// there are too many: their data would be in memory as long as the file is open.
func (f *File) leaveFar(from int64) {
	for len(f.ahead) > maxAhead {
		farthest := from
		for i := range f.ahead {
			if max(i-from, from-i) > max(farthest-from, from-farthest) {
				farthest = i
			}
		}
		f.cache.flights.leave(f.ahead[farthest])
		delete(f.ahead, farthest)
	}
}

// missing begins the flights of missing blocks, those side by side together.
func (f *File) missing(first, last int64, begun func(i int64, made *flight)) {
	for i := first; i <= last; i++ {
		if f.isThere(i) {
			continue
		}
		end := i
		for end < last && !f.isThere(end+1) {
			end++
		}
		for k, made := range f.begin(i, end) {
			begun(i+int64(k), made)
		}
		i = end
	}
}

// begin begins the flights of blocks that lie side by side.
func (f *File) begin(first, last int64) []*flight {
	var paths []string
	for i := first; i <= last; i++ {
		paths = append(paths, f.blockPath(i))
	}
	// A flight may outlive the File.
	cache, o := f.cache, f.object
	return cache.flights.join(f.ctx, paths, pieceSize/blockSize, func(ctx context.Context, skip, n int, finish func([]byte)) error {
		from := first + int64(skip)
		off := from * blockSize
		body, err := o.Fetch(ctx, off, min(int64(n)*blockSize, o.Size-off))
		if err != nil {
			return err
		}
		defer body.Close()
		var blocks [][]byte
		for i := range int64(n) {
			data := make([]byte, min(blockSize, o.Size-(from+i)*blockSize))
			if _, err = io.ReadFull(body, data); err != nil {
				break
			}
			finish(data)
			blocks = append(blocks, data)
		}
		for i, data := range blocks { // only now, as nobody waits for the disk then
			// What cannot be held is fetched again when it is asked for again.
			_ = cache.hold(context.WithoutCancel(ctx), paths[skip+i], int64(len(data)), func(f *os.File) error {
				_, err := f.Write(data)
				return diskError(err)
			})
		}
		if err != nil {
			return cmp.Or(ctx.Err(), err)
		}
		return nil
	})
}

func (f *File) lastBlock() int64 { return (f.object.Size - 1) / blockSize }

func (f *File) blockLen(i int64) int64 { return min(blockSize, f.object.Size-i*blockSize) }

func (f *File) blockPath(i int64) string {
	return f.cache.path(f.object, "-"+strconv.FormatInt(i, 10))
}

// A sequence notices reads that go on from block to block, and may pass over some.
type sequence struct {
	last   int64 // the last block that was read
	length int64 // how many blocks it has
	steps  int   // how many reads went on to another block
	ahead  int64 // the last block that was asked for ahead
}

// Reading ahead begins when so many reads went on, and is then twice as far as what was
// read, up to so many blocks. A read that passes over more blocks does not go on.
const (
	aheadSteps = 2
	maxAhead   = 64
	maxPassed  = 3
)

// next returns the first block that a read passed over, or first, and up to where to
// fetch ahead, or -1. The object ends with the block end.
func (s *sequence) next(first, last, end int64) (passed, to int64) {
	passed = first
	switch {
	case s.length == 0 || first < s.last-maxPassed || first > s.last+1+maxPassed:
		*s = sequence{last: last, length: last - first + 1, ahead: -1}
	case last > s.last:
		passed = min(first, s.last+1)
		s.length += last - s.last
		s.last = last
		s.steps++
	}
	if s.steps < aheadSteps {
		return passed, -1
	}
	window := min(2*s.length, maxAhead)
	to = min(s.last+window, end)
	if from := max(s.ahead, s.last) + 1; to < from || to < end && to-from+1 < window/2 {
		return passed, -1 // few at a time would be many requests
	}
	s.ahead = to
	return passed, to
}
