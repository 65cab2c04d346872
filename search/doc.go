// Package search finds passages of the text of resources, nodes of their maps,
// or whole resources.
//
// A [Searcher] searches an index (package search/index) of all resources of a
// Library. It builds the index at the first search, and brings it up to date
// before each later search, so that results include changes of maps, also by
// other processes. The shown part of a hit is read again from the text of its
// source (package textlayer), which must have the mapped version: a changed
// source is left out, never quoted.
//
// The package knows no formats: text, places and freshness come through the
// Library.
package search
