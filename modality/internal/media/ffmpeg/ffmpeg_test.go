package ffmpeg

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/modality/internal/media/ffmpegtest"
)

// openCorpus returns a file of the corpus as an input.
func openCorpus(t *testing.T, tools *Tools, name, demuxer string) *Input {
	t.Helper()
	sharedtest.Tool(t, "ffmpeg")
	sharedtest.Tool(t, "ffprobe")
	f, err := os.Open(sharedtest.Corpus(t, "media/"+name))
	if err != nil {
		t.Fatal(err)
	}
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	src := citekit.NewSource(f, citekit.SourceInfo{Name: name, Size: info.Size()})
	in, err := tools.Open(t.Context(), src, demuxer, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Close(); src.Close() })
	return in
}

func TestProbe(t *testing.T) {
	sharedtest.NotShort(t)
	var tools Tools
	in := openCorpus(t, &tools, "mkv-srt-track.mkv", "matroska")
	info, err := tools.Probe(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	var kinds []string
	for _, s := range info.Streams {
		kinds = append(kinds, s.Kind+":"+s.Codec)
	}
	if got, want := strings.Join(kinds, " "), "video:h264 audio:ac3 subtitle:subrip"; got != want {
		t.Errorf("streams %q, want %q", got, want)
	}
	if v := info.Streams[0]; v.Width != 1080 || v.Height != 720 || v.Num != 1 || v.Den != 1000 {
		t.Errorf("video stream %+v", v)
	}
}

func TestPackets(t *testing.T) {
	sharedtest.NotShort(t)
	var tools Tools
	in := openCorpus(t, &tools, "vp9.webm", "matroska")
	frames, keys := 0, 0
	err := tools.Packets(t.Context(), in, 0, func(p Packet) {
		frames++
		if p.Key {
			keys++
		}
	})
	if err != nil || frames != 82 || keys != 1 {
		t.Errorf("%d packets, %d key frames, %v; want 82 and 1", frames, keys, err)
	}
}

func TestConvert(t *testing.T) {
	sharedtest.NotShort(t)
	t.Setenv("TMPDIR", t.TempDir())
	var tools Tools
	in := openCorpus(t, &tools, "bear.flac", "flac")
	out, err := tools.Convert(t.Context(), in, Conversion{
		Streams: []int{0}, Muxer: "wav", Output: Options{"c": "pcm_s16le"},
	})
	if err != nil {
		t.Fatal(err)
	}
	head := make([]byte, 4)
	if _, err := out.ReadAt(head, 0); err != nil || string(head) != "RIFF" {
		t.Errorf("output begins %q, %v", head, err)
	}
	out.Close()
	if left, _ := os.ReadDir(os.Getenv("TMPDIR")); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestForcedDemuxer(t *testing.T) {
	sharedtest.NotShort(t)
	sharedtest.Tool(t, "ffmpeg")
	dir := t.TempDir()
	sibling := sharedtest.Read(t, sharedtest.Corpus(t, "media/tiny.mov"))
	sharedtest.Write(t, filepath.Join(dir, "sibling.mov"), sibling)
	playlists := map[string]string{
		"hls":    "#EXTM3U\n#EXT-X-MEDIA-SEQUENCE:0\n#EXTINF:10.0,\nsibling.mov\n#EXT-X-ENDLIST\n",
		"concat": "ffconcat version 1.0\nfile sibling.mov\n",
	}
	var tools Tools
	for name, text := range playlists {
		for _, demuxer := range []string{"mov", "matroska", "mpegts", "mp3", "avi", "ogg"} {
			src := citekit.NewSource(strings.NewReader(text), citekit.SourceInfo{Name: "x.mp4", Size: int64(len(text))})
			in, err := tools.Open(t.Context(), src, demuxer, 0)
			if err != nil {
				t.Fatal(err)
			}
			out, err := tools.Convert(t.Context(), in, Conversion{Streams: []int{0}, Muxer: "matroska", Output: Options{"c": "copy"}})
			if err == nil {
				out.Close()
				t.Errorf("%s read as %s gave an output", name, demuxer)
			} else if !errors.Is(err, citekit.ErrFormat) {
				t.Errorf("%s read as %s: %v", name, demuxer, err)
			}
			in.Close()
		}
	}
}

func TestMissing(t *testing.T) {
	t.Setenv("PATH", "")
	src := citekit.NewSource(bytes.NewReader([]byte("x")), citekit.SourceInfo{Size: 1})
	for name, tools := range map[string]*Tools{
		"not on PATH":      {},
		"configured wrong": {FFmpeg: "/no/such/ffmpeg", FFprobe: "/no/such/ffprobe"},
	} {
		in, err := tools.Open(t.Context(), src, "mp3", 0)
		if err != nil {
			t.Fatal(err)
		}
		_, err = tools.Convert(t.Context(), in, Conversion{Streams: []int{0}, Muxer: "wav"})
		if !errors.Is(err, errors.ErrUnsupported) || !strings.Contains(err.Error(), "apt-get install ffmpeg") || strings.Contains(err.Error(), "/no/") {
			t.Errorf("%s: %v", name, err)
		}
		if _, err = tools.Probe(t.Context(), in); !errors.Is(err, errors.ErrUnsupported) || !strings.Contains(err.Error(), "ffprobe") {
			t.Errorf("%s: %v", name, err)
		}
		in.Close()
	}
}

// TestImpostor configures programs that are not ffmpeg, or are an old one.
func TestImpostor(t *testing.T) {
	src := citekit.NewSource(bytes.NewReader([]byte("x")), citekit.SourceInfo{Size: 1})
	for script, want := range map[string]string{
		"exit 1": "configured one cannot be run",
		"[ $1 = -version ] && echo 'ffmpeg version 4.4.2-0ubuntu' && exit 0; echo \"Unrecognized option 'fps_mode'.\" >&2; exit 1": "found 4.4",
	} {
		tools := Tools{FFmpeg: sharedtest.Script(t, script)}
		in, err := tools.Open(t.Context(), src, "mp3", 0)
		if err != nil {
			t.Fatal(err)
		}
		_, err = tools.Convert(t.Context(), in, Conversion{Streams: []int{0}, Muxer: "wav"})
		if !errors.Is(err, errors.ErrUnsupported) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want one that says %q", script, err, want)
		}
		in.Close()
	}
}

func TestPrograms(t *testing.T) {
	path := sharedtest.Script(t, "echo ffmpeg version 7.1 Copyright")
	tools := Tools{FFmpeg: path, FFprobe: path + "-none"}
	found, missing := tools.Programs(t.Context())
	if len(found) != 1 || found["ffmpeg"] != "7.1" || len(missing) != 1 || missing[0] != "ffprobe" {
		t.Errorf("%v, missing %v", found, missing)
	}
}

func TestTooOld(t *testing.T) {
	for banner, want := range map[string]bool{
		"ffmpeg version 5.1.9-0+deb12u1 Copyright": false,
		"ffmpeg version 4.4.2-0ubuntu0.22.04.1":    true,
		"ffmpeg version n7.1 Copyright":            false,
		"ffprobe version 5.0 Copyright":            true,
		"ffmpeg version N-109542-g1bf1c7e1a2":      false,
		"":                                         false,
	} {
		if _, old := tooOld(banner); old != want {
			t.Errorf("tooOld(%q) = %v", banner, old)
		}
	}
}

// TestCancelled starts a conversion that would take hours and cancels it: the
// call must return and the program be gone.
func TestCancelled(t *testing.T) {
	sharedtest.Tool(t, "ffmpeg")
	t.Setenv("TMPDIR", t.TempDir())
	var tools Tools
	in := openCorpus(t, &tools, "vp9.webm", "matroska")
	ctx, cancel := context.WithCancel(t.Context())
	cancelled := make(chan time.Time, 1)
	go func() {
		for range 200 {
			if len(runningIn(os.Getenv("TMPDIR"))) > 0 {
				break
			}
			time.Sleep(10 * time.Millisecond)
		}
		time.Sleep(100 * time.Millisecond)
		cancelled <- time.Now()
		cancel()
	}()
	_, err := tools.Convert(ctx, in, Conversion{
		Input: Options{"stream_loop": "-1"}, Streams: []int{0}, Muxer: "null",
		Output: Options{"c:v": "libx264", "preset": "veryslow"},
	})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v, want %v", err, context.Canceled)
	}
	t.Logf("returned %v after the cancellation", time.Since(<-cancelled))
	gone := false
	for deadline := time.Now().Add(3 * time.Minute); !gone && time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		gone = len(runningIn(os.Getenv("TMPDIR"))) == 0
	}
	if !gone {
		t.Errorf("the program is still running: %v", runningIn(os.Getenv("TMPDIR")))
	}
	if left, _ := os.ReadDir(os.Getenv("TMPDIR")); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

// runningIn returns the processes whose command line names dir, where the
// system lists them as Linux does.
func runningIn(dir string) []string {
	lists, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	var found []string
	for _, list := range lists {
		if line, err := os.ReadFile(list); err == nil && bytes.Contains(line, []byte(dir)) {
			found = append(found, list)
		}
	}
	return found
}

func TestTimeLimit(t *testing.T) {
	tools := Tools{Timeout: 50 * time.Millisecond}
	in := openCorpus(t, &Tools{}, "vp9.webm", "matroska")
	_, err := tools.Convert(t.Context(), in, Conversion{
		Input: Options{"stream_loop": "-1"}, Streams: []int{0}, Muxer: "null",
	})
	if citekit.CodeOf(err) != message.CodeTimeout {
		t.Errorf("error %v, want one of the kind %s", err, message.CodeTimeout)
	}
}

func TestLastWords(t *testing.T) {
	said := "[mov,mp4,m4a,3gp,3g2,mj2 @ 0x5566bff5cbc0] moov atom not found\n" +
		"file:/dev/fd/3: Input/output error\n\x1b[31mred /home/me/secret file\n"
	got := lastWords(said)
	if strings.ContainsAny(got, "\x1b\n") || strings.Contains(got, "0x") || strings.Contains(got, "me") && strings.Contains(got, "secret") {
		t.Errorf("lastWords gave %q", got)
	}
	if want := "the file: Input/output error; [31mred the file file"; got != want {
		t.Errorf("lastWords gave %q, want %q", got, want)
	}
}

func FuzzParsePacket(f *testing.F) {
	f.Add("0,12,12,33,100,K__,303")
	f.Add("1,N/A,7,N/A,5,__")
	f.Fuzz(func(t *testing.T, line string) {
		if p, ok := parsePacket(line); ok && (p.Stream < 0 || p.Stream >= maxStreams || p.Duration < 0 || p.Discard < 0) {
			t.Errorf("%q gave %+v", line, p)
		}
	})
}

func FuzzParseInfo(f *testing.F) {
	f.Add([]byte(`{"streams":[{"index":0,"time_base":"1/0"}],"format":{"duration":"NaN"}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		info, err := parseInfo(data)
		if err != nil {
			return
		}
		for _, s := range info.Streams {
			if s.Den <= 0 || s.Num <= 0 {
				t.Errorf("time base %d/%d", s.Num, s.Den)
			}
		}
	})
}

func TestChildren(t *testing.T) {
	tools := Tools{Children: 1}
	release, err := tools.acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	waited := make(chan error, 1)
	go func() {
		_, err := tools.acquire(ctx)
		waited <- err
	}()
	select {
	case err := <-waited:
		t.Fatalf("a second program may run beside the only one: %v", err)
	case <-time.After(20 * time.Millisecond):
	}
	cancel()
	if err := <-waited; !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
	release()
	release, err = tools.acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	release()
}

// TestMemory encodes pictures with little memory and with enough.
func TestMemory(t *testing.T) {
	sharedtest.NotShort(t)
	if runtime.GOOS != "linux" {
		t.Skip("memory is limited on Linux alone")
	}
	f, err := os.Open(ffmpegtest.Make(t, "large.avi", "-f", "lavfi", "-i", "testsrc=s=1920x1080:r=10:d=3", "-c:v", "mjpeg"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	for memory, want := range map[int64]error{160 << 20: citekit.ErrTooLarge, 0: nil} {
		tools := &Tools{MaxMemory: memory}
		in, err := tools.Open(t.Context(), citekit.NewSource(f, citekit.SourceInfo{Name: "large.avi", Size: info.Size()}), "avi", 0)
		if err != nil {
			t.Fatal(err)
		}
		made, err := tools.Convert(t.Context(), in, Conversion{Streams: []int{0}, Muxer: "mp4", Output: Options{"c:0": "libx264", "threads:0": "2"}})
		if !errors.Is(err, want) {
			t.Errorf("with %d bytes: error %v, want %v", memory, err, want)
		}
		if err == nil {
			made.Close()
		}
	}
}

// TestLacksMemory tells a program that got too little memory from one that failed
// for another reason.
func TestLacksMemory(t *testing.T) {
	tools := &Tools{MaxMemory: 100}
	failed, said := errors.New("exit status 1"), "decoder: Cannot allocate memory\n"
	for _, test := range []struct {
		peak   int64
		err    error
		stderr string
		want   bool
	}{
		{90, failed, "", true},
		{90, nil, said, true},
		{90, nil, "", false},
		{20, failed, said, false}, // a size that is none
		{0, failed, said, false},
		{20, failed, "x264 [error]: malloc of size 5927488 failed\n", true},
	} {
		if got := tools.lacksMemory(test.peak, test.err, test.stderr); got != test.want {
			t.Errorf("%+v: %v", test, got)
		}
	}
}
