//go:build !linux && !darwin

package term

// attributes returns nothing: terminals are not asked here.
func attributes() string { return "" }
