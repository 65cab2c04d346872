package concurrent

import "iter"

// Call returns the error of f. If f panics, it returns the result of failed for
// the value of the panic.
func Call(f func() error, failed func(panicked any) error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = failed(p)
		}
	}()
	return f()
}

// Seq yields the elements of values. If values panics, Seq yields a zero value
// with the error of failed, and ends. A panic after the caller has stopped is
// dropped. A panic in the caller's own code continues.
func Seq[V any](values iter.Seq2[V, error], failed func(panicked any) error) iter.Seq2[V, error] {
	return func(yield func(V, error) bool) {
		producing, wanted := true, true // whether values is running, and whether the caller wants more
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
