package subtitle_test

import (
	"bytes"
	"errors"
	"math"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/modality/internal/subtitle"
)

func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"1\n00:00:01,500 --> 00:00:02,000\n<i>One</i> {\\an8}\n\n2\n00:00:03 --> 00:00:04\n1984\n",
		"WEBVTT\n\nNOTE x\n\nid\n00:01.500 --> 100:00:02.000 align:start\n<v Ann>Hi &amp;\n\n",
		"[Script Info]\r\n[Events]\r\nFormat: Layer, Start, End, Text\r\nDialogue: 0,0:00:01.50,0:00:02.00,{\\p1}m{\\p0}a,\\Nb\r\n",
		`{"segments": [{"startTime": 1e3, "endTime": -2, "body": "One"},` + "\r" + `{"start": 1, "end": 2, "text": "x"}]}`,
		"\ufeff1\r00:00:01,000 --> 00:00:02,000\rOne\r",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, src string) {
		for _, name := range []string{"", "a.srt", "a.vtt", "a.ass"} {
			cues, err := subtitle.Parse(name, []byte(src))
			if err != nil {
				if !errors.Is(err, citekit.ErrFormat) {
					t.Fatal(err)
				}
				continue
			}
			last := bytes.Count([]byte(src), []byte("\n")) + bytes.Count([]byte(src), []byte("\r")) + 1
			checkCues(t, cues, last)
			checkSegments(t, cues, subtitle.Gather(cues))
			sorted := subtitle.ByTime(cues)
			checkSegments(t, sorted, subtitle.Gather(sorted))
		}
	})
}

// checkCues checks that cues have words, times and lines up to last, in order.
func checkCues(t *testing.T, cues []subtitle.Cue, last int) {
	t.Helper()
	before := 1
	for _, c := range cues {
		if c.First < before || c.Last < c.First || c.Last > last || c.Text == "" {
			t.Fatalf("%+v after line %d of %d", c, before, last)
		}
		if c.Start < 0 || c.End < c.Start || math.IsNaN(c.Start) || math.IsInf(c.End, 0) {
			t.Fatalf("%+v", c)
		}
		before = c.First
	}
}

// checkSegments checks that the segments are the cues, in their order.
func checkSegments(t *testing.T, cues []subtitle.Cue, segments []subtitle.Segment) {
	t.Helper()
	for _, s := range segments {
		if len(s.Cues) == 0 || len(s.Title) > 100 || s.Start() > s.End() || s.First() > s.Last() || s.Text() == "" {
			t.Fatalf("%+v", s)
		}
		for _, c := range s.Cues {
			if c != cues[0] {
				t.Fatalf("%+v, want %+v", c, cues[0])
			}
			cues = cues[1:]
		}
	}
	if len(cues) > 0 {
		t.Fatalf("%d cues in no segment", len(cues))
	}
}
