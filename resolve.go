package citekit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/citekit/citekit/internal/about"
	"github.com/citekit/citekit/internal/concurrent"
	"github.com/citekit/citekit/internal/ctxio"
	"github.com/citekit/citekit/internal/localfile"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/plain"
	form "github.com/citekit/citekit/internal/selector"
)

// ResolveOptions are the options of one resolve. The zero value is ready to use.
type ResolveOptions struct {
	// Virtual returns only the address and makes no evidence. It does not check that
	// the source has that place, or that it is unchanged since it was mapped. It opens
	// the source only to find a modality: if the address and the map have different
	// ones, or of a member that the map does not describe.
	Virtual bool

	// Mode says how time ranges are cut; "" means [ModeExact].
	Mode Mode

	// Doubt makes [Library.ResolveFile] check that the file looks like the modality of
	// its location before it is read as such. Without it, a request for lines reads any
	// file as text.
	Doubt bool

	// AllowStale resolves a source that has changed since it was mapped, and marks the
	// evidence Stale.
	AllowStale bool

	// Version pins the source, as Address.Version does: 8 to 64 leading hex digits of
	// its SHA-256, or "". It becomes part of the address of the evidence.
	Version string
}

func (o *ResolveOptions) withDefaults() (ResolveOptions, error) {
	var opts ResolveOptions
	if o != nil {
		opts = *o
	}
	opts.Mode = cmp.Or(opts.Mode, ModeExact)
	if opts.Version = strings.ToLower(opts.Version); opts.Version != "" {
		if err := form.CheckVersion(opts.Version); err != nil {
			return opts, asSyntax(err)
		}
	}
	switch opts.Mode {
	case ModeExact, ModeCopy, ModeStrict:
		return opts, nil
	}
	return opts, syntaxError("mode %s; it is one of exact, copy, strict", message.Quote(string(opts.Mode)))
}

// A target is what one resolve is about.
type target struct {
	address Address
	label   string      // names the part in the file name: the node id or the fragment
	node    *Node       // nil for an address that is not a node's
	m       *indexedMap // nil for a file without a map
	path    string      // of the source, as the map gives it

	declared Modality // the modality given for the source, or ""
}

// failed returns err with the address of the target.
func (t target) failed(op string, err error) error {
	e := &ResolveError{Op: op, Address: t.address, Err: err}
	if t.address.Validate() != nil && t.label != t.address.Fragment() {
		e.Node = t.label
	}
	return e
}

// Resolve extracts the part of the source that a node describes and returns the
// evidence. If the evidence exists already, it is returned again. A nil opts means the
// defaults.
//
// The error is a [*ResolveError]. It wraps a [*NotFoundError], an error matching
// [ErrSyntax], [ErrStale], [ErrForbidden] or [ErrNotStored], or an error that
// [Resolver] names.
func (l *Library) Resolve(ctx context.Context, resourceID, nodeID string, opts *ResolveOptions) (*Evidence, error) {
	return l.ahead(ctx, resourceID, func(ctx context.Context) (*Evidence, error) {
		t, err := l.nodeTarget(ctx, resourceID, nodeID)
		if err != nil {
			return nil, &ResolveError{Op: "resolve", Address: Address{Resource: resourceID}, Node: nodeID, Err: err}
		}
		return l.resolve(ctx, t, opts)
	})
}

func (l *Library) nodeTarget(ctx context.Context, resourceID, nodeID string) (target, error) {
	m, err := l.load(ctx, resourceID)
	if err != nil {
		return target{}, err
	}
	n, err := m.node(nodeID)
	if err != nil {
		return target{}, err
	}
	return target{address: m.Address(n), label: nodeID, node: n, m: m, path: m.SourcePath, declared: m.Type}, nil
}

// ResolveAddress is like [Library.Resolve] for an address, which need not be the
// address of a node. Its resource must have a map, unless the address is virtual. An
// empty modality means that of the resource. If the address pins a version and the
// source has another, the error matches [ErrStale].
func (l *Library) ResolveAddress(ctx context.Context, a Address, opts *ResolveOptions) (*Evidence, error) {
	return l.ahead(ctx, a.Resource, func(ctx context.Context) (*Evidence, error) { return l.resolveAddress(ctx, a, opts) })
}

func (l *Library) resolveAddress(ctx context.Context, a Address, opts *ResolveOptions) (*Evidence, error) {
	t := target{address: a, label: a.Fragment()}
	if a.Location.Modality != Virtual {
		m, err := l.mapFor(ctx, a, opts != nil && opts.Virtual)
		if err != nil {
			return nil, &ResolveError{Op: "resolve", Address: a, Err: err}
		}
		t.m, t.path, t.declared = m, m.SourcePath, m.Type
		if a.Location.Member == "" {
			t.address.Location.Modality = cmp.Or(a.Location.Modality, m.modality())
		} else if err := l.fillMember(ctx, &t); err != nil {
			return nil, t.failed("open", err)
		}
	}
	return l.resolve(ctx, t, opts)
}

// mapFor returns the map that an address is one of. Unless only the address is wanted,
// the map and the Library must know its modality.
func (l *Library) mapFor(ctx context.Context, a Address, virtual bool) (*indexedMap, error) {
	var unknown error
	if !virtual && a.Location.Modality.Valid() {
		_, unknown = l.Resolver(a.Location.Modality)
	}
	m, err := l.load(ctx, a.Resource)
	switch {
	case err != nil:
		return nil, cmp.Or(unknown, err)
	case virtual:
		return m, nil
	}
	return m, cmp.Or(m.checkScheme(a), unknown)
}

// ResolveFile is like [Library.Resolve] for part of a file that has no map. It opens
// the path in the same way as the source path of a map. If the modality of loc is
// empty, [Library.Detect] finds that of the file. Otherwise the modality of loc is
// trusted, even if the file looks like something else, unless [ResolveOptions].Doubt is
// set. The resource id of the evidence is made from the file name, as
// ingest.ResourceIDFor makes it: "Smith (2020).pdf" gives "smith-2020".
func (l *Library) ResolveFile(ctx context.Context, path string, loc Location, opts *ResolveOptions) (*Evidence, error) {
	e, err := l.resolveFile(ctx, path, loc, opts)
	var failed *ResolveError
	if errors.As(err, &failed) {
		failed.file = path
	}
	return e, err
}

func (l *Library) resolveFile(ctx context.Context, path string, loc Location, opts *ResolveOptions) (*Evidence, error) {
	a := Address{Resource: plain.SlugForFile(filepath.ToSlash(path)), Location: loc}
	if loc.Member != "" {
		t := target{address: a, label: a.Fragment(), path: path} // the member tells its modality, the file its own
		if err := l.fillMember(ctx, &t); err != nil {
			return nil, t.failed("open", err)
		}
		return l.resolve(ctx, t, opts)
	}
	if loc.Modality == "" {
		var err error
		if a.Location.Modality, _, err = l.detectFile(ctx, path); err != nil {
			return nil, &ResolveError{Op: "open", Address: Address{Resource: a.Resource}, Err: err}
		}
	}
	t := target{address: a, label: a.Fragment(), path: path, declared: loc.Modality}
	doubt := opts != nil && opts.Doubt
	if doubt {
		t.declared = ""
	}
	if doubt && opts.Virtual {
		if err := l.misread(ctx, t, true); err != nil {
			return nil, &ResolveError{Op: "resolve", Address: Address{Resource: a.Resource}, Err: err}
		}
	}
	e, err := l.resolve(ctx, t, opts)
	if err == nil || !doubt && loc.Modality != "" {
		return e, err
	}
	if errors.Is(err, ErrFormat) || a.Location.foreignSelector() != "" {
		if wrong := l.misread(ctx, t, false); wrong != nil {
			return nil, &ResolveError{Op: "resolve", Address: Address{Resource: a.Resource}, Err: wrong}
		}
	}
	return e, err
}

// resolve does the part that is the same for every target.
func (l *Library) resolve(ctx context.Context, t target, opts *ResolveOptions) (*Evidence, error) {
	e, err := l.resolveTarget(ctx, t, opts)
	if err != nil {
		return nil, t.failed("resolve", err)
	}
	return e, nil
}

func (l *Library) resolveTarget(ctx context.Context, t target, options *ResolveOptions) (*Evidence, error) {
	opts, err := options.withDefaults()
	if err != nil {
		return nil, err
	}
	if err := t.address.Validate(); err != nil {
		return nil, err
	}
	if opts.Version != "" {
		if pinned := t.address.Version; pinned != "" && pinned != opts.Version {
			return nil, syntaxError("version %s; the address pins %s", opts.Version, pinned)
		}
		t.address.Version = opts.Version
	}
	e := &Evidence{
		Modality:   t.address.Location.Modality,
		Address:    t.address,
		Node:       t.node,
		ResourceID: t.address.Resource,
	}
	if e.Modality == Virtual {
		return e, nil
	}
	if opts.Virtual {
		return e, l.checkVirtual(ctx, t)
	}
	return l.extract(ctx, t, opts, e)
}

// extract fills e from stored evidence, making it first if there is none.
func (l *Library) extract(ctx context.Context, t target, opts ResolveOptions, e *Evidence) (*Evidence, error) {
	resolver, err := l.Resolver(e.Modality)
	if err != nil {
		return nil, err
	}
	open := sync.OnceValues(func() (src *Source, err error) {
		src, e.Stale, err = l.openFresh(ctx, t, opts.AllowStale)
		return src, err
	})
	defer func() {
		if src, _ := open(); src != nil {
			src.Close()
		}
	}()
	version := l.resolvers.Version(e.Modality)
	if e.Address.Location.Member != "" {
		version += "," + l.resolvers.openerVersions()
	}
	find := func(ctx context.Context, was seen) (key string, stored *StoredEvidence, err error) {
		key = evidenceKey(t, was, version, opts.Mode)
		stored, e.Cached, err = l.evidence(ctx, key, func(ctx context.Context) (*StoredEvidence, error) {
			src, err := open()
			if err != nil || (seen{src.Version(), src.Name()}) != was {
				return nil, cmp.Or(err, context.Canceled)
			}
			return l.makeEvidence(ctx, key, t, src, resolver, opts.Mode)
		})
		return key, stored, err
	}
	var stored *StoredEvidence
	var failed error
	var last *seen
	if t.m != nil && l.leaser != nil {
		last = t.m.last.Load()
	}
	if last != nil { // it is found while the source is opened
		concurrent.Guess(ctx, func() bool {
			src, err := open()
			return err == nil && *last == seen{src.Version(), src.Name()}
		}, func(ctx context.Context) { e.Key, stored, failed = find(ctx, *last) })
	}
	src, err := open()
	if err != nil {
		return nil, err
	}
	now := seen{src.Version(), src.Name()}
	if last == nil || *last != now {
		e.Key, stored, failed = find(ctx, now)
	}
	if failed != nil {
		return nil, failed
	}
	if t.m != nil {
		t.m.last.Store(&now)
	}
	e.OutputPath, e.Name = stored.Path, stored.Name
	e.MediaType, e.Charset, e.CharsetGuessed, e.Actual = stored.MediaType, stored.Charset, stored.Guessed, stored.Actual
	e.Changes, e.Size, e.SHA256, e.SourceHash = stored.Changes, stored.Size, stored.SHA256, src.KnownHash()
	return e, nil
}

// errUnreadable reports a source that the system keeps from this program. It matches
// [ErrForbidden], but not because of the roots.
var errUnreadable = saying{"permission denied: this program may not read the source", ErrForbidden}

// OpenSource opens the file at a path as it stands in a map: relative to the base
// directory of the workspace, or absolute. It hashes a small file, see
// Options.HashLimit. The errors are those of [Workspace], without the path. The caller
// closes the source.
func (l *Library) OpenSource(ctx context.Context, path string) (*Source, error) {
	if key, ok := about.TranscriptKey(path); ok {
		return l.openTranscript(ctx, key)
	}
	src, err := l.workspace.OpenSource(ctx, path)
	if errors.Is(err, fs.ErrPermission) && !errors.Is(err, ErrForbidden) {
		return nil, errUnreadable
	}
	if err != nil {
		return nil, localfile.WithoutPath(err)
	}
	if src.KnownHash() == "" && src.Size() <= l.opts.HashLimit {
		if _, err := src.Hash(ctx); err != nil {
			src.Close()
			return nil, localfile.WithoutPath(err)
		}
	}
	return src, nil
}

// openTranscript opens what package ingest has a machine write down of a recording.
func (l *Library) openTranscript(ctx context.Context, key string) (*Source, error) {
	opener, ok := l.workspace.(EvidenceOpener)
	if !ok {
		return nil, fmt.Errorf("this workspace cannot open what it keeps: %w", errors.ErrUnsupported)
	}
	body, stored, err := opener.OpenEvidence(ctx, key)
	if errors.Is(err, fs.ErrNotExist) {
		err = saying{"it is not kept any more; map the recording again with a transcriber", fs.ErrNotExist}
	}
	if err != nil {
		return nil, localfile.WithoutPath(err)
	}
	data, err := about.ReadTranscript(body, stored.Name, ErrForbidden)
	return NewSource(strings.NewReader(data), SourceInfo{Name: stored.Name, Size: int64(len(data)), Hash: stored.SHA256}), localfile.WithoutPath(err)
}

// WithSlot waits for a slot of the modality, and for one of Options.Extractions, and
// then calls f with a context that ends after Options.ExtractTimeout. At most
// Options.MaxExtractions calls for one modality run at a time. If f does not return in
// time, the error matches [os.ErrDeadlineExceeded]. If f panics, WithSlot returns an
// error, so that one bad source does not end a server. f must not call WithSlot.
func (l *Library) WithSlot(ctx context.Context, modality Modality, f func(context.Context) error) error {
	ctxio.Fresh(ctx)
	return l.withSlot(ctx, modality, f)
}

// withSlot is WithSlot for what only looks at a source, such as measuring it.
func (l *Library) withSlot(ctx context.Context, modality Modality, f func(context.Context) error) error {
	release, err := l.acquireSlot(ctx, modality)
	if err != nil {
		return err
	}
	defer release()
	return l.bounded(ctx, modality, f)
}

// acquireSlot waits until an extraction may run. One that waits for others of its
// modality takes no slot of all.
func (l *Library) acquireSlot(ctx context.Context, modality Modality) (release func(), err error) {
	own, err := l.slots.Acquire(ctx, modality)
	if err != nil {
		return nil, err
	}
	shared, err := l.opts.Extractions.acquire(ctx, modality)
	if err != nil {
		own()
		return nil, err
	}
	return func() {
		shared()
		own()
	}, nil
}

// bounded is WithSlot for a caller that has a slot.
func (l *Library) bounded(ctx context.Context, modality Modality, f func(context.Context) error) error {
	defer ctxio.Time(ctx, ctxio.PhaseExtract)()
	limited, cancel := context.WithTimeout(ctx, l.opts.ExtractTimeout)
	defer cancel()
	err := concurrent.Call(func() error { return f(limited) }, panicked(modality))
	if err != nil && limited.Err() != nil && ctx.Err() == nil {
		// Not the caller's deadline, so others who wait for this need not try.
		return fmt.Errorf("not done after %v: %w", l.opts.ExtractTimeout, os.ErrDeadlineExceeded)
	}
	return err
}

// panicked returns what makes an error of what a resolver panicked with.
func panicked(modality Modality) func(any) error {
	return func(p any) error { return fmt.Errorf("the %s resolver failed on this source: %v", modality, p) }
}
