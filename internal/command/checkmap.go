package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/ingest"
	"github.com/citekit/citekit/internal/command/internal/schema"
	"github.com/citekit/citekit/internal/command/internal/term"
	"github.com/citekit/citekit/internal/message"
)

func checkMapCommand(s *session) *cobra.Command {
	var flags checkFlags
	c := &cobra.Command{
		Use:         "check-map <path|id>...",
		Annotations: someMaps,
		Short:       "Check maps against the rules and their sources",
		Long: `Checks maps, given as files or as resource ids, by themselves and against their
sources: ids, locations, ranges, hashes. Prints a line for each finding, with
its place in the JSON. Fails unless all findings are warnings. "-" reads a map
from the standard input.

--fix first repairs faults that have only one right answer, such as missing or
duplicate ids, and prints the repairs. It does not change a valid location, but
for two pages that are the first and the last by the node's address, its children
or the nodes beside it: [12, 15] in maps of some other programs.
--schema prints the JSON schema of maps instead.`,
		Example: lines(
			"citekit check-map book",
			"citekit check-map .resource_maps/*.json",
			"citekit check-map --all --json",
			"citekit check-map --fix book",
			"citekit check-map --schema > resourcemap.schema.json",
		),
		Args: between(0, -1),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case flags.schema:
				return s.printSchema()
			case len(args) == 0 && !flags.all:
				return usagef("check-map", "check-map needs a path, an id, or --all")
			}
			return s.checkMaps(cmd.Context(), args, flags)
		},
	}
	f := c.Flags()
	f.BoolVar(&flags.all, "all", false, "check the maps of all resources")
	f.BoolVar(&flags.fix, "fix", false, "repair faults that have only one right answer")
	f.BoolVar(&flags.schema, "schema", false, "print the JSON schema of maps")
	return c
}

// checkFlags are the flags of check-map.
type checkFlags struct {
	all, fix, schema bool
}

func (s *session) printSchema() error {
	data, err := schema.ResourceMap()
	if err != nil {
		return err
	}
	_, err = s.out.Write(data)
	return err
}

// A mapReport is the report of check-map on one map.
type mapReport struct {
	Map      string       `json:"map"` // as given
	OK       bool         `json:"ok"`
	Nodes    int          `json:"nodes"`
	Fixes    []ingest.Fix `json:"fixes,omitempty"`
	Problems []mapFault   `json:"problems"`
}

// A mapFault is one thing wrong with a map.
type mapFault struct {
	Path    string `json:"path,omitempty"`
	Node    string `json:"node,omitempty"`
	Warning bool   `json:"warning"`
	Code    string `json:"code,omitempty"`
	Message string `json:"message"`
}

func (s *session) checkMaps(ctx context.Context, names []string, flags checkFlags) error {
	lib, err := s.open()
	if err != nil {
		return err
	}
	defer lib.Close()
	var given []givenMap
	for _, name := range names {
		given = append(given, givenMap{name: name, file: isMapFile(ctx, lib, name)})
	}
	if flags.all {
		ids, err := lib.Resources(ctx)
		if err != nil {
			return err
		}
		for _, id := range ids {
			given = append(given, givenMap{name: id})
		}
	}
	var failed error
	reports := []mapReport{}
	for _, g := range given {
		report, err := s.checkMap(ctx, lib, g, flags.fix)
		if err != nil {
			return err
		}
		if !report.OK {
			failed = errReported
		}
		if s.json {
			reports = append(reports, report)
		} else {
			s.printReport(report)
		}
	}
	if s.json {
		if err := s.printJSON(map[string][]mapReport{"maps": reports}); err != nil {
			return err
		}
	}
	return failed
}

// A givenMap is a map to check.
type givenMap struct {
	name string // path or id
	file bool   // name is a path

	stamp citekit.Stamp // of a stored map, taken before it was read
}

// checkMap checks one map. The report holds what is wrong with it; the error is
// non-nil only if ctx is done.
func (s *session) checkMap(ctx context.Context, lib *citekit.Library, given givenMap, fix bool) (mapReport, error) {
	report := mapReport{Map: given.name, OK: true, Problems: []mapFault{}}
	if !given.file && citekit.CheckResourceID(given.name) == nil {
		given.stamp, _ = lib.Workspace().StatMap(ctx, given.name) // if this fails, reading fails too
	}
	m, err := s.readMap(ctx, lib, given)
	if err != nil {
		report.add(ingest.Problem{Err: err})
		return report, ctx.Err()
	}
	if fix {
		m = m.Clone()
		if report.Fixes, err = s.fixMap(ctx, lib, given, m); err != nil {
			report.add(ingest.Problem{Err: err})
		}
	}
	report.Nodes = m.Len()
	for _, p := range ingest.Check(ctx, lib, m) {
		report.add(p)
	}
	return report, ctx.Err()
}

// fixMap repairs a map and writes it back to where it was read from.
func (s *session) fixMap(ctx context.Context, lib *citekit.Library, given givenMap, m *citekit.ResourceMap) ([]ingest.Fix, error) {
	if given.name == "-" {
		return nil, fmt.Errorf("a map on the standard input cannot be repaired in place: %w", errors.ErrUnsupported)
	}
	fixes := ingest.Repair(m)
	if len(fixes) == 0 {
		return nil, nil
	}
	data, err := m.MarshalJSON()
	if err != nil {
		return nil, err
	}
	if !given.file {
		_, err := lib.Workspace().WriteMapIf(ctx, m.ResourceID, data, given.stamp)
		return fixes, err
	}
	return fixes, replaceFile(given.name, data, func(string) error { return ctx.Err() })
}

func (r *mapReport) add(p ingest.Problem) {
	message := plainMessage(p.Err)
	found := mapFault{Path: p.Path, Node: p.Node, Warning: p.Warning, Message: message}
	if !p.Warning {
		found.Code = citekit.CodeOf(p.Err)
		r.OK = false
	}
	r.Problems = append(r.Problems, found)
}

// readMap returns the map in a file, or the one with an id.
func (s *session) readMap(ctx context.Context, lib *citekit.Library, given givenMap) (*citekit.ResourceMap, error) {
	if given.name == "-" {
		return parseMap(s.stdin)
	}
	if !given.file {
		return lib.Map(ctx, given.name)
	}
	f, err := os.Open(given.name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return parseMap(f)
}

// isMapFile reports whether name means a file: it looks like a path, or a file of
// that name may be a map and no resource has that id.
func isMapFile(ctx context.Context, lib *citekit.Library, name string) bool {
	if strings.ContainsAny(name, "/"+string(filepath.Separator)) {
		return true
	}
	info, err := os.Stat(name)
	isFile := err == nil && !info.IsDir()
	isJSON := strings.EqualFold(filepath.Ext(name), ".json")
	if isFile && isJSON {
		return true
	}
	return (isFile || isJSON) && !hasMap(ctx, lib, name)
}

const maxMap = 64 << 20 // bytes; as in the library

func parseMap(r io.Reader) (*citekit.ResourceMap, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxMap+1))
	if err != nil {
		return nil, err
	}
	if len(data) > maxMap {
		return nil, fmt.Errorf("a map of more than %d bytes: %w", maxMap, citekit.ErrTooLarge)
	}
	return citekit.ParseMap(data)
}

func (s *session) printReport(r mapReport) {
	for _, f := range r.Fixes {
		s.printf("%s\n", term.Line(r.Map+": fixed: "+f.Path+": "+f.What))
	}
	for _, p := range r.Problems {
		s.printf("%s\n", term.Line(r.Map+": "+p.String()))
	}
	if r.OK {
		s.printf("%s: ok, %s\n", term.Line(r.Map), message.Count(r.Nodes, "node"))
	}
}

func (f mapFault) String() string {
	text := f.Message
	if f.Node != "" {
		text = fmt.Sprintf("(node '%s') %s", f.Node, text)
	}
	if f.Path != "" {
		text = f.Path + ": " + text
	}
	if f.Warning {
		return "warning: " + text
	}
	return "error: " + text
}
