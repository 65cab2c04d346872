package main

import (
	"context"
	"errors"
	"log/slog"

	"github.com/citekit/citekit/mcpadapter"
)

func serveCommand() *command {
	level := slog.LevelWarn
	return &command{
		name:    "serve",
		summary: "Serve the resources to agents over MCP",
		about: `Runs a Model Context Protocol server on the standard input and output, with
the tools listResources, getStructure, getNode and resolve. It ends with its
input, or with a signal. Logs go to the standard error.

Most clients take a configuration such as
  {"mcpServers": {"citekit": {"command": "citekit",
                              "args": ["serve", "--dir", "/path/to/files"]}}}`,
		example: []string{"citekit serve --dir ~/papers", "claude mcp add citekit -- citekit serve --dir ~/papers"},
		flags: func(f *flagSet) {
			f.TextVar(&level, "log-level", slog.LevelWarn, "least `LEVEL` that is logged: debug, info, warn or error")
		},
		run: func(ctx context.Context, s *session, _ []string) error { return s.serve(ctx, level) },
	}
}

func (s *session) serve(ctx context.Context, level slog.Level) error {
	lib, err := s.open()
	if err != nil {
		return err
	}
	defer lib.Close()
	logger := slog.New(slog.NewTextHandler(s.stderr, &slog.HandlerOptions{Level: level}))
	server := mcpadapter.NewServer(lib.Library, &mcpadapter.Options{Version: buildVersion().Version, Logger: logger})
	transport := &mcpadapter.StreamTransport{Reader: s.stdin, Writer: s.stdout, Logger: logger}
	err = transport.Serve(ctx, server)
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return nil // a signal is how a server is ended
	}
	return err
}
