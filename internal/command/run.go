package command

import (
	"bufio"
	"context"
	"errors"
	"io"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/citekit/citekit/internal/command/internal/term"
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

	ran *cobra.Command // nil unless its arguments are right

	options  Options
	storeURL string // of the workspace; "" if it is a directory
	globalFlags
}

// globalFlags are the flags of all commands.
type globalFlags struct {
	dir       string
	roots     []string
	mapsDir   string
	outputDir string
	shared    sharingFlags
	json      bool

	workspaceURL string
	flags        *pflag.FlagSet // of all these
}

func (g *globalFlags) register(f *pflag.FlagSet) {
	g.flags = f
	f.StringVar(&g.workspaceURL, "workspace", "", "`URL` of a workspace in another store, or a DIR (default $CITEKIT_WORKSPACE, else --dir)")
	f.StringVar(&g.dir, "dir", ".", "base `DIR`, with maps, evidence and sources")
	f.StringArrayVar(&g.roots, "root", nil, "further `DIR` that sources may be in; repeatable")
	f.StringVar(&g.mapsDir, "maps-dir", "", "`DIR` of the maps, relative to the base directory (default .resource_maps)")
	f.StringVar(&g.outputDir, "output-dir", "", "`DIR` of the evidence, relative to the base directory (default .citekit_output)")
	g.shared.register(f)
	f.BoolVar(&g.json, "json", false, "print JSON, errors included")
	f.BoolP("help", "h", false, "print help")
	f.Bool("version", false, "print the version")
}

// run runs the program and returns its exit code. Once ctx is done it ends early and
// leaves nothing half done.
func (o Options) run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	s := &session{options: o, stdin: stdin, stdout: stdout, out: bufio.NewWriter(stdout), stderr: stderr}
	err := s.execute(ctx, args)
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

// execute runs the command that the arguments name.
func (s *session) execute(ctx context.Context, args []string) error {
	root := s.root()
	if len(args) > 0 && (args[0] == cobra.ShellCompRequestCmd || args[0] == cobra.ShellCompNoDescRequestCmd) {
		s.addAll(root)
		s.addCompletion(root)
	} else {
		var err error
		if args, err = s.checkArgs(root, args); err != nil {
			return err
		}
	}
	root.SetArgs(args)
	c, err := root.ExecuteContextC(ctx)
	var bad *pflag.InvalidValueError
	if errors.As(err, &bad) {
		return badValue(c, bad)
	}
	return err
}
