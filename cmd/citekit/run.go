package main

import (
	"bufio"
	"context"
	"errors"
	"io"
	"strconv"
	"strings"

	"github.com/citekit/citekit/internal/term"
)

// The exit codes.
const (
	exitOK          = 0
	exitFailure     = 1
	exitUsage       = 2
	exitInterrupted = 130 // 128 and the number of SIGINT, as shells count
)

// A session is one run of the program.
type session struct {
	stdin  io.Reader
	lines  *bufio.Reader // over stdin, once a person was asked; or nil
	stdout io.Writer     // for what must not be held back
	out    *bufio.Writer // for everything else; flushed at the end
	stderr io.Writer

	ocr bool // read pages without text by tesseract

	spinning spinner
	bar      *term.Bar // of an ingest, or nil

	globalFlags
}

// globalFlags are the flags that every command takes.
type globalFlags struct {
	dir       string
	roots     stringList
	mapsDir   string
	outputDir string
	shared    sharingFlags
	json      bool
	help      bool
	version   bool
}

func (g *globalFlags) register(f *flagSet) {
	f.StringVar(&g.dir, "dir", ".", "base `DIR`, with maps, evidence and sources")
	f.Var(&g.roots, "root", "further `DIR` that sources may be in; repeatable")
	f.StringVar(&g.mapsDir, "maps-dir", "", "`DIR` of the maps, relative to the base directory (default .resource_maps)")
	f.StringVar(&g.outputDir, "output-dir", "", "`DIR` of the evidence, relative to the base directory (default .citekit_output)")
	g.shared.register(f)
	f.BoolVar(&g.json, "json", false, "print JSON, errors included")
	f.BoolVar(&g.help, "help", false, "print help")
	f.BoolVar(&g.version, "version", false, "print the version")
	f.alias("h", "help")
}

// A stringList is a flag that may be given several times.
type stringList []string

func (l *stringList) String() string { return "" }

func (l *stringList) Set(value string) error {
	*l = append(*l, value)
	return nil
}

// run runs the program and returns its exit code. It ends early, leaving
// nothing half done, once ctx is done.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	s := &session{stdin: stdin, stdout: stdout, out: bufio.NewWriter(stdout), stderr: stderr}
	err := s.dispatch(ctx, args)
	s.spinning.end()
	if flushErr := s.out.Flush(); err == nil && flushErr != nil {
		err = flushErr
	}
	if err == nil {
		return exitOK
	}
	switch {
	case ctx.Err() == nil:
	case errors.Is(err, errReported):
		err = errStopped // it has been said
	case !errors.Is(err, errStopped):
		err = errInterrupted // whatever failed, failed because of it
	}
	return s.fail(err, wantsJSON(args))
}

// wantsJSON finds --json also in arguments that cannot be parsed. As with all
// flags the last one counts.
func wantsJSON(args []string) bool {
	wanted := false
	for _, arg := range args {
		if arg == "--" {
			break
		}
		name, value, hasValue := strings.Cut(arg, "=")
		if name != "--json" && name != "-json" {
			continue
		}
		if !hasValue {
			value = "true"
		}
		if b, err := strconv.ParseBool(value); err == nil {
			wanted = b
		}
	}
	return wanted
}

// dispatch finds the command and runs it. The flags that every command takes
// may also stand before it.
func (s *session) dispatch(ctx context.Context, args []string) error {
	before := newFlagSet("")
	s.register(before)
	rest, err := before.parseUpToCommand(args)
	if err != nil {
		return err
	}
	switch {
	case s.version:
		return s.printVersion()
	case s.help && len(rest) == 0:
		return s.printOverview()
	case len(rest) == 0:
		return usagef("", "no command; see 'citekit help'")
	}
	c, err := findCommand(rest[0])
	if err != nil {
		return err
	}
	return s.runCommand(ctx, c, rest[1:])
}

func (s *session) runCommand(ctx context.Context, c *command, args []string) error {
	if c.raw { // its arguments are another command line
		return c.run(ctx, s, args)
	}
	flags := c.flagSet()
	given := s.globalFlags
	s.register(flags)
	s.globalFlags = given // registering has set the defaults
	positional, err := flags.parse(args)
	switch {
	case s.help:
		return s.printHelp(c)
	case s.version:
		return s.printVersion()
	case err != nil:
		return err
	case len(positional) < c.minArgs:
		return usagef(c.name, "%s needs %s", c.name, c.args)
	case c.maxArgs >= 0 && len(positional) > c.maxArgs:
		return c.unexpected(positional)
	}
	return c.run(ctx, s, positional)
}

// unexpected returns the error for more arguments than the command takes. Most
// often a shell has split one, or taken its "#" for a comment.
func (c *command) unexpected(args []string) error {
	extra := args[c.maxArgs]
	if c.maxArgs != 1 {
		return usagef(c.name, "unexpected argument %q", extra)
	}
	if isThere(args[0]) && isThere(extra) {
		return usagef(c.name, "%s takes one file, and not also %q", c.name, extra)
	}
	whole := args[0]
	for _, arg := range args[1:] {
		gap := " "
		if name, _, isParameter := strings.Cut(arg, "="); isParameter && isSelector(name) && !strings.Contains(whole, "#") {
			gap = "#"
		}
		whole += gap + arg
	}
	return usagef(c.name, "unexpected argument %q; what belongs together is quoted: citekit %s '%s'", extra, c.name, whole)
}

// isSelector reports whether a word is the name of a parameter of addresses.
func isSelector(word string) bool {
	switch word {
	case "pages", "page", "t", "lines", "line", "bbox", "xywh", "v",
		"blocks", "block", "sheet", "cells", "rows", "cols", "part", "message", "table", "member":
		return true
	}
	return false
}
