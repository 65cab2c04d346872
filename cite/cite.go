// Package cite makes citations: of an id or an address, with a quote or without, it
// makes a [citation.Citation] that is checked against the source and written in a form.
//
//	citer := cite.New(lib, nil)
//	cited, err := citer.Cite(ctx, cite.Request{ID: "doc://book#pages=12", Quote: "the engine weaves"})
//	…
//	fmt.Println(cited.Text) // [Book, page 12](doc://book#pages=12 "the engine weaves")
//
// Package citation has the forms themselves, and reads them.
package cite

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/citation"
	"github.com/citekit/citekit/internal/lookup"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/plain"
	"github.com/citekit/citekit/reanchor"
	"github.com/citekit/citekit/textlayer"
	"github.com/citekit/citekit/verify"
)

// Options configures a Citer. The zero value is ready to use.
type Options struct {
	// Verifier finds quotes, and Layers are the texts of the sources. Nil means new
	// ones.
	Verifier *verify.Verifier
	Layers   *textlayer.Store
}

// A Citer makes citations of the resources of a Library. It is safe for concurrent use.
type Citer struct {
	lib      *citekit.Library
	layers   *textlayer.Store
	verifier *verify.Verifier
	keeper   *reanchor.Reanchorer // keeps small texts too
}

// New returns a Citer over a Library, whose workspace must be a
// [citekit.EvidenceOpener]. A nil opts means the defaults.
func New(lib *citekit.Library, opts *Options) *Citer {
	opts = cmp.Or(opts, new(Options))
	c := &Citer{lib: lib, layers: opts.Layers, verifier: opts.Verifier, keeper: reanchor.New(lib, nil)}
	if c.layers == nil {
		c.layers = textlayer.New(lib, nil)
	}
	if c.verifier == nil {
		c.verifier = verify.New(lib, &verify.Options{Layers: c.layers})
	}
	return c
}

// A Request says what to cite and how.
type Request struct {
	// ID is an address, a node as "resource.node", a resource, or the path of its source.
	ID string

	// Quote is words that must occur there: the citation then has their exact place,
	// and the text around them. "" cites the part as a whole.
	Quote string

	// Form is the form to write; "" means [Markdown].
	Form Form

	// Pin says whether the address names the version of the source.
	Pin Pin

	// URL is that of a published copy, for the form [URL]; "" means the path of the
	// source.
	URL string

	// Number is that of a footnote; zero means 1.
	Number int
}

// A Pin says whether an address names the version of its source, so that package
// reanchor can move it when the source changes.
type Pin int

const (
	// PinUntold pins the address of a part in forms with a field for an address, and in
	// Markdown and footnotes unless the quote tells where it was.
	PinUntold Pin = iota
	// PinAlways pins that of a whole resource too.
	PinAlways
	// PinNever pins none, but leaves a version that the id has.
	PinNever
)

// pinDigits is how many hex digits of the SHA-256 of a source are added to an address.
const pinDigits = 16

// Cited is a citation that was made.
type Cited struct {
	*citation.Citation

	// Text or JSON is the form: JSON where the form is JSON, else Text.
	Text string
	JSON json.RawMessage

	// Problem says why the source is not as it was when it was mapped, so that the
	// citation may not lead to what it names: it matches [citekit.ErrStale] if the
	// source has changed. It is nil if all is well.
	Problem error

	// OCR says that the quote was recognised in a picture: nobody has compared it with
	// what the picture shows.
	OCR bool

	// Note says that a URL leads to the whole source, although a part is cited, or is
	// "".
	Note string
}

// A FieldError says which field of a [Request] cannot be used, and why.
type FieldError struct {
	Field string // "Quote", "Form" or "URL"
	Err   error
}

func (e *FieldError) Error() string { return e.Err.Error() }

func (e *FieldError) Unwrap() error { return e.Err }

// A QuoteError reports a quote that is not in the words of the part that was to be cited.
// It matches [fs.ErrNotExist].
type QuoteError struct {
	Address citekit.Address // the part
	Verdict *verify.Verdict // says where the quote or similar words are, if they are somewhere
}

// maxShown is how much of the source an error shows, in bytes.
const maxShown = 160

func (e *QuoteError) Error() string {
	switch v := e.Verdict; v.Class {
	case verify.Elsewhere:
		return fmt.Sprintf("the quote is not in %s, but in %s; cite that", e.Address, v.Address)
	case verify.Altered:
		return fmt.Sprintf("the quote is altered; %s has: “%s”", v.Address, plain.Shorten(plain.Line(v.Text), maxShown))
	}
	return fmt.Sprintf("the quote is not in %s", e.Address)
}

// Is makes a QuoteError match fs.ErrNotExist.
func (e *QuoteError) Is(target error) bool { return target == fs.ErrNotExist }

// Cite makes a citation and writes its form. With a pin it keeps the text of the source,
// for package reanchor.
//
// Errors are a [FieldError]; a [QuoteError]; a [citekit.ResolveError] matching
// [citekit.ErrSyntax] or [citekit.ErrRange] if the address is not one of the resource,
// or [citekit.ErrStale] if the source of a quote has changed; those of
// [citekit.Library.Map] and [citekit.Library.Node]; and those of reading the text.
func (c *Citer) Cite(ctx context.Context, req Request) (*Cited, error) {
	form, err := formNamed(req.Form)
	if err != nil {
		return nil, err
	}
	if err := checkURL(req.URL); err != nil {
		return nil, &FieldError{"URL", err}
	}
	cited, ocr, err := c.cite(ctx, req, form)
	if err != nil {
		return nil, err
	}
	cited.Work.Recognised = ocr
	made := &Cited{Citation: cited, Problem: c.checkSource(ctx, cited.Address), OCR: ocr}
	if made.Text, made.JSON, err = form.write(ctx, c, cited, req); err != nil {
		return nil, err
	}
	if form.name == URL && !cited.Address.Location.IsWhole() && !strings.Contains(made.Text, "#") {
		made.Note = fmt.Sprintf("the URL leads to the whole source, as URLs have no form for %s; write the place beside it",
			cmp.Or(citation.Place(cited.Address.Location), cited.Address.Location.String()))
	}
	return made, nil
}

// checkURL returns an error if the URL of a published copy, which pages put into links,
// is of a scheme that runs programs or has its content in itself.
func checkURL(text string) error {
	u, err := url.Parse(text)
	if err != nil {
		return fmt.Errorf("%s is not a URL: %w", message.Quote(text), citekit.ErrSyntax)
	}
	switch u.Scheme { // in lower case
	case "", "http", "https", "file", "ftp":
		return nil
	}
	return fmt.Errorf("a URL of the scheme %s cannot be cited; give one of http, https or file: %w", message.Quote(u.Scheme), citekit.ErrSyntax)
}

// cite returns a citation of the part that an id names, with the quote if there is one,
// and whether that was recognised in a picture.
func (c *Citer) cite(ctx context.Context, req Request, f form) (cited *citation.Citation, ocr bool, err error) {
	part, err := lookup.Find(ctx, c.lib, req.ID)
	if err != nil {
		return nil, false, err
	}
	cited = &citation.Citation{Address: part.Address, Work: citation.WorkOf(part.Map, part.Node)}
	if err := lookup.CheckPlace(part.Map, cited.Address); err != nil {
		return nil, false, &citekit.ResolveError{Op: "cite", Address: cited.Address, Err: err}
	}
	tells := false
	if req.Quote != "" {
		if tells, ocr, err = c.quote(ctx, req.Quote, cited); err != nil {
			return nil, false, err
		}
	} else if part.Node == nil {
		if err := lookup.CheckEnd(ctx, c.lib, cited.Address); err != nil {
			return nil, false, &citekit.ResolveError{Op: "cite", Address: cited.Address, Err: err}
		}
	}
	c.pin(ctx, part.Map, cited, req.Pin == PinAlways || req.Pin == PinUntold && f.pins(cited, tells))
	return cited, ocr, nil
}

// quote finds a quote in the part of a citation and sets its place to it. It reports
// whether the quote tells where it was, and whether it was recognised in a picture.
func (c *Citer) quote(ctx context.Context, quote string, cited *citation.Citation) (tells, ocr bool, err error) {
	part := cited.Address
	verdict, err := c.verifier.Quote(ctx, verify.Request{Quote: quote, Address: part})
	switch {
	case err != nil && ctx.Err() != nil:
		return false, false, err
	case err != nil:
		return false, false, &FieldError{"Quote", err}
	case verdict.Problem != nil:
		return false, false, verdict.Problem
	case verdict.Stale && !verdict.Holds():
		if err := c.checkSource(ctx, part); err != nil {
			return false, false, err // it says what to do
		}
		return false, false, &citekit.ResolveError{Op: "cite", Address: part, Err: citekit.ErrStale}
	case !verdict.Holds():
		return false, false, &QuoteError{part, verdict}
	}
	if err := c.place(ctx, cited, verdict); err != nil {
		return false, false, err
	}
	return verdict.Counted && verdict.Places == 1 && reanchor.Tells(cited.Quote), verdict.OCR, nil
}

// pin adds the version of the source to the address of a citation, and keeps the text of
// that version.
func (c *Citer) pin(ctx context.Context, m *citekit.ResourceMap, cited *citation.Citation, wanted bool) {
	hash := m.SourceHash()
	if !wanted || cited.Address.Version != "" || hash == "" {
		return
	}
	cited.Address.Version = hash[:min(len(hash), pinDigits)]
	_ = c.keeper.Keep(ctx, m.ResourceID) // the citation is right without it
}

// checkSource returns why the source of a citation is not as it was when it was mapped,
// or nil.
func (c *Citer) checkSource(ctx context.Context, a citekit.Address) error {
	opened, err := c.lib.Open(ctx, citekit.Address{Resource: a.Resource, Version: a.Version})
	if err != nil {
		var failed *citekit.ResolveError
		if errors.As(err, &failed) {
			err = &citekit.ResolveError{Op: "cite", Address: a, Err: failed.Err}
		}
		return err
	}
	return opened.Source.Close()
}

// around is the most characters given before and after a quote.
const around = 32

// place sets the place of a citation to where its quote was found, and adds the text
// around the quote.
func (c *Citer) place(ctx context.Context, cited *citation.Citation, v *verify.Verdict) error {
	version := cited.Address.Version
	cited.Address, cited.Quote = v.Address, v.Quote
	cited.Address.Version = version
	if v.Text != "" {
		cited.Quote = v.Text
	}
	if v.Span == (verify.Span{}) { // it is not of the text, and nothing of the text stands around it
		return nil
	}
	cited.Position = citation.CodePointRange{Start: v.Span.CodePoints[0], End: v.Span.CodePoints[1]}
	layer, err := c.layers.Open(ctx, cited.Address.Resource)
	if err != nil {
		return err
	}
	defer layer.Close()
	before := max(0, cited.Position.Start-around)
	from, err := layer.Convert(before, textlayer.InCodePoints, textlayer.InBytes)
	if err != nil {
		return err
	}
	if cited.Prefix, err = layer.Text(ctx, from, v.Span.Bytes[0]); err != nil {
		return err
	}
	if _, words, ok := strings.Cut(cited.Prefix, " "); ok && from > 0 { // browsers match whole words
		cited.Prefix = words
	}
	behind, err := layer.Text(ctx, v.Span.Bytes[1], min(layer.Len(), v.Span.Bytes[1]+utf8.UTFMax*around))
	cited.Suffix = plain.CutRunes(strings.ToValidUTF8(behind, ""), around)
	if space := strings.LastIndexByte(cited.Suffix, ' '); space > 0 && len(cited.Suffix) < len(behind) {
		cited.Suffix = cited.Suffix[:space]
	}
	return err
}
