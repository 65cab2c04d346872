package media

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"math"
	"path/filepath"
	"testing"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/test/mp4test"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/modality/internal/media/ffmpeg"
	"github.com/citekit/citekit/modality/internal/media/ffmpegtest"
	"github.com/citekit/citekit/preview"
)

// TestThin refuses sources that have a million frames and next to no bytes
// before ffmpeg reads them.
func TestThin(t *testing.T) {
	const many = 1_000_000
	count := binary.BigEndian.AppendUint32(make([]byte, 4), many)
	mvhd := make([]byte, 100)
	mvhd[15] = 1 // unit of time
	movie := bytes.Join([][]byte{
		mp4test.Box("ftyp", []byte("isom\x00\x00\x02\x00isom")),
		mp4test.Box("moov", mp4test.Box("mvhd", mvhd), mp4test.Box("mvex")),
		mp4test.Box("moof", mp4test.Box("traf", mp4test.Box("trun", count))),
		mp4test.Box("mdat", make([]byte, many)),
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

// TestManyFrames measures and tries an MP3 file of a million frames, 6.7 hours,
// without ffprobe reading its packets.
func TestManyFrames(t *testing.T) {
	sharedtest.Tool(t, "ffmpeg")
	const many = 1_000_000
	frame := append([]byte{0xff, 0xf3, 0x14, 0xc4}, make([]byte, 20)...) // 24 ms of silence at 24 kHz
	src := source("sound.mp3", bytes.Repeat(frame, many))
	e := &Engine{Modality: citekit.Audio}
	ctx := measuring(t.Context(), src)
	m, _, err := e.parse(ctx, src, formatMP3)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := m.extent().Duration, many*0.024; math.Abs(got-want) > 1e-6 || ffmpeg.Done(ctx) > 0 {
		t.Errorf("%v s, want %v; measured by work of %d", got, want, ffmpeg.Done(ctx))
	}
	if err := e.preflight(t.Context(), src, m); err != nil {
		t.Error(err)
	}
}

// TestThinPackets refuses a file of a million packets and next to no bytes, whose
// packets only ffprobe knows.
func TestThinPackets(t *testing.T) {
	sharedtest.NotShort(t)
	sharedtest.Tool(t, "ffprobe")
	const laced, blocks = 200, 5000
	e := &Engine{Modality: citekit.Audio}
	data := lacedMatroska(laced, blocks)
	_, err := e.Measure(t.Context(), source("sound.mka", data))
	if !errors.Is(err, ffmpeg.ErrWork) || citekit.CodeOf(err) != message.CodeTooLarge {
		t.Errorf("%d packets in %d bytes: error %v", laced*blocks, len(data), err)
	}
	if _, err := e.Measure(t.Context(), source("sound.mka", lacedMatroska(laced, blocks/10))); err != nil {
		t.Errorf("%d packets: %v", laced*blocks/10, err)
	}
}

// lacedMatroska is a Matroska file of blocks, each with many packets of one byte
// (RFC 9559, section 10.3: fixed-size lacing).
func lacedMatroska(packets byte, blocks int) []byte {
	element := func(id []byte, content ...[]byte) []byte {
		all := bytes.Join(content, nil)
		size := binary.BigEndian.AppendUint64(nil, uint64(len(all)))
		size[0] = 1
		return append(append(bytes.Clone(id), size...), all...)
	}
	rate := binary.BigEndian.AppendUint64(nil, math.Float64bits(8000))
	track := element([]byte{0xae},
		element([]byte{0xd7}, []byte{1}), element([]byte{0x73, 0xc5}, []byte{1}), element([]byte{0x83}, []byte{2}),
		element([]byte{0x86}, []byte("A_PCM/INT/LIT")),
		element([]byte{0xe1}, element([]byte{0xb5}, rate), element([]byte{0x9f}, []byte{1}), element([]byte{0x62, 0x64}, []byte{8})))
	var clusters [][]byte
	for i := range blocks {
		at := binary.BigEndian.AppendUint32(nil, uint32(25*i)) // in milliseconds
		block := append([]byte{0x81, 0, 0, 0x84, packets - 1}, bytes.Repeat([]byte{0x80}, int(packets))...)
		clusters = append(clusters, element([]byte{0x1f, 0x43, 0xb6, 0x75}, element([]byte{0xe7}, at), element([]byte{0xa3}, block)))
	}
	return append(
		element([]byte{0x1a, 0x45, 0xdf, 0xa3}, element([]byte{0x42, 0x82}, []byte("matroska"))),
		element([]byte{0x18, 0x53, 0x80, 0x67}, element([]byte{0x15, 0x49, 0xa9, 0x66}, element([]byte{0x2a, 0xd7, 0xb1}, []byte{0x0f, 0x42, 0x40})),
			element([]byte{0x16, 0x54, 0xae, 0x6b}, track), bytes.Join(clusters, nil))...)
}

// TestMeasuredOnce measures a source before and after it is hashed.
func TestMeasuredOnce(t *testing.T) {
	path := ffmpegtest.Make(t, "sound.aac", "-f", "lavfi", "-i", "sine=d=5")
	data := sharedtest.Read(t, path)
	src := citekit.NewSource(bytes.NewReader(data), citekit.SourceInfo{Name: "sound.aac", Size: int64(len(data)), Identity: "as it was opened"})
	e := &Engine{Modality: citekit.Audio}
	before, err := e.Measure(t.Context(), src)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := src.Hash(t.Context()); err != nil {
		t.Fatal(err)
	}
	e.Tools.FFprobe = filepath.Join(t.TempDir(), "none")
	if after, err := e.Measure(t.Context(), src); err != nil || after != before {
		t.Errorf("%+v, then %+v: %v", before, after, err)
	}
}

// TestOverBudget reads, decodes, scans and cuts in jobs that may do less work than
// that takes: the source is too large. In jobs that a clock ends, it is not.
func TestOverBudget(t *testing.T) {
	sharedtest.NotShort(t)
	path := ffmpegtest.Make(t, "film.webm", "-f", "lavfi", "-i", "testsrc=s=64x48:r=10:d=5", "-f", "lavfi", "-i", "sine=d=5",
		"-c:v", "libvpx", "-deadline", "realtime", "-c:a", "libvorbis")
	src := openFile(t, path)
	video, audio := &Engine{Modality: citekit.Video}, &Engine{Modality: citekit.Audio}
	film, err := video.open(t.Context(), src)
	if err != nil {
		t.Fatal(err)
	}
	sound, err := audio.open(t.Context(), src)
	if err != nil {
		t.Fatal(err)
	}
	in, err := video.Tools.Open(t.Context(), src, "matroska", 0)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	part := citekit.Span{Start: 1, End: 4}
	for name, task := range map[string]func(context.Context) error{
		"packets": func(ctx context.Context) error {
			return video.Tools.Packets(ctx, in, 0, func(ffmpeg.Packet) {})
		},
		"moments": func(ctx context.Context) error {
			_, _, err := video.Tools.Decodable(ctx, in, ffmpeg.AllStreams, ffmpeg.Interval{End: 1})
			return err
		},
		"scenes": func(ctx context.Context) error {
			_, err := video.findScenes(ctx, src, film, func(float64) {})
			return err
		},
		"silences": func(ctx context.Context) error {
			_, err := audio.findParts(ctx, src, sound, func(float64) {})
			return err
		},
		"pictures": func(ctx context.Context) error {
			_, err := film.cut(ctx, src, part, citekit.ModeExact)
			return err
		},
		"sound": func(ctx context.Context) error {
			_, err := sound.cut(ctx, src, part, citekit.ModeExact)
			return err
		},
		"sheet": func(ctx context.Context) error {
			_, err := video.contactSheet(ctx, src, film, part, preview.Options{Side: 100})
			return err
		},
		"waveform": func(ctx context.Context) error {
			_, err := audio.drawSound(ctx, src, sound, part, 100)
			return err
		},
	} {
		ctx := ffmpeg.Within(t.Context(), 40_000, time.Hour)
		if err := task(ctx); !errors.Is(err, ffmpeg.ErrWork) || citekit.CodeOf(err) != message.CodeTooLarge {
			t.Errorf("%s: too much work gives error %v", name, err)
		}
		if why, err := givesUp(task(ctx)); why != "too large" || err != nil {
			t.Errorf("%s: gives up with %q, %v", name, why, err)
		}
		late := task(ffmpeg.Within(t.Context(), 1e18, 0))
		if citekit.CodeOf(late) != message.CodeTimeout {
			t.Errorf("%s: a clock gives error %v", name, late)
		}
		if why, err := givesUp(late); why != "" || err == nil {
			t.Errorf("%s: a clock gives up with %q, %v", name, why, err)
		}
	}
}

// TestLate maps and resolves a film with a program that is never done: no answer
// about the film.
func TestLate(t *testing.T) {
	sharedtest.NotShort(t)
	path := film(t, "cuts.mkv", []float64{4, 3}, "-c:v", "libx264", "-preset", "veryfast")
	stuck := sharedtest.Script(t, "sleep 600 &\nwait")
	for _, program := range []string{"ffmpeg", "ffprobe"} {
		e := &Engine{Modality: citekit.Video}
		if program == "ffmpeg" {
			e.Tools.FFmpeg = stuck
		} else {
			e.Tools.FFprobe = stuck
		}
		e.Tools.Timeout = 100 * time.Millisecond
		if s, err := e.Map(t.Context(), openFile(t, path), citekit.MapRequest{Modality: citekit.Video}); citekit.CodeOf(err) != message.CodeTimeout {
			t.Errorf("%s: mapped as %+v, error %v", program, s, err)
		}
		_, err := e.Resolve(t.Context(), openFile(t, path), citekit.Request{Location: citekit.Location{Modality: citekit.Video, Time: citekit.Span{Start: 1, End: 2}}})
		if citekit.CodeOf(err) != message.CodeTimeout {
			t.Errorf("%s: resolved with error %v", program, err)
		}
	}
}

// uncut is a medium that cannot be cut.
type uncut struct{ medium }

func (uncut) extent() citekit.Extent { return citekit.Extent{Modality: citekit.Video, Duration: 60} }

func (uncut) cut(context.Context, *citekit.Source, citekit.Span, citekit.Mode) (*citekit.Content, error) {
	return nil, citekit.ErrFormat
}

// TestTrials tries so many nodes and no more.
func TestTrials(t *testing.T) {
	trial := &trial{ctx: t.Context(), src: source("film.mkv", nil), m: uncut{}}
	nodes := spanNodes(make([]citekit.Span, maxTrials+20), "part", citekit.Video)
	nodes[len(nodes)-1].Children = spanNodes(make([]citekit.Span, 5), "part", citekit.Video)
	if kept := trial.nodes(nodes); len(kept) != 0 || trial.tried != maxTrials || trial.untried != 25 {
		t.Errorf("%d kept, %d tried, %d not", len(kept), trial.tried, trial.untried)
	}
}
