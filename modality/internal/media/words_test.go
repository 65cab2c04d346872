package media

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"math"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/modality/internal/media/ffmpegtest"
)

// write writes a file into a directory and returns its path.
func write(t testing.TB, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	sharedtest.Write(t, path, []byte(text))
	return path
}

// beside returns companions with these contents, by name and text in turn.
func beside(files ...string) (found []citekit.Companion) {
	for ; len(files) > 1; files = files[2:] {
		name, text := files[0], files[1]
		found = append(found, citekit.Companion{Name: name, Open: func(context.Context) (*citekit.Source, error) {
			return citekit.NewSource(strings.NewReader(text), citekit.SourceInfo{Name: name, Size: int64(len(text))}), nil
		}})
	}
	return found
}

const (
	chapterList = `;FFMETADATA1
title=Two talks — 日本語
artist=A. Speaker
album=Collected talks
genre=Speech
date=2021-03-04
[CHAPTER]
TIMEBASE=1/1000
START=0
END=4001
title=Opening & <welcome>
[CHAPTER]
TIMEBASE=1/1000
START=4001
END=12500
title=第二章
[CHAPTER]
TIMEBASE=1/1000
START=12500
END=20000
title=Questions
`
	subtitles = `1
00:00:01,000 --> 00:00:03,500
Good morning, everyone.

2
00:00:05,250 --> 00:00:08,000
The <i>first</i> talk
is short.

3
00:00:13,000 --> 00:00:15,750
Any questions?
`
)

var spoken = []citekit.TextRun{
	{Text: "Good morning, everyone.\n", Location: citekit.Location{Time: citekit.Span{Start: 1, End: 3.5}}},
	{Text: "The first talk is short.\n", Location: citekit.Location{Time: citekit.Span{Start: 5.25, End: 8}}},
	{Text: "Any questions?\n", Location: citekit.Location{Time: citekit.Span{Start: 13, End: 15.75}}},
}

// talk makes a recording of 20 seconds with what args say.
func talk(t testing.TB, name string, args ...string) string {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, name)
	all := []string{"-nostdin", "-v", "error",
		"-f", "lavfi", "-i", "aevalsrc='0.2*sin(2*PI*300*t)':s=16000:d=20", "-f", "lavfi", "-i", "testsrc=size=64x48:rate=5:duration=20",
		"-f", "ffmetadata", "-i", write(t, dir, "chapters.txt", chapterList), "-i", write(t, dir, "words.srt", subtitles)}
	ffmpegtest.Run(t, "ffmpeg", append(append(all, args...), path)...)
	return path
}

// TestChapters makes a recording with chapters in every container that has
// them, and compares with ffprobe.
func TestChapters(t *testing.T) {
	sound := "-map 0 -map_metadata 2"
	both := "-map 0 -map 1 -map_metadata 2"
	for name, args := range map[string]string{
		"talk.mp4":       both,
		"talk.mov":       both,
		"talk.m4a":       sound,
		"talk.m4b":       sound + " -f mp4",
		"fragmented.mp4": both + " -movflags frag_keyframe+empty_moov",
		"talk.mkv":       both,
		"talk.mka":       sound,
		"talk.webm":      both + " -deadline realtime -cpu-used 8",
		"talk.mp3":       sound + " -id3v2_version 3",
		"talk4.mp3":      sound + " -id3v2_version 4",
		"talk.opus":      sound,
	} {
		t.Run(name, func(t *testing.T) {
			path := talk(t, name, strings.Fields(args)...)
			modality := citekit.Audio
			if args != sound && strings.HasPrefix(args, both) {
				modality = citekit.Video
			}
			want := probedChapters(t, path)
			s := mapFile(t, &Engine{Modality: modality}, path)
			if len(want) > 0 && want[2].End > 20-1e-9 { // what ffmpeg adds is not in the list
				want[2].End = s.Nodes[len(s.Nodes)-1].Location.Time.End
			}
			if diff := cmp.Diff(want, shorten(s.Nodes)); s.Method != "chapters" || len(want) != 3 || diff != "" {
				t.Errorf("%s (-ffprobe +map)\n%s", s.Method, diff)
			}
			if s.Title != "Two talks — 日本語" || s.Metadata["artist"] != "A. Speaker" || !strings.HasPrefix(fmt.Sprint(s.Metadata["date"]), "2021") {
				t.Errorf("title %q, metadata %v", s.Title, s.Metadata)
			}
			if s.Metadata["genre"] != "Speech" || s.Metadata["album"] != "Collected talks" {
				t.Errorf("metadata %v", s.Metadata)
			}
		})
	}
}

// TestCommentChapters has chapters in comments, as in Ogg and in FLAC.
func TestCommentChapters(t *testing.T) {
	comments := []string{"-map", "0", "-map_chapters", "-1", "-metadata", "CHAPTER002=00:00:07.250", "-metadata", "CHAPTER002NAME=World",
		"-metadata", "CHAPTER001=00:00:00.000", "-metadata", "CHAPTER001NAME=Hallo, schöne", "-metadata", "title=Both", "-metadata", "CHAPTER003=later"}
	for name, args := range map[string][]string{
		"talk.ogg": {"-c:a", "libvorbis"}, "talk.opus": nil, "talk.flac": nil, "flac.oga": {"-c:a", "flac"}, "talk.spx": {"-c:a", "libspeex"},
	} {
		if said, _ := exec.Command(sharedtest.Tool(t, "ffmpeg"), "-v", "error", "-h", "encoder=libspeex").CombinedOutput(); name == "talk.spx" && !strings.Contains(string(said), "Encoder") {
			continue
		}
		s := mapFile(t, &Engine{Modality: citekit.Audio}, talk(t, name, append(args, comments...)...))
		want := []mapped{{"chapter", "Hallo, schöne", 0, 7.25, nil}, {"chapter", "World", 7.25, s.Nodes[len(s.Nodes)-1].Location.Time.End, nil}}
		if diff := cmp.Diff(want, shorten(s.Nodes)); s.Title != "Both" || diff != "" {
			t.Errorf("%s: title %q (-want +got)\n%s", name, s.Title, diff)
		}
	}
}

// TestNestedChapters has mkvmerge write editions, nested chapters and titles in
// two languages.
func TestNestedChapters(t *testing.T) {
	tool := sharedtest.Tool(t, "mkvmerge")
	dir := t.TempDir()
	list := write(t, dir, "chapters.xml", `<?xml version="1.0"?>
<Chapters>
<EditionEntry><EditionFlagHidden>0</EditionFlagHidden><EditionFlagDefault>0</EditionFlagDefault>
 <ChapterAtom><ChapterTimeStart>00:00:00.000</ChapterTimeStart><ChapterDisplay><ChapterString>Other edition</ChapterString></ChapterDisplay></ChapterAtom>
</EditionEntry>
<EditionEntry><EditionFlagHidden>0</EditionFlagHidden><EditionFlagDefault>1</EditionFlagDefault>
 <ChapterAtom><ChapterTimeStart>00:00:00.000</ChapterTimeStart>
  <ChapterDisplay><ChapterString>Erster Teil</ChapterString><ChapterLanguage>ger</ChapterLanguage></ChapterDisplay>
  <ChapterDisplay><ChapterString>Part one</ChapterString><ChapterLanguage>eng</ChapterLanguage></ChapterDisplay>
  <ChapterAtom><ChapterTimeStart>00:00:01.000000001</ChapterTimeStart><ChapterTimeEnd>00:00:04.500</ChapterTimeEnd><ChapterDisplay><ChapterString>One A</ChapterString></ChapterDisplay></ChapterAtom>
  <ChapterAtom><ChapterTimeStart>00:00:05.000</ChapterTimeStart><ChapterDisplay><ChapterString>One B</ChapterString></ChapterDisplay>
   <ChapterAtom><ChapterTimeStart>00:00:06.000</ChapterTimeStart><ChapterDisplay><ChapterString>Deep</ChapterString></ChapterDisplay></ChapterAtom>
  </ChapterAtom>
  <ChapterAtom><ChapterTimeStart>00:00:07.000</ChapterTimeStart><ChapterFlagHidden>1</ChapterFlagHidden><ChapterDisplay><ChapterString>Hidden</ChapterString></ChapterDisplay></ChapterAtom>
 </ChapterAtom>
 <ChapterAtom><ChapterTimeStart>00:00:10.041666667</ChapterTimeStart><ChapterDisplay><ChapterString>Part two</ChapterString></ChapterDisplay></ChapterAtom>
 <ChapterAtom><ChapterTimeStart>00:00:15.000</ChapterTimeStart><ChapterFlagEnabled>0</ChapterFlagEnabled><ChapterDisplay><ChapterString>Disabled</ChapterString></ChapterDisplay></ChapterAtom>
 <ChapterAtom><ChapterTimeStart>99:00:00.000</ChapterTimeStart><ChapterDisplay><ChapterString>Beyond the end</ChapterString></ChapterDisplay></ChapterAtom>
</EditionEntry>
</Chapters>`)
	path := filepath.Join(dir, "nested.mkv")
	if said, err := exec.Command(tool, "-q", "-o", path, "--chapters", list, "--title", "A film", talk(t, "talk.mp4", "-map", "0", "-map", "1", "-t", "20", "-metadata:s:a:0", "language=eng")).CombinedOutput(); err != nil {
		t.Fatalf("mkvmerge: %v: %s", err, said)
	}
	s := mapFile(t, &Engine{Modality: citekit.Video}, path)
	end := s.Nodes[len(s.Nodes)-1].Location.Time.End
	want := []mapped{
		{"chapter", "Part one", 0, 10.041667, []mapped{
			{"chapter", "One A", 1, 4.5, nil},
			{"chapter", "One B", 5, 10.041667, []mapped{{"chapter", "Deep", 6, 10.041667, nil}}},
		}},
		{"chapter", "Part two", 10.041667, end, nil},
	}
	if diff := cmp.Diff(want, shorten(s.Nodes)); diff != "" || end < 19.9 || s.Title != "A film" {
		t.Errorf("title %q (-want +got)\n%s", s.Title, diff)
	}
}

// readAll returns what a reader yields.
func readAll(t testing.TB, runs iter.Seq2[citekit.TextRun, error]) (all []citekit.TextRun) {
	t.Helper()
	for run, err := range runs {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, run)
	}
	return all
}

// runsOf returns the words as runs of a modality.
func runsOf(modality citekit.Modality, runs []citekit.TextRun) (all []citekit.TextRun) {
	for _, run := range runs {
		run.Location.Modality = modality
		all = append(all, run)
	}
	return all
}

func compareRuns(want, got []citekit.TextRun) string {
	return cmp.Diff(want, got, cmp.Comparer(func(a, b citekit.Location) bool {
		return a.Modality == b.Modality && math.Abs(a.Time.Start-b.Time.Start) < 0.0011 && math.Abs(a.Time.End-b.Time.End) < 0.0011
	}))
}

// firstSubtitle returns when ffprobe says that the first subtitle is shown.
func firstSubtitle(t testing.TB, path string) float64 {
	t.Helper()
	lines := strings.Fields(string(ffmpegtest.Run(t, "ffprobe", "-v", "fatal", "-select_streams", "s:0", "-show_entries", "packet=pts_time,size", "-of", "csv=p=0", path)))
	for _, line := range lines {
		var at, size float64
		if _, err := fmt.Sscanf(line, "%f,%f", &at, &size); err == nil && size > 2 {
			return at
		}
	}
	t.Fatalf("no subtitle in %q", lines)
	return 0
}

func later(runs []citekit.TextRun, by float64) (moved []citekit.TextRun) {
	for _, run := range runs {
		run.Location.Time.Start += by
		run.Location.Time.End += by
		moved = append(moved, run)
	}
	return moved
}

// TestEmbedded reads the words of every container that has subtitles.
func TestEmbedded(t *testing.T) {
	for name, args := range map[string]string{
		"talk.mp4":  "-c:s mov_text",
		"talk.mov":  "-c:s mov_text",
		"srt.mkv":   "-c:s srt",
		"ass.mkv":   "-c:s ass",
		"vtt.mkv":   "-c:s webvtt",
		"talk.webm": "-c:s webvtt -deadline realtime -cpu-used 8",
		"live.mkv":  "-c:s srt -f matroska -live 1",
	} {
		t.Run(name, func(t *testing.T) {
			path := talk(t, name, append([]string{"-map", "0", "-map", "1", "-map", "3", "-map_chapters", "-1", "-metadata:s:s:0", "language=eng"}, strings.Fields(args)...)...)
			e := &Engine{Modality: citekit.Video}
			s := mapFile(t, e, path)
			late := firstSubtitle(t, path) - 1 // as all of it may be stored
			spoken := later(spoken, late)
			want := []mapped{{"segment", "Good morning, everyone.", 1 + late, 15.75 + late, nil}}
			if diff := cmp.Diff(want, shorten(s.Nodes), nearly); s.Method != "transcript" || diff != "" {
				t.Errorf("%s (-want +got)\n%s", s.Method, diff)
			}
			if got := s.Nodes[0].Summary; got != "Good morning, everyone. The first talk is short. Any questions?" {
				t.Errorf("summary %q", got)
			}
			if s.Transcript != "" || s.Metadata["language"] != "eng" && name != "talk.mov" { // which has a code of Macintosh
				t.Errorf("transcript %q, language %v", s.Transcript, s.Metadata["language"])
			}
			src := openFile(t, path)
			if diff := compareRuns(runsOf(citekit.Video, spoken), readAll(t, e.ReadText(t.Context(), src, citekit.Location{Modality: citekit.Video}))); diff != "" {
				t.Errorf("all (-want +got)\n%s", diff)
			}
			part := citekit.Location{Modality: citekit.Video, Time: citekit.Span{Start: 7.9, End: 13}}
			if diff := compareRuns(runsOf(citekit.Video, spoken[1:2]), readAll(t, e.ReadText(t.Context(), src, part))); diff != "" {
				t.Errorf("part (-want +got)\n%s", diff)
			}
			for _, err := range e.ReadText(t.Context(), src, citekit.Location{Modality: citekit.Video, Time: citekit.Span{Start: 50, End: 60}}) {
				if !errors.Is(err, citekit.ErrRange) {
					t.Errorf("beyond the end: error %v", err)
				}
			}
		})
	}
}

// TestLanguages prefers the words of the sound to a translation.
func TestLanguages(t *testing.T) {
	for _, name := range []string{"talk.mkv", "talk.mp4"} {
		codec := map[string]string{"talk.mkv": "srt", "talk.mp4": "mov_text"}[name]
		path := talk(t, name, "-map", "0", "-map", "1", "-map", "3", "-map", "3", "-map_chapters", "-1", "-c:s", codec,
			"-metadata:s:a:0", "language=fin", "-metadata:s:s:0", "language=eng", "-metadata:s:s:1", "language=fin")
		if s := mapFile(t, &Engine{Modality: citekit.Video}, path); s.Metadata["language"] != "fin" {
			t.Errorf("%s: language %v", name, s.Metadata["language"])
		}
	}
}

// TestCompanionLanguages prefers words in the language of the sound to a
// translation, if neither name is plainer.
func TestCompanionLanguages(t *testing.T) {
	for sound, want := range map[string]string{"eng": "talk.en-GB.srt", "ger": "talk.de.srt", "fre": "talk.fr.srt", "fin": "talk.de.srt", "und": "talk.de.srt"} {
		path := talk(t, "talk.mkv", "-map", "0", "-map", "1", "-map_chapters", "-1", "-metadata:s:a:0", "language="+sound)
		files := beside("talk.de.srt", subtitles, "talk.en-GB.srt", subtitles, "talk.fr.srt", subtitles)
		if s := mapFile(t, &Engine{Modality: citekit.Video}, path, files...); s.Transcript != want {
			t.Errorf("%s: %s", sound, s.Transcript)
		}
		if s := mapFile(t, &Engine{Modality: citekit.Video}, path, append(files, beside("talk.vtt", "WEBVTT\n\n00:01.000 --> 00:02.000\nHi\n")...)...); s.Transcript != "talk.vtt" {
			t.Errorf("%s, with a plainer name: %s", sound, s.Transcript)
		}
	}
}

// TestChaptersAndWords has both, and words that no chapter covers.
func TestChaptersAndWords(t *testing.T) {
	path := talk(t, "talk.mp4", "-map", "0", "-map", "1", "-map", "3", "-map_metadata", "2", "-c:s", "mov_text")
	s := mapFile(t, &Engine{Modality: citekit.Video}, path)
	want := []mapped{
		{"chapter", "Opening & <welcome>", 0, 4.001, []mapped{{"segment", "Good morning, everyone.", 1, 3.5, nil}}},
		{"chapter", "第二章", 4.001, 12.5, []mapped{{"segment", "The first talk is short.", 5.25, 8, nil}}},
		{"chapter", "Questions", 12.5, 20, []mapped{{"segment", "Any questions?", 13, 15.75, nil}}},
	}
	if diff := cmp.Diff(want, shorten(s.Nodes), nearly); s.Method != "chapters" || diff != "" {
		t.Errorf("%s (-want +got)\n%s", s.Method, diff)
	}
}

// TestCompanions maps a recording with files beside it.
func TestCompanions(t *testing.T) {
	path := tones(t, "talk.wav", 20, nil)
	podcast := `{"version":"1.2.0","chapters":[{"startTime":10.5,"title":"Second"},{"startTime":0,"title":"First"},{"startTime":5,"title":"Picture","toc":false},{"startTime":99,"title":"Beyond"}]}`
	for name, c := range map[string]struct {
		files                        []citekit.Companion
		method, transcript, language string
		nodes                        int
	}{
		"none":               {nil, "even", "", "", 1},
		"subtitles":          {beside("talk.srt", subtitles), "transcript", "talk.srt", "", 1},
		"plainest first":     {beside("talk.fr.srt", strings.ReplaceAll(subtitles, "Good", "Bon"), "talk.srt", subtitles), "transcript", "talk.srt", "", 1},
		"language":           {beside("talk.pt-BR.srt", subtitles), "transcript", "talk.pt-BR.srt", "pt-BR", 1},
		"UTF-16":             {beside("talk.srt", "\xff\xfe"+wide(subtitles)), "transcript", "talk.srt", "", 1},
		"damaged first":      {beside("talk.srt", "nothing", "talk.vtt", "WEBVTT\n\n00:01.000 --> 00:02.000\nHi\n"), "transcript", "talk.vtt", "", 1},
		"podcast transcript": {beside("talk.json", `{"version":"1.0.0","segments":[{"startTime":0.5,"endTime":2,"body":"Hello there"}]}`), "transcript", "talk.json", "", 1},
		"podcast chapters":   {beside("talk.chapters.json", podcast), "chapters", "", "", 2},
		"both":               {beside("talk.chapters.json", podcast, "talk.vtt", "WEBVTT\n\n00:11.000 --> 00:12.000\nHi\n"), "chapters", "talk.vtt", "", 2},
		"downloaded":         {beside("talk.info.json", `{"id":"x","chapters":[{"start_time":0.0,"end_time":4.0,"title":"A"},{"start_time":4.0,"end_time":9.0,"title":"B"}]}`), "chapters", "", "", 2},
		"other JSON":         {beside("talk.json", `{"chapters":"none"}`, "talk.info.json", "["), "even", "", "", 1},
		"beyond the end":     {beside("talk.srt", "1\n01:00:00,000 --> 01:00:01,000\nToo late\n"), "even", "", "", 1},
		"cannot be opened": {[]citekit.Companion{{Name: "talk.srt", Open: func(context.Context) (*citekit.Source, error) {
			return nil, fs.ErrPermission
		}}}, "even", "", "", 1},
	} {
		s := mapFile(t, &Engine{Modality: citekit.Audio}, path, c.files...)
		language, _ := s.Metadata["language"].(string)
		if s.Method != c.method || s.Transcript != c.transcript || language != c.language || len(s.Nodes) != c.nodes {
			t.Errorf("%s: method %s, transcript %q, language %q, %v", name, s.Method, s.Transcript, language, shorten(s.Nodes))
		}
	}
	s := mapFile(t, &Engine{Modality: citekit.Audio}, path, beside("talk.chapters.json", podcast, "talk.vtt", "WEBVTT\n\n00:11.000 --> 00:12.000\nHi\n")...)
	want := []mapped{{"chapter", "First", 0, 10.5, nil}, {"chapter", "Second", 10.5, 20, []mapped{{"segment", "Hi", 11, 12, nil}}}}
	if diff := cmp.Diff(want, shorten(s.Nodes)); diff != "" || s.Metadata["chapters"] != "talk.chapters.json" {
		t.Errorf("%v (-want +got)\n%s", s.Metadata, diff)
	}
}

// wide encodes a text of ASCII in UTF-16.
func wide(s string) string {
	var b strings.Builder
	for i := range len(s) {
		b.WriteByte(s[i])
		b.WriteByte(0)
	}
	return b.String()
}

func TestReadTranscript(t *testing.T) {
	e := &Engine{Modality: citekit.Audio}
	src := openFile(t, tones(t, "talk.wav", 20, nil))
	open := func(text string) *citekit.Source {
		return citekit.NewSource(strings.NewReader(text), citekit.SourceInfo{Name: "talk.srt", Size: int64(len(text))})
	}
	loc := citekit.Location{Modality: citekit.Audio}
	if diff := compareRuns(runsOf(citekit.Audio, spoken), readAll(t, e.ReadTranscript(t.Context(), src, open(subtitles), loc))); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	loc.Time = citekit.Span{Start: 12.5}
	if diff := compareRuns(runsOf(citekit.Audio, spoken[2:]), readAll(t, e.ReadTranscript(t.Context(), src, open(subtitles), loc))); diff != "" {
		t.Errorf("the end (-want +got)\n%s", diff)
	}
	for name, c := range map[string]struct {
		text string
		loc  citekit.Location
		want error
	}{
		"no subtitles": {"nothing", loc, citekit.ErrFormat},
		"outside":      {subtitles, citekit.Location{Modality: citekit.Audio, Time: citekit.Span{Start: 30, End: 31}}, citekit.ErrRange},
		"foreign":      {subtitles, citekit.Location{Modality: citekit.Video}, errors.ErrUnsupported},
	} {
		n := 0
		for _, err := range e.ReadTranscript(t.Context(), src, open(c.text), c.loc) {
			if n++; !errors.Is(err, c.want) {
				t.Errorf("%s: error %v", name, err)
			}
		}
		if n != 1 {
			t.Errorf("%s: %d runs", name, n)
		}
	}
}

// TestManySegments has more segments than a map may have nodes.
func TestManySegments(t *testing.T) {
	var b strings.Builder
	b.WriteString("WEBVTT\n\n")
	for i := range 45_000 {
		at := i * 30
		fmt.Fprintf(&b, "%02d:%02d:%02d.000 --> %02d:%02d:%02d.500\nWord %d.\n\n", at/3600, at/60%60, at%60, at/3600, at/60%60, at%60, i)
	}
	w, err := companions{source: "x.mp3", files: beside("x.vtt", b.String())}.words(t.Context())
	if err != nil || len(w.cues) != 45_000 {
		t.Fatalf("%d cues, %v", len(w.cues), err)
	}
	nodes, _ := addSegments(nil, w.cues, citekit.Audio, 45_000*30)
	if len(nodes) != 11_250 || nodes[1].Title != "Word 4." || nodes[1].Location.Time != (citekit.Span{Start: 120, End: 210.5}) {
		t.Errorf("%d nodes, the second %+v", len(nodes), nodes[1])
	}
}
