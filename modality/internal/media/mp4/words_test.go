package mp4

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/citekit/citekit/internal/test/mp4test"
	"github.com/citekit/citekit/modality/internal/media/metadata"
)

// sample returns a text sample that lasts so many ticks.
func textOf(text string, ticks uint32) mp4test.Sample {
	data := binary.BigEndian.AppendUint16(nil, uint16(len(text)))
	return mp4test.Sample{Data: append(data, text+"\x00\x00\x00\x0cencd\x00\x00\x01\x00"...), Duration: ticks, Sync: true}
}

func chapterMovie(chapters mp4test.Track, extra []byte) []byte {
	video := mp4test.VideoTrack(20, 10, 16, 8)
	video.Refs = map[string]uint32{"chap": 2}
	chapters.Handler, chapters.Codec, chapters.Entry = "text", "text", make([]byte, 51)
	if chapters.Timescale == 0 {
		chapters.Timescale = 1000
	}
	return mp4test.Movie{Brand: "qt  ", Tracks: []mp4test.Track{video, chapters}, Extra: extra}.Bytes()
}

// nero returns a list of chapters as Nero's.
func nero(version byte, count []byte, starts []uint64, titles ...string) []byte {
	b := append([]byte{version, 0, 0, 0}, count...)
	for i, start := range starts {
		b = binary.BigEndian.AppendUint64(b, start)
		b = append(append(b, byte(len(titles[i]))), titles[i]...)
	}
	return mp4test.Box("udta", mp4test.Box("chpl", b))
}

func TestChapters(t *testing.T) {
	for name, c := range map[string]struct {
		data []byte
		want []metadata.Chapter
	}{
		"track": {chapterMovie(mp4test.Track{Samples: []mp4test.Sample{textOf("One", 501), textOf("\xfe\xff\x00T\x00w\x00\xf6", 700), textOf("Three", 799)}}, nil),
			[]metadata.Chapter{{End: 0.501, Title: "One"}, {Start: 0.501, End: 1.201, Title: "Twö"}, {Start: 1.201, End: 2, Title: "Three"}}},
		"in chunks of two": {chapterMovie(mp4test.Track{PerChunk: 2, Samples: []mp4test.Sample{textOf("One", 500), textOf("Two", 500), textOf("Three", 500), textOf("4", 500)}}, nil),
			[]metadata.Chapter{{End: 0.5, Title: "One"}, {Start: 0.5, End: 1, Title: "Two"}, {Start: 1, End: 1.5, Title: "Three"}, {Start: 1.5, End: 2, Title: "4"}}},
		"gap": {chapterMovie(mp4test.Track{Samples: []mp4test.Sample{textOf("", 500), textOf("Two", 500)}}, nil),
			[]metadata.Chapter{{Start: 0.5, End: 1, Title: "Two"}}},
		"untitled": {chapterMovie(mp4test.Track{Samples: []mp4test.Sample{textOf("", 500), textOf("", 500)}}, nil),
			[]metadata.Chapter{{End: 0.5}, {Start: 0.5, End: 1}}},
		"edits": {chapterMovie(mp4test.Track{Samples: []mp4test.Sample{textOf("One", 500), textOf("Two", 500), textOf("Three", 500)},
			Edits: []mp4test.Edit{{Length: 250, Media: -1}, {Length: 900, Media: 250}}}, nil),
			[]metadata.Chapter{{Start: 0.25, End: 0.5, Title: "One"}, {Start: 0.5, End: 1, Title: "Two"}, {Start: 1, End: 1.15, Title: "Three"}}},
		"Nero": {chapterMovie(mp4test.Track{Samples: nil}, nero(1, []byte{0, 0, 0, 0, 2}, []uint64{5e6, 0}, "Caf\xe9", "First")),
			[]metadata.Chapter{{Title: "First"}, {Start: 0.5, Title: "Café"}}},
		"Nero, version 0": {chapterMovie(mp4test.Track{Samples: nil}, nero(0, []byte{1}, []uint64{15e6}, "A")), []metadata.Chapter{{Start: 1.5, Title: "A"}}},
		"Nero, many":      {chapterMovie(mp4test.Track{Samples: nil}, nero(1, []byte{0, 0, 0, 1, 44}, make([]uint64, 300), make([]string, 300)...)), make([]metadata.Chapter, 300)},
		"Nero, too many":  {chapterMovie(mp4test.Track{Samples: nil}, nero(1, []byte{0, 0xff, 0xff, 0xff, 0xff}, []uint64{0}, "A")), []metadata.Chapter{{Title: "A"}}},
		"both":            {chapterMovie(mp4test.Track{Samples: []mp4test.Sample{textOf("Track", 500)}}, nero(0, []byte{1}, []uint64{0}, "List")), []metadata.Chapter{{End: 0.5, Title: "Track"}}},
	} {
		w, err := ReadWords(bytes.NewReader(c.data), int64(len(c.data)))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if diff := cmp.Diff(c.want, w.Chapters); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", name, diff)
		}
	}
}

func TestTags(t *testing.T) {
	item := func(kind string, value string) []byte {
		return mp4test.Box(kind, mp4test.Box("data", append([]byte{0, 0, 0, 1, 0, 0, 0, 0}, value...)))
	}
	names := func(names ...string) []byte {
		b := []byte{0, 0, 0, 0, 0, 0, 0, byte(len(names))}
		for _, name := range names {
			b = append(b, mp4test.Box("mdta", []byte(name))...)
		}
		return mp4test.Box("keys", b)
	}
	join := func(parts ...[]byte) []byte { return bytes.Join(parts, nil) }
	for name, extra := range map[string][]byte{
		"iTunes": mp4test.Box("udta", mp4test.Box("meta", join(make([]byte, 4), mp4test.Box("ilst",
			join(item(keyTitle, "Tïtle"), item(keyArtist, "Artist"), item(keyDate, "2020"), item("trkn", "x")))))),
		"QuickTime": mp4test.Box("udta", join(mp4test.Box(keyTitle, []byte("\x00\x06\x00\x00Tïtle")), mp4test.Box(keyArtist, []byte("\x00\x06\x15\xc7Artist")), mp4test.Box(keyDate, []byte("\x00\x04\x00\x002020")))),
		"keys": mp4test.Box("meta", join(names("com.apple.quicktime.artist", "other", "com.apple.quicktime.title", "com.apple.quicktime.creationdate"), mp4test.Box("ilst",
			join(item("\x00\x00\x00\x03", "Tïtle"), item("\x00\x00\x00\x01", "Artist"), item("\x00\x00\x00\x04", "2020"), item("\x00\x00\x00\x09", "none"))))),
	} {
		data := mp4test.Movie{Tracks: []mp4test.Track{mp4test.VideoTrack(2, 10, 16, 8)}, Extra: extra}.Bytes()
		w, err := ReadWords(bytes.NewReader(data), int64(len(data)))
		if err != nil || w.Title != "Tïtle" || w.Artist != "Artist" || w.Date != "2020" {
			t.Errorf("%s: %+v, %v", name, w, err)
		}
	}
}

func TestCues(t *testing.T) {
	vttc := func(text string) []byte {
		return mp4test.Box("vttc", append(mp4test.Box("sttg", []byte("line:0")), mp4test.Box("payl", []byte(text))...))
	}
	plain := mp4test.Track{Handler: "sbtl", Codec: "tx3g", Entry: make([]byte, 38), Timescale: 1000, Language: "fra",
		Samples: []mp4test.Sample{textOf("", 250), textOf("Un <b>", 500), textOf("", 1000), textOf("deux\ntrois", 100)}}
	web := mp4test.Track{Handler: "text", Codec: "wvtt", Entry: make([]byte, 16), Timescale: 90000, Language: "eng",
		Samples: []mp4test.Sample{{Data: mp4test.Box("vtte", nil), Duration: 9000, Sync: true}, {Data: append(vttc("<i>a</i>"), vttc("b")...), Duration: 45000, Sync: true}}}
	data := mp4test.Movie{Tracks: []mp4test.Track{mp4test.VideoTrack(20, 10, 16, 8), plain, web}}.Bytes()
	w, err := ReadWords(bytes.NewReader(data), int64(len(data)))
	if err != nil || len(w.Subtitles) != 2 {
		t.Fatalf("%+v, %v", w, err)
	}
	for i, want := range [][]Cue{{{0.25, 0.75, "Un <b>"}, {1.75, 1.85, "deux\ntrois"}}, {{0.1, 0.6, "<i>a</i>\nb"}}} {
		got, err := w.Subtitles[i].Cues(t.Context(), bytes.NewReader(data))
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%v (-want +got)\n%s", err, diff)
		}
	}
	if w.Subtitles[0].Language != "fra" || w.Subtitles[0].WebVTT() || !w.Subtitles[1].WebVTT() {
		t.Errorf("%+v", w.Subtitles)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := w.Subtitles[0].Cues(ctx, bytes.NewReader(data)); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: error %v", err)
	}
}

func TestWordsOfNothing(t *testing.T) {
	for name, data := range map[string]string{"empty": "", "text": strings.Repeat("words ", 10), "cut": "\x00\x00\x00\x08ftyp\x00\x00\x00\x40moov"} {
		if _, err := ReadWords(strings.NewReader(data), int64(len(data))); !errors.Is(err, ErrFormat) && !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

func FuzzWords(f *testing.F) {
	f.Add(chapterMovie(mp4test.Track{Samples: []mp4test.Sample{textOf("One", 501), textOf("Two", 700)}}, nero(1, []byte{0, 0, 0, 0, 1}, []uint64{0}, "A")))
	f.Add(mp4test.Movie{Tracks: []mp4test.Track{{Handler: "sbtl", Codec: "tx3g", Entry: make([]byte, 38), Timescale: 1000, Samples: []mp4test.Sample{textOf("a", 9)}}}}.Bytes())
	f.Fuzz(func(t *testing.T, data []byte) {
		w, err := ReadWords(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			return
		}
		for _, c := range w.Chapters {
			if !(c.Start >= 0 && c.End >= 0) {
				t.Fatalf("chapter %+v", c)
			}
		}
		for _, s := range w.Subtitles {
			cues, err := s.Cues(t.Context(), bytes.NewReader(data))
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range cues {
				if !(c.Start >= 0 && c.End >= c.Start) {
					t.Fatalf("cue %+v", c)
				}
			}
		}
	})
}
