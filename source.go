package citekit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"sync"

	"github.com/citekit/citekit/internal/ctxio"
	"github.com/citekit/citekit/internal/ledger"
	"github.com/citekit/citekit/internal/localfile"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/plain"
)

// A Source is an open, confined file that a [Resolver] reads. It is safe for concurrent
// use. Whoever opened it closes it.
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

	// Identity changes whenever the file may have changed, such as device, inode, size and
	// times. It is "" if a change is visible only in the content. The source is then
	// identified by its hash, and whoever makes the Source guarantees that the bytes read
	// after hashing are those that were hashed, or that CheckUnchanged fails.
	Identity string

	// Hash is the SHA-256 of the content in lower-case hex, or "" if it is not known.
	Hash string

	// Declared is the modality that a person or the map states for the source, or "". A
	// resolver of that modality reads the source even if it looks like something else.
	Declared Modality

	// HashFunc computes the hash when it is not known; nil hashes the content.
	HashFunc func(ctx context.Context) (string, error)

	// Stat returns the identity that the open file has now, or an error matching [ErrStale]
	// if its content has changed. A nil Stat means that the file cannot change.
	Stat func() (identity string, err error)

	// Closed is called when the source has been closed; nil does nothing.
	Closed func()

	// Aside keeps data by name beside this version of a source that is far away. Nil data
	// returns what is kept, or an error matching [fs.ErrNotExist]. Near sources have none.
	Aside func(ctx context.Context, name string, data []byte) ([]byte, error)

	// Ahead begins to fetch the parts of such a source that are read next, at once.
	Ahead func(parts ...[2]int64)
}

// NewSource returns a Source that reads r. [Source.Close] closes r if it is an [io.Closer].
// If r has a method LocalFile() (*os.File, error), its file has the content.
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

// File returns an open file with the content, for handing its descriptor to a child
// process, or nil if no file holds it. It must not be closed, nor its offset moved.
func (s *Source) File() *os.File {
	f, _ := s.r.(*os.File)
	if r, ok := s.r.(interface{ LocalFile() (*os.File, error) }); ok {
		f, _ = r.LocalFile()
	}
	return f
}

// Ahead says which bytes are read next, each part from an offset up to another.
func (s *Source) Ahead(parts ...[2]int64) {
	if s.info.Ahead != nil {
		s.info.Ahead(parts...)
	}
}

// Aside returns what keeps data beside the source, or nil: see SourceInfo.
func (s *Source) Aside() func(context.Context, string, []byte) ([]byte, error) { return s.info.Aside }

// Version returns a key that changes with the content: the hash if it is known, else
// the identity. "" means that nothing about this source may be stored.
func (s *Source) Version() string { return cmp.Or(s.KnownHash(), s.info.Identity) }

// Identity returns what changes whenever the file may have changed: see SourceInfo.
func (s *Source) Identity() string { return s.info.Identity }

// Declared returns the modality that a person or the map states for the source, or "".
// A resolver may trust it.
func (s *Source) Declared() Modality {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.declared
}

// Declare sets the modality that a person or the map states for the source. Only the code
// that opened the source calls it, before it is read.
func (s *Source) Declare(m Modality) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.declared = m
}

// KnownHash returns the SHA-256 in lower-case hex, or "" if it has not been computed.
func (s *Source) KnownHash() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.hash
}

// Hash returns the SHA-256 in lower-case hex. If it is not known yet, Hash reads it all.
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

// CheckUnchanged returns an error matching [ErrStale] if the file has changed meanwhile.
func (s *Source) CheckUnchanged() error {
	if s.info.Stat == nil {
		return nil
	}
	now, err := s.info.Stat()
	if err == nil && now != s.info.Identity {
		err = fmt.Errorf("the source changed while it was being read: %w", ErrStale)
	}
	return err
}

// Close closes what is read, and what contains a source that was opened with it.
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

// shownVersion is how many digits of a version a message shows at least.
const shownVersion = 16

// openFresh opens the source of a target, and checks that it is the version that was
// mapped, as checkFresh does. The caller closes it.
func (l *Library) openFresh(ctx context.Context, t target, allowStale bool) (src *Source, stale bool, err error) {
	if src, err = l.OpenSource(ctx, t.path); err != nil {
		return nil, false, t.vanished(err)
	}
	src.Declare(t.declared)
	if stale, err = l.checkFresh(ctx, t, src, allowStale); err != nil {
		src.Close()
		return nil, false, err
	}
	return src, stale, nil
}

// vanished adds to the error about a source of a map that is gone what it was called
// and what can be done. Of a path outside the base directory only the name is given.
func (t target) vanished(err error) error {
	if t.m == nil || !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	shown := plain.Shorten(plain.NameOutside(t.path), maxShown)
	return saying{"its source '" + shown + "' is gone; put it back, or map it where it is now", fs.ErrNotExist}
}

// checkFresh reports whether src is another version than the target was made from,
// which is an error unless allow is set. A pinned version is never waived.
//
// A source whose changes only its content shows is hashed.
func (l *Library) checkFresh(ctx context.Context, t target, src *Source, allow bool) (stale bool, err error) {
	if src.Version() == "" {
		if _, err := src.Hash(ctx); err != nil {
			return false, localfile.WithoutPath(err)
		}
	}
	if pinned := t.address.Version; pinned != "" {
		hash, err := src.Hash(ctx)
		if err != nil {
			return false, err
		}
		if !strings.HasPrefix(hash, pinned) && t.m != nil && t.m.SourceHash() == hash {
			return false, newPinError(t.address, hash)
		}
		if !strings.HasPrefix(hash, pinned) {
			return false, fmt.Errorf("the address pins version %s, the source is now %s; if the cited part is unchanged, ingest the source again and cite v=%s: %w",
				pinned, hash[:len(pinned)], hash[:max(len(pinned), shownVersion)], ErrStale)
		}
	}
	if t.m == nil {
		return false, nil
	}
	why, err := l.freshness(ctx, t.m.ResourceMap, t.m.hash, src)
	if err != nil || why == nil {
		return false, err
	}
	if allow {
		return true, nil
	}
	return false, why
}

// A pinError reports an address with a version that its source does not have, although
// the source is as it was when it was mapped. It matches [ErrStale].
type pinError struct{ saying }

func newPinError(a Address, hash string) error {
	pinned := a.Version
	a.Version = hash[:max(len(pinned), shownVersion)]
	return pinError{saying{fmt.Sprintf("the address pins version %s, the source is %s, unchanged since it was mapped: %s is mistyped, or of an earlier version; if the source says the same, cite %s",
		pinned, hash[:len(pinned)], pinned, plain.ShortenAddress(a.String(), maxShown)), ErrStale}}
}

// UnknownPin tells this error from others that match [ErrStale].
func (pinError) UnknownPin() {}

// CheckFresh returns an error matching [ErrStale] that says why an open source is not
// the version that a map was made from, or nil. A map without "source_hash" in its
// metadata accepts any version.
func (l *Library) CheckFresh(ctx context.Context, m *ResourceMap, src *Source) error {
	why, err := l.freshness(ctx, m, "", src)
	return cmp.Or(why, err)
}

// freshness returns why src is not the version that m was made from, as an error
// matching ErrStale, or nil if it is. A map without a hash accepts only the version
// that its source had when this version of the map, whose SHA-256 is mapHash, was first
// used; if mapHash is "" it accepts any.
func (l *Library) freshness(ctx context.Context, m *ResourceMap, mapHash string, src *Source) (why, err error) {
	mapped := m.SourceHash()
	if mapped == "" {
		return l.pinnedFreshness(ctx, m, mapHash, src)
	}
	if err := m.checkSourceHash(); err != nil {
		return nil, fmt.Errorf("metadata.source_hash %w", err)
	}
	if size, ok := m.SourceSize(); ok && size != src.Size() {
		return fmt.Errorf("the source has %s, it had %d when it was mapped; map it again: %w", message.Count(int(src.Size()), "byte"), size, ErrStale), nil
	}
	hash, err := src.Hash(ctx)
	if err != nil || hash == mapped {
		return nil, err
	}
	return fmt.Errorf("the source's SHA-256 begins %.12s, it was %.12s when it was mapped; map it again: %w", hash, mapped, ErrStale), nil
}

// pinnedFreshness is freshness by the record of the version that the map was first used
// with. A damaged record makes the source stale: recording anew would accept any.
func (l *Library) pinnedFreshness(ctx context.Context, m *ResourceMap, mapHash string, src *Source) (why, err error) {
	if src.Version() == "" || mapHash == "" {
		return nil, nil
	}
	now := ledger.Pin{Identity: src.Identity(), Hash: src.KnownHash()}
	first, err := ledger.Record(ctx, l.workspace, m.ResourceID, mapHash, now, ErrConflict, ErrDamaged)
	if errors.Is(err, ErrDamaged) {
		return fmt.Errorf("the record of the version the source had: %w: %w", err, ErrStale), nil
	}
	if err != nil {
		return nil, localfile.WithoutPath(err)
	}
	same, err := first.Matches(ctx, src.Identity(), src.Hash)
	if err != nil || same {
		return nil, err
	}
	if first.Hash == "" && src.Identity() == "" {
		return fmt.Errorf("another program has the source open for writing, and its map has no source_hash that would show a change; try again later, or map it again: %w", ErrStale), nil
	}
	return fmt.Errorf("the source has changed since this map was first used; map it again, or save the map with a change: %w", ErrStale), nil
}
