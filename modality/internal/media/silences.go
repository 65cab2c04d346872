package media

import (
	"context"
	"fmt"
	"io"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/about"
	"github.com/citekit/citekit/internal/ctxio"
	"github.com/citekit/citekit/modality/internal/media/ffmpeg"
	"github.com/citekit/citekit/modality/internal/media/wav"
)

const (
	// quiet is the loudness below which sound is silence: -45 dB of full scale.
	quiet = 0.0056

	// pause is how many seconds of silence may end a part that has become long.
	pause    = 0.4
	longTalk = 60.0 // seconds

	// silence is how many seconds of silence end any part.
	silence = 1.0

	// minPart is the minimum length of a part in seconds; shorter sound is a
	// click.
	minPart = 0.1

	// scanRate is the sample rate at which sound decoded by ffmpeg is scanned, and
	// scanBlock the bytes of a frame: 16 bits of two channels.
	scanRate  = 16_000
	scanBlock = 4
)

// findParts returns the parts of a recording between silences. Errors are as
// for findScenes.
func (e *Engine) findParts(ctx context.Context, src *citekit.Source, m medium, progress func(float64)) ([]citekit.Span, error) {
	duration := m.extent().Duration
	d := detector{limit: quiet, total: duration, progress: progress}
	err := e.listen(ctx, src, m, &d)
	if err != nil {
		return nil, err
	}
	return partsBetween(d.finish(), duration), nil
}

func (e *Engine) listen(ctx context.Context, src *citekit.Source, m medium, d *detector) error {
	if w, ok := m.(waveform); ok && w.file.Loudness() != nil {
		return d.listenWAV(ctx, src, w.file)
	}
	in, stream, origin, err := e.inputOf(ctx, src, m, "audio")
	if err != nil {
		return err
	}
	defer in.Close()
	if err := ffmpeg.Spend(ctx, ffmpeg.SoundWork(stream, d.total)); err != nil {
		return err
	}
	d.rate, d.block = scanRate, scanBlock
	d.loudness = func(b []byte) float64 {
		low, high := wav.Extremes16(b)
		return max(high, -low)
	}
	return e.Tools.Stream(ctx, in, decoded(ctx, stream, origin), d)
}

// decoded is the conversion of a stream of sound to frames of scanBlock bytes, from a
// time in seconds on the clock of the file, with silence where there is no sound.
func decoded(ctx context.Context, stream ffmpeg.Stream, from float64) ffmpeg.Conversion {
	return ffmpeg.Conversion{
		Streams: []int{stream.Index},
		Muxer:   "s16le",
		Output: ffmpeg.Options{
			"copyts": "", "c": "pcm_s16le", "ac": "2", "ar": fmt.Sprint(scanRate),
			"filter": fmt.Sprintf("%s,asetpts=PTS-%s/TB,aresample=async=1:min_hard_comp=0.02:first_pts=0", ffmpeg.LimitSound(ctx, stream, 0), seconds(from)),
		},
	}
}

func (d *detector) listenWAV(ctx context.Context, src *citekit.Source, f *wav.File) error {
	if err := ffmpeg.Spend(ctx, ffmpeg.SoundWork(ffmpeg.Stream{SampleRate: f.Rate}, d.total)); err != nil {
		return err
	}
	d.rate, d.block, d.loudness = f.Rate, f.Block, f.Loudness()
	_, err := io.CopyBuffer(struct{ io.Writer }{d}, ctxio.Reader(ctx, f.Sound(src)), make([]byte, 256<<10))
	return err
}

// A detector receives the frames of a sound and finds where it is silent.
type detector struct {
	wholeFrames
	rate     int // frames per second
	loudness func(frames []byte) float64
	limit    float64
	total    float64 // expected seconds
	progress func(float64)

	frames   int64 // examined so far
	quiet    int64 // silent up to the current frame
	silences []citekit.Span
}

// Write implements [io.Writer].
func (d *detector) Write(p []byte) (int, error) {
	d.each(p, d.look)
	d.progress(clamp(float64(d.frames)/float64(d.rate), d.total))
	return len(p), nil
}

// wholeFrames assembles whole frames of a sound that arrives in pieces.
type wholeFrames struct {
	block int    // bytes per frame
	rest  []byte // start of an incomplete frame
}

// each calls visit with the frames completed by the next piece.
func (w *wholeFrames) each(p []byte, visit func(frames []byte)) {
	if len(w.rest) > 0 {
		take := min(w.block-len(w.rest), len(p))
		w.rest, p = append(w.rest, p[:take]...), p[take:]
		if len(w.rest) < w.block {
			return
		}
		visit(w.rest)
		w.rest = w.rest[:0]
	}
	whole := len(p) / w.block * w.block
	visit(p[:whole])
	w.rest = append(w.rest, p[whole:]...)
}

// look examines whole frames, many at once if all are silent.
func (d *detector) look(p []byte) {
	const together = 64
	for len(p) > 0 {
		piece := p[:min(len(p), together*d.block)]
		p = p[len(piece):]
		if d.loudness(piece) < d.limit {
			d.quiet += int64(len(piece) / d.block)
			d.frames += int64(len(piece) / d.block)
			continue
		}
		for ; len(piece) > 0; piece = piece[d.block:] {
			if d.loudness(piece[:d.block]) < d.limit {
				d.quiet++
			} else {
				d.end()
			}
			d.frames++
		}
	}
}

// end ends the current silence, if any, before the current frame.
func (d *detector) end() {
	if span := (citekit.Span{Start: d.seconds(d.frames - d.quiet), End: d.seconds(d.frames)}); span.End-span.Start >= pause {
		d.silences = append(d.silences, span)
	}
	d.quiet = 0
}

func (d *detector) seconds(frames int64) float64 { return float64(frames) / float64(d.rate) }

// finish returns the silences.
func (d *detector) finish() []citekit.Span {
	d.end()
	return d.silences
}

// partsBetween returns the sound between silences: from one of a second or more
// to the next or, if that is long, to the next shorter one.
func partsBetween(silences []citekit.Span, duration float64) []citekit.Span {
	var parts []citekit.Span
	start := 0.0
	add := func(end float64) {
		if span := rounded(citekit.Span{Start: start, End: min(end, duration)}); span.End-span.Start >= minPart {
			parts = append(parts, span)
		}
	}
	for _, s := range silences {
		if s.End-s.Start >= silence || s.Start-start >= longTalk {
			add(s.Start)
			start = s.End
		}
	}
	add(duration)
	if len(parts) > about.MaxMappedNodes {
		return nil
	}
	return parts
}
