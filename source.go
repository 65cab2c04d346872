package citekit

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/citekit/citekit/internal/ctxio"
)

// A Source is an open, confined file that a [Resolver] reads. It is safe for
// concurrent use. Whoever opened it closes it.
type Source struct {
	r    io.ReaderAt
	info SourceInfo

	mu       sync.Mutex
	hash     string
	declared Modality

	under []io.Closer // what contains the source; closed after it
}

// SourceInfo describes a [Source].
type SourceInfo struct {
	Name string // base name; a hint of the format, never a path to open
	Size int64  // bytes

	// Identity changes whenever the file may have changed, such as device,
	// inode, size and times. It is "" if a change is visible only in the
	// content. The source is then identified by its hash, and whoever makes the
	// Source guarantees that the bytes read after hashing are those that were
	// hashed, or that CheckUnchanged fails.
	Identity string

	// Hash is the SHA-256 of the content in lower-case hex, or "" if it is not
	// known.
	Hash string

	// Declared is the modality that a person or the map states for the source,
	// or "". A resolver of that modality reads the source even if it looks like
	// something else.
	Declared Modality

	// HashFunc computes the hash when it is not known. If HashFunc is nil, the
	// content is hashed.
	HashFunc func(ctx context.Context) (string, error)

	// Stat returns the identity that the open file has now, or an error
	// matching [ErrStale] if its content has changed. A nil Stat means that the
	// file cannot change.
	Stat func() (identity string, err error)

	// Closed is called when the source has been closed; nil does nothing.
	Closed func()
}

// NewSource returns a Source that reads r. [Source.Close] closes r if it is
// an [io.Closer].
func NewSource(r io.ReaderAt, info SourceInfo) *Source {
	return &Source{r: r, info: info, hash: info.Hash, declared: info.Declared}
}

// ReadAt implements [io.ReaderAt].
func (s *Source) ReadAt(p []byte, off int64) (int, error) { return s.r.ReadAt(p, off) }

// Name returns the base name of the source: a hint of its format.
func (s *Source) Name() string { return s.info.Name }

// Size returns the length of the source in bytes.
func (s *Source) Size() int64 { return s.info.Size }

// Reader returns a new reader over the whole source.
func (s *Source) Reader() *io.SectionReader { return io.NewSectionReader(s.r, 0, s.info.Size) }

// File returns the open file behind the source, for handing its descriptor to
// a child process, or nil if the source is not a file. It must not be closed,
// nor its offset moved.
func (s *Source) File() *os.File {
	f, _ := s.r.(*os.File)
	return f
}

// Version returns a key that changes with the content: the hash if it is known,
// else the identity. "" means that nothing about this source may be stored.
func (s *Source) Version() string {
	if hash := s.KnownHash(); hash != "" {
		return hash
	}
	return s.info.Identity
}

// Identity returns a value that changes whenever the file may have changed, or
// "": see SourceInfo.
func (s *Source) Identity() string { return s.info.Identity }

// Declared returns the modality that a person or the map states for the source,
// or "". A resolver may trust it.
func (s *Source) Declared() Modality {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.declared
}

// Declare sets the modality that a person or the map states for the source.
// Only the code that opened the source calls it, before it is read.
func (s *Source) Declare(m Modality) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.declared = m
}

// KnownHash returns the SHA-256 of the source in lower-case hex, or "" if it
// has not been computed.
func (s *Source) KnownHash() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.hash
}

// Hash returns the SHA-256 of the source in lower-case hex. If the hash is not
// known yet, Hash reads the whole source.
func (s *Source) Hash(ctx context.Context) (string, error) {
	if hash := s.KnownHash(); hash != "" {
		return hash, nil
	}
	compute := s.info.HashFunc
	if compute == nil {
		compute = s.hashContent
	}
	hash, err := compute(ctx)
	if err != nil {
		return "", err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hash = hash
	return hash, nil
}

func (s *Source) hashContent(ctx context.Context) (string, error) {
	hash, size, err := ctxio.Hash(ctx, s.Reader())
	if err == nil && size != s.info.Size {
		err = fmt.Errorf("the source has %d bytes where it had %d: %w", size, s.info.Size, ErrStale)
	}
	return hash, err
}

// CheckUnchanged returns an error matching [ErrStale] if the file has
// changed since it was opened.
func (s *Source) CheckUnchanged() error {
	if s.info.Stat == nil {
		return nil
	}
	now, err := s.info.Stat()
	if err != nil {
		return err
	}
	if now != s.info.Identity {
		return fmt.Errorf("the source changed while it was being read: %w", ErrStale)
	}
	return nil
}

// Close closes the underlying reader. If the source is a member whose container
// was opened with it, Close closes that too.
func (s *Source) Close() (err error) {
	if c, ok := s.r.(io.Closer); ok {
		err = c.Close()
	}
	if s.info.Closed != nil {
		s.info.Closed()
	}
	for _, container := range s.under {
		err = cmp.Or(err, container.Close())
	}
	return err
}
