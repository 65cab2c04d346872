// Package mapadapter makes resource maps from the output of other tools about
// documents: graphs, stores of nodes, trees of contents.
//
// An adapter translates. It keeps titles and summaries unchanged, and stores
// the tool's own id of a node in the member "original_id" of its JSON. It gives
// a node a location only if that follows from page numbers and boxes in the
// input, or if the text of the node occurs word for word in the source. A node
// without a place gets a virtual address, "virtual://resource#node".
//
// Input may be hostile: its size, rows, nodes and depth are bounded, and cycles
// in it are cut. Files that it names are opened only through [Options.Open].
package mapadapter

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/plain"
)

// An Adapter makes maps from the output of a tool.
//
// Implementations must be safe for concurrent use.
type Adapter interface {
	// Adapt returns the maps that the input makes, at least one. They belong to
	// the caller and pass [citekit.ResourceMap.Validate]. ingest.Check reports
	// whether their locations lie inside the source. The same input gives the
	// same maps. A nil opts means the defaults.
	//
	// Errors match [citekit.ErrFormat] if the adapter cannot read the form of
	// the input, [citekit.ErrTooLarge] over a limit, [os.ErrDeadlineExceeded]
	// if a program that it runs takes too long, [fs.ErrNotExist] if the input
	// is missing, the errors of Open for a source named in the options, and
	// ctx.Err() once ctx is done.
	Adapt(ctx context.Context, in Input, opts *Options) ([]*citekit.ResourceMap, error)
}

// An Input is a file or folder that a tool wrote.
type Input struct {
	FS   fs.FS  // has the input
	Name string // in FS; "." is the folder itself

	// Path is the path of the input for other programs, or "". Only [Command]
	// uses it.
	Path string
}

// Options give an [Adapter] what it cannot learn from its input. The zero value
// is ready to use.
type Options struct {
	// ResourceID is the id of the map, if the input makes one map. "" means the
	// id in the input, or else the name of the source or of the input.
	ResourceID string

	// SourcePath is the file of the map, if the input makes one map. "" means
	// the path in the input, if Open opens that or its base name.
	SourcePath string

	// Open opens a source by its path, which comes from the input and may be
	// false. The adapter closes the source. It finds lines in the source, and
	// records its hash and size in the map. Nil means that no source can be
	// opened.
	Open func(ctx context.Context, path string) (*citekit.Source, error)

	// Warn gets an error for each part that could not be read and was left out.
	// The errors name the file in the input. Nil discards them.
	Warn func(err error)
}

func (o *Options) warn(err error) {
	if o.Warn != nil {
		o.Warn(err)
	}
}

// Limits on input and output.
const (
	maxInput  = 256 << 20 // bytes of one file
	maxSource = 64 << 20  // bytes of a source that is searched for text
	maxMaps   = 1000

	maxMapBytes = 64 << 20  // of JSON with maps; the library accepts no larger map
	maxValues   = 512 << 20 // approximate bytes of the values of JSON, without their texts

	maxDepth   = 60   // of nodes
	maxTitle   = 300  // bytes
	maxSummary = 2000 // bytes of a summary that the tool made
	maxLead    = 300  // bytes of the text itself, used as a summary
)

var adapters = map[string]Adapter{
	"docling": Docling{}, "generic": Generic{}, "graphrag": GraphRAG{}, "llamaindex": LlamaIndex{}, "pageindex": PageIndex{},
}

// Names returns the names that [Named] knows, sorted.
func Names() []string {
	return slices.Sorted(maps.Keys(adapters))
}

// Named returns the adapter with a name. For an unknown name the error matches
// [citekit.ErrSyntax].
func Named(name string) (Adapter, error) {
	if adapter := adapters[name]; adapter != nil {
		return adapter, nil
	}
	return nil, fmt.Errorf("no adapter %+q; there are %s: %w", short(name), strings.Join(Names(), ", "), citekit.ErrSyntax)
}

func short(s string) string { return plain.Cut(s, 60) }

// formatError returns an error for invalid input.
func formatError(format string, args ...any) error {
	return fmt.Errorf(format+": %w", append(args, citekit.ErrFormat)...)
}

func tooLarge(format string, args ...any) error {
	return fmt.Errorf(format+": %w", append(args, citekit.ErrTooLarge)...)
}
