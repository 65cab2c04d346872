// Package archive resolves archives of files: ZIP, including JAR and CBZ, and
// tar; and files compressed with gzip, bzip2 or Zstandard.
//
// An archive as a whole is a document whose evidence is its bytes. Its members
// are read by the resolvers of their modalities; the Member of a
// [citekit.Location] names one. The nodes of a map are the folders and members,
// with the maps of the members below them:
//
//	archives := &archive.Resolver{Members: resolvers}
package archive

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"
	"sync"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/concurrent"
	"github.com/citekit/citekit/internal/ctxio"
	"github.com/citekit/citekit/internal/sqlite"
	"github.com/citekit/citekit/modality/internal/member"
)

// A Resolver resolves archives. The zero value is ready to use, but without
// Members it only lists and opens members: it does not map or read what is in
// them. It is safe for concurrent use and must not be copied after first use.
type Resolver struct {
	// Members are the resolvers that read the members, for the map and the text
	// of an archive. They are usually the resolvers of the library, and include
	// this resolver for archives in archives. If Members is nil, members are
	// only listed.
	Members citekit.Resolvers

	// MaxMember is the largest size in bytes of a member that is unpacked; zero
	// means 2 GiB. For bzip2 the limit is at most 512 MiB. The content of a
	// compressed file may also not exceed both 64 MiB and 500 times the size of
	// the file. Beyond a limit the error matches [citekit.ErrTooLarge]. A
	// member of more than 4 MiB is unpacked into an unnamed temporary file,
	// unless it is uncompressed.
	MaxMember int64

	// MaxUnpacked is how many bytes may be unpacked for one map or one text; zero
	// means 1 GiB.
	MaxUnpacked int64

	once    sync.Once
	copier  member.Copier
	indexes concurrent.Cache[*index]   // indexes of compressed files, by version
	checked concurrent.Cache[struct{}] // members with a correct checksum
}

var (
	_ citekit.Resolver     = (*Resolver)(nil)
	_ citekit.Measurer     = (*Resolver)(nil)
	_ citekit.TextReader   = (*Resolver)(nil)
	_ citekit.Mapper       = (*Resolver)(nil)
	_ citekit.Versioner    = (*Resolver)(nil)
	_ citekit.MemberOpener = (*Resolver)(nil)
)

const (
	defaultMember   = 2 << 30
	defaultUnpacked = 1 << 30
)

// Version implements [citekit.Versioner].
func (r *Resolver) Version() string { return "archive/5" }

// Resolve implements [citekit.Resolver] for a whole archive: it returns the bytes
// unchanged. Parts of an archive are members, which are opened first.
func (r *Resolver) Resolve(ctx context.Context, src *citekit.Source, req citekit.Request) (*citekit.Content, error) {
	l, err := r.list(ctx, src)
	if err != nil {
		return nil, err
	}
	if err := checkWhole(l, req.Location); err != nil {
		return nil, err
	}
	return &citekit.Content{
		Body: io.NopCloser(src.Reader()), Size: src.Size(), MediaType: l.kind.mediaType, Ext: l.kind.ext,
	}, nil
}

// checkWhole refuses locations other than the whole.
func checkWhole(l *listing, loc citekit.Location) error {
	if err := loc.Validate(); err != nil {
		return err
	}
	if !loc.IsWhole() && loc.Modality == citekit.Document {
		return fmt.Errorf("part of an archive is a member, which is opened by its name: %w", errors.ErrUnsupported)
	}
	return l.extent().Check(loc)
}

// Measure implements [citekit.Measurer] with the number of members that can be
// addressed, not counting folders.
func (r *Resolver) Measure(ctx context.Context, src *citekit.Source) (citekit.Extent, error) {
	l, err := r.list(ctx, src)
	if err != nil {
		return citekit.Extent{}, err
	}
	return l.extent(), nil
}

func (l *listing) extent() citekit.Extent {
	n := 0
	for _, e := range l.entries {
		if e.isMember() {
			n++
		}
	}
	return citekit.Extent{Modality: citekit.Document, Members: n, MediaType: l.kind.mediaType}
}

// OpenMember implements [citekit.MemberOpener]. A name that ends in "/" is a folder,
// which is opened as an archive of its files under their full names.
func (r *Resolver) OpenMember(ctx context.Context, src *citekit.Source, name string) (*citekit.Source, error) {
	l, err := r.list(ctx, src)
	if err != nil {
		return nil, err
	}
	if strings.HasSuffix(name, "/") {
		return r.openFolder(ctx, l, name)
	}
	e, err := l.find(name)
	if err != nil {
		return nil, err
	}
	return r.open(ctx, l, e)
}

// find returns the entry of a member.
func (l *listing) find(name string) (*entry, error) {
	e := l.byName[name]
	switch {
	case e == nil:
		return nil, member.Missing(name, l.names())
	case e.refusal != nil:
		return nil, e.refusal
	}
	return e, nil
}

// open opens a member, after comparing its checksum if it has one.
func (r *Resolver) open(ctx context.Context, l *listing, e *entry) (*citekit.Source, error) {
	if err := r.checkNotSide(ctx, l, e); err != nil {
		return nil, err
	}
	src, err := r.openUnchecked(ctx, l, e)
	if err != nil {
		return nil, err
	}
	if err := r.check(ctx, l, e); err != nil {
		src.Close()
		return nil, err
	}
	return src, nil
}

// openUnchecked opens a member without comparing its checksum. A SQLite database is
// opened with its write-ahead log, if that is in the archive too.
func (r *Resolver) openUnchecked(ctx context.Context, l *listing, e *entry) (*citekit.Source, error) {
	src, err := r.openAlone(ctx, e)
	if err == nil {
		l.note(e, src)
	}
	log := l.byName[e.name+"-wal"]
	if err != nil || log == nil || log.size == 0 || !l.isDB[e] {
		return src, err
	}
	m := mergedMember{database: src}
	if err = log.refusal; err == nil {
		m.log, err = r.openAlone(ctx, log)
	}
	if err == nil {
		m.Merged, err = sqlite.Merge(ctx, src, src.Size(), m.log, m.log.Size())
	}
	switch {
	case err != nil:
		m.Close()
		if errors.Is(err, sqlite.ErrDamaged) || errors.Is(err, sqlite.ErrLarge) {
			err = fmt.Errorf("%v: %w", err, citekit.ErrFormat)
		}
		return nil, known(ctx, fmt.Errorf("the write-ahead log of the database: %w", err))
	case m.Merged == nil:
		m.log.Close()
		return src, nil
	}
	return citekit.NewSource(m, citekit.SourceInfo{Name: src.Name(), Size: m.Size()}), nil
}

// note notes whether a member that was opened is a SQLite database.
func (l *listing) note(e *entry, content io.ReaderAt) {
	if l.isDB == nil {
		l.isDB = make(map[*entry]bool)
	}
	l.isDB[e] = sqlite.IsDatabase(content)
}

// checkNotSide returns an error if a member is a side file of a SQLite database in the
// archive, such as its write-ahead log. It reads the start of what has the name of the
// database, unless that was opened before.
func (r *Resolver) checkNotSide(ctx context.Context, l *listing, e *entry) error {
	name, ok := sqlite.CutSide(e.name)
	database := l.byName[name]
	if !ok || database == nil || !database.isMember() {
		return nil
	}
	if _, known := l.isDB[database]; !known {
		content, err := database.open(ctx)
		if err != nil {
			return ctx.Err()
		}
		defer content.Close()
		start, err := io.ReadAll(io.LimitReader(content, int64(sqlite.MagicSize)))
		if err != nil {
			return ctx.Err()
		}
		l.note(database, bytes.NewReader(start))
	}
	if l.isDB[database] {
		return errSide
	}
	return nil
}

// A mergedMember is a database with its write-ahead log.
type mergedMember struct {
	*sqlite.Merged
	database, log *citekit.Source
}

func (m mergedMember) Close() error {
	if m.log != nil {
		m.log.Close()
	}
	return m.database.Close()
}

// openAlone opens a member. A large uncompressed member is read in place, in the
// archive, without comparing its checksum. Others are unpacked.
func (r *Resolver) openAlone(ctx context.Context, e *entry) (*citekit.Source, error) {
	if in := e.inPlace(); in != nil && e.size > inPlaceFrom {
		return citekit.NewSource(in, citekit.SourceInfo{Name: path.Base(e.name), Size: e.size}), nil
	}
	content, err := e.open(ctx)
	if err != nil {
		return nil, known(ctx, err)
	}
	defer content.Close()
	src, err := r.unpacker().Source(ctx, e.name, content, e.size)
	return src, known(ctx, err)
}

// check compares the checksum of a member that is read in place. The result is cached
// for each version of the archive.
func (r *Resolver) check(ctx context.Context, l *listing, e *entry) error {
	if !l.hasSums || e.inPlace() == nil || e.size <= inPlaceFrom {
		return nil
	}
	r.setUp()
	load := func(ctx context.Context) (struct{}, int64, error) {
		content, err := e.open(ctx)
		if err == nil {
			defer content.Close()
			_, err = io.Copy(io.Discard, content)
		}
		return struct{}{}, 1, known(ctx, err)
	}
	key := ""
	if l.version != "" {
		key = ctxio.HashParts(l.version, e.name)
	}
	_, err := r.checked.Get(ctx, key, load)
	return err
}

const (
	inPlaceFrom = 4 << 20 // smallest member that is read in place, in bytes
	maxChecked  = 10_000  // members
)

func (r *Resolver) setUp() {
	r.once.Do(func() {
		r.copier.MaxBytes = r.maxMember()
		r.indexes.MaxCost = maxIndexes
		r.checked.MaxCost = maxChecked
	})
}

func (r *Resolver) maxMember() int64 { return cmp.Or(r.MaxMember, defaultMember) }

func (r *Resolver) unpacker() *member.Copier {
	r.setUp()
	return &r.copier
}
