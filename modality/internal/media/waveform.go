package media

import (
	"context"
	"io"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/ctxio"
	"github.com/citekit/citekit/modality/internal/media/wav"
)

// A waveform is a WAV file. Every mode cuts it exactly.
type waveform struct{ file *wav.File }

const waveformCost = 2 << 10

func parseWaveform(src *citekit.Source) (medium, int64, error) {
	f, err := wav.Parse(src, src.Size())
	if err != nil {
		return nil, 0, err
	}
	return waveform{f}, waveformCost, nil
}

func (w waveform) extent() citekit.Extent {
	return citekit.Extent{Modality: citekit.Audio, Duration: round(w.file.Duration()), MediaType: formatWAV.MediaType}
}

func (w waveform) cut(ctx context.Context, src *citekit.Source, span citekit.Span, _ citekit.Mode) (*citekit.Content, error) {
	if err := w.holds(span); err != nil {
		return nil, err
	}
	clip := w.file.Cut(span.Start, span.End)
	return &citekit.Content{
		Body: io.NopCloser(ctxio.Reader(ctx, clip.NewReader(src))), Size: clip.Size(),
		MediaType: formatWAV.MediaType, Ext: formatWAV.Ext,
	}, nil
}

// holds returns an error matching [citekit.ErrRange] if no sample is in a span.
func (w waveform) holds(span citekit.Span) error {
	if clip := w.file.Cut(span.Start, span.End); clip.End == clip.First {
		return emptySpan(span, citekit.Span{End: w.file.Duration()}, citekit.Audio)
	}
	return nil
}
