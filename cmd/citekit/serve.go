package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"path/filepath"

	"github.com/citekit/citekit/answer"
	"github.com/citekit/citekit/briefing"
	"github.com/citekit/citekit/contents"
	"github.com/citekit/citekit/ingest"
	"github.com/citekit/citekit/internal/term"
	"github.com/citekit/citekit/mcpadapter"
	"github.com/citekit/citekit/reanchor"
	"github.com/citekit/citekit/relations"
	"github.com/citekit/citekit/search"
	"github.com/citekit/citekit/textlayer"
	"github.com/citekit/citekit/verify"
)

func serveCommand() *command {
	var ocr bool
	flags := serveFlags{
		level:  slog.LevelWarn,
		models: semanticsFlags{command: "serve"},
		writer: mapperFlags{retries: 3, command: "serve"},
	}
	return &command{
		name:    "serve",
		args:    "[root]...",
		summary: "Serve the resources to agents over MCP",
		maxArgs: -1,
		about: `Runs a Model Context Protocol server on the standard input and output, with
the tools search, findSimilar, getContext, answer, getContents, verify, listResources,
getStructure, getNode, resolve and info.
It ends with its input, or with a signal. Logs go to the standard error. Folders
named after the flags are as with --root.

With --transport http it serves clients that connect to a port of this machine,
of any version of the protocol, at the address that it tells on the standard
error. Nobody else can reach it, and pages of web sites are refused. A signal
ends it: calls that run have 10 seconds to finish.

With --ingest agents can also make maps of files in the base directory and the
roots, by the tools ingest and ingestStatus. With --embedder and --reranker
searches rank by meaning too, as 'citekit help search' says. With --model a model
writes abstractive answers, as 'citekit help answer' says.

With --toolsets and --tools there are fewer tools, which leaves models more room;
clients over HTTP can leave out more with the headers X-MCP-Toolsets, X-MCP-Tools
and X-MCP-Readonly. With --read-only no tool writes maps or evidence files, whatever
else is given.

Most clients take a configuration such as
  {"mcpServers": {"citekit": {"command": "citekit",
                              "args": ["serve", "--dir", "/path/to/files"]}}}`,
		example: []string{"citekit serve --dir ~/papers", "claude mcp add citekit -- citekit serve --dir ~/papers", "citekit serve --transport http --port 8808"},
		flags: func(f *flagSet) {
			f.BoolVar(&flags.ingest, "ingest", false, "let agents make maps of files inside the roots")
			flags.tools.register(f)
			flags.http.register(f)
			flags.models.register(f)
			flags.writer.registerWriter(f)
			f.ocr(&ocr)
			f.TextVar(&flags.level, "log-level", slog.LevelWarn, "least `LEVEL` that is logged: debug, info, warn or error")
		},
		run: func(ctx context.Context, s *session, roots []string) error {
			s.ocr = ocr
			s.roots = append(s.roots, roots...)
			return s.serve(ctx, &flags)
		},
	}
}

// serveFlags are those of serve.
type serveFlags struct {
	level  slog.Level
	ingest bool
	tools  toolFlags
	http   httpFlags
	models semanticsFlags
	writer mapperFlags
}

func (s *session) serve(ctx context.Context, flags *serveFlags) error {
	if err := flags.http.check(); err != nil {
		return err
	}
	writer, err := flags.writer.writer()
	if err != nil {
		return err
	}
	semantics, err := flags.models.open()
	if err != nil {
		return err
	}
	lib, err := s.openReporting(tellPreparing)
	if err != nil {
		return err
	}
	defer lib.Close()
	if flags.http.transport == transportStdio && term.IsTTY(s.stdin) {
		s.explainServer()
	}
	logger := slog.New(slog.NewTextHandler(s.stderr, &slog.HandlerOptions{Level: flags.level}))
	layers := textlayer.New(lib, nil)
	related := relations.New(lib)
	searcher, err := search.New(lib, &search.Options{Layers: layers, Relations: related, Semantics: semantics})
	if err != nil {
		return err
	}
	defer searcher.Close()
	reader := contents.New(lib, layers)
	reader.Relations = related
	verifier := verify.New(lib, &verify.Options{Layers: layers, Searcher: searcher})
	opts := &mcpadapter.Options{
		Version: buildVersion().Version, Logger: logger,
		Searcher: searcher, Contents: reader, Briefing: briefing.New(searcher, layers),
		Verifier:   verifier,
		Answerer:   answer.New(answer.Options{Searcher: searcher, Layers: layers, Verifier: verifier, Model: writer}),
		Reanchorer: reanchor.New(lib, &reanchor.Options{Layers: layers}),
	}
	if flags.ingest {
		opts.Ingester = mcpadapter.NewIngester(lib, &mcpadapter.IngesterOptions{Ingest: ingest.Options{Renames: followAll}})
		defer opts.Ingester.Close()
	}
	if err := flags.tools.choose(opts); err != nil {
		return err
	}
	if flags.http.transport == transportHTTP {
		return s.serveHTTP(ctx, lib, opts, flags.http)
	}
	server := mcpadapter.NewServer(lib, opts)
	transport := &mcpadapter.StreamTransport{Reader: s.stdin, Writer: s.stdout, Logger: logger}
	err = transport.Serve(ctx, server)
	if ctx.Err() != nil {
		return stopped(ctx) // a signal is how a server is ended
	}
	return err
}

// tellPreparing tells the client whose call needs PDFium that it is compiled.
func tellPreparing(ctx context.Context) (done func()) {
	mcpadapter.Announce(ctx, preparing)
	return nil
}

// explainServer tells a person at a terminal what waits for input there.
func (s *session) explainServer() {
	dir, err := filepath.Abs(s.dir)
	if err != nil {
		dir = s.dir
	}
	command, err := json.Marshal([]string{"serve", "--dir", dir})
	if err != nil {
		return
	}
	fmt.Fprintf(s.stderr, `citekit: this server speaks MCP on its standard input and output, and waits for a client; Ctrl-C ends it.
To have a client start it, put this into the client's configuration:
  {"mcpServers": {"citekit": {"command": "citekit", "args": %s}}}
or for Claude Code run: claude mcp add citekit -- citekit serve --dir '%s'
`, term.JSON(command), term.Line(dir))
}
