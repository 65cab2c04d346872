package media

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/concurrent"
	"github.com/citekit/citekit/internal/ctxio"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/sniff"
	"github.com/citekit/citekit/modality/internal/media/ffmpeg"
	"github.com/citekit/citekit/modality/internal/media/mp4"
)

// DefaultCacheBytes is the memory, in bytes, for parsed headers of an Engine
// with zero CacheBytes.
const DefaultCacheBytes = 64 << 20

// An Engine resolves the locations of one modality. Set the fields before
// use. It is safe for concurrent use and must not be copied after first use.
type Engine struct {
	Modality   citekit.Modality // Video or Audio
	Tools      ffmpeg.Tools
	CacheBytes int64 // approximate memory for parsed headers; zero means DefaultCacheBytes

	// ScanTime is how long Map looks for scenes or silences at most; zero means
	// as long as the work takes, and a negative number turns it off.
	ScanTime time.Duration

	measured int64 // sources up to this size are read completely to measure them; zero means measuredWhole

	once     sync.Once
	parsed   concurrent.Cache[medium]
	surveyed concurrent.Cache[medium] // only their extent is right
	spoken   concurrent.Cache[words]

	captioned concurrent.Cache[captions]
}

// Configure sets the fields of e for a resolver of the modality.
func (e *Engine) Configure(modality citekit.Modality, o Options) {
	e.Modality = modality
	e.CacheBytes = o.CacheBytes
	e.ScanTime = o.ScanTime
	e.Tools.FFmpeg = o.FFmpeg
	e.Tools.FFprobe = o.FFprobe
	e.Tools.Children = o.MaxChildren
	e.Tools.Slots = o.Children
	e.Tools.MaxMemory = o.MaxMemory
	e.Tools.Timeout = o.Timeout
	e.Tools.MaxOutput = o.MaxOutput
}

// A medium is a parsed source. It is shared by concurrent calls and by all
// sources of one version, and does not retain them.
type medium interface {
	// extent returns the bounds of the source.
	extent() citekit.Extent

	// cut returns what plays in a span, which lies within the extent. The end
	// of the span is not zero.
	cut(ctx context.Context, src *citekit.Source, span citekit.Span, mode citekit.Mode) (*citekit.Content, error)

	// holding returns the span, with its start moved if necessary, so that
	// something of the modality begins in it; false if nothing plays there.
	holding(span citekit.Span) (citekit.Span, bool)

	// codecs returns the codecs of the first picture and first sound track, by
	// ffmpeg's names, and the frame rate of the picture. Unknown and missing
	// values are zero.
	codecs() (picture, sound string, rate float64)
}

// Resolve implements [citekit.Resolver].
func (e *Engine) Resolve(ctx context.Context, src *citekit.Source, req citekit.Request) (*citekit.Content, error) {
	mode, err := e.check(ctx, req)
	if err != nil {
		return nil, err
	}
	loc := req.Location
	if loc.IsWhole() {
		return e.whole(ctx, src)
	}
	m, err := e.open(ctx, src)
	if err != nil {
		return nil, err
	}
	extent := m.extent()
	if err := extent.Check(loc); err != nil {
		if short, ok := m.(*movie); ok && short.index.Short() {
			err = fmt.Errorf("the file is cut short, and holds less than its header says: %w", err)
		}
		return nil, err
	}
	span := bounded(loc.Time, extent)
	x, err := m.cut(cutting(ctx, src, m, span), src, span, mode)
	if err != nil {
		return nil, err
	}
	if change := changeFormat(extent.MediaType, x.MediaType); change != "" {
		x.Changes = append(x.Changes, change)
	}
	if x.Actual == nil && loc.Time.End > extent.Duration {
		x.Actual = &citekit.Location{Modality: e.Modality, Time: span}
	}
	return x, nil
}

// bounded returns the part of a span that lies in the extent, whose end is not zero.
func bounded(span citekit.Span, extent citekit.Extent) citekit.Span {
	if span.End == 0 || span.End > extent.Duration {
		span.End = extent.Duration
	}
	return span
}

// changeFormat says that a clip has another format than its source, or is "". That the
// sound of a video is a format of sound needs no words.
func changeFormat(source, clip string) string {
	_, from, _ := strings.Cut(source, "/")
	kind, to, _ := strings.Cut(clip, "/")
	if from == to || kind == "audio" && strings.HasPrefix(source, "video/") {
		return ""
	}
	return "stored as " + clip + " instead of " + source
}

// check refuses requests that no source can satisfy.
func (e *Engine) check(ctx context.Context, req citekit.Request) (citekit.Mode, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	if req.Location.Modality != e.Modality {
		return "", fmt.Errorf("%s location in %s source: %w", message.Article(req.Location.Modality), message.Article(e.Modality), errors.ErrUnsupported)
	}
	if err := req.Location.Validate(); err != nil {
		return "", err
	}
	switch req.Mode {
	case "":
		return citekit.ModeExact, nil
	case citekit.ModeExact, citekit.ModeCopy, citekit.ModeStrict:
		return req.Mode, nil
	}
	return "", fmt.Errorf("mode %q; modes are exact, copy and strict: %w", req.Mode, citekit.ErrSyntax)
}

// whole returns the source unchanged, if it is a medium.
func (e *Engine) whole(ctx context.Context, src *citekit.Source) (*citekit.Content, error) {
	format, err := e.sniff(src)
	if err != nil {
		return nil, err
	}
	if format == formatMP4 && e.Modality == citekit.Audio && isSoundOnly(src) {
		format = formatM4A
	}
	if e.Modality == citekit.Video && src.Declared() != citekit.Video {
		// The audio engine also cuts the sound of films.
		kind, _, err := sniff.Classify(src, src.Size(), "")
		if err != nil {
			return nil, err
		}
		if kind == sniff.Audio {
			return nil, soundOnly(format)
		}
	}
	return &citekit.Content{
		Body: io.NopCloser(ctxio.Reader(ctx, src.Reader())), Size: src.Size(),
		MediaType: format.MediaType, Ext: format.Ext,
	}, nil
}

// isSoundOnly reports whether an MP4 file is known to have no picture.
func isSoundOnly(src *citekit.Source) bool {
	index, err := mp4.Open(src, src.Size())
	return err == nil && !hasKind(index, mp4.Video)
}

func (e *Engine) sniff(src *citekit.Source) (Format, error) {
	format, err := Sniff(src, src.Size())
	if err != nil {
		return Format{}, err
	}
	if format.AudioOnly && e.Modality == citekit.Video {
		return Format{}, soundOnly(format)
	}
	return format, nil
}

func soundOnly(format Format) error {
	return fmt.Errorf("the source is %s, which has sound only, and not a video: %w", format.Name, citekit.ErrFormat)
}

// Measure implements [citekit.Measurer].
func (e *Engine) Measure(ctx context.Context, src *citekit.Source) (citekit.Extent, error) {
	if err := ctx.Err(); err != nil {
		return citekit.Extent{}, err
	}
	m, err := e.survey(ctx, src)
	if err != nil {
		return citekit.Extent{}, err
	}
	return m.extent(), nil
}

// prepare sets defaults for unset fields.
func (e *Engine) prepare() {
	e.once.Do(func() {
		if e.measured <= 0 {
			e.measured = measuredWhole
		}
		if e.parsed.MaxCost = e.CacheBytes; e.CacheBytes <= 0 {
			e.parsed.MaxCost = DefaultCacheBytes
		}
		e.surveyed.MaxCost, e.spoken.MaxCost, e.captioned.MaxCost = e.parsed.MaxCost, e.parsed.MaxCost, e.parsed.MaxCost
	})
}

// survey opens a source for callers that do not cut. It reads only the end of
// Matroska files, whose blocks are stored in time order.
func (e *Engine) survey(ctx context.Context, src *citekit.Source) (medium, error) {
	const worthwhile = 4 << 20 // bytes
	e.prepare()
	format, err := e.sniff(src)
	if err != nil {
		return nil, err
	}
	if format.demuxer != "matroska" || src.Size() < min(worthwhile, e.measured) {
		return e.open(ctx, src)
	}
	return e.surveyed.Get(ctx, keyOf(src), func(ctx context.Context) (medium, int64, error) {
		return e.examineSource(measuring(ctx, src), src, format, false)
	})
}

// keyOf returns the cache key of a source, or "" if it must not be cached. It
// prefers the identity, which stays the same if the source is hashed after it
// was measured.
func keyOf(src *citekit.Source) string { return cmp.Or(src.Identity(), src.Version()) }

// open parses a source, or returns the cached result.
func (e *Engine) open(ctx context.Context, src *citekit.Source) (medium, error) {
	e.prepare()
	return e.parsed.Get(ctx, keyOf(src), func(ctx context.Context) (medium, int64, error) {
		format, err := e.sniff(src)
		if err != nil {
			return nil, 0, err
		}
		return e.parse(measuring(ctx, src), src, format)
	})
}

// parse reads the header with this module's own reader if there is one for the
// format and it succeeds, otherwise with ffmpeg.
func (e *Engine) parse(ctx context.Context, src *citekit.Source, format Format) (medium, int64, error) {
	var (
		m    medium
		cost int64
		err  error
	)
	switch format.demuxer {
	case "wav":
		m, cost, err = parseWaveform(src)
	case "mov":
		m, cost, err = e.parseMovie(ctx, src, format)
		if errors.Is(err, mp4.ErrFragmented) {
			if thin := mp4.CheckFragments(src, src.Size()); thin != nil {
				return nil, 0, movieError(thin)
			}
		}
	case "aac":
		if err := checkADTS(ctx, src, format.junk); err != nil {
			return nil, 0, err
		}
		return e.examine(ctx, src, format)
	default:
		return e.examine(ctx, src, format)
	}
	if !errors.Is(err, errors.ErrUnsupported) {
		return m, cost, err
	}
	m, cost, ferr := e.examine(ctx, src, format)
	if errors.Is(ferr, errors.ErrUnsupported) {
		return nil, 0, fmt.Errorf("%w; %w", err, ferr)
	}
	return m, cost, ferr
}

// A body is evidence that keeps a resource until it is closed.
type body struct {
	io.Reader
	io.Closer
}
