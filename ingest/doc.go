// Package ingest makes maps of sources, and keeps them up to date with the
// files.
//
// [Run] finds sources, has a [citekit.Mapper] draft a map of each, and stores
// it under an id made from the name of the file. Run again, it maps changed
// sources and leaves the rest alone. [States] reports which sources have
// changed or vanished since; [Delete] and [Prune] remove maps with everything
// that belongs to them; [ResourcesOf] finds the maps of a file. [Jobs] run
// ingests in the background, for servers.
//
// The code first decides on a verdict for each source, which changes nothing,
// and one function then acts on it. Facts that ingest finds out about a source
// are kept in the notes of the workspace, so that an unchanged source costs
// only a check of its times. The notes are a cache: without them, the same
// facts are found again from the maps and the sources, except which maps a
// person has changed.
package ingest
