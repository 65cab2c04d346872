package ingest_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/ingest"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/modality/media"
	"github.com/citekit/citekit/search"
	"github.com/citekit/citekit/textlayer"
	"github.com/citekit/citekit/verify"
	"github.com/citekit/citekit/workspace"
)

// A hearer says of each piece how many it has heard, and how long it is.
type hearer struct {
	version string
	each    func(piece int, seconds float64) error

	mu    sync.Mutex
	heard int
}

func (h *hearer) Transcribe(_ context.Context, wav string) ([]byte, error) {
	info, err := os.Stat(wav)
	if err != nil {
		return nil, err
	}
	seconds := float64(info.Size()-44) / 32000
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.heard++; h.each != nil {
		if err := h.each(h.heard, seconds); err != nil {
			return nil, err
		}
	}
	// What is said is half of the piece, so that no overlap has it.
	return fmt.Appendf(nil, "1\n%s --> %s\nthe answer of piece %d is plain\n", clock(seconds/2-1), clock(seconds/2+1), h.heard), nil
}

func (h *hearer) Provenance(context.Context) (map[string]string, error) {
	return map[string]string{"program": "hearer", "version": h.version}, nil
}

func clock(seconds float64) string {
	return strings.Replace(time.Unix(0, int64(seconds*1e9)).UTC().Format("15:04:05.000"), ".", ",", 1)
}

// writeTalk writes a WAV file of talk with pauses, of so many seconds, at 1,000 samples of 8
// bits a second.
func writeTalk(t testing.TB, path string, seconds int) {
	t.Helper()
	const rate = 1000
	var b bytes.Buffer
	b.WriteString("RIFF")
	header := []any{uint32(36 + seconds*rate), []byte("WAVEfmt "), uint32(16), uint16(1), uint16(1), uint32(rate), uint32(rate), uint16(1), uint16(8), []byte("data"), uint32(seconds * rate)}
	for _, v := range header {
		if err := binary.Write(&b, binary.LittleEndian, v); err != nil {
			t.Fatal(err)
		}
	}
	for i := range seconds * rate {
		v := 128.
		if i%(10*rate) < 9*rate {
			v += 60 * math.Sin(float64(i)/3)
		}
		b.WriteByte(byte(v))
	}
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
}

// talks opens a library over a folder.
func talks(t testing.TB, dir string) *citekit.Library {
	t.Helper()
	ws, err := workspace.Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	lib := citekit.New(ws, citekit.Resolvers{citekit.Audio: &media.Resolver{Modality: citekit.Audio}, citekit.Video: &media.Resolver{}}, nil)
	t.Cleanup(func() { lib.Close() })
	return lib
}

func ingestTalks(t testing.TB, lib *citekit.Library, opts ingest.Options) *ingest.Report {
	t.Helper()
	report, err := ingest.Run(t.Context(), lib, []string{"*.wav"}, &opts)
	if err = errors.Join(err, report.Err()); err != nil {
		t.Fatal(err)
	}
	return report
}

// TestTranscribed follows a recording without words from its transcript to a verdict.
func TestTranscribed(t *testing.T) {
	sharedtest.Tool(t, "ffmpeg")
	dir := t.TempDir()
	writeTalk(t, filepath.Join(dir, "talk.wav"), 40)
	writeTalk(t, filepath.Join(dir, "titled.wav"), 30)
	if err := os.WriteFile(filepath.Join(dir, "titled.srt"), []byte("1\n00:00:01,000 --> 00:00:02,000\nwritten by hand\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	lib, h := talks(t, dir), &hearer{version: "1"}
	var speech []ingest.Speech
	ingestTalks(t, lib, ingest.Options{Transcriber: h, Progress: func(p ingest.Progress) {
		if p.Speech != nil {
			speech = append(speech, *p.Speech)
		}
	}})
	if h.heard != 1 || len(speech) != 1 || speech[0].Of != 40 || speech[0].Pieces != 1 {
		t.Errorf("%d pieces heard, told %+v; words beside a recording win", h.heard, speech)
	}
	m, err := lib.Map(t.Context(), "talk")
	if err != nil {
		t.Fatal(err)
	}
	noted, _ := m.Metadata["transcript"].(map[string]any)
	if noted["transcribed"] != true || noted["program"] != "hearer" || noted["version"] != "1" || noted["created"] == nil {
		t.Errorf("the map says %v", noted)
	}

	const quote = "the answer of piece 1 is plain"
	for run, err := range lib.ReadText(t.Context(), "talk", citekit.Location{}) {
		if err != nil || !run.Transcribed || run.Text != quote+"\n" || run.Location.Time != (citekit.Span{Start: 19, End: 21}) {
			t.Errorf("%+v, %v", run, err)
		}
	}
	for id, want := range map[string]bool{"talk": true, "titled": false} {
		layer, err := textlayer.New(lib, nil).Open(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		if layer.Transcribed() != want || layer.Empty() {
			t.Errorf("%s is transcribed: %v", id, layer.Transcribed())
		}
		layer.Close()
	}
	searcher := search.New(lib, nil)
	defer searcher.Close()
	found, err := searcher.Search(t.Context(), search.Request{Query: "answer plain"})
	if err != nil || len(found.Results) != 1 || !found.Results[0].Transcribed {
		t.Errorf("%+v, %v", found, err)
	}
	verdict, err := verify.New(lib, nil).Quote(t.Context(), verify.Request{Quote: quote, Address: citekit.Address{Resource: "talk"}})
	if err != nil || !verdict.Holds() || !verdict.Transcribed {
		t.Errorf("%+v, %v", verdict, err)
	}

	// It is not made again, nor forgotten by who does not transcribe.
	for _, run := range []struct {
		name string
		opts ingest.Options
	}{
		{"again", ingest.Options{Transcriber: h}}, {"without", ingest.Options{}}, {"forced without", ingest.Options{Force: true}}, {"forced", ingest.Options{Transcriber: h, Force: true}},
	} {
		ingestTalks(t, lib, run.opts)
		if m, err := lib.Map(t.Context(), "talk"); err != nil || m.Metadata["method"] != "transcript" || h.heard != 1 {
			t.Errorf("%s: %d pieces heard, %v, %v", run.name, h.heard, m.Metadata, err)
		}
	}
	if report := ingestTalks(t, lib, ingest.Options{Transcriber: h}); report.Count(ingest.Unchanged) != 2 {
		t.Errorf("at last: %+v", report.Items)
	}
	// Another recogniser makes it again, and so does another recording; what was copied is heard once.
	ingestTalks(t, lib, ingest.Options{Transcriber: &hearer{version: "2", each: func(int, float64) error { h.heard++; return nil }}})
	if h.heard != 2 {
		t.Errorf("another version: %d pieces heard", h.heard)
	}
	h.version = "2"
	writeTalk(t, filepath.Join(dir, "talk.wav"), 41)
	writeTalk(t, filepath.Join(dir, "copy.wav"), 41)
	ingestTalks(t, lib, ingest.Options{Transcriber: h})
	if h.heard != 3 {
		t.Errorf("another recording and its copy: %d pieces heard", h.heard)
	}
	// A transcript goes with its map.
	if _, err := ingest.Delete(t.Context(), lib, "talk", nil); err != nil {
		t.Fatal(err)
	}
	left, err := filepath.Glob(filepath.Join(dir, ".citekit_output", "transcript-*"))
	if err != nil || len(left) != 1 {
		t.Errorf("left: %v, %v", left, err)
	}
}

// TestFailedTranscriber fails in different ways.
func TestFailedTranscriber(t *testing.T) {
	sharedtest.Tool(t, "ffmpeg")
	dir, broken := t.TempDir(), errors.New("broken")
	writeTalk(t, filepath.Join(dir, "talk.wav"), 20)
	lib := talks(t, dir)
	report, err := ingest.Run(t.Context(), lib, []string{"."}, &ingest.Options{Transcriber: &hearer{each: func(int, float64) error { return broken }}})
	if err != nil || !errors.Is(report.Err(), broken) {
		t.Errorf("%v, %v", err, report.Err())
	}
	ingestTalks(t, lib, ingest.Options{Transcriber: &hearer{}}) // tried again
}

// TestTranscriptOfAnother has a map that names the evidence of another.
func TestTranscriptOfAnother(t *testing.T) {
	dir := t.TempDir()
	lib := talks(t, dir)
	for path, want := range map[string]error{
		"citekit-transcript:" + strings.Repeat("0", 64): os.ErrNotExist,
	} {
		if _, err := lib.OpenSource(t.Context(), path); !errors.Is(err, want) {
			t.Errorf("%s: %v", path, err)
		}
	}
	key := strings.Repeat("ab", 32)
	if _, err := lib.Workspace().StoreEvidence(t.Context(), key, citekit.EvidenceMeta{Name: "page-1.pdf", Size: 1}, strings.NewReader("x")); err != nil {
		t.Fatal(err)
	}
	if _, err := lib.OpenSource(t.Context(), "citekit-transcript:"+key); !errors.Is(err, citekit.ErrForbidden) {
		t.Errorf("evidence that is no transcript: %v", err)
	}
}

const killedFolder = "CITEKIT_TEST_TRANSCRIBED"

// TestKilledTranscriber kills a process that transcribes. Its successor does no piece
// twice. Without the variable, it is the test; with it, what is killed.
func TestKilledTranscriber(t *testing.T) {
	sharedtest.Tool(t, "ffmpeg")
	const length, pieces = 1500, 3
	note := func(dir string) func(int, float64) error {
		return func(int, float64) error {
			f, err := os.OpenFile(filepath.Join(dir, "heard"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
			if err == nil {
				_, err = f.WriteString("x")
				err = errors.Join(err, f.Close())
			}
			return err
		}
	}
	if dir := os.Getenv(killedFolder); dir != "" {
		heard := note(filepath.Dir(dir))
		h := &hearer{each: func(piece int, _ float64) error {
			if piece < pieces {
				return heard(piece, 0)
			}
			fmt.Println("the last piece")
			_, err := io.ReadAll(os.Stdin) // until it is killed
			return err
		}}
		ingestTalks(t, talks(t, dir), ingest.Options{Transcriber: h})
		return
	}
	sharedtest.NotShort(t)
	dir := filepath.Join(t.TempDir(), "talks")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	writeTalk(t, filepath.Join(dir, "talk.wav"), length)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	victim := exec.CommandContext(t.Context(), self, "-test.run=^TestKilledTranscriber$")
	victim.Env = append(os.Environ(), killedFolder+"="+dir)
	stdin, err := victim.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer stdin.Close()
	output, err := victim.StdoutPipe()
	if err == nil {
		err = victim.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	line := make([]byte, len("the last piece"))
	if _, err := io.ReadFull(output, line); err != nil || string(line) != "the last piece" {
		t.Fatalf("it said %q: %v", line, err)
	}
	if err := victim.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = victim.Wait()

	lib := talks(t, dir)
	ingestTalks(t, lib, ingest.Options{Transcriber: &hearer{each: note(filepath.Dir(dir))}})
	heard, err := os.ReadFile(filepath.Join(filepath.Dir(dir), "heard"))
	if err != nil || len(heard) != pieces {
		t.Errorf("%d pieces heard, want %d: %v", len(heard), pieces, err)
	}
	runs := 0
	for _, err := range lib.ReadText(t.Context(), "talk", citekit.Location{}) {
		if err != nil {
			t.Fatal(err)
		}
		runs++
	}
	if runs != pieces {
		t.Errorf("%d runs", runs)
	}
}
