package media

import (
	"github.com/citekit/citekit"
	"github.com/citekit/citekit/modality/internal/media/mp4"
)

// codecNames maps sample entry codes to ffmpeg's codec names.
var codecNames = map[string]string{
	"avc1": "h264", "avc3": "h264", "hvc1": "hevc", "hev1": "hevc", "vp08": "vp8", "vp09": "vp9", "av01": "av1", "mp4v": "mpeg4",
	"jpeg": "mjpeg", "mjpa": "mjpeg", "apcn": "prores", "apch": "prores", "apcs": "prores", "apco": "prores", "ap4h": "prores",
	"mp4a": "aac", ".mp3": "mp3", "mp3 ": "mp3", "ac-3": "ac3", "ec-3": "eac3", "Opus": "opus", "fLaC": "flac", "alac": "alac",
	"sowt": "pcm_s16le", "twos": "pcm_s16be", "ulaw": "pcm_mulaw", "alaw": "pcm_alaw",
}

func codecName(code string) string {
	if name, ok := codecNames[code]; ok {
		return name
	}
	return code
}

// codecs implements medium.
func (m *movie) codecs() (picture, sound string, rate float64) {
	for _, t := range m.index.Tracks() {
		switch {
		case t.Kind == mp4.Video && picture == "":
			picture = codecName(t.Codec)
			rate = float64(t.Samples) / (t.End - t.Start)
		case t.Kind == mp4.Audio && sound == "":
			sound = codecName(t.Codec)
		}
	}
	return picture, sound, rate
}

// codecs implements medium.
func (f *foreign) codecs() (picture, sound string, rate float64) {
	for _, t := range f.tracks {
		switch {
		case t.Kind == string(citekit.Video) && picture == "":
			picture = t.Codec
		case t.Kind == string(citekit.Audio) && sound == "":
			sound = t.Codec
		}
	}
	return picture, sound, 0
}

// codecs implements medium.
func (w waveform) codecs() (picture, sound string, rate float64) { return "", "pcm", 0 }
