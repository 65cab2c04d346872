package workspace

import (
	"context"

	"github.com/citekit/citekit"
)

// An EvidenceLeaser is a [citekit.Workspace] that several processes share, which make the
// same evidence once.
type EvidenceLeaser interface {
	// LeaseEvidence waits until no other caller, in this process or another, makes the
	// evidence of key. If it is stored by then, LeaseEvidence returns it. Otherwise
	// nobody else gets the lease until release, which the caller calls once, or until
	// the caller's process has ended or was cut off for some seconds. A caller that was
	// held up for so long may go on: evidence that is stored twice does no harm.
	//
	// The only error is ctx.Err(). If the store does not answer, there is no lease: release
	// does nothing, and the caller makes the evidence all the same.
	LeaseEvidence(ctx context.Context, key string) (stored *citekit.StoredEvidence, release func(), err error)
}
