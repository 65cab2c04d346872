// Package index finds parts of resources by their words.
//
// An [Index] holds entries: a few words about each node of a map, or passages
// of it. To keep an index up to date with the maps, a program asks it which
// version of each resource it [Index.Holds], and puts the entries of resources
// that are missing or have another version. An index may lose entries; the
// program then puts them again.
//
// [Local] is an index over the stores of a workspace, for one process or
// several.
package index

import (
	"context"
	"iter"
	"time"

	"github.com/citekit/citekit"
)

// An Index finds entries of resources. Implementations must be safe for
// concurrent use. Methods return ctx.Err() once ctx is done.
type Index interface {
	// Put replaces all entries of each resource. Afterwards every reader sees
	// all resources as given; if Put returns an error, none has changed. The
	// index holds a resource without entries too. For empty or repeated ids the
	// error matches [citekit.ErrSyntax]. The sequences are read once, in order.
	Put(ctx context.Context, resources iter.Seq[Resource]) error

	// Delete removes resources. It ignores those that the index does not have.
	Delete(ctx context.Context, ids ...string) error

	// Holds returns the version of a resource in the index. If the index does
	// not have all entries of the resource, or some are known to be damaged,
	// the error matches [fs.ErrNotExist].
	Holds(ctx context.Context, id string) (version string, err error)

	// Search returns the entries that match a query, best first.
	Search(ctx context.Context, q Query) (*Result, error)

	// Stats returns statistics of the index.
	Stats(ctx context.Context) (Stats, error)
}

// A Resource is a resource and its entries, as given to an index.
type Resource struct {
	ID string // of the resource

	// Version identifies the input of the entries, such as the hashes of the
	// source and of the map. It is opaque.
	Version string

	Entries iter.Seq[Entry] // read once, in order
}

// An Entry is a node of a map, or a passage of one.
type Entry struct {
	Node     string           // id; "" if no node encloses the passage
	Type     string           // of the node
	Modality citekit.Modality // of the entry

	Title   string   // of the node; its words have more weight than others
	Path    []string // titles of the enclosing nodes, from the root
	Summary string   // of the node
	Text    string   // is indexed but not stored: hits lack it

	Location string // of the entry, in the caller's own form
	Ordinal  int    // numbered by the caller

	Created    time.Time // of the source, or else of the map; to the second; zero if unknown
	Authors    []string  // of the source
	Labels     []string  // of the source
	SourcePath string    // as in the map
}

// Stats are counts of an index.
type Stats struct {
	Resources int   `json:"resources"` // resources that the index has
	Entries   int   `json:"entries"`   // entries of these resources
	Segments  int   `json:"segments"`  // files of the index
	Bytes     int64 `json:"bytes"`     // size of the segments
	Outdated  int   `json:"outdated"`  // outdated entries in the segments
	Lost      int   `json:"lost"`      // missing or damaged segments; their entries are no longer held
}
