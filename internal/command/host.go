package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/api"
	"github.com/citekit/citekit/corpus"
	"github.com/citekit/citekit/ingest"
	"github.com/citekit/citekit/internal/command/internal/config"
	"github.com/citekit/citekit/internal/command/internal/term"
	"github.com/citekit/citekit/mapper/llm"
	"github.com/citekit/citekit/mcpadapter"
	"github.com/citekit/citekit/modality"
	"github.com/citekit/citekit/search"
	"github.com/citekit/citekit/server"
	"github.com/citekit/citekit/workspace"
)

// A host opens the workspaces of a server. They share its resolvers and models.
type host struct {
	settings  *config.Settings
	shared    sharingFlags
	logger    *slog.Logger
	resolvers citekit.Resolvers
	semantics *search.Semantics
	writer    llm.Model
	slots     *citekit.Slots // shared by the extractions of all workspaces

	// services are what calls of a dialect reach in each workspace of a team, by name;
	// empty for one workspace.
	services map[string]*api.Service

	mapper      chosenMapper
	transcriber ingest.Transcriber

	openStore func(url string) (Store, error)
	openQueue func(Store) (Queue, error) // nil if stores have none
}

// A hosted workspace is an open workspace.
type hosted struct {
	*corpus.Corpus
	name  string
	url   string // of a store; "" for a directory
	ready func(context.Context) error
	full  func() bool // whether its evidence has reached the limit
}

// newHost opens what the workspaces of the settings share.
func newHost(settings *config.Settings, shared sharingFlags, logger *slog.Logger) (h *host, err error) {
	h = &host{settings: settings, shared: shared, logger: logger, resolvers: resolversOf(settings), slots: &citekit.Slots{Max: settings.Limits.Extractions}}
	model := mapperFlags{name: settings.Model.Name, config: string(settings.Model.Config), retries: 3, command: "serve"}
	if h.writer, err = model.writer(); err != nil {
		return nil, err
	}
	semantics := semanticsFlags{command: "serve", embedder: settings.Embedder, reranker: settings.Reranker}
	if h.semantics, err = semantics.open(); err != nil {
		return nil, err
	}
	m := settings.Mapper
	mapper := mapperFlags{name: m.Name, config: string(m.Config), retries: m.Retries, enrich: m.Enrich}
	if h.mapper, err = mapper.open(h.resolvers); err != nil {
		return nil, fmt.Errorf("mapper: %w", err)
	}
	speech := transcriberFlags{name: settings.Transcriber.Name, config: string(settings.Transcriber.Config), command: "serve"}
	if h.transcriber, err = speech.open(); err != nil {
		return nil, err
	}
	return h, nil
}

// resolversOf returns resolvers with the limits of the settings.
func resolversOf(settings *config.Settings) citekit.Resolvers {
	all := modality.New(&modality.Limits{MaxChildren: settings.Limits.ChildProcesses, DecoderMemory: int64(settings.Limits.DecoderMemory)})
	return configure(all, extraText{settings.Capabilities.OCR, settings.Capabilities.Program, settings.Capabilities.Comments}, tellPreparing)
}

// open opens a workspace and what answers calls on it.
func (h *host) open(name string, w config.Workspace) (*hosted, error) {
	limits := h.settings.Limits
	opts := h.options(name)
	opts.AgentsIngest, opts.Search.Shards = ingests(h.settings, w), w.Shards
	opts.Workspace = &workspace.Options{
		MapsDir: w.MapsDir, EvidenceDir: w.EvidenceDir, Roots: w.Roots,
		AllowedDir: allowedDir(), KeyDir: settingsDir(), MaxEvidenceBytes: int64(limits.EvidencePerSpace),
	}
	if err := h.shared.apply(opts.Workspace); err != nil {
		return nil, err
	}
	opts.Library = &citekit.Options{MaxExtractions: limits.Extractions, Extractions: h.slots, ExtractTimeout: time.Duration(limits.ExtractionTime)}
	opened, err := h.corpus(w, opts)
	if err != nil {
		return nil, err
	}
	one := &hosted{Corpus: opened, name: name, url: w.URL}
	if limited, ok := opened.Workspace().(limited); ok {
		one.full = limited.EvidenceFull
	}
	if w.URL != "" {
		one.ready = storeReadiness(opened.Workspace())
	} else if one.ready, err = readiness(w, h.settings.ReadOnly); err != nil {
		return nil, errors.Join(err, one.Close())
	}
	one.ready = andIndex(one.ready, one.Searcher)
	return one, nil
}

// corpus opens a workspace of the settings with the parts that work over it.
func (h *host) corpus(w config.Workspace, opts *corpus.Options) (*corpus.Corpus, error) {
	if w.URL == "" {
		return corpus.Open(w.Dir, opts)
	}
	store, err := h.openStore(w.URL)
	if err != nil {
		return nil, err
	}
	// Workers have no mapper and no transcriber, and read no scans and comments.
	can := h.settings.Capabilities
	if opts.AgentsIngest && h.openQueue != nil && h.mapper.Mapper == nil && h.transcriber == nil && !can.OCR && can.Program == "" && !can.Comments {
		q, err := h.openQueue(store)
		if err != nil {
			return nil, errors.Join(err, store.Close())
		}
		opts.Queue = q.Ingests(store)
	}
	c := corpus.New(citekit.New(store, opts.Resolvers, opts.Library), opts)
	if err := c.Searcher.Err(); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

// options returns what the workspaces have in common.
func (h *host) options(name string) *corpus.Options {
	opts := &corpus.Options{
		Resolvers: h.resolvers, Model: h.writer,
		Search:   &search.Options{Semantics: h.semantics, Program: programKey()},
		Ingest:   &ingest.Options{Program: programKey(), Renames: followAll, Mapper: h.mapper.Mapper, MapperName: h.mapper.name, Transcriber: h.transcriber},
		Dialects: h.settings.Dialects, Named: func(workspace string) *api.Service { return h.services[workspace] },
		SAGE:  sageOptions(h.settings),
		Scans: "resolve shows it, with include [\"image\"]",
		Server: &mcpadapter.Options{
			Version: buildVersion().Version, Logger: h.logger, Timeouts: timeoutsOf(h.settings),
			Toolsets: emptyIsNil(h.settings.Toolsets), Tools: emptyIsNil(h.settings.Tools), ReadOnly: h.settings.ReadOnly,
		},
	}
	if can := h.settings.Capabilities; !can.OCR && can.Program == "" && canRecognise() {
		opts.Scans += "; the server reads it if it is started with --ocr"
	}
	if h.settings.Team() {
		opts.Server.Logger = slog.New(demoted{h.logger.Handler()}).With(slog.String("workspace", name))
	}
	return opts
}

// sageOptions returns the options of the dialect of the SAGE reference.
func sageOptions(settings *config.Settings) *corpus.SAGEOptions {
	opts := &corpus.SAGEOptions{Timeout: time.Duration(settings.MCP.TimeoutMS) * time.Millisecond}
	if settings.Given("mcp", "capabilities") {
		opts.Capabilities = append([]string{}, settings.MCP.Capabilities...) // none is not all
	}
	return opts
}

// ingests reports whether agents may make maps in a workspace.
func ingests(settings *config.Settings, w config.Workspace) bool {
	if w.Ingest != nil {
		return *w.Ingest
	}
	return settings.Capabilities.Ingest
}

// timeoutsOf returns the times of the settings, without those that tools have if nobody
// sets one: they are not the same for a tool of that name in another dialect.
func timeoutsOf(settings *config.Settings) map[string]time.Duration {
	all, usual := make(map[string]time.Duration), server.Timeouts()["search"]
	for tool, timeout := range settings.Timeouts {
		if settings.Given("timeouts", tool) || time.Duration(timeout) != usual {
			all[tool] = time.Duration(timeout)
		}
	}
	return all
}

// openAll opens the workspaces of the settings. The error holds everything that is
// wrong with them.
func (h *host) openAll() (all []*hosted, err error) {
	if faults := missingFolders(h.settings); len(faults) > 0 {
		return nil, &settingsError{"serve", faults}
	}
	nested := func(name, other string) {
		h.logger.Warn("the folder of a workspace "+liesWithin, slog.String("workspace", name), slog.String("other", other))
	}
	if faults := sharedFolders(h.settings, nested); len(faults) > 0 {
		return nil, &settingsError{"serve", faults}
	}
	for _, name := range slices.Sorted(maps.Keys(h.settings.Workspaces)) {
		w := h.settings.Workspaces[name]
		one, err := h.open(name, w)
		if err != nil {
			closeAll(all)
			if w.URL != "" {
				return nil, faultOf(h.settings, err.Error(), "workspaces", name, "url")
			}
			return nil, faultOf(h.settings, err.Error(), "workspaces", name, "dir")
		}
		all = append(all, one)
	}
	return all, nil
}

const liesWithin = "lies within that of another, whose callers can see what is in it"

// sharedFolders reports a fault for each folder that two workspaces share, under
// whatever name: a workspace must not serve the maps or the evidence of another. It
// calls nested if the folder of a workspace lies within that of another, whose callers
// can then see its files, which is no fault.
func sharedFolders(settings *config.Settings, nested func(name, other string)) (faults config.Faults) {
	var before []ownFolder
	for _, name := range slices.Sorted(maps.Keys(settings.Workspaces)) {
		all := foldersOf(name, settings.Workspaces[name])
		warned := make(map[string]bool)
		for _, one := range all {
			for _, other := range before {
				switch {
				case one.dir == other.dir && !one.isRoot() && !other.isRoot():
					faults = append(faults, settings.Fault("it is the folder of workspace "+other.workspace+"; each needs its own", "workspaces", name, one.setting))
				case !warned[other.workspace] && (one.shows(other) || other.shows(one)):
					warned[other.workspace] = true
					nested(name, other.workspace)
				}
			}
		}
		before = append(before, all...)
	}
	return faults
}

// An ownFolder is a folder of a workspace that is read or written.
type ownFolder struct{ workspace, setting, dir string }

// foldersOf returns the folders that the settings of a workspace name.
func foldersOf(name string, w config.Workspace) []ownFolder {
	if w.URL != "" {
		return nil
	}
	base := realPath(w.Dir)
	all := []ownFolder{{name, "dir", base}}
	for _, given := range []struct{ setting, dir string }{{"maps_dir", w.MapsDir}, {"evidence_dir", w.EvidenceDir}} {
		switch {
		case given.dir == "":
		case filepath.IsAbs(given.dir):
			all = append(all, ownFolder{name, given.setting, realPath(given.dir)})
		default:
			all = append(all, ownFolder{name, given.setting, realPath(filepath.Join(base, given.dir))})
		}
	}
	for _, root := range w.Roots {
		all = append(all, ownFolder{name, "roots", realPath(root)})
	}
	return all
}

func (f ownFolder) isRoot() bool { return f.setting == "roots" }

// shows reports whether callers who see this folder also see inner.
func (f ownFolder) shows(inner ownFolder) bool {
	return (f.isRoot() || f.setting == "dir") && !inner.isRoot() && inside(f.dir, inner.dir)
}

// realPath resolves the links of the part of a path that exists.
func realPath(path string) string {
	path, err := filepath.Abs(path)
	if err != nil {
		return path // opening it reports the reason
	}
	real, err := filepath.EvalSymlinks(path)
	if parent := filepath.Dir(path); err != nil && parent != path {
		return filepath.Join(realPath(parent), filepath.Base(path))
	}
	return cmp.Or(real, path)
}

func closeAll(all []*hosted) {
	for _, one := range all {
		one.Close()
	}
}

// missingFolders returns a fault for each folder of a workspace that does not exist.
func missingFolders(settings *config.Settings) (faults config.Faults) {
	check := func(dir string, setting ...string) {
		if info, err := os.Stat(dir); err != nil {
			faults = append(faults, settings.Fault(fmt.Sprintf("folder %s: %v", term.Line(dir), systemError(err)), setting...))
		} else if !info.IsDir() {
			faults = append(faults, settings.Fault(term.Line(dir)+" is not a folder", setting...))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(settings.Workspaces)) {
		w := settings.Workspaces[name]
		if w.URL != "" {
			continue
		}
		check(w.Dir, "workspaces", name, "dir")
		for _, root := range w.Roots {
			check(root, "workspaces", name, "roots")
		}
	}
	return faults
}

// systemError returns the error of the operating system, without the path.
func systemError(err error) error {
	var of *os.PathError
	if errors.As(err, &of) {
		return of.Err
	}
	return err
}
