package media

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/modality/internal/media/ffmpeg"
	"github.com/citekit/citekit/modality/internal/media/ffmpegtest"
)

// TestGrowingPictures scans, shows and cuts a film whose header and first
// pictures are small, and whose others are not: each counts as it is.
func TestGrowingPictures(t *testing.T) {
	dir := t.TempDir()
	const width, height, pictures = 640, 480, 12
	for name, size := range map[string]string{"a.webm": "64x48", "b.webm": fmt.Sprintf("%dx%d", width, height)} {
		ffmpegtest.Run(t, "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=s="+size+":r=10", "-frames:v", fmt.Sprint(pictures), "-c:v", "libvpx", "-deadline", "realtime", "-cpu-used", "8", filepath.Join(dir, name))
	}
	list := write(t, dir, "list.txt", "file a.webm\nfile b.webm\n")
	path := filepath.Join(dir, "film.webm")
	ffmpegtest.Run(t, "ffmpeg", "-v", "error", "-f", "concat", "-i", list, "-c", "copy", path)
	e := &Engine{Modality: citekit.Video}
	src := openFile(t, path)
	m, err := e.open(t.Context(), src)
	if err != nil {
		t.Fatal(err)
	}
	if x := m.extent(); x.Width != 64 || x.Duration < 2.3 {
		t.Fatalf("extent %+v", x)
	}
	ctx := ffmpeg.Within(t.Context(), 1e12, time.Hour)
	if _, err := e.findScenes(ctx, src, m, func(float64) {}); err != nil {
		t.Fatal(err)
	}
	if done, least := ffmpeg.Done(ctx), ffmpeg.Work(pictures*width*height); done < least || done > 3*least {
		t.Errorf("scenes: work of %d, want %d and that of the small pictures", done, least)
	}
	ctx = ffmpeg.Within(t.Context(), 1e12, time.Hour)
	x, err := m.cut(ctx, src, citekit.Span{Start: 0.5, End: 2.4}, citekit.ModeStrict)
	if err != nil {
		t.Fatal(err)
	}
	x.Body.Close()
	if done, least := ffmpeg.Done(ctx), ffmpeg.Work(5*pictures*width*height); done < least {
		t.Errorf("cut: work of %d, want %d", done, least)
	}
}

// TestOverlappingSound listens to, draws and cuts ten minutes of sound whose
// packets say that all play within a second.
func TestOverlappingSound(t *testing.T) {
	dir := t.TempDir()
	honest, path := filepath.Join(dir, "honest.mka"), filepath.Join(dir, "sound.mka")
	ffmpegtest.Run(t, "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "anullsrc=r=48000:cl=stereo:d=600", "-c:a", "flac", "-frame_size", "32768", honest)
	ffmpegtest.Run(t, "ffmpeg", "-v", "error", "-i", honest, "-c", "copy", "-bsf:a", "setts=ts=N", path)
	e := &Engine{Modality: citekit.Audio}
	src := openFile(t, path)
	m, err := e.open(t.Context(), src)
	if err != nil {
		t.Fatal(err)
	}
	duration := m.extent().Duration
	if duration > 10 {
		t.Fatalf("%v s", duration)
	}
	span := citekit.Span{End: duration}
	for name, task := range map[string]func(most float64) error{
		"listen": func(most float64) error {
			_, err := e.findParts(ffmpeg.Within(t.Context(), ffmpeg.Work(most), time.Hour), src, m, func(float64) {})
			return err
		},
		"cut": func(most float64) error {
			x, err := m.cut(ffmpeg.Within(t.Context(), ffmpeg.Work(most), time.Hour), src, span, citekit.ModeExact)
			if err == nil {
				x.Body.Close()
			}
			return err
		},
		"draw": func(most float64) error {
			_, err := e.drawSound(ffmpeg.Within(t.Context(), ffmpeg.Work(most), time.Hour), src, m, span, 100)
			return err
		},
	} {
		second := float64(ffmpeg.SoundWork(ffmpeg.Stream{SampleRate: 48000, Channels: 2}, 1))
		if err := task(300 * second); !errors.Is(err, ffmpeg.ErrWork) {
			t.Errorf("%s: half of the work gives error %v", name, err)
		}
		if err := task(700 * second); errors.Is(err, ffmpeg.ErrWork) {
			t.Errorf("%s: enough work gives error %v", name, err)
		}
	}
}

// scanned is a progressive JPEG of so many scans, whose pixels are missing.
func scanned(side, scans int) []byte {
	b := []byte{0xff, 0xd8, 0xff, 0xc2, 0, 11, 8, byte(side >> 8), byte(side), byte(side >> 8), byte(side), 1, 1, 0x11, 0}
	for range scans {
		b = append(b, 0xff, 0xda, 0, 8, 1, 1, 0, 1, 63, 0, 0x55, 0x55)
	}
	return append(b, 0xff, 0xd9)
}

// TestScans counts the scans of JPEG pictures, and refuses a film of pictures
// with so many that no program may look at one.
func TestScans(t *testing.T) {
	for _, before := range []int{0, 1, 7, 256<<10 - 20, 256<<10 - 9, 256<<10 - 1} {
		data := append(make([]byte, before), bytes.Repeat(scanned(2048, 12), 3)...)
		found, err := countJPEGs(t.Context(), bytes.NewReader(data), int64(len(data)))
		if err != nil || found.pictures != 3 || found.each() != 12 {
			t.Errorf("after %d bytes: %+v, %v", before, found, err)
		}
	}
	e := &Engine{Modality: citekit.Video}
	e.Tools.FFmpeg, e.Tools.FFprobe = "/missing", "/missing"
	data := append(lacedMatroska(1, 1), scanned(8000, 2000)...)
	_, err := e.Map(t.Context(), source("film.mkv", data), citekit.MapRequest{Modality: citekit.Video})
	if citekit.CodeOf(err) != message.CodeTooLarge || !strings.Contains(err.Error(), "scans") {
		t.Errorf("2000 scans: error %v", err)
	}
}

// TestNoFrameBegins cuts a span in which a frame is shown and none begins.
func TestNoFrameBegins(t *testing.T) {
	path := ffmpegtest.Make(t, "slow.ogv", "-f", "lavfi", "-i", "testsrc2=s=64x48:r=1:d=2", "-f", "lavfi", "-i", "sine=d=2", "-c:v", "libtheora", "-c:a", "libvorbis")
	e := &Engine{Modality: citekit.Video}
	_, err := e.Resolve(t.Context(), openFile(t, path), citekit.Request{Location: citekit.Location{Modality: citekit.Video, Time: citekit.Span{Start: 0.3, End: 0.8}}})
	if !errors.Is(err, citekit.ErrRange) || !strings.Contains(err.Error(), "t=0.3-0.8 holds no frame; pictures run 0-2; the one shown there begins at t=0:") {
		t.Errorf("error %v", err)
	}
}

// TestStreamEndsEarly maps sound that ends, by its last page, before its last
// packet begins.
func TestStreamEndsEarly(t *testing.T) {
	path := ffmpegtest.Make(t, "sound.ogg", "-f", "lavfi", "-i", "sine=r=44100:d=0.05", "-c:a", "libvorbis")
	data := sharedtest.Read(t, path)
	page := data[bytes.LastIndex(data, []byte("OggS")):] // RFC 3533, section 6
	end := binary.LittleEndian.Uint64(page[6:])
	binary.LittleEndian.PutUint64(page[6:], end-1500)
	copy(page[22:26], make([]byte, 4))
	crc := uint32(0)
	for _, b := range page {
		crc ^= uint32(b) << 24
		for range 8 {
			if crc&(1<<31) != 0 {
				crc = crc<<1 ^ 0x04c11db7
			} else {
				crc <<= 1
			}
		}
	}
	binary.LittleEndian.PutUint32(page[22:], crc)
	e := &Engine{Modality: citekit.Audio}
	src := source("sound.ogg", data)
	if extent, err := e.Measure(t.Context(), src); err != nil || extent.Duration > 0.06 {
		t.Fatalf("%+v, %v", extent, err)
	}
	if n := checkResolvable(t, e, "sound.ogg", src); n == 0 {
		t.Error("no nodes")
	}
}
