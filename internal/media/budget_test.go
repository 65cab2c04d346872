package media

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/ffmpeg"
	"github.com/citekit/citekit/internal/sharedtest"
)

// box is an MP4 box.
func box(kind string, content ...[]byte) []byte {
	all := bytes.Join(content, nil)
	return append(append(binary.BigEndian.AppendUint32(nil, uint32(8+len(all))), kind...), all...)
}

// TestThin refuses sources that have a million frames and next to no bytes
// before ffmpeg reads them.
func TestThin(t *testing.T) {
	const many = 1_000_000
	count := binary.BigEndian.AppendUint32(make([]byte, 4), many)
	mvhd := make([]byte, 100)
	mvhd[15] = 1 // unit of time
	movie := bytes.Join([][]byte{
		box("ftyp", []byte("isom\x00\x00\x02\x00isom")),
		box("moov", box("mvhd", mvhd), box("mvex")),
		box("moof", box("traf", box("trun", count))),
		box("mdat", make([]byte, many)),
	}, nil)
	frame := []byte{0xff, 0xf1, 0x50, 0x80, 0x01, 0x1f, 0xfc, 0} // 8 bytes with the header
	for _, test := range []struct {
		name     string
		modality citekit.Modality
		data     []byte
	}{
		{"fragments.mp4", citekit.Video, movie},
		{"frames.aac", citekit.Audio, bytes.Repeat(frame, many)},
	} {
		e := &Engine{Modality: test.modality}
		e.Tools.FFmpeg, e.Tools.FFprobe = "/missing", "/missing"
		_, err := e.Map(t.Context(), source(test.name, test.data), citekit.MapRequest{Modality: test.modality})
		if !errors.Is(err, citekit.ErrTooLarge) {
			t.Errorf("%s: mapped with error %v", test.name, err)
		}
		_, err = e.Resolve(t.Context(), source(test.name, test.data), citekit.Request{
			Location: citekit.Location{Modality: test.modality, Time: citekit.Span{End: 1}},
		})
		if !errors.Is(err, citekit.ErrTooLarge) {
			t.Errorf("%s: resolved with error %v", test.name, err)
		}
	}
}

// TestManyFrames measures and maps an MP3 file of a million frames, 6.7 hours, in
// next to no processor time of other programs.
func TestManyFrames(t *testing.T) {
	sharedtest.Tool(t, "ffmpeg")
	const many, most = 1_000_000, 4 * time.Second
	frame := append([]byte{0xff, 0xf3, 0x14, 0xc4}, make([]byte, 20)...) // 24 ms of silence at 24 kHz
	src := source("sound.mp3", bytes.Repeat(frame, many))
	e := &Engine{Modality: citekit.Audio}
	ctx := ffmpeg.Metered(t.Context())
	m, _, err := e.parse(ctx, src, formatMP3)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := m.extent().Duration, many*0.024; math.Abs(got-want) > 1e-6 || ffmpeg.Used(ctx) > most/4 {
		t.Errorf("%v s, want %v; measured in %v", got, want, ffmpeg.Used(ctx))
	}
	if err := e.preflight(ctx, src, m); err != nil || ffmpeg.Used(ctx) > most {
		t.Errorf("tried in %v: %v", ffmpeg.Used(ctx), err)
	}
}

// TestMeasuredOnce measures a source before and after it is hashed.
func TestMeasuredOnce(t *testing.T) {
	sharedtest.Tool(t, "ffmpeg")
	path := filepath.Join(t.TempDir(), "sound.aac")
	run(t, "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "sine=d=5", path)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	src := citekit.NewSource(bytes.NewReader(data), citekit.SourceInfo{Name: "sound.aac", Size: int64(len(data)), Identity: "as it was opened"})
	e := &Engine{Modality: citekit.Audio}
	before, err := e.Measure(t.Context(), src)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := src.Hash(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx := ffmpeg.Metered(t.Context())
	if after, err := e.Measure(ctx, src); err != nil || after != before || ffmpeg.Used(ctx) > 0 {
		t.Errorf("%+v, then %+v after %v: %v", before, after, ffmpeg.Used(ctx), err)
	}
}

// TestOverBudget measures and cuts in jobs that have used what they may.
func TestOverBudget(t *testing.T) {
	sharedtest.Tool(t, "ffmpeg")
	path := filepath.Join(t.TempDir(), "sound.mp3")
	run(t, "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "sine=d=5", path)
	e := &Engine{Modality: citekit.Audio, ScanTime: -1}
	spent := ffmpeg.Within(t.Context(), 0)
	src := openFile(t, path)
	in, err := e.Tools.Open(t.Context(), src, "mp3", 0)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	if _, err := e.Tools.Probe(spent, in); !errors.Is(err, ffmpeg.ErrCPU) || !errors.Is(err, citekit.ErrTooLarge) {
		t.Errorf("probed with error %v", err)
	}
	if _, _, err := e.Tools.Decodable(spent, in, ffmpeg.AllStreams, ffmpeg.Interval{End: 1}); !errors.Is(err, ffmpeg.ErrCPU) {
		t.Errorf("decoded with error %v", err)
	}
	counted := ffmpeg.Metered(t.Context())
	if _, err := e.Tools.Probe(counted, in); err != nil || ffmpeg.Used(counted) <= 0 {
		t.Errorf("a probe used %v, error %v", ffmpeg.Used(counted), err)
	}
	if _, err := e.Tools.Probe(ffmpeg.Within(counted, 1), in); !errors.Is(err, ffmpeg.ErrCPU) {
		t.Errorf("the next program of the job has error %v", err)
	}
}
