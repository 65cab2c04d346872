package media

import (
	"strconv"
	"strings"

	"github.com/citekit/citekit/modality/internal/media/ffmpeg"
)

// Subtitles that can become text tracks of an MP4 file. Bitmap subtitles
// cannot, and are left out of clips.
var textSubtitles = map[string]bool{
	"subrip": true, "srt": true, "ass": true, "ssa": true, "webvtt": true, "mov_text": true, "text": true,
}

// Codecs, by ffmpeg's names, that clips keep without re-encoding: in MP4, or
// otherwise in QuickTime.
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

// A plan tells how the tracks of a foreign medium go into a clip.
type plan struct {
	format Format
	muxer  string // ffmpeg's name
	encode []bool // by track: re-encoded, not copied
}

// planFor chooses the container that takes most tracks unchanged. Other tracks
// are re-encoded: sound losslessly, pictures almost losslessly. If all is set,
// every track is re-encoded, which leaves no hidden frames.
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

// fit reports whether a container takes all sound and pictures unchanged.
func (f *foreign) fit(container map[string]bool) bool {
	for _, t := range f.tracks {
		if t.Kind != "subtitle" && !container[t.Codec] {
			return false
		}
	}
	return true
}

// codecOptions returns the codec options of output stream i, made from s. The
// number of threads is fixed because it affects the encoder's output.
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

// flacFormat is the sample format that keeps the full precision of the decoder.
// Lossy codecs decode to floating point, and players play 16 bits.
func flacFormat(s ffmpeg.Stream) string {
	if strings.HasPrefix(s.SampleFormat, "s32") || s.SampleBits > 16 {
		return "s32"
	}
	return "s16"
}

// h264Pixels is the pixel format that nearly all players support, or one for
// higher bit depths or odd sizes if the source has those.
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
