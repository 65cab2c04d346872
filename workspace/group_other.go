//go:build !unix

package workspace

// groupID is not called: see Options.Group.
func groupID(string) (int, error) { return -1, nil }
