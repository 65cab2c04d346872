package ffmpeg

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/citekit/citekit"
)

// Info is what the header of an input says. Its times may be wrong.
type Info struct {
	Start    float64 // seconds; 0 if unknown
	Duration float64 // seconds; 0 if unknown
	Streams  []Stream
}

// A Stream is one track of an input.
type Stream struct {
	Index         int
	Kind          string // "video", "audio", "subtitle", …
	Codec         string // named as in ffmpeg, such as "h264"; "" if unknown
	Picture       bool   // an attached picture, such as a cover
	Num, Den      int64  // unit of time: Num/Den seconds
	Width, Height int    // pixels as stored
	PixelFormat   string // named as in ffmpeg, such as "yuv420p"
	Rotated       bool   // whether it is displayed with width and height exchanged
	SampleRate    int    // samples per second; 0 if unknown
	Channels      int    // of sound; 0 if unknown
	SampleFormat  string // named as in ffmpeg, such as "s16" or "fltp"
	SampleBits    int    // significant bits of a stored sample; 0 if unknown
}

// Seconds converts a time in units of the stream.
func (s *Stream) Seconds(ticks int64) float64 {
	return float64(ticks) * float64(s.Num) / float64(s.Den)
}

const (
	maxProbe   = 8 << 20 // bytes of JSON
	maxStreams = 256
)

var errTooMuch = fmt.Errorf("too much output: %w", citekit.ErrTooLarge)

// Probe reads the header of an input. Errors are as for Convert.
func (t *Tools) Probe(ctx context.Context, in *Input) (*Info, error) {
	out := limitedWriter{limit: maxProbe}
	err := t.probe(ctx, in, &out, "-show_entries",
		"format=start_time,duration:"+
			"stream=index,codec_name,codec_type,width,height,pix_fmt,sample_rate,channels,sample_fmt,bits_per_raw_sample,bits_per_sample,time_base:"+
			"stream_disposition=attached_pic,timed_thumbnails:stream_side_data=rotation",
		"-of", "json=compact=1")
	if errors.Is(err, errTooMuch) || out.over {
		return nil, fmt.Errorf("a header of more than %d bytes: %w", maxProbe, citekit.ErrTooLarge)
	}
	if err != nil {
		return nil, err
	}
	return parseInfo(out.held)
}

func (t *Tools) probe(ctx context.Context, in *Input, stdout io.Writer, args ...string) error {
	path, err := t.find(programFFprobe)
	if err != nil {
		return err
	}
	all := flags([]string{"-hide_banner", "-v", "error", "-max_alloc", maxAlloc}, in.options())
	all = append(append(all, args...), "-i", url(in.file, 0))
	if err := t.run(ctx, command{path: path, args: all, inputs: []*Input{in}, stdout: stdout}); err != nil {
		return t.diagnose(ctx, programFFprobe, path, err)
	}
	return nil
}

// probed is the JSON that ffprobe writes.
type probed struct {
	Format struct {
		Start    string `json:"start_time"`
		Duration string `json:"duration"`
	} `json:"format"`
	Streams []struct {
		Index        int    `json:"index"`
		Codec        string `json:"codec_name"`
		Kind         string `json:"codec_type"`
		Width        int    `json:"width"`
		Height       int    `json:"height"`
		PixelFormat  string `json:"pix_fmt"`
		SampleRate   string `json:"sample_rate"`
		Channels     int    `json:"channels"`
		SampleFormat string `json:"sample_fmt"`
		RawBits      string `json:"bits_per_raw_sample"`
		Bits         int    `json:"bits_per_sample"`
		TimeBase     string `json:"time_base"`
		Disposition  struct {
			Picture    int `json:"attached_pic"`
			Thumbnails int `json:"timed_thumbnails"`
		} `json:"disposition"`
		SideData []struct {
			Rotation float64 `json:"rotation"`
		} `json:"side_data_list"`
	} `json:"streams"`
}

func parseInfo(data []byte) (*Info, error) {
	var p probed
	if err := json.Unmarshal(data, &p); err != nil {
		return nil, fmt.Errorf("ffprobe gave no readable answer: %w", citekit.ErrFormat)
	}
	if len(p.Streams) > maxStreams {
		return nil, fmt.Errorf("%d tracks, at most %d are read: %w", len(p.Streams), maxStreams, citekit.ErrTooLarge)
	}
	info := &Info{Start: parseSeconds(p.Format.Start), Duration: parseSeconds(p.Format.Duration)}
	for _, s := range p.Streams {
		stream := Stream{
			Index: s.Index, Kind: s.Kind, Codec: s.Codec, Width: s.Width, Height: s.Height,
			PixelFormat:  s.PixelFormat,
			Picture:      s.Disposition.Picture != 0 || s.Disposition.Thumbnails != 0,
			SampleRate:   parsePositive(s.SampleRate),
			Channels:     s.Channels,
			SampleFormat: s.SampleFormat,
			SampleBits:   max(parsePositive(s.RawBits), s.Bits),
			Num:          1, Den: 1,
		}
		if num, den, ok := parseTimeBase(s.TimeBase); ok {
			stream.Num, stream.Den = num, den
		}
		for _, side := range s.SideData {
			turn := math.Mod(math.Abs(side.Rotation), 180)
			stream.Rotated = stream.Rotated || turn > 45 && turn < 135
		}
		info.Streams = append(info.Streams, stream)
	}
	return info, nil
}

func parseSeconds(s string) float64 {
	v, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		return 0
	}
	return v
}

func parsePositive(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		return 0
	}
	return max(n, 0)
}

func parseTimeBase(s string) (num, den int64, ok bool) {
	before, after, _ := strings.Cut(s, "/")
	num, errNum := strconv.ParseInt(before, 10, 32)
	den, errDen := strconv.ParseInt(after, 10, 32)
	return num, den, errNum == nil && errDen == nil && num > 0 && den > 0
}

// A limitedWriter keeps what is written to it. Beyond limit bytes it fails, which ends
// the program that writes.
type limitedWriter struct {
	limit int
	held  []byte
	over  bool
}

func (w *limitedWriter) Write(p []byte) (int, error) {
	if len(w.held)+len(p) > w.limit {
		w.over = true
		return 0, errTooMuch
	}
	w.held = append(w.held, p...)
	return len(p), nil
}
