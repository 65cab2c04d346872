package segment

import "runtime/debug"

// A memoryFault is what the runtime panics with if mapped memory cannot be
// read, as when the file was cut short.
type memoryFault interface {
	error
	Addr() uintptr
}

// Guard calls f, which reads segments. If mapped memory that it reads is gone,
// that is [ErrDamaged].
func Guard(f func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		switch fault := recover().(type) {
		case nil:
		case memoryFault:
			err = ErrDamaged
		default:
			panic(fault)
		}
	}()
	return f()
}
