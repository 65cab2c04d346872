package command

import (
	"context"
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/workspace"
)

// writeNoise writes two seconds of a WAV file.
func writeNoise(t *testing.T, path string) {
	t.Helper()
	const rate = 8000
	b := binary.LittleEndian.AppendUint32([]byte("RIFF"), 36+4*rate)
	b = append(b, "WAVEfmt "...)
	for _, v := range []uint32{16, 1 | 1<<16, rate, 2 * rate, 2 | 16<<16} {
		b = binary.LittleEndian.AppendUint32(b, v)
	}
	b = binary.LittleEndian.AppendUint32(append(b, "data"...), 4*rate)
	for i := range 2 * rate {
		b = binary.LittleEndian.AppendUint16(b, uint16(i*9973))
	}
	must(t, os.WriteFile(path, b, 0o600))
}

// TestTranscriptsKept saves, restores and copies a recording that a machine wrote down, and
// trims the evidence: its words are there all the time.
func TestTranscriptsKept(t *testing.T) {
	sharedtest.Tool(t, "ffmpeg")
	sharedtest.Tool(t, "sh")
	s, dir, _ := newCopyTest(t)
	writeNoise(t, filepath.Join(dir, "talk.wav"))
	transcriber := func(script string) []string {
		return []string{"--dir", dir, "ingest", ".", "--transcriber", "sh", "--transcriber-config", `{"args": ["-c", "` + script + `"]}`}
	}
	s.must(transcriber(`printf '1\\n00:00:00,500 --> 00:00:01,500\\nso far so good\\n'`)...)
	heard := func(where string, at ...string) {
		t.Helper()
		if got := s.must(append(at, "search", "so far so good")...); !strings.Contains(got, "talk") || !strings.Contains(got, "transcribed") {
			t.Errorf("%s: %q", where, got)
		}
	}
	heard("first", "--dir", dir)

	// A transcriber that fails leaves it, and says so.
	code, _, stderr := s.run(append(transcriber("exit 3"), "--force")...)
	if code == exitOK || !strings.Contains(stderr, "talk.wav: the transcriber failed (exit status 3); the map that it has stays as it is") {
		t.Errorf("a failure: exit code %d, %q", code, stderr)
	}
	heard("after a failure", "--dir", dir)

	// In a year without a use.
	ws, err := workspace.Open(dir, nil)
	must(t, err)
	must(t, filepath.WalkDir(filepath.Join(dir, ".citekit_output"), func(path string, _ fs.DirEntry, err error) error {
		return errors.Join(err, os.Chtimes(path, time.Time{}, time.Now().AddDate(-1, 0, 0)))
	}))
	done, err := ws.TrimEvidence(context.Background(), workspace.Trim{MaxBytes: 1})
	must(t, err)
	must(t, ws.Close())
	if done.Files == 0 || done.Left == 0 {
		t.Errorf("trimmed %+v", done)
	}
	heard("after a trim", "--dir", dir)

	archive, restored := filepath.Join(t.TempDir(), "saved.tar.gz"), t.TempDir()
	if got := s.must("--dir", dir, "--json", "backup", archive); !strings.Contains(got, `"transcripts": 1`) && !strings.Contains(got, `"transcripts":1`) {
		t.Errorf("backup: %s", got)
	}
	sound, err := os.ReadFile(filepath.Join(dir, "talk.wav"))
	must(t, err)
	must(t, os.WriteFile(filepath.Join(restored, "talk.wav"), sound, 0o600))
	s.must("--dir", restored, "restore", archive)
	heard("restored", "--dir", restored)
	s.must("--dir", restored, "restore", archive, "--force")

	back := t.TempDir()
	for _, trip := range [][]string{{dir, "mem://"}, {"mem://", back}} {
		if code, r, stderr := s.copied(append(trip, "--sources")...); code != exitOK || r.Transcripts.Copied != 1 {
			t.Errorf("%v: exit code %d, %+v, %q", trip, code, r, stderr)
		}
		if code, r, stderr := s.copied(append(trip, "--sources", "--evidence")...); code != exitOK || r.Transcripts.Same != 1 || r.Transcripts.Copied != 0 {
			t.Errorf("%v again: exit code %d, %+v, %q", trip, code, r, stderr)
		}
	}
	heard("in a store", "--workspace", "mem://")
	heard("copied back", "--dir", back)

	if got := s.must("--dir", back, "cite", "talk#t=0.5-1.5", "--quote", "so far so good", "--as", "csl", "--output", "-"); !strings.Contains(got, `"speech"`) || !strings.Contains(got, "transcribed by a machine") {
		t.Errorf("cited as %s", got)
	}
}
