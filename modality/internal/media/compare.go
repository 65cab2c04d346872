package media

import (
	"context"
	"errors"
	"io"
	"math"
	"slices"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/modality/internal/media/ffmpeg"
	"github.com/citekit/citekit/modality/internal/media/mp4"
)

const (
	// compared is how many seconds are compared at the start and the end of a
	// clip, with the pictures that they need.
	compared = 1.0

	// mostCompared bounds the work of decoding for one comparison. A clip whose
	// comparison would take more is not compared.
	mostCompared = 2e9

	// groupsBefore is how many groups of pictures of the source are decoded
	// before those that are compared.
	groupsBefore = 2
)

// changeEncoded is the change of a clip whose pictures could not be copied.
const changeEncoded = "the pictures encoded anew: copies of them do not decode to those of the source"

// faithful reports whether the pictures of a clip decode to those of the movie
// in r, its source. It decodes the start and the end of a clip that might need
// samples it lacks, alone and after what precedes them. Without ffmpeg it
// reports true.
func (e *Engine) faithful(ctx context.Context, index *mp4.Movie, r io.ReaderAt, clip *mp4.Clip) (bool, error) {
	if !clip.Doubtful() {
		return true, nil
	}
	pictures, err := index.Reading(r).Only(mp4.Video)
	if err != nil {
		return true, nil
	}
	end := min(clip.End(), pictures.Duration())
	spans := []citekit.Span{{Start: clip.Start(), End: min(clip.Start()+compared, end)}}
	if last := end - compared; last > clip.Start() {
		spans = append(spans, citekit.Span{Start: last, End: end})
	}
	for _, span := range spans {
		same, err := e.sameAlone(ctx, pictures, r, span)
		if !same || err != nil {
			return same, err
		}
	}
	return true, nil
}

// sameAlone reports whether the pictures of a span are the same if nothing is
// decoded before them but what a clip would have.
func (e *Engine) sameAlone(ctx context.Context, index *mp4.Movie, r io.ReaderAt, span citekit.Span) (bool, error) {
	alone, err := index.Cut(span.Start, span.End, mp4.Exact)
	if errors.Is(err, mp4.ErrEmpty) || errors.Is(err, mp4.ErrRange) {
		return true, nil
	} else if err != nil {
		return false, movieError(err)
	}
	after, err := index.Cut(before(index, span.Start), span.End, mp4.Exact)
	if err != nil {
		return false, movieError(err)
	}
	picture := ffmpeg.PictureWork(index.Tracks()[0].Width, index.Tracks()[0].Height)
	work := picture * ffmpeg.Work(alone.Pictures()+after.Pictures())
	if work > mostCompared {
		return true, nil
	}
	if err := ffmpeg.Spend(ctx, work); err != nil {
		return false, err
	}
	want, err := e.sums(ctx, after, r)
	if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, citekit.ErrFormat) {
		return true, nil // the clip cannot be better
	} else if err != nil {
		return false, err
	}
	got, err := e.sums(ctx, alone, r)
	if errors.Is(err, citekit.ErrFormat) {
		return false, nil
	}
	if n := len(want) - alone.Shown(); n >= 0 {
		want = want[n:]
	}
	return slices.Equal(got, want), err
}

// before returns the time of the sync sample that is some groups of pictures
// before a time, or 0.
func before(index *mp4.Movie, t float64) float64 {
	for range groupsBefore + 1 {
		sync, ok := index.SyncBefore(t - slack*4)
		if !ok {
			return 0
		}
		t = sync
	}
	return max(t, 0)
}

// sums decodes the pictures of a clip and returns a checksum of each.
func (e *Engine) sums(ctx context.Context, clip *mp4.Clip, r io.ReaderAt) ([]string, error) {
	in, err := e.Tools.OpenReader(ctx, clip.NewReader(r), clip.Size(), "mov")
	if err != nil {
		return nil, movieError(err)
	}
	defer in.Close()
	return e.Tools.Sums(ctx, in, 0)
}

// encodeSpan encodes the pictures and sound of a span of the movie in r, a file
// of the format, decoded after what precedes them.
func (e *Engine) encodeSpan(ctx context.Context, index *mp4.Movie, r io.ReaderAt, format Format, span citekit.Span) (*citekit.Content, error) {
	from := before(index, span.Start)
	wide, err := cutIndex(index, e.Modality, citekit.Span{Start: from, End: span.End}, citekit.ModeExact)
	if err != nil {
		return nil, err
	}
	return e.encode(ctx, wide, r, format, citekit.Span{Start: span.Start - from, End: math.Inf(1)})
}
