package media

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/ctxio"
	"github.com/citekit/citekit/modality/internal/media/ffmpeg"
	"github.com/citekit/citekit/modality/internal/media/mp4"
)

// A movie is an MP4 or QuickTime file that package mp4 can cut.
type movie struct {
	engine *Engine
	index  *mp4.Movie
	format Format
	scans  int // of each JPEG picture, on average
}

func (e *Engine) parseMovie(ctx context.Context, src *citekit.Source, format Format) (medium, int64, error) {
	index, err := mp4.Open(src, src.Size())
	if err != nil {
		return nil, 0, movieError(err)
	}
	if e.Modality == citekit.Video && index.NeedsNotes() {
		index = withNotes(ctx, src, index)
	}
	cost, short := index.Cost(), index.Short()
	if !hasKind(index, mp4.Video) && format.MediaType == formatMP4.MediaType {
		format = formatM4A
	}
	want := mp4.Video
	if e.Modality == citekit.Audio {
		want = mp4.Audio
		if index, err = index.Only(mp4.Audio); err != nil {
			index = nil
		}
	}
	if index == nil || !hasKind(index, want) {
		if short {
			return nil, 0, fmt.Errorf("the %s file is cut short: none of its %s is in it: %w", format.Name, e.Modality, citekit.ErrFormat)
		}
		return nil, 0, fmt.Errorf("the %s file has no %s: %w", format.Name, e.Modality, citekit.ErrFormat)
	}
	m := &movie{engine: e, index: index, format: format, scans: 1}
	if slices.ContainsFunc(index.Tracks(), isJPEG) {
		pictures, err := countJPEGs(ctx, src, src.Size())
		if err != nil {
			return nil, 0, err
		}
		m.scans = pictures.each()
	}
	return m, cost, nil
}

// withNotes returns an index with the notes that are kept beside a source, if it is far
// away.
func withNotes(ctx context.Context, src *citekit.Source, index *mp4.Movie) *mp4.Movie {
	if aside := src.Aside(); aside != nil {
		if kept, err := aside(ctx, mp4.NotesVersion, nil); err == nil {
			if with, ok := index.WithNotes(kept); ok {
				return with
			}
		}
	}
	return index
}

// keepNotes keeps the notes in a source beside it, if it is far away. Otherwise each first
// cut reads from there to the start of the source.
func keepNotes(ctx context.Context, src *citekit.Source, m medium) {
	aside := src.Aside()
	if m, ok := m.(*movie); ok && aside != nil && m.engine.Modality == citekit.Video {
		if notes := m.index.Notes(ctxio.ReaderAt(ctx, src)); notes != nil {
			_, _ = aside(ctx, mp4.NotesVersion, notes) // else they are found again
		}
	}
}

func isJPEG(t mp4.Track) bool {
	return t.Kind == mp4.Video && (t.Codec == "jpeg" || t.Codec == "mjpa" || t.Codec == "mjpb")
}

func hasKind(index *mp4.Movie, kind mp4.Kind) bool {
	return slices.ContainsFunc(index.Tracks(), func(t mp4.Track) bool { return t.Kind == kind })
}

// movieError converts errors of package mp4 to errors for callers.
func movieError(err error) error {
	for _, kind := range []struct{ is, means error }{
		{mp4.ErrRange, citekit.ErrRange},
		{mp4.ErrEmpty, citekit.ErrRange},
		{mp4.ErrTooLarge, citekit.ErrTooLarge},
		{mp4.ErrFormat, citekit.ErrFormat},
		{mp4.ErrDamaged, citekit.ErrFormat},
	} {
		if errors.Is(err, kind.is) {
			return fmt.Errorf("%w: %w", err, kind.means)
		}
	}
	return err
}

func (m *movie) extent() citekit.Extent {
	x := citekit.Extent{Modality: m.engine.Modality, Duration: round(m.index.Duration()), MediaType: m.format.MediaType}
	for _, t := range m.index.Tracks() {
		if t.Kind != mp4.Video {
			continue
		}
		x.Width, x.Height = t.Width, t.Height
		if t.Rotation%180 != 0 {
			x.Width, x.Height = t.Height, t.Width
		}
		break
	}
	return x
}

func (m *movie) cut(ctx context.Context, src *citekit.Source, span citekit.Span, mode citekit.Mode) (*citekit.Content, error) {
	index := m.index.Reading(src)
	if src.Aside() != nil { // far away
		if likely, err := cutIndex(m.index, m.engine.Modality, span, mode); err == nil {
			src.Ahead(likely.Parts()...)
		}
	}
	clip, err := cutIndex(index, m.engine.Modality, span, mode)
	if errors.Is(err, citekit.ErrRange) {
		err = emptySpan(span, m.plays(), m.engine.Modality)
	}
	if err != nil {
		return nil, err
	}
	if err := m.check(ctx, src, clip); err != nil {
		return nil, err
	}
	faithful, err := m.engine.faithful(ctx, index, src, clip)
	switch {
	case err != nil:
		return nil, err
	case !faithful:
		x, err := m.engine.encodeSpan(ctx, index, src, m.format, span)
		if err == nil && mode != citekit.ModeStrict {
			x.Changes = append(x.Changes, changeEncoded)
		}
		return x, err
	case mode == citekit.ModeStrict:
		return m.engine.encode(ctx, clip, src, m.format, citekit.Span{End: math.Inf(1)})
	}
	x := extractClip(clip, ctxio.Reader(ctx, clip.NewReader(src)), io.NopCloser(nil), m.clipFormat())
	x.Actual = actual(clip, m.engine.Modality, span, mode)
	return x, nil
}

// plays returns the span in which there are pictures in a video, or else sound.
func (m *movie) plays() citekit.Span {
	plays := citekit.Span{Start: math.Inf(1)}
	for _, t := range m.index.Tracks() {
		if string(t.Kind) == string(m.engine.Modality) {
			plays = citekit.Span{Start: min(plays.Start, t.Start), End: max(plays.End, t.End)}
		}
	}
	return plays
}

// clipFormat is the format of clips: that of the source, except that sound
// taken from a video has a sound format.
func (m *movie) clipFormat() Format {
	if m.engine.Modality == citekit.Audio && m.format.MediaType == formatMP4.MediaType {
		return formatM4A
	}
	return m.format
}

// encode re-encodes a span of an exact clip of a file of the format, so that it
// hides nothing. r is the source that the clip is read from.
func (e *Engine) encode(ctx context.Context, clip *mp4.Clip, r io.ReaderAt, format Format, span citekit.Span) (*citekit.Content, error) {
	in, err := e.Tools.OpenReader(ctx, clip.NewReader(r), clip.Size(), format.demuxer)
	if err != nil {
		return nil, movieError(err)
	}
	defer in.Close()
	info, err := e.Tools.Probe(ctx, in)
	if err != nil {
		return nil, err
	}
	f, err := e.examineInput(ctx, in, format, info, false, clip.Size() <= e.measured)
	if err != nil {
		return nil, err
	}
	span.End = min(span.End, clip.End()-clip.Start(), f.duration)
	return f.cutInput(ctx, in, nil, span, citekit.ModeStrict)
}

// cutIndex cuts a movie. Strict clips are cut exactly and re-encoded later. A
// video clip without a frame is not evidence, even if it has sound: the error
// matches [citekit.ErrRange], as for a span in which nothing plays.
func cutIndex(index *mp4.Movie, modality citekit.Modality, span citekit.Span, mode citekit.Mode) (*mp4.Clip, error) {
	how := mp4.Exact
	if mode == citekit.ModeCopy {
		how = mp4.Copy
	}
	clip, err := index.Cut(span.Start, min(span.End, index.Duration()), how)
	if err != nil {
		return nil, movieError(err)
	}
	if modality == citekit.Video && !slices.ContainsFunc(clip.Tracks(), isVideo) {
		return nil, movieError(mp4.ErrEmpty)
	}
	return clip, nil
}

func isVideo(t mp4.Track) bool { return t.Kind == mp4.Video }

func extractClip(clip *mp4.Clip, r io.Reader, c io.Closer, format Format) *citekit.Content {
	return &citekit.Content{Body: body{r, c}, Size: clip.Size(), MediaType: format.MediaType, Ext: format.Ext}
}

// actual returns the location that a copy contains, or nil if it is the
// requested one.
func actual(clip *mp4.Clip, modality citekit.Modality, span citekit.Span, mode citekit.Mode) *citekit.Location {
	holds := citekit.Span{Start: round(clip.Start()), End: round(clip.End())}
	if mode != citekit.ModeCopy || holds == span {
		return nil
	}
	return &citekit.Location{Modality: modality, Time: holds}
}

// cutOutput is the second step of cutting a foreign medium: it cuts what ffmpeg
// wrote like any other movie. The extract owns out. sought means that ffmpeg
// did not read the source from its start.
func (f *foreign) cutOutput(ctx context.Context, out *ffmpeg.Output, texts captions, p plan, span citekit.Span, mode citekit.Mode, sought bool) (*citekit.Content, error) {
	index, err := mp4.Open(out, out.Size())
	if err != nil {
		return nil, fmt.Errorf("what ffmpeg wrote cannot be read: %w", movieError(err))
	}
	index = index.Reading(out)
	if err := f.checkCopied(index, p, span, sought); err != nil {
		return nil, err
	}
	captioned, err := index.Caption(texts.within(captionSpan(index, span, mode)))
	if err != nil {
		return nil, movieError(err)
	}
	clip, err := cutIndex(captioned.Movie, f.modality, span, mode)
	if errors.Is(err, citekit.ErrRange) {
		if err = f.noFrame(span); err == nil || f.modality != citekit.Video {
			err = emptySpan(span, f.plays(), f.modality)
		}
	}
	if err != nil {
		return nil, err
	}
	again := ffmpeg.OpenOutput(out, "mov")
	defer again.Close()
	if err := checkDecodes(ctx, f.tools, again, citekit.Span{Start: clip.Start(), End: clip.End()}, playedTracks(index.Tracks())); err != nil {
		return nil, err
	}
	if faithful, err := f.engine.faithful(ctx, index, out, clip); err != nil {
		return nil, err
	} else if !faithful {
		return nil, errUnfaithful
	}
	x := extractClip(clip, clip.NewReader(captioned.Reader(out)), out, p.format)
	x.Actual = actual(clip, f.modality, span, mode)
	return x, nil
}

// errUnfaithful reports a copy that does not decode to the pictures of its
// source.
var errUnfaithful = errors.New("the copy shows other pictures")

// errLate reports that ffmpeg started to copy after the start of the span. It
// does so if a container has no index of key frames.
var errLate = errors.New("the copy begins too late")

const (
	// looseness is how many seconds before its source a track may end: frames
	// and packets differ in length.
	looseness = 0.15

	// rounding is how many seconds the times of a copy may be off.
	rounding = 0.002
)

// checkCopied compares the tracks that ffmpeg wrote with the source tracks that
// play in the span.
func (f *foreign) checkCopied(index *mp4.Movie, p plan, span citekit.Span, sought bool) error {
	written := make(map[string][]mp4.Track)
	for _, t := range index.Tracks() {
		written[string(t.Kind)] = append(written[string(t.Kind)], t)
	}
	for i, t := range f.tracks {
		if t.Kind == "subtitle" || !f.playsIn(t, span) {
			continue
		}
		if len(written[t.Kind]) == 0 {
			if !f.whole && sought {
				return errLate
			}
			if !f.whole {
				continue // it begins after the span
			}
			if err := f.noFrame(span); err != nil && t.Kind == "video" {
				return err
			}
			return fmt.Errorf("a track of %s in %s could not be read: %w", t.Kind, t.Codec, citekit.ErrFormat)
		}
		w := written[t.Kind][0]
		written[t.Kind] = written[t.Kind][1:]
		if sought && !p.encode[i] && w.Start > f.beginning(t, span)+rounding {
			return errLate
		}
		if end := min(span.End, t.end); w.End < end-looseness {
			return fmt.Errorf("the %s ends at %.3f of %.3f seconds: %w", t.Kind, w.End, end, citekit.ErrFormat)
		}
	}
	return nil
}

// playsIn reports whether a track is known to play in a span.
func (f *foreign) playsIn(t track, span citekit.Span) bool {
	return t.end > span.Start && (!f.whole || t.first < span.End)
}

// beginning returns when a track begins to play in a span. If unknown, it is
// the start of the span, which at worst costs another try.
func (f *foreign) beginning(t track, span citekit.Span) float64 {
	if f.whole {
		return max(span.Start, t.first)
	}
	return span.Start
}
