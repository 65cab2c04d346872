package command

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/citekit/citekit/internal/command/internal/config"
	"github.com/citekit/citekit/internal/command/internal/term"
	"github.com/citekit/citekit/internal/mcpcall"
	"github.com/citekit/citekit/mcpadapter"
	"github.com/citekit/citekit/server/transport"
)

func serveCommand(s *session) *cobra.Command {
	flags := settingFlags{command: "serve"}
	c := &cobra.Command{
		Use:   "serve [root]...",
		Short: "Serve the resources to agents over MCP",
		Long: `Runs a Model Context Protocol server on the standard input and output, with the
tools search, findSimilar, getContext, answer, getContents, verify,
listResources, getStructure, getNode, resolve and info. It ends at the end of
its input, or with a signal. Logs go to the standard error. Folders named after
the flags are further roots, as with --root.

With --transport http, or with --host or --port, it serves clients of any version
of the protocol that connect to a port of this machine, at the address that it
prints on the standard error. Other machines cannot reach it, and web pages are
refused. A signal ends it: running calls have 10 seconds to finish.

With --keys callers need a key made by 'citekit key', and other machines may
connect; --tls-cert and --tls-key serve HTTPS. The keys of one folder, that of
--dir, are for the workspace default: 'citekit key new --workspace default'.
With --workspace there are several folders, each with its own keys. Limits, an
identity provider and other settings for a team are in a settings file: see
'citekit help config'. On SIGHUP the server reads it again and reopens its logs.

With --ingest agents can also make maps of files in the base directory and the
roots, by the tools ingest and ingestStatus. With --embedder and --reranker
searches also rank by meaning, as 'citekit help search' says. With --model a
model writes abstractive answers, as 'citekit help answer' says.

--dialect offers the tools that clients of another server know, in place of
those above, or with --dialect citekit,lightfast beside them: lightfast has
search, get_contents, find_similar and answer, sage has sage_get_knowledge,
sage_search, sage_get_context and sage_info. If two dialects have a tool of
one name, the first keeps it; the other is called lightfast_search.

--toolsets and --tools offer fewer tools, which leaves models more room; clients
over HTTP can leave out more with the headers X-MCP-Toolsets, X-MCP-Tools and
X-MCP-Readonly. With --read-only no tool writes maps or evidence files, whatever
else is given.

Most clients take a configuration such as
  {"mcpServers": {"citekit": {"command": "citekit",
                              "args": ["serve", "--dir", "/path/to/files"]}}}`,
		Example: lines(
			"citekit serve --dir ~/papers", "claude mcp add citekit -- citekit serve --dir ~/papers", "citekit serve --transport http --port 8808",
			"citekit serve --config /etc/citekit/citekit.yaml",
		),
		Args: between(0, -1),
		RunE: func(cmd *cobra.Command, roots []string) error {
			s.roots = append(s.roots, roots...)
			return s.serve(cmd.Context(), &flags)
		},
	}
	flags.register(c.Flags())
	return c
}

func (s *session) serve(ctx context.Context, flags *settingFlags) error {
	settings, err := flags.load()
	if err != nil {
		return err
	}
	if settings.Transport == transportStdio {
		if err := flags.checkStdio(); err != nil {
			return err
		}
	}
	if flags.store != "" {
		if err := s.useWorkspace(flags.store); err != nil {
			return err
		}
	}
	if err := s.checkFolders(settings); err != nil {
		return err
	}
	logs, err := openLogs(settings, s.stderr)
	if err != nil {
		return err
	}
	defer logs.close()
	for _, warning := range settings.Warnings {
		logs.logger.Warn(warning)
	}
	h, err := newHost(settings, s.shared, logs.logger)
	if err != nil {
		return err
	}
	h.openStore = func(url string) (Store, error) { return s.openStore(ctx, url, false) }
	if s.options.Queue != nil {
		h.openQueue = func(store Store) (Queue, error) { return s.options.Queue(ctx, store) }
	}
	if settings.Team() {
		return s.serveTeam(ctx, h, flags, logs)
	}
	all, err := s.openServed(h)
	if err != nil {
		return err
	}
	defer closeAll(all)
	one := all[0]
	if err := one.ServerOptions().Check(); err != nil {
		return usagef("serve", "%v", err)
	}
	if settings.Transport == transportHTTP {
		return s.serveHTTP(ctx, one, settings, logs.logger)
	}
	return s.serveStdio(ctx, one, settings, logs.logger)
}

// serveStdio serves one client on the standard streams.
func (s *session) serveStdio(ctx context.Context, one *hosted, settings *config.Settings, logger *slog.Logger) error {
	if term.IsTTY(s.stdin) {
		s.explainServer()
	}
	stdio := &transport.StreamTransport{Tools: mcpadapter.ToolsOf(one.ServerOptions()), Reader: s.stdin, Writer: s.stdout, Logger: logger}
	logStop := s.logRun(ctx, logger, settings, "")
	err := stdio.Serve(ctx, one.Server())
	if ctx.Err() != nil {
		err = nil // a signal is the regular way to stop a server
	}
	logStop(err)
	return cmp.Or(err, stopped(ctx))
}

// checkFolders returns an error if both the command line and the settings name what
// to serve.
func (s *session) checkFolders(settings *config.Settings) error {
	if len(settings.Workspaces) == 0 {
		return nil
	}
	for _, given := range []struct {
		flag string
		is   bool
	}{
		{"--dir", s.dir != "."}, {"--root", len(s.roots) > 0}, {"--maps-dir", s.mapsDir != ""}, {"--output-dir", s.outputDir != ""},
		{"--workspace URL", s.storeURL != "" && os.Getenv(workspaceVariable) != s.storeURL},
	} {
		if given.is {
			return usagef("serve", "flag %s cannot be combined with workspaces: each has its own folders", given.flag)
		}
	}
	if settings.Transport == transportStdio && len(settings.Workspaces) > 1 {
		message := fmt.Sprintf("stdio serves one workspace, and there are %d: write http, or leave out the others", len(settings.Workspaces))
		return faultOf(settings, message, "transport")
	}
	return nil
}

// openServed opens the workspaces of the settings, or else the base directory.
func (s *session) openServed(h *host) ([]*hosted, error) {
	if len(h.settings.Workspaces) > 0 {
		return h.openAll()
	}
	if err := s.checkRoots(); err != nil {
		return nil, err
	}
	if s.storeURL != "" {
		one, err := h.open(config.BaseWorkspace, config.Workspace{URL: s.storeURL})
		if err != nil {
			return nil, fmt.Errorf("--workspace: %w", err)
		}
		return []*hosted{one}, nil
	}
	one, err := h.open(config.BaseWorkspace, config.Workspace{Dir: s.dir, Roots: s.roots, MapsDir: s.mapsDir, EvidenceDir: s.outputDir})
	if err != nil {
		return nil, fmt.Errorf("--dir %s: %w", term.Line(s.dir), err)
	}
	return []*hosted{one}, nil
}

// tellPreparing tells the calling client that PDFium is being compiled.
func tellPreparing(ctx context.Context) (done func()) {
	mcpcall.Announce(ctx, preparing)
	return nil
}

// explainServer explains to a person at a terminal what is waiting for input.
func (s *session) explainServer() {
	dir, err := filepath.Abs(s.dir)
	if err != nil {
		dir = s.dir
	}
	args := []string{"serve", "--dir", dir}
	if s.storeURL != "" {
		args = []string{"serve", "--workspace", s.storeURL}
	}
	command, err := json.Marshal(args)
	if err != nil {
		return
	}
	fmt.Fprintf(s.stderr, `citekit: this server speaks MCP on its standard input and output, and waits for a client; Ctrl-C ends it.
To have a client start it, put this into the client's configuration:
  {"mcpServers": {"citekit": {"command": "citekit", "args": %s}}}
or for Claude Code run: claude mcp add citekit -- citekit serve %s '%s'
`, term.JSON(command), args[1], term.Line(args[2]))
}
