package command

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/cite"
	"github.com/citekit/citekit/corpus"
	"github.com/citekit/citekit/internal/command/internal/term"
	"github.com/citekit/citekit/verify"
	"github.com/citekit/citekit/viewer"
)

// citeFlags are the flags of cite.
type citeFlags struct {
	as, quote, url, from string
	output               string
	force                bool
	viewURL              string // of a server with pages; "" unless it is given
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
With --view-url it is the page of a server ('citekit serve --view') that shows any
place, and the quote marked in it.

The forms pdf and html are files to hand over with the evidence of --quote, for
readers without citekit: the PDF of the cited pages with the words highlighted,
whose first bytes are the evidence, so that its SHA-256 still checks; or one page
of HTML with a picture of the place or its words, the address, and a button that
checks the hash. They are made only if the quote is in its source, and put beside
the evidence or, with --output, into a file.

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
			"citekit cite 'doc://book#pages=12' --quote 'the engine weaves' --as pdf --output proof.pdf",
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
				if f.isFile() {
					return c.handOver(ctx, args[0])
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
	flags.StringVarP(&f.output, "output", "o", "", "with --as pdf or html, write `FILE`; - is the standard output")
	flags.BoolVar(&f.force, "force", false, "with --output, replace FILE if it exists")
	flags.StringVar(&f.viewURL, "view-url", "", "start of the `URL` of a server with pages, such as https://cite.example, for --as url")
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
	case f.isFile() && f.quote == "":
		return usagef("cite", "--as %s marks the words of --quote; give them, or write the evidence alone with 'citekit resolve'", f.as)
	}
	return nil
}

// ignored says which of the flags that were given does nothing beside the others, or
// "".
func (f *citeFlags) ignored() (why string) {
	f.set.Visit(func(one *pflag.Flag) {
		switch name := one.Name; {
		case why != "":
		case f.from != "" && slices.Contains([]string{"as", "quote", "url", "view-url", "pin", "output", "force"}, name):
			why = "--" + name + " is for writing citations, and --from reads them"
		case name == "document" && f.from != "anthropic":
			why = "--document is for --from anthropic"
		case (name == "url" || name == "view-url") && f.as != "url":
			why = "--" + name + " is for --as url"
		case name == "view-url" && f.set.Changed("url"):
			why = "--url is a published copy, and --view-url a page of a server; give one"
		case name == "output" && f.output == "-": // what the other forms do anyway
		case (name == "output" || name == "force") && !f.isFile():
			why = "--" + name + " is for --as pdf and --as html; the other forms are printed"
		case name == "force" && f.output == "":
			why = "--force is for --output"
		case name == "pin" && f.isFile():
			why = "--pin is for citations; a file has the SHA-256 of its source"
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
	OCR     bool            `json:"ocr,omitempty"`     // the quote was recognised in a picture
	Stale   bool            `json:"stale,omitempty"`   // the source has changed since it was mapped
	Warning string          `json:"warning,omitempty"` // why the citation may not lead to what it names
}

func (c *citer) write(ctx context.Context, ids []string) error {
	var all []writtenCitation
	for i, id := range ids {
		cited, err := c.make(ctx, id, i+1)
		if err != nil {
			return err
		}
		w := writtenCitation{Address: cited.Address, Label: cited.Label(), Quote: cited.Quote, As: c.as, Text: cited.Text, JSON: cited.JSON, OCR: cited.OCR}
		if cited.Problem != nil {
			w.Stale, w.Warning = errors.Is(cited.Problem, citekit.ErrStale), detail(cited.Problem).Message
			c.warn("warning: " + w.Warning)
		}
		if cited.Note != "" {
			w.Warning = cmp.Or(w.Warning, cited.Note)
			c.warn("warning: " + cited.Note)
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

// make returns a citation of the part that an id names, the number-th one from 1.
func (c *citer) make(ctx context.Context, id string, number int) (*cite.Cited, error) {
	id, err := c.named(ctx, c.Library, id)
	if err != nil {
		return nil, err
	}
	if c.set.Changed("view-url") {
		if u, err := url.Parse(c.viewURL); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
			return nil, usagef("cite", "--view-url %s; write the start of a URL, such as https://cite.example", term.Line(c.viewURL))
		}
	}
	req := cite.Request{ID: id, Quote: c.quote, Form: cite.Form(c.as), URL: c.url, Number: number}
	switch {
	case c.pin:
		req.Pin = cite.PinAlways
	case c.set.Changed("pin"):
		req.Pin = cite.PinNever
	}
	cited, err := c.Citer.Cite(ctx, req)
	if err != nil {
		return nil, citeError(err)
	}
	if c.viewURL != "" {
		cited.Text, cited.Note = viewer.Link(c.viewURL, cited.Address.String(), cited.Quote), "" // it leads to any place
	}
	return cited, nil
}

// citeError returns an error of package cite with what a person can do about it.
func citeError(err error) error {
	var quote *cite.QuoteError
	switch {
	case errors.As(err, new(*cite.FieldError)):
		return asUsage("cite", err)
	case errors.As(err, &quote) && quote.Verdict.Class == verify.NotFound:
		return hinted{err, "look for similar words with 'citekit search'"}
	}
	return err
}
