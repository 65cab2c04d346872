package main

import (
	"bufio"
	"context"
	"errors"
	"io"
	"strconv"
	"strings"
)

// The exit codes.
const (
	exitOK      = 0
	exitFailure = 1
	exitUsage   = 2
)

// A session is one run of the program.
type session struct {
	stdin  io.Reader
	stdout io.Writer     // for what must not be held back
	out    *bufio.Writer // for everything else; flushed at the end
	stderr io.Writer

	globalFlags
}

// globalFlags are the flags that every command takes.
type globalFlags struct {
	dir       string
	roots     stringList
	mapsDir   string
	outputDir string
	json      bool
	help      bool
	version   bool
}

func (g *globalFlags) register(f *flagSet) {
	f.StringVar(&g.dir, "dir", ".", "base `DIR`, with maps, evidence and sources")
	f.Var(&g.roots, "root", "further `DIR` that sources may be in; repeatable")
	f.StringVar(&g.mapsDir, "maps-dir", "", "`DIR` of the maps, relative to the base directory (default .resource_maps)")
	f.StringVar(&g.outputDir, "output-dir", "", "`DIR` of the evidence, relative to the base directory (default .citekit_output)")
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
	if flushErr := s.out.Flush(); err == nil && flushErr != nil {
		err = flushErr
	}
	if err == nil {
		return exitOK
	}
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		err = errInterrupted
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
		return usagef(c.name, "unexpected argument %q", positional[c.maxArgs])
	}
	return c.run(ctx, s, positional)
}
