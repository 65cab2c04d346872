// Package contents gives an agent what resources hold, as text within a number of
// tokens, each part with its address:
//
//   - a [Digest] lists what there is to cite: the maps of resources in as much detail
//     as fits. It needs only maps, and opens no source.
//   - A [Reader] reads nodes and addresses, and on request the parts around them. A
//     cursor continues with the parts that did not fit.
//   - A [Briefer] gathers the passages that matter for a task, from all resources.
//
// The text comes from package textlayer: it is read once, and always from the
// mapped version of the source.
package contents

import (
	"cmp"
	"context"
	"fmt"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/preview"
	"github.com/citekit/citekit/relations"
	"github.com/citekit/citekit/textlayer"
)

// Bounds of a [Request]. Those of a [BriefingRequest] are the same, but for
// [MaxBriefingTokens].
const (
	MaxIDs        = 100       // largest number of Request.IDs
	DefaultTokens = 4000      // Request.MaxTokens if it is zero
	MinTokens     = 100       // smallest Request.MaxTokens
	MaxTokens     = 1_000_000 // largest Request.MaxTokens
	maxAround     = 1000      // nodes read in addition to the requested ones
)

// A Request selects the parts to read.
type Request struct {
	// IDs are the parts to read, 1 to [MaxIDs]: addresses, and nodes as
	// "resource.node", where the longest matching resource id is used. A
	// resource id alone means all of its text.
	IDs []string

	// Expand adds to each node the nodes around it in its map.
	Expand Expansion

	// NoText requests only addresses and media types.
	NoText bool

	// Runs requests the address of each part of a text that has its own, such
	// as a page.
	Runs bool

	// Cells requests the cells of the parts that are a table, or cells of one, with what
	// they span.
	Cells bool

	// Visible requests texts in which characters that cannot be seen are written
	// as codes, such as \u202E, for a model to read. Runs and tokens are then
	// those of such a text.
	Visible bool

	// MaxTokens limits the whole answer as JSON, from [MinTokens] to
	// [MaxTokens]; zero means [DefaultTokens].
	MaxTokens int

	// Cursor is the cursor of the previous answer to the same request, to read
	// the rest; "" reads from the start.
	Cursor string
}

// An Expansion selects the nodes and places to read in addition to a node.
type Expansion struct {
	Parent     bool // the enclosing node
	Children   bool // the nodes directly below
	Neighbours bool // the previous and the next node with the same parent

	// Relations is the largest number of relations to follow from each node or
	// address, 0 to [relations.MaxHops]. The places that links lead to or come
	// from are read too, as [relations.Graph.Around] finds them.
	Relations int
}

// Contents is an answer. Its JSON has at most Request.MaxTokens tokens: one
// token for every four characters, and one for each Chinese, Japanese or Korean
// character.
type Contents struct {
	Items      []*Item // the parts that were read, in order
	NextCursor string  // for the rest; "" if there is none

	// Late is true if time ran out before all related places or other parts of
	// the answer were found. The JSON then has "complete": false, even if
	// NextCursor is "". It also has that if an item has Missing text.
	Late bool
}

// An Item is one part.
type Item struct {
	ID         string          // as requested; an address for an added part
	ResourceID string          // the resource it belongs to
	NodeID     string          // "" if the part is not a node
	Address    citekit.Address // of the part; Text may be less of it
	MediaType  string          // of the source, if known

	// Relation is the relation that led to this place, or nil.
	Relation *Relation

	Text   string // of the part, or what fits of it
	Tokens int    // of Text
	Hidden int    // how many characters of Text are written as codes, if Visible is requested
	Runs   []Run  // if requested
	OCR    bool   // some of Text was recognised in a picture

	// Table is there if Cells are requested, the part is of a table, and they fit.
	Table *preview.Table

	// Transcribed is true if Text is what a machine heard in a recording.
	Transcribed bool

	// TextStates has the pages of the part whose text in the source is not full, by
	// state, as [textlayer.Layer.TextStates] has them; nil if there are none.
	TextStates map[string]any

	Note string // why there is no text, or not all of it
	// Missing is true if a part of the text cannot be read although the source
	// shows it. Note says which.
	Missing bool
	Err     error // why the part cannot be read, such as an error matching citekit.ErrStale
}

// A Run is a part of a text with an address of its own.
type Run struct {
	Address    citekit.Address // of what the text has of it
	Start, End int             // code points of the text, the end excluded

	// OCR says that it was recognised in a picture, by a program that is sure of it to
	// Confidence, from 0 to 1; 0 if that is not known.
	OCR        bool
	Confidence float64
}

// Options configures a [Reader]. The zero value is ready to use.
type Options struct {
	// Layers holds the texts; nil means a new store with the defaults.
	Layers *textlayer.Store

	// Relations finds related places; nil means a new graph.
	Relations *relations.Graph

	// Scans is what a note says after it says that pages have no text, as in a scan,
	// such as "--ocr reads it"; "" for nothing.
	Scans string
}

// A Reader reads the resources of a Library. It is safe for concurrent use.
type Reader struct {
	lib       *citekit.Library
	layers    *textlayer.Store
	relations *relations.Graph
	previews  *preview.Maker
	scans     string
}

// New returns a Reader over a Library, whose workspace must be a
// [citekit.EvidenceOpener]. A nil opts means the defaults.
func New(lib *citekit.Library, opts *Options) *Reader {
	o := cmp.Or(opts, new(Options))
	r := &Reader{lib: lib, layers: o.Layers, relations: o.Relations, previews: preview.New(lib), scans: o.Scans}
	if r.layers == nil {
		r.layers = textlayer.New(lib, nil)
	}
	if r.relations == nil {
		r.relations = relations.New(lib)
	}
	return r
}

// Read reads the parts of a request, in order. A part that cannot be read is an
// item with an error. If the time of the context runs out, the answer has the
// parts read by then, and the cursor is for the rest.
//
// Read itself returns an error matching [citekit.ErrSyntax] if the request is
// invalid, an error matching [citekit.ErrTooLarge] if not even the first
// address fits, or the error of a context that ended before anything was read.
func (r *Reader) Read(ctx context.Context, req Request) (*Contents, error) {
	if err := req.check(); err != nil {
		return nil, err
	}
	all, err := r.parts(ctx, req)
	if err != nil {
		return nil, err
	}
	if all, err = afterCursor(all, req); err != nil {
		return nil, err
	}
	in := call{Reader: r, req: req, layers: make(map[string]openText)}
	defer in.close()
	read := in.readAll(ctx, all)
	if len(read) == 0 {
		return nil, cmp.Or(ctx.Err(), context.DeadlineExceeded)
	}
	return fit(ctx, read, all, req)
}

func (req *Request) check() error {
	if req.MaxTokens == 0 {
		req.MaxTokens = DefaultTokens
	}
	switch n := len(req.IDs); {
	case n == 0:
		return syntaxError("no ids; give 1 to %d addresses or nodes", MaxIDs)
	case n > MaxIDs:
		return syntaxError("%d ids; give at most %d at a time", n, MaxIDs)
	case req.MaxTokens < MinTokens || req.MaxTokens > MaxTokens:
		return syntaxError("max_tokens %d; give %d to %d", req.MaxTokens, MinTokens, MaxTokens)
	case req.Expand.Relations < 0 || req.Expand.Relations > relations.MaxHops:
		return syntaxError("%d hops along relations; give 0 to %d", req.Expand.Relations, relations.MaxHops)
	}
	return nil
}

func syntaxError(format string, args ...any) error {
	return fmt.Errorf(format+": %w", append(args, citekit.ErrSyntax)...)
}
