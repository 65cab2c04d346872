// Package index finds parts of resources by their words.
//
// An [Index] holds entries: a few words about each node of a map, or passages of
// it. Whoever keeps an index in step with the maps asks it which version of a
// resource it [Index.Holds], and puts the entries of those that are missing or
// of another version. An index may lose what it holds; it is then put again.
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
	// Put makes the entries of each resource all that is held of it. Either
	// all resources are held as given afterwards, for every reader, or after
	// an error none is changed. A resource without entries is held with none.
	// Ids that are empty or given twice are errors matching
	// [citekit.ErrSyntax]. The sequences are read once, in order.
	Put(ctx context.Context, resources iter.Seq[Resource]) error

	// Delete takes resources out. Those that are not held are no error.
	Delete(ctx context.Context, ids ...string) error

	// Holds returns the version of a resource that is held, whole and
	// undamaged as far as is known, or an error matching [fs.ErrNotExist].
	Holds(ctx context.Context, id string) (version string, err error)

	// Search returns the entries that match a query, best first.
	Search(ctx context.Context, q Query) (*Result, error)

	// Stats says what the index holds.
	Stats(ctx context.Context) (Stats, error)
}

// A Resource is what an index is given of one resource.
type Resource struct {
	ID string

	// Version tells of what the entries were made, such as the hashes of the
	// source and of the map. It is opaque.
	Version string

	Entries iter.Seq[Entry]
}

// An Entry is a node of a map, or a passage of one, as an index holds it.
type Entry struct {
	Node     string // id; "" if no node is around the passage
	Type     string // of the node
	Modality citekit.Modality

	Title   string   // of the node; its words count more than others
	Path    []string // titles of the nodes around it, from the root
	Summary string
	Text    string // is indexed, but not kept: hits are without

	Location string // where the entry is, as the caller writes it
	Ordinal  int    // as the caller counts

	Created    time.Time // of the source, else of the map; to the second; zero if it is not known
	Authors    []string
	Labels     []string
	SourcePath string
}

// Stats are counts of an index.
type Stats struct {
	Resources int   `json:"resources"`
	Entries   int   `json:"entries"`
	Segments  int   `json:"segments"`
	Bytes     int64 `json:"bytes"`    // of the segments
	Outdated  int   `json:"outdated"` // entries in the segments that count no more
	Lost      int   `json:"lost"`     // segments that are gone or damaged; what they held is not held any more
}
