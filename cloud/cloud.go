// Package cloud is a workspace for many machines: what must agree is in PostgreSQL,
// and bytes are in an object store. Open one with [Open].
//
// # What is where
//
// A schema of the database has a row for each map, note, piece of evidence and lease.
// The bytes of evidence of more than 32 KiB are objects of the bucket. An object is
// written once, under a random key, and its row decides whether it counts. Small ones are
// written at the same time as the row, which counts once its object is there; others
// before it. An object stays for a day after the row has gone, so that who has opened it
// can read on. [Workspace.Sweep] then deletes it.
//
// # What agrees
//
// Each version of a map or a note has a number that no other has. Whoever replaces a
// version names it, and of several that name the same, one succeeds, in any process.
// A lease, such as that of [Workspace.LockIngest], ends half a minute after its holder
// has renewed it for the last time, by the clock of the database; that of evidence, which
// one process makes for all, after six seconds.
//
// # Faults
//
// A call that the database or the bucket did not take is made again some times. What
// then fails has an error with the method StorageFault, which names neither hosts nor
// accounts. If the connection broke after a change was sent, the error matches
// [ErrUnknown].
package cloud

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/cloud/internal/blockcache"
	"github.com/citekit/citekit/cloud/internal/sources"
	"github.com/citekit/citekit/cloud/jobs"
	"github.com/citekit/citekit/cloud/s3"
	"github.com/citekit/citekit/internal/concurrent"
	"github.com/citekit/citekit/workspace"
	"github.com/citekit/citekit/workspace/driver"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Options are the options of [Open]. The zero value is ready to use.
type Options struct {
	// Bucket keeps the bytes of evidence, instead of the bucket of the URL.
	// [Workspace.Close] closes it.
	Bucket driver.Bucket

	// Sources are the files that maps are made of, instead of those of the URL. A
	// *[workspace.Directory] has those of a folder, and [workspace.NewMemory] those of
	// an [io/fs.FS]. Nil means those of the URL, or none.
	Sources Sources

	// Attempts is how often a call is made that the database did not take; zero means 7.
	// The wait between two doubles, from a twentieth of a second to one second.
	Attempts int

	// ReadOnly changes nothing. If there is no workspace yet, the error of Open matches
	// [fs.ErrNotExist]; it is also an error if the bucket or the sources cannot be listed.
	ReadOnly bool

	// MaxConns is the most connections to the database at a time, beside one that hears
	// of changes; zero means 16.
	MaxConns int
}

// Sources are the files that maps are made of.
type Sources interface {
	OpenSource(ctx context.Context, path string) (*citekit.Source, error)
	Find(ctx context.Context, req workspace.FindRequest) iter.Seq2[workspace.Candidate, error]
}

// A Workspace is a [citekit.Workspace] in PostgreSQL and a bucket. Make one with
// [Open]. It is safe for concurrent use, also by other processes over the same schema
// and bucket.
type Workspace struct {
	pool     *pgxpool.Pool
	schema   string
	id       string // of the store, in the keys of its objects
	attempts int
	known    int  // the last migration that is known
	readOnly bool // see Options

	place     string      // bucket and prefix of the sources; "" if they are not of the URL
	movedFrom []string    // see Open
	marked    atomic.Bool // the bucket is known to have the mark of the store

	tagsAreSums atomic.Bool // the bucket's ETags are MD5, so that they are known before they are there

	bucket  driver.Bucket
	cache   *blockcache.Cache // nil means none
	sources Sources

	ingesting chan struct{}  // capacity 1: held by whoever ingests in this process
	leases    sync.WaitGroup // of evidence, until they are given up
	held      holdings
	recent    concurrent.Cache[found] // evidence without what is in its row, as it was last
	opened    concurrent.Cache[openedEvidence]
	stock     stock
	warmed    atomic.Bool
	notices   notices
	feed      mapFeed
	gauge     jobs.Gauge

	hits, misses     atomic.Int64
	failures, faults atomic.Int64 // of calls of the database
	sourceStore      *s3.Bucket   // of the URL; or nil

	closeSources func() error // nil for sources of others
	close        func() error
}

var (
	_ citekit.Workspace        = (*Workspace)(nil)
	_ citekit.EvidenceOpener   = (*Workspace)(nil)
	_ workspace.Finder         = (*Workspace)(nil)
	_ workspace.Deleter        = (*Workspace)(nil)
	_ workspace.EvidenceLeaser = (*Workspace)(nil)
)

// Open opens the workspace of a URL, such as
//
//	pg://USER@HOST:PORT/DATABASE?schema=NAME&bucket=s3://BUCKET/PREFIX
//
// The tables are in the schema, "citekit" if none is given. Open makes it, or adds
// what this version needs; processes of earlier versions may run on meanwhile. The
// values of the query are escaped, as any value of a query is; bucket is a URL as
// package s3 takes it. cache=DIR is a folder of this machine that keeps parts of
// objects, of at most cache_bytes=N bytes; all processes of the machine may share it.
// sources=s3://BUCKET/PREFIX are the files that maps are made of; they need a cache.
// sslmode and sslrootcert are those of PostgreSQL.
//
// It is an error if a schema that has maps or objects is opened with other sources, with
// another bucket, or from a copy of the database. If one of them was moved, moved_from
// has what the error says.
//
// What the URL does not say comes from the variables of PostgreSQL, such as PGHOST.
// Passwords come from there alone: PGPASSWORD, the file of PGPASSFILE, or a service
// file; a URL with a password is an error. The bucket's keys come from where package
// s3 says.
//
// A nil opts means the defaults.
func Open(ctx context.Context, url string, opts *Options) (*Workspace, error) {
	if opts == nil {
		opts = new(Options)
	}
	p, err := parse(url)
	if err != nil {
		return nil, err
	}
	w := newWorkspace(p, opts)
	if err := w.open(ctx, p, opts); err != nil {
		if opts.Bucket != nil {
			w.bucket = nil // it stays open
		}
		return nil, errors.Join(err, w.Close())
	}
	return w, nil
}

func newWorkspace(p place, opts *Options) *Workspace {
	w := &Workspace{
		schema: p.schema, attempts: cmp.Or(opts.Attempts, defaultAttempts), known: migrated,
		readOnly: opts.ReadOnly, movedFrom: p.movedFrom,
		bucket: opts.Bucket, sources: opts.Sources, ingesting: make(chan struct{}, 1),
		recent: concurrent.Cache[found]{MaxCost: maxRecent}, opened: concurrent.Cache[openedEvidence]{MaxCost: maxOpened},
	}
	w.notices.init(w)
	w.feed.known.versions.MaxCost = maxKnown
	w.stock.w = w
	w.close = sync.OnceValue(w.closeAll)
	return w
}

func (w *Workspace) open(ctx context.Context, p place, opts *Options) (err error) {
	if w.bucket == nil {
		if p.bucket == "" {
			return errors.New("the URL of the workspace has no bucket: add bucket=s3://BUCKET/PREFIX")
		}
		if w.bucket, err = s3.Open(p.bucket, nil); err != nil {
			return err
		}
	}
	if p.cache != "" {
		if w.cache, err = blockcache.Open(p.cache, &blockcache.Options{MaxBytes: p.cacheBytes}); err != nil {
			return err
		}
	}
	if w.sources == nil {
		if err := w.openSources(p.sources); err != nil {
			return err
		}
	}
	if err := w.checkApart(); err != nil {
		return err
	}
	p.config.MaxConns = int32(cmp.Or(opts.MaxConns, defaultConns))
	if err := w.connect(ctx, p); err != nil {
		return err
	}
	if err = w.migrate(ctx); err == nil {
		err = w.bind(ctx)
	}
	if w.readOnly {
		err = cmp.Or(w.look(ctx), err)
	}
	if err != nil {
		return fmt.Errorf("open the workspace: %w", err)
	}
	return nil
}

func (w *Workspace) connect(ctx context.Context, p place) (err error) {
	if w.readOnly {
		p.config.AfterConnect = func(ctx context.Context, conn *pgx.Conn) error {
			_, err := conn.Exec(ctx, `SET default_transaction_read_only = on`)
			return err
		}
	}
	if w.pool, err = pgxpool.NewWithConfig(context.WithoutCancel(ctx), p.config); err != nil {
		return &storeError{databaseFault, err}
	}
	return nil
}

// look asks for something of the bucket and of the sources.
func (w *Workspace) look(ctx context.Context) error {
	_, err := w.bucket.List(ctx, driver.ListOptions{Limit: 1})
	if err != nil {
		return cmp.Or(ctx.Err(), error(&storeError{bucketFault, err}))
	}
	if in, ok := w.sources.(*sources.Bucket); ok {
		return in.Look(ctx)
	}
	return nil
}

// noSources are those of a URL that names none. A source is not missing there: nobody
// knows.
type noSources struct{}

var errNoSources = &storeError{"the workspace has no sources", errors.New("add sources=s3://BUCKET/PREFIX to its URL")}

func (noSources) OpenSource(context.Context, string) (*citekit.Source, error) {
	return nil, errNoSources
}

func (noSources) Find(context.Context, workspace.FindRequest) iter.Seq2[workspace.Candidate, error] {
	return func(yield func(workspace.Candidate, error) bool) { yield(workspace.Candidate{}, errNoSources) }
}

// openSources opens the sources of a URL.
func (w *Workspace) openSources(url string) error {
	if url == "" {
		w.sources = noSources{}
		return nil
	}
	if w.cache == nil {
		return errors.New("sources in a bucket are read through a folder of this machine: add cache=DIR to the URL of the workspace")
	}
	store, err := s3.Open(url, &s3.Options{AnyKey: true})
	if err != nil {
		return err
	}
	_, w.place, _ = strings.Cut(store.Place(), "/") // any server may have the bucket
	in := sources.New(store, w.cache, &sources.Options{Name: store.Place(), Hashes: sources.NoteHashes(w), Evidence: asides{w}})
	w.sources, w.closeSources, w.sourceStore = in, in.Close, store
	return nil
}

// NoteLatency returns how long a search may go without looking whether another process
// has changed the index or the maps.
func (w *Workspace) NoteLatency() time.Duration { return 500 * time.Millisecond }

// Close implements [citekit.Workspace]. It closes the bucket.
func (w *Workspace) Close() error { return w.close() }

func (w *Workspace) closeAll() (err error) {
	w.notices.close()
	w.leases.Wait()
	w.stock.filling.Wait()
	if w.pool != nil {
		w.pool.Close()
	}
	if w.closeSources != nil {
		err = w.closeSources()
	}
	if w.cache != nil {
		w.cache.Close()
	}
	if w.bucket != nil {
		err = errors.Join(err, w.bucket.Close())
	}
	return err
}

// OpenSource implements [citekit.Workspace].
func (w *Workspace) OpenSource(ctx context.Context, path string) (*citekit.Source, error) {
	return w.sources.OpenSource(ctx, path)
}

// Find implements [workspace.Finder].
func (w *Workspace) Find(ctx context.Context, req workspace.FindRequest) iter.Seq2[workspace.Candidate, error] {
	return w.sources.Find(ctx, req)
}

// ReadOnce has this process read small sources without keeping them on disk: most are read
// once or twice, as by a worker.
func (w *Workspace) ReadOnce() {
	if in, ok := w.sources.(*sources.Bucket); ok {
		in.ReadOnce()
	}
}

// A lister walks sources from a path on.
type lister interface {
	FindAfter(ctx context.Context, folder, after string) iter.Seq2[workspace.Candidate, error]
}

// Lists implements [jobs.Lister]: whether the sources are those of a bucket.
func (w *Workspace) Lists() bool {
	_, ok := w.sources.(lister)
	return ok
}

// FindAfter yields the sources below a folder whose paths are greater than after, in the
// order of their bytes; "." is the folder of all. It is of use if [Workspace.Lists].
func (w *Workspace) FindAfter(ctx context.Context, folder, after string) iter.Seq2[workspace.Candidate, error] {
	if l, ok := w.sources.(lister); ok {
		return l.FindAfter(ctx, folder, after)
	}
	return func(yield func(workspace.Candidate, error) bool) { yield(workspace.Candidate{}, errors.ErrUnsupported) }
}

// Sources returns the files that maps are made of, whose type may have further methods.
func (w *Workspace) Sources() Sources { return w.sources }

// SourceStamp returns a value that changes whenever the source at a path may have
// changed, or "" if that is not known.
func (w *Workspace) SourceStamp(ctx context.Context, path string) string {
	if s, ok := w.sources.(interface {
		SourceStamp(ctx context.Context, path string) string
	}); ok {
		return s.SourceStamp(ctx, path)
	}
	return ""
}

// EvidenceUse returns how often evidence was looked up with
// [Workspace.FindEvidence] and found, and how often it was missing, since the
// workspace was opened.
func (w *Workspace) EvidenceUse() (hits, misses int64) { return w.hits.Load(), w.misses.Load() }

// defaultConns is what Options.MaxConns is if it is not set: writes that wait for the
// disk at the same time wait once.
const defaultConns = 16

// deletedAfter is how long the bytes of evidence stay that no row refers to.
const deletedAfter = 24 * time.Hour

type closer struct {
	io.ReadSeeker
	close func() error
}

func (c closer) Close() error { return c.close() }
