package speech

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/test/sharedtest"
)

// outputs are what recognisers write of the words "so far", from .5 to 1.5 s.
var outputs = map[string]string{
	"srt":            "1\n00:00:00,500 --> 00:00:01,500\nso far\n",
	"vtt":            "WEBVTT\n\n00:00.500 --> 00:01.500\nso far\n",
	"openai-whisper": `{"text": " so far", "segments": [{"id": 0, "seek": 0, "start": 0.5, "end": 1.5, "text": " so far", "tokens": [50364, 370], "avg_logprob": NaN, "words": [{"word": " so", "start": 0.5, "end": 0.9, "probability": 0.9}, {"word": " far", "start": 0.9, "end": 1.5}]}], "language": "en"}`,
	"whisper.cpp":    `{"systeminfo": "AVX", "model": {"type": "base"}, "params": {"model": "/home/other/ggml.bin"}, "result": {"language": "en"}, "transcription": [{"timestamps": {"from": "00:00:00,500", "to": "00:00:01,500"}, "offsets": {"from": 500, "to": 1500}, "text": " so far", "tokens": [{"text": "[_BEG_]", "offsets": {"from": 0, "to": 0}, "id": 1}, {"text": " so", "offsets": {"from": 500, "to": 900}}, {"text": " f", "offsets": {"from": 900, "to": 1200}}, {"text": "ar", "offsets": {"from": 1200, "to": 1500}}]}]}`,
	"vosk":           "{\n  \"result\" : [{\"conf\" : 1.0, \"end\" : 0.9, \"start\" : 0.5, \"word\" : \"so\"}, {\"conf\" : 0.8, \"end\" : 1.5, \"start\" : 0.9, \"word\" : \"far\"}],\n  \"text\" : \"so far\"\n}\n{\"text\": \"\"}\n",
	"server":         `{"task": "transcribe", "duration": 3, "text": "So far.", "words": [{"word": "so", "start": 0.5, "end": 0.9}, {"word": "far", "start": 0.9, "end": 1.5}], "segments": [{"start": 0.5, "end": 1.5, "text": " So far."}]}`,
	"vosk program":   `{"schemaVersion": "2.0", "monologues": [{"speaker": {"id": "unknown", "name": null}, "start": 0.5, "end": 1.5, "terms": [{"confidence": 1.0, "start": 0.5, "end": 0.9, "text": "so", "type": "WORD"}, {"confidence": 0.8, "start": 0.9, "end": 1.5, "text": "far", "type": "WORD"}]}], "text": ["so far"]}`,
	"sphinx":         "so far\n<s> 0.000 0.490 1.000000\nso 0.500 0.900 0.599500\n<sil> 0.900 0.900 0.9\nfar(2) 0.900 1.500 0.990445\n</s> 1.600 2.020 1.000000\n",
	"sphinx grammar": "so far\nso 0.500 0.900 1.000000\n<sil> 0.900 0.900 1.000000\n(NULL) 0.900 0.900 1.000000\nfar 0.900 1.500 1.000000\n",
	"pocketsphinx": `{"b":0.5,"d":1.0,"p":1.0,"t":"so far","w":[{"b":0.4,"d":0.1,"p":1,"t":"<s>"},{"b":0.5,"d":0.4,"p":1,"t":"so"},{"b":0.9,"d":0.6,"p":1,"t":"far(2)"}]}
{"b":1.6,"d":0.1,"p":1.0,"t":"","w":[{"b":1.6,"d":0.1,"p":1,"t":"</s>"}]}`,
}

func TestParse(t *testing.T) {
	for name, output := range outputs {
		cues, err := Parse([]byte(output))
		if err != nil || len(cues) != 1 {
			t.Errorf("%s: %+v, %v", name, cues, err)
			continue
		}
		c := cues[0]
		if text := strings.ToLower(strings.TrimSuffix(c.Text, ".")); text != "so far" || c.Start != .5 || math.Abs(c.End-1.5) > 1e-9 {
			t.Errorf("%s: %+v", name, c)
		}
		timed := name != "srt" && name != "vtt"
		if timed != (len(c.Words) == 2) || timed && (c.Words[1].Start != .9 || math.Abs(c.Words[1].End-1.5) > 1e-9) {
			t.Errorf("%s: words %+v", name, c.Words)
		}
	}
	for _, silence := range []string{"", " \n", "WEBVTT\n", `{"text": "", "segments": []}`, `{"text": ""}`, `{"result": {}, "transcription": []}`, `{"schemaVersion": "2.0", "monologues": [], "text": []}`, `{"transcription": [{"offsets": {"from": 0, "to": 9000}, "text": " [BLANK_AUDIO]"}]}`} {
		if cues, err := Parse([]byte(silence)); len(cues) > 0 || err != nil {
			t.Errorf("%q: %+v, %v", silence, cues, err)
		}
	}
	for _, wrong := range []string{"so far", "/home/other/secret.txt", "{", `{"model": "/etc"}`, `{"segments": [`, "usage: whisper [-h]"} {
		if cues, err := Parse([]byte(wrong)); !errors.Is(err, citekit.ErrFormat) {
			t.Errorf("%q: %+v, %v", wrong, cues, err)
		}
	}
	many := strings.Repeat(`{"start":1,"end":2,"text":"a"},`, mostCues+1)
	for _, large := range []string{strings.Repeat("a", MaxOutput+1), `{"segments":[` + strings.TrimSuffix(many, ",") + `]}`} {
		if _, err := Parse([]byte(large)); !errors.Is(err, citekit.ErrTooLarge) {
			t.Errorf("%d bytes: %v", len(large), err)
		}
	}
}

// TestWrongTimes gives cues of a sound of ten seconds.
func TestWrongTimes(t *testing.T) {
	for output, want := range map[string]string{
		`{"start": 1, "end": 2, "text": "a"}`:         "1-2",
		`{"start": -0.4, "end": 2, "text": "a"}`:      "0-2",
		`{"start": 9, "end": 30, "text": "a"}`:        "9-10",
		`{"start": 2, "end": 2, "text": "a"}`:         "2-2.02",
		`{"start": 5, "end": 2, "text": "a"}`:         backwards,
		`{"start": -7, "end": 2, "text": "a"}`:        outside,
		`{"start": 10, "end": 11, "text": "a"}`:       outside,
		`{"start": 1e300, "end": 2e300, "text": "a"}`: outside,
		`{"start": NaN, "end": 2, "text": "a"}`:       withoutTimes,
		`{"start": 1, "end": Infinity, "text": "a"}`:  withoutTimes,
		`{"start": "x", "end": 2, "text": "a"}`:       withoutTimes,
		`{"text": "a"}`:                               withoutTimes,
		`{"start": 1, "end": 2, "text": "a b", "words": [{"start": 1, "end": 2, "word": "a"}, {"start": -90, "end": 1, "word": "b"}]}`: wordTimes,
	} {
		cues, err := Parse([]byte(`{"segments": [` + output + `]}`))
		if err != nil {
			t.Errorf("%s: %v", output, err)
			continue
		}
		refused := make(map[string]int)
		got := ""
		for _, c := range check(cues, 10, refused) {
			got = fmt.Sprintf("%g-%g", c.Start, c.End)
		}
		for why := range refused {
			got = why
		}
		if got != want {
			t.Errorf("%s: %s, want %s", output, got, want)
		}
	}
}

// sound writes seconds of it: loud where talk says so.
func sound(w io.Writer, length float64, talk func(at float64) bool) error {
	buf := make([]byte, 0, 2*Rate)
	for i := range int(length * Rate) {
		v := int16(0)
		if talk(float64(i) / Rate) {
			v = int16(8000 * math.Sin(float64(i)/5))
		}
		buf = binary.LittleEndian.AppendUint16(buf, uint16(v))
		if len(buf) == cap(buf) {
			if _, err := w.Write(buf[:Rate-1]); err != nil { // not at a sample
				return err
			}
			if _, err := w.Write(buf[Rate-1:]); err != nil {
				return err
			}
			buf = buf[:0]
		}
	}
	_, err := w.Write(buf)
	return err
}

func TestCut(t *testing.T) {
	pieces := func(length float64, talk func(float64) bool) []Piece {
		c := newCutter(io.Discard, Cutting{Most: 20 * Rate, Overlap: Rate})
		if err := sound(c, length, talk); err != nil {
			t.Fatal(err)
		}
		return c.finish()
	}
	talks := func(at float64) bool { return math.Mod(at, 4) < 3 }
	for name, talk := range map[string]func(float64) bool{
		"pauses": talks, "none": func(float64) bool { return true }, "silence": func(float64) bool { return false },
	} {
		all := pieces(100.3, talk)
		at := int64(0)
		for i, p := range all {
			if p.Begin != at || p.End <= p.Begin || p.From > p.Begin || p.To < p.End || p.To-p.From > 20*Rate || p.Silent != (name == "silence") {
				t.Errorf("%s: piece %d is %+v", name, i, p)
			}
			if cut := seconds(p.End); name == "pauses" && i < len(all)-1 && talks(cut) {
				t.Errorf("%s: cut at %v", name, cut)
			}
			if i > 0 && (p.Begin-p.From != Rate || all[i-1].To-all[i-1].End != Rate) {
				t.Errorf("%s: no overlap at %+v", name, p)
			}
			at = p.End
		}
		if at != int64(100.3*Rate) || len(all) < 5 {
			t.Errorf("%s: %d pieces up to %d", name, len(all), at)
		}
	}
	if all := pieces(0, nil); len(all) != 0 {
		t.Errorf("of nothing: %+v", all)
	}
}

// speaker is a recogniser that knows what is said: word number i from i*pace to
// (i+.8)*pace. What it says of a piece has times that are a little wrong.
type speaker struct {
	pace  float64
	words bool // with times of words
	wrong func() float64
}

// hears returns what is heard of a part of the sound, all words that begin in it.
func (s speaker) hears(from, to float64) []byte {
	var segments []Cue
	for i := int(math.Ceil(from / s.pace)); float64(i)*s.pace < to; i++ {
		start := max(float64(i)*s.pace-from+s.wrong(), 0)
		w := Word{start, start + .8*s.pace, "w" + fmt.Sprint(i)}
		if n := len(segments); n > 0 && i%5 != 0 {
			c := &segments[n-1]
			c.End, c.Text, c.Words = max(c.End, w.End), c.Text+" "+w.Text, append(c.Words, w)
			continue
		}
		segments = append(segments, Cue{Start: w.Start, End: w.End, Text: w.Text, Words: []Word{w}})
	}
	if !s.words {
		for i := range segments {
			segments[i].Words = nil
		}
	}
	data, _ := json.Marshal(map[string]any{"segments": segments})
	return data
}

// TestJoin joins pieces that share words, cut in the middle of talk: each word is there
// once, in order, and near its time.
func TestJoin(t *testing.T) {
	random := sharedtest.Rand(t)
	for _, words := range []bool{true, false} {
		for range 200 {
			s := speaker{pace: .2 + random.Float64()/2, words: words, wrong: func() float64 { return (random.Float64() - .5) / 5 }}
			const length = 60.
			var all []Cue
			refused := make(map[string]int)
			for begin := 0.; begin < length; {
				end := min(begin+5+10*random.Float64(), length)
				from, to := max(begin-2, 0), min(end+2, length)
				found, err := Parse(s.hears(from, to))
				if err != nil {
					t.Fatal(err)
				}
				cues := check(found, to-from, refused)
				for i := range cues {
					cues[i].move(from)
				}
				all = join(all, cues, begin)
				begin = end
			}
			next := 0
			for _, c := range all {
				for i, w := range strings.Fields(c.Text) {
					if w != "w"+fmt.Sprint(next) {
						t.Fatalf("words %v, pace %v: %s where word %d is: %+v", words, s.pace, w, next, all)
					}
					at := c.Start
					if words {
						at = c.Words[i].Start
					} else if i > 0 {
						at = float64(next) * s.pace
					}
					if math.Abs(at-float64(next)*s.pace) > .3 {
						t.Errorf("words %v: %s is at %v, said at %v", words, w, at, float64(next)*s.pace)
					}
					next++
				}
			}
			if want := int(math.Ceil(length / s.pace)); next < want-1 {
				t.Fatalf("words %v, pace %v: %d words of %d", words, s.pace, next, want)
			}
		}
	}
}

// job transcribes 100 s of talk in pieces of 20 s.
func job(kept *[]byte, recognise func(piece int, wav []byte) ([]byte, error)) Job {
	n := 0
	return Job{
		Cutting: Cutting{Most: 20 * Rate, Overlap: Rate},
		Decode: func(_ context.Context, w io.Writer) error {
			return sound(w, 100, func(at float64) bool { return math.Mod(at, 7) < 6 && (at < 40 || at > 75) })
		},
		Recognise: func(_ context.Context, wav string) ([]byte, error) {
			data, err := os.ReadFile(wav)
			if err != nil {
				return nil, err
			}
			n++
			return recognise(n, data)
		},
		Keep: func(_ context.Context, state []byte) ([]byte, error) {
			if state != nil {
				*kept = slices.Clone(state)
			}
			return *kept, nil
		},
	}
}

// TestRun is interrupted after each piece, and does none twice.
func TestRun(t *testing.T) {
	var kept []byte
	calls, gone := 0, errors.New("gone")
	var transcript []byte
	for done := false; !done; {
		before := calls
		var err error
		transcript, err = job(&kept, func(piece int, wav []byte) ([]byte, error) {
			if string(wav[:4]) != "RIFF" || len(wav)-44 != int(binary.LittleEndian.Uint32(wav[40:])) || len(wav) > 20*Rate*2+44 {
				t.Errorf("a sound of %d bytes that begins with %q", len(wav), wav[:44])
			}
			if piece > 1 {
				return nil, gone
			}
			calls++
			return fmt.Appendf(nil, `{"segments": [{"start": 3, "end": 4, "text": "piece %d"}]}`, calls), nil
		}).Run(t.Context())
		done = err == nil
		if !done && !errors.Is(err, gone) || calls == before {
			t.Fatalf("after %d pieces: %v", calls, err)
		}
	}
	cues, ok := Read(transcript)
	if !ok || len(cues) != calls || cues[calls-1].Text != fmt.Sprintf("piece %d", calls) || calls < 4 {
		t.Errorf("%d pieces: %s", calls, transcript)
	}
	again, err := job(&kept, func(int, []byte) ([]byte, error) { return nil, gone }).Run(t.Context())
	if err != nil || string(again) != string(transcript) {
		t.Errorf("again: %s, %v", again, err)
	}
	if !strings.Contains(string(transcript), `"transcribed":true`) {
		t.Errorf("it does not say that it is transcribed: %.200s", transcript)
	}
}

// TestHostile gives output that is wrong in all pieces, or in one cue.
func TestHostile(t *testing.T) {
	for output, want := range map[string]error{
		`{"segments": [{"start": 500, "end": 501, "text": "late"}]}`: citekit.ErrFormat,
		`{"segments": [{"start": 3, "end": 1, "text": "back"}]}`:     citekit.ErrFormat,
		`/home/other/talk.wav`: citekit.ErrFormat,
		`{"segments": [{"start": 3, "end": 1, "text": "back"}, {"start": 4, "end": 5, "text": "right"}]}`:        nil,
		`{"segments": [{"start": 4, "end": 5, "text": "right"}, {"start": 4, "end": 500000, "text": "longer"}]}`: nil,
	} {
		var kept []byte
		transcript, err := job(&kept, func(int, []byte) ([]byte, error) { return []byte(output), nil }).Run(t.Context())
		if !errors.Is(err, want) || want != nil && strings.Contains(err.Error(), "other") {
			t.Errorf("%s: %v", output, err)
			continue
		}
		cues, ok := Read(transcript)
		for _, c := range cues {
			if c.Start < 0 || c.End > 100 || c.End <= c.Start {
				t.Errorf("%s: %+v", output, c)
			}
		}
		if ok != (want == nil) {
			t.Errorf("%s: %s", output, transcript)
		}
	}
}

func TestSplit(t *testing.T) {
	c := Cue{Start: 0, End: 60}
	for i := range 100 {
		w := Word{Start: float64(i) * .6, End: float64(i)*.6 + .5, Text: fmt.Sprint(i)}
		c.Words = append(c.Words, w)
	}
	c = c.of(c.Words)
	parts := c.split()
	next := 0
	for _, p := range parts {
		if p.End-p.Start > mostTime+1 {
			t.Errorf("a cue of %v s", p.End-p.Start)
		}
		for _, w := range strings.Fields(p.Text) {
			if w != fmt.Sprint(next) {
				t.Fatalf("%s where %d is", w, next)
			}
			next++
		}
	}
	if next != 100 || len(parts) < 5 {
		t.Errorf("%d words in %d cues", next, len(parts))
	}
}

// FuzzParse checks that whatever a recogniser writes gives cues within the sound, in order.
func FuzzParse(f *testing.F) {
	for _, output := range outputs {
		f.Add([]byte(output), []byte(output))
	}
	f.Add([]byte(`{"segments":[{"start":-1,"end":1e308,"text":"a\u0000b","words":[{"start":0,"end":0}]}]}`), []byte(`{"w":[{"b":1}]}{"result":[]}`))
	f.Fuzz(func(t *testing.T, first, second []byte) {
		const length, begin = 10., 8.
		refused := make(map[string]int)
		var all []Cue
		for i, output := range [][]byte{first, second} {
			found, err := Parse(output)
			if err != nil {
				continue
			}
			cues := check(found, length, refused)
			for k := range cues {
				cues[k].move(begin * float64(i))
			}
			all = join(all, cues, begin*float64(i))
		}
		for _, c := range all {
			for _, c := range c.split() {
				if c.Start < 0 || c.End > length+begin || c.End < c.Start || c.Text == "" || !c.placeWords() {
					t.Errorf("%+v", c)
				}
			}
		}
		if _, err := (state{Segments: all}).encode(); err != nil {
			t.Error(err)
		}
	})
}
