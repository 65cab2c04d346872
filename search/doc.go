// Package search finds passages of the text of resources, nodes of their maps,
// or whole resources.
//
// A [Searcher] searches an index of all resources of a
// Library. An ingest that is given the Searcher has it read the texts of what was
// mapped ([Searcher.Index]). Each search brings the index up to date as well, so that
// results include changes of maps, also by other processes. The shown part of a hit is read again from the text of its
// source (package textlayer), which must have the mapped version: a changed
// source is left out, never quoted.
//
// The package knows no formats: text, places and freshness come through the
// Library.
package search
