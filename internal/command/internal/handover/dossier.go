package handover

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/plain"
	"github.com/citekit/citekit/verify"
)

// Limits of a dossier.
const (
	MaxCitations = 500       // of the text
	MaxTotal     = 128 << 20 // bytes of all evidence
	MaxPages     = 1000      // of all evidence
	maxPages     = 50        // of one piece; what has more is not included
)

// DossierOptions configures a dossier. The zero value is ready to use.
type DossierOptions struct {
	Name   string    // of the text, such as "answer.md"
	HTML   bool      // one page of HTML; else a PDF
	Strict bool      // as in [verify.TextOptions]
	Date   time.Time // of the dossier; zero means when the latest of its sources was mapped
}

// A Dossier is a file with the evidence of all citations of a text.
type Dossier struct {
	Report   *verify.Report
	Data     []byte
	Included int // pieces of evidence
}

// Dossier checks all citations of a text, as [verify.Verifier.Text] does, and returns a
// file that has them in a table with their verdicts, and the evidence of each. The words
// of quotes that hold are marked there; what does not hold is only shown as such. A nil
// opts means the defaults.
//
// Errors are those of [verify.Verifier.Text], and match [citekit.ErrTooLarge] beyond
// [MaxCitations], [MaxTotal] or [MaxPages]. Evidence that cannot be resolved is no
// error: the table says why it is missing.
func (m *Maker) Dossier(ctx context.Context, text string, opts *DossierOptions) (*Dossier, error) {
	o := *cmp.Or(opts, new(DossierOptions))
	d, err := m.gather(ctx, text, o)
	if err != nil {
		return nil, err
	}
	made := &Dossier{Report: d.report, Included: len(d.pieces)}
	if o.HTML {
		made.Data, err = m.dossierHTML(ctx, d)
	} else {
		made.Data, err = m.dossierPDF(ctx, d)
	}
	return made, err
}

// A dossier is what a dossier is made of.
type dossier struct {
	title, name, hash string
	date              time.Time
	report            *verify.Report
	quotes            []*Quote // all citations
	pieces            []*Piece
	link              func(citekit.Address, string) string
}

// gather checks the citations of a text and resolves their evidence.
func (m *Maker) gather(ctx context.Context, text string, o DossierOptions) (*dossier, error) {
	report, err := m.verifier.Text(ctx, text, &verify.TextOptions{Boxes: true, Strict: o.Strict})
	if err != nil {
		return nil, err
	}
	if n := len(report.Entries); n > MaxCitations {
		return nil, fmt.Errorf("the text has %d citations, and a dossier has at most %d; make it of parts of the text: %w", n, MaxCitations, citekit.ErrTooLarge)
	}
	hash := sha256.Sum256([]byte(text))
	d := &dossier{title: titleOf(text, o.Name), name: o.Name, hash: hex.EncodeToString(hash[:]), date: o.Date, report: report, link: m.Link}
	c := &collector{Maker: m, dossier: d, known: make(map[string]int)}
	for i, e := range report.Entries {
		words := e.Verdict.Quote
		if e.At != (verify.Span{}) && words == "" {
			words = text[e.At.Bytes[0]:e.At.Bytes[1]]
		}
		q, err := m.quote(ctx, words, &e.Verdict)
		if err != nil {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			q = &Quote{Words: words, Address: e.Verdict.Address, Verdict: &e.Verdict}
		}
		q.Number, q.entry = i+1, e
		d.quotes = append(d.quotes, q)
		if err := c.collect(ctx, q); err != nil {
			return nil, err
		}
	}
	if d.date.IsZero() {
		for _, p := range d.pieces {
			if t, err := time.Parse(time.RFC3339, p.Mapped); err == nil && t.After(d.date) {
				d.date = t
			}
		}
	}
	return d, nil
}

// maxTitle is how long the title of a dossier is, in bytes.
const maxTitle = 200

// titleOf returns the first heading of a text, or its name.
func titleOf(text, name string) string {
	for line := range strings.Lines(text) {
		if heading, ok := strings.CutPrefix(line, "# "); ok && strings.TrimSpace(heading) != "" {
			return plain.Shorten(plain.Line(heading), maxTitle)
		}
	}
	return plain.Shorten(plain.Line(cmp.Or(name, "Citations")), maxTitle)
}

// A collector resolves the evidence of citations, that of each place once.
type collector struct {
	*Maker
	*dossier
	known map[string]int // number of a piece, by its address
	bytes int64
	pages int
}

// collect adds the evidence of a citation.
func (c *collector) collect(ctx context.Context, q *Quote) error {
	v := q.Verdict
	if q.Address.Resource == "" {
		cited, err := citekit.ParseAddress(q.entry.Cited)
		if err != nil {
			return nil // the verdict says so
		}
		q.Address = cited
	}
	switch {
	case v.Stale || v.Problem != nil:
		q.note = "Without evidence, as the citation could not be checked."
		return nil
	case v.Class == verify.NotFound:
		q.note = "Without evidence: there is nothing to show."
		return nil
	case q.Address.Location.IsWhole():
		q.note = "Without evidence, as a whole source is cited."
		return nil
	case q.Address.Location.PageCount() > maxPages:
		q.note = fmt.Sprintf("Without evidence, as more than %d pages are cited.", maxPages)
		return nil
	}
	name := q.Address.String()
	if n := c.known[name]; n > 0 {
		c.add(q, n)
		return nil
	}
	p, err := c.piece(ctx, q.Address)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, citekit.ErrTooLarge):
		q.note = "Without evidence, as it is too large."
		return nil
	case err != nil:
		q.note = "Without evidence: " + plain.Shorten(strings.TrimPrefix(err.Error(), "citekit: "), maxRemark)
		return nil
	}
	c.bytes += p.Evidence.Size
	c.pages += p.Evidence.Address.Location.PageCount()
	if c.bytes > MaxTotal || c.pages > MaxPages {
		return fmt.Errorf("evidence of more than %d bytes or %s; make a dossier of parts of the text: %w", MaxTotal, message.Count(MaxPages, "page"), citekit.ErrTooLarge)
	}
	c.pieces = append(c.pieces, p)
	c.known[name] = len(c.pieces)
	c.add(q, len(c.pieces))
	return nil
}

func (c *collector) add(q *Quote, n int) {
	q.piece = n
	p := c.pieces[n-1]
	p.Quotes = append(p.Quotes, q)
}

// dossierHTML returns a dossier as one page.
func (m *Maker) dossierHTML(ctx context.Context, d *dossier) ([]byte, error) {
	page := &shownPage{Title: d.title, Cover: d.cover()}
	for i, p := range d.pieces {
		shown, err := m.shownPiece(ctx, p)
		if err != nil {
			return nil, err
		}
		shown.ID, shown.Numbered, shown.Label = i+1, true, fmt.Sprintf("%d. %s", i+1, p.Label)
		page.Pieces = append(page.Pieces, shown)
	}
	return writePage(page), nil
}
