package workspace

// A MapPather is a [citekit.Workspace] that keeps each map in a file that people can
// open. Errors and reports then name the file.
type MapPather interface {
	// MapPath returns the path of the file that has a map, or would have it,
	// for display: relative to the base directory, with forward slashes.
	MapPath(id string) string
}
