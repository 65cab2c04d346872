//go:build !linux

package e2e

// watchesOthers checks nothing here: what a process watches cannot be seen.
func (w *watch) watchesOthers() {}
