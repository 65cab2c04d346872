package command

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/citekit/citekit/internal/command/internal/term"
)

func manCommand(s *session) *cobra.Command {
	return &cobra.Command{
		Use:   "man <folder>",
		Short: "Write the manual pages",
		Long: `Writes citekit.1, and a page such as citekit-resolve.1 for each command, into a
folder, which is made if it is missing. The pages say what the help says.
Existing pages are replaced.

For yourself, write them in your own folder, and name it to man:
  citekit man ~/.local/share/man/man1
  man -M ~/.local/share/man citekit-resolve
Without -M man looks there only if MANPATH has ~/.local/share/man, or, on most
systems, if PATH has ~/.local/bin.`,
		Example: "citekit man /usr/local/share/man/man1",
		Args:    between(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			written, err := writeManual(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			if s.json {
				return s.printJSON(map[string]any{"pages": written})
			}
			s.printf("%d manual pages in %s\n", len(written), term.Line(args[0]))
			return nil
		},
	}
}

// writeManual writes all pages into a folder and returns their names.
func writeManual(ctx context.Context, dir string) (names []string, err error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	for _, page := range manual() {
		if err := copyToFile(ctx, bytes.NewReader(page.text), filepath.Join(dir, page.name)); err != nil {
			return nil, err
		}
		names = append(names, page.name)
	}
	return names, nil
}

// A manualPage is a file of section 1 of the manual.
type manualPage struct {
	name string // such as "citekit-resolve.1"
	text []byte // roff with the macros of man(7)
}

// manual returns the page of the program, then one for each command, in the order of
// help. The pages depend only on the help: the same help gives the same bytes on
// every platform, whatever the time and the settings.
func manual() []manualPage {
	s := new(session)
	root := s.root()
	s.addAll(root)
	pages := []manualPage{programPage(root)}
	for _, c := range root.Commands() {
		pages = append(pages, commandPage(c))
	}
	return pages
}

func programPage(root *cobra.Command) manualPage {
	var r roff
	r.begin("citekit", "cite and extract exact evidence from local files")
	r.section("Synopsis")
	r.line(`\fBcitekit\fR \fIcommand\fR [\fIarguments\fR] [\fIflags\fR]`)
	r.section("Description")
	r.text(introduction + closing)
	r.section("Commands")
	for _, c := range new(Options).commands() {
		r.line(".TP")
		r.line(fmt.Sprintf(`\fB%s\fR(1)`, escapeRoff("citekit-"+c.name)))
		r.fill(c.make(new(session)).Short + ".")
	}
	r.flags("Options of every command", root.PersistentFlags())
	r.examples(overviewExamples())
	return r.page("citekit")
}

func commandPage(c *cobra.Command) manualPage {
	var r roff
	name := "citekit-" + c.Name()
	r.begin(name, strings.ToLower(c.Short[:1])+c.Short[1:])
	r.section("Synopsis")
	synopsis := `\fBcitekit ` + escapeRoff(c.Name()) + `\fR`
	if args := arguments(c); args != "" {
		synopsis += ` \fI` + escapeRoff(args) + `\fR`
	}
	r.line(synopsis + ` [\fIflags\fR]`)
	r.section("Description")
	r.text(cmp.Or(c.Long, c.Short+"."))
	if c.HasLocalFlags() {
		r.flags("Options", c.LocalFlags())
	}
	r.flags("Options of every command", c.Root().PersistentFlags())
	r.examples(c.Example)
	r.section("See also")
	r.line(`\fBcitekit\fR(1)`)
	return r.page(name)
}
