package textlayer

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/about"
	"github.com/citekit/citekit/internal/localfile"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/plain"
)

// Open returns the text of a resource. It reads the text from the source if
// that was not done before. If the source or its transcript has changed since
// the source was mapped, the error matches [citekit.ErrStale]; for a modality
// without text, it matches [errors.ErrUnsupported]; [HasNoText] tells that from a
// modality without a resolver. Other errors are those of
// [citekit.TextReader], in a [*citekit.ResolveError]. The caller must close the
// layer.
func (s *Store) Open(ctx context.Context, resourceID string) (*Layer, error) {
	opened, err := s.lib.Open(ctx, citekit.Address{Resource: resourceID})
	if err != nil {
		return nil, err
	}
	l, err := s.openMapped(ctx, opened.Map, opened.Source)
	return l.of(opened.Map), failed(citekit.Address{Resource: resourceID}, err)
}

// OpenFile is like [Store.Open], for a file without a map. It opens the path in
// the same way as the source path of a map. An empty modality means that
// [citekit.Library.Detect] determines it.
func (s *Store) OpenFile(ctx context.Context, path string, modality citekit.Modality) (*Layer, error) {
	l, err := s.openFile(ctx, path, modality)
	return l, failed(citekit.Address{Resource: plain.SlugForFile(filepath.ToSlash(path))}, err)
}

// OpenVersion returns the text of a version of a resource, to find text again
// that was cited from it. The version is the present one, or an earlier one that was
// read then; hash is its whole SHA-256 in hex. If the text of that version is not
// stored, the error matches [fs.ErrNotExist]. If
// the layer has no copy of the text and the source has changed, the error
// matches [citekit.ErrStale].
func (s *Store) OpenVersion(ctx context.Context, resourceID, hash string) (*Layer, error) {
	m, err := s.lib.Map(ctx, resourceID)
	if err != nil {
		return nil, err
	}
	l, err := s.openVersion(ctx, m, hash)
	return l.of(m), failed(citekit.Address{Resource: resourceID}, err)
}

// of returns the layer, which may be nil, as that of a map.
func (l *Layer) of(m *citekit.ResourceMap) *Layer {
	if l != nil {
		l.transcribed = about.IsTranscribed(m.Metadata)
	}
	return l
}

// HasNoText reports whether an error of [Store.Open] or [citekit.Library.ReadText]
// says that a resource has no text. One whose modality has no resolver may have
// text, so that it is unreadable instead, unless it is virtual.
func HasNoText(err error) bool {
	var missing *citekit.NoResolverError
	if errors.As(err, &missing) {
		return missing.Modality == citekit.Virtual
	}
	return errors.Is(err, errors.ErrUnsupported)
}

func failed(a citekit.Address, err error) error {
	if err == nil {
		return nil
	}
	return &citekit.ResolveError{Op: "read", Address: a, Err: localfile.WithoutPath(err)}
}

// modalityOf returns the modality of a resource, even if its map has no type.
func modalityOf(m *citekit.ResourceMap) citekit.Modality { return m.Address(nil).Location.Modality }

// openMapped opens the text of a mapped source. It takes over src.
func (s *Store) openMapped(ctx context.Context, m *citekit.ResourceMap, src *citekit.Source) (*Layer, error) {
	o := &origin{resource: m.ResourceID, modality: modalityOf(m), declared: m.Type, src: src, maxBytes: s.opts.MaxBytes}
	if err := s.complete(ctx, o); err != nil {
		o.close()
		return nil, err
	}
	if path, hash := m.Transcript(); path != "" && o.readsTranscripts() {
		if err := s.addTranscript(ctx, o, path, hash); err != nil {
			o.close()
			return nil, fmt.Errorf("the transcript: %w", err)
		}
	}
	return s.open(ctx, o)
}

func (s *Store) openFile(ctx context.Context, path string, modality citekit.Modality) (*Layer, error) {
	src, err := s.lib.OpenSource(ctx, path)
	if err != nil {
		return nil, err
	}
	o := &origin{modality: modality, declared: modality, src: src, maxBytes: s.opts.MaxBytes}
	if modality == "" {
		o.modality, err = s.lib.Detect(ctx, src)
	} else {
		src.Declare(modality)
	}
	if err == nil {
		err = s.complete(ctx, o)
	}
	if err != nil {
		o.close()
		return nil, err
	}
	return s.open(ctx, o)
}

// complete finds the resolver and the hash of an open source.
func (s *Store) complete(ctx context.Context, o *origin) (err error) {
	if o.resolver, err = s.lib.Resolver(o.modality); err != nil {
		return err
	}
	if err := s.check(o); err != nil {
		return err
	}
	o.others = s.memberVersions(o.resolver)
	o.name = o.src.Name()
	o.hash, err = o.src.Hash(ctx)
	return err
}

// memberVersions names the versions of the resolvers of members, or is "" if r
// does not open members.
func (s *Store) memberVersions(r citekit.Resolver) string {
	if _, ok := r.(citekit.MemberOpener); !ok {
		return ""
	}
	all := s.lib.Resolvers()
	return ", members " + all.Version(citekit.Document) + ", " + all.Version(citekit.Text)
}

// check returns an error matching [errors.ErrUnsupported] if a layer is
// impossible.
func (s *Store) check(o *origin) error {
	if _, ok := o.resolver.(citekit.TextReader); !ok {
		return fmt.Errorf("the text of %s source: %w", message.Article(o.modality), errors.ErrUnsupported)
	}
	if s.content == nil {
		return fmt.Errorf("this workspace cannot open what it keeps: %w", errors.ErrUnsupported)
	}
	return nil
}

// addTranscript opens the transcript of a recording. If hash is not "", the
// transcript must still have that hash, which it had when the recording was
// mapped.
func (s *Store) addTranscript(ctx context.Context, o *origin, sourcePath, hash string) (err error) {
	if o.transcript, err = s.lib.OpenSource(ctx, sourcePath); err != nil {
		return err
	}
	if o.words, err = o.transcript.Hash(ctx); err == nil && hash != "" && hash != o.words {
		err = fmt.Errorf("it has changed since the source was mapped; map it again: %w", citekit.ErrStale)
	}
	return err
}

func (s *Store) openVersion(ctx context.Context, m *citekit.ResourceMap, hash string) (*Layer, error) {
	if sum, err := hex.DecodeString(hash); err != nil || len(sum) != 32 {
		return nil, fmt.Errorf("the version is not a SHA-256 in hex: %w", citekit.ErrSyntax)
	}
	resolver, err := s.lib.Resolver(modalityOf(m))
	if err != nil {
		return nil, err
	}
	o := &origin{
		resource: m.ResourceID, modality: modalityOf(m), declared: m.Type, resolver: resolver,
		name: path.Base(filepath.ToSlash(m.SourcePath)), hash: strings.ToLower(hash),
		maxBytes: s.opts.MaxBytes, others: s.memberVersions(resolver),
	}
	if o.readsTranscripts() {
		_, o.words = m.Transcript()
	}
	if err := s.check(o); err != nil {
		return nil, err
	}
	l, err := s.openKept(ctx, o)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, citekit.ErrDamaged) {
		return s.openPresent(ctx, m, o)
	}
	if err != nil || !l.mirrors {
		return l, err
	}
	if l.src, err = s.lib.OpenSource(ctx, m.SourcePath); err == nil {
		err = isVersion(ctx, l.src, o.hash)
	}
	if err != nil {
		l.Close()
		return nil, err
	}
	l.text = l.src
	return l, nil
}

// openPresent returns the text of a version that is not kept, if the source
// still has that version.
func (s *Store) openPresent(ctx context.Context, m *citekit.ResourceMap, o *origin) (*Layer, error) {
	lost := fmt.Errorf("no text is kept of version %.12s: %w", o.hash, fs.ErrNotExist)
	if o.words != "" {
		return nil, lost
	}
	src, err := s.lib.OpenSource(ctx, m.SourcePath)
	if err != nil {
		return nil, cmp.Or(ctx.Err(), lost)
	}
	if isVersion(ctx, src, o.hash) != nil {
		src.Close()
		return nil, cmp.Or(ctx.Err(), lost)
	}
	src.Declare(o.declared)
	o.src = src
	return s.open(ctx, o)
}

func isVersion(ctx context.Context, src *citekit.Source, hash string) error {
	now, err := src.Hash(ctx)
	if err == nil && now != hash {
		err = fmt.Errorf("the text of version %.12s was not copied, and the source is %.12s: %w", hash, now, citekit.ErrStale)
	}
	return err
}

// maxTries is how often a layer is looked up again if it is gone when it is
// opened.
const maxTries = 3

// open returns the layer of an origin, which it takes over. It reads the source
// first if there is no layer.
func (s *Store) open(ctx context.Context, o *origin) (l *Layer, err error) {
	defer func() {
		if l == nil || l.src == nil {
			o.close()
		} else {
			o.closeTranscript()
		}
	}()
	var lost error
	first := s.isFirst(ctx, o)
	for range maxTries {
		if x, ok := s.indexes.Peek(o.smallKey()); ok {
			return &Layer{index: x, text: o.src, src: o.src}, nil
		}
		l, err = nil, fs.ErrNotExist
		if !first {
			l, err = s.openKept(ctx, o)
		}
		if err == nil && l.mirrors {
			l.src, l.text = o.src, o.src
		}
		if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, citekit.ErrDamaged) {
			return l, err
		}
		lost = err
		missing := errors.Is(err, fs.ErrNotExist)
		small, err := s.readers.Do(ctx, o.key(), func(ctx context.Context) (*index, error) {
			if missing && !first {
				there, release := s.lease(ctx, o)
				defer release()
				if there { // stored since the lookup
					return nil, nil
				}
			}
			return s.read(ctx, o)
		})
		if err != nil {
			return nil, err
		}
		if small != nil {
			_, _ = s.indexes.Get(ctx, o.smallKey(), func(context.Context) (*index, int64, error) { return small, small.cost(), nil })
			return &Layer{index: small, text: o.src, src: o.src}, nil
		}
		first = false
	}
	return nil, fmt.Errorf("the text that was read is not kept as it should be: %w", lost)
}

// A firstMapper is a workspace that can tell that a source was mapped just now, and never
// before.
type firstMapper interface {
	// MappedFirst reports whether that was in this context.
	MappedFirst(ctx context.Context, id string) bool
}

// isFirst reports whether nobody can have read the text of an origin before, so that
// there is no layer to look for.
func (s *Store) isFirst(ctx context.Context, o *origin) bool {
	w, ok := s.lib.Workspace().(firstMapper)
	return ok && o.resource != "" && w.MappedFirst(ctx, o.resource)
}

// An evidenceLeaser is a workspace that processes share, as package workspace has it.
type evidenceLeaser interface {
	LeaseEvidence(ctx context.Context, key string) (stored *citekit.StoredEvidence, release func(), err error)
}

// leasedBytes is the size of the smallest source that only one of the processes that share
// a workspace reads at a time: to read a smaller one twice costs less than a lease.
const leasedBytes = 256 << 10

// lease waits while another process reads the text of an origin, and reports whether it is
// kept. If not, others wait until release.
func (s *Store) lease(ctx context.Context, o *origin) (there bool, release func()) {
	leaser, ok := s.lib.Workspace().(evidenceLeaser)
	if !ok || o.src.Size() < leasedBytes {
		return s.isKept(ctx, o), func() {}
	}
	stored, release, err := leaser.LeaseEvidence(ctx, o.key())
	return err == nil && stored != nil, release
}

func (s *Store) isKept(ctx context.Context, o *origin) bool {
	content, _, err := s.content.OpenEvidence(ctx, o.key())
	return err == nil && content.Close() == nil
}

// openKept opens the stored layer of an origin. An unreadable layer is an error
// matching [citekit.ErrDamaged].
func (s *Store) openKept(ctx context.Context, o *origin) (*Layer, error) {
	content, stored, err := s.content.OpenEvidence(ctx, o.key())
	if err != nil {
		return nil, err
	}
	text := readerAt(content)
	x, err := s.indexes.Get(ctx, o.key()+stored.SHA256, func(context.Context) (*index, int64, error) {
		x, err := readIndex(text, stored.Size)
		if err != nil {
			return nil, 0, err
		}
		return x, x.cost(), nil
	})
	if err == nil && (x.hash != o.hash || x.modality != o.modality) {
		err = fmt.Errorf("a text of another source: %w", citekit.ErrDamaged)
	}
	if err != nil {
		content.Close()
		return nil, err
	}
	if x.mirrors {
		return &Layer{index: x}, content.Close()
	}
	return &Layer{index: x, text: text, content: content}, nil
}
