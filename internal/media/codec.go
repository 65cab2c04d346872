package media

import (
	"strconv"
	"strings"

	"github.com/citekit/citekit/internal/ffmpeg"
)

// Subtitles that can become the text tracks of an MP4 file. Bitmap subtitles
// cannot, and are left out of clips.
var textSubtitles = map[string]bool{
	"subrip": true, "srt": true, "ass": true, "ssa": true, "webvtt": true, "mov_text": true, "text": true,
}

// Codecs, in ffmpeg's words, that a clip holds as they are: in MP4, or else in
// QuickTime.
var (
	inMP4 = map[string]bool{
		"h264": true, "hevc": true, "vp9": true, "av1": true, "mpeg4": true, "mpeg2video": true, "mpeg1video": true,
		"aac": true, "mp3": true, "mp2": true, "ac3": true, "eac3": true, "opus": true, "alac": true, "flac": true,
	}
	inQuickTime = map[string]bool{
		"h264": true, "hevc": true, "mpeg4": true, "mpeg2video": true, "mpeg1video": true,
		"mjpeg": true, "prores": true, "dnxhd": true, "dvvideo": true, "qtrle": true,
		"aac": true, "mp3": true, "ac3": true, "alac": true,
		"pcm_s16le": true, "pcm_s16be": true, "pcm_s24le": true, "pcm_s24be": true, "pcm_s32le": true,
		"pcm_s32be": true, "pcm_f32le": true, "pcm_f32be": true, "pcm_alaw": true, "pcm_mulaw": true,
	}
)

// A plan is what becomes of the tracks of a foreign medium in a clip.
type plan struct {
	format Format
	muxer  string // in ffmpeg's words
	encode []bool // by track: encoded anew, not copied
}

// planFor chooses the container that takes most tracks as they are. What it
// does not take is encoded: sound without loss, pictures with next to none.
// If all is set everything is encoded, which leaves no hidden frames.
func (f *foreign) planFor(all bool) plan {
	p := plan{format: formatMP4, muxer: "mp4", encode: make([]bool, len(f.tracks))}
	fits := inMP4
	if !all && !f.fit(inMP4) && f.fit(inQuickTime) {
		p.format, p.muxer, fits = formatQuickTime, "mov", inQuickTime
	}
	for i, t := range f.tracks {
		p.encode[i] = t.Kind != "subtitle" && (all || !fits[t.Codec])
	}
	if p.muxer == "mp4" && !f.hasVideo() {
		p.format = formatM4A
	}
	return p
}

// fit reports whether a container takes all sound and pictures as they are.
func (f *foreign) fit(container map[string]bool) bool {
	for _, t := range f.tracks {
		if t.Kind != "subtitle" && !container[t.Codec] {
			return false
		}
	}
	return true
}

// codecOptions says how output stream i, made of s, is coded. The number of
// threads is fixed as it changes what the encoder writes.
func codecOptions(i int, s ffmpeg.Stream, encode bool) ffmpeg.Options {
	n := ":" + strconv.Itoa(i)
	switch {
	case s.Kind == "subtitle":
		return ffmpeg.Options{"c" + n: "mov_text"}
	case !encode:
		return ffmpeg.Options{"c" + n: "copy"}
	case s.Kind == "audio":
		return ffmpeg.Options{"c" + n: "flac", "sample_fmt" + n: flacFormat(s)}
	}
	return ffmpeg.Options{
		"c" + n: "libx264", "preset" + n: "fast", "crf" + n: "14", "pix_fmt" + n: h264Pixels(s),
		"threads" + n: "4", "fps_mode" + n: "passthrough", "enc_time_base" + n: "-1",
	}
}

// flacFormat is the sample format that keeps all a decoder gives. Lossy codecs
// give floating point; players play 16 bits of it.
func flacFormat(s ffmpeg.Stream) string {
	if strings.HasPrefix(s.SampleFormat, "s32") || s.SampleBits > 16 {
		return "s32"
	}
	return "s16"
}

// h264Pixels is the pixel format that nearly all players show, or the one of
// more bits or odd sizes if the source has those.
func h264Pixels(s ffmpeg.Stream) string {
	pixels := "yuv420p"
	if s.Width%2 != 0 || s.Height%2 != 0 {
		pixels = "yuv444p"
	}
	if strings.Contains(s.PixelFormat, "10") || strings.Contains(s.PixelFormat, "12") {
		pixels += "10le"
	}
	return pixels
}
