package subtitle_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/citekit/citekit/modality/internal/subtitle"
)

// speech returns n cues of so many seconds, each a line, without a pause.
func speech(n int, seconds float64, text string) []subtitle.Cue {
	cues := make([]subtitle.Cue, n)
	for i := range cues {
		at := float64(i) * seconds
		cues[i] = subtitle.Cue{Start: at, End: at + seconds, First: i + 1, Last: i + 1, Text: text}
	}
	return cues
}

func after(cues []subtitle.Cue, seconds float64) []subtitle.Cue {
	for i := range cues {
		cues[i].Start += seconds
		cues[i].End += seconds
	}
	return cues
}

func TestGather(t *testing.T) {
	sentences := speech(60, 3, "and so")
	sentences[20].Text, sentences[38].Text = "on.", `on."`
	for _, test := range []struct {
		name string
		cues []subtitle.Cue
		want []int // cues of each segment
	}{
		{"none", nil, nil},
		{"one", speech(1, 1, "x"), []int{1}},
		{"one long", speech(2, 500, "x"), []int{1, 1}},
		{"pause after much", append(speech(10, 2.5, "x"), after(speech(3, 1, "y"), 27)...), []int{10, 3}},
		{"pause after little", append(speech(4, 2.5, "x"), after(speech(3, 1, "y"), 12)...), []int{7}},
		{"long pause", append(speech(1, 2.5, "x"), after(speech(3, 1, "y"), 40)...), []int{1, 3}},
		{"sentences", sentences, []int{39, 21}},
		{"jump back", append(after(speech(4, 2, "x"), 100), speech(4, 2, "y")...), []int{4, 4}},
		{"no time", speech(1000, 0, "x"), []int{400, 400, 200}},
	} {
		var got []int
		for _, s := range subtitle.Gather(test.cues) {
			got = append(got, len(s.Cues))
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}

func TestSegment(t *testing.T) {
	s := subtitle.Gather([]subtitle.Cue{
		{Start: 5, End: 9, First: 3, Last: 4, Text: "First of"},
		{Start: 4, End: 6, First: 6, Last: 8, Text: "all. Then more"},
	})
	if len(s) != 1 || s[0].Start() != 4 || s[0].End() != 9 || s[0].First() != 3 || s[0].Last() != 8 {
		t.Fatalf("%+v", s)
	}
	if s[0].Title != "First of all." || s[0].Text() != "First of all. Then more" {
		t.Errorf("%q, %q", s[0].Title, s[0].Text())
	}
	if got := subtitle.ByTime(s[0].Cues); got[0].Start != 4 || s[0].Cues[0].Start != 5 {
		t.Errorf("%+v of %+v", got, s[0].Cues)
	}
}
