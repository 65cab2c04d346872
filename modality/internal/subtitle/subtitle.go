// Package subtitle reads subtitles and transcripts: SubRip, WebVTT, ASS and
// SSA, and the JSON transcripts of podcasts and of speech recognizers.
//
// # Lines
//
// Lines are counted as in package modality/text: they end with LF or CRLF, or with CR
// alone in files that use it so.
package subtitle

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/citekit/citekit"
)

// A Cue is a piece of speech.
type Cue struct {
	// Start and End are in seconds. End is not before Start, but may equal it.
	Start, End float64

	// First and Last are the lines of the file that hold the cue, from 1, including its
	// number or identifier and its times.
	First, Last int

	// Text is plain, on one line and never empty. Tags, positions and drawings are
	// removed.
	Text string

	Speaker string // "" if unknown
}

// maxCues is how many cues a file may have: five a second for a day.
const maxCues = 500_000

// Parse returns the cues of src in file order. Src is UTF-8 with any line ends. The
// content determines the format; name, which may be "", decides only if the content
// does not. Cues without words are skipped.
//
// An error matches [citekit.ErrFormat] if there is no cue, and [citekit.ErrTooLarge] if
// there are more than half a million.
func Parse(name string, src []byte) ([]Cue, error) {
	var p parser
	switch formatOf(name, src) {
	case webVTT:
		p.readVTT(newLines(src))
	case advanced:
		p.readASS(newLines(src))
	case transcript:
		p.readTranscript(src)
	default:
		p.readSRT(newLines(src))
	}
	switch {
	case p.full:
		return nil, fmt.Errorf("more than %d cues: %w", maxCues, citekit.ErrTooLarge)
	case len(p.cues) == 0:
		return nil, fmt.Errorf("no subtitles: not one cue with a time and words: %w", citekit.ErrFormat)
	}
	return p.cues, nil
}

// A parser collects cues.
type parser struct {
	cues []Cue
	full bool // there are more than maxCues
}

// add appends c if it has words.
func (p *parser) add(c Cue) {
	if c.Text == "" {
		return
	}
	if len(p.cues) == maxCues {
		p.full = true
		return
	}
	c.End = max(c.Start, c.End)
	p.cues = append(p.cues, c)
}

// A format is a way of writing cues.
type format int

const (
	unknown format = iota
	subRip
	webVTT
	advanced // ASS or SSA
	transcript
)

// IsSubtitle reports whether a file has subtitles or a transcript, given its base name
// and its beginning in UTF-8. Head decides if it is clear, else the extension does.
func IsSubtitle(name string, head []byte) bool {
	return formatOf(name, head) != unknown
}

func formatOf(name string, head []byte) format {
	head = bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\ufeff")), " \t\r\n")
	switch {
	case isVTT(head):
		return webVTT
	case isASS(head):
		return advanced
	case isTranscript(head):
		return transcript
	case isSRT(head):
		return subRip
	}
	switch strings.ToLower(filepath.Ext(name)) {
	case ".srt":
		return subRip
	case ".vtt":
		return webVTT
	case ".ass", ".ssa":
		return advanced
	}
	return unknown
}

// isVTT reports whether head begins with the WebVTT signature (section 4.1 of the
// specification).
func isVTT(head []byte) bool {
	rest, ok := bytes.CutPrefix(head, []byte("WEBVTT"))
	return ok && (len(rest) == 0 || bytes.IndexByte([]byte(" \t\r\n"), rest[0]) >= 0)
}

func isASS(head []byte) bool {
	section, _, _ := bytes.Cut(head[:min(len(head), 20)], []byte("]"))
	return bytes.EqualFold(section, []byte("[Script Info")) || bytes.EqualFold(section, []byte("[Events"))
}

// isSRT reports whether the first line is a time, or a number followed by a time.
func isSRT(head []byte) bool {
	l := newLines(head[:min(len(head), 1<<10)])
	line, _ := l.next()
	if isNumber(line) {
		line, _ = l.next()
	}
	_, _, ok := parseTimes(line)
	return ok
}

func isNumber(line []byte) bool {
	line = bytes.TrimSpace(line)
	return len(line) > 0 && len(line) < 10 && !slices.ContainsFunc(line, func(c byte) bool { return c < '0' || c > '9' })
}
