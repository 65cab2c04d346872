package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/corpus"
	"github.com/citekit/citekit/internal/command/internal/handover"
	"github.com/citekit/citekit/internal/command/internal/term"
	"github.com/citekit/citekit/internal/ctxio"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/viewer"
)

// dossierFlags are the flags of dossier.
type dossierFlags struct {
	output, url   string
	force, strict bool
	extra         extraText
}

func dossierCommand(s *session) *cobra.Command {
	var f dossierFlags
	c := &cobra.Command{
		Use:         "dossier <file>",
		Annotations: anyMaps,
		Short:       "Put the evidence of all citations of a text into one file",
		Long: `Checks all citations of a text, as verify does, and writes one file for readers
without citekit: a table of the citations with their verdicts and addresses, also
as QR codes, and behind it the evidence of each. The name of the output says what
it is: .pdf with bookmarks, whose pages of evidence are those of the source, or
.html, one page that needs no network and checks the hashes of the evidence.

Only quotes that hold are highlighted. What does not hold is in the table and
shown as such. Evidence that is no PDF is shown by a picture or its words. Whole
sources, and more than 50 pages at once, are cited in the table and not included.

The sheets of a PDF are written in fonts with Latin, Greek, Cyrillic, Chinese,
Japanese and Korean letters. Others, such as Arabic, are shown there as their codes,
such as \u0634, while copied text has the characters; the pages of evidence keep their
own fonts. HTML has no such limit. The same text, sources and maps give the same bytes: the date is when the
latest source was mapped, or SOURCE_DATE_EPOCH.

The exit code is as that of verify: 0 if all holds, and 1 if something does not,
although the file is written. A text that cites nothing gives no file.`,
		Example: lines(
			"citekit dossier answer.md -o dossier.pdf",
			"citekit dossier answer.md -o dossier.html --url https://cite.example",
			"citekit dossier - -o dossier.pdf < answer.md",
		),
		Args: between(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			s.extra = f.extra
			return s.dossier(cmd.Context(), args[0], f)
		},
	}
	flags := c.Flags()
	flags.StringVarP(&f.output, "output", "o", "", "`FILE` to write, which ends in .pdf or .html")
	flags.BoolVar(&f.force, "force", false, "replace FILE if it exists")
	flags.BoolVar(&f.strict, "strict", false, "fail claims whose words do not occur in the source, and quotes without an address")
	flags.StringVar(&f.url, "url", "", "`URL` of a server with pages ('citekit serve --view'), for links and QR codes that open the places there")
	f.extra.register(flags)
	return c
}

func (s *session) dossier(ctx context.Context, name string, f dossierFlags) error {
	opts := &handover.DossierOptions{Strict: f.strict}
	switch ext := strings.ToLower(filepath.Ext(f.output)); {
	case f.output == "":
		return usagef("dossier", "dossier needs --output, a name that ends in .pdf or .html")
	case ext != ".pdf" && ext != ".html" && ext != ".htm":
		return usagef("dossier", "--output %s; a name that ends in .pdf or .html says what to write", term.Line(f.output))
	default:
		opts.HTML = ext != ".pdf"
	}
	if err := checkPublicURL(f.url); err != nil {
		return err
	}
	var err error
	if opts.Date, err = sourceDate(); err != nil {
		return err
	}
	if err := checkOutput(f.output, f.force); err != nil {
		return fmt.Errorf("--output: %w", err)
	}
	text, err := s.readText(name)
	if err != nil {
		return err
	}
	if name != "-" {
		opts.Name = filepath.Base(name)
	}
	var made *handover.Dossier
	err = s.withCorpus(nil, func(c *corpus.Corpus) (err error) {
		defer s.spin(ctx, "making the dossier")()
		maker := handover.New(c)
		if f.url != "" {
			maker.Link = func(a citekit.Address, quote string) string { return viewer.Link(f.url, a.String(), quote) }
		}
		made, err = maker.Dossier(ctx, text, opts)
		return err
	})
	if err != nil {
		return adviseStorage(err)
	}
	v := verifiedText{name, text, made.Report}
	if made.Report.CitesNothing() {
		s.printVerified([]verifiedText{v})
		return fmt.Errorf("%s cites nothing; there is no dossier to make: %w", term.Line(name), citekit.ErrFormat)
	}
	if err := s.writeDossier(ctx, made, f); err != nil {
		return err
	}
	return s.reportDossier(v, made, f.output)
}

// writeDossier writes the file, all of it or nothing.
func (s *session) writeDossier(ctx context.Context, made *handover.Dossier, f dossierFlags) error {
	err := checkOutput(f.output, f.force) // a file may have appeared meanwhile
	if err == nil {
		err = writeOutput(ctx, bytes.NewReader(made.Data), f.output)
	}
	if err != nil {
		return fmt.Errorf("--output: %w", err)
	}
	return nil
}

func (s *session) reportDossier(v verifiedText, made *handover.Dossier, path string) error {
	var err error
	if s.json {
		err = s.printJSON(struct {
			Path     string       `json:"output_path"`
			Size     int          `json:"size"`
			SHA256   string       `json:"sha256"`
			Included int          `json:"evidence"`
			Verified verifiedText `json:"verified"`
		}{path, len(made.Data), ctxio.HashOf(made.Data), made.Included, v})
	} else {
		s.printVerified([]verifiedText{v})
		s.printRows([]row{{"path", path}, {"size", byteSize(int64(len(made.Data)))}, {"sha256", ctxio.HashOf(made.Data)}, {"evidence", message.Count(made.Included, "piece")}})
	}
	if err == nil && !made.Report.Holds() {
		err = errReported
	}
	return err
}

// checkPublicURL returns an error unless a URL can be that of a server.
func checkPublicURL(text string) error {
	if text == "" {
		return nil
	}
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.RawQuery != "" || u.Fragment != "" {
		return usagef("dossier", "--url %s; it is that of a server, such as https://cite.example", term.Line(text))
	}
	return nil
}

// sourceDate returns the time of SOURCE_DATE_EPOCH, or the zero time if it is not set.
func sourceDate() (time.Time, error) {
	text := os.Getenv("SOURCE_DATE_EPOCH")
	if text == "" {
		return time.Time{}, nil
	}
	seconds, err := strconv.ParseInt(text, 10, 64)
	const last = 253402300799 // of the year 9999
	if err != nil || seconds < 0 || seconds > last {
		return time.Time{}, errors.New("SOURCE_DATE_EPOCH is not a number of seconds since 1970")
	}
	return time.Unix(seconds, 0).UTC(), nil
}
