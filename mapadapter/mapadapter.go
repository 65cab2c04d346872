// Package mapadapter makes resource maps from what other tools wrote about
// documents: graphs, stores of nodes, trees of contents.
//
// An adapter translates. It takes titles and summaries as they are, keeps the
// tool's own id of a node in the member "original_id" of its JSON, and says
// where a node is only if that follows: from page numbers and boxes in the
// input, or because the text of the node stands word for word in the source. A
// node without a place gets a virtual address, "virtual://resource#node".
//
// Input is taken to be hostile: it is bounded in size, rows, nodes and depth,
// and cycles in it are cut. Nothing it names is opened but through
// [Options.Open].
package mapadapter

import (
	"context"
	"fmt"
	"io/fs"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/plain"
)

// An Adapter makes maps of the output of a tool.
//
// Implementations must be safe for concurrent use.
type Adapter interface {
	// Adapt returns the maps that the input makes, at least one. They are the
	// caller's, and pass [citekit.ResourceMap.Validate]; whether their
	// locations lie inside the source, [citekit.Library.Check] tells. The
	// same input gives the same maps. A nil opts means the defaults.
	//
	// Errors match [citekit.ErrFormat] if the input is not what the adapter
	// reads, [citekit.ErrTooLarge] over a limit, [fs.ErrNotExist] if there is
	// no input, those of Open for a source that was asked for, and ctx.Err()
	// once ctx is done.
	Adapt(ctx context.Context, in Input, opts *Options) ([]*citekit.ResourceMap, error)
}

// An Input is a file or folder that a tool wrote.
type Input struct {
	FS   fs.FS
	Name string // in FS; "." is the folder itself

	// Path is where the input is for other programs, or "". Only [Command]
	// uses it.
	Path string
}

// Options are what an [Adapter] cannot know from its input. The zero value is
// ready to use.
type Options struct {
	// ResourceID is the id of the map, if there is one map; "" takes what the
	// input says, else the name of the source or of the input.
	ResourceID string

	// SourcePath is the file that the map is of, if there is one map; "" takes
	// what the input says, if that can be opened also by its base name alone.
	SourcePath string

	// Open opens a source by its path, which comes from the input and may
	// lie. The adapter closes it. It finds lines in the source, and notes its
	// hash and size in the map. Nil means that no source is at hand.
	Open func(ctx context.Context, path string) (*citekit.Source, error)

	// Warn is told what could not be read and was left out. The errors name
	// the file in the input. Nil discards them.
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
	maxSource = 64 << 20  // bytes of a source that text is looked for in
	maxMaps   = 1000

	maxMapBytes = 64 << 20  // of JSON with maps; the library takes no larger map
	maxValues   = 512 << 20 // bytes that the values of JSON take, about, besides their texts

	maxDepth   = 60   // of nodes
	maxTitle   = 300  // bytes
	maxSummary = 2000 // bytes of a summary that the tool made
	maxLead    = 300  // bytes of the text itself that stand for a summary
)

// Names returns the names that [Named] knows, sorted.
func Names() []string {
	return []string{"docling", "generic", "graphrag", "llamaindex", "pageindex"}
}

// Named returns the adapter of a name. An unknown one is an error matching
// [citekit.ErrSyntax].
func Named(name string) (Adapter, error) {
	switch name {
	case "docling":
		return Docling{}, nil
	case "generic":
		return Generic{}, nil
	case "graphrag":
		return GraphRAG{}, nil
	case "llamaindex":
		return LlamaIndex{}, nil
	case "pageindex":
		return PageIndex{}, nil
	}
	return nil, fmt.Errorf("no adapter %+q; there are %s: %w", short(name), strings.Join(Names(), ", "), citekit.ErrSyntax)
}

func short(s string) string { return plain.Cut(s, 60) }

// formatError returns an error for input that is not as it should be.
func formatError(format string, args ...any) error {
	return fmt.Errorf(format+": %w", append(args, citekit.ErrFormat)...)
}

func tooLarge(format string, args ...any) error {
	return fmt.Errorf(format+": %w", append(args, citekit.ErrTooLarge)...)
}
