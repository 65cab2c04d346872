package textlayer_test

import (
	"bytes"
	"context"
	"io"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/workspace"
)

// A spoilingWorkspace workspace gives back the first evidence that it opens damaged.
type spoilingWorkspace struct {
	*workspace.Memory
	spoilt bool
}

func (s *spoilingWorkspace) OpenEvidence(ctx context.Context, key string) (io.ReadSeekCloser, *citekit.StoredEvidence, error) {
	content, stored, err := s.Memory.OpenEvidence(ctx, key)
	if err != nil || s.spoilt {
		return content, stored, err
	}
	s.spoilt = true
	data, err := io.ReadAll(content)
	clear(data[len(data)/2:])
	return struct {
		io.ReadSeeker
		io.Closer
	}{bytes.NewReader(data), content}, stored, err
}
