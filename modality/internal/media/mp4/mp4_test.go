package mp4_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/citekit/citekit/internal/test/mp4test"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/modality/internal/media/mp4"
)

func open(t testing.TB, file []byte) *mp4.Movie {
	t.Helper()
	m, err := mp4.Open(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// cutBytes returns the file of a clip and what was decided about it.
func cutBytes(t testing.TB, file []byte, start, end float64, mode mp4.Mode) ([]byte, *mp4.Clip) {
	t.Helper()
	c, err := open(t, file).Cut(start, end, mode)
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(c.NewReader(bytes.NewReader(file)))
	if err != nil {
		t.Fatal(err)
	}
	if int64(len(b)) != c.Size() {
		t.Fatalf("clip of %d bytes declared %d", len(b), c.Size())
	}
	return b, c
}

// content returns the content of the box at a path of kinds, or nil.
func content(file []byte, path ...string) []byte {
	for len(file) >= 8 {
		n := int(binary.BigEndian.Uint32(file))
		if n < 8 || n > len(file) {
			return nil
		}
		if string(file[4:8]) == path[0] {
			if len(path) == 1 {
				return file[8:n]
			}
			return content(file[8:n], path[1:]...)
		}
		file = file[n:]
	}
	return nil
}

// words returns the 32-bit words of a table box after its header and count.
func words(b []byte) (w []int32) {
	if len(b) < 8 {
		return nil
	}
	for b = b[8:]; len(b) >= 4; b = b[4:] {
		w = append(w, int32(binary.BigEndian.Uint32(b)))
	}
	return w
}

// table returns the words of a table of the clip's only track.
func tableOf(file []byte, kind string) []int32 {
	return words(content(file, "moov", "trak", "mdia", "minf", "stbl", kind))
}

func frameBytes(from, to, width, height int) []byte {
	var b []byte
	for n := from; n < to; n++ {
		b = append(b, mp4test.Frame(n, width, height)...)
	}
	return b
}

func TestCutFrames(t *testing.T) {
	file := mp4test.Video(100, 25, 32, 32)
	tests := []struct {
		start, end float64
		from, to   int
	}{
		{0, 4, 0, 100},
		{0, 100, 0, 100},
		{1, 2, 25, 50},
		{1.001, 2.001, 26, 51},
		{0.04, 0.08, 1, 2},
		{0.0399999, 0.0800001, 1, 2}, // within half a microsecond
		{0.039, 0.081, 1, 3},
		{3.96, 4, 99, 100},
		{0.333333, 0.666667, 9, 17},
	}
	for _, tt := range tests {
		clip, c := cutBytes(t, file, tt.start, tt.end, mp4.Exact)
		if !bytes.Equal(content(clip, "mdat"), frameBytes(tt.from, tt.to, 32, 32)) {
			t.Errorf("[%g, %g): not frames %d to %d", tt.start, tt.end, tt.from, tt.to)
		}
		if got, want := c.End(), min(tt.end, 4); c.Start() != tt.start || got != want {
			t.Errorf("[%g, %g): range [%g, %g)", tt.start, tt.end, c.Start(), got)
		}
		if got, want := open(t, clip).Duration(), min(tt.end, 4)-tt.start; math.Abs(got-want) > 1e-3 {
			t.Errorf("[%g, %g): clip lasts %g, want %g", tt.start, tt.end, got, want)
		}
	}
}

func TestCutSamplesOfPCM(t *testing.T) {
	const rate = 8000
	file := mp4test.PCM(5, rate, 2)
	for _, r := range [][2]float64{{0, 5}, {0, 0.001}, {1.23456, 3.21}, {4.999, 5}, {0.5, 1}, {2.4999, 2.5001}} {
		clip, _ := cutBytes(t, file, r[0], r[1], mp4.Exact)
		var want []byte
		for n := int(math.Round(r[0] * rate)); n < int(math.Round(r[1]*rate)); n++ {
			for channel := range 2 {
				want = binary.LittleEndian.AppendUint16(want, uint16(mp4test.Tone(n, channel, rate)))
			}
		}
		if got := content(clip, "mdat"); !bytes.Equal(got, want) {
			t.Errorf("[%g, %g): %d bytes of sound, want %d", r[0], r[1], len(got), len(want))
		}
	}
}

// reordered is a track with two groups of pictures of eight frames, B-frames
// and, before the second sync sample shows, two that need the first group.
// Sample n holds the bytes "<n>"; times are in tenths of a second.
func reordered() mp4test.Track {
	shown := []int{0, 3, 1, 2, 6, 4, 5, 7, 10, 8, 9, 13, 11, 12, 15, 14} // time of each sample, in decode order
	t := mp4test.Track{Handler: "vide", Codec: "avc1", Entry: make([]byte, 78), Timescale: 10, PerChunk: 3}
	for i, pts := range shown {
		t.Samples = append(t.Samples, mp4test.Sample{
			Data: fmt.Appendf(nil, "<%d>", i), Duration: 1, Shift: int32(pts - i), Sync: i == 0 || i == 8,
		})
	}
	return t
}

// samplesFrom returns the bytes of samples of [reordered].
func samplesFrom(first, stop int) string {
	var b strings.Builder
	for i := first; i < stop; i++ {
		fmt.Fprintf(&b, "<%d>", i)
	}
	return b.String()
}

func TestCutReordered(t *testing.T) {
	file := mp4test.Movie{Tracks: []mp4test.Track{reordered()}}.Bytes()
	tests := []struct {
		start, end  float64
		mode        mp4.Mode
		first, stop int
		at          float64 // range's start
	}{
		{0, 1.6, mp4.Exact, 0, 16, 0},
		{0.1, 0.3, mp4.Exact, 0, 4, 0.1},
		{0.2, 0.4, mp4.Exact, 0, 4, 0.2},
		{0.9, 1.1, mp4.Exact, 0, 11, 0.9}, // a leading frame needs the first group
		{1.0, 1.1, mp4.Exact, 8, 9, 1.0},  // the sync sample itself
		{1.1, 1.3, mp4.Exact, 8, 14, 1.1}, //
		{1.4, 1.5, mp4.Exact, 8, 16, 1.4}, //
		{1.2, 1.4, mp4.Copy, 8, 14, 1.0},  // from the sync sample on
		{0.95, 1.05, mp4.Copy, 0, 11, 0},  //
		{1.0, 1.25, mp4.Copy, 8, 14, 1.0}, //
		{1.05, 1.55, mp4.Exact, 8, 16, 1.05},
	}
	for _, tt := range tests {
		clip, c := cutBytes(t, file, tt.start, tt.end, tt.mode)
		if got, want := string(content(clip, "mdat")), samplesFrom(tt.first, tt.stop); got != want {
			t.Errorf("[%g, %g) mode %d: samples %s, want %s", tt.start, tt.end, tt.mode, got, want)
		}
		if c.Start() != tt.at || c.End() != tt.end {
			t.Errorf("[%g, %g) mode %d: range [%g, %g)", tt.start, tt.end, tt.mode, c.Start(), c.End())
		}
	}
}

func TestTimesOfReordered(t *testing.T) {
	file := mp4test.Movie{Tracks: []mp4test.Track{reordered()}}.Bytes()
	clip, _ := cutBytes(t, file, 1.1, 1.3, mp4.Exact)
	// The clip's ticks are 1/10000 s: 1000 times finer than the source's.
	if diff := cmp.Diff([]int32{6, 1000}, tableOf(clip, "stts")); diff != "" {
		t.Errorf("stts (-want +got):\n%s", diff)
	}
	// Samples 8-13 show at 10, 8, 9, 13, 11, 12: offsets 2, -1, -1, 2, -1, -1, all raised by 1.
	if diff := cmp.Diff([]int32{1, 3000, 2, 0, 1, 3000, 2, 0}, tableOf(clip, "ctts")); diff != "" {
		t.Errorf("ctts (-want +got):\n%s", diff)
	}
	// Of media that begins at decode time 8, raised by 1, tick 11 is 4.
	if diff := cmp.Diff([]int32{2000, 4000, 1 << 16}, words(content(clip, "moov", "trak", "edts", "elst"))); diff != "" {
		t.Errorf("elst (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]int32{1}, tableOf(clip, "stss")); diff != "" {
		t.Errorf("stss (-want +got):\n%s", diff)
	}
}

func TestEditLists(t *testing.T) {
	sharedtest.NotShort(t)
	tests := []struct {
		name       string
		edits      []mp4test.Edit
		duration   float64
		start, end float64
		from, to   int
	}{
		{"late", []mp4test.Edit{{Length: 10000, Media: -1}, {Length: 4000}}, 14, 10, 11, 0, 25},
		{"late, over the gap", []mp4test.Edit{{Length: 10000, Media: -1}, {Length: 4000}}, 14, 9, 10.2, 0, 5},
		{"trimmed", []mp4test.Edit{{Length: 2000, Media: 512 * 25}}, 2, 0.4, 0.8, 35, 45},
		{"to the end", []mp4test.Edit{{Media: 512 * 50}}, 2, 1, 2, 75, 100},
		{"longer than the media", []mp4test.Edit{{Length: 9000, Media: 512 * 50}}, 2, 1, 2, 75, 100},
		{"two, within one", []mp4test.Edit{{Length: 1000}, {Length: 1000, Media: 512 * 75}}, 2, 1.2, 1.6, 80, 90},
		{"two, over both", []mp4test.Edit{{Length: 1000}, {Length: 1000, Media: 512 * 50}}, 2, 0.8, 1.2, 20, 55},
		{"backwards", []mp4test.Edit{{Length: 1000, Media: 512 * 50}, {Length: 1000}}, 2, 0.8, 1.2, 0, 75},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			track := mp4test.VideoTrack(100, 25, 16, 16)
			track.Edits = tt.edits
			file := mp4test.Movie{Tracks: []mp4test.Track{track}}.Bytes()
			if d := open(t, file).Duration(); math.Abs(d-tt.duration) > 1e-9 {
				t.Errorf("Duration() = %g, want %g", d, tt.duration)
			}
			clip, _ := cutBytes(t, file, tt.start, tt.end, mp4.Exact)
			if !bytes.Equal(content(clip, "mdat"), frameBytes(tt.from, tt.to, 16, 16)) {
				t.Errorf("not frames %d to %d", tt.from, tt.to)
			}
			if d := open(t, clip).Duration(); math.Abs(d-(tt.end-tt.start)) > 1e-3 {
				t.Errorf("clip lasts %g, want %g", d, tt.end-tt.start)
			}
		})
	}
}

func TestEmptyEditWhereTheFirstFrameIsLate(t *testing.T) {
	clip, _ := cutBytes(t, mp4test.Video(100, 25, 16, 16), 1.01, 2, mp4.Exact)
	m := open(t, clip)
	if got := m.Tracks()[0].Start; math.Abs(got-0.03) > 1e-4 {
		t.Errorf("first frame at %g, want 0.03", got)
	}
}

func TestSubtitlesAreCut(t *testing.T) {
	video := mp4test.VideoTrack(250, 25, 16, 16)
	text := mp4test.Track{Handler: "text", Codec: "tx3g", Entry: make([]byte, 38), Timescale: 1000, Language: "deu"}
	for i, length := range []uint32{1000, 3000, 2000, 4000} {
		text.Samples = append(text.Samples, mp4test.Sample{Data: fmt.Appendf(nil, "cue%d", i), Duration: length, Sync: true})
	}
	file := mp4test.Movie{Tracks: []mp4test.Track{video, text}}.Bytes()
	clip, c := cutBytes(t, file, 2, 5, mp4.Exact)
	if len(c.Tracks()) != 2 {
		t.Fatalf("%d tracks", len(c.Tracks()))
	}
	media := content(clip, "mdat")
	if bytes.Contains(media, []byte("cue0")) || !bytes.Contains(media, []byte("cue1")) ||
		!bytes.Contains(media, []byte("cue2")) || bytes.Contains(media, []byte("cue3")) {
		t.Error("not cues 1 and 2")
	}
	_, rest, _ := bytes.Cut(clip, []byte("tx3g"))
	if diff := cmp.Diff([]int32{1, 2000, 1, 1000}, tableWords(rest, "stts")); diff != "" {
		t.Errorf("durations of the cues (-want +got):\n%s", diff)
	}
	if got := open(t, clip).Tracks()[1]; got.Language != "deu" || got.Kind != mp4.Subtitle || got.Codec != "tx3g" {
		t.Errorf("subtitle track %+v", got)
	}
}

// tableWords returns the entries of the first table of a kind in b.
func tableWords(b []byte, kind string) []int32 {
	i := bytes.Index(b, []byte(kind))
	return words(b[i+4 : i-4+int(binary.BigEndian.Uint32(b[i-4:]))])
}

func TestTracksKeptAndDropped(t *testing.T) {
	video := mp4test.VideoTrack(50, 25, 64, 48)
	video.Matrix = [9]uint32{0, 1 << 16, 0, 0xffff0000, 0, 0, 48 << 16, 0, 1 << 30} // a quarter clockwise
	video.Refs = map[string]uint32{"chap": 3, "tmcd": 4}
	sound := mp4test.PCMTrack(2, 8000, 1)
	sound.Language = "fra"
	chapters := mp4test.Track{Handler: "text", Codec: "text", Entry: make([]byte, 50), Timescale: 1000,
		Samples: []mp4test.Sample{{Data: []byte("chapter"), Duration: 2000, Sync: true}}}
	timecode := mp4test.Track{Handler: "tmcd", Codec: "tmcd", Entry: make([]byte, 26), Timescale: 25,
		Samples: []mp4test.Sample{{Data: []byte("timecode"), Duration: 50, Sync: true}}}
	file := mp4test.Movie{Brand: "qt  ", Tracks: []mp4test.Track{video, sound, chapters, timecode}}.Bytes()
	want := []mp4.Track{
		{ID: 1, Kind: mp4.Video, Codec: "png ", Width: 64, Height: 48, Rotation: 90, Timescale: 12800, Samples: 50, End: 2},
		{ID: 2, Kind: mp4.Audio, Codec: "sowt", Language: "fra", Timescale: 8000, Samples: 16000, End: 2},
	}
	if diff := cmp.Diff(want, open(t, file).Tracks()); diff != "" {
		t.Errorf("Tracks() (-want +got):\n%s", diff)
	}
	clip, _ := cutBytes(t, file, 0.4, 1.6, mp4.Exact)
	want[0].Samples, want[0].End, want[1].Samples, want[1].End = 30, 1.2, 9600, 1.2
	if diff := cmp.Diff(want, open(t, clip).Tracks()); diff != "" {
		t.Errorf("Tracks() of the clip (-want +got):\n%s", diff)
	}
	for _, gone := range []string{"chap", "tmcd", "tref", "chapter", "timecode"} {
		if bytes.Contains(clip, []byte(gone)) {
			t.Errorf("clip has %q", gone)
		}
	}
	if !bytes.HasPrefix(clip[4:], []byte("ftypqt  ")) {
		t.Errorf("clip begins %q", clip[:16])
	}
	if bytes.Index(clip, []byte("moov")) > bytes.Index(clip, []byte("mdat")) {
		t.Error("movie box after the media")
	}
}

func TestErrors(t *testing.T) {
	video := func(change func(*mp4test.Track)) []byte {
		track := mp4test.VideoTrack(50, 1, 16, 16)
		change(&track)
		return mp4test.Movie{Tracks: []mp4test.Track{track, mp4test.PCMTrack(50, 100, 1)}}.Bytes()
	}
	good := video(func(*mp4test.Track) {})
	patched := func(kind string, at int, with string) []byte {
		b := bytes.Clone(good)
		copy(b[bytes.Index(b, []byte(kind))+at:], with)
		return b
	}
	tests := []struct {
		name       string
		file       []byte
		start, end float64
		want       error
	}{
		{"nothing", nil, 0, 1, mp4.ErrFormat},
		{"playlist", []byte("#EXTM3U\n#EXT-X-VERSION:3\nsecret.ts\n"), 0, 1, mp4.ErrFormat},
		{"concat", []byte("ffconcat version 1.0\nfile secret.mp4\n"), 0, 1, mp4.ErrFormat},
		{"cut short", good[:len(good)-100], 0, 1, mp4.ErrDamaged},
		{"only a file type", good[:20], 0, 1, mp4.ErrDamaged},
		{"fragments", patched("moov", 0, "moof"), 0, 1, mp4.ErrFragmented},
		{"announced fragments", mp4test.Movie{Tracks: []mp4test.Track{reordered()}, Extra: mp4test.Box("mvex", nil)}.Bytes(), 0, 1, mp4.ErrFragmented},
		{"compressed", mp4test.Movie{Extra: mp4test.Box("cmov", nil)}.Bytes(), 0, 1, errors.ErrUnsupported},
		{"no tracks", mp4test.Movie{}.Bytes(), 0, 1, mp4.ErrDamaged},
		{"no descriptions", patched("stsd", 0, "free"), 0, 1, mp4.ErrDamaged},
		{"no description", patched("stsd", 11, "\x02"), 0, 1, mp4.ErrDamaged},
		{"no durations", patched("stts", 0, "free"), 0, 1, mp4.ErrDamaged},
		{"too few durations", patched("stts", 15, "\x05"), 0, 1, mp4.ErrDamaged},
		{"2^32 runs of durations", patched("stts", 8, "\xff\xff\xff\xff"), 0, 1, mp4.ErrDamaged},
		{"2^32 sizes", patched("stsz", 12, "\xff\xff\xff\xff"), 0, 1, mp4.ErrTooLarge},
		{"2^31 sizes", patched("stsz", 12, "\x7f\xff\xff\xff"), 0, 1, mp4.ErrDamaged},
		{"2^32 chunks", patched("stco", 8, "\xff\xff\xff\xff"), 0, 1, mp4.ErrDamaged},
		{"chunk outside the file", patched("stco", 12, "\x7f\xff\xff\xff"), 0, 1, mp4.ErrDamaged},
		{"no chunks", patched("stco", 0, "free"), 0, 1, mp4.ErrDamaged},
		{"no map to chunks", patched("stsc", 0, "free"), 0, 1, mp4.ErrDamaged},
		{"chunks from 2", patched("stsc", 15, "\x02"), 0, 1, mp4.ErrDamaged},
		{"empty chunks", patched("stsc", 16, "\x00\x00\x00\x00"), 0, 1, mp4.ErrDamaged},
		{"description 9", patched("stsc", 23, "\x09"), 0, 1, mp4.ErrDamaged},
		{"box too long", patched("smhd", -4, "\x00\x00\xff\xff"), 0, 1, mp4.ErrDamaged},
		{"media elsewhere", patched("url ", 7, "\x00"), 0, 1, errors.ErrUnsupported},
		{"encrypted", patched("png ", 0, "encv"), 0, 1, errors.ErrUnsupported},
		{"timescale of zero", patched("mdhd", 16, "\x00\x00\x00\x00"), 0, 1, mp4.ErrDamaged},
		{"double speed", video(func(t *mp4test.Track) { t.Edits = []mp4test.Edit{{Length: 1000, Rate: 2 << 16}} }), 0, 1, errors.ErrUnsupported},
		{"endless edit", video(func(t *mp4test.Track) { t.Edits = []mp4test.Edit{{Length: 1 << 60}} }), 0, 1, mp4.ErrDamaged},
		{"before zero", good, -1, 1, mp4.ErrRange},
		{"reversed", good, 2, 1, mp4.ErrRange},
		{"no length", good, 1, 1, mp4.ErrRange},
		{"not a number", good, math.NaN(), 1, mp4.ErrRange},
		{"not a number to end at", good, 0, math.NaN(), mp4.ErrRange},
		{"after the end", good, 50, 51, mp4.ErrRange},
		{"inside a frame", good, 0.2, 0.8, mp4.ErrEmpty},
		{"in a gap", mp4test.Movie{Tracks: []mp4test.Track{func() mp4test.Track {
			t := reordered()
			t.Edits = []mp4test.Edit{{Length: 5000, Media: -1}, {Length: 1000}}
			return t
		}()}}.Bytes(), 1, 2, mp4.ErrEmpty},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m, err := mp4.Open(bytes.NewReader(tt.file), int64(len(tt.file)))
			if err == nil {
				_, err = m.Cut(tt.start, tt.end, mp4.Exact)
			}
			if !errors.Is(err, tt.want) {
				t.Errorf("error %v, want %v", err, tt.want)
			}
		})
	}
}

func TestFileCutShort(t *testing.T) {
	track := mp4test.VideoTrack(100, 25, 16, 16)
	file := mp4test.Movie{MediaLast: true, Tracks: []mp4test.Track{track}}.Bytes()
	short := file[:len(file)/2+len(file)/4]
	m := open(t, short)
	if _, err := m.Cut(0.2, 0.4, mp4.Exact); err != nil {
		t.Errorf("what is there: %v", err)
	}
	if _, err := m.Cut(3, 4, mp4.Exact); !errors.Is(err, mp4.ErrRange) || !strings.Contains(err.Error(), "cut short") {
		t.Errorf("what is not there: %v", err)
	}
	if d := m.Duration(); !m.Short() || d < 2 || d > 3 {
		t.Errorf("lasts %v s, short %v", d, m.Short())
	}
	if _, err := m.Cut(m.Duration()-0.04, m.Duration(), mp4.Exact); err != nil {
		t.Errorf("the last frame that is there: %v", err)
	}
	c, err := open(t, file).Cut(3, 4, mp4.Exact)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadAll(c.NewReader(bytes.NewReader(short))); !errors.Is(err, mp4.ErrDamaged) {
		t.Errorf("file that shrank: %v", err)
	}
}

func TestReader(t *testing.T) {
	file := mp4test.Movie{Tracks: []mp4test.Track{mp4test.VideoTrack(100, 25, 64, 64), mp4test.PCMTrack(4, 48000, 2)}}.Bytes()
	clip, c := cutBytes(t, file, 0.5, 3.5, mp4.Exact)
	if err := iotest.TestReader(c.NewReader(bytes.NewReader(file)), clip); err != nil {
		t.Error(err)
	}
	var copied bytes.Buffer
	if n, err := io.Copy(&copied, c.NewReader(bytes.NewReader(file))); err != nil || n != c.Size() {
		t.Errorf("Copy: %d, %v", n, err)
	}
	if !bytes.Equal(copied.Bytes(), clip) {
		t.Error("Copy and Read differ")
	}
	again, _ := cutBytes(t, file, 0.5, 3.5, mp4.Exact)
	if !bytes.Equal(again, clip) {
		t.Error("the same cut differs")
	}
}

// A cut of a clip is the cut of its source.
func TestCutOfCut(t *testing.T) {
	file := mp4test.Movie{Tracks: []mp4test.Track{mp4test.VideoTrack(250, 25, 16, 16), mp4test.PCMTrack(10, 8000, 1)}}.Bytes()
	once, _ := cutBytes(t, file, 3, 5, mp4.Exact)
	first, _ := cutBytes(t, file, 2, 8, mp4.Exact)
	twice, _ := cutBytes(t, first, 1, 3, mp4.Exact)
	if !bytes.Equal(once, twice) {
		t.Error("cutting twice differs from cutting once")
	}
}

func TestWideOffsets(t *testing.T) {
	track := mp4test.VideoTrack(8, 1, 16, 16)
	track.PerChunk = 8
	for i := range track.Samples {
		track.Samples[i].Data = make([]byte, 7) // of one size, set below
	}
	file := mp4test.Movie{Wide: true, MediaLast: true, Tracks: []mp4test.Track{track}}.Bytes()
	binary.BigEndian.PutUint32(file[bytes.Index(file, []byte("stsz"))+8:], 1<<30)
	source := io.NewSectionReader(sparse(file), 0, 9<<30)
	m, err := mp4.Open(source, source.Size())
	if err != nil {
		t.Fatal(err)
	}
	c, err := m.Cut(2, 8, mp4.Exact)
	if err != nil {
		t.Fatal(err)
	}
	header := make([]byte, 4096)
	if _, err := io.ReadFull(c.NewReader(source), header); err != nil {
		t.Fatal(err)
	}
	if c.Size() < 6<<30 || !bytes.Contains(header, []byte("co64")) || !bytes.Contains(header, []byte("\x00\x00\x00\x01mdat\x00\x00\x00\x01")) {
		t.Errorf("clip of %d bytes begins %q", c.Size(), header[:900])
	}
}

// sparse is a file that goes on with zeros.
type sparse []byte

func (s sparse) ReadAt(p []byte, off int64) (int, error) {
	clear(p)
	if off < int64(len(s)) {
		copy(p, s[off:])
	}
	return len(p), nil
}

func FuzzOpen(f *testing.F) {
	f.Add(mp4test.Video(10, 10, 8, 8), 0.2, 0.7)
	f.Add(mp4test.PCM(0.2, 800, 1), 0.05, 0.1)
	f.Add(mp4test.Movie{Wide: true, MediaLast: true, Tracks: []mp4test.Track{reordered()}}.Bytes(), 0.5, 1.2)
	edited := reordered()
	edited.Edits = []mp4test.Edit{{Length: 500, Media: -1}, {Length: 300, Media: 2}, {Length: 900, Media: 5}}
	f.Add(mp4test.Movie{Tracks: []mp4test.Track{edited}}.Bytes(), 0.4, 1.3)
	f.Fuzz(func(t *testing.T, file []byte, start, end float64) {
		r := bytes.NewReader(file)
		m, err := mp4.Open(r, r.Size())
		if err != nil {
			return
		}
		if m.Cost() > 64*int64(len(file))+1<<16 {
			t.Errorf("%d bytes of memory for a file of %d", m.Cost(), len(file))
		}
		m.SyncBefore(start)
		for _, mode := range []mp4.Mode{mp4.Exact, mp4.Copy} {
			c, err := m.Cut(start, end, mode)
			if err != nil {
				continue
			}
			if c.Size() > 64*int64(len(file))+1<<16 {
				t.Errorf("clip of %d bytes of a file of %d", c.Size(), len(file))
			}
			b, err := io.ReadAll(c.NewReader(r))
			if err != nil || int64(len(b)) != c.Size() {
				t.Fatalf("%d of %d bytes: %v", len(b), c.Size(), err)
			}
			if _, err := mp4.Open(bytes.NewReader(b), int64(len(b))); err != nil {
				t.Errorf("clip does not open: %v", err)
			}
		}
	})
}
