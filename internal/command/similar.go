package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/spf13/cobra"

	"github.com/citekit/citekit/corpus"
	"github.com/citekit/citekit/internal/command/internal/term"
	"github.com/citekit/citekit/internal/plain"
	"github.com/citekit/citekit/search"
)

// maxText is how much of a text is compared with the resources, in bytes.
const maxText = 1 << 20

func similarCommand(s *session) *cobra.Command {
	f := searchFlags{command: "similar"}
	var text string
	c := &cobra.Command{
		Use:         "similar [<what>]",
		Annotations: anyMaps,
		Short:       "Find parts similar to a text, a node or a resource",
		Long: `Finds the parts of resources that share the most characteristic words with
<what>: a RESOURCE.NODE, a whole RESOURCE or an address. With --text it compares
a text, and with "-" the standard input. The part itself is left out. The output
is as in search.`,
		Example: lines(
			"citekit similar book.chapter-2",
			"citekit similar 'doc://book#pages=12-15' --by resources",
			"citekit similar --text 'chalk in the kettle' --json",
			"citekit similar - < draft.md",
		),
		Args: between(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			s.extra = f.extra
			if (len(args) == 1) == (text != "") {
				return usagef("similar", "similar needs an id, --text or -, and only one of them")
			}
			req := search.SimilarRequest{Text: text}
			if text == "" && args[0] != "-" {
				req.ID = args[0]
			} else if text == "" {
				read, err := io.ReadAll(io.LimitReader(s.stdin, maxText))
				if err != nil {
					return err
				}
				req.Text = string(read)
			}
			return s.similar(cmd.Context(), req, f)
		},
	}
	flags := c.Flags()
	flags.StringVar(&text, "text", "", "find parts similar to `TEXT`")
	f.register(flags)
	return c
}

func (s *session) similar(ctx context.Context, req search.SimilarRequest, f searchFlags) error {
	asked, err := f.read()
	if err != nil {
		return err
	}
	req.By, req.TopK, req.Filters, req.Rationale = asked.By, asked.TopK, asked.Filters, asked.Rationale
	var found *search.Results
	err = s.withCorpus(nil, func(c *corpus.Corpus) (err error) {
		if req.ID, err = s.named(ctx, c.Library, req.ID); err != nil {
			return err
		}
		if err := s.nameFilters(ctx, c.Library, &req.Filters); err != nil {
			return err
		}
		found, err = c.Searcher.Similar(ctx, req)
		if errors.Is(err, fs.ErrNotExist) && strings.Contains(req.ID, " ") { // it looks like a text
			err = hinted{fmt.Errorf("no resource '%s'%w", term.Line(plain.Shorten(req.ID, maxShownWords)), silent{err}), "--text takes a text to find parts similar to it"}
		}
		return err
	})
	return s.printFound("similar", found, err)
}
