package segment

import "runtime/debug"

// A memoryFault is the runtime's panic when mapped memory cannot be read, for example
// because the file was truncated.
type memoryFault interface {
	error
	Addr() uintptr
}

// Guard calls f, which reads segments. It returns [ErrDamaged] if f reads mapped memory
// that is gone.
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
