// Package contents reads parts of resources as text that an agent can take in at
// once: nodes and addresses, each with what is around it if that is asked for,
// within a number of tokens. What does not fit is given by a cursor.
//
// The text is that of package textlayer: read once, and never of another version
// of the source than the one that was mapped.
package contents

import (
	"cmp"
	"context"
	"fmt"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/relations"
	"github.com/citekit/citekit/textlayer"
)

// Bounds of a [Request].
const (
	MaxIDs        = 100
	DefaultTokens = 4000
	MinTokens     = 100
	MaxTokens     = 1_000_000
	maxAround     = 1000 // nodes that are read beside those that were asked for
)

// A Request says what to read.
type Request struct {
	// IDs are what to read, 1 to [MaxIDs]: addresses, and nodes as
	// "resource.node", of which the longest resource id that fits counts. A
	// resource id alone is all of its text.
	IDs []string

	// Expand adds to each node what is around it in its map.
	Expand Expansion

	// NoText asks for addresses and media types alone.
	NoText bool

	// Runs asks for the address of each part of a text that has one of its
	// own, such as a page.
	Runs bool

	// MaxTokens bounds the whole answer as JSON, from [MinTokens] to
	// [MaxTokens]; zero means [DefaultTokens].
	MaxTokens int

	// Cursor is that of the answer before, for what it left out of the same
	// request; "" begins.
	Cursor string
}

// An Expansion says what is read beside a node.
type Expansion struct {
	Parent     bool
	Children   bool
	Neighbours bool // the nodes before and after it that have the same parent

	// Relations is how many relations away the places are that are read
	// beside each node or address, 0 to [relations.MaxHops]: those that links
	// lead to or come from, as [relations.Graph.Around] finds them.
	Relations int
}

// Contents are an answer. Its JSON has at most Request.MaxTokens tokens: one
// for each four characters, and one for each of Chinese, Japanese or Korean.
type Contents struct {
	Items      []*Item
	NextCursor string // for what was left out; "" if that is nothing

	// Late makes the JSON say that it is not complete, though it may be all of
	// the text: the time was over before what is related was known, or before
	// what else belongs to the answer.
	Late bool
}

// An Item is one part.
type Item struct {
	ID         string // as it was asked for; an address for what was added
	ResourceID string
	NodeID     string // "" if it is not a node
	Address    citekit.Address
	MediaType  string // of the source, where that is known

	// Relation is why a place is read that was not asked for, if that is a
	// relation; else it is nil.
	Relation *Relation

	Text   string
	Tokens int    // of Text
	Runs   []Run  // if they were asked for
	Note   string // why there is no text, or not all
	Err    error  // why it cannot be read; such as one that matches citekit.ErrStale
}

// A Run is a part of a text that has an address of its own.
type Run struct {
	Address    citekit.Address
	Start, End int // code points of the text, the end excluded
}

// A Reader reads the resources of a Library. It is safe for concurrent use.
type Reader struct {
	// Relations finds what is related. [New] makes one; another of the same
	// Library may take its place before the first call, to be shared.
	Relations *relations.Graph

	lib    *citekit.Library
	layers *textlayer.Store
}

// New returns a Reader over a Library, with the texts that layers keeps.
func New(lib *citekit.Library, layers *textlayer.Store) *Reader {
	return &Reader{Relations: relations.New(lib), lib: lib, layers: layers}
}

// Read reads what a request asks for, in its order. What cannot be read is an
// item with an error. If the time of the context is over, what was read by then
// is the answer, and the cursor is for the rest.
//
// Errors of Read itself match [citekit.ErrSyntax] if the request is wrong, and
// [citekit.ErrTooLarge] if not even the first address fits; or are those of a
// context that ended before anything was read.
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
	in := reading{Reader: r, req: req, layers: make(map[string]opened)}
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
