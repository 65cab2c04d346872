package media

import (
	"fmt"
	"math"
	"strings"

	"github.com/citekit/citekit/internal/charset"
	"github.com/citekit/citekit/modality/internal/media/matroska"
	"github.com/citekit/citekit/modality/internal/subtitle"
)

// A subtitleFile is a subtitle file rebuilt from the cues of a track, to be
// read like any other.
type subtitleFile struct {
	name string
	b    *strings.Builder
	line func(b *strings.Builder, start, end, text string)
}

func newVTT() subtitleFile {
	return newFile("x.vtt", "WEBVTT\n\n", writeCue)
}

// newSRT returns an empty SubRip file. Its cues are numbered, because otherwise
// a number at the end of a cue's words would be read as the number of the next.
func newSRT() subtitleFile {
	n := 0
	return newFile("x.srt", "", func(b *strings.Builder, start, end, text string) {
		n++
		fmt.Fprintf(b, "%d\n", n)
		writeCue(b, start, end, text)
	})
}

func newFile(name, head string, line func(b *strings.Builder, start, end, text string)) subtitleFile {
	f := subtitleFile{name: name, b: &strings.Builder{}, line: line}
	f.b.WriteString(head)
	return f
}

// writeCue writes a SubRip or WebVTT cue. It leaves out empty lines, which
// would end the cue.
func writeCue(b *strings.Builder, start, end, text string) {
	lines := strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' })
	kept := lines[:0]
	for _, line := range lines {
		if strings.TrimSpace(line) != "" {
			kept = append(kept, line)
		}
	}
	text = strings.ReplaceAll(strings.Join(kept, "\n"), "-->", "->")
	fmt.Fprintf(b, "%s --> %s\n%s\n\n", start, end, text)
}

// add adds a cue, with times in seconds.
func (f subtitleFile) add(start, end float64, text string) {
	if end < 0 || start > maxClock {
		return
	}
	f.line(f.b, clock(start), clock(min(max(start, end), maxClock)), text)
}

// cues reads the file.
func (f subtitleFile) cues() ([]subtitle.Cue, error) {
	return subtitle.Parse(f.name, []byte(f.b.String()))
}

const maxClock = 99999 * 3600 // maximum seconds that clock can write

// clock writes a time with nanoseconds, the unit of Matroska.
func clock(seconds float64) string {
	ns := int64(math.Round(max(seconds, 0) * 1e9))
	s := ns / 1e9
	return fmt.Sprintf("%02d:%02d:%02d.%09d", s/3600, s/60%60, s%60, ns%1e9)
}

// textOf returns the function that reads the subtitles of a Matroska track; nil
// if they are not text (RFC 9559 and the Matroska codec mappings).
func textOf(codec string) func([]matroska.Block, float64) ([]subtitle.Cue, error) {
	switch codec {
	case "S_TEXT/UTF8", "S_TEXT/ASCII":
		return plainBlocks(newSRT, func(b []byte) string { return charset.UTF8(b) })
	case "S_TEXT/WEBVTT":
		return plainBlocks(newVTT, func(b []byte) string { return charset.UTF8(b) })
	case "D_WEBVTT/SUBTITLES", "D_WEBVTT/CAPTIONS":
		return plainBlocks(newVTT, webMText)
	case "S_TEXT/ASS", "S_TEXT/SSA", "S_ASS", "S_SSA":
		return styledBlocks
	}
	return nil
}

// webMText returns the words of a WebM cue. They follow an identifier line and
// a settings line.
func webMText(b []byte) string {
	lines := strings.SplitN(charset.UTF8(b), "\n", 3)
	return lines[len(lines)-1]
}

func plainBlocks(file func() subtitleFile, text func([]byte) string) func([]matroska.Block, float64) ([]subtitle.Cue, error) {
	return func(blocks []matroska.Block, origin float64) ([]subtitle.Cue, error) {
		f := file()
		for i, b := range blocks {
			start, end := blockTimes(blocks, i, origin)
			f.add(start, end, text(b.Data))
		}
		return f.cues()
	}
}

// unsaid is how many seconds the last block is shown if it has no duration.
const unsaid = 5

// blockTimes returns when a block is shown, in seconds. A block without a
// duration is shown until the next one that begins later.
func blockTimes(blocks []matroska.Block, i int, origin float64) (start, end float64) {
	b := blocks[i]
	start = float64(b.Start)/1e9 - origin
	if b.Duration >= 0 {
		return start, start + float64(b.Duration)/1e9
	}
	const near = 64
	for _, next := range blocks[i+1 : min(len(blocks), i+1+near)] {
		if next.Start > b.Start {
			return start, float64(next.Start)/1e9 - origin
		}
	}
	return start, start + unsaid
}

// styledBlocks reads ASS and SSA events. They lack their times and begin with
// their number in the file.
func styledBlocks(blocks []matroska.Block, origin float64) ([]subtitle.Cue, error) {
	f := newFile("x.ass", "[Events]\nFormat: Start, End, Layer, Style, Name, MarginL, MarginR, MarginV, Effect, Text\n",
		func(b *strings.Builder, start, end, text string) {
			fmt.Fprintf(b, "Dialogue: %s,%s,%s\n", start, end, text)
		})
	for i, b := range blocks {
		start, end := blockTimes(blocks, i, origin)
		_, event, _ := strings.Cut(charset.UTF8(b.Data), ",")
		f.add(start, end, strings.NewReplacer("\r", " ", "\n", " ").Replace(event))
	}
	return f.cues()
}
