package api

// ProblemOf returns the problem with which an operation that failed with an error is
// answered, without its Meta.
func ProblemOf(err error) *Problem { return problemOf(err) }
