package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/citekit/citekit/cmd/citekit/internal/term"
)

func manCommand() *command {
	return &command{
		name:    "man",
		args:    "<folder>",
		summary: "Write the manual pages",
		about: `Writes citekit.1, and a page such as citekit-resolve.1 for each command, into a
folder, which is made if it is missing. The pages say what the help says.
Existing pages are replaced.

For yourself, write them in your own folder, and name it to man:
  citekit man ~/.local/share/man/man1
  man -M ~/.local/share/man citekit-resolve
Without -M man looks there only if MANPATH has ~/.local/share/man, or, on most
systems, if PATH has ~/.local/bin.`,
		example: []string{"citekit man /usr/local/share/man/man1"},
		minArgs: 1, maxArgs: 1,
		run: func(ctx context.Context, s *session, args []string) error {
			written, err := writeManual(ctx, args[0])
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
	pages := []manualPage{programPage()}
	for _, c := range commands() {
		if !c.hidden {
			pages = append(pages, c.manualPage())
		}
	}
	return pages
}

func programPage() manualPage {
	var r roff
	r.begin("citekit", "cite and extract exact evidence from local files")
	r.section("Synopsis")
	r.line(`\fBcitekit\fR \fIcommand\fR [\fIarguments\fR] [\fIflags\fR]`)
	r.section("Description")
	r.text(introduction + closing)
	r.section("Commands")
	for _, c := range commands() {
		if !c.hidden {
			r.line(".TP")
			r.line(fmt.Sprintf(`\fB%s\fR(1)`, escapeRoff("citekit-"+c.name)))
			r.fill(c.summary + ".")
		}
	}
	r.globalFlags()
	r.examples(overviewExamples())
	return r.page("citekit")
}

func (c *command) manualPage() manualPage {
	var r roff
	name := "citekit-" + c.name
	r.begin(name, strings.ToLower(c.summary[:1])+c.summary[1:])
	r.section("Synopsis")
	synopsis := `\fBcitekit ` + escapeRoff(c.name) + `\fR`
	if c.args != "" {
		synopsis += ` \fI` + escapeRoff(c.args) + `\fR`
	}
	r.line(synopsis + ` [\fIflags\fR]`)
	r.section("Description")
	if c.about == "" {
		r.text(c.summary + ".")
	} else {
		r.text(c.about)
	}
	if c.flags != nil {
		r.section("Options")
		r.flags(c.flagSet())
	}
	r.globalFlags()
	r.examples(c.example)
	r.section("See also")
	r.line(`\fBcitekit\fR(1)`)
	return r.page(name)
}
