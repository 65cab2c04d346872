package e2e

import (
	"testing"

	"golang.org/x/sys/unix"
)

// swapping exchanges two files as fast as can be until stop is called.
func swapping(t *testing.T, a, b string) (stop func()) {
	t.Helper()
	done, ended := make(chan struct{}), make(chan int)
	go func() {
		n := 0
		for {
			select {
			case <-done:
				ended <- n
				return
			default:
				if unix.Renameat2(unix.AT_FDCWD, a, unix.AT_FDCWD, b, unix.RENAME_EXCHANGE) == nil {
					n++
				}
			}
		}
	}()
	return func() {
		close(done)
		if n := <-ended; n == 0 {
			t.Error("nothing was exchanged")
		}
	}
}
