package reanchor

import (
	"context"
	"errors"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/citedtext"
	"github.com/citekit/citekit/internal/lookup"
)

// ErrUnpinned is the problem of an address that does not pin a version and has
// no quote beside it: the cited text is unknown. It matches
// [errors.ErrUnsupported].
var ErrUnpinned error = unpinnedError{}

type unpinnedError struct{}

func (unpinnedError) Error() string {
	return "the address pins no version (v=), and nothing is quoted beside it: nothing tells what it was of"
}

func (unpinnedError) Is(target error) bool { return target == errors.ErrUnsupported }

// RewriteOptions configures [Reanchorer.Rewrite]. The zero value is ready to use.
type RewriteOptions struct {
	// Similar also moves citations whose result is [Similar]. Those of an
	// [Ambiguous] part are never moved.
	Similar bool

	// Pin adds the version of the source to the addresses of parts that pin none, if
	// their source has such a part: they can then be moved when the source changes.
	Pin bool
}

// A Citation is an address in a rewritten text.
type Citation struct {
	Line    int     // from 1
	Written string  // as it was in the text
	Now     string  // the new address; Written if it was not moved
	Result  *Result // where the cited part is now
	Pinned  bool    // a version was added to the address
	moved   bool
}

// Moved reports whether the citation was changed to another place or version.
func (c *Citation) Moved() bool { return c.moved }

// Left reports whether a person has to look at the citation.
func (c *Citation) Left() bool {
	switch c.Result.How {
	case Similar:
		return !c.Moved()
	case Unknown:
		return !errors.Is(c.Result.Problem, ErrUnpinned)
	}
	return c.Result.How == Gone || c.Result.How == Ambiguous
}

// A Rewriting is a text with its citations moved to the current places of the
// cited parts.
type Rewriting struct {
	Text      string     // with the new addresses
	Citations []Citation // in order
}

// Rewrite finds the parts cited by the addresses in a text, which may be
// Markdown or any other, and rewrites the addresses that [How.Moves] allows to
// move. The rest of the text is unchanged, byte for byte. Addresses in fenced
// code blocks are examples and are not changed, nor are addresses that have neither
// a modality nor a resource of the Library. A quote beside an address is used as
// [Request.Quote]. Errors are ctx.Err().
func (r *Reanchorer) Rewrite(ctx context.Context, text string, opts *RewriteOptions) (*Rewriting, error) {
	if opts == nil {
		opts = &RewriteOptions{}
	}
	known := citedtext.Known{
		Modality: func(m citekit.Modality) bool { return r.lib.Resolvers()[m] != nil },
		Resource: func(id string) bool { _, err := r.lib.Map(ctx, id); return err == nil },
	}
	quotes := quotesOf(text, known)
	out := &Rewriting{}
	var b strings.Builder
	last := 0
	for m := range citedtext.Mentions(text) {
		if m.Fenced || !known.Modality(m.Modality) && !known.Resource(m.ID) {
			continue
		}
		c := Citation{Line: m.Line, Written: text[m.From:m.To], Now: text[m.From:m.To]}
		var err error
		behind := ""
		if lookup.MayGoOn(c.Written) {
			behind = text[m.To:]
		}
		if c.Result, err = r.findMention(ctx, m, behind, quotes[m.From]); err != nil {
			return nil, err
		}
		if c.Result.How.Moves() || c.Result.How == Similar && opts.Similar {
			c.moved = true
		}
		if opts.Pin && m.Err == nil && m.Address.Version == "" {
			c.Pinned = r.pin(ctx, m.Address, c.Result)
		}
		if c.moved || c.Pinned {
			now := text[m.From:m.Fragment] + fragment(c.Result.Address, m.And)
			c.moved = c.moved && now != c.Now
			c.Now = now
		}
		b.WriteString(text[last:m.From])
		b.WriteString(c.Now)
		last = m.To
		out.Citations = append(out.Citations, c)
	}
	b.WriteString(text[last:])
	out.Text = b.String()
	return out, nil
}

// pin adds the present version to the address of a result that pins none. It reports
// whether it did so.
func (r *Reanchorer) pin(ctx context.Context, was citekit.Address, result *Result) bool {
	known := result.How == Unchanged || result.How.Moves()
	if was.Location.IsWhole() || !known && !errors.Is(result.Problem, ErrUnpinned) {
		return false
	}
	m, err := r.lib.Map(ctx, was.Resource)
	if err != nil || m.SourceHash() == "" {
		return false
	}
	if !known {
		err := lookup.Check(ctx, r.lib, was)
		if err == nil {
			err = lookup.CheckEnd(ctx, r.lib, was)
		}
		if err != nil {
			result.Problem = err
			return false
		}
		*result = Result{Was: was, Address: was, How: Unchanged, Confidence: 1}
	}
	result.Address.Version = m.SourceHash()[:pinDigits]
	return true
}

// pinDigits is how many hex digits of the SHA-256 of a source are added to an address.
const pinDigits = 16

// findMention returns the current place of what an address cites, which the text
// behind stands behind.
func (r *Reanchorer) findMention(ctx context.Context, m citedtext.Mention, behind, quote string) (*Result, error) {
	wrong := m.Err
	if wrong == nil {
		wrong = lookup.CheckWhole(ctx, r.lib, m.Address, behind)
	}
	if wrong != nil {
		return &Result{How: Unknown, Problem: wrong}, ctx.Err()
	}
	return r.Find(ctx, Request{Address: m.Address, Quote: quote})
}

// fragment returns the part of an address after its id, with "&" in the given
// form; "" leaves it.
func fragment(a citekit.Address, and string) string {
	f := a.Fragment()
	if f == "" {
		return ""
	}
	if and != "" {
		f = strings.ReplaceAll(f, "&", and)
	}
	return "#" + f
}

// quotesOf returns the quote for the address at each offset of a text.
func quotesOf(text string, known citedtext.Known) map[int]string {
	quotes := make(map[int]string)
	for _, s := range citedtext.Parse(text, known).Statements {
		if len(s.Quotes) == 0 {
			continue
		}
		for _, c := range s.Citations {
			if _, ok := quotes[c.From]; !ok {
				quotes[c.From] = s.Quotes[0].Text
			}
		}
	}
	return quotes
}
