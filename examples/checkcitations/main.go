// Command checkcitations tells whether the citations in the Markdown files of a
// folder hold, for CI. The other files of the folder are the sources, and it maps
// them first. A Markdown file counts as a source only if it already has a map.
//
//	go run ./examples/checkcitations [-strict] DIRECTORY
//
// It prints a line for each citation that does not hold, and one if not all sources
// can be mapped. The exit code is 0 if all hold, 1 if one does not or there is none,
// and 2 if they could not be read.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/ingest"
	"github.com/citekit/citekit/modality"
	"github.com/citekit/citekit/verify"
	"github.com/citekit/citekit/workspace"
)

func main() {
	strict := flag.Bool("strict", false, "let claims fail whose words do not stand in the source")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "usage: checkcitations [-strict] DIRECTORY\n\nIt maps the files of DIRECTORY, and checks the citations in its Markdown files.")
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() != 1 {
		flag.Usage()
		os.Exit(2)
	}
	dir := flag.Arg(0)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	hold, err := check(ctx, os.Stdout, dir, &verify.TextOptions{Strict: *strict})
	switch {
	case err != nil:
		slog.Error("the citations were not checked", "error", err)
		os.Exit(2)
	case !hold:
		os.Exit(1)
	}
}

// check prints the citations below a directory that do not hold, and reports whether
// there are some and all hold.
func check(ctx context.Context, out io.Writer, dir string, opts *verify.TextOptions) (hold bool, err error) {
	ws, err := workspace.Open(dir, nil)
	if err != nil {
		return false, err
	}
	lib := citekit.New(ws, modality.All(), nil)
	defer lib.Close()
	texts, sources, err := files(dir)
	if err != nil {
		return false, err
	}
	if len(sources) > 0 {
		report, err := ingest.Run(ctx, lib, sources, nil)
		if err != nil {
			return false, err
		}
		if err := report.Err(); err != nil {
			fmt.Fprintln(out, err) // what cites it does not hold; the rest can be checked
		}
	}
	verifier := verify.New(lib, nil)
	checked, failed := 0, 0
	for _, path := range texts {
		report, err := checkFile(ctx, out, verifier, path, opts)
		if err != nil {
			return false, err
		}
		if !report.CitesNothing() {
			checked++
			if !report.Holds() {
				failed++
			}
		}
	}
	if checked == 0 {
		fmt.Fprintln(out, "nothing was checked: no Markdown file has an address")
	}
	return checked > 0 && failed == 0, nil
}

// files returns the Markdown files below a directory, and the other ones, which are
// relative to it. Hidden ones are left out.
func files(dir string) (texts, sources []string, err error) {
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case strings.HasPrefix(d.Name(), ".") && path != dir:
			if d.IsDir() {
				return fs.SkipDir
			}
		case d.IsDir():
		case filepath.Ext(path) == ".md":
			texts = append(texts, path)
		default:
			source, err := filepath.Rel(dir, path)
			sources = append(sources, source)
			return err
		}
		return nil
	})
	return texts, sources, err
}

// checkFile prints the citations of a file that do not hold.
func checkFile(ctx context.Context, out io.Writer, verifier *verify.Verifier, path string, opts *verify.TextOptions) (*verify.Report, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	report, err := verifier.Text(ctx, string(text), opts)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	for _, e := range report.Entries {
		if e.Holds() {
			continue
		}
		line := 1 + strings.Count(string(text[:e.CitedAt.Bytes[0]]), "\n")
		fmt.Fprintf(out, "%s:%d: %s: %s %q\n", filepath.Base(path), line, e.Cited, e.Class, e.Quote)
		for _, c := range e.Difference {
			fmt.Fprintf(out, "\tit has %q, the source %q\n", c.Quote, c.Source)
		}
		if e.Problem != nil {
			fmt.Fprintf(out, "\t%v\n", e.Problem)
		}
	}
	for _, s := range report.Uncited {
		if !s.Fails() {
			continue
		}
		line := 1 + strings.Count(string(text[:s.At.Bytes[0]]), "\n")
		fmt.Fprintf(out, "%s:%d: a quote without an address: %q\n", filepath.Base(path), line, s.Text)
	}
	return report, nil
}
