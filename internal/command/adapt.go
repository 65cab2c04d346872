package command

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/ingest"
	"github.com/citekit/citekit/internal/command/internal/term"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/mapadapter"
)

// adaptFlags are the flags of adapt.
type adaptFlags struct {
	adapter string
	output  string
	source  string
	id      string
	force   bool
	outside bool
}

func (a *adaptFlags) register(f *pflag.FlagSet) {
	f.StringVar(&a.adapter, "adapter", "", "`NAME` of the tool that made the input: "+strings.Join(mapadapter.Names(), ", ")+"; or a program that makes a map of it (default: detected from the input)")
	f.StringVarP(&a.output, "output", "o", "", "write the map to `FILE` instead of storing it; - is the standard output")
	f.StringVar(&a.source, "source", "", "`PATH` of the source of the map, relative to the base directory (default: as the input says)")
	f.StringVar(&a.id, "id", "", "`ID` of the map (default: made from the name of the source)")
	f.BoolVarP(&a.force, "force", "f", false, "replace a map or file that exists")
	f.BoolVar(&a.outside, "allow-outside", false, "allow a --source outside the base directory, and remember that it may be cited")
}

func adaptCommand(s *session) *cobra.Command {
	var flags adaptFlags
	c := &cobra.Command{
		Use:   "adapt <input>",
		Short: "Make maps of what other tools wrote",
		Long: `Makes maps of the output of another tool: the tables of GraphRAG, a docstore or
list of nodes of LlamaIndex, a tree of PageIndex, a document of Docling, or maps
that are nearly right (generic). The input is a file or a folder.

A node gets a location if the input has page numbers or boxes for it, or if its
text occurs word for word in the source. All others get a virtual address. Maps
are checked against their sources before they are stored.

A program that is given as --adapter ./prog gets a JSON object on its standard
input, with the "path" of the input and, for a file, its content as "text" or
"base64". It writes a map as JSON.`,
		Example: lines(
			"citekit adapt storage/docstore.json --source notes.md",
			"citekit adapt graph/output --adapter graphrag --id graph",
			"citekit adapt report_structure.json --output -",
		),
		Args: between(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return s.adapt(cmd.Context(), args[0], &flags)
		},
	}
	flags.register(c.Flags())
	return c
}

// An adaptation is one run of the command.
type adaptation struct {
	*session
	flags  *adaptFlags
	lib    *citekit.Library
	source string // as the map states it, or ""

	outside bool // source is outside the base directory

	warnings []string // what the adapter left out
}

// noteWarning reports something that the adapter could not read.
func (a *adaptation) noteWarning(err error) {
	a.warnings = append(a.warnings, err.Error())
	a.warn("left out: " + err.Error())
}

// An adaptedMap is the report of adapt on one map.
type adaptedMap struct {
	ResourceID string           `json:"resource_id"`
	Type       citekit.Modality `json:"type"`
	SourcePath string           `json:"source_path,omitempty"`
	Nodes      int              `json:"nodes"`
	Problems   []mapFault       `json:"problems"`
}

func (s *session) adapt(ctx context.Context, name string, flags *adaptFlags) error {
	if flags.output != "-" {
		if err := checkOutput(flags.output, flags.force); err != nil {
			return fmt.Errorf("--output: %w", err)
		}
	}
	a := &adaptation{session: s, flags: flags}
	if err := a.open(); err != nil {
		return err
	}
	defer a.lib.Close()
	maps, err := a.run(ctx, name)
	if err != nil {
		return err
	}
	reports, sound := a.check(ctx, maps)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case !sound:
		return fmt.Errorf("no map was written: the problems are above: %w", citekit.ErrFormat)
	case flags.output != "":
		return a.write(ctx, maps)
	}
	return a.store(ctx, maps, reports)
}

// open opens the library. A source that the person names may be anywhere if the map
// is not stored or the person allows it.
func (a *adaptation) open() error {
	var files []string
	if a.storeURL != "" {
		a.source = a.flags.source // of the store's own
	} else if a.flags.source != "" {
		placer, err := a.placer()
		if err != nil {
			return err
		}
		g, err := placer.place(a.flags.source)
		if err == nil {
			err = a.misplacedError(g)
		}
		if err != nil {
			return fmt.Errorf("--source %s: %w", a.flags.source, err)
		}
		if g.outside && !a.flags.outside && a.flags.output == "" {
			return hinted{fmt.Errorf("--source %s is outside %s: %w", a.flags.source, a.baseName(), citekit.ErrForbidden), "--allow-outside makes it a source that may be cited"}
		}
		files = append(files, g.path)
		a.source, a.outside = g.shown, g.outside
	}
	lib, err := a.session.open(files...)
	a.lib = lib
	return err
}

// run makes the maps.
func (a *adaptation) run(ctx context.Context, name string) ([]*citekit.ResourceMap, error) {
	in, err := adaptInput(name)
	if err != nil {
		return nil, err
	}
	adapter, err := a.adapter(ctx, in)
	if err == nil {
		var maps []*citekit.ResourceMap
		opts := &mapadapter.Options{ResourceID: a.flags.id, SourcePath: a.source, Open: a.lib.Workspace().OpenSource, Warn: a.noteWarning}
		if maps, err = adapter.Adapt(ctx, in, opts); err == nil {
			return maps, nil
		}
	}
	return nil, fmt.Errorf("%s: %w", name, err)
}

// adaptInput returns the file or folder that the person names. The adapter sees
// nothing else, except that beside a file it sees the other files in its folder.
func adaptInput(name string) (mapadapter.Input, error) {
	abs, err := filepath.Abs(name)
	if err != nil {
		return mapadapter.Input{}, err
	}
	info, err := os.Stat(abs)
	if err != nil {
		return mapadapter.Input{}, err
	}
	if info.IsDir() {
		return mapadapter.Input{FS: os.DirFS(abs), Name: ".", Path: abs}, nil
	}
	return mapadapter.Input{FS: os.DirFS(filepath.Dir(abs)), Name: filepath.Base(abs), Path: abs}, nil
}

// adapter returns the adapter that the person names, or one that fits the input.
func (a *adaptation) adapter(ctx context.Context, in mapadapter.Input) (mapadapter.Adapter, error) {
	name := a.flags.adapter
	if name == "" {
		return mapadapter.Detect(ctx, in)
	}
	adapter, err := mapadapter.Named(name)
	if err == nil {
		return adapter, nil
	}
	if path, lookErr := exec.LookPath(name); lookErr == nil {
		return mapadapter.Command{Path: path}, nil
	}
	if strings.ContainsAny(name, "/"+string(filepath.Separator)) {
		return nil, usagef("adapt", "--adapter %s: there is no such program", term.Line(name))
	}
	if near := closest(name, mapadapter.Names()); near != "" {
		return nil, usagef("adapt", "--adapter %q: no tool or program of that name; did you mean %s?", name, near)
	}
	return nil, usagef("adapt", "--adapter %q: it is one of %s, or a program", name, strings.Join(mapadapter.Names(), ", "))
}

// check checks the maps against their sources and prints the problems. A map is
// sound if it has no problem, or only that a source named by the input alone is
// missing.
func (a *adaptation) check(ctx context.Context, maps []*citekit.ResourceMap) (reports []adaptedMap, sound bool) {
	sound = true
	for _, m := range maps {
		report := mapReport{Problems: []mapFault{}, OK: true}
		for _, p := range ingest.Check(ctx, a.lib, m) {
			if p.Path == "source_path" && a.source == "" {
				p.Warning = true
			}
			report.add(p)
		}
		for _, p := range report.Problems {
			a.warn("map '" + m.ResourceID + "': " + p.String())
		}
		sound = sound && report.OK
		reports = append(reports, adaptedMap{m.ResourceID, m.Type, m.SourcePath, m.Len(), report.Problems})
	}
	return reports, sound
}

// write writes the maps to a file or the standard output: one map as an object,
// several as a list.
func (a *adaptation) write(ctx context.Context, maps []*citekit.ResourceMap) error {
	var v any = maps
	if len(maps) == 1 {
		v = maps[0]
	}
	if a.flags.output == "-" {
		return a.printJSON(v)
	}
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	data = append(data, '\n')
	if info, err := os.Stat(a.flags.output); err == nil && !info.Mode().IsRegular() {
		return copyToDevice(ctx, bytes.NewReader(data), a.flags.output)
	}
	return copyToFile(ctx, bytes.NewReader(data), a.flags.output)
}

// store stores the maps unless one of them would replace another.
func (a *adaptation) store(ctx context.Context, maps []*citekit.ResourceMap, reports []adaptedMap) error {
	for _, m := range maps {
		if !a.flags.force && hasMap(ctx, a.lib, m.ResourceID) {
			return hinted{fmt.Errorf("there is a map '%s' already: %w", m.ResourceID, citekit.ErrSyntax), "--force replaces it, --id gives another id"}
		}
	}
	for i, m := range maps {
		if m.CreatedAt == "" {
			m.CreatedAt = time.Now().UTC().Format(time.RFC3339)
		}
		if err := a.lib.Save(ctx, m); err != nil {
			return err
		}
		granted, err := a.allowSource(ctx, m)
		if err != nil {
			return err
		}
		if a.json {
			continue
		}
		line := fmt.Sprintf("stored %s (%s, %s)", m.ResourceID, m.Type, message.Count(reports[i].Nodes, "node"))
		if granted {
			line += "; " + a.mayBeCited()
		}
		a.printf("%s\n", term.Line(line))
	}
	if a.json {
		report := map[string]any{"maps": reports}
		if len(a.warnings) > 0 {
			report["warnings"] = a.warnings
		}
		return a.printJSON(report)
	}
	return nil
}

// allowSource records that the source of a map may be cited although it is outside
// the base directory.
func (a *adaptation) allowSource(ctx context.Context, m *citekit.ResourceMap) (granted bool, err error) {
	if !a.outside || m.SourcePath != a.source {
		return false, nil
	}
	ws, err := a.openGranter()
	if err != nil {
		return false, err
	}
	defer ws.Close()
	if err := ws.Allow(ctx, a.source, m.ResourceID); err != nil {
		return false, hinted{err, "give the folder with --root to every command instead"}
	}
	return true, nil
}
