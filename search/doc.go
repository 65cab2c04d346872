// Package search finds the parts of resources that say something: passages of
// their text, nodes of their maps, or whole resources.
//
// A [Searcher] looks into an index (package search/index) of all resources of a
// Library. It builds the index when it is first asked, and after that brings it
// up to date before each search, so that what a map or another process changed
// counts. What is shown of a hit is read anew from the text of its source
// (package textlayer), which is held to the version that was mapped: a source
// that changed is left out, never quoted.
//
// No format is known here: text, places and freshness come through the Library.
package search
