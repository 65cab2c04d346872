// Package ingest makes maps of sources, and keeps them in step with the files.
//
// [Run] finds sources, has a [citekit.Mapper] draft a map of each, and stores
// it under an id made from the name of the file. Run again, it maps what has
// changed and leaves the rest alone. [States] says which sources have changed or
// vanished since; [Delete] and [Prune] remove maps with all that belongs to
// them; [ResourcesOf] finds the maps of a file. [Jobs] run ingests in the
// background, for servers.
//
// What is to become of a source is a verdict: working it out changes nothing,
// and one function acts on it. What ingest learns of each source is kept in the
// notes of the workspace, so that an unchanged source costs no more than a look
// at its times. The notes are a cache: without them the same is found out from
// the maps and the sources, but for which maps a person has changed.
package ingest
