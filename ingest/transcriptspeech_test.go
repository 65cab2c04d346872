package ingest_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/ingest"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/mapper/llm"
)

// A word is one that is said, with its times in seconds.
type word struct {
	text       string
	start, end float64
}

// speak writes a WAV file in which espeak-ng says words, each alone and so at a known time.
func speak(t testing.TB, path string, words []string) (said []word) {
	t.Helper()
	const rate = 22050
	const gap = rate / 5
	var sound []int16
	for i, text := range words {
		file := filepath.Join(t.TempDir(), "word.wav")
		if out, err := exec.CommandContext(t.Context(), "espeak-ng", "-v", "en-us", "-s", "130", "-w", file, text).CombinedOutput(); err != nil {
			t.Fatalf("espeak-ng: %v: %s", err, out)
		}
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		samples := make([]int16, (len(data)-44)/2)
		for k := range samples {
			samples[k] = int16(binary.LittleEndian.Uint16(data[44+2*k:]))
		}
		first, last := 0, len(samples)-1 // without silence
		for first < last && math.Abs(float64(samples[first])) < 100 {
			first++
		}
		for last > first && math.Abs(float64(samples[last])) < 100 {
			last--
		}
		pause := gap
		if i%6 == 0 {
			pause = 5 * gap // between sentences
		}
		sound = append(sound, make([]int16, pause)...)
		at := len(sound)
		sound = append(sound, samples[first:last+1]...)
		said = append(said, word{text, float64(at) / rate, float64(len(sound)) / rate})
	}
	sound = append(sound, make([]int16, 5*gap)...)
	b := []byte("RIFF")
	b = binary.LittleEndian.AppendUint32(b, uint32(36+2*len(sound)))
	b = append(b, "WAVEfmt "...)
	for _, v := range []uint32{16, 1 | 1<<16, rate, 2 * rate, 2 | 16<<16} {
		b = binary.LittleEndian.AppendUint32(b, v)
	}
	b = binary.LittleEndian.AppendUint32(append(b, "data"...), uint32(2*len(sound)))
	for _, v := range sound {
		b = binary.LittleEndian.AppendUint16(b, uint16(v))
	}
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	return said
}

// TestSpeech has a real recogniser, which knows only these words, hear made speech: what it
// hears is at its time.
func TestSpeech(t *testing.T) {
	sharedtest.NotShort(t)
	sharedtest.Tool(t, "ffmpeg")
	sharedtest.Tool(t, "espeak-ng")
	sharedtest.Tool(t, "pocketsphinx_continuous")
	words := strings.Fields("one two three four five six seven eight nine ten open window morning water people never")
	dir, grammar := t.TempDir(), filepath.Join(t.TempDir(), "grammar")
	if err := os.WriteFile(grammar, []byte("#JSGF V1.0;\ngrammar words;\npublic <words> = ("+strings.Join(words, "|")+")+;\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	words = append(words, words...)
	said := speak(t, filepath.Join(dir, "talk.wav"), words)
	transcriber, err := llm.NewTranscriber("pocketsphinx", &llm.TranscriberOptions{Args: []string{"-jsgf", grammar}})
	if err != nil {
		t.Fatal(err)
	}
	lib := talks(t, dir)
	ingestTalks(t, lib, ingest.Options{Transcriber: transcriber})
	heard, right, farthest := 0, 0, 0.
	for run, err := range lib.ReadText(t.Context(), "talk", citekit.Location{}) {
		if err != nil {
			t.Fatal(err)
		}
		heard++
		for _, w := range said {
			if w.text == strings.TrimSpace(run.Text) && math.Abs(run.Location.Time.Start-w.start) < 2 {
				right++
				farthest = max(farthest, math.Abs(run.Location.Time.Start-w.start), math.Abs(run.Location.Time.End-w.end))
			}
		}
	}
	t.Logf("%d words said, %d heard, %d rightly, at most %.3f s off", len(said), heard, right, farthest)
	if right < len(said)*2/3 || farthest > .3 {
		t.Errorf("%d of %d words heard rightly, at most %v s off", right, len(said), farthest)
	}
}

// TestRecordedSpeech hears recordings of readers, with the texts they read: those of
// package pocketsphinx-testdata, with the usual model.
func TestRecordedSpeech(t *testing.T) {
	if !sharedtest.Long() {
		t.Skip("the model is loaded for each recording")
	}
	sharedtest.Tool(t, "ffmpeg")
	sharedtest.Tool(t, "pocketsphinx_continuous")
	const folder = "/usr/share/pocketsphinx/test/data/librivox"
	texts, err := os.ReadFile(filepath.Join(folder, "transcription"))
	if err != nil {
		sharedtest.Missing(t, "pocketsphinx-testdata is not installed")
		return
	}
	transcriber, err := llm.NewTranscriber("pocketsphinx", nil)
	if err != nil {
		t.Fatal(err)
	}
	dir, spoken := t.TempDir(), make(map[string][]string)
	for line := range strings.Lines(string(texts)) { // <s> he was not an ill disposed young man </s> (name)
		text, name, _ := strings.Cut(strings.TrimPrefix(line, "<s>"), "</s>")
		name = strings.Trim(name, " ()\n")
		data, err := os.ReadFile(filepath.Join(folder, name+".wav"))
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name+".wav"), data, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		spoken[name+".wav"] = strings.Fields(text)
	}
	lib := talks(t, dir)
	report := ingestTalks(t, lib, ingest.Options{Transcriber: transcriber})
	words, wrong, length := 0, 0, 0.
	for _, item := range report.Items {
		var heard []string
		m, err := lib.Map(t.Context(), item.ResourceID)
		if err != nil {
			t.Fatal(err)
		}
		end := m.Extent().Duration
		for run, err := range lib.ReadText(t.Context(), item.ResourceID, citekit.Location{}) {
			if err != nil || !run.Transcribed || run.Location.Time.Start < 0 || run.Location.Time.End > end {
				t.Fatalf("%s of %v s: %+v, %v", item.Path, end, run, err)
			}
			heard = append(heard, strings.Fields(run.Text)...)
		}
		words, wrong, length = words+len(spoken[item.Path]), wrong+distance(spoken[item.Path], heard), length+end
	}
	t.Logf("%d recordings, %.0f s: of %d words %d wrong, a rate of %.2f", len(report.Items), length, words, wrong, float64(wrong)/float64(words))
	if len(report.Items) != 5 || float64(wrong) > .4*float64(words) {
		t.Errorf("%d recordings: %d of %d words wrong", len(report.Items), wrong, words)
	}
}

// distance is how many words are to be added, left out or replaced.
func distance(a, b []string) int {
	row := make([]int, len(b)+1)
	for k := range row {
		row[k] = k
	}
	for i := range a {
		before := row[0]
		row[0] = i + 1
		for k := range b {
			cost := before
			if a[i] != b[k] {
				cost++
			}
			before = row[k+1]
			row[k+1] = min(cost, row[k]+1, before+1)
		}
	}
	return row[len(b)]
}

// TestLongSpeech transcribes two hours, and looks at the memory.
func TestLongSpeech(t *testing.T) {
	if !sharedtest.Long() {
		t.Skip("two hours of sound")
	}
	sharedtest.Tool(t, "ffmpeg")
	dir := t.TempDir()
	const length = 2 * 3600
	writeTalk(t, filepath.Join(dir, "talk.wav"), length)
	var most atomic.Uint64
	h := &hearer{each: func(_ int, seconds float64) error {
		if seconds > 601 {
			return fmt.Errorf("a piece of %v s", seconds)
		}
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		most.Store(max(most.Load(), m.HeapAlloc))
		return nil
	}}
	runtime.GC()
	var before runtime.MemStats
	runtime.ReadMemStats(&before)
	ingestTalks(t, talks(t, dir), ingest.Options{Transcriber: h})
	grown := int64(most.Load()) - int64(before.HeapAlloc)
	t.Logf("%d pieces, %d KiB more memory", h.heard, grown>>10)
	if h.heard < length/600 || grown > 16<<20 {
		t.Errorf("%d pieces, %d bytes more memory", h.heard, grown)
	}
}
