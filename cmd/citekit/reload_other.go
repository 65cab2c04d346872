//go:build !unix

package main

import "os"

// reloadRequests returns what nothing is sent on: there is no such signal.
func reloadRequests() (requests <-chan os.Signal, stop func()) { return nil, func() {} }
