package concurrent

import "context"

// Guess calls work while right finds out whether what work supposes is true, and returns
// what right returned. The context of work ends once that is false.
func Guess(ctx context.Context, right func() bool, work func(context.Context)) bool {
	guessing, cancel := context.WithCancel(ctx)
	defer cancel()
	found := make(chan bool, 1)
	go func() {
		is := right()
		if found <- is; !is {
			cancel()
		}
	}()
	work(guessing)
	return <-found
}
