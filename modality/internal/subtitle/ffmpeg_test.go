package subtitle_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/modality/internal/subtitle"
)

// TestLikeFFmpeg compares cues with what ffmpeg reads from the same file.
func TestLikeFFmpeg(t *testing.T) {
	ffmpeg := sharedtest.Tool(t, "ffmpeg")
	dir := t.TempDir()
	for name, src := range map[string]string{
		"plain.srt": "1\r\n00:00:01,500 --> 00:00:02,000\r\n<i>One</i>\r\nand a half\r\n\r\n2\r\n00:01:03,000 --> 00:01:04,250\r\n{\\an8}two <font color=\"red\">red</font>\r\n",
		"odd.srt":   "1\n00:00:01,500 --> 00:00:02,000\nOne\n\nwas 1999\n\n00:00:03,000 --> 00:00:04,000 X1:1 X2:2 Y1:3 Y2:4\n5 < 6\n\n7\n00:00:05.000 --> 00:00:06.000\nthree\nlast",
		"blocks.vtt": "WEBVTT - a title\n\nNOTE not\nthis\n\nid one\n00:01.500 --> 00:02.000 line:0 align:start\n<v Ann>Hi</v> <c.loud>you</c>\n\n" +
			"00:00:03.000 --> 00:00:04.000\na &amp; b\n<00:00:03.500>c\n",
		"unsorted.ass": "[Script Info]\nScriptType: v4.00+\n\n[V4+ Styles]\nFormat: Name, Fontname\nStyle: Default,Arial\n\n[Events]\nFormat: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\n" +
			"Dialogue: 0,0:00:05.00,0:00:06.50,Default,,0,0,0,,late, {\\b1}bold{\\b0}\nComment: 0,0:00:01.00,0:00:02.00,Default,,0,0,0,,no\nDialogue: 0,0:00:01.00,0:00:02.00,Default,Ann,0,0,0,,early\\Nlines\n",
	} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(src), 0o600); err != nil {
			t.Fatal(err)
		}
		compareFFmpeg(t, ffmpeg, path)
	}
	for _, name := range []string{"text/stream-of-water.vtt", "text/example.ssa"} {
		compareFFmpeg(t, ffmpeg, sharedtest.Corpus(t, name))
	}
}

var (
	tags   = regexp.MustCompile(`</?[a-z][^>]*>|\{\\[^}]*\}`)
	blocks = regexp.MustCompile(`(?m)^\d+\n(\d\d:\d\d:\d\d),(\d{3}) --> (\d\d:\d\d:\d\d),(\d{3})\n`)
)

func compareFFmpeg(t *testing.T, ffmpeg, path string) {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), ffmpeg, "-v", "error", "-i", path, "-f", "srt", "-").Output()
	if err != nil {
		t.Fatalf("%s: %v", filepath.Base(path), err)
	}
	var want []string
	at := blocks.FindAllSubmatchIndex(out, -1)
	for i, m := range at {
		end := len(out)
		if i+1 < len(at) {
			end = at[i+1][0]
		}
		text := strings.ReplaceAll(tags.ReplaceAllString(string(out[m[1]:end]), ""), "\\h", " ")
		want = append(want, fmt.Sprintf("%s.%s %s.%s %s", out[m[2]:m[3]], out[m[4]:m[5]], out[m[6]:m[7]], out[m[8]:m[9]], strings.Join(strings.Fields(text), " ")))
	}
	src, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	cues, err := subtitle.Parse(filepath.Base(path), src)
	if err != nil {
		t.Fatalf("%s: %v", filepath.Base(path), err)
	}
	var got []string
	for _, c := range subtitle.ByTime(cues) {
		got = append(got, fmt.Sprintf("%s %s %s", clock(c.Start), clock(c.End), c.Text))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-ffmpeg +got):\n%s", filepath.Base(path), diff)
	}
}

func clock(seconds float64) string {
	ms := int(seconds*1000 + 0.5)
	return fmt.Sprintf("%02d:%02d:%02d.%03d", ms/3_600_000, ms/60_000%60, ms/1000%60, ms%1000)
}
