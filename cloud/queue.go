package cloud

import (
	"context"

	"github.com/citekit/citekit/cloud/jobs"
)

// Queue returns the queue of the workspace, whose tables are in its schema. It is of use
// until the workspace is closed.
func (w *Workspace) Queue(ctx context.Context) (*jobs.Queue, error) {
	return jobs.Open(ctx, w.pool, w.schema)
}
