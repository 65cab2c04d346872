package main

import (
	"math"
	"slices"
	"strings"
	"testing"
)

func TestPlainWords(t *testing.T) {
	got := plainWords("It's 3.5 km; 東京タワーのGPS, 中")
	want := []string{"it", "s", "3", "5", "km", "東京", "京タ", "タワ", "ワー", "ーの", "gps", "中"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, not %q", got, want)
	}
}

func TestPlainRanking(t *testing.T) {
	r := &plainRanking{postings: make(map[string][]posting)}
	for i, text := range []string{"the cat and the dog", "the dog", "the heron", "the bird and the bee and the bear"} {
		r.add(unit{span: span{int64(i), int64(i + 1)}}, text)
	}
	var got []int64
	for _, u := range r.rank("the dog", 3) {
		got = append(got, u.span.from)
	}
	// The rare word counts most, and of two texts that have it once the shorter one. A
	// common word that stands there three times counts more than once in a short text.
	if !slices.Equal(got, []int64{1, 0, 3}) {
		t.Errorf("the order is %v", got)
	}
}

func TestShares(t *testing.T) {
	r := &plainRanking{postings: make(map[string][]posting)}
	for range 30 {
		r.add(unit{file: "other.txt"}, "a common text")
	}
	r.add(unit{file: "right.txt"}, "a rare text")
	right := func(u unit) bool { return u.file == "right.txt" }
	for question, want := range map[string]bool{"how rare?": true, "a text?": false, "a common one?": false, "unheard of": false} {
		if got := r.shares(question, right); got != want {
			t.Errorf("%q shares a rare word: %t", question, got)
		}
	}
}

func TestCues(t *testing.T) {
	text := strings.Repeat("ten words ", 20)
	vtt := cues(text)
	if !strings.HasPrefix(vtt, "WEBVTT\n\n00:00:00.000 --> 00:00:04.666\n") {
		t.Errorf("the cues begin %.60q", vtt)
	}
	// 200 characters at 15 a second; the last second counts as a whole one.
	if end := lastCue([]byte(vtt)); end != 14 {
		t.Errorf("the last cue ends at %v s", end)
	}
	s := newSource(nil, vtt)
	if strings.TrimSpace(s.text) != "WEBVTT "+strings.TrimSpace(text) {
		t.Errorf("the text is %q", s.text)
	}
}

func TestJudge(t *testing.T) {
	const text = "one two\nthree  four five six"
	r := &room{texts: map[string]*source{"a.txt": newSource(nil, text)}}
	q := &question{Text: "?", Places: []place{
		{File: "a.txt", Text: "three four", Grade: 2},
		{File: "a.txt", Text: "six", Grade: 1},
	}}
	at := func(part string) hit {
		i := int64(strings.Index(text, part))
		return hit{"a.txt", []span{{i, i + int64(len(part))}}}
	}
	for _, c := range []struct {
		name string
		hits []hit
		rank int
		ndcg float64
	}{
		{"none", nil, 0, 0},
		{"another file", []hit{{"b.txt", at("three").spans}}, 0, 0},
		{"beside", []hit{at("one two"), at("five")}, 0, 0},
		{"best", []hit{at("two\nthree"), at("six")}, 1, 1},
		{"the same place twice", []hit{at("three"), at("four"), at("six")}, 1, (3 + 1/math.Log2(4)) / (3 + 1/math.Log2(3))},
		{"the wrong order", []hit{at("one"), at("six"), at("four")}, 2, (1/math.Log2(3) + 3/math.Log2(4)) / (3 + 1/math.Log2(3))},
	} {
		if o := r.judge(q, c.hits); o.rank != c.rank || math.Abs(o.ndcg-c.ndcg) > 1e-9 {
			t.Errorf("%s: rank %d, nDCG %.3f; not %d, %.3f", c.name, o.rank, o.ndcg, c.rank, c.ndcg)
		}
	}
}

func TestPlainly(t *testing.T) {
	for text, want := range map[string]string{
		`What does "kill -9" do?`: "What does kill 9 do",
		"no sign in it?":          "",
	} {
		got, other := (&question{Text: text}).plainly()
		if other != (want != "") || other && got != want {
			t.Errorf("%q: %q, %t", text, got, other)
		}
	}
	if got, other := (&question{Text: "long", Short: "short"}).plainly(); got != "short" || !other {
		t.Errorf("a long question: %q, %t", got, other)
	}
}
