package verify

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"unicode/utf8"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/citedtext"
	"github.com/citekit/citekit/internal/lookup"
	"github.com/citekit/citekit/internal/quotation"
	"github.com/citekit/citekit/textlayer"
)

// Bounds of [Verifier.Text].
const (
	MaxText      = 16 << 20 // bytes
	MaxCitations = 100_000  // addresses, each counted once for every quote for which it is cited
)

// TextOptions configures one call of [Verifier.Text]. The zero value is ready to
// use.
type TextOptions struct {
	// Strict lets a claim hold only if its words are at its address, and a text
	// only if all its quotes have an address.
	Strict bool

	// Boxes asks for the boxes of quoted text on its pages.
	Boxes bool
}

// Text checks all citations of a text, and lists the sentences without a
// citation. A nil opts means the defaults.
//
// The text is Markdown, or plain. An address counts bare, in brackets, as the
// target of a link, or in a note that the text refers to. In code it counts only if
// it is all that is between the backquotes, and its resource exists. An address
// whose scheme is not that of a modality is reported if its resource exists. An address is cited for the quotes that stand before it in its sentence,
// after the previous citation. If a sentence begins with an address and ends
// with a quote, the address is cited for the quotes after it. An address is
// also cited for a block quotation, if the address stands in the block, right
// behind it, or before it in a sentence that ends in a colon. The title of a link
// to an address is a quote of that address alone, as package citation writes it.
// If there is no quote, the address is cited for a claim: the sentence, or the
// part of it before the address. If several quotes and several addresses stand in
// one place, each quote must hold with one of the addresses, and each address with
// one of the quotes.
//
// A resource that is the text itself is not searched as another place of its
// quotes. [Verdict.Problem] of an entry reports a problem with its address. At
// the deadline of the context, the report has the entries judged by then.
// Errors match [citekit.ErrSyntax] if the text is not UTF-8, or
// [citekit.ErrTooLarge] if it has more than [MaxText] bytes or [MaxCitations]
// addresses; or are ctx.Err() if the context ended before anything was judged,
// or was cancelled.
func (v *Verifier) Text(ctx context.Context, text string, opts *TextOptions) (*Report, error) {
	if opts == nil {
		opts = &TextOptions{}
	}
	if len(text) > MaxText {
		return nil, fmt.Errorf("a text of %d bytes; at most %d are read at once, so give it in parts: %w", len(text), MaxText, citekit.ErrTooLarge)
	}
	if !utf8.ValidString(text) {
		return nil, fmt.Errorf("the text is not UTF-8: %w", citekit.ErrSyntax)
	}
	modalities := v.lib.Modalities()
	read := citedtext.Parse(text, citedtext.Known{
		Modality: func(m citekit.Modality) bool { return slices.Contains(modalities, m) },
		Resource: func(id string) bool { _, err := v.lib.Map(ctx, id); return err == nil },
	})
	c := &textCall{judge: v, opts: opts, text: text, units: textlayer.NewOffsets(text), hash: fmt.Sprintf("%x", sha256.Sum256([]byte(text)))}
	if err := c.pair(read.Statements); err != nil {
		return nil, err
	}
	if err := c.judgeAll(ctx); err != nil {
		return nil, err
	}
	report := c.report()
	var left int
	report.Uncited, left = v.sentences(ctx, c, read.Uncited)
	report.NotChecked += left
	return report, nil
}

// A judge judges one quote and one address.
type judge interface {
	Quote(context.Context, Request) (*Verdict, error)
	check(context.Context, citekit.Address) error
	checkWhole(ctx context.Context, a citekit.Address, behind string) error
	meant(ctx context.Context, text string, err error) error
}

// A textCall is one call of Text.
type textCall struct {
	judge
	opts  *TextOptions
	text  string
	units *textlayer.Offsets
	hash  string // SHA-256 of the text
	pairs []*pair
}

// A pair is one quote or claim with one address.
type pair struct {
	statement int // index of their statement
	passage   citedtext.Passage
	citation  citedtext.Citation
	entry     *Entry
	same      *pair // an earlier pair with the same question, or nil
}

// pair makes pairs from statements.
func (c *textCall) pair(statements []citedtext.Statement) error {
	type question struct {
		kind          Kind
		text, address string
	}
	asked := make(map[question]*pair)
	for i, s := range statements {
		add := func(kind Kind, p citedtext.Passage, cited citedtext.Citation) {
			next := &pair{statement: i, passage: p, citation: cited, entry: c.entry(kind, p, cited)}
			q := question{kind, p.Text, c.text[cited.From:cited.To] + c.mayBelongTo(cited)}
			if next.same = asked[q]; next.same == nil {
				asked[q] = next
			}
			c.pairs = append(c.pairs, next)
		}
		kind := ClaimKind
		if s.Claim.Text == "" {
			kind = AddressKind
		}
		for n, cited := range s.Citations {
			switch {
			case len(s.Quotes) == 0:
				add(kind, s.Claim, cited)
			case n >= citedtext.MaxAtOnce:
				add(QuoteKind, s.Quotes[len(s.Quotes)-1], cited)
			}
		}
		for _, quote := range s.Quotes {
			for _, cited := range s.Citations[:min(len(s.Citations), citedtext.MaxAtOnce)] {
				add(QuoteKind, quote, cited)
			}
		}
		if len(c.pairs) > MaxCitations {
			return fmt.Errorf("a text with more than %d citations; give it in parts: %w", MaxCitations, citekit.ErrTooLarge)
		}
	}
	return nil
}

// entry returns the entry of a pair without a verdict.
func (c *textCall) entry(kind Kind, p citedtext.Passage, cited citedtext.Citation) *Entry {
	e := &Entry{Kind: kind, Cited: c.text[cited.From:cited.To], CitedAt: c.span(cited.From, cited.To), strict: c.opts.Strict}
	if kind != AddressKind {
		e.At = c.span(p.From, p.To)
	}
	return e
}

// span returns a part of the text in all units.
func (c *textCall) span(from, to int) Span {
	span, _ := spanOf(c.units, int64(from), int64(to)) // it begins and ends between characters
	return span
}

// maxWorkers is the maximum number of quotes of one text worked on at a time.
const maxWorkers = 8

// judgeAll judges the pairs. It returns an error if the context was cancelled, or
// ended before any was judged.
func (c *textCall) judgeAll(ctx context.Context) error {
	var next, judged atomic.Int64
	var workers sync.WaitGroup
	underway := min(len(c.pairs), mostUnderway)
	r := &sharedPasses{cpus: make(chan struct{}, min(runtime.GOMAXPROCS(0), maxWorkers)), active: underway}
	for range underway {
		workers.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(c.pairs)) && ctx.Err() == nil; i = next.Add(1) - 1 {
				r.work(ctx, func(ctx context.Context) {
					if c.judgePair(ctx, c.pairs[i]) {
						judged.Add(1)
					}
				})
			}
			r.rest(ctx)
		})
	}
	workers.Wait()
	if err := ctx.Err(); err != nil && len(c.pairs) > 0 && (judged.Load() == 0 || !errors.Is(err, context.DeadlineExceeded)) {
		return err
	}
	return nil
}

// judgePair sets the verdict of a pair. It reports whether the time was enough.
func (c *textCall) judgePair(ctx context.Context, p *pair) bool {
	if p.same != nil {
		return true
	}
	var verdict *Verdict
	var err error
	wrong := p.citation.Err
	if wrong != nil {
		wrong = c.meant(ctx, p.entry.Cited, wrong)
	} else {
		wrong = c.checkWhole(ctx, p.citation.Address, c.mayBelongTo(p.citation))
	}
	switch {
	case wrong != nil:
		verdict = &Verdict{Quote: p.passage.Text, Class: Unchecked, Problem: wrong}
	case p.entry.Kind == AddressKind:
		verdict = &Verdict{Address: p.citation.Address, Problem: c.check(ctx, p.citation.Address)}
		verdict.Stale = errors.Is(verdict.Problem, citekit.ErrStale)
	default:
		verdict, err = c.judgeWords(ctx, p)
	}
	if err != nil || verdict.Problem != nil && ctx.Err() != nil {
		return false
	}
	if p.entry.Kind != QuoteKind && verdict.Class != Exact && verdict.Class != Repaired && verdict.Class != Elsewhere {
		verdict.Class, verdict.Notes = Unquoted, nil
		if verdict.Problem != nil || verdict.Stale { // nothing is known of what is there
			verdict.Class, verdict.Difference = Unchecked, nil
		}
		if p.entry.Kind == ClaimKind && verdict.Problem == nil && !verdict.Stale {
			verdict.Address = p.citation.Address
		}
	}
	p.entry.Verdict = *verdict
	return true
}

// judgeWords returns the verdict about a quote, or about the words of a claim.
func (c *textCall) judgeWords(ctx context.Context, p *pair) (*Verdict, error) {
	req := Request{Quote: p.passage.Text, Address: p.citation.Address, Boxes: c.opts.Boxes, citing: c.hash, Only: p.entry.Kind == ClaimKind}
	verdict, err := c.judgeQuote(ctx, req)
	if err != nil {
		return nil, err
	}
	if p.passage.Written != "" && verdict.Class != Exact && verdict.Problem == nil {
		req.Quote = p.passage.Written
		written, err := c.judgeQuote(ctx, req)
		if err != nil {
			return nil, err
		}
		if slices.Index(classes, written.Class) < slices.Index(classes, verdict.Class) {
			verdict = written
		}
	}
	if verdict, err = c.withoutEnd(ctx, req, verdict); err != nil {
		return nil, err
	}
	if p.entry.Kind == ClaimKind && (errors.Is(verdict.Problem, errors.ErrUnsupported) || errors.Is(verdict.Problem, errIncomplete)) {
		verdict.Problem = c.check(ctx, req.Address) // there are no words to compare, or not all
	}
	return verdict, nil
}

// withoutEnd returns the verdict on a quote without the full stop or comma at
// its end, if the source has it without: the mark then belongs to the quoting
// sentence.
func (c *textCall) withoutEnd(ctx context.Context, req Request, verdict *Verdict) (*Verdict, error) {
	end := len(strings.TrimRight(req.Quote, ".,"))
	if verdict.Class != Altered || end == 0 || end != len(req.Quote)-1 {
		return verdict, nil
	}
	req.Quote = req.Quote[:end]
	shorter, err := c.judgeQuote(ctx, req)
	if err != nil || shorter.Class != Exact && shorter.Class != Repaired && shorter.Class != Elsewhere {
		return verdict, err
	}
	shorter.Quote = verdict.Quote
	if shorter.Class == Exact {
		shorter.Class = Repaired
	}
	shorter.Repairs = append(shorter.Repairs, Repair{Kind: quotation.EndOfSentence, Times: 1})
	return shorter, nil
}

// classes are the classes of quotes, best first.
var classes = []Class{Exact, Repaired, Elsewhere, Altered, NotFound, Unchecked}

// judgeQuote is like Quote, except that an invalid quote is a problem of the
// verdict too.
func (c *textCall) judgeQuote(ctx context.Context, req Request) (*Verdict, error) {
	verdict, err := c.Quote(ctx, req)
	if err != nil && ctx.Err() == nil {
		return &Verdict{Quote: req.Quote, Class: Unchecked, Problem: err}, nil
	}
	return verdict, err
}

// A position is a passage or an address of a statement, by its position.
type position struct{ statement, from int }

// report returns the entries of all judged pairs. If several quotes and several
// addresses stand in one place, it leaves out each failing pair whose quote and
// address both hold in other pairs.
func (c *textCall) report() *Report {
	quoteHolds := make(map[position]bool)
	addressHolds := make(map[position]bool)
	report := &Report{}
	for _, p := range c.pairs {
		if p.same != nil {
			p.entry.Verdict = p.same.entry.Verdict
		}
		if p.entry.Holds() {
			quoteHolds[position{p.statement, p.passage.From}] = true
			addressHolds[position{p.statement, p.citation.From}] = true
		}
	}
	for _, p := range c.pairs {
		switch {
		case p.entry.Class == "":
			report.NotChecked++
		case p.entry.Holds() || !quoteHolds[position{p.statement, p.passage.From}] || !addressHolds[position{p.statement, p.citation.From}]:
			report.Entries = append(report.Entries, p.entry)
		}
	}
	return report
}

// maxName is how much of a text behind an address may belong to the name of its
// resource and to its fragment, in bytes.
const maxName = 512

// mayBelongTo returns the text behind an address that ends with a name, up to the
// end of its line, which may belong to it.
func (c *textCall) mayBelongTo(cited citedtext.Citation) string {
	if !lookup.MayGoOn(c.text[cited.From:cited.To]) {
		return ""
	}
	behind, _, _ := strings.Cut(c.text[cited.To:min(len(c.text), cited.To+maxName)], "\n")
	return behind
}

// checkWhole returns an error if the name that an address ends with goes on behind
// it.
func (v *Verifier) checkWhole(ctx context.Context, a citekit.Address, behind string) error {
	return lookup.CheckWhole(ctx, v.lib, a, behind)
}

// meant returns the error of [citekit.ParseAddress] about a text, with the address
// that it means, if that is known.
func (v *Verifier) meant(ctx context.Context, text string, err error) error {
	return lookup.WithMeant(ctx, v.lib, text, err)
}

// check returns an error if an address leads to nothing, or its source has
// changed since it was cited.
func (v *Verifier) check(ctx context.Context, a citekit.Address) error {
	err := lookup.Check(ctx, v.lib, a)
	if err == nil {
		err = lookup.CheckEnd(ctx, v.lib, a)
	}
	if err != nil && lookup.Reason(err) == err {
		err = &citekit.ResolveError{Op: "verify", Address: a, Err: err}
	}
	return err
}
