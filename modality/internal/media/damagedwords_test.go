package media

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/about"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/modality/internal/media/ffmpegtest"
	"github.com/citekit/citekit/modality/internal/media/matroska"
	"github.com/citekit/citekit/modality/internal/media/metadata"
	"github.com/citekit/citekit/modality/internal/subtitle"
)

// TestNumbersInWords has cues whose last words are numbers.
func TestNumbersInWords(t *testing.T) {
	blocks := []matroska.Block{
		{Start: 0, Duration: 1e9, Data: []byte("It was\r\n1999")},
		{Start: 2e9, Duration: 1e9, Data: []byte("42")},
		{Start: 4e9, Duration: 1e9, Data: []byte("7\n8")},
		{Start: 6e9, Duration: 1e9, Data: []byte("the end\n3")},
	}
	cues, err := textOf("S_TEXT/UTF8")(blocks, 0)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range cues {
		got = append(got, fmt.Sprint(c.Start, " ", c.Text))
	}
	if diff := cmp.Diff([]string{"0 It was 1999", "2 42", "4 7 8", "6 the end 3"}, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// TestEarlyChapters has a chapter that ends before the timeline begins.
func TestEarlyChapters(t *testing.T) {
	got := chapterNodes(chaptersFrom([]metadata.Chapter{
		{Start: 0, End: 5, Title: "Before"}, {Start: 8, End: 15, Title: "Around"}, {Start: 15, Title: "After"},
	}, 10), citekit.Video, citekit.Span{End: 20})
	want := []mapped{{"chapter", "Around", 0, 5, nil}, {"chapter", "After", 5, 20, nil}}
	if diff := cmp.Diff(want, shorten(got)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// TestLongTitle has a title that is as long as a file may be.
func TestLongTitle(t *testing.T) {
	long := strings.Repeat("long ", 3<<20)
	if got := plainTitle(long); len(got) > maxTitle || len(got) < maxTitle/2 {
		t.Errorf("%d bytes", len(got))
	}
	if allocated := testing.AllocsPerRun(1, func() { plainTitle(long) }); allocated > 100 {
		t.Errorf("%v allocations", allocated)
	}
}

// TestEmptyPodcast has a file of chapters that are nothing but brackets.
func TestEmptyPodcast(t *testing.T) {
	text := []byte(`{"version":{},"chapters":[` + strings.Repeat("{},", 1<<20) + `{"startTime":1}]}`)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	chapters := podcastChapters(text)
	runtime.ReadMemStats(&after)
	if len(chapters) != 1 || chapters[0].Start != 1 {
		t.Errorf("%v", chapters)
	}
	// One pointer, two times, a title and more are 64 bytes, and a slice that
	// grows takes them more than once; 16 are what reading a value leaves.
	if took := after.TotalAlloc - before.TotalAlloc; took > 96<<20 {
		t.Errorf("%d bytes for %d", took, len(text))
	}
}

// TestOwnersAreFound has as many chapters as there may be, and more words.
func TestOwnersAreFound(t *testing.T) {
	var chapters []metadata.Chapter
	var cues []subtitle.Cue
	for i := range 15_000 {
		chapters = append(chapters, metadata.Chapter{Start: float64(i)})
		for k := range 10 {
			at := float64(i) + float64(k)/10
			cues = append(cues, subtitle.Cue{Start: at, End: at + 0.05, Text: "word"})
		}
	}
	nodes, used := addSegments(chapterNodes(chapters, citekit.Audio, citekit.Span{End: 15_000}), cues, citekit.Audio, 15_000)
	if !used || len(nodes) != 15_000 || countNodes(nodes) > about.MaxMappedNodes {
		t.Errorf("%d nodes, %d in all", len(nodes), countNodes(nodes))
	}
}

// TestFrameMetadata scans pictures that say things of themselves: they neither
// count as what the filters say nor end the scan.
func TestFrameMetadata(t *testing.T) {
	sharedtest.NotShort(t)
	dir := t.TempDir()
	film := film(t, "cuts.mkv", []float64{4, 3}, "-c:v", "png", "-pix_fmt", "rgb24")
	pattern := filepath.Join(dir, "%03d.png")
	ffmpegtest.Run(t, "ffmpeg", "-nostdin", "-v", "error", "-i", film, "-vf", "fps=5", pattern)
	pictures, err := filepath.Glob(filepath.Join(dir, "*.png"))
	if err != nil || len(pictures) < 30 {
		t.Fatalf("%d pictures, %v", len(pictures), err)
	}
	for i, p := range pictures {
		addComment(t, p, "lavfi.signalstats.YDIF", fmt.Sprintf("90\nframe:%d pts:%d pts_time:1\nlavfi.scene_score=0.9\n%s", i, i*300_000, strings.Repeat("x", 5000)))
	}
	path := filepath.Join(dir, "said.mkv")
	ffmpegtest.Run(t, "ffmpeg", "-nostdin", "-v", "error", "-framerate", "5", "-i", pattern, "-c", "copy", path)
	e := &Engine{Modality: citekit.Video}
	s := mapFile(t, e, path)
	if diff := cmp.Diff([]citekit.Span{{Start: 0, End: 4}, {Start: 4, End: 7}}, spansOf(s.Nodes), nearly); s.Method != "scenes" || diff != "" {
		t.Errorf("%s %v (-want +got)\n%s", s.Method, s.Metadata, diff)
	}
	src := openFile(t, path)
	m, err := e.open(t.Context(), src)
	if err != nil {
		t.Fatal(err)
	}
	if spans, err := e.findScenes(t.Context(), src, enlarged{m}, func(float64) {}); err != nil || len(spans) > 3 {
		t.Errorf("key frames: %v, %v", spans, err)
	}
}

// addComment adds a text chunk to a PNG file (W3C PNG, section 11.3.3.2).
func addComment(t testing.TB, path, key, value string) {
	t.Helper()
	b := sharedtest.Read(t, path)
	at := bytes.Index(b, []byte("IDAT")) - 4
	content := append([]byte("tEXt"), key+"\x00"+value...)
	chunk := binary.BigEndian.AppendUint32(nil, uint32(len(content)-4))
	chunk = append(chunk, content...)
	chunk = binary.BigEndian.AppendUint32(chunk, crc32.ChecksumIEEE(content))
	write(t, filepath.Dir(path), filepath.Base(path), string(b[:at])+string(chunk)+string(b[at:]))
}
