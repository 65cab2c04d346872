// Package ingest makes maps of sources, and keeps them up to date with the
// files.
//
// [Run] finds sources, has a [citekit.Mapper] draft a map of each, and stores
// it under an id made from the name of the file. Run again, it maps changed
// sources and leaves the rest alone. [States] reports which sources have
// changed or vanished since; [Delete] and [Prune] remove maps with everything
// that belongs to them; [ResourcesOf] finds the maps of a file. [Jobs] run
// ingests in the background, for servers. An [Indexer], such as a
// search.Searcher, makes the texts searchable at the end of each ingest.
//
// Run records what it learns about each source in notes of the workspace, see
// [citekit.NoteStore]. For an unchanged source it then compares only the
// identity of the file, such as its size and times. The notes are a cache:
// without them, Run finds the same facts again from the maps and the sources.
package ingest
