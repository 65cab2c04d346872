package server

import (
	"context"
	"time"

	"github.com/citekit/citekit/mcpadapter"
)

// An Event is a request of the protocol that has ended.
type Event struct {
	Start    time.Time
	Duration time.Duration // from when the request had arrived until its answer was made
	Waited   time.Duration // of that, in a queue

	RequestID string
	Caller    string // the ID of the [access.Grant]; "" if nobody authenticated
	Workspace string // "" if there is none
	Method    string // of the protocol, such as tools/call; "other" for one that is not known
	Tool      string // of tools/call, or ""; "other" for one that is not known
	Resource  string // the id of the resource that the call names, or ""

	// Outcome is "ok", the code of an error as citekit.CodeOf gives it, such as
	// NOT_FOUND, or one of those below.
	Outcome string

	Bytes int64 // of the answer's body

	// Traceparent is the span of the caller that the request is of, as W3C Trace
	// Context writes it, or "". It is valid.
	Traceparent string
}

// The outcomes of events that are no codes of errors.
const (
	OutcomeOK              = mcpadapter.OutcomeOK
	OutcomeLimited         = mcpadapter.OutcomeLimited   // a limit of the caller's
	OutcomeBusy            = mcpadapter.OutcomeBusy      // a limit of the server's
	OutcomeCancelled       = mcpadapter.OutcomeCancelled // the caller, or the server, did not wait for the end
	OutcomeUnauthenticated = "unauthenticated"           // no token that is valid
)

// An Observer is told of each request once it has ended. It must be safe for
// concurrent use, and return soon.
type Observer interface {
	Observe(ctx context.Context, e Event)
}
