package main

import (
	"bufio"
	"context"
	"errors"
	"io"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/citekit/citekit/cmd/citekit/internal/term"
)

// The exit codes.
const (
	exitOK          = 0
	exitFailure     = 1
	exitUsage       = 2
	exitInterrupted = 130 // 128 + SIGINT, as in shells
)

// A session is one run of the program.
type session struct {
	stdin  io.Reader
	lines  *bufio.Reader // reads stdin, once a person was asked; or nil
	stdout io.Writer     // for unbuffered output
	out    *bufio.Writer // for all other output; flushed at the end
	stderr io.Writer

	extra extraText

	spinning spinner
	bar      atomic.Pointer[term.Bar] // of an ingest; or nil

	ran *command // nil unless its arguments are right

	globalFlags
}

// globalFlags are the flags of all commands.
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

// A stringList is a flag that may be repeated.
type stringList []string

func (l *stringList) String() string { return "" }

func (l *stringList) Set(value string) error {
	*l = append(*l, value)
	return nil
}

// run runs the program and returns its exit code. Once ctx is done it ends early and
// leaves nothing half done.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	s := &session{stdin: stdin, stdout: stdout, out: bufio.NewWriter(stdout), stderr: stderr}
	err := s.dispatch(ctx, args)
	s.spinning.end()
	if flushErr := s.out.Flush(); err == nil && flushErr != nil {
		err = flushErr
	}
	defer s.hintAtMaps(err)
	if err == nil {
		return exitOK
	}
	switch {
	case ctx.Err() == nil:
	case errors.Is(err, errReported):
		err = errStopped // already reported
	case !errors.Is(err, errStopped):
		err = errInterrupted // any failure now is due to the interruption
	}
	return s.fail(err, wantsJSON(args))
}

// wantsJSON finds --json even in arguments that cannot be parsed. The last
// occurrence counts, as for all flags.
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

// dispatch finds the command and runs it. The global flags may also precede it.
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
	s.globalFlags = given // register reset them to the defaults
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
	s.ran = c
	return c.run(ctx, s, positional)
}

// unexpected returns the error for too many arguments. Usually the shell has split
// an argument, or has treated its "#" as a comment.
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

// isSelector reports whether a word is the name of an address parameter.
func isSelector(word string) bool {
	switch word {
	case "pages", "page", "t", "lines", "line", "bbox", "xywh", "v",
		"blocks", "block", "sheet", "cells", "rows", "cols", "part", "message", "table", "member":
		return true
	}
	return false
}
