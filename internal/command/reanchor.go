package command

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/command/internal/term"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/reanchor"
)

// maxCiting is the largest file whose citations are rewritten, in bytes.
const maxCiting = 64 << 20

func reanchorCommand(s *session) *cobra.Command {
	var flags reanchorFlags
	c := &cobra.Command{
		Use:         "reanchor <file>",
		Annotations: anyMaps,
		Short:       "Move the citations of a text to where the cited text is now",
		Long: `Finds the addresses in a text, such as Markdown, that cite an older version of
their source, and changes them to where the cited text is now. A citation is
moved if its text occurs there word for word. If the text was changed, or is a
short quote that is only at another place, the citation is shown, and moved only
with --similar. If its words are at several places and nothing tells which one
was cited, it is ambiguous: the line has the places, and you write the right one.
Addresses in fenced code blocks stay.

Prints a line for each citation that is not up to date: "OLD -> NEW" if the
citation is moved, "OLD ~> NEW" if it stays and NEW is proposed. The number is
how sure that is, at most 1. Fails if a person must look at a citation: its text was
changed, is ambiguous, gone, or not known.

The text of a cited version is compared if it is still kept. A run keeps the
texts of the versions that the file cites now: run it, or --dry-run, once after
writing citations. An address without v= needs a quote beside it, and is up to
date if the quote is still there. Otherwise the quote is searched for in the
source; if it is short or at several places, the kept versions that have it at
the address tell which place was cited. Without v= and without a quote, nothing
can be checked: addresses that 'citekit search' and 'citekit answer' print have no
v=, and --pin adds it to all in the text, once it is right.`,
		Example: lines(
			"citekit reanchor notes.md --dry-run",
			"citekit reanchor notes.md",
			"citekit reanchor notes.md --similar --json",
			"citekit reanchor notes.md --pin",
		),
		Args: between(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			s.extra = flags.extra
			return s.reanchor(cmd.Context(), args[0], flags)
		},
	}
	f := c.Flags()
	f.BoolVar(&flags.dryRun, "dry-run", false, "only print what would be done")
	f.BoolVar(&flags.similar, "similar", false, "also move the citations that are shown as similar")
	f.BoolVar(&flags.pin, "pin", false, "add the version of the source to the addresses that have none")
	flags.extra.register(f)
	return c
}

// reanchorFlags are the flags of reanchor.
type reanchorFlags struct {
	dryRun, similar, pin bool
	extra                extraText
}

func (s *session) reanchor(ctx context.Context, name string, flags reanchorFlags) error {
	before, err := readCiting(name)
	if err != nil {
		return err
	}
	lib, err := s.open()
	if err != nil {
		return err
	}
	defer lib.Close()
	r, err := reanchor.New(lib, nil).Rewrite(ctx, string(before), &reanchor.RewriteOptions{Similar: flags.similar, Pin: flags.pin})
	if err != nil {
		return err
	}
	written := r.Text != string(before) && !flags.dryRun
	if written {
		if err := rewriteFile(ctx, name, before, []byte(r.Text)); err != nil {
			return err
		}
	}
	return s.printRewriting(name, r, written)
}

// readCiting reads a file whose citations are to be rewritten.
func readCiting(name string) ([]byte, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, usagef("reanchor", "%s is not a file", term.Line(name))
	}
	if info.Size() > maxCiting {
		return nil, fmt.Errorf("%s has %d bytes, at most %d are read: %w", term.Line(name), info.Size(), maxCiting, citekit.ErrTooLarge)
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxCiting))
}

// rewriteFile replaces the content of a file unless it is no longer before.
func rewriteFile(ctx context.Context, name string, before, after []byte) error {
	info, err := os.Stat(name)
	if err != nil {
		return err
	}
	if info.Mode().Perm()&0o200 == 0 {
		return fmt.Errorf("%s may not be written: %w", term.Line(name), os.ErrPermission)
	}
	return replaceFile(name, after, func(target string) error {
		now, err := readCiting(target)
		if err == nil && !bytes.Equal(now, before) {
			err = fmt.Errorf("%s was %w; it is left as it is, run this again", term.Line(name), citekit.ErrConflict)
		}
		return cmp.Or(err, ctx.Err())
	})
}

// A citationReport is the report of reanchor on one citation.
type citationReport struct {
	Line    int              `json:"line"`
	Written string           `json:"written"`
	Now     string           `json:"now"`
	Moved   bool             `json:"moved"`
	Pinned  bool             `json:"pinned,omitempty"`
	Left    bool             `json:"left"`
	Result  *reanchor.Result `json:"result"`
}

func (s *session) printRewriting(name string, r *reanchor.Rewriting, written bool) error {
	all := []citationReport{}
	count := make(map[string]int)
	for i := range r.Citations {
		c := &r.Citations[i]
		all = append(all, citationReport{c.Line, c.Written, c.Now, c.Moved(), c.Pinned, c.Left(), c.Result})
		count[string(c.Result.How)]++
		if c.Moved() {
			count["moved"]++
		}
		if c.Left() {
			count["left"]++
		}
		if c.Pinned {
			count["pinned"]++
		}
	}
	var err error
	if s.json {
		err = s.printJSON(map[string]any{"file": name, "rewritten": written, "citations": all, "counts": count})
	} else {
		for _, c := range all {
			s.printCitation(c)
		}
		verb, pinned := "moved", ""
		if !written {
			verb = "to move"
		}
		if n := count["pinned"]; n > 0 && written {
			pinned = fmt.Sprintf(", %d pinned", n)
		} else if n > 0 {
			pinned = fmt.Sprintf(", %d to pin", n)
		}
		s.printf("%s: %d up to date, %d %s, %d left, %d unchecked%s\n", message.Count(len(all), "citation"),
			count[string(reanchor.Unchanged)], count["moved"], verb, count["left"], unproven(r), pinned)
	}
	if err == nil && count["left"] > 0 {
		err = errReported
	}
	return err
}

// unproven counts the citations that could not be checked: they pin no version.
func unproven(r *reanchor.Rewriting) (n int) {
	for i := range r.Citations {
		if c := &r.Citations[i]; c.Result.How == reanchor.Unknown && !c.Left() {
			n++
		}
	}
	return n
}

// printCitation prints a line about a citation unless it is up to date.
func (s *session) printCitation(c citationReport) {
	if !c.Moved && !c.Left {
		if c.Result.How == reanchor.Unknown {
			s.printf("%d: %s: unchecked, %s; --pin adds the version, if the address is right\n", c.Line, term.Line(c.Written), term.Line(plainMessage(c.Result.Problem)))
		}
		if c.Pinned {
			s.printf("%d: %s => %s: pinned\n", c.Line, term.Line(c.Written), term.Line(c.Now))
		}
		return
	}
	s.printf("%d: %s", c.Line, term.Line(c.Written))
	switch {
	case c.Moved:
		s.printf(" -> %s", term.Line(c.Now))
	case c.Result.Address.Resource != "":
		s.printf(" ~> %s", c.Result.Address)
	}
	s.printf(": %s", c.Result.How)
	switch {
	case c.Result.Problem != nil:
		s.printf(", %s", term.Line(plainMessage(c.Result.Problem)))
	case c.Result.How == reanchor.Ambiguous:
		s.printf(", %s", severalPlaces(c.Result))
	case c.Result.Address.Resource != "":
		s.printf(" %.2f", c.Result.Confidence)
	}
	for i, d := range c.Result.Difference {
		if i == 3 {
			s.printf(" …")
			break
		}
		s.printf(" [-%s-]{+%s+}", term.Line(d.Quote), term.Line(d.Source))
	}
	if c.Result.Reason != "" {
		s.printf(", %s", c.Result.Reason)
	}
	s.printf("\n")
}

// maxShownPlaces is how many places of an ambiguous citation are shown.
const maxShownPlaces = 5

// severalPlaces says at how many places the words of an ambiguous citation are, where
// in the source that is, and what to do.
func severalPlaces(r *reanchor.Result) string {
	var at []string
	for i, a := range r.Candidates {
		if i == maxShownPlaces {
			break
		}
		at = append(at, term.Line(a.Location.String()))
	}
	if len(at) > 0 && len(at) < r.Places {
		at = append(at, "…")
	}
	text := message.Count(r.Places, "place")
	if len(at) > 0 {
		text += ": " + strings.Join(at, ", ")
	}
	return "the words are at " + text + "; write the right address"
}
