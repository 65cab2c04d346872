// Package citekit cites and extracts exact evidence from local files.
//
// # Model
//
// A resource is one file: a document, a video, a recording, an image or a text. A
// [ResourceMap] describes it as a tree of [Node] values, each with a [Location]: the
// pages, seconds, lines or region the node stands for. An [Address] names such a part
// in one line that can be cited:
//
//	doc://book#pages=12-15
//	video://lecture#t=145.5-200
//	image://chart#bbox=0.1,0.1,0.5,0.5
//	text://code#lines=10-25
//
// A [Library] reads maps and resolves nodes and addresses: it writes exactly that part
// of the source to a file, and describes the file in an [Evidence]. A [Resolver] does
// the work for one modality; package modality has the built-in ones. Package ingest
// makes maps from the structure that a [Mapper] finds in a source. Most built-in
// resolvers are Mappers too; they use neither a model nor a network. A [Workspace]
// stores maps and evidence, and opens sources; package workspace has one over a
// directory and one in memory.
//
// # Counting
//
// Pages and lines count from 1 and ranges include both ends. Times are seconds and a
// span [Start, End) excludes its end. Boxes are fractions of the image as displayed,
// from the top left corner.
//
// # A tour
//
// Begin with the examples of this package: [ParseAddress], [Library.Resolve] and
// [Library.ReadText]. Package workspace opens a folder, or keeps everything in memory;
// modality has the built-in resolvers, and modality/modalitytest checks one of your
// own; ingest makes the maps; search, answer, verify and citation work with them;
// mcpadapter serves them to agents. Package corpus joins them all over one folder. Each
// has examples, which pkg.go.dev shows.
//
// # Errors
//
// The error for a missing map, node or file matches [fs.ErrNotExist]. The error for an
// operation that a format does not support matches [errors.ErrUnsupported]. Once the
// context is done, the error matches ctx.Err(). This package defines [ErrSyntax],
// [ErrRange], [ErrStale], [ErrForbidden], [ErrTooLarge], [ErrFormat], [ErrNotStored]
// and [ErrDamaged]. [ErrConflict] is a special case of [ErrStale]; [ErrEncrypted] and
// [ErrEmpty] are special cases of [ErrFormat]: each matches both. A [Library] wraps
// each error once in a [*ResolveError] with the address. [CodeOf] returns the
// machine-readable code of an error.
//
// # Concurrency
//
// A Library, every Resolver and every Workspace are safe for concurrent use. Do not
// modify the maps and nodes that a Library returns, because they are shared: use
// [ResourceMap.Clone], or [Library.ReadMap], whose map belongs to the caller.
package citekit
