package subtitle_test

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/modality/internal/subtitle"
)

func TestParse(t *testing.T) {
	for _, test := range []struct {
		name, src string
		want      []subtitle.Cue
	}{
		{"a.srt", "1\n00:00:01,500 --> 00:00:02,000\nOne\n\n2\n00:00:03,000 --> 00:00:04,250 X1:1 X2:2\n<i>two</i>\n{\\an8}lines\n", []subtitle.Cue{
			{Start: 1.5, End: 2, First: 1, Last: 3, Text: "One"},
			{Start: 3, End: 4.25, First: 5, Last: 8, Text: "two lines"},
		}},
		{"no numbers.srt", "00:00:01,5 --> 00:00:02\nOne\n00:00:03.25 --> 00:00:04\n1984\n\n\n00:00:05 --> 00:00:06\nx < y > z\n", []subtitle.Cue{
			{Start: 1.5, End: 2, First: 1, Last: 2, Text: "One"},
			{Start: 3.25, End: 4, First: 3, Last: 4, Text: "1984"},
			{Start: 5, End: 6, First: 7, Last: 8, Text: "x < y > z"},
		}},
		{"double spaced.srt", "\ufeff\r\n1\r\n\r\n00:00:01,000 --> 00:00:02,000\r\n\r\nOne\r\n\r\ntwo\r\n\r\n2\r\n\r\n00:00:03,000 --> 00:00:02,000\r\n\r\nBack", []subtitle.Cue{
			{Start: 1, End: 2, First: 2, Last: 8, Text: "One two"},
			{Start: 3, End: 3, First: 10, Last: 14, Text: "Back"},
		}},
		{"cr.srt", "1\r00:00:01,000 --> 00:00:02,000\rOne\r\r2\r00:00:03,000 --> 00:00:04,000\rTwo\r", []subtitle.Cue{
			{Start: 1, End: 2, First: 1, Last: 3, Text: "One"},
			{Start: 3, End: 4, First: 5, Last: 7, Text: "Two"},
		}},
		{"", "WEBVTT - title\nKind: captions\n\nNOTE\nnot\n\nSTYLE\n::cue {}\n\nREGION\nid:a\n\nintro\n00:01.500 --> 00:02.000 align:start position:0%\n<v.loud Ann B>Hi &amp; <c.x>bye</c><00:01.700>!\n\n100:00:00.000 --> 100:00:01.000\nlate\nmore\n", []subtitle.Cue{
			{Start: 1.5, End: 2, First: 13, Last: 15, Text: "Hi & bye!", Speaker: "Ann B"},
			{Start: 360000, End: 360001, First: 17, Last: 19, Text: "late more"},
		}},
		{"marks of direction.srt", "1\n00:00:01,000 --> 00:00:02,000\n\u202bمی\u200cخواهم\u202c\n", []subtitle.Cue{{Start: 1, End: 2, First: 1, Last: 3, Text: "می\u200cخواهم"}}},
		{"glued.vtt", "WEBVTT\n00:01.000 --> 00:02.000\nOne\n00:03.000 --> 00:04.000\nTwo\n\nbad\n00:05 -->\nlost\n", []subtitle.Cue{
			{Start: 1, End: 2, First: 2, Last: 3, Text: "One"},
			{Start: 3, End: 4, First: 4, Last: 5, Text: "Two"},
		}},
		{"headless.vtt", "00:01.000 --> 00:02.000\nOne\n", []subtitle.Cue{{Start: 1, End: 2, First: 1, Last: 2, Text: "One"}}},
		{"", "[Script Info]\n[Events]\nFormat: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\nComment: 0,0:00:00.00,0:00:01.00,x,,0,0,0,,no\nDialogue: 0,0:00:01.50,0:00:02.00,x,Ann,0,0,0,,{\\i1}One,{\\i0} two\\Nthree\nDialogue: 0,0:00:03.00,0:00:04.00,x,,0,0,0,,{\\p1}m 0 0 l 1 1{\\p0}Sign\n", []subtitle.Cue{
			{Start: 1.5, End: 2, First: 5, Last: 5, Text: "One, two three", Speaker: "Ann"},
			{Start: 3, End: 4, First: 6, Last: 6, Text: "Sign"},
		}},
		{"talk.json", "{\"version\": 1, \"x\": {\"segments\": 1},\n\"segments\": [{\"startTime\": 1, \"endTime\": 2,\n\"body\": \"One\", \"speaker\": \"Ann\"},\n\n{\"startTime\": 2, \"endTime\": 3, \"body\": \"two\"}\n]}", []subtitle.Cue{
			{Start: 1, End: 2, First: 2, Last: 3, Text: "One", Speaker: "Ann"},
			{Start: 2, End: 3, First: 5, Last: 5, Text: "two"},
		}},
		{"whisper.json", `{"text": "One", "segments": [{"id": 0, "start": 0.0, "end": 2.5, "text": " One"}], "language": "en"}`, []subtitle.Cue{
			{Start: 0, End: 2.5, First: 1, Last: 1, Text: "One"},
		}},
	} {
		got, err := subtitle.Parse(test.name, []byte(test.src))
		if err != nil {
			t.Errorf("%q: %v", test.name, err)
			continue
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", test.name, diff)
		}
	}
}

func TestParseGarbage(t *testing.T) {
	sharedtest.NotShort(t)
	for _, src := range []string{
		"", "\n", "hello", "WEBVTT", "WEBVTT\n\n00:01 --> x\nwords\n", "00:00:01,000 --> 00:00:02,000\n\n\n",
		"[Script Info]\nTitle: x\n", `{"segments": [{"startTime": 1, "body": 3`, `{"segments": {"startTime": "body"}}`,
		"999999999:00:00 --> 999999999:00:01\nwords\n", "-->\n\x00",
	} {
		if cues, err := subtitle.Parse("x.srt", []byte(src)); !errors.Is(err, citekit.ErrFormat) {
			t.Errorf("%q gives %v, %v", src, cues, err)
		}
	}
	many := strings.Repeat("00:00:00 --> 00:00:01\nx\n", 500_001)
	if _, err := subtitle.Parse("x.srt", []byte(many)); !errors.Is(err, citekit.ErrTooLarge) {
		t.Errorf("many cues: %v", err)
	}
}

func TestIsSubtitle(t *testing.T) {
	for _, test := range []struct {
		name, head string
		want       bool
	}{
		{"a", "WEBVTT\n", true},
		{"a", "WEBVTTX\n", false},
		{"a.txt", "\ufeff1\r\n00:00:01,000 --> 00:00:02,000\r\n", true},
		{"a.txt", "[Script Info]\n", true},
		{"a.SRT", "anything", true},
		{"a.json", `{"segments": [{"startTime": 0, "body": ""}]}`, true},
		{"a.json", `{"segments": [1]}`, false},
		{"a.md", "# x\n\n00:00 --> 00:01\n", false},
		{"a", "", false},
	} {
		if got := subtitle.IsSubtitle(test.name, []byte(test.head)); got != test.want {
			t.Errorf("IsSubtitle(%q, %q) = %t", test.name, test.head, got)
		}
	}
}

// A corpusFile is a file of subtitles, and what another tool reads in it.
type corpusFile struct {
	file        string
	count       int
	first, last subtitle.Cue
}

// TestCorpus reads files in all formats, and files in the wild where there are
// some, whose cues were counted by another tool.
func TestCorpus(t *testing.T) {
	if testing.Short() {
		t.Skip("compares with ffmpeg")
	}
	for _, test := range []corpusFile{
		{"text/utf8bom.srt", 6,
			subtitle.Cue{Start: 99, End: 101.04, First: 1, Last: 3, Text: "(low humming)"},
			subtitle.Cue{Start: 151.4, End: 153.44, First: 23, Last: 26, Text: "(bells that ring from afar)"}},
		{"text/missing-sequence.srt", 6,
			subtitle.Cue{Start: 99, End: 101.04, First: 1, Last: 2, Text: "(low humming)"},
			subtitle.Cue{Start: 151.4, End: 153.44, First: 18, Last: 20, Text: "(bells that ring from afar)"}},
		{"text/cr-only.vtt", 3,
			subtitle.Cue{Start: 0, End: 3.766, First: 3, Last: 5, Text: "Did you find a story that you like?"},
			subtitle.Cue{Start: 10.733, End: 14.066, First: 10, Last: 12, Text: "Tell it again, please."}},
		{"text/example.ssa", 6,
			subtitle.Cue{Start: 65, End: 67.5, First: 11, Last: 11, Text: "(low humming)", Speaker: "Someone"},
			subtitle.Cue{Start: 145, End: 147.5, First: 16, Last: 16, Text: "(bells)", Speaker: "Someone"}},
		{"maps/podcast-transcript.json", 2,
			subtitle.Cue{Start: 0.5, End: 0.75, First: 4, Last: 9, Text: "I", Speaker: "Host"},
			subtitle.Cue{Start: 2.75, End: 3, First: 10, Last: 15, Text: "see", Speaker: "Guest"}},
	} {
		compareCues(t, sharedtest.Made(t, test.file), test)
	}
	if _, ok := sharedtest.Extra(t); !ok {
		return
	}
	for _, test := range []corpusFile{
		{"text/utf8bom.srt", 6,
			subtitle.Cue{Start: 99, End: 101.04, First: 1, Last: 3, Text: "(deep rumbling)"},
			subtitle.Cue{Start: 151.4, End: 153.44, First: 23, Last: 26, Text: "(computer playing electronic melody)"}},
		{"text/missing-sequence.srt", 6,
			subtitle.Cue{Start: 99, End: 101.04, First: 1, Last: 2, Text: "(deep rumbling)"},
			subtitle.Cue{Start: 151.4, End: 153.44, First: 18, Last: 20, Text: "(computer playing electronic melody)"}},
		{"text/cr-only.vtt", 3,
			subtitle.Cue{Start: 0, End: 3.766, First: 3, Last: 6, Text: "Did one of the last stories strike you as more interesting than the other?"},
			subtitle.Cue{Start: 10.733, End: 14.066, First: 13, Last: 16, Text: "at a busy bus stop or anywhere else for that matter."}},
		{"text/example.ssa", 6,
			subtitle.Cue{Start: 99, End: 101.04, First: 26, Last: 26, Text: "(deep rumbling)", Speaker: "Cher"},
			subtitle.Cue{Start: 151.4, End: 153.44, First: 32, Last: 32, Text: "(computer playing electronic melody)", Speaker: "autre"}},
		{"maps/podcast-transcript.json", 5,
			subtitle.Cue{Start: 0.5, End: 0.75, First: 4, Last: 9, Text: "I", Speaker: "Darth Vader"},
			subtitle.Cue{Start: 2.75, End: 3, First: 28, Last: 33, Text: "Nooooo", Speaker: "Luke"}},
	} {
		compareCues(t, sharedtest.Corpus(t, test.file), test)
	}
}

func compareCues(t *testing.T, path string, test corpusFile) {
	t.Helper()
	src, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	cues, err := subtitle.Parse("x", src)
	if err != nil || len(cues) == 0 {
		t.Errorf("%s: %d cues, %v", test.file, len(cues), err)
		return
	}
	if len(cues) != test.count {
		t.Errorf("%s: %d cues, want %d", test.file, len(cues), test.count)
	}
	if diff := cmp.Diff([]subtitle.Cue{test.first, test.last}, []subtitle.Cue{cues[0], cues[len(cues)-1]}); diff != "" {
		t.Errorf("%s (-want +got):\n%s", test.file, diff)
	}
}
