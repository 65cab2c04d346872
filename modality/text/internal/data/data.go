// Package data finds the structure of data files, notebooks, logs and plain
// prose: JSON, YAML, TOML, XML, CSV, Jupyter notebooks, and any other text with
// lines.
//
// Its input is UTF-8 without a byte order mark. All lines end with LF.
package data

import (
	"context"
	"fmt"
	"io"

	"github.com/citekit/citekit"
)

// A Format is a kind of file that this package can map.
type Format string

// The formats.
const (
	JSON     Format = "json"     // comments and trailing commas are allowed
	Records  Format = "jsonl"    // a JSON value per line
	YAML     Format = "yaml"     // one or several documents
	TOML     Format = "toml"     // version 1.0
	INI      Format = "ini"      // sections and keys, in any dialect
	XML      Format = "xml"      // entities are not expanded
	CSV      Format = "csv"      // delimited by commas, semicolons, tabs or bars
	Notebook Format = "notebook" // Jupyter, nbformat 3 and 4
	Log      Format = "log"      // entries that begin with a time
	Prose    Format = "prose"    // paragraphs
	Lines    Format = "lines"    // any other text
)

// MaxWhole is the largest source in bytes that is mapped if its format does not
// stream; see [Format.Streams].
const MaxWhole = 16 << 20

// Streams reports whether [MapReader] maps f in memory that does not grow with the
// source.
func (f Format) Streams() bool {
	switch f {
	case YAML, TOML, INI, Notebook:
		return false
	}
	return true
}

// Map returns the structure of src. Every location is a run of lines. Siblings
// are in source order and may share a line; parents contain their children.
// There are at most 20,000 nodes: if there would be more, nodes become coarser.
//
// Errors match [citekit.ErrFormat] if src is malformed or empty,
// [citekit.ErrTooLarge] if it has more than [MaxWhole] bytes and its format
// does not stream, and ctx.Err() once ctx is done.
func Map(ctx context.Context, format Format, src []byte) (*citekit.Draft, error) {
	return mapReader(format, newHeldReader(ctx, src))
}

// MapReader is like [Map] for a source that may not fit in memory.
func MapReader(ctx context.Context, format Format, src io.Reader) (*citekit.Draft, error) {
	return mapReader(format, newReader(ctx, src))
}

func mapReader(format Format, r *reader) (*citekit.Draft, error) {
	if _, ok := r.peek(); !ok {
		if r.err != nil {
			return nil, r.err
		}
		return nil, fmt.Errorf("empty; %w", citekit.ErrEmpty)
	}
	s, err := mapFormat(format, r)
	if r.err != nil { // a read error may look like damage
		return nil, r.err
	}
	if err != nil {
		return nil, err
	}
	if len(s.Nodes) == 0 {
		s.Nodes, s.Method = []*citekit.Node{whole(r.lines())}, "whole"
	}
	return s, nil
}

func mapFormat(format Format, r *reader) (*citekit.Draft, error) {
	switch format {
	case JSON:
		return mapJSON(r)
	case Records:
		return mapRecords(r)
	case XML:
		return mapXML(r)
	case CSV:
		return mapCSV(r)
	case Log:
		return mapLog(r)
	case Prose:
		return mapProse(r, true)
	case Lines:
		return mapProse(r, false)
	}
	src, err := r.all()
	if err != nil {
		return nil, err
	}
	switch format {
	case YAML:
		return mapYAML(r.ctx, src)
	case TOML:
		return mapTOML(r.ctx, src)
	case INI:
		return mapINI(r.ctx, src)
	case Notebook:
		return mapNotebook(r.ctx, src)
	}
	return nil, fmt.Errorf("no mapper for the format %q: %w", format, citekit.ErrFormat)
}

// whole returns the node of a source without parts, or with all parts on one line.
func whole(lines int) *citekit.Node {
	return &citekit.Node{Type: "element", Location: linesAt(1, lines)}
}

func linesAt(first, last int) citekit.Location {
	return citekit.Location{Modality: citekit.Text, Lines: citekit.Range{First: first, Last: last}}
}

// malformed returns an error for a fault at a line.
func malformed(line int, format string, args ...any) error {
	return fmt.Errorf("line %d: %s: %w", line, fmt.Sprintf(format, args...), citekit.ErrFormat)
}
