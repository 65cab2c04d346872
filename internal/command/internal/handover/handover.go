// Package handover makes files that show evidence to people who have no citekit: the
// evidence of a quote as PDF with the words marked, or as one page of HTML, and a
// dossier of all citations of a text.
//
//	maker := handover.New(files)                                 // a *corpus.Corpus
//	shown, err := maker.Cite(ctx, "doc://book#pages=12", "the engine weaves")
//	marked, err := maker.PDF(ctx, shown)                         // or maker.HTML
//	report, err := maker.Dossier(ctx, text, &handover.DossierOptions{Format: handover.FormatPDF})
//
// Only words that package verify finds are marked. The same sources and maps give the
// same bytes, whatever the time and the time zone.
package handover

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/citation"
	"github.com/citekit/citekit/cite"
	"github.com/citekit/citekit/corpus"
	"github.com/citekit/citekit/internal/ctxio"
	"github.com/citekit/citekit/internal/lookup"
	"github.com/citekit/citekit/internal/plain"
	"github.com/citekit/citekit/preview"
	"github.com/citekit/citekit/textlayer"
	"github.com/citekit/citekit/verify"
)

// format is part of every key of what is stored.
const format = "handover/1"

// Limits of what is made.
const (
	MaxEvidence = 64 << 20 // bytes of one piece of evidence
	maxEmbedded = 8 << 20  // bytes of evidence that a page of HTML has in itself
	maxPictures = 12       // of one piece
	maxAround   = 400      // bytes of text shown on each side of a quote
	maxShown    = 4 << 10  // bytes of text shown of a place without a quote
	side        = 1400     // pixels of a picture
)

// A Maker makes files from the resources of a corpus. It is safe for concurrent use.
type Maker struct {
	lib      *citekit.Library
	citer    *cite.Citer
	verifier *verify.Verifier
	layers   *textlayer.Store
	previews *preview.Maker

	// Link returns the URL of the page on a server that shows an address with a quote;
	// nil if there is no such server.
	Link func(a citekit.Address, quote string) string
}

// New returns a Maker over a corpus, whose workspace must be a [citekit.EvidenceOpener].
func New(c *corpus.Corpus) *Maker {
	return &Maker{lib: c.Library, citer: c.Citer, verifier: c.Verifier, layers: c.Layers, previews: preview.New(c.Library)}
}

// A Piece is evidence with the quotes that are shown in it.
type Piece struct {
	Label    string // such as "Guide, page 3"
	Source   string // the name of the source file
	Mapped   string // when the source was mapped, in ISO 8601, or ""
	Evidence *citekit.Evidence
	Quotes   []*Quote

	sourceHash string
	data       []byte // of the evidence
}

// A Quote is words and what was found out about them.
type Quote struct {
	Number  int    // from 1
	Words   string // as they were quoted
	Address citekit.Address
	Verdict *verify.Verdict

	Before, Text, After string // the words of the source, and what stands around them

	entry *verify.Entry // of a text; or nil
	piece int           // the number of its evidence in a dossier, from 1; or 0
	note  string        // why it has none
}

// SourceHash returns the SHA-256 of the source, or "" if it is not known.
func (p *Piece) SourceHash() string { return p.sourceHash }

// isPDF reports whether the evidence is a PDF.
func (p *Piece) isPDF() bool { return p.Evidence.MediaType == mediaPDF }

const mediaPDF = "application/pdf"

// Cite returns the evidence of a quote, which must be, exact or repaired, where an id
// says: an address, a node as "resource.node", or a resource. Evidence is what the id
// names or, if that is all of a resource, the place of the quote.
//
// Errors are those of [cite.Citer.Cite] and [citekit.Library.ResolveAddress]. An
// error matching [citekit.ErrTooLarge] reports evidence of more than [MaxEvidence].
func (m *Maker) Cite(ctx context.Context, id, quote string) (*Piece, error) {
	cited, err := m.citer.Cite(ctx, cite.Request{ID: id, Quote: quote, Pin: cite.PinNever})
	if err != nil {
		return nil, err
	}
	if cited.Problem != nil {
		return nil, cited.Problem
	}
	part, err := lookup.Find(ctx, m.lib, id)
	if err != nil {
		return nil, err
	}
	verdict, err := m.verifier.Quote(ctx, verify.Request{Quote: quote, Address: part.Address, Boxes: true})
	if err != nil {
		return nil, err
	}
	if !verdict.Holds() { // the source was changed meanwhile
		return nil, &cite.QuoteError{Address: part.Address, Verdict: verdict}
	}
	shown := cited.Address
	if !part.Address.Location.IsWhole() {
		shown = part.Address
	}
	shown.Version = part.Address.Version
	p, err := m.piece(ctx, shown)
	if err != nil {
		return nil, err
	}
	p.Label = cited.Label()
	q, err := m.quote(ctx, quote, verdict)
	p.Quotes = []*Quote{q}
	return p, err
}

// piece extracts evidence and reads it.
func (m *Maker) piece(ctx context.Context, a citekit.Address) (*Piece, error) {
	about, err := m.lib.Map(ctx, a.Resource)
	if err != nil {
		return nil, err
	}
	e, err := m.lib.ResolveAddress(ctx, a, nil)
	if err != nil {
		return nil, err
	}
	p := &Piece{Evidence: e, Source: path.Base(about.SourcePath), Mapped: about.CreatedAt, sourceHash: cmp.Or(e.SourceHash, about.SourceHash())}
	p.Label = (&citation.Citation{Address: e.Address, Work: citation.WorkOf(about, nil)}).Label()
	p.data, err = m.read(ctx, e)
	return p, err
}

// read returns the bytes of evidence.
func (m *Maker) read(ctx context.Context, e *citekit.Evidence) ([]byte, error) {
	if e.Size > MaxEvidence {
		return nil, fmt.Errorf("%s is evidence of %d bytes, and at most %d are handed over; cite a smaller part: %w", e.Address, e.Size, MaxEvidence, citekit.ErrTooLarge)
	}
	opener, ok := m.lib.Workspace().(citekit.EvidenceOpener)
	if !ok {
		return nil, fmt.Errorf("this workspace cannot open stored evidence: %w", errors.ErrUnsupported)
	}
	content, _, err := opener.OpenEvidence(ctx, e.Key)
	if err != nil {
		return nil, err
	}
	defer content.Close()
	return io.ReadAll(ctxio.Reader(ctx, io.LimitReader(content, MaxEvidence)))
}

// quote returns a quote with the text around it.
func (m *Maker) quote(ctx context.Context, words string, v *verify.Verdict) (*Quote, error) {
	q := &Quote{Number: 1, Words: words, Address: v.Address, Verdict: v, Text: cmp.Or(v.Text, v.Quote)}
	if v.Span == (verify.Span{}) {
		return q, nil
	}
	layer, err := m.layers.Open(ctx, v.Address.Resource)
	if err != nil {
		return nil, err
	}
	defer layer.Close()
	from, to := v.Span.Bytes[0], v.Span.Bytes[1]
	if q.Before, err = layer.Text(ctx, max(0, from-maxAround), from); err != nil {
		return nil, err
	}
	if q.After, err = layer.Text(ctx, to, min(layer.Len(), to+maxAround)); err != nil {
		return nil, err
	}
	q.Before, q.After = strings.ToValidUTF8(q.Before, ""), strings.ToValidUTF8(q.After, "")
	if _, rest, ok := strings.Cut(q.Before, " "); ok && from > maxAround {
		q.Before = "… " + rest
	}
	if space := strings.LastIndexByte(q.After, ' '); space > 0 && layer.Len()-to > maxAround {
		q.After = q.After[:space] + " …"
	}
	return q, nil
}

// text returns the beginning of the text at the address of a piece; "" if it has none.
func (m *Maker) text(ctx context.Context, p *Piece) string {
	var b strings.Builder
	for run, err := range m.lib.ReadText(ctx, p.Evidence.ResourceID, p.Evidence.Address.Location) {
		if err != nil {
			break // a picture or the bare evidence remains
		}
		if b.WriteString(run.Text); b.Len() > maxShown {
			return plain.Cut(b.String(), maxShown) + " …"
		}
	}
	return strings.ToValidUTF8(b.String(), "\uFFFD")
}

// pictures returns pictures of the place of a piece, with the quotes that hold marked:
// of the pages that have some, or of the first ones. There is none of what cannot be
// drawn here.
func (m *Maker) pictures(ctx context.Context, p *Piece) (all []*preview.Preview, err error) {
	e := p.Evidence
	marks := make(map[int][]citekit.Box)
	for _, q := range p.Quotes {
		if q.Verdict == nil || !q.Verdict.Holds() {
			continue
		}
		for _, b := range q.Verdict.Boxes {
			marks[b.Page] = append(marks[b.Page], b.Box)
		}
	}
	var places []citekit.Location
	for _, run := range e.Address.Location.Pages {
		for page := run.First; page <= run.Last && len(places) < maxPictures; page++ {
			if len(marks) > 0 && marks[page] == nil {
				continue
			}
			one := e.Address.Location
			one.Pages = []citekit.Range{{First: page, Last: page}}
			places = append(places, one)
		}
	}
	if places == nil {
		places = []citekit.Location{e.Address.Location}
	}
	for _, loc := range places {
		opts := &preview.Options{Side: side}
		if loc.PageCount() == 1 {
			opts.Boxes = marks[loc.Pages[0].First]
		}
		made, err := m.previews.Make(ctx, citekit.Address{Resource: e.ResourceID, Location: loc, Version: e.Address.Version}, opts)
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case errors.Is(err, errors.ErrUnsupported):
			return all, nil
		case err != nil:
			return nil, err
		}
		all = append(all, made)
	}
	return all, nil
}

// store keeps a file that was made from a piece beside the evidence.
func (m *Maker) store(ctx context.Context, p *Piece, ext, mediaType string, data []byte) (*citekit.Evidence, error) {
	e := p.Evidence
	key := ctxio.HashParts(format, e.Key, ext, string(data))
	stored, err := m.lib.Workspace().FindEvidence(ctx, key)
	cached := err == nil
	if errors.Is(err, fs.ErrNotExist) {
		stored, err = m.lib.Workspace().StoreEvidence(ctx, key, citekit.EvidenceMeta{
			Name: plain.EvidenceName(e.ResourceID, strings.TrimSuffix("marked_"+e.Address.Fragment(), "_"), key, ext),
			Size: int64(len(data)), Resource: e.ResourceID, MediaType: mediaType, SourceHash: e.SourceHash,
		}, strings.NewReader(string(data)))
	}
	if err != nil {
		return nil, err
	}
	made := *e
	made.OutputPath, made.Key, made.Name, made.Cached, made.Node = stored.Path, key, stored.Name, cached, nil
	made.MediaType, made.Charset, made.CharsetGuessed = stored.MediaType, "", false
	made.Size, made.SHA256 = stored.Size, stored.SHA256
	return &made, nil
}
