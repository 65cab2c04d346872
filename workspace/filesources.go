package workspace

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strconv"
	"sync"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/sqlite"
)

// fileSources are sources in a file system, and some that are given one by one.
type fileSources struct {
	sources fs.FS  // nil means no files
	name    string // start of identities, as resolvers may serve several workspaces

	mu    sync.Mutex
	clock uint64                 // counts sources that were added, for their identities
	added map[string]addedSource // by path
}

type addedSource struct {
	data     []byte
	identity string
}

func (s *fileSources) init(sources fs.FS) {
	s.sources, s.name, s.added = sources, "memory."+rand.Text()+".", make(map[string]addedSource)
}

// add makes data the source with the given path.
func (s *fileSources) add(path string, data []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.clock++
	s.added[path] = addedSource{data: data, identity: s.name + strconv.FormatUint(s.clock, 10)}
}

// get returns a source that was added.
func (s *fileSources) get(path string) (addedSource, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	added, ok := s.added[path]
	return added, ok
}

// OpenSource implements [citekit.Workspace]. It looks for a path given to
// [Memory.AddSource] first, then in the file system, where the cleaned path
// must be valid according to [fs.ValidPath].
func (s *fileSources) OpenSource(ctx context.Context, name string) (*citekit.Source, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	added, ok := s.get(name)
	log, _ := s.get(name + logSuffix)
	if ok {
		if err := s.checkNotSide(name); err != nil {
			return nil, err
		}
	}
	if ok && len(log.data) > 0 {
		return mergedInMemory(ctx, name, added.data, log.data)
	}
	if ok {
		return citekit.NewSource(bytes.NewReader(added.data), citekit.SourceInfo{
			Name: path.Base(name), Size: int64(len(added.data)), Identity: added.identity,
		}), nil
	}
	if err := checkSourcePath(name); err != nil {
		return nil, err
	}
	name = path.Clean(name)
	if !fs.ValidPath(name) {
		return nil, errOutside
	}
	if s.sources == nil {
		return nil, missing("source")
	}
	return s.openFSSource(ctx, name)
}

func (s *fileSources) openFSSource(ctx context.Context, name string) (*citekit.Source, error) {
	info, err := fs.Stat(s.sources, name)
	if err != nil {
		return nil, fmt.Errorf("source: %w", withoutPath(err))
	}
	if !info.Mode().IsRegular() {
		return nil, errNotPlain
	}
	if err := s.checkNotSide(name); err != nil {
		return nil, err
	}
	f, err := s.sources.Open(name)
	if err != nil {
		return nil, fmt.Errorf("source: %w", withoutPath(err))
	}
	if file, ok := f.(*os.File); ok {
		log, err := s.openLog(file, name)
		if err != nil {
			f.Close()
			return nil, err
		}
		return newSource(ctx, file, log, name, noHashes{})
	}
	if log, err := fs.ReadFile(s.sources, name+logSuffix); err == nil && len(log) > 0 {
		defer f.Close()
		data, err := io.ReadAll(f)
		if err != nil {
			return nil, fmt.Errorf("source: %w", withoutPath(err))
		}
		return mergedInMemory(ctx, name, data, log)
	}
	if r, ok := f.(io.ReaderAt); ok {
		return s.newFSSource(ctx, readAtCloser{r, f}, name)
	}
	defer f.Close()
	data, err := io.ReadAll(f)
	if err != nil {
		return nil, fmt.Errorf("source: %w", withoutPath(err))
	}
	return sourceInMemory(name, data), nil
}

func sourceInMemory(name string, data []byte) *citekit.Source {
	sum := checksum(data)
	return citekit.NewSource(bytes.NewReader(data), citekit.SourceInfo{
		Name: path.Base(name), Size: int64(len(data)), Identity: sum, Hash: sum,
	})
}

// openLog opens the write-ahead log of a database in the file system, or returns nil.
func (s *fileSources) openLog(f *os.File, name string) (*os.File, error) {
	if !sqlite.IsDatabase(f) {
		return nil, nil
	}
	log, err := s.sources.Open(name + logSuffix)
	if file, ok := log.(*os.File); ok {
		return usedLog(file, err)
	}
	return usedLog(nil, withoutPath(err))
}

// mergedInMemory returns a source with what a database has after the changes in its
// write-ahead log.
func mergedInMemory(ctx context.Context, name string, data, log []byte) (*citekit.Source, error) {
	merged, err := sqlite.Merge(ctx, bytes.NewReader(data), int64(len(data)), bytes.NewReader(log), int64(len(log)))
	if err == nil && merged != nil {
		data = make([]byte, merged.Size())
		_, err = merged.ReadAt(data, 0)
	}
	if err != nil {
		return nil, fmt.Errorf("source: %w", mergeError(err))
	}
	return sourceInMemory(name, data), nil
}

// newFSSource returns the source for an open file of the file system. If the
// times of the file do not show changes, its content is hashed.
func (s *fileSources) newFSSource(ctx context.Context, f readAtCloser, name string) (*citekit.Source, error) {
	now := time.Now()
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("source: %w", withoutPath(err))
	}
	identityOf := func(info fs.FileInfo) string { return s.name + identity(info) + "." + name }
	src := citekit.NewSource(f, citekit.SourceInfo{
		Name:     path.Base(name),
		Size:     info.Size(),
		Identity: identityOf(info),
		Stat: func() (string, error) {
			info, err := f.Stat()
			if err != nil {
				return "", withoutPath(err)
			}
			return identityOf(info), nil
		},
	})
	if info.ModTime().Unix() <= 0 || isRacy(info, now) {
		if _, err := src.Hash(ctx); err != nil {
			src.Close()
			return nil, fmt.Errorf("source: %w", withoutPath(err))
		}
	}
	return src, nil
}

// noHashes stores no hashes.
type noHashes struct{}

func (noHashes) knownHash(string, string, int64) string { return "" }
func (noHashes) rememberHash(string, int64, hashRecord) {}

// A readAtCloser is an open file that can be read at any offset.
type readAtCloser struct {
	io.ReaderAt
	fs.File
}
