//go:build !unix

package command

import "os"

// reloadRequests returns a nil channel, as there is no such signal.
func reloadRequests() (requests <-chan os.Signal, stop func()) { return nil, func() {} }
