package citekit

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// ResolveOptions are the options of one resolve. The zero value is ready to
// use.
type ResolveOptions struct {
	// Virtual asks for the address only: the source is not opened.
	Virtual bool

	// Mode says how time ranges are cut; "" means [ModeExact].
	Mode Mode

	// AllowStale resolves a source that has changed since it was mapped,
	// and marks the evidence Stale.
	AllowStale bool

	// Version pins the source, as [Address.Version] does: 8 to 64 leading
	// hex digits of its SHA-256, or "". It becomes part of the address.
	Version string
}

func (o *ResolveOptions) withDefaults() (ResolveOptions, error) {
	var opts ResolveOptions
	if o != nil {
		opts = *o
	}
	setDefault(&opts.Mode, ModeExact)
	if opts.Version != "" {
		version, err := parseVersion(opts.Version)
		if err != nil {
			return opts, err
		}
		opts.Version = version
	}
	switch opts.Mode {
	case ModeExact, ModeCopy, ModeStrict:
		return opts, nil
	}
	return opts, syntaxError("mode %s; it is one of exact, copy, strict", quoteShort(string(opts.Mode)))
}

// A target is what one resolve is about.
type target struct {
	address Address
	label   string      // names the part in the file name: the node id or the fragment
	node    *Node       // nil for an address that is not a node's
	m       *indexedMap // nil for a file without a map
	path    string      // of the source, as the map gives it
}

// String returns the address, or what stands in for one that has no meaning.
func (t target) String() string {
	if t.address.Location.Validate() != nil {
		return t.address.Resource + "." + t.label
	}
	return t.address.String()
}

// Resolve extracts what a node stands for and returns the evidence. Evidence
// that is already there is returned again. A nil opts means the defaults.
//
// The error is a [*ResolveError] wrapping a [*NotFoundError], or an error
// matching [ErrStale], [ErrForbidden], or one that [Resolver] names.
func (l *Library) Resolve(ctx context.Context, resourceID, nodeID string, opts *ResolveOptions) (*Evidence, error) {
	t, err := l.nodeTarget(ctx, resourceID, nodeID)
	if err != nil {
		return nil, &ResolveError{Op: "resolve", Address: resourceID + "." + nodeID, Err: err}
	}
	return l.resolve(ctx, t, opts)
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
	return target{address: m.Address(n), label: nodeID, node: n, m: m, path: m.SourcePath}, nil
}

// ResolveAddress is Resolve for an address, which need not be that of a node.
// Its resource must have a map, except for virtual addresses. If the address
// pins a version, another version is an error matching [ErrStale].
func (l *Library) ResolveAddress(ctx context.Context, a Address, opts *ResolveOptions) (*Evidence, error) {
	t := target{address: a, label: a.Fragment()}
	if a.Location.Modality != Virtual {
		m, err := l.load(ctx, a.Resource)
		if err != nil {
			return nil, &ResolveError{Op: "resolve", Address: a.String(), Err: err}
		}
		t.m, t.path = m, m.SourcePath
	}
	return l.resolve(ctx, t, opts)
}

// ResolveFile is Resolve for part of a file that has no map. The path is
// opened as one in a map is. The modality of loc may be empty: it is then
// told from the selector and the content. The resource id of the evidence is
// the file name without its extension.
func (l *Library) ResolveFile(ctx context.Context, path string, loc Location, opts *ResolveOptions) (*Evidence, error) {
	a := Address{Resource: ResourceIDFor(path), Location: loc}
	if loc.Modality == "" {
		modality, err := l.detect(ctx, path, loc)
		if err != nil {
			return nil, &ResolveError{Op: "open", Address: a.Resource, Err: err}
		}
		a.Location.Modality = modality
	}
	return l.resolve(ctx, target{address: a, label: a.Fragment(), path: path}, opts)
}

// ResourceIDFor returns a resource id made from the name of a file: its base
// name without the extension, without what ids must not have.
func ResourceIDFor(name string) string {
	base := path.Base(filepath.ToSlash(name))
	id := strings.TrimSuffix(base, path.Ext(base))
	if id == "" {
		id = base
	}
	id = strings.Map(func(r rune) rune {
		if r == '\\' || r == '/' || !isPlainText(string(r)) {
			return '_'
		}
		return r
	}, strings.ToValidUTF8(id, "_"))
	if len(id) > maxResourceID {
		id = strings.ToValidUTF8(id[:maxResourceID], "")
	}
	if CheckResourceID(id) != nil {
		return "file"
	}
	return id
}

// detect tells the modality of a file from the location that is asked for and
// the content.
func (l *Library) detect(ctx context.Context, path string, loc Location) (Modality, error) {
	src, err := l.openSource(ctx, path)
	if err != nil {
		return "", err
	}
	defer src.Close()
	modality, err := DetectModality(src)
	if err != nil {
		return "", err
	}
	if modality != Video && loc.Time.IsZero() {
		return modality, nil
	}
	// A container for video need not hold any, and a recording may begin with
	// anything. Who can measure it knows.
	for _, timed := range []Modality{Video, Audio} {
		if _, err := l.measure(ctx, timed, src); err == nil {
			return timed, nil
		}
		if err := ctx.Err(); err != nil {
			return "", err
		}
	}
	if modality != Video && modality != Audio {
		return "", fmt.Errorf("a time in a %s source: %w", modality, errors.ErrUnsupported)
	}
	return modality, nil
}

// resolve does the part that is the same for every target.
func (l *Library) resolve(ctx context.Context, t target, opts *ResolveOptions) (*Evidence, error) {
	e, err := l.resolveTarget(ctx, t, opts)
	if err != nil {
		return nil, &ResolveError{Op: "resolve", Address: t.String(), Err: err}
	}
	return e, nil
}

func (l *Library) resolveTarget(ctx context.Context, t target, options *ResolveOptions) (*Evidence, error) {
	opts, err := options.withDefaults()
	if err != nil {
		return nil, err
	}
	if err := t.address.Location.Validate(); err != nil {
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
	if opts.Virtual || e.Modality == Virtual {
		return e, nil
	}
	return l.extract(ctx, t, opts, e)
}

// extract fills e from stored evidence, making it first if there is none.
func (l *Library) extract(ctx context.Context, t target, opts ResolveOptions, e *Evidence) (*Evidence, error) {
	resolver, err := l.resolver(e.Modality)
	if err != nil {
		return nil, err
	}
	src, err := l.openSource(ctx, t.path)
	if err != nil {
		return nil, err
	}
	defer src.Close()
	if e.Stale, err = l.checkFresh(ctx, t, src, opts.AllowStale); err != nil {
		return nil, err
	}
	key := evidenceKey(t, src, versionOf(resolver), opts.Mode)
	stored, cached, err := l.evidence(ctx, key, t, src, resolver, opts.Mode)
	if err != nil {
		return nil, err
	}
	e.OutputPath, e.Cached = stored.Path, cached
	e.MediaType, e.Charset, e.Actual = stored.MediaType, stored.Charset, stored.Actual
	e.Size, e.SHA256 = stored.Size, stored.SHA256
	e.SourceHash = src.KnownHash()
	return e, nil
}

func versionOf(r Resolver) string {
	if v, ok := r.(Versioner); ok {
		return v.Version()
	}
	return fmt.Sprintf("%T", r)
}

func (l *Library) openSource(ctx context.Context, path string) (*Source, error) {
	src, err := l.workspace.OpenSource(ctx, path)
	if errors.Is(err, fs.ErrPermission) && !errors.Is(err, ErrForbidden) {
		return nil, fmt.Errorf("the source may not be read by this program: %w", ErrForbidden)
	}
	if err != nil {
		return nil, hidePath(err)
	}
	if src.KnownHash() == "" && src.Size() <= l.opts.HashLimit {
		if _, err := src.Hash(ctx); err != nil {
			src.Close()
			return nil, hidePath(err)
		}
	}
	return src, nil
}

// evidence returns what is stored under key, or makes and stores it. Callers
// that want the same at the same time wait for one extraction.
func (l *Library) evidence(ctx context.Context, key string, t target, src *Source, r Resolver, mode Mode) (stored *StoredEvidence, cached bool, err error) {
	flight := key
	if src.Version() == "" { // nothing tells this version from others
		flight = ""
	} else if stored, err = l.workspace.FindEvidence(ctx, key); err == nil {
		return stored, true, nil
	} else if !errors.Is(err, fs.ErrNotExist) {
		return nil, false, hidePath(err)
	}
	stored, err = l.flights.Get(ctx, flight, func(ctx context.Context) (*StoredEvidence, int64, error) {
		stored, err := l.makeEvidence(ctx, key, t, src, r, mode)
		return stored, 1, err
	})
	return stored, false, err
}

// limited calls f with a context that ends after ExtractTimeout, when no more
// than MaxExtractions others are running. A resolver that panics on one bad
// source must not end a server: it is an error.
func (l *Library) limited(ctx context.Context, modality Modality, f func(context.Context) error) (err error) {
	select {
	case l.extracting <- struct{}{}:
		defer func() { <-l.extracting }()
	case <-ctx.Done():
		return ctx.Err()
	}
	limited, cancel := context.WithTimeout(ctx, l.opts.ExtractTimeout)
	defer cancel()
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the %s resolver failed on this source: %v", modality, p)
		}
	}()
	err = f(limited)
	if err != nil && limited.Err() != nil && ctx.Err() == nil {
		// Not the caller's deadline, so others who wait for this need not try.
		return fmt.Errorf("not done after %v: %w", l.opts.ExtractTimeout, os.ErrDeadlineExceeded)
	}
	return err
}

// makeEvidence extracts and stores, within the limits of the Library.
func (l *Library) makeEvidence(ctx context.Context, key string, t target, src *Source, r Resolver, mode Mode) (stored *StoredEvidence, err error) {
	err = l.limited(ctx, t.address.Location.Modality, func(ctx context.Context) error {
		stored, err = l.extractTo(ctx, key, t, src, r, mode)
		return err
	})
	return stored, err
}

func (l *Library) extractTo(ctx context.Context, key string, t target, src *Source, r Resolver, mode Mode) (*StoredEvidence, error) {
	extract, err := r.Resolve(ctx, src, Request{Location: t.address.Location, Mode: mode})
	if err != nil {
		return nil, hidePath(err)
	}
	if extract.Body == nil {
		return nil, errors.New("the resolver returned no content")
	}
	defer extract.Body.Close()
	meta := EvidenceMeta{
		Name:       evidenceName(t, key, extract.Ext),
		Size:       extract.Size,
		MediaType:  extract.MediaType,
		Charset:    extract.Charset,
		Actual:     extract.Actual,
		SourceHash: src.KnownHash(),
	}
	stored, err := l.workspace.StoreEvidence(ctx, key, meta, &checkedBody{ctx, extract.Body, src})
	return stored, hidePath(err)
}

// A checkedBody reads an extract, fails once ctx is done, and ends only if the
// source is still what it was: else what was read may be of two versions.
type checkedBody struct {
	ctx  context.Context
	body io.Reader
	src  *Source
}

func (b *checkedBody) Read(p []byte) (int, error) {
	if err := b.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := b.body.Read(p)
	if err == io.EOF {
		if changed := b.src.CheckUnchanged(); changed != nil {
			return n, changed
		}
	}
	return n, err
}
