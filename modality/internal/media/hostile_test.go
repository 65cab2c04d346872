package media

import (
	"bytes"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/test/sharedtest"
)

// listen counts connections to an address on this machine.
func listen(t *testing.T) (address string, hits *atomic.Int64) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	hits = new(atomic.Int64)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			hits.Add(1)
			c.Close()
		}
	}()
	return l.Addr().String(), hits
}

// TestPlaylists maps and resolves files that are named as media and lead elsewhere.
func TestPlaylists(t *testing.T) {
	address, hits := listen(t)
	dir := t.TempDir()
	sibling := sharedtest.Read(t, sharedtest.Corpus(t, "media/tiny.mov"))
	files := map[string]string{
		"hls-sibling.mp4":    "#EXTM3U\n#EXT-X-MEDIA-SEQUENCE:0\n#EXTINF:10.0,\nsibling.mov\n#EXT-X-ENDLIST\n",
		"hls-net.mp4":        "#EXTM3U\n#EXT-X-MEDIA-SEQUENCE:0\n#EXTINF:10.0,\nhttp://" + address + "/x.ts\n#EXT-X-ENDLIST\n",
		"hls-key.ts":         "#EXTM3U\n#EXT-X-KEY:METHOD=AES-128,URI=\"http://" + address + "/key\"\n#EXTINF:10,\nsibling.mov\n#EXT-X-ENDLIST\n",
		"concat-sibling.mkv": "ffconcat version 1.0\nfile sibling.mov\n",
		"dash.mp4":           "<?xml version=\"1.0\"?><MPD xmlns=\"urn:mpeg:dash:schema:mpd:2011\"><Period><AdaptationSet><BaseURL>http://" + address + "/</BaseURL></AdaptationSet></Period></MPD>",
		"sdp.avi":            "v=0\no=- 0 0 IN IP4 127.0.0.1\ns=x\nc=IN IP4 127.0.0.1\nt=0 0\nm=video 18998 RTP/AVP 96\n",
		"subtitles.mp4":      "1\n00:00:00,000 --> 00:00:05,000\nhello\n",
		"text.mp3":           strings.Repeat("plain text\n", 100),
		"page.webm":          "<html><video src=\"sibling.mov\"></html>",
		"smil.mp4":           "<smil><body><video src=\"sibling.mov\"/></body></smil>",
	}
	sharedtest.Write(t, filepath.Join(dir, "sibling.mov"), sibling)
	t.Chdir(dir)
	for name, text := range files {
		sharedtest.Write(t, name, []byte(text))
		for _, modality := range []citekit.Modality{citekit.Video, citekit.Audio} {
			e := &Engine{Modality: modality}
			if _, err := e.Map(t.Context(), openFile(t, name), citekit.MapRequest{Modality: modality}); !errors.Is(err, citekit.ErrFormat) {
				t.Errorf("%s mapped as %s: error %v", name, modality, err)
			}
			for _, span := range []citekit.Span{{}, {Start: 0, End: 1}} {
				req := citekit.Request{Location: citekit.Location{Modality: modality, Time: span}}
				_, err := e.Resolve(t.Context(), openFile(t, name), req)
				if !errors.Is(err, citekit.ErrFormat) || strings.Contains(err.Error(), dir) {
					t.Errorf("%s as %s, %v: error %v", name, modality, span, err)
				}
			}
		}
	}
	if hits.Load() > 0 {
		t.Errorf("%d connections", hits.Load())
	}
}

// TestNames resolves one video under names that mean something to ffmpeg or to
// a shell.
func TestNames(t *testing.T) {
	sharedtest.NotShort(t)
	data := sharedtest.Read(t, sharedtest.Corpus(t, "media/vp9.webm"))
	dir := t.TempDir()
	t.Chdir(dir)
	var want []byte
	for _, name := range []string{
		"plain.webm", "-i.webm", "-y", "concat:a|b.webm", "file:x.webm", "pipe:0", "http:x.webm", "data:,x.webm",
		"subfile,,start,0,end,9,,:x.webm", "a\nb.webm", "$(touch PWNED).webm", "`touch PWNED`.webm", "%03d.webm", "*.webm",
		"quote'quote.webm", "back\\slash.webm", " x .webm", "\x1b[2J.webm", "日本語.webm", "latin1-\xe9.webm",
	} {
		if err := os.WriteFile(name, data, 0o600); err != nil {
			t.Logf("%q: %v", name, err)
			continue
		}
		f, err := os.Open(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		src := citekit.NewSource(f, citekit.SourceInfo{Name: name, Size: int64(len(data))})
		x, err := (&Engine{Modality: citekit.Video}).Resolve(t.Context(), src, citekit.Request{
			Location: citekit.Location{Modality: citekit.Video, Time: citekit.Span{Start: 0.5, End: 1}},
		})
		if err != nil {
			t.Fatalf("%q: %v", name, err)
		}
		got, err := io.ReadAll(x.Body)
		x.Body.Close()
		src.Close()
		if want == nil {
			want = got
		}
		if err != nil || len(got) == 0 || !bytes.Equal(got, want) {
			t.Errorf("%q: %d bytes, want the %d of a plain name, %v", name, len(got), len(want), err)
		}
	}
	if _, err := os.Stat("PWNED"); err == nil {
		t.Error("a name was run")
	}
}

// TestDamaged resolves files that are cut short or lie: a right answer or a
// clear error.
func TestDamaged(t *testing.T) {
	sharedtest.NotShort(t)
	for name, keep := range map[string]int64{
		"smallest.mp3": 72, "missing-stsd.mp4": 1 << 20, "vp9.webm": 20000, "mkv-srt-track.mkv": 700, "hevc.ts": 10000,
		"bear.flac": 60000, "bear.opus": 300, "h264-fragmented-wrong-duration.mp4": 50000, "mpeg4-mp3.avi": 100000, "aac.m4a": 15000,
		"h264-invalid-nalu.mp4": 1 << 20,
	} {
		data := sharedtest.Read(t, sharedtest.Corpus(t, "media/"+name))
		data = data[:min(keep, int64(len(data)))]
		for _, modality := range []citekit.Modality{citekit.Video, citekit.Audio} {
			e := &Engine{Modality: modality}
			src := citekit.NewSource(bytes.NewReader(data), citekit.SourceInfo{Name: name, Size: int64(len(data))})
			x, err := e.Resolve(t.Context(), src, citekit.Request{
				Location: citekit.Location{Modality: modality, Time: citekit.Span{Start: 0.1, End: 0.3}},
			})
			if err != nil {
				t.Logf("%s of %d bytes as %s: %v", name, len(data), modality, err)
				if code := citekit.CodeOf(err); code == message.CodeInternal {
					t.Errorf("%s as %s: error without a kind: %v", name, modality, err)
				}
				continue
			}
			got, err := io.ReadAll(x.Body)
			if err != nil || int64(len(got)) != x.Size || len(got) == 0 {
				t.Errorf("%s as %s: %d bytes, Size %d, %v", name, modality, len(got), x.Size, err)
			}
			t.Logf("%s of %d bytes as %s: %s of %d bytes", name, len(data), modality, x.MediaType, len(got))
			x.Body.Close()
		}
	}
}
