package ffmpeg

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/test/sharedtest"
)

// sound is a conversion to samples that takes as long as they last if slow.
func sound(slow bool) Conversion {
	c := Conversion{Streams: []int{0}, Muxer: "s16le", Output: Options{"c": "pcm_s16le", "ar": "8000", "ac": "1"}}
	if slow {
		c.Input = Options{"re": ""}
	}
	return c
}

func TestStream(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	var tools Tools
	in := openCorpus(t, &tools, "bear.flac", "flac")
	var got bytes.Buffer
	if err := tools.Stream(t.Context(), in, sound(false), &got); err != nil {
		t.Fatal(err)
	}
	if n := got.Len() / 2; n < 21900 || n > 21960 {
		t.Errorf("%d samples, want those of 2.741 s", n)
	}
	if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

type fullWriter struct{ err error }

func (w fullWriter) Write([]byte) (int, error) { return 0, w.err }

func TestStreamEnds(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	var tools Tools
	in := openCorpus(t, &tools, "bear.flac", "flac")
	full := errors.New("full")
	if err := tools.Stream(t.Context(), in, sound(false), fullWriter{full}); !errors.Is(err, full) {
		t.Errorf("a writer that fails: error %v", err)
	}
	hasty := Tools{Timeout: 100 * time.Millisecond}
	if err := hasty.Stream(t.Context(), in, sound(true), io.Discard); citekit.CodeOf(err) != message.CodeTimeout || errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("too long: error %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if err := tools.Stream(ctx, in, sound(true), io.Discard); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a context that ends: error %v", err)
	}
	if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	broken := sound(false)
	broken.Streams = []int{7}
	if err := tools.Stream(t.Context(), in, broken, io.Discard); !errors.Is(err, citekit.ErrFormat) {
		t.Errorf("no such stream: error %v", err)
	}
	missing := Tools{FFmpeg: "/missing/ffmpeg"}
	if err := missing.Stream(t.Context(), in, sound(false), io.Discard); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("without ffmpeg: error %v", err)
	}
}

func TestLineWriter(t *testing.T) {
	var got []string
	w := NewLineWriter(func(line []byte) error {
		got = append(got, string(line))
		return nil
	})
	for _, piece := range []string{"a", "b\nc", "", "\n\nlast"} {
		if n, err := io.WriteString(w, piece); n != len(piece) || err != nil {
			t.Fatalf("%d, %v", n, err)
		}
	}
	if all := strings.Join(got, "|"); all != "ab|c|" {
		t.Errorf("lines %q", all)
	}
	if _, err := w.Write(make([]byte, 10_000)); err == nil {
		t.Error("no error for a line without end")
	}
}

// TestSilentProgramIsStopped has a program whose output is refused, and that writes
// nothing more until it is done.
func TestSilentProgramIsStopped(t *testing.T) {
	done := filepath.Join(t.TempDir(), "done")
	tools := Tools{FFmpeg: sharedtest.Script(t, "echo line\nsleep 3\necho > '"+done+"'")}
	in, err := tools.OpenReader(t.Context(), strings.NewReader("x"), 1, "flac")
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	full := errors.New("full")
	if err := tools.Stream(t.Context(), in, sound(false), fullWriter{full}); !errors.Is(err, full) {
		t.Errorf("error %v", err)
	}
	if _, err := os.Stat(done); err == nil {
		t.Error("it ran to its end")
	}
}

// TestUndecodedPackets counts packets that give no frame as the last frame.
func TestUndecodedPackets(t *testing.T) {
	d, work := frameCosts{}, Work(0)
	work += d.packet(0) + d.frame(0, 100) // the first, of unknown size
	work += d.packet(0) + d.frame(0, 500)
	for range 10 {
		work += d.packet(0) + d.packet(1)
	}
	if want := Work(100 + 500 + 10*500); work != want {
		t.Errorf("work of %d, want %d", work, want)
	}
}
