// Package citekit cites and extracts exact evidence from local files.
//
// # Model
//
// A resource is one file: a document, a video, a recording, an image or a
// text. A [ResourceMap] describes it as a tree of [Node] values, each with a
// [Location]: the pages, seconds, lines or region the node stands for. An
// [Address] names such a part in one line that can be cited:
//
//	doc://book#pages=12-15
//	video://lecture#t=145.5-200
//	image://chart#bbox=0.1,0.1,0.5,0.5
//	text://code#lines=10-25
//
// A [Library] holds maps and resolves: given a node or an address it writes
// exactly that part of the source to a file and returns it as [Evidence]. The
// work for one format is done by a [Resolver]; package modality has the
// built-in ones. Package ingest makes maps from what a [Mapper] finds in the
// sources: the built-in resolvers are Mappers too, without a model or a network.
// Where maps, sources and evidence live is a [Workspace];
// package workspace has one over a directory and one in memory.
//
// # Counting
//
// Pages and lines count from 1 and ranges include both ends. Times are
// seconds and a span [Start, End) excludes its end. Boxes are fractions of the
// image as displayed, from the top left corner.
//
// # A tour
//
// Each package below has an example to run. Begin with those of this package:
// [ParseAddress], [Library.Resolve] and [Library.ReadText]. Then follow a file:
//
//   - workspace opens a folder, or keeps everything in memory;
//   - modality has the built-in resolvers, and modality/modalitytest checks one of
//     yours;
//   - ingest makes the maps, and mapadapter takes over what other tools made;
//   - digest shows maps to an agent within a number of tokens;
//   - search finds passages, contents reads them, relations follows links, and
//     briefing gathers the best ones for a task;
//   - answer answers a question, and verify checks quotes;
//   - citation writes addresses as others cite, and reanchor moves them when
//     sources change;
//   - mcpadapter serves a library to agents, and server several to a team.
//
// # Errors
//
// A missing map, node or file matches [fs.ErrNotExist]; an operation that a
// format does not have matches [errors.ErrUnsupported]; a done context gives its
// own error. [ErrSyntax], [ErrRange], [ErrStale], [ErrForbidden], [ErrTooLarge],
// [ErrFormat] and [ErrNotStored] are this package's own, and some have kinds, such
// as [ErrEncrypted] and [ErrEmpty]. A [Library] wraps each error in a [*ResolveError], once, with the
// address. [CodeOf] gives the machine-readable code of any of them.
//
// # Concurrency
//
// A Library, every Resolver and every Workspace are safe for concurrent use.
// Maps and nodes returned by a Library are shared: do not modify them, use
// [ResourceMap.Clone].
package citekit
