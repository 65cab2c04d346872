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
// Begin with the examples of [ParseAddress], [Library.Resolve] and [Library.ReadText].
// Package corpus joins what the other packages do over one folder.
//
// # Counting
//
// Pages and lines count from 1 and ranges include both ends. Times are seconds and a
// span [Start, End) excludes its end. Boxes are fractions of the image as displayed,
// from the top left corner.
//
// # Errors
//
// The error for a missing map, node or file matches [fs.ErrNotExist]. The error for an
// operation that a format does not support matches [errors.ErrUnsupported]. Once the
// context is done, the error matches ctx.Err(). The others are those of this package,
// such as [ErrStale]. A [Library] wraps each error once in a [*ResolveError] with the
// address. [CodeOf] returns the machine-readable code of an error.
//
// # Concurrency
//
// A Library, every Resolver and every Workspace are safe for concurrent use. Do not
// modify the maps and nodes that a Library returns, because they are shared: use
// [ResourceMap.Clone], or [Library.ReadMap], whose map belongs to the caller.
package citekit
