package server

import (
	"context"
	"time"

	"github.com/citekit/citekit/server/transport"
)

// An Event is a request of the protocol that has ended.
type Event struct {
	Start    time.Time
	Duration time.Duration // from the arrival of the request until its answer is made
	Waited   time.Duration // the part of Duration spent in a queue

	RequestID string
	Caller    string // the ID of the [access.Grant]; "" if nobody authenticated
	Workspace string // "" if there is none
	Method    string // of the protocol, such as tools/call; "other" for an unknown one
	Tool      string // of tools/call, or ""; "other" for an unknown one
	Resource  string // the id of the resource that the call names, or ""

	// Outcome is "ok", the code of an error as citekit.CodeOf gives it, such as
	// NOT_FOUND, or one of the constants below.
	Outcome string

	Bytes int64 // of the answer's body

	// Traceparent is the caller's span that the request belongs to, in the form
	// of W3C Trace Context, or "". It is valid.
	Traceparent string
}

// The outcomes of events that are not codes of errors.
const (
	OutcomeOK              = transport.OutcomeOK
	OutcomeLimited         = transport.OutcomeLimited     // a limit of the caller was reached
	OutcomeBusy            = transport.OutcomeBusy        // a limit of the server was reached
	OutcomeUnavailable     = transport.OutcomeUnavailable // the folder of the workspace is gone, or tokens cannot be checked
	OutcomeCancelled       = transport.OutcomeCancelled   // the caller, or the server, did not wait for the end
	OutcomeUnauthenticated = "unauthenticated"            // no valid token
)

// An Observer receives each request once it has ended. It must be safe for
// concurrent use, and return soon.
type Observer interface {
	Observe(ctx context.Context, e Event)
}
