// Package corpus opens a folder of files with everything that citekit does with
// them: mapping, searching, reading, answering, extracting, checking citations, and
// serving agents.
//
//	papers, err := corpus.Open("papers", nil)
//	…
//	defer papers.Close()
//	report, err := papers.Ingest(ctx, ".")                     // maps the files and makes them searchable
//	answer, err := papers.Answer(ctx, "When is high water?")   // sentences of the files, with addresses
//	e, err := papers.Resolve(ctx, "guide", "chapter-2", nil)   // those pages as a file of their own
//	checked, err := papers.Verify(ctx, text)                   // the quotes and addresses of a text
//	cited, err := papers.Cite(ctx, "guide", "at high water")   // a citation of words, where they stand
//	err = papers.ServeStdio(ctx, os.Stdin, os.Stdout)          // all of this for agents, over MCP
//
// A [Corpus] is a [citekit.Library] and the parts of other packages over it, made
// once and sharing the texts of the files, the index and the relations. Its methods
// take what is required; requests with more choices go to the part itself, such as
// [Corpus.Searcher] with a search.Request.
//
// # Errors
//
// Errors are those of the packages that do the work, and match the errors that
// package citekit lists, such as [citekit.ErrStale].
//
// # Concurrency
//
// A Corpus and its parts may be used by many goroutines at a time, except for
// Close, and a folder by many processes.
package corpus

import (
	"cmp"
	"context"
	"errors"
	"io"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/answer"
	"github.com/citekit/citekit/api"
	"github.com/citekit/citekit/cite"
	"github.com/citekit/citekit/contents"
	"github.com/citekit/citekit/ingest"
	"github.com/citekit/citekit/mapper/llm"
	"github.com/citekit/citekit/mcpadapter"
	"github.com/citekit/citekit/modality"
	"github.com/citekit/citekit/reanchor"
	"github.com/citekit/citekit/relations"
	"github.com/citekit/citekit/search"
	"github.com/citekit/citekit/server/transport"
	"github.com/citekit/citekit/textlayer"
	"github.com/citekit/citekit/verify"
	"github.com/citekit/citekit/view"
	"github.com/citekit/citekit/workspace"
)

// Options configures a [Corpus]. The zero value is ready to use.
type Options struct {
	// Workspace, Resolvers and Library are for [Open], which makes the library: a nil
	// Workspace or Library means the defaults of its package, and nil Resolvers mean
	// [modality.All]. [New] does not use them.
	Workspace *workspace.Options
	Resolvers citekit.Resolvers
	Library   *citekit.Options

	// Texts configures the store of the texts of files; nil means the defaults.
	Texts *textlayer.Options

	// Search configures the searcher; nil means the defaults. Nil Layers and
	// Relations in it are those of the Corpus.
	Search *search.Options

	// Scans is as in [contents.Options].
	Scans string

	// Model writes abstractive answers; nil means no abstractive answers. The found
	// passages are sent to it.
	Model llm.Model

	// Ingest has the options of every ingest; nil means the defaults. A nil Index in
	// it is the searcher.
	Ingest *ingest.Options

	// AgentsIngest lets agents make maps: servers then have the tools ingest and
	// ingestStatus.
	AgentsIngest bool

	// Queue, if not nil, maps what agents ingest, as in [mcpadapter.IngesterOptions].
	Queue ingest.Queue

	// Server configures the servers; nil means the defaults. The parts that it names,
	// such as the Searcher, are those of the Corpus, whatever it has.
	Server *mcpadapter.Options

	// Dialects are the names of the interfaces that servers offer to clients of MCP, in
	// the order in which tools keep their names: see [Dialects], and Dialects of
	// [mcpadapter.Options]. Nil means those in Server. [Open] reports unknown names;
	// [New] ignores them.
	Dialects []string

	// SAGE configures the dialect of that name; nil means the defaults.
	SAGE *SAGEOptions

	// Named returns the service of a workspace that a call of a dialect names, its own
	// too, or nil if there is none. Callers reach only those of their grants, and there
	// only tools that are offered there. A nil Named means that there are none.
	Named func(workspace string) *api.Service
}

// A Corpus is a Library and the parts that work over it. Make one with [Open] or
// [New]. The parts belong to the Corpus: do not close or replace them.
type Corpus struct {
	*citekit.Library // maps, nodes, addresses and texts

	Layers     *textlayer.Store     // the texts of the files, which all parts share
	Relations  *relations.Graph     // the links between them
	Searcher   *search.Searcher     // finds passages
	Contents   *contents.Reader     // reads nodes and addresses within a number of tokens
	Briefing   *contents.Briefer    // gathers the passages that matter for a task
	Verifier   *verify.Verifier     // checks quotes and texts
	Answerer   *answer.Answerer     // answers questions
	Reanchorer *reanchor.Reanchorer // finds cited parts again in changed files
	Citer      *cite.Citer          // makes citations

	ingester *mcpadapter.Ingester // nil unless agents may ingest
	opts     Options
}

// Open returns a Corpus over the folder dir, which must exist. Nothing is read or
// made until it is needed: maps are then kept in the folder .resource_maps of dir,
// and evidence, texts and the index in .citekit_output. A nil opts means the
// defaults. The caller must close the Corpus.
//
// Errors are those of [workspace.Open] and [search.Searcher.Err].
func Open(dir string, opts *Options) (*Corpus, error) {
	o := cmp.Or(opts, new(Options))
	if err := checkDialects(o.Dialects); err != nil {
		return nil, err
	}
	ws, err := workspace.Open(dir, o.Workspace)
	if err != nil {
		return nil, err
	}
	resolvers := o.Resolvers
	if resolvers == nil {
		resolvers = modality.All()
	}
	c := New(citekit.New(ws, resolvers, o.Library), o)
	if err := c.Searcher.Err(); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

// New returns a Corpus over a Library, such as one with a store of your own, whose
// workspace must be a [citekit.EvidenceOpener]. A nil opts means the defaults. The
// Corpus owns lib and closes it in [Corpus.Close]. [search.Searcher.Err] of its
// Searcher reports options that are not valid.
func New(lib *citekit.Library, opts *Options) *Corpus {
	c := &Corpus{Library: lib, opts: *cmp.Or(opts, new(Options))}
	finding := *cmp.Or(c.opts.Search, new(search.Options))
	if c.Layers = finding.Layers; c.Layers == nil {
		c.Layers = textlayer.New(lib, c.opts.Texts)
	}
	if c.Relations = finding.Relations; c.Relations == nil {
		c.Relations = relations.New(lib)
	}
	finding.Layers, finding.Relations = c.Layers, c.Relations
	c.Searcher = search.New(lib, &finding)
	c.Contents = contents.New(lib, &contents.Options{Layers: c.Layers, Relations: c.Relations, Scans: c.opts.Scans})
	c.Briefing = contents.NewBriefer(c.Searcher)
	c.Verifier = verify.New(lib, &verify.Options{Layers: c.Layers, Searcher: c.Searcher})
	c.Answerer = answer.New(c.Searcher, &answer.Options{Verifier: c.Verifier, Model: c.opts.Model})
	c.Reanchorer = reanchor.New(lib, &reanchor.Options{Layers: c.Layers})
	c.Citer = cite.New(lib, &cite.Options{Verifier: c.Verifier, Layers: c.Layers})
	if c.opts.AgentsIngest {
		c.ingester = mcpadapter.NewIngester(lib, &mcpadapter.IngesterOptions{Ingest: c.ingestOptions(), Queue: c.opts.Queue})
	}
	return c
}

// ingestOptions returns the options of an ingest.
func (c *Corpus) ingestOptions() ingest.Options {
	o := *cmp.Or(c.opts.Ingest, new(ingest.Options))
	if o.Index == nil {
		o.Index = c.Searcher
	}
	return o
}

// Close ends running ingests of agents and updates of the index, and closes the
// Library. Finish calls and servers before. What was stored stays.
func (c *Corpus) Close() (err error) {
	if c.ingester != nil {
		err = c.ingester.Close()
	}
	return errors.Join(err, c.Searcher.Close(), c.Library.Close())
}

// Ingest maps the files that paths name, relative to the folder, and makes their
// texts searchable, as [ingest.Run] does. Without paths, it maps all files of the
// folder. Files that have not changed since the last time are left alone.
//
// A file that cannot be mapped does not stop the others: [ingest.Report.Err] is the
// error for a caller that accepts no failure.
func (c *Corpus) Ingest(ctx context.Context, paths ...string) (*ingest.Report, error) {
	if len(paths) == 0 {
		paths = []string{"."}
	}
	opts := c.ingestOptions()
	return ingest.Run(ctx, c.Library, paths, &opts)
}

// Search returns the passages that best match a query, at most
// [search.DefaultTopK], as [search.Searcher.Search] does.
func (c *Corpus) Search(ctx context.Context, query string) (*search.Results, error) {
	return c.Searcher.Search(ctx, search.Request{Query: query})
}

// Read returns the text of the parts that ids name, 1 to [contents.MaxIDs], in at
// most [contents.DefaultTokens] tokens, as [contents.Reader.Read] does: addresses,
// nodes as "resource.node", and resources. What cannot be read is told by the Err of its
// item, not by the error.
func (c *Corpus) Read(ctx context.Context, ids ...string) (*contents.Contents, error) {
	return c.Contents.Read(ctx, contents.Request{IDs: ids})
}

// Answer answers a question with at most [answer.DefaultSentences] sentences of the
// files, each with its address, as [answer.Answerer.Answer] does. If they do not
// answer it, Found of the answer is false, and there is no error.
func (c *Corpus) Answer(ctx context.Context, question string) (*answer.Answer, error) {
	return c.Answerer.Answer(ctx, answer.Request{Question: question})
}

// ServerOptions returns the options of a server over the Corpus: Options.Server
// with the parts of the Corpus. The caller may change them before it gives them to
// [mcpadapter.NewServer].
func (c *Corpus) ServerOptions() *mcpadapter.Options {
	o := *cmp.Or(c.opts.Server, new(mcpadapter.Options))
	o.Toolsets, o.Tools = slices.Clone(o.Toolsets), slices.Clone(o.Tools)
	o.Searcher, o.Contents, o.Briefing, o.Verifier = c.Searcher, c.Contents, c.Briefing, c.Verifier
	o.Answerer, o.Reanchorer, o.Ingester = c.Answerer, c.Reanchorer, c.ingester
	o.Viewer = view.New(c.Library, &view.Options{Layers: c.Layers, Verifier: c.Verifier})
	if c.opts.Dialects != nil {
		o.Dialects = nil
		c.withDialects(&o)
	}
	return &o
}

// Server returns a new MCP server over the Corpus with all its tools, to which
// mcp.AddTool adds others. It does not own the Corpus.
func (c *Corpus) Server() *mcp.Server { return mcpadapter.NewServer(c.Library, c.ServerOptions()) }

// ServeStdio serves one client of MCP that writes to in and reads from out, until in
// ends or ctx is done, as [mcpadapter.ServeStdio] does.
func (c *Corpus) ServeStdio(ctx context.Context, in io.Reader, out io.Writer) error {
	o := c.ServerOptions()
	stdio := &transport.StreamTransport{Reader: in, Writer: out, Tools: mcpadapter.ToolsOf(o)}
	return stdio.Serve(ctx, mcpadapter.NewServer(c.Library, o))
}

// Service returns what answers the JSON interface of package api over the Corpus. Rights
// and times are those of an MCP server with the options; nil means those of
// [Corpus.ServerOptions]. It does not own the Corpus.
func (c *Corpus) Service(opts *mcpadapter.Options) *api.Service {
	if opts == nil {
		opts = c.ServerOptions()
	}
	s := &api.Service{
		Library: c.Library, Layers: c.Layers, Relations: c.Relations, Searcher: c.Searcher, Reader: c.Contents,
		Answerer: c.Answerer, Verifier: c.Verifier, Citer: c.Citer, Offers: opts.Offers, Timeout: opts.Timeout, ViewLink: opts.ViewLink,
	}
	if opts.Ingester != nil {
		s.Ingester = opts.Ingester
	}
	return s
}

// Handler returns a new handler that serves MCP over HTTP at /mcp, the JSON interface of
// package api below /v1/, and evidence by links at /evidence/. A nil opts means the
// defaults, with which it lets in everybody who can reach it: [transport.Handler.Serve]
// then listens on loopback addresses only. If opts have no Links, links are made for the
// address that a client calls; if they have no API, it is one of [Corpus.Service]. If they
// have a View that knows its address, hits, citations and evidence have links to its pages.
func (c *Corpus) Handler(opts *transport.HandlerOptions) *transport.Handler {
	h, o := *cmp.Or(opts, new(transport.HandlerOptions)), c.ServerOptions()
	if h.Links = cmp.Or(h.Links, o.Links); h.Links == nil {
		h.Links = transport.NewEvidenceLinks(c.Library, nil)
	}
	o.Links = h.Links
	if o.ViewLink == nil && h.View != nil {
		o.ViewLink = h.View.Link
	}
	if h.API == nil {
		h.API = api.New(c.Service(o), &api.Options{Version: o.Version, MaxBodyBytes: h.MaxBodyBytes, Logger: h.Logger})
	}
	if h.Tools == nil {
		h.Tools = mcpadapter.ToolsOf(o)
	}
	return mcpadapter.NewHandler(mcpadapter.NewServer(c.Library, o), &h)
}
