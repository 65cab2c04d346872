// Package shelter turns panics of code that reads hostile files into errors, so
// that one bad file does not end a server.
package shelter

import "iter"

// Call returns the error of f, or what failed makes of the value that f
// panicked with.
func Call(f func() error, failed func(panicked any) error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = failed(p)
		}
	}()
	return f()
}

// Seq yields what values yields. If values panics, it yields what failed makes
// of that, with a zero value, and ends; a panic after the caller wants no more
// is dropped. What the caller's own code panics with goes on.
func Seq[V any](values iter.Seq2[V, error], failed func(panicked any) error) iter.Seq2[V, error] {
	return func(yield func(V, error) bool) {
		producing, wanted := true, true // the caller has no value, and wants another
		defer func() {
			if !producing {
				return
			}
			if p := recover(); p != nil && wanted {
				var none V
				yield(none, failed(p))
			}
		}()
		for value, err := range values {
			producing = false
			wanted = yield(value, err)
			producing = true
			if !wanted {
				return
			}
		}
	}
}
