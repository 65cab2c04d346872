package citekit

import (
	"context"
	"errors"
	"io/fs"

	"github.com/citekit/citekit/internal/ctxio"
	"github.com/citekit/citekit/internal/localfile"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/plain"
)

// Evidence is the result of [Library.Resolve]: the address, and the file with exactly
// that part of the source, if there is one.
type Evidence struct {
	// OutputPath is the absolute path of the evidence file; "" without a file, which is
	// null in JSON. A workspace that is not a directory may make up a path that no file
	// has: open the evidence by its Key. The file stays for at least 10 minutes;
	// copy it to keep it.
	OutputPath string
	Key        string // the key of the file for an [EvidenceOpener]; "" without a file
	Name       string // the name that the file should have, as [EvidenceMeta] has it; "" without a file

	Modality   Modality // of Address
	Address    Address  // of the evidence, with the version if one was given
	Node       *Node    // the node resolved, shared; nil if there was none
	ResourceID string   // as in Address

	MediaType string // such as "application/pdf"
	Charset   string // IANA name of the encoding of text evidence, lower case

	// CharsetGuessed says that Charset was inferred from the bytes, and is not declared
	// by a byte order mark, by the text, or by being valid UTF-8.
	CharsetGuessed bool

	Size   int64  // bytes
	SHA256 string // of the evidence file, in lower case hex

	// SourceHash is the SHA-256 of the source, if it is known: a large source is not
	// hashed just for this field.
	SourceHash string

	// Actual is the location the file holds, if it differs from the one of the address;
	// else nil.
	Actual *Location

	// Changes lists how the file differs from the source, as in [Content]. Do not
	// modify it.
	Changes []string

	Cached bool // the file was there before this call, or another process made it meanwhile
	Stale  bool // the source has changed since it was mapped
}

// MarshalJSON returns an object with "output_path", "modality", "address", "node"
// without its children, and "resource_id". If there is a file, it also has
// "media_type", "size", "sha256" and "cached" and, unless they are empty or false,
// "charset", "guessed", "source_hash", "actual", "changes" and "stale".
func (e *Evidence) MarshalJSON() ([]byte, error) {
	w := new(jsonWriter)
	w.Open()
	if e.OutputPath == "" {
		w.Raw("output_path", []byte("null"))
	} else {
		w.Text("output_path", e.OutputPath)
	}
	w.Text("modality", string(e.Modality))
	w.Text("address", e.Address.String())
	w.Key("node")
	if e.Node == nil {
		w.WriteString("null")
	} else {
		w.node(e.Node, false)
	}
	w.Text("resource_id", e.ResourceID)
	if e.OutputPath != "" {
		w.Text("media_type", e.MediaType)
		w.Optional("charset", e.Charset)
		w.Flag("guessed", e.CharsetGuessed)
		w.Value("size", e.Size)
		w.Text("sha256", e.SHA256)
		w.Optional("source_hash", e.SourceHash)
		if e.Actual != nil {
			w.Key("actual")
			w.location(*e.Actual)
		}
		if len(e.Changes) > 0 {
			w.Value("changes", e.Changes)
		}
		w.Value("cached", e.Cached)
		w.Flag("stale", e.Stale)
	}
	w.Close()
	return w.Bytes(), w.Err
}

// An evidenceLeaser is a workspace that processes share, as package workspace has it.
type evidenceLeaser interface {
	LeaseEvidence(ctx context.Context, key string) (stored *StoredEvidence, release func(), err error)
}

// evidence returns what is stored under key, or has it made. Callers that want the same at
// the same time wait for one extraction.
func (l *Library) evidence(ctx context.Context, key string, work func(context.Context) (*StoredEvidence, error)) (stored *StoredEvidence, cached bool, err error) {
	release := func() {}
	if l.leaser != nil {
		stored, release, err = l.leaser.LeaseEvidence(ctx, key)
	} else if stored, err = l.workspace.FindEvidence(ctx, key); errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	if stored != nil || err != nil {
		return stored, true, localfile.WithoutPath(err)
	}
	defer release()
	stored, err = l.flights.Do(ctx, key, work)
	return stored, false, err
}

// makeEvidence extracts and stores, within the limits of the Library. The slot is given
// up as soon as the content is read to its end: what the workspace does then, such as
// waiting for the disk, holds up nobody else.
func (l *Library) makeEvidence(ctx context.Context, key string, t target, src *Source, r Resolver, mode Mode) (stored *StoredEvidence, err error) {
	ctxio.Fresh(ctx)
	p, err := l.openPart(ctx, t, src)
	if err != nil {
		return nil, err
	}
	defer p.close()
	modality := t.address.Location.Modality
	release, err := l.acquireSlot(ctx, modality)
	if err != nil {
		return nil, err
	}
	defer release()
	err = l.bounded(ctx, modality, func(ctx context.Context) error {
		stored, err = l.extractTo(ctx, key, t, src, p, r, mode, release)
		return err
	})
	return stored, err
}

func (l *Library) extractTo(ctx context.Context, key string, t target, src *Source, p part, r Resolver, mode Mode, done func()) (*StoredEvidence, error) {
	extract, err := r.Resolve(ctx, p.src, Request{Location: p.loc, Mode: mode})
	if err != nil {
		return nil, localfile.WithoutPath(err)
	}
	if extract == nil || extract.Body == nil {
		return nil, errors.New("the resolver returned no content")
	}
	defer extract.Body.Close()
	meta := EvidenceMeta{
		Name:       plain.EvidenceName(t.address.Resource, t.label, key, extract.Ext),
		Size:       extract.Size,
		MediaType:  extract.MediaType,
		Charset:    extract.Charset,
		Guessed:    extract.CharsetGuessed,
		Actual:     extract.Actual,
		Changes:    extract.Changes[:min(len(extract.Changes), message.MaxChanges)],
		SourceHash: src.KnownHash(),
	}
	if p.member != "" && meta.Actual != nil {
		actual := p.located(*meta.Actual)
		meta.Actual = &actual
	}
	if t.m != nil {
		meta.Resource = t.address.Resource
	}
	body := ctxio.AtEnd(ctxio.Reader(ctx, extract.Body), func() error {
		done()
		return p.src.CheckUnchanged() // else what was read may be of two versions
	})
	stored, err := l.workspace.StoreEvidence(ctx, key, meta, body)
	return stored, localfile.WithoutPath(err)
}

// evidenceFormat is part of every key, so that evidence made by code that named or
// checked it otherwise is not served.
const evidenceFormat = "2"

// evidenceKey returns the key of the evidence of one request: a SHA-256 in hex of
// everything that decides its bytes and its name.
func evidenceKey(t target, src seen, resolverVersion string, mode Mode) string {
	loc := t.address.Location
	if loc.Modality.BuiltIn() && loc.Modality != Video && loc.Modality != Audio {
		mode = ModeExact // means nothing to the others
	}
	return ctxio.HashParts(
		evidenceFormat, string(loc.Modality), resolverVersion, src.version, src.name, string(mode),
		Address{Location: loc}.Fragment(), t.address.Resource, t.label, string(t.declared),
	)
}
