package mcpadapter_test

import (
	"context"
	"io"
	"io/fs"
	"sync/atomic"
	"testing"
	"testing/fstest"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/ingest"
	"github.com/citekit/citekit/internal/test/mcptest"
	"github.com/citekit/citekit/mcpadapter"
	"github.com/citekit/citekit/modality"
	"github.com/citekit/citekit/workspace"
)

// losingWorkspace is a workspace whose evidence is gone for the first times that it is opened.
type losingWorkspace struct {
	*workspace.Memory
	times atomic.Int64
}

func (l *losingWorkspace) OpenEvidence(ctx context.Context, key string) (io.ReadSeekCloser, *citekit.StoredEvidence, error) {
	if l.times.Add(-1) >= 0 {
		return nil, nil, fs.ErrNotExist
	}
	return l.Memory.OpenEvidence(ctx, key)
}

// TestLostEvidence reads an address whose evidence is gone between being made and being
// read, as it may be when another process starts or evicts: it is made again, but not
// for ever.
func TestLostEvidence(t *testing.T) {
	ws := &losingWorkspace{Memory: workspace.NewMemory(fstest.MapFS{"poem.txt": {Data: []byte("one\ntwo\n")}})}
	lib := citekit.New(ws, modality.All(), nil)
	defer lib.Close()
	report, err := ingest.Run(t.Context(), lib, []string{"poem.txt"}, nil)
	if err != nil || report.Err() != nil {
		t.Fatal(err, report.Err())
	}
	session := mcptest.Connect(t, mcpadapter.NewServer(lib, nil), nil)
	for lost, found := range map[int64]bool{0: true, 2: true, 100: false} {
		ws.times.Store(lost)
		read, err := session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "text://poem#lines=2"})
		if found != (err == nil) || found && read.Contents[0].Text != "two\n" {
			t.Errorf("lost %d times: %+v, %v", lost, read, err)
		}
	}
}
