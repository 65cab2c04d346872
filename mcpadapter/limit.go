package mcpadapter

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/citekit/citekit/internal/strictjson"
)

// timeLimit is the argument of tools that return partial results when their time
// is over.
var timeLimit = parameter{name: "timeout_ms", kind: count, description: "Return what is found by then."}

// A limit bounds the time of a call.
type limit struct {
	name string        // as in the details of errors
	time time.Duration // zero or less means none
}

// The names of limits other than timeLimit.
const (
	serverLimit     = "server"     // of the tool, see Options.Timeouts
	extractionLimit = "extraction" // of the Library
)

// limitFor returns the limit of a call. The caller can only shorten the limit of
// the server.
func (t tool) limitFor(args arguments) limit {
	l := limit{serverLimit, t.timeout}
	asked := time.Duration(args.count(timeLimit.name)) * time.Millisecond
	if asked > 0 && (l.time <= 0 || asked < l.time) {
		l = limit{timeLimit.name, asked}
	}
	return l
}

// start returns the context of a call.
func (l limit) start(ctx context.Context) (context.Context, context.CancelFunc) {
	if l.time <= 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, l.time)
}

// A limitError reports a call that ran out of time.
type limitError struct {
	error
	Limit    string          `json:"limit"`
	LimitMS  int64           `json:"limit_ms,omitempty"` // left out if unknown
	SpentMS  int64           `json:"elapsed_ms"`
	fallback json.RawMessage // the partial answer; nil if there is none
}

func (e limitError) Unwrap() error { return e.error }

// sentence returns the fields in words.
func (e limitError) sentence() string {
	if e.LimitMS == 0 {
		return fmt.Sprintf("limit %s, after %d ms", e.Limit, e.SpentMS)
	}
	return fmt.Sprintf("limit %s of %d ms, after %d ms", e.Limit, e.LimitMS, e.SpentMS)
}

// A partialError is the error of a call that answers only part of the request.
type partialError struct {
	error
	answer json.RawMessage
}

func (e partialError) Unwrap() error { return e.error }

// explain adds the limit and the time spent to an error that is due to time.
func (l limit) explain(err error, spent time.Duration) error {
	e := limitError{error: err, SpentMS: spent.Milliseconds()}
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		e.Limit, e.LimitMS = l.name, l.time.Milliseconds()
	case errors.Is(err, os.ErrDeadlineExceeded):
		e.Limit = extractionLimit
	default:
		return err
	}
	var partial partialError
	if errors.As(err, &partial) {
		e.fallback = strictjson.Plain(partial.answer)
	}
	return e
}
