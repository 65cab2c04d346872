package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/citation"
	"github.com/citekit/citekit/cmd/citekit/internal/term"
	"github.com/citekit/citekit/corpus"
	"github.com/citekit/citekit/internal/lookup"
	"github.com/citekit/citekit/reanchor"
	"github.com/citekit/citekit/textlayer"
	"github.com/citekit/citekit/verify"
)

// citeFlags are the flags of cite.
type citeFlags struct {
	as, quote, url, from string
	documents            []string
	pin                  bool
	extra                extraText
	set                  *pflag.FlagSet
}

func citeCommand(s *session) *cobra.Command {
	var f citeFlags
	written, read := citeFormNames()
	c := &cobra.Command{
		Use:         "cite <what>...",
		Annotations: anyMaps,
		Short:       "Write citations in common forms, and read them",
		Long: `Writes a citation of RESOURCE.NODE, a whole RESOURCE or an address
as ` + strings.Join(written[:len(written)-1], ", ") + `
or ` + written[len(written)-1] + `. Title, authors and date come from the map. With --quote the words must
occur there: the citation then has their exact place and, in forms that can hold
it, the text around them. The form anthropic is a citation of a document with
--quote, and otherwise a search_result block with the text. If the source has
changed since it was mapped, or is gone, a warning says so.

Markdown, footnotes, csl, bibtex and annotation have the version of the source in
the address of a part (v=), so that 'citekit reanchor' can move them when the
source changes. It is left out where the quote tells that: in Markdown and
footnotes, if it has 20 letters or more and occurs once.

The form url is for readers without citekit: a link to the file, or with --url to
a published copy, that opens at the page, the lines, the rows of a CSV file, the
time or the region. URLs have no form for blocks, for cells, or for a place inside
a mail or an archive: the URL is then that of the file, and a warning says so.

With --from it reads such a form, or the response of a model's API, from a file
or the standard input, and prints the place of each citation. In Markdown it reads
links, footnotes, and addresses in brackets or bare, with the quotes before them.
Quotes are checked against their sources: those that do not occur there are
reported, and the exit code is 1. The word after each address is the class of its quote, as verify gives
it; "named" means that the citation has no quote, so that only its address was
checked.`,
		Example: lines(
			"citekit cite book.chapter-2 --as bibtex",
			"citekit cite 'doc://book#pages=12' --quote 'the engine weaves' --as annotation",
			"citekit cite book.chapter-2 --quote 'the engine weaves' --as url --url https://example.org/book.pdf",
			"citekit cite --from anthropic response.json --document book --document notes",
			"citekit cite --from openai --json < response.json",
		),
		Args: between(0, -1),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			s.extra = f.extra
			if err := f.check(args); err != nil {
				return err
			}
			return s.withCorpus(nil, func(opened *corpus.Corpus) error {
				c := &citer{s, f, opened}
				if f.from != "" {
					return c.read(ctx, args)
				}
				return c.write(ctx, args)
			})
		},
	}
	flags := c.Flags()
	f.set = flags
	flags.StringVar(&f.as, "as", "markdown", "`FORM` to write: "+strings.Join(written, ", "))
	flags.StringVar(&f.quote, "quote", "", "cite the words `TEXT`, wherever they occur in what is named")
	flags.StringVar(&f.url, "url", "", "`URL` of a published copy, for --as url (default the path of the source)")
	flags.StringVar(&f.from, "from", "", "read a `FORM`: "+strings.Join(read, ", "))
	flags.StringArrayVar(&f.documents, "document", nil, "`RESOURCE` that the model was given, in the order of the request; repeatable, for --from anthropic")
	flags.BoolVar(&f.pin, "pin", false, "name the version of the source in the address; without --pin, of a part, unless the citation has a quote that tells where it was, and never with --pin=false")
	f.extra.register(flags)
	return c
}

func (f *citeFlags) check(args []string) error {
	written, read := citeFormNames()
	switch {
	case f.from != "" && !slices.Contains(read, f.from):
		return usagef("cite", "--from %s; write one of %s", term.Line(f.from), strings.Join(read, ", "))
	case !slices.Contains(written, f.as):
		return usagef("cite", "--as %s; write one of %s", term.Line(f.as), strings.Join(written, ", "))
	case f.from != "" && len(args) > 1:
		return usagef("cite", "--from reads one file, or the standard input")
	case f.ignored() != "":
		return usagef("cite", "%s", f.ignored())
	case f.from == "" && len(args) == 0:
		return usagef("cite", "cite needs an id or an address, or --from")
	case f.quote != "" && len(args) > 1:
		return usagef("cite", "--quote cites one source; name only that")
	}
	return nil
}

// ignored says which of the flags that were given does nothing beside the others, or
// "".
func (f *citeFlags) ignored() (why string) {
	f.set.Visit(func(one *pflag.Flag) {
		switch name := one.Name; {
		case why != "":
		case f.from != "" && slices.Contains([]string{"as", "quote", "url", "pin"}, name):
			why = "--" + name + " is for writing citations, and --from reads them"
		case name == "document" && f.from != "anthropic":
			why = "--document is for --from anthropic"
		case name == "url" && f.as != "url":
			why = "--url is for --as url"
		}
	})
	return why
}

// A citer writes and reads citations.
type citer struct {
	*session
	citeFlags
	*corpus.Corpus
}

// A writtenCitation is one entry of the JSON output.
type writtenCitation struct {
	Address citekit.Address `json:"address"`
	Label   string          `json:"label"`
	Quote   string          `json:"quote,omitempty"`
	As      string          `json:"as"`
	Text    string          `json:"text,omitempty"` // of a form that is not JSON
	JSON    json.RawMessage `json:"value,omitempty"`
	Stale   bool            `json:"stale,omitempty"`   // the source has changed since it was mapped
	Warning string          `json:"warning,omitempty"` // why the citation may not lead to what it names
}

func (c *citer) write(ctx context.Context, ids []string) error {
	var all []writtenCitation
	for i, id := range ids {
		cited, err := c.make(ctx, id)
		if err != nil {
			return err
		}
		w := writtenCitation{Address: cited.Address, Label: cited.Label(), Quote: cited.Quote, As: c.as}
		if err := c.checkSource(ctx, cited.Address); err != nil {
			w.Stale, w.Warning = errors.Is(err, citekit.ErrStale), detail(err).Message
			c.warn("warning: " + w.Warning)
		}
		if w.Text, w.JSON, err = formNamed(c.as).write(ctx, c, cited, i+1); err != nil {
			return asUsage("cite", err)
		}
		if without := withoutPlace(c.as, w.Text, cited); without != "" {
			w.Warning = cmp.Or(w.Warning, without)
			c.warn("warning: " + without)
		}
		all = append(all, w)
	}
	if c.json {
		return c.printJSON(map[string]any{"citations": all})
	}
	if c.as == "csl" {
		items := make([]json.RawMessage, len(all))
		for i, w := range all {
			items[i] = w.JSON
		}
		return c.printJSON(items)
	}
	for _, w := range all {
		if w.JSON != nil {
			if err := c.printJSON(w.JSON); err != nil {
				return err
			}
			continue
		}
		c.printText(w.Text)
	}
	return nil
}

// withoutPlace says that a URL leads to the whole source, although a part of it is
// cited, or "".
func withoutPlace(as, form string, cited *citation.Citation) string {
	if as != "url" || cited.Address.Location.IsWhole() || strings.Contains(form, "#") {
		return ""
	}
	return fmt.Sprintf("the URL leads to the whole source, as URLs have no form for %s; write the place beside it",
		cmp.Or(citation.Place(cited.Address.Location), term.Line(cited.Address.Location.String())))
}

// checkSource returns why the source of a citation is not as it was when it was
// mapped, or nil.
func (c *citer) checkSource(ctx context.Context, a citekit.Address) error {
	opened, err := c.Open(ctx, citekit.Address{Resource: a.Resource, Version: a.Version})
	if err != nil {
		var failed *citekit.ResolveError
		if errors.As(err, &failed) {
			err = &citekit.ResolveError{Op: "cite", Address: a, Err: failed.Err}
		}
		return err
	}
	return opened.Source.Close()
}

// make returns a citation of the part that an id names, with the quote if there is
// one.
func (c *citer) make(ctx context.Context, id string) (*citation.Citation, error) {
	id, err := c.named(ctx, c.Library, id)
	if err != nil {
		return nil, err
	}
	part, err := lookup.Find(ctx, c.Library, id)
	if err != nil {
		return nil, err
	}
	cited := &citation.Citation{Address: part.Address, Work: citation.WorkOf(part.Map, part.Node)}
	if err := checkPlace(part.Map, cited.Address); err != nil {
		return nil, err
	}
	if c.quote == "" {
		if part.Node == nil {
			if err := c.checkEnd(ctx, cited.Address); err != nil {
				return nil, err
			}
		}
		c.pinTo(ctx, part.Map, cited, false)
		return cited, nil
	}
	verdict, err := c.Verifier.Quote(ctx, verify.Request{Quote: c.quote, Address: cited.Address})
	switch {
	case err != nil:
		return nil, asUsage("cite", err)
	case verdict.Problem != nil:
		return nil, verdict.Problem
	case !verdict.Holds():
		if err := c.checkSource(ctx, part.Address); verdict.Stale && err != nil {
			return nil, err // it says what to do
		}
		return nil, unheld(verdict, part.Address)
	}
	if err := c.place(ctx, cited, verdict); err != nil {
		return nil, err
	}
	c.pinTo(ctx, part.Map, cited, verdict.Counted && verdict.Places == 1 && reanchor.Tells(cited.Quote))
	return cited, nil
}

// pinTo adds the version of the source to the address of a citation that says
// nowhere else what it is of, and keeps the text of that version, so that reanchor
// can move the citation when the source changes. tells reports whether the quote
// tells where it was.
func (c *citer) pinTo(ctx context.Context, m *citekit.ResourceMap, cited *citation.Citation, tells bool) {
	pin := c.pin
	if !c.set.Changed("pin") {
		when := formNamed(c.as).pin
		pin = !cited.Address.Location.IsWhole() && (when == pinParts || when == pinUntold && !tells)
	}
	hash := m.SourceHash()
	if !pin || cited.Address.Version != "" || hash == "" {
		return
	}
	cited.Address.Version = hash[:min(len(hash), pinDigits)]
	_ = reanchor.New(c.Library, nil).Keep(ctx, m.ResourceID) // the citation is right without it
}

// unheld returns the error for a quote that was not found where it is cited.
func unheld(v *verify.Verdict, a citekit.Address) error {
	switch {
	case v.Stale:
		return &citekit.ResolveError{Op: "cite", Address: a, Err: citekit.ErrStale}
	case v.Class == verify.Elsewhere:
		return fmt.Errorf("the quote is not in %s, but in %s; cite that", a, v.Address)
	case v.Class == verify.Altered:
		return fmt.Errorf("the quote is altered; %s has: “%s”", v.Address, shownWords(v.Text))
	}
	return fmt.Errorf("the quote is not in %s; look for similar words with 'citekit search'", a)
}

// around is the most characters given before and after a quote.
const around = 32

// place sets the place of a citation to where its quote was found, and adds the text
// around the quote.
func (c *citer) place(ctx context.Context, cited *citation.Citation, v *verify.Verdict) error {
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
	layer, err := c.Layers.Open(ctx, cited.Address.Resource)
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
	cited.Suffix = firstRunes(behind, around)
	if space := strings.LastIndexByte(cited.Suffix, ' '); space > 0 && len(cited.Suffix) < len(behind) {
		cited.Suffix = cited.Suffix[:space]
	}
	return err
}

// firstRunes returns the first n characters of text. It drops a character cut in two
// at the end.
func firstRunes(text string, n int) string {
	text = strings.ToValidUTF8(text, "")
	for i := range text {
		if n == 0 {
			return text[:i]
		}
		n--
	}
	return text
}
