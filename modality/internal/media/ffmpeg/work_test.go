package ffmpeg

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/localfile"
	"github.com/citekit/citekit/internal/test/sharedtest"
)

func TestWork(t *testing.T) {
	sound := Stream{SampleRate: 96_000, Channels: 3}
	for name, got := range map[string][2]Work{
		"a picture":             {PictureWork(1920, 1080), 1920 * 1080},
		"the smallest picture":  {PictureWork(1, 1), leastPicture},
		"a printed picture":     {frameWork("1920,1080"), 1920 * 1080},
		"printed sound":         {frameWork("1024"), packetWork + 1024*sampleWork},
		"nothing printed":       {frameWork("N/A"), packetWork},
		"sound":                 {SoundWork(sound, 2), 2 * 3 * 96_000 * sampleWork},
		"sound of a low rate":   {SoundWork(Stream{SampleRate: 8000, Channels: 1}, 1), 96_000 * sampleWork},
		"sound of unknown rate": {SoundWork(Stream{}, 1), 96_000 * sampleWork},
		"sound without end":     {SoundWork(sound, 1e300), 1 << 62},
	} {
		if got[0] != got[1] {
			t.Errorf("%s: work of %d, want %d", name, got[0], got[1])
		}
	}
}

// TestJob counts work of one task, and none outside a task.
func TestJob(t *testing.T) {
	if err := Spend(t.Context(), 1<<62); err != nil || Done(t.Context()) != 0 {
		t.Errorf("outside a job: %v, %d done", err, Done(t.Context()))
	}
	ctx := Within(t.Context(), 100, time.Hour)
	for range 2 {
		if err := Spend(ctx, 50); err != nil {
			t.Error(err)
		}
	}
	if err := Spend(ctx, 1); !errors.Is(err, ErrWork) || !errors.Is(err, citekit.ErrTooLarge) || Done(ctx) != 101 {
		t.Errorf("beyond: %v, %d done", err, Done(ctx))
	}
	if err := Spend(ctx, 1<<63-50); !errors.Is(err, ErrWork) { // the sum is negative
		t.Errorf("far beyond: %v", err)
	}
}

// TestPictureCounter counts what the filters print.
func TestPictureCounter(t *testing.T) {
	const size, sent = "lavfi.bbox.w=10", "encoded=1"
	const work = 10 * leastPicture // of size
	for name, test := range map[string]struct {
		counter PictureCounter
		lines   []string
		want    Work
	}{
		"pictures":                {PictureCounter{}, []string{"frame:0 pts:0 pts_time:0", size, "lavfi.bbox.w=nan"}, work + leastPicture},
		"scans":                   {PictureCounter{Scans: 3}, []string{size}, 3 * work},
		"encoded":                 {PictureCounter{Scans: 3}, []string{size, sent}, 3*work + encoding*work},
		"encoded, of no size":     {PictureCounter{}, []string{sent}, encoding * leastPicture},
		"as the header says":      {PictureCounter{Packets: 5, Header: work}, []string{size, size}, 2 * work},
		"larger than the header":  {PictureCounter{Packets: 5, Header: 4 * leastPicture}, []string{size}, 5*(work-4*leastPicture) + 4*leastPicture},
		"one larger, one as said": {PictureCounter{Packets: 5, Header: 4 * leastPicture}, []string{size, "lavfi.bbox.w=4"}, 5*(work-4*leastPicture) + 4*leastPicture + leastPicture},
	} {
		ctx := Within(t.Context(), 1<<40, time.Hour)
		for _, line := range test.lines {
			if err := test.counter.Line(ctx, []byte(line)); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		if got := Done(ctx); got != test.want {
			t.Errorf("%s: work of %d, want %d", name, got, test.want)
		}
	}
	counter := PictureCounter{}
	if err := counter.Line(Within(t.Context(), work-1, time.Hour), []byte(size)); !errors.Is(err, ErrWork) {
		t.Errorf("too large a picture: %v", err)
	}
}

// TestLimitSound lets as many samples pass as there is work left for.
func TestLimitSound(t *testing.T) {
	s := Stream{SampleRate: 48_000, Channels: 2}
	if got := LimitSound(t.Context(), s, 0); got != "anull" {
		t.Errorf("outside a job: %s", got)
	}
	ctx := Within(t.Context(), SoundWork(s, 3), time.Hour)
	if err := Spend(ctx, SoundWork(s, 1)); err != nil {
		t.Fatal(err)
	}
	want := "asplit[sound][over];[over]atrim=start_sample=96001:end_sample=96002,ametadata=mode=add:key=over:value=1," +
		"ametadata=mode=print:file=over7,anullsink;[sound]atrim=end_sample=96001"
	if got := LimitSound(ctx, s, 7); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestOpenOutput looks at what a program wrote.
func TestOpenOutput(t *testing.T) {
	for name, test := range map[string]struct {
		content string
		written bool
		want    error
	}{
		"nothing":  {"", false, citekit.ErrFormat},
		"empty":    {"", true, citekit.ErrFormat},
		"too much": {"four", true, citekit.ErrTooLarge},
		"right":    {"abc", true, nil},
	} {
		dir, err := localfile.NewScratch("citekit-ffmpeg-test-")
		if err != nil {
			t.Fatal(err)
		}
		path := dir.Path("out")
		if test.written {
			sharedtest.Write(t, path, []byte(test.content))
		}
		out, err := openOutput(dir, path, 4)
		if !errors.Is(err, test.want) {
			t.Errorf("%s: %v, want %v", name, err, test.want)
		}
		if err == nil {
			in := OpenOutput(out, "wav")
			got := make([]byte, 3)
			if _, err := in.ReadAt(got, 0); err != nil || string(got) != "abc" || in.Size() != 3 || out.Size() != 3 {
				t.Errorf("%s: %q of %d bytes, %v", name, got, out.Size(), err)
			}
			in.Close()
			if err := out.Close(); err != nil {
				t.Error(err)
			}
		}
		if _, err := os.Stat(dir.Path()); !os.IsNotExist(err) {
			t.Errorf("%s: left behind: %v", name, err)
		}
	}
}

// TestRunError tells from the last words of a program what kind of failure it was.
func TestRunError(t *testing.T) {
	failed := &exec.ExitError{ProcessState: new(os.ProcessState)}
	for _, test := range []struct {
		err  error
		said string
		want error
	}{
		{failed, "moov atom not found", citekit.ErrFormat},
		{failed, "Unknown encoder 'libx264'", errors.ErrUnsupported},
		{failed, "Decoder not found", errNoDecoder},
		{failed, "av_interleaved_write_frame(): No space left on device", errNoSpace},
		{failed, "", errSilent},
		{fmt.Errorf("fork: %w", os.ErrPermission), "", os.ErrPermission},
	} {
		if got := runError(test.err, test.said); !errors.Is(got, test.want) {
			t.Errorf("%v, %q: %v, want %v", test.err, test.said, got, test.want)
		}
	}
	if got := runError(exec.ErrWaitDelay, ""); errors.Is(got, citekit.ErrFormat) {
		t.Errorf("output held open: %v", got)
	}
}
