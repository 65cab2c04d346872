package media_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/test/mp4test"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/modality/internal/media/ffmpegtest"
	"github.com/citekit/citekit/modality/media"
	"github.com/citekit/citekit/modality/modalitytest"
)

const rate = 8000

// wave returns a WAV file of one channel that sounds as mp4test.Tone, frames
// [first, end) of it.
func wave(first, end int) []byte {
	var data []byte
	for n := first; n < end; n++ {
		data = binary.LittleEndian.AppendUint16(data, uint16(mp4test.Tone(n, 0, rate)))
	}
	var b bytes.Buffer
	b.WriteString("RIFF")
	put(&b, uint32(36+len(data)))
	b.WriteString("WAVEfmt ")
	put(&b, uint32(16), uint16(1), uint16(1), uint32(rate), uint32(2*rate), uint16(2), uint16(16))
	b.WriteString("data")
	put(&b, uint32(len(data)))
	b.Write(data)
	return b.Bytes()
}

func put(b *bytes.Buffer, values ...any) {
	for _, v := range values {
		binary.Write(b, binary.LittleEndian, v)
	}
}

func soundAt(start, end float64) citekit.Location {
	return citekit.Location{Modality: citekit.Audio, Time: citekit.Span{Start: start, End: end}}
}

// soundOutside are locations beyond the end of a second of sound.
var soundOutside = []citekit.Location{soundAt(1, 2), soundAt(0.5, 1.2), soundAt(7, 0), soundAt(1e9, 2e9)}

var soundForeign = citekit.Location{Modality: citekit.Video, Time: citekit.Span{Start: 0, End: 0.1}}

// soundGarbage are things that are no sound, or lie about it.
var soundGarbage = [][]byte{
	[]byte("#EXTM3U\n#EXTINF:10,\nhttp://127.0.0.1:9/x.ts\n"), []byte("ffconcat version 1.0\nfile x.mp3\n"),
	[]byte("ID3\x04\x00\x00\x7f\x7f\x7f\x7f"), bytes.Repeat([]byte("\xff\xfb\x90\x00"), 500), []byte("fLaC\x00\x00\x00\x22"),
	[]byte("OggS\x00\x02"), []byte("\x1a\x45\xdf\xa3\x93\x42\x82\x88matroska"),
	append(wave(0, 10)[:40], 0xff, 0xff, 0xff, 0x7f),
}

func TestConformanceWAV(t *testing.T) {
	r := &media.Resolver{Modality: citekit.Audio}
	if testing.Short() {
		r.FFmpeg, r.FFprobe = "none", "none" // WAV needs no program, and damaged files would start one often
	}
	modalitytest.Test(t, r, modalitytest.Fixture{
		Name:   "tone.wav",
		Source: wave(0, rate),
		Good: []modalitytest.Case{
			{Name: "middle", Location: soundAt(0.25, 0.5), Want: wave(2000, 4000)},
			{Name: "to the end", Location: soundAt(0.75, 0), Want: wave(6000, 8000)},
			{Name: "one sample", Location: soundAt(0.1, 0.1001), Want: wave(800, 801)},
			{Name: "rounded end", Location: soundAt(0.5, 1.05), Want: wave(4000, 8000), Check: func(t testing.TB, _ []byte, x *citekit.Content) {
				if x.Actual == nil || x.Actual.Time != (citekit.Span{Start: 0.5, End: 1}) {
					t.Errorf("actual location %v", x.Actual)
				}
			}},
		},
		OutOfRange: append(soundOutside, soundAt(0.00001, 0.00002)),
		Foreign:    soundForeign,
		Extent:     citekit.Extent{Modality: citekit.Audio, Duration: 1, MediaType: "audio/vnd.wave"},
		Garbage:    soundGarbage,
	})
}

func TestConformanceSoundQuickTime(t *testing.T) {
	t.Setenv("PATH", "") // none of this needs ffmpeg
	both := mp4test.Movie{Brand: "qt  ", Tracks: []mp4test.Track{mp4test.VideoTrack(10, 10, 16, 16), mp4test.PCMTrack(1, rate, 1)}}
	modalitytest.Test(t, &media.Resolver{Modality: citekit.Audio}, modalitytest.Fixture{
		Name:   "tone.mov",
		Source: both.Bytes(),
		Good: []modalitytest.Case{
			{Name: "sound of a video", Location: soundAt(0.25, 0.5), Check: func(t testing.TB, got []byte, x *citekit.Content) {
				if !bytes.Contains(got, wave(2000, 4000)[44:]) || bytes.Contains(got, []byte("vide")) {
					t.Errorf("%d bytes without the samples, or with the picture", len(got))
				}
			}},
			{Name: "copy", Location: soundAt(0.25, 0.5), Mode: citekit.ModeCopy},
		},
		OutOfRange: soundOutside,
		Foreign:    soundForeign,
		Extent:     citekit.Extent{Modality: citekit.Audio, Duration: 1, MediaType: "video/quicktime"},
		Garbage:    soundGarbage,
	})
}

// convert makes another format of a WAV file.
func convert(t *testing.T, source []byte, name string, args ...string) []byte {
	t.Helper()
	in := filepath.Join(t.TempDir(), "in.wav")
	sharedtest.Write(t, in, source)
	all := append([]string{"-i", in, "-map_metadata", "-1", "-fflags", "+bitexact"}, args...)
	return sharedtest.Read(t, ffmpegtest.Make(t, name, all...))
}

func TestConformanceFLAC(t *testing.T) {
	modalitytest.Test(t, &media.Resolver{Modality: citekit.Audio, Options: media.Options{MaxChildren: 1}}, modalitytest.Fixture{
		Name:   "tone.flac",
		Source: convert(t, wave(0, rate), "tone.flac"),
		Good: []modalitytest.Case{{Name: "middle", Location: soundAt(0.25, 0.5), Check: func(t testing.TB, got []byte, _ *citekit.Content) {
			if len(got) < 100 || string(got[:4]) != "fLaC" {
				t.Errorf("%d bytes that are no FLAC file", len(got))
			}
		}}},
		OutOfRange: soundOutside[:2],
		Foreign:    soundForeign,
		Extent:     citekit.Extent{Modality: citekit.Audio, Duration: 1, MediaType: "audio/flac"},
		Garbage:    soundGarbage,
		Slow:       true,
	})
}

func soundSource(data []byte) *citekit.Source {
	return citekit.NewSource(bytes.NewReader(data), citekit.SourceInfo{Name: "x", Size: int64(len(data))})
}

func TestMissingFFmpegForSound(t *testing.T) {
	flac := convert(t, wave(0, rate), "tone.flac")
	t.Setenv("PATH", "")
	r := &media.Resolver{Modality: citekit.Audio}
	_, err := r.Resolve(t.Context(), soundSource(flac), citekit.Request{Location: soundAt(0.25, 0.5)})
	if !errors.Is(err, errors.ErrUnsupported) || !strings.Contains(err.Error(), "apt-get install ffmpeg") {
		t.Errorf("FLAC: error %v", err)
	}
	x, err := r.Resolve(t.Context(), soundSource(flac), citekit.Request{Location: citekit.Location{Modality: citekit.Audio}})
	if err != nil || x.Size != int64(len(flac)) {
		t.Errorf("all of a FLAC file: %v", err)
	}
	x, err = r.Resolve(t.Context(), soundSource(wave(0, rate)), citekit.Request{Location: soundAt(0.25, 0.5)})
	if err != nil {
		t.Errorf("WAV: error %v", err)
	} else if err := x.Body.Close(); err != nil {
		t.Error(err)
	}
}

// TestADPCM reads a coding of WAV that is left to ffmpeg.
func TestADPCM(t *testing.T) {
	adpcm := convert(t, wave(0, rate), "tone.wav", "-c:a", "adpcm_ms")
	r := &media.Resolver{Modality: citekit.Audio}
	extent, err := r.Measure(t.Context(), soundSource(adpcm))
	if err != nil || math.Abs(extent.Duration-1) > 0.1 {
		t.Errorf("measured %v s, %v", extent.Duration, err)
	}
	x, err := r.Resolve(t.Context(), soundSource(adpcm), citekit.Request{Location: soundAt(0.25, 0.5)})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Body.Close()
	if x.MediaType != "audio/flac" {
		t.Errorf("media type %s", x.MediaType)
	}
}

func TestSeveralTracks(t *testing.T) {
	two := convert(t, wave(0, rate), "two.mkv", "-map", "0:a", "-map", "0:a", "-c:a:0", "aac", "-c:a:1", "libvorbis")
	r := &media.Resolver{Modality: citekit.Audio}
	for _, mode := range []citekit.Mode{citekit.ModeExact, citekit.ModeStrict, citekit.ModeCopy} {
		x, err := r.Resolve(t.Context(), soundSource(two), citekit.Request{Location: soundAt(0.25, 0.5), Mode: mode})
		if err != nil {
			t.Errorf("%s: %v", mode, err)
			continue
		}
		t.Logf("%s: %s of %d bytes, actual %v", mode, x.MediaType, x.Size, x.Actual)
		x.Body.Close()
	}
}
