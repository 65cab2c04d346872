package media

import (
	"context"
	"io"
	"math"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/ctxio"
	"github.com/citekit/citekit/modality/internal/drawing"
	"github.com/citekit/citekit/modality/internal/media/ffmpeg"
	"github.com/citekit/citekit/modality/internal/media/wav"
	"github.com/citekit/citekit/preview"
)

// drawSound returns the waveform of a span above a time axis.
func (e *Engine) drawSound(ctx context.Context, src *citekit.Source, m medium, span citekit.Span, side int) (*preview.Preview, error) {
	w := drawing.NewWave(span.Start, span.End, side)
	var err error
	if wave, ok := m.(waveform); ok && wave.file.Extremes() != nil {
		err = drawWAV(ctx, src, wave, span, w)
	} else {
		err = e.drawDecoded(ctx, src, m, span, w)
	}
	if err != nil {
		return nil, err
	}
	return drawing.Of(w.Draw(), citekit.Location{Modality: citekit.Audio, Time: span})
}

// soundPiece is how many bytes are read at a time.
const soundPiece = 256 << 10

func drawWAV(ctx context.Context, src *citekit.Source, wave waveform, span citekit.Span, w *drawing.Wave) error {
	if err := wave.holds(span); err != nil {
		return err
	}
	clip := wave.file.Cut(span.Start, span.End)
	f := wave.file
	d := &columns{wave: w, wholeFrames: wholeFrames{block: f.Block}, total: clip.End - clip.First, extremes: f.Extremes()}
	sound := io.NewSectionReader(f.Sound(src), clip.First*int64(f.Block), d.total*int64(f.Block))
	_, err := io.CopyBuffer(struct{ io.Writer }{d}, ctxio.Reader(ctx, sound), make([]byte, soundPiece))
	return err
}

func (e *Engine) drawDecoded(ctx context.Context, src *citekit.Source, m medium, span citekit.Span, w *drawing.Wave) error {
	in, stream, origin, err := e.inputOf(ctx, src, m, "audio")
	if err != nil {
		return err
	}
	defer in.Close()
	from, first := span.Start+origin, 0.0
	seek := soundSeek(m, span.Start, from)
	if seek != nil {
		first = span.Start - lead
	}
	if err := ffmpeg.Spend(ctx, ffmpeg.SoundWork(stream, span.End-first)); err != nil {
		return err
	}
	c := decoded(ctx, stream, from)
	c.Input = seek
	c.Output["filter"] += ",atrim=end=" + seconds(span.End-span.Start)
	d := &columns{wave: w, wholeFrames: wholeFrames{block: scanBlock}, total: int64(math.Ceil((span.End - span.Start) * scanRate)), extremes: wav.Extremes16}
	return e.Tools.Stream(ctx, in, c, d)
}

// soundSeek makes ffmpeg read from a little before a time, to resynchronise.
// The time is given both on the timeline and in the file.
func soundSeek(m medium, start, from float64) ffmpeg.Options {
	before := float64(lead)
	if f, ok := m.(*foreign); ok {
		before = f.lead()
	}
	if start <= before {
		return nil
	}
	return ffmpeg.Options{"noaccurate_seek": "", "seek_timestamp": "1", "ss": seconds(from - before)}
}

// columns receives the frames of a sound and puts them into the columns of a
// waveform.
type columns struct {
	wholeFrames
	wave     *drawing.Wave
	total    int64 // expected frames
	extremes func(frames []byte) (low, high float64)
	frames   int64 // received frames
}

// Write implements [io.Writer].
func (c *columns) Write(p []byte) (int, error) {
	c.each(p, c.put)
	return len(p), nil
}

// put puts whole frames into their columns.
func (c *columns) put(p []byte) {
	width := int64(c.wave.Columns())
	for len(p) > 0 && c.frames < c.total {
		column := c.frames * width / c.total
		end := ((column+1)*c.total + width - 1) / width // first frame of the next column
		n := int(min(end-c.frames, int64(len(p)/c.block)))
		c.wave.Put(int(column), p[:n*c.block], c.extremes)
		c.frames += int64(n)
		p = p[n*c.block:]
	}
}
