package media

import (
	"context"
	"errors"
	"fmt"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/preview"
)

// Preview implements [preview.Previewer]: it returns a contact sheet of a
// video, or a waveform of sound.
func (e *Engine) Preview(ctx context.Context, src *citekit.Source, loc citekit.Location, opts preview.Options) (*preview.Preview, error) {
	opts, err := opts.WithDefaults()
	if err != nil {
		return nil, err
	}
	if _, err := e.check(ctx, citekit.Request{Location: loc}); err != nil {
		return nil, err
	}
	m, err := e.open(ctx, src)
	if err != nil {
		return nil, err
	}
	extent := m.extent()
	if err := extent.Check(loc); err != nil {
		return nil, err
	}
	span := bounded(loc.Time, extent)
	if span.End <= span.Start {
		return nil, emptySpan(span, citekit.Span{End: extent.Duration}, e.Modality)
	}
	ctx = cutting(ctx, src, m, span)
	if e.Modality == citekit.Video {
		return e.contactSheet(ctx, src, m, span, opts)
	}
	if len(opts.Boxes) > 0 {
		return nil, fmt.Errorf("boxes to draw on sound: %w", errors.ErrUnsupported)
	}
	return e.drawSound(ctx, src, m, span, opts.Side)
}
