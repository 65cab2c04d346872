package media

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"strconv"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/about"
	"github.com/citekit/citekit/modality/internal/media/ffmpeg"
)

const (
	// cutScore is the brightness difference from the previous picture at which
	// a scene certainly begins. It is the mean over pixels, in hundredths of
	// the range of 256.
	cutScore = 0.3

	// jumpScore is the same for a picture that differs jumpFactor times as much
	// as its neighbours, such as a new slide among still ones.
	jumpScore  = 0.08
	jumpFactor = 5
	neighbours = 3 // on each side

	// minScene is the minimum length of a scene in seconds.
	minScene = 1.0

	// fullScan is about how many pixels may be decoded, at 30 frames per
	// second, for every frame to be examined. In larger sources only the key
	// frames are examined, which encoders put where scenes begin.
	fullScan = 4e9
	usual    = 30

	// sceneWidth is the maximum width, in pixels, of the compared pictures.
	// Narrower ones are not enlarged: a very high one made wider could take any
	// amount of memory.
	sceneWidth = 160
)

// findScenes returns the scenes of a video. The error matches
// [citekit.ErrTooLarge] if scanning is more work than ctx allows.
func (e *Engine) findScenes(ctx context.Context, src *citekit.Source, m medium, progress func(float64)) ([]citekit.Span, error) {
	in, stream, origin, err := e.inputOf(ctx, src, m, "video")
	if err != nil {
		return nil, err
	}
	defer in.Close()
	extent := m.extent()
	c := ffmpeg.Conversion{
		Input:   scanOptions(stream.Width, stream.Height),
		Streams: []int{stream.Index},
		Muxer:   "null",
		Output: ffmpeg.Options{
			"copyts": "", "fps_mode": "passthrough",
			"filter": ffmpeg.CountDecoded + fmt.Sprintf(",scale=min(iw\\,%d):-2:flags=fast_bilinear,settb=1/1000000,select=gte(scene\\,0),metadata=mode=print:key=lavfi.scene_score:direct=1:file=-", sceneWidth),
		},
	}
	if float64(extent.Width)*float64(extent.Height)*usual*extent.Duration > fullScan {
		c.Input["skip_frame"] = "nokey"
		c.Output["filter"] = ffmpeg.CountDecoded + fmt.Sprintf(",scale=min(iw\\,%d):-2:flags=fast_bilinear,settb=1/1000000,signalstats,metadata=mode=print:key=lavfi.signalstats.YDIF:direct=1:file=-", sceneWidth)
	}
	var found scenes
	counter := ffmpeg.PictureCounter{Scans: scansOf(m), Header: ffmpeg.PictureWork(stream.Width, stream.Height)}
	if f, ok := m.(*foreign); ok && c.Input["skip_frame"] == "" {
		counter.Packets = len(f.times)
	}
	err = e.Tools.Stream(ctx, in, c, ffmpeg.NewLineWriter(func(line []byte) error {
		if t, ok := found.read(line, origin); ok {
			progress(clamp(t, extent.Duration))
		}
		return counter.Line(ctx, line)
	}))
	if err != nil {
		return nil, err
	}
	return between(found.begins(), found.cuts(), extent.Duration), nil
}

// onePart is the number of pixels up to which a picture is decoded and filtered by one
// thread. Handing such pictures from thread to thread takes five times the processor
// time of decoding them.
const onePart = 320 * 240

// scanOptions returns the options to read all pictures of a size.
func scanOptions(width, height int) ffmpeg.Options {
	o := ffmpeg.Options{"noautorotate": ""}
	if width*height <= onePart {
		o["threads"], o["filter_threads"] = "1", "1"
	}
	return o
}

// scenes are pictures and their differences from the previous ones.
type scenes struct {
	pictures []picture
	time     float64 // that was read last
	timed    bool    // whether it could be read
}

type picture struct {
	time  float64
	score float64
}

// maxPictures bounds the pictures kept: half a day at 25 per second.
const maxPictures = 1 << 20

// read reads a line printed by the filters: the time of a frame, then its
// difference. If it is a difference, read returns the time.
func (s *scenes) read(line []byte, origin float64) (t float64, ok bool) {
	if score, ok := bytes.CutPrefix(line, []byte("lavfi.scene_score=")); ok {
		return s.add(number(score))
	}
	if score, ok := bytes.CutPrefix(line, []byte("lavfi.signalstats.YDIF=")); ok {
		return s.add(number(score) / 100)
	}
	_, rest, ok := bytes.Cut(line, []byte("pts:"))
	digits, _, _ := bytes.Cut(rest, []byte(" "))
	us, err := strconv.ParseInt(string(digits), 10, 64)
	if s.timed = ok && err == nil; s.timed {
		s.time = round(float64(us)/1e6 - origin)
	}
	return 0, false
}

// add adds the picture whose time was read last.
func (s *scenes) add(score float64) (t float64, ok bool) {
	if !s.timed || len(s.pictures) == maxPictures {
		return 0, false
	}
	s.pictures = append(s.pictures, picture{s.time, score})
	return s.time, true
}

func number(b []byte) float64 {
	v, err := strconv.ParseFloat(string(b), 64)
	if err != nil || math.IsNaN(v) {
		return 0
	}
	return v
}

// begins returns when the first scene begins: at the first picture, if that is
// late.
func (s *scenes) begins() float64 {
	if len(s.pictures) == 0 || s.pictures[0].time < minScene {
		return 0
	}
	return s.pictures[0].time
}

// cuts returns when the other scenes begin.
func (s *scenes) cuts() []float64 {
	var times []float64
	for i, p := range s.pictures {
		if i > 0 && (p.score >= cutScore || p.score >= jumpScore && p.score >= jumpFactor*s.around(i)) {
			times = append(times, p.time)
		}
	}
	for least := minScene; ; least *= 2 {
		if cuts := apart(s.begins(), times, least); len(cuts) < about.MaxMappedNodes {
			return cuts
		}
	}
}

// around returns the average difference of a picture's neighbours.
func (s *scenes) around(i int) float64 {
	sum, n := 0.0, 0
	for k := max(1, i-neighbours); k <= i+neighbours && k < len(s.pictures); k++ {
		if k != i {
			sum += s.pictures[k].score
			n++
		}
	}
	return sum / float64(max(n, 1))
}

// apart keeps the times that are at least least seconds after the previously
// kept time, which initially is last.
func apart(last float64, times []float64, least float64) (kept []float64) {
	for _, t := range times {
		if t-last >= least {
			kept = append(kept, t)
			last = t
		}
	}
	return kept
}

// inputOf opens a source for ffmpeg. It returns the first stream of a kind and
// the time in the file at which the timeline begins.
func (e *Engine) inputOf(ctx context.Context, src *citekit.Source, m medium, kind string) (in *ffmpeg.Input, stream ffmpeg.Stream, origin float64, err error) {
	format, err := e.sniff(src)
	if err != nil {
		return nil, stream, 0, err
	}
	in, err = e.Tools.Open(ctx, src, format.demuxer, format.junk)
	if err != nil {
		return nil, stream, 0, err
	}
	if f, ok := m.(*foreign); ok {
		for _, t := range f.tracks {
			if t.Kind == kind {
				return in, t.Stream, f.origin, nil
			}
		}
	}
	info, err := e.Tools.Probe(ctx, in)
	if err == nil {
		for _, s := range info.Streams {
			if s.Kind == kind && s.Codec != "" && !s.Picture {
				return in, s, 0, nil
			}
		}
		err = errNothing
	}
	in.Close()
	return nil, stream, 0, err
}
