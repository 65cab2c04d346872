package message

// The codes of errors, as citekit.CodeOf returns them.
const (
	CodeInvalidInput = "INVALID_INPUT"
	CodeStale        = "STALE"
	CodeForbidden    = "FORBIDDEN"
	CodeTooLarge     = "TOO_LARGE"
	CodeNotFound     = "NOT_FOUND"
	CodeUnsupported  = "UNSUPPORTED"
	CodeTimeout      = "TIMEOUT"
	CodeInternal     = "INTERNAL"
)

// MaxChanges is how many changes of one piece of evidence are kept. Further ones
// are dropped.
const MaxChanges = 20
