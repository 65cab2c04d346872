package cloud

import (
	"context"
	"errors"
	"fmt"
	"io"
)

// AddSource stores content as the source with a path, all of it or nothing, and returns
// its size. It never replaces a source, which is an error matching [io/fs.ErrExist]. If
// sources cannot be added, the error matches [errors.ErrUnsupported].
func (w *Workspace) AddSource(ctx context.Context, path string, content io.Reader) (size int64, err error) {
	to, ok := w.sources.(interface {
		AddSource(ctx context.Context, path string, content io.Reader) (size int64, err error)
	})
	if !ok {
		return 0, fmt.Errorf("the sources of this workspace are not in a bucket, and none can be added: %w", errors.ErrUnsupported)
	}
	return to.AddSource(ctx, path, content)
}
