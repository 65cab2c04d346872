package workspace

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/ctxio"
	"github.com/citekit/citekit/internal/sqlite"
)

// maxHeld is the size in bytes up to which a source that is not settled is held
// in memory once it is hashed, so that readers get the bytes that were hashed.
const maxHeld = 32 << 20

// An openSource is the open file behind a source.
//
// While the file is settled, its identity stands for its content. It is not
// settled while a process is writing to it, shortly after a write, or where the
// system cannot detect writers. It then has no identity, and its hash
// identifies what is read.
type openSource struct {
	*os.File
	wal     *os.File // the write-ahead log of a database, or nil
	merged  *sqlite.Merged
	hashes  hashKeeper
	path    string
	id      string
	settled bool

	mu   sync.Mutex
	held *bytes.Reader // the hashed content of a small source that is not settled
	sum  string        // as Hash returned
}

// A hashKeeper remembers the hashes of settled files.
type hashKeeper interface {
	// knownHash returns the hash of the settled file at path if the file still
	// has the identity, or "".
	knownHash(path, identity string, size int64) string
	rememberHash(path string, size int64, r hashRecord)
}

// newSource returns the source for an open file, and for the write-ahead log beside
// it, if wal is not nil. The source closes both, as does an error.
func newSource(ctx context.Context, f, wal *os.File, path string, hashes hashKeeper) (src *citekit.Source, err error) {
	s := &openSource{File: f, wal: wal, hashes: hashes, path: path}
	defer func() {
		if err != nil {
			s.Close()
		}
	}()
	now := time.Now()
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("source: %w", withoutPath(err))
	}
	s.id = identity(info) + fileNumber(f, path)
	s.settled = !isRacy(info, now) && watch(f) == settled
	size := info.Size()
	if wal != nil {
		if size, err = s.merge(ctx, size, now); err != nil {
			return nil, err
		}
	}
	shown := citekit.SourceInfo{
		Name:     filepath.Base(path),
		Size:     size,
		HashFunc: s.hash,
		Stat:     s.stat,
	}
	if s.settled {
		shown.Identity = s.id
		shown.Hash = hashes.knownHash(path, s.id, size)
		s.sum = shown.Hash
	}
	switch {
	case !s.settled && size <= maxHeld:
		return citekit.NewSource(unsettledFile{s}, shown), nil
	case wal != nil:
		return citekit.NewSource(mergedFile{s}, shown), nil
	}
	return citekit.NewSource(f, shown), nil
}

// merge reads the write-ahead log of a database of size bytes, and returns the size
// of both together. The identity is then that of both.
func (s *openSource) merge(ctx context.Context, size int64, now time.Time) (int64, error) {
	info, err := s.wal.Stat()
	if err != nil {
		return 0, fmt.Errorf("source: %w", withoutPath(err))
	}
	s.settled = s.settled && !isRacy(info, now) && watch(s.wal) == settled
	s.id = identityWithLog(s.id, info)
	if s.merged, err = sqlite.Merge(ctx, s.File, size, s.wal, info.Size()); err != nil {
		return 0, fmt.Errorf("source: %w", mergeError(withoutPath(err)))
	}
	if s.merged == nil {
		return size, nil
	}
	return s.merged.Size(), nil
}

// mergeError maps an error of [sqlite.Merge] to one that
// [citekit.Workspace] documents.
func mergeError(err error) error {
	switch {
	case errors.Is(err, sqlite.ErrDamaged):
		return fmt.Errorf("%v: %w", err, citekit.ErrFormat)
	case errors.Is(err, sqlite.ErrLarge):
		return fmt.Errorf("%v: %w", err, citekit.ErrTooLarge)
	}
	return err
}

// content is what is read of the source.
func (s *openSource) content() io.ReaderAt {
	if s.merged != nil {
		return s.merged
	}
	return s.File
}

func (s *openSource) Close() error {
	if s.wal != nil {
		s.wal.Close()
	}
	return s.File.Close()
}

// state is what watch says of the files.
func (s *openSource) state() fileState {
	if s.wal != nil {
		if state := watch(s.wal); state != settled {
			return state
		}
	}
	return watch(s.File)
}

// A mergedFile reads an openSource that has a write-ahead log.
type mergedFile struct{ s *openSource }

func (m mergedFile) ReadAt(p []byte, off int64) (int, error) { return m.s.content().ReadAt(p, off) }

func (m mergedFile) Close() error { return m.s.Close() }

// An unsettledFile reads an openSource: once it is hashed, the hashed bytes.
type unsettledFile struct{ s *openSource }

func (u unsettledFile) ReadAt(p []byte, off int64) (int, error) {
	u.s.mu.Lock()
	held := u.s.held
	u.s.mu.Unlock()
	if held != nil {
		return held.ReadAt(p, off)
	}
	return u.s.content().ReadAt(p, off)
}

func (u unsettledFile) Close() error { return u.s.Close() }

// hash hashes the source. It records the hash if the source is settled.
func (s *openSource) hash(ctx context.Context) (string, error) {
	size, err := s.checkIdentity()
	if err != nil {
		return "", err
	}
	sum, held, err := s.read(ctx, size)
	if err != nil {
		return "", withoutPath(err)
	}
	if _, err := s.checkIdentity(); err != nil {
		return "", err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.sum != "" && s.sum != sum {
		return "", errChanged
	}
	s.sum = sum
	if held != nil && s.held == nil {
		s.held = bytes.NewReader(held)
	}
	if s.settled {
		s.hashes.rememberHash(s.path, size, hashRecord{Identity: s.id, SHA256: sum})
	}
	return sum, nil
}

// read returns the hash of the source and, if the content is to be held, the
// content.
func (s *openSource) read(ctx context.Context, size int64) (sum string, held []byte, err error) {
	content := io.NewSectionReader(s.content(), 0, size)
	if s.settled || size > maxHeld {
		sum, _, err = ctxio.Hash(ctx, content)
		return sum, nil, err
	}
	if err := cmp.Or(ctx.Err(), ctxio.Charge(ctx, size)); err != nil {
		return "", nil, err
	}
	held = make([]byte, size)
	n, err := io.ReadFull(content, held)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && err != io.EOF {
		return "", nil, err
	}
	digest := sha256.Sum256(held[:n])
	return hex.EncodeToString(digest[:]), held[:n], nil
}

var errChanged = fmt.Errorf("the source changed while it was being read: %w", citekit.ErrStale)

// checkIdentity returns the size of the file, or an error if its identity has
// changed.
func (s *openSource) checkIdentity() (size int64, err error) {
	now, size, err := s.identityNow()
	if err == nil && now != s.id {
		err = errChanged
	}
	return size, err
}

// identityNow returns the identity and the size of the source now.
func (s *openSource) identityNow() (id string, size int64, err error) {
	info, err := s.File.Stat()
	if err != nil {
		return "", 0, withoutPath(err)
	}
	id, size = identity(info)+fileNumber(s.File, s.path), info.Size()
	if s.wal != nil {
		if info, err = s.wal.Stat(); err != nil {
			return "", 0, withoutPath(err)
		}
		id = identityWithLog(id, info)
	}
	if s.merged != nil {
		size = s.merged.Size()
	}
	return id, size, nil
}

// stat implements [citekit.SourceInfo.Stat]. If the identity does not show
// every change and a hash was returned before, stat hashes the source again.
func (s *openSource) stat() (string, error) {
	now, size, err := s.identityNow()
	if err != nil || now != s.id {
		return now, err
	}
	if s.settled && (tellsByTimes(s.File) || s.state() == settled) {
		return s.id, nil
	}
	s.mu.Lock()
	sum, held := s.sum, s.held
	s.mu.Unlock()
	switch {
	case held != nil:
	case sum != "":
		if err := s.compare(sum, size); err != nil {
			return "", err
		}
	case s.settled:
		return "", fmt.Errorf("somebody began to write to the source while it was being read; try again: %w", citekit.ErrStale)
	}
	if s.settled {
		return s.id, nil
	}
	return "", nil
}

// compare returns an error unless the source still has the hash.
func (s *openSource) compare(sum string, size int64) error {
	now, _, err := ctxio.Hash(context.Background(), io.NewSectionReader(s.content(), 0, size))
	if err != nil {
		return withoutPath(err)
	}
	if now != sum {
		return errChanged
	}
	return nil
}
