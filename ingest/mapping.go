package ingest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/selector"
	"github.com/citekit/citekit/internal/sniff"
)

// textBudget is how many bytes of texts are mapped at a time. While a text is
// mapped, memory holds several copies of it.
const textBudget = 32 << 20

// maxCompanionHash is the size in bytes up to which a companion is identified
// by its content. A file with the words of a recording is never larger.
const maxCompanionHash = 64 << 20

// A sharedDraft is the mapping of bytes that several sources have: one source
// makes the draft, and others wait for it. It is kept until the first of them
// has its map.
type sharedDraft struct {
	done     chan struct{} // closed when the other fields are set
	draft    *citekit.Draft
	modality citekit.Modality
	err      error
}

// makeDraft decides how the map of a source is made: as a copy if there is a
// map of the same bytes, else from a draft.
func (in *run) makeDraft(ctx context.Context, t *task) verdict {
	if len(t.Companions) > 0 || in.opts.Force || in.mayTranscribe(ctx, t) {
		draft, modality, err := in.mapSource(ctx, t)
		return in.judgeDraft(ctx, t, makeAnew, draft, modality, err)
	}
	kind := in.opts.Type
	if kind == "" {
		kind = in.claimedBy(ctx, t.src)
	}
	t.note.Mapper = in.mapperFor(kind)
	t.key = t.note.BytesKey(t.Path)
	key := t.key
	if v := in.original(ctx, t, kind); v.decision != undecided {
		return v
	}
	in.mu.Lock()
	shared, begun := in.drafts[key]
	if !begun {
		shared = &sharedDraft{done: make(chan struct{})}
		in.drafts[key] = shared
	}
	in.mu.Unlock()
	if begun {
		select {
		case <-shared.done:
		case <-ctx.Done():
			return failed(ctx.Err())
		}
		if !errors.Is(shared.err, citekit.ErrStale) && (shared.err != nil || in.fits(ctx, t.src, shared.modality, onlyMember(shared.draft.Nodes))) {
			return in.judgeDraft(ctx, t, makeCopy, shared.draft, shared.modality, shared.err)
		}
		// The other source changed concurrently, and this one may be unchanged; or
		// the draft has the name of the other.
		shared = &sharedDraft{done: make(chan struct{})}
	}
	in.fillDraft(ctx, t, shared)
	return in.judgeDraft(ctx, t, makeAnew, shared.draft, shared.modality, shared.err)
}

// original decides on a copy if a source with the same bytes has a map that is
// unchanged since it was made, and of the kind that is wanted, if any is.
func (in *run) original(ctx context.Context, t *task, kind citekit.Modality) verdict {
	n, ok := in.book.SameBytes(t.key)
	if !ok || kind != "" && string(kind) != n.Type || in.checkMap(n.ID, n.Type) != nil || !in.isIntact(ctx, n.ID, n.Stamp) {
		return verdict{}
	}
	m, err := in.lib.Map(ctx, n.ID)
	if err != nil || m.SourceHash() != t.note.Hash || !in.isIntact(ctx, n.ID, n.Stamp) || !in.fits(ctx, t.src, m.Type, onlyMember(m.Nodes)) {
		return verdict{}
	}
	t.original, t.note.Type, t.note.Method = m, n.Type, n.Method
	return verdict{decision: makeCopy, modality: citekit.Modality(n.Type), method: n.Method}
}

// fits reports whether a source has the only member that is named in the map of a
// source with the same bytes: that of a compressed file may be named after the file. It
// reports true for "".
func (in *run) fits(ctx context.Context, src *citekit.Source, modality citekit.Modality, member string) bool {
	if member == "" {
		return true
	}
	found, _, err := in.lib.OpenMember(ctx, src, modality, citekit.Address{Location: citekit.Location{Member: member}})
	if err != nil {
		return false
	}
	found.Close()
	return true
}

// onlyMember returns the name of the member that all nodes are in, or "".
func onlyMember(nodes []*citekit.Node) string {
	member := ""
	for _, n := range nodes {
		name, _, _ := strings.Cut(n.Location.Member, selector.MemberSeparator)
		if name == "" || member != "" && name != member {
			return ""
		}
		member = name
	}
	return member
}

// isIntact reports whether a map still has the stamp.
func (in *run) isIntact(ctx context.Context, id, stamp string) bool {
	now, err := in.ws.StatMap(ctx, id)
	return err == nil && now.Identity == stamp
}

// fillDraft maps a source for all sources that wait for the draft of its bytes.
func (in *run) fillDraft(ctx context.Context, t *task, shared *sharedDraft) {
	defer close(shared.done)
	shared.draft, shared.modality, shared.err = in.mapSource(ctx, t)
	if shared.err == nil {
		shared.err = t.src.CheckUnchanged() // else the draft may be of other bytes
	}
}

// dropDraft drops the draft of a task that is done. Other sources with the same
// bytes copy its map; if it has none, one of them is mapped again.
func (in *run) dropDraft(t *task) {
	if t.draft == nil || t.key == "" {
		return
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	delete(in.drafts, t.key)
}

// foreign reports whether a source has a format that is not supported here, or
// nothing to cite, so that the file itself is not at fault. It returns the error to
// report.
func (in *run) foreign(t *task, modality citekit.Modality, err error) (error, bool) {
	if in.opts.Type != "" {
		return err, false
	}
	if errors.Is(err, citekit.ErrEmpty) {
		return err, true
	}
	_, format, failed := sniff.Classify(t.src, t.src.Size(), t.src.Name())
	if failed != nil || modality != citekit.Text {
		return err, format.Unread && errors.Is(err, errors.ErrUnsupported)
	}
	if format.Kind == sniff.Text && errors.Is(err, errors.ErrUnsupported) {
		return err, format.Office != ""
	}
	if !errors.Is(err, citekit.ErrFormat) {
		return err, false
	}
	if office := sniff.Refusal(format, t.Path); office != nil {
		err = office
	}
	return err, true
}

// mapSource drafts the map of a source.
func (in *run) mapSource(ctx context.Context, t *task) (draft *citekit.Draft, modality citekit.Modality, err error) {
	if modality, err = in.modalityOf(ctx, t.src); err != nil {
		return nil, "", err
	}
	if refused := in.refused(t, modality); refused != nil {
		return nil, modality, refused
	}
	draft, err = in.mapAs(ctx, t, modality)
	return draft, modality, err
}

// refused returns the error for a document stored as text, such as RTF, which
// nobody wants to cite by its lines. If a type was requested, it returns nil.
func (in *run) refused(t *task, modality citekit.Modality) error {
	if in.opts.Type != "" || modality != citekit.Text {
		return nil
	}
	format, err := sniff.Detect(t.src, t.src.Size())
	if err != nil || format.Kind != sniff.Text {
		return nil // the resolver reports it
	}
	return sniff.Refusal(format, t.Path)
}

// modalityOf returns the modality of a source: the requested one, or else the
// detected one.
func (in *run) modalityOf(ctx context.Context, src *citekit.Source) (citekit.Modality, error) {
	if in.opts.Type != "" {
		return in.opts.Type, nil
	}
	return in.lib.Detect(ctx, src)
}

func (in *run) mapAs(ctx context.Context, t *task, modality citekit.Modality) (draft *citekit.Draft, err error) {
	if modality == citekit.Text {
		release, err := in.texts.acquire(ctx, t.src.Size())
		if err != nil {
			return nil, err
		}
		defer release()
	}
	request := citekit.MapRequest{
		Modality:   modality,
		Companions: in.openers(t.Companions),
		Progress:   func(part float64) { in.progress(t.Path, max(0, min(part, 1)), 0) },
	}
	if t.words, err = in.transcriptOf(ctx, t, modality); err != nil {
		return nil, err
	}
	mapping, stop := context.WithCancel(ctx)
	if t.words != nil {
		t.words.stop = stop
		request.Companions = append(request.Companions, t.words.companion())
	}
	draft, err = in.draft(mapping, t, request)
	if stop(); t.words != nil && t.words.wanted.Load() && ctx.Err() == nil {
		if err := t.words.make(ctx); err != nil {
			if noted, _ := in.book.Note(t.Path); noted.ID != "" && ctx.Err() == nil {
				err = fmt.Errorf("%w; the map that it has stays as it is", err)
			}
			return nil, err
		}
		draft, err = in.draft(ctx, t, request)
	}
	return draft, err
}

func (in *run) draft(ctx context.Context, t *task, request citekit.MapRequest) (draft *citekit.Draft, err error) {
	err = in.lib.WithSlot(ctx, request.Modality, func(ctx context.Context) error {
		draft, err = in.mapper.Map(ctx, t.src, request)
		if err == nil && draft == nil {
			err = errors.New("the mapper returned nothing")
		}
		if err == nil {
			NameNodes(draft.Nodes)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return draft, nil
}

// looksRight reports whether the resolver of its modality can probably read a
// source, judging by a short look. It measures the source only if the resolver
// can keep the measure until the source is mapped; otherwise measuring is not
// worth the cost.
func (in *run) looksRight(ctx context.Context, src *citekit.Source) bool {
	modality, err := in.modalityOf(ctx, src)
	if err != nil {
		return false
	}
	look := citekit.Location{Modality: modality}
	switch {
	case modality == citekit.Text:
		look.Lines = citekit.Range{First: 1, Last: 1}
	case src.Version() != "":
		_, err = in.lib.MeasureSource(ctx, modality, src)
		return err == nil
	}
	return nil == in.lib.WithSlot(ctx, modality, func(ctx context.Context) error {
		return in.extracts(ctx, src, look)
	})
}

// extracts extracts a part of a source and discards it.
func (in *run) extracts(ctx context.Context, src *citekit.Source, loc citekit.Location) error {
	resolver, err := in.lib.Resolver(loc.Modality)
	if err != nil {
		return err
	}
	content, err := resolver.Resolve(ctx, src, citekit.Request{Location: loc})
	if err == nil && content.Body != nil {
		err = content.Body.Close()
	}
	return err
}

func (in *run) openers(found []string) []citekit.Companion {
	companions := make([]citekit.Companion, len(found))
	for i, c := range found {
		companions[i] = citekit.Companion{
			Name: path.Base(c),
			Open: func(ctx context.Context) (*citekit.Source, error) { return in.lib.OpenSource(ctx, c) },
		}
	}
	return companions
}

// digestCompanions returns a digest that changes with the companions or their
// content, or "" without companions.
func (in *run) digestCompanions(ctx context.Context, companions []string) string {
	return in.digestAs(ctx, companions, companions)
}

// digestAs returns the digest that companions would have under other names.
func (in *run) digestAs(ctx context.Context, companions, names []string) string {
	if len(companions) == 0 {
		return ""
	}
	h := sha256.New()
	for i, c := range companions {
		fmt.Fprintf(h, "%s\x00%s\x00", names[i], in.hashOf(ctx, c))
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// hashOf returns the hash of a companion, or a placeholder for one that cannot
// be read or is too large.
func (in *run) hashOf(ctx context.Context, companion string) string {
	src, err := in.lib.OpenSource(ctx, companion)
	if err != nil {
		return "unreadable"
	}
	defer src.Close()
	if src.Size() > maxCompanionHash {
		return fmt.Sprintf("%d %s", src.Size(), src.Identity())
	}
	hash, err := src.Hash(ctx)
	if err != nil {
		return "unreadable"
	}
	return hash
}
