package media

import (
	"context"
	"errors"
	"io"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/modality/internal/media/ffmpeg"
	"github.com/citekit/citekit/modality/internal/media/speech"
)

// Transcribe writes down what is said in a recording: see package speech, whose errors it
// returns, besides those of ffmpeg. A recording without sound has an empty transcript.
func (e *Engine) Transcribe(ctx context.Context, src *citekit.Source, job speech.Job) ([]byte, error) {
	m, err := e.survey(ctx, src)
	if err != nil {
		return nil, err
	}
	job.Decode = func(ctx context.Context, w io.Writer) error {
		in, stream, origin, err := e.inputOf(ctx, src, m, "audio")
		if errors.Is(err, errNothing) {
			return nil
		}
		if err != nil {
			return err
		}
		defer in.Close()
		ctx = within(ctx, src, mostScan+byteWork*float64(src.Size()), m.extent().Duration)
		if err := ffmpeg.Spend(ctx, ffmpeg.SoundWork(stream, m.extent().Duration)); err != nil {
			return err
		}
		c := decoded(ctx, stream, origin)
		c.Output["ac"] = "1"
		return e.Tools.Stream(ctx, in, c, w)
	}
	return job.Run(ctx)
}
