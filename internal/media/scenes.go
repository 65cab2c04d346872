package media

import (
	"bytes"
	"context"
	"fmt"
	"strconv"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/ffmpeg"
)

const (
	// sceneScore is how different a picture must be from the one before to
	// begin a scene: from 0, the same, to 1.
	sceneScore = 0.3

	// minScene is how many seconds a scene has at least.
	minScene = 1.0

	// fullScan is about how many pixels are decoded of a source in which every
	// frame is looked at, if there are 30 frames a second. Of larger ones only
	// the key frames are, which encoders put where scenes begin.
	fullScan = 8e9
	usual    = 30

	// sceneWidth is how many pixels wide the pictures are that are compared.
	sceneWidth = 160
)

// findScenes returns the scenes of a video.
func (e *Engine) findScenes(ctx context.Context, src *citekit.Source, m medium, progress func(float64)) ([]citekit.Span, error) {
	in, stream, origin, err := e.inputOf(ctx, src, m, "video")
	if err != nil {
		return nil, err
	}
	defer in.Close()
	extent := m.extent()
	c := ffmpeg.Conversion{
		Input:   ffmpeg.Options{"noautorotate": ""},
		Streams: []int{stream.Index},
		Muxer:   "null",
		Output: ffmpeg.Options{
			"copyts": "", "fps_mode": "passthrough",
			"filter": fmt.Sprintf("scale=%d:-2:flags=fast_bilinear,settb=1/1000000,select=gte(scene\\,0),metadata=mode=print:file=-", sceneWidth),
		},
	}
	if float64(extent.Width)*float64(extent.Height)*usual*extent.Duration > fullScan {
		c.Input["skip_frame"] = "nokey"
		c.Input["discard"] = "nokey"
	}
	var found scenes
	err = e.Tools.Stream(ctx, in, c, ffmpeg.NewLineWriter(func(line []byte) error {
		if t, ok := found.read(line, origin); ok {
			progress(clamp(t, extent.Duration))
		}
		return nil
	}))
	if err != nil {
		return nil, err
	}
	return between(found.cuts(), extent.Duration), nil
}

// scenes are the times at which pictures change much.
type scenes struct {
	at    float64 // of the frame that was read last
	times []float64
}

// read reads a line that the filters print: the time of a frame, or by how much
// it differs. It returns the time if it is one.
func (s *scenes) read(line []byte, origin float64) (t float64, ok bool) {
	if score, ok := bytes.CutPrefix(line, []byte("lavfi.scene_score=")); ok {
		v, err := strconv.ParseFloat(string(score), 64)
		if err == nil && v >= sceneScore && s.at > 0 {
			s.times = append(s.times, s.at)
		}
		return 0, false
	}
	_, rest, ok := bytes.Cut(line, []byte("pts:"))
	number, _, _ := bytes.Cut(rest, []byte(" "))
	us, err := strconv.ParseInt(string(number), 10, 64)
	if !ok || err != nil {
		return 0, false
	}
	s.at = round(float64(us)/1e6 - origin)
	return s.at, true
}

// cuts returns the times that are far enough from each other.
func (s *scenes) cuts() []float64 {
	for least := minScene; ; least *= 2 {
		var cuts []float64
		last := 0.0
		for _, t := range s.times {
			if t-last >= least {
				cuts = append(cuts, t)
				last = t
			}
		}
		if len(cuts) < maxNodes {
			return cuts
		}
	}
}

// inputOf opens a source for ffmpeg. It returns the first stream of a kind and
// the time of its clock at which the timeline begins.
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
