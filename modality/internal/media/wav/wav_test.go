package wav

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/modality/internal/media/ffmpegtest"
)

// chunk returns a RIFF chunk with its padding.
func chunk(id string, body []byte) []byte {
	b := append([]byte(id), binary.LittleEndian.AppendUint32(nil, uint32(len(body)))...)
	return append(append(b, body...), make([]byte, len(body)%2)...)
}

func riff(chunks ...[]byte) []byte {
	body := append([]byte("WAVE"), bytes.Join(chunks, nil)...)
	return append(append([]byte("RIFF"), binary.LittleEndian.AppendUint32(nil, uint32(len(body)))...), body...)
}

// format returns the body of a fmt chunk.
func format(tag, channels uint16, rate uint32, block, bits uint16) []byte {
	var b []byte
	b = binary.LittleEndian.AppendUint16(b, tag)
	b = binary.LittleEndian.AppendUint16(b, channels)
	b = binary.LittleEndian.AppendUint32(b, rate)
	b = binary.LittleEndian.AppendUint32(b, rate*uint32(block))
	b = binary.LittleEndian.AppendUint16(b, block)
	return binary.LittleEndian.AppendUint16(b, bits)
}

// ramp returns n bytes that tell where they stand.
func ramp(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i*7 + i/256)
	}
	return b
}

func parse(t *testing.T, data []byte) *File {
	t.Helper()
	f, err := Parse(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func read(t *testing.T, c *Clip, data []byte) []byte {
	t.Helper()
	got, err := io.ReadAll(c.NewReader(bytes.NewReader(data)))
	if err != nil {
		t.Fatal(err)
	}
	if int64(len(got)) != c.Size() {
		t.Errorf("%d bytes, but Size is %d", len(got), c.Size())
	}
	return got
}

func TestCut(t *testing.T) {
	frames := ramp(4 * 1000)
	source := riff(chunk("JUNK", ramp(7)), chunk("fmt ", format(tagPCM, 2, 1000, 4, 16)), chunk("data", frames), chunk("LIST", ramp(10)))
	f := parse(t, source)
	if f.Frames != 1000 || f.Duration() != 1 {
		t.Fatalf("%d frames, %v s", f.Frames, f.Duration())
	}
	for _, c := range []struct {
		start, end  float64
		first, stop int
	}{
		{0, 1, 0, 1000},
		{0, 0.001, 0, 1},
		{0.1, 0.3, 100, 300}, // 0.3*1000 is not 300 in binary
		{0.0005, 0.0015, 1, 2},
		{0.999, 5, 999, 1000},
	} {
		got := read(t, f.Cut(c.start, c.end), source)
		want := riff(chunk("fmt ", format(tagPCM, 2, 1000, 4, 16)), chunk("data", frames[4*c.first:4*c.stop]))
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("[%v, %v): %s", c.start, c.end, diff)
		}
	}
}

func TestOddData(t *testing.T) {
	frames := ramp(9)
	source := riff(chunk("fmt ", format(tagMuLaw, 1, 8000, 1, 8)), chunk("data", frames))
	got := read(t, parse(t, source).Cut(0, 3.0/8000), source)
	want := riff(chunk("fmt ", format(tagMuLaw, 1, 8000, 1, 8)), chunk("fact", []byte{3, 0, 0, 0}), chunk("data", frames[:3]))
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// sparse is a reader of zeros with a header before them.
type sparse struct{ head []byte }

func (s sparse) ReadAt(p []byte, off int64) (int, error) {
	clear(p)
	if off < int64(len(s.head)) {
		copy(p, s.head[off:])
	}
	return len(p), nil
}

func TestLong(t *testing.T) {
	const frames = 3 << 30 // of 2 bytes
	var sizes []byte
	sizes = binary.LittleEndian.AppendUint64(sizes, 2*frames+72)
	sizes = binary.LittleEndian.AppendUint64(sizes, 2*frames)
	sizes = binary.LittleEndian.AppendUint64(sizes, frames)
	sizes = append(sizes, 0, 0, 0, 0)
	head := append([]byte("BW64\xff\xff\xff\xffWAVE"), chunk("ds64", sizes)...)
	head = append(head, chunk("fmt ", format(tagPCM, 1, 48000, 2, 16))...)
	head = append(head, "data\xff\xff\xff\xff"...)
	source := sparse{head}
	f, err := Parse(source, int64(len(head))+2*frames)
	if err != nil {
		t.Fatal(err)
	}
	if f.Frames != frames {
		t.Fatalf("%d frames, want %d", f.Frames, int64(frames))
	}
	long := f.Cut(0, f.Duration())
	again, err := Parse(sparse{long.header()}, long.Size())
	if err != nil || again.Frames != frames || !bytes.HasPrefix(long.header(), []byte("RF64")) {
		t.Errorf("the clip of all frames: %+v, %v", again, err)
	}
	if short := f.Cut(60000, 60001); short.End-short.First != 48000 || !bytes.HasPrefix(short.header(), []byte("RIFF")) {
		t.Errorf("a second at the end: frames %d-%d", short.First, short.End)
	}
}

func TestUnfinished(t *testing.T) {
	source := riff(chunk("fmt ", format(tagPCM, 1, 8000, 2, 16)), chunk("data", ramp(100)))
	at := bytes.Index(source, []byte("data")) + 4
	for _, size := range []uint32{0, unknownSize} {
		open := bytes.Clone(source)
		binary.LittleEndian.PutUint32(open[4:], size)
		binary.LittleEndian.PutUint32(open[at:], size)
		if f := parse(t, open); f.Frames != 50 {
			t.Errorf("sizes of %#x: %d frames, want 50", size, f.Frames)
		}
	}
	if f := parse(t, source[:len(source)-51]); f.Frames != 24 {
		t.Errorf("cut short: %d frames, want 24", f.Frames)
	}
}

func TestErrors(t *testing.T) {
	pcm := format(tagPCM, 1, 8000, 2, 16)
	for name, c := range map[string]struct {
		source []byte
		want   error
	}{
		"empty":           {nil, citekit.ErrFormat},
		"not WAV":         {[]byte("RIFF\x00\x00\x00\x00AVI LIST"), citekit.ErrFormat},
		"no data":         {riff(chunk("fmt ", pcm)), citekit.ErrFormat},
		"no format":       {riff(chunk("data", ramp(4))), citekit.ErrFormat},
		"short format":    {riff(chunk("fmt ", pcm[:10]), chunk("data", ramp(4))), citekit.ErrFormat},
		"ADPCM":           {riff(chunk("fmt ", format(2, 1, 8000, 256, 4)), chunk("data", ramp(4))), errors.ErrUnsupported},
		"no channels":     {riff(chunk("fmt ", format(1, 0, 8000, 2, 16)), chunk("data", ramp(4))), citekit.ErrFormat},
		"no rate":         {riff(chunk("fmt ", format(1, 1, 0, 2, 16)), chunk("data", ramp(4))), citekit.ErrFormat},
		"block too small": {riff(chunk("fmt ", format(1, 2, 8000, 2, 16)), chunk("data", ramp(4))), citekit.ErrFormat},
		"no block":        {riff(chunk("fmt ", format(1, 1, 8000, 0, 16)), chunk("data", ramp(4))), citekit.ErrFormat},
		"extensible cut":  {riff(chunk("fmt ", format(tagExtensible, 1, 8000, 2, 16)), chunk("data", ramp(4))), citekit.ErrFormat},
		"many chunks":     {append(riff(), bytes.Repeat(chunk("x   ", nil), maxChunks+1)...), citekit.ErrFormat},
	} {
		if _, err := Parse(bytes.NewReader(c.source), int64(len(c.source))); !errors.Is(err, c.want) {
			t.Errorf("%s: error %v, want one that matches %v", name, err, c.want)
		}
	}
}

func TestShrunkSource(t *testing.T) {
	source := riff(chunk("fmt ", format(tagPCM, 1, 8000, 2, 16)), chunk("data", ramp(100)))
	clip := parse(t, source).Cut(0, 1)
	if _, err := io.ReadAll(clip.NewReader(bytes.NewReader(source[:80]))); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("error %v, want %v", err, io.ErrUnexpectedEOF)
	}
}

// TestAgainstFFmpeg compares the samples of clips with those that ffmpeg cuts.
func TestAgainstFFmpeg(t *testing.T) {
	sharedtest.NotShort(t)
	for _, name := range []string{"pcm16.wav", "float32.wav", "rf64.wav", "wav-cue-chapter.wav"} {
		path := sharedtest.Corpus(t, "media/"+name)
		source := sharedtest.Read(t, path)
		clip := parse(t, source).Cut(0.1, 0.3)
		cut := t.TempDir() + "/clip.wav"
		sharedtest.Write(t, cut, read(t, clip, source))
		trim := []string{"-af", "atrim=start_sample=" + strconv.FormatInt(clip.First, 10) + ":end_sample=" + strconv.FormatInt(clip.End, 10)}
		want := samples(t, path, trim...)
		if got := samples(t, cut); got != want || !strings.Contains(got, "SHA256") {
			t.Errorf("%s: samples %s, want %s", name, got, want)
		}
	}
}

func samples(t *testing.T, path string, args ...string) string {
	t.Helper()
	all := append([]string{"-nostdin", "-v", "error", "-i", path, "-map", "0:a"}, args...)
	return string(ffmpegtest.Run(t, "ffmpeg", append(all, "-f", "hash", "-")...))
}

func FuzzParse(f *testing.F) {
	f.Add(riff(chunk("fmt ", format(tagPCM, 2, 44100, 4, 16)), chunk("data", ramp(64))))
	f.Add(riff(chunk("ds64", ramp(28)), chunk("fmt ", format(tagFloat, 1, 8000, 4, 32)), chunk("fact", ramp(4)), chunk("data", ramp(9))))
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := Parse(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			if !errors.Is(err, citekit.ErrFormat) && !errors.Is(err, errors.ErrUnsupported) {
				t.Fatalf("error %v", err)
			}
			return
		}
		clip := file.Cut(0, file.Duration()+1)
		if clip.End != file.Frames {
			t.Fatalf("a cut of everything ends at frame %d of %d", clip.End, file.Frames)
		}
		got, err := io.ReadAll(clip.NewReader(bytes.NewReader(data)))
		if err != nil || int64(len(got)) != clip.Size() {
			t.Fatalf("%d bytes, Size %d, %v", len(got), clip.Size(), err)
		}
		again, err := Parse(bytes.NewReader(got), int64(len(got)))
		if err != nil || again.Frames != file.Frames || again.Rate != file.Rate {
			t.Fatalf("the clip reads as %+v, %v; the source as %+v", again, err, file)
		}
	})
}
