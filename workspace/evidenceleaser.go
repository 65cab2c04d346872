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
	// Missing evidence is no error; the others are those of FindEvidence. If no lease can be
	// had, release does nothing, and the caller makes the evidence all the same. The
	// Library calls no FindEvidence before.
	LeaseEvidence(ctx context.Context, key string) (stored *citekit.StoredEvidence, release func(), err error)
}
