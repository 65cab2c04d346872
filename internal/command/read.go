package command

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/contents"
	"github.com/citekit/citekit/internal/child"
	"github.com/citekit/citekit/internal/command/internal/term"
	"github.com/citekit/citekit/preview"
)

func readCommand(s *session) *cobra.Command {
	var req contents.Request
	var pictures bool
	var extra extraText
	c := &cobra.Command{
		Use:         "read <what>...",
		Annotations: anyMaps,
		Short:       "Print the text of nodes and addresses",
		Long: `Prints the text of what is named, within a number of tokens: RESOURCE.NODE, a
whole RESOURCE, an address such as doc://book#pages=12-15, or a mapped FILE. Short texts are
printed whole, and long ones share the rest; the end says how to continue.`,
		Example: lines(
			"citekit read book.chapter-2",
			"citekit read 'doc://book#pages=12-15' --tokens 20000",
			"citekit read book.chapter-2 --parent --neighbours --json",
			"citekit read notes.summary --relations 1",
		),
		Args: between(1, contents.MaxIDs),
		RunE: func(cmd *cobra.Command, args []string) error {
			req.IDs, s.extra = args, extra
			return s.read(cmd.Context(), req, pictures)
		},
	}
	f := c.Flags()
	countVar(f, &req.MaxTokens, "tokens", "", contents.DefaultTokens, 1, "at most `TOKENS` for the answer as compact JSON, 100 to 1000000")
	f.StringVar(&req.Cursor, "cursor", "", "continue an earlier call for the same at the `CURSOR` that it gave")
	f.BoolVar(&req.Expand.Parent, "parent", false, "also read the node around each node")
	f.BoolVar(&req.Expand.Children, "children", false, "also read the nodes in each node")
	f.BoolVar(&req.Expand.Neighbours, "neighbours", false, "also read the nodes before and after each node")
	f.IntVar(&req.Expand.Relations, "relations", 0, "also read the places that each part links to or is linked from, up to `HOPS` links away, 0 to 2")
	f.BoolVar(&pictures, "image", false, "show a picture of each part above its text, on a terminal that can (kitty, Ghostty, iTerm2, WezTerm, and those with sixels)")
	extra.register(f)
	f.BoolVar(&req.Cells, "cells", false, "with --json, give the cells of tables, with what they span")
	f.BoolVar(&req.Runs, "runs", false, "with --json, give the address of each part, such as a page")
	return c
}

func (s *session) read(ctx context.Context, req contents.Request, pictures bool) error {
	shown := term.NoPictures
	switch {
	case pictures && s.json:
		return usagef("read", "--image draws on a terminal, which --json leaves no place for; 'citekit resolve --open' opens the evidence")
	case pictures:
		shown = term.PicturesOf(s.stdout) // may ask it
	}
	if pictures && shown == term.NoPictures {
		pictures = false
		defer func() { s.warn("--image: " + s.noPictures().Error() + "; 'citekit view' shows the parts in a browser") }()
	}
	lib, err := s.open()
	if err != nil {
		return err
	}
	defer lib.Close()
	if req.IDs, err = s.allNamed(ctx, lib, req.IDs); err != nil {
		return err
	}
	opts := new(contents.Options)
	if !s.extra.scans && canRecognise() {
		opts.Scans = "--ocr reads it, in some seconds for each page"
	}
	read, err := contents.New(lib, opts).Read(ctx, req)
	if err != nil {
		return asUsage("read", err)
	}
	if s.json {
		err = s.printJSON(read)
	} else {
		s.printContents(read, func(a citekit.Address) {
			if pictures {
				s.showPicture(ctx, lib, a, shown)
			}
		})
	}
	return cmp.Or(err, s.tellUnread(read))
}

// tellUnread prints the errors of the items that could not be read, except the last,
// which it returns.
func (s *session) tellUnread(read *contents.Contents) (last error) {
	for _, item := range read.Items {
		if item.Err == nil {
			continue
		}
		if last != nil {
			s.warn(plainMessage(last))
		}
		last = adviseStorage(item.Err)
	}
	return last
}

// printText prints a text unchanged, or on a terminal without control characters.
func (s *session) printText(text string) {
	if !term.IsTTY(s.stdout) {
		s.printf("%s", text)
		if text != "" && !strings.HasSuffix(text, "\n") {
			s.printf("\n")
		}
		return
	}
	for line := range strings.Lines(text) {
		cells := strings.Split(strings.TrimRight(line, "\r\n"), "\t")
		for i := range cells {
			cells[i] = term.Line(cells[i])
		}
		s.printf("%s\n", strings.Join(cells, "\t"))
	}
}

// because returns the relation for which a part is read, to follow its address.
func because(r *contents.Relation) string {
	if r == nil {
		return ""
	}
	return fmt.Sprintf("  (%s: %s → %s)", term.Line(r.Kind), r.From, r.To)
}

// showPicture shows a preview of an address, or says why there is none.
func (s *session) showPicture(ctx context.Context, lib *citekit.Library, a citekit.Address, how term.Pictures) {
	p, err := preview.New(lib).Make(ctx, a, s.showOptions())
	if err == nil {
		s.out.Flush()
		err = how.Show(s.stdout, p.Data)
	}
	if err != nil {
		s.warn(plainMessage(err))
	}
}

// canRecognise reports whether there is a program that reads scans.
func canRecognise() bool {
	_, err := child.Find("tesseract")
	return err == nil
}

// printContents prints texts, each below its address if there are several. It calls
// above before each.
func (s *session) printContents(read *contents.Contents, above func(citekit.Address)) {
	several := len(read.Items) > 1
	for i, item := range read.Items {
		if item.Err != nil {
			continue
		}
		if several {
			if i > 0 {
				s.printf("\n")
			}
			s.printf("%s%s\n", item.Address, because(item.Relation))
		}
		above(item.Address)
		s.printText(item.Text)
		if how := machines(item.Transcribed, item.OCR); how != "" {
			fmt.Fprintf(s.stderr, "citekit: %s: %s\n", item.Address, how)
		}
		if item.Note != "" {
			fmt.Fprintf(s.stderr, "citekit: %s: %s\n", item.Address, term.Line(item.Note))
		}
	}
	if read.NextCursor != "" {
		fmt.Fprintf(s.stderr, "citekit: there is more; --tokens prints more at once, --cursor %s goes on\n", read.NextCursor)
	}
}
