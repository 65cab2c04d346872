// Package ffmpegtest runs ffmpeg and ffprobe for tests: it makes recordings, and says what
// those decode to.
package ffmpegtest

import (
	"bytes"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/citekit/citekit/internal/test/sharedtest"
)

// Run runs a program, such as ffprobe, and returns what it prints. If it fails, the test
// ends; without it, see [sharedtest.Tool].
func Run(t testing.TB, program string, args ...string) []byte {
	t.Helper()
	cmd := exec.Command(sharedtest.Tool(t, program), args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %s: %v: %s", program, strings.Join(args, " "), err, stderr.String())
	}
	return out
}

// Make makes a recording with ffmpeg, given what comes before its name, in a directory of
// the test, and returns its path.
func Make(t testing.TB, name string, args ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	Run(t, "ffmpeg", slices.Concat([]string{"-nostdin", "-v", "error"}, args, []string{path})...)
	return path
}

// A Frame is a decoded picture.
type Frame struct {
	Time float64 // seconds
	Hash string
}

// Frames decodes the first video track of a file that is no cover, with times as stored,
// given what comes before the name of the file.
func Frames(t testing.TB, path string, before ...string) (frames []Frame) {
	t.Helper()
	args := slices.Concat([]string{"-nostdin", "-v", "fatal", "-noautorotate", "-copyts"}, before, []string{"-i", path,
		"-map", "0:V:0", "-fps_mode", "passthrough", "-enc_time_base", "-1", "-f", "framemd5", "-"})
	unit := 1.0
	for line := range strings.Lines(string(Run(t, "ffmpeg", args...))) {
		if base, ok := strings.CutPrefix(line, "#tb 0: "); ok {
			num, den, _ := strings.Cut(strings.TrimSpace(base), "/")
			unit = number(t, num) / number(t, den)
		}
		fields := strings.Split(line, ",")
		if strings.HasPrefix(line, "#") || len(fields) < 6 {
			continue
		}
		frames = append(frames, Frame{number(t, fields[2]) * unit, strings.TrimSpace(fields[5])})
	}
	return frames
}

func number(t testing.TB, s string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// During returns the frames with start ≤ time < end, in seconds, of times counted from
// origin.
func During(frames []Frame, origin, start, end float64) (in []Frame) {
	const slack = 0.5e-6 // as times have six decimals
	for _, f := range frames {
		if at := f.Time - origin; at >= start-slack && at < end-slack {
			in = append(in, Frame{at, f.Hash})
		}
	}
	return in
}
