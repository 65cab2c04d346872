package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/term"
)

func checkMapCommand() *command {
	var all bool
	return &command{
		name:    "check-map",
		args:    "<path|id>...",
		summary: "Check maps against the rules and their sources",
		about: `Checks maps, given as files or as resource ids, by themselves and against
their sources: ids, locations, ranges, hashes. Prints a line for each
finding, with its place in the JSON. Fails if there is anything but warnings.
"-" reads a map from the standard input.`,
		example: []string{"citekit check-map book", "citekit check-map .resource_maps/*.json", "citekit check-map --all --json"},
		maxArgs: -1,
		flags:   func(f *flagSet) { f.BoolVar(&all, "all", false, "check the maps of all resources") },
		run: func(ctx context.Context, s *session, args []string) error {
			if len(args) == 0 && !all {
				return usagef("check-map", "check-map needs a path, an id, or --all")
			}
			return s.checkMaps(ctx, args, all)
		},
	}
}

// A mapReport is what check-map says of a map.
type mapReport struct {
	Map      string    `json:"map"` // as given
	OK       bool      `json:"ok"`
	Nodes    int       `json:"nodes"`
	Problems []finding `json:"problems"`
}

// A finding is one thing wrong with a map.
type finding struct {
	Path    string       `json:"path,omitempty"`
	Node    string       `json:"node,omitempty"`
	Warning bool         `json:"warning"`
	Code    citekit.Code `json:"code,omitempty"`
	Message string       `json:"message"`
}

func (s *session) checkMaps(ctx context.Context, names []string, all bool) error {
	lib, err := s.open()
	if err != nil {
		return err
	}
	defer lib.Close()
	if all {
		ids, err := lib.Resources(ctx)
		if err != nil {
			return err
		}
		names = append(names, ids...)
	}
	var failed error
	reports := []mapReport{}
	for _, name := range names {
		report, err := s.checkMap(ctx, lib, name)
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

// checkMap checks one map. What is wrong with it is in the report; the error
// is only that ctx is done.
func (s *session) checkMap(ctx context.Context, lib *library, name string) (mapReport, error) {
	report := mapReport{Map: name, OK: true, Problems: []finding{}}
	m, err := s.readMap(ctx, lib, name)
	if err != nil {
		report.add(citekit.Problem{Err: err})
		return report, ctx.Err()
	}
	report.Nodes = countNodes(m)
	for _, p := range lib.Check(ctx, m) {
		report.add(p)
	}
	return report, ctx.Err()
}

func (r *mapReport) add(p citekit.Problem) {
	message := strings.TrimPrefix(p.Err.Error(), "citekit: ")
	found := finding{Path: p.Path, Node: p.Node, Warning: p.Warning, Message: message}
	if !p.Warning {
		found.Code = citekit.CodeOf(p.Err)
		r.OK = false
	}
	r.Problems = append(r.Problems, found)
}

// readMap returns the map in a file, or the one with an id.
func (s *session) readMap(ctx context.Context, lib *library, name string) (*citekit.ResourceMap, error) {
	if name == "-" {
		return parseMap(s.stdin)
	}
	if !isMapFile(name) {
		return lib.Map(ctx, name)
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return parseMap(f)
}

// isMapFile reports whether name is meant as a file: it looks like one, or is
// one.
func isMapFile(name string) bool {
	if strings.ContainsAny(name, "/"+string(filepath.Separator)) || strings.EqualFold(filepath.Ext(name), ".json") {
		return true
	}
	info, err := os.Stat(name)
	return err == nil && !info.IsDir()
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
	for _, p := range r.Problems {
		s.printf("%s\n", term.Line(r.Map+": "+p.String()))
	}
	if r.OK {
		s.printf("%s: ok, %s\n", term.Line(r.Map), counted(r.Nodes, "node"))
	}
}

func (f finding) String() string {
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
