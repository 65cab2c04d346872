package speech

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/plain"
	"github.com/citekit/citekit/modality/internal/subtitle"
)

// Limits of what a recogniser says of one piece.
const (
	MaxOutput = 8 << 20 // bytes
	mostCues  = 20_000
	mostWords = 100_000
)

// Parse reads the output of a recogniser: SubRip, WebVTT, the JSON of whisper,
// whisper.cpp, vosk, vosk-transcriber and pocketsphinx, that of an OpenAI server ("verbose_json"), or the
// words and times of pocketsphinx_continuous. Times are as written there, and may be
// wrong. Output of white space alone is of a piece without speech.
//
// Errors match [citekit.ErrFormat], or [citekit.ErrTooLarge] above a limit.
func Parse(output []byte) (cues []Cue, err error) {
	if len(output) > MaxOutput {
		return nil, fmt.Errorf("the recogniser wrote more than %d MiB: %w", MaxOutput>>20, citekit.ErrTooLarge)
	}
	output = bytes.TrimSpace(bytes.TrimPrefix(output, []byte("\ufeff")))
	switch {
	case len(output) == 0, bytes.Equal(output, []byte("WEBVTT")):
		return nil, nil
	case output[0] == '{':
		cues, err = parseJSON(output)
	case isSphinx(output):
		cues = parseSphinx(output)
	default:
		var found []subtitle.Cue
		found, err = subtitle.Parse("", output)
		for _, c := range found[:min(len(found), mostCues+1)] {
			cues = append(cues, Cue{Start: c.Start, End: c.End, Text: c.Text, Speaker: c.Speaker})
		}
	}
	if errors.Is(err, citekit.ErrFormat) {
		err = fmt.Errorf("the recogniser wrote neither SRT, WebVTT nor JSON with times; see its profile: %w", citekit.ErrFormat)
	}
	if err != nil {
		return nil, err
	}
	cues = slices.DeleteFunc(cues, func(c Cue) bool { return c.Text == "" })
	words := 0
	for _, c := range cues {
		words += len(c.Words)
	}
	if len(cues) > mostCues || words > mostWords {
		return nil, fmt.Errorf("the recogniser wrote %d cues and %d words for one piece; at most %d and %d: %w", len(cues), words, mostCues, mostWords, citekit.ErrTooLarge)
	}
	return cues, nil
}

// A number is a time; not a number if it is missing or none.
type number float64

// UnmarshalJSON implements [json.Unmarshaler].
func (n *number) UnmarshalJSON(b []byte) error {
	v, err := strconv.ParseFloat(string(b), 64)
	if err != nil {
		v = math.NaN()
	}
	*n = number(v)
	return nil
}

// A timed is a segment or a word, with the names of whisper and vosk, of pocketsphinx
// (b, d, t) and of whisper.cpp (offsets, in milliseconds).
type timed struct {
	Start   *number `json:"start"`
	End     *number `json:"end"`
	Text    string  `json:"text"`
	Word    string  `json:"word"`
	Speaker string  `json:"speaker"`
	Words   []timed `json:"words"`

	B *number `json:"b"`
	D *number `json:"d"`
	T string  `json:"t"`
	W []timed `json:"w"`

	Offsets *struct {
		From *number `json:"from"`
		To   *number `json:"to"`
	} `json:"offsets"`
	Tokens json.RawMessage `json:"tokens"` // of whisper they are numbers
}

func (t timed) times() (start, end float64) {
	value := func(n *number) float64 {
		if n == nil {
			return math.NaN()
		}
		return float64(*n)
	}
	switch {
	case t.Offsets != nil:
		return value(t.Offsets.From) / 1000, value(t.Offsets.To) / 1000
	case t.B != nil:
		return value(t.B), value(t.B) + value(t.D)
	}
	return value(t.Start), value(t.End)
}

// An answer is one JSON value of a recogniser.
type answer struct {
	timed                         // of pocketsphinx, an utterance
	Segments      []timed         `json:"segments"`
	Transcription []timed         `json:"transcription"` // of whisper.cpp
	Result        json.RawMessage `json:"result"`        // of vosk, words
	Monologues    []struct {      // of vosk-transcriber
		Terms []timed `json:"terms"`
	} `json:"monologues"`
	Text  json.RawMessage `json:"text"`  // of all
	Words []timed         `json:"words"` // of an OpenAI server, those of all segments
}

func parseJSON(output []byte) ([]Cue, error) {
	var cues []Cue
	known := false
	for d := json.NewDecoder(bytes.NewReader(withoutNaN(output))); ; {
		var a answer
		err := d.Decode(&a)
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, citekit.ErrFormat
		}
		var words []timed
		if json.Unmarshal(a.Result, &words) != nil {
			words = nil
		}
		known = known || a.Segments != nil || a.Transcription != nil || words != nil || a.W != nil || len(a.Text) > 0
		for _, s := range slices.Concat(a.Segments, a.Transcription) {
			cues = append(cues, cueOf(s))
		}
		for _, m := range a.Monologues {
			cues = append(cues, cueOf(timed{Words: m.Terms}))
		}
		switch {
		case len(words) > 0:
			cues = append(cues, cueOf(timed{Words: words}))
		case len(a.W) > 0:
			cues = append(cues, cueOf(timed{Words: a.W}))
		case len(cues) == 0 && len(a.Words) > 0:
			cues = append(cues, cueOf(timed{Words: a.Words}))
		case len(a.Words) > 0:
			share(cues, a.Words)
		}
	}
	if !known {
		return nil, citekit.ErrFormat
	}
	return cues, nil
}

// blankAudio is what whisper.cpp writes where nothing is said.
const blankAudio = "[BLANK_AUDIO]"

// cueOf returns a segment as a cue; its text is "" if nothing is said in it.
func cueOf(s timed) Cue {
	c := Cue{Text: plain.Line(s.Text), Speaker: plain.Line(s.Speaker)}
	if c.Text == blankAudio {
		return Cue{}
	}
	c.Start, c.End = s.times()
	words := wordsOf(s.Words)
	if s.Offsets != nil && len(s.Tokens) > 0 {
		var tokens []timed
		if json.Unmarshal(s.Tokens, &tokens) == nil {
			words = wordsOf(tokens)
		}
	}
	if c.Text == "" && len(words) > 0 {
		c = c.of(words)
		c.End = words[len(words)-1].End
		return c
	}
	c.Words = align(strings.Fields(c.Text), words)
	return c
}

func wordsOf(all []timed) (words []Word) {
	for _, t := range all {
		w := Word{Text: plain.Line(t.Word + t.Text + withoutVariant(t.T))}
		w.Start, w.End = t.times()
		if isSpoken(w.Text) {
			words = append(words, w)
		}
	}
	return words
}

// isSpoken reports whether a word is none of the marks of pocketsphinx.
func isSpoken(word string) bool {
	return word != "" && word != "<s>" && word != "</s>" && word != "<sil>" &&
		!(strings.HasPrefix(word, "[") && strings.HasSuffix(word, "]")) && !strings.HasPrefix(word, "++")
}

// align joins parts of words to the words of a text. It returns nil if they are others.
func align(text []string, parts []Word) []Word {
	words := make([]Word, 0, len(text))
	for _, whole := range text {
		var w Word
		for w.Text != whole {
			if len(parts) == 0 || !strings.HasPrefix(whole, w.Text+parts[0].Text) {
				return nil
			}
			if w.Text == "" {
				w.Start = parts[0].Start
			}
			w.Text, w.End, parts = w.Text+parts[0].Text, parts[0].End, parts[1:]
		}
		words = append(words, w)
	}
	if len(parts) > 0 {
		return nil
	}
	return words
}

// share gives each cue those of the words that are in it.
func share(cues []Cue, all []timed) {
	words := wordsOf(all)
	for i := range cues {
		n := 0
		for n < len(words) && (words[n].Start+words[n].End)/2 < cues[i].End {
			n++
		}
		// Servers leave the punctuation out of words.
		fields := strings.Fields(cues[i].Text)
		if len(fields) == n {
			for k, w := range words[:n] {
				if folded(fields[k]) != folded(w.Text) {
					fields = nil
					break
				}
			}
			for k, f := range fields {
				cues[i].Words = append(cues[i].Words, Word{words[k].Start, words[k].End, f})
			}
		}
		words = words[n:]
	}
}

// withoutNaN writes null for what Python writes as JSON although it is none.
func withoutNaN(b []byte) []byte {
	if !bytes.Contains(b, []byte("NaN")) && !bytes.Contains(b, []byte("Infinity")) {
		return b
	}
	out := make([]byte, 0, len(b))
	for i, quoted := 0, false; i < len(b); i++ {
		if !quoted {
			for _, wrong := range []string{"NaN", "-Infinity", "Infinity"} {
				if bytes.HasPrefix(b[i:], []byte(wrong)) {
					out = append(out, "null"...)
					i += len(wrong)
					break
				}
			}
			if i == len(b) {
				break
			}
		}
		switch {
		case b[i] == '"':
			quoted = !quoted
		case b[i] == '\\' && quoted && i+1 < len(b):
			out = append(out, b[i])
			i++
		}
		out = append(out, b[i])
	}
	return out
}

// isSphinx reports whether a line is as pocketsphinx_continuous writes the start of an
// utterance, or a silence.
func isSphinx(output []byte) bool {
	for line := range bytes.Lines(output[:min(len(output), 64<<10)]) {
		if w, ok := sphinxWord(string(line)); ok && (w.Text == "<s>" || w.Text == "<sil>") {
			return true
		}
	}
	return false
}

// sphinxWord reads a word with its times and its probability.
func sphinxWord(line string) (w Word, ok bool) {
	fields := strings.Fields(line)
	if len(fields) != 4 {
		return w, false
	}
	var err [3]error
	w.Start, err[0] = strconv.ParseFloat(fields[1], 64)
	w.End, err[1] = strconv.ParseFloat(fields[2], 64)
	_, err[2] = strconv.ParseFloat(fields[3], 64)
	w.Text = withoutVariant(fields[0])
	return w, errors.Join(err[:]...) == nil
}

// withoutVariant returns a word of pocketsphinx without the number of another way to say
// it, as in "was(2)".
func withoutVariant(word string) string {
	if strings.HasSuffix(word, ")") {
		word, _, _ = strings.Cut(word, "(")
	}
	return word
}

func parseSphinx(output []byte) (cues []Cue) {
	var words []Word
	end := func() {
		if len(words) > 0 {
			cues = append(cues, cueOfWords(words))
		}
		words = nil
	}
	for line := range bytes.Lines(output) {
		switch w, ok := sphinxWord(string(line)); {
		case !ok:
			end()
		case isSpoken(w.Text):
			w.Text = plain.Line(w.Text)
			words = append(words, w)
		}
	}
	end()
	return cues
}

func cueOfWords(words []Word) Cue {
	c := Cue{}.of(words)
	c.End = words[len(words)-1].End
	return c
}
