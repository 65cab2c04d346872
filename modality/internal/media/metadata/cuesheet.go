package metadata

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// maxTracks is the maximum number of tracks in a cue sheet (RFC 9639, section 8.7).
const maxTracks = 255

// A sheetTrack is a track of a cue sheet. Times count from the start of the file.
type sheetTrack struct {
	number int
	start  float64 // seconds
	data   bool    // no sound
	title  string
}

// A sheet is a cue sheet. Its tracks are in time order.
type sheet struct {
	tracks []sheetTrack
	end    float64 // start of the lead-out in seconds; 0 if unknown
}

// binarySheet reads a CUESHEET block of FLAC (RFC 9639, section 8.7), with rate samples
// per second. A truncated or disordered block gives an empty sheet.
func binarySheet(b []byte, rate int) sheet {
	const head, trackHead, index = 396, 36, 12
	if len(b) < head || rate <= 0 {
		return sheet{}
	}
	var s sheet
	count := int(b[head-1])
	for b = b[head:]; count > 0; count-- {
		if len(b) < trackHead || len(b) < trackHead+index*int(b[trackHead-1]) {
			return sheet{}
		}
		points := b[trackHead : trackHead+index*int(b[trackHead-1])]
		offset := binary.BigEndian.Uint64(b) + startIndex(points)
		t := sheetTrack{number: int(b[8]), start: float64(offset) / float64(rate), data: b[21]&0x80 != 0}
		if n := len(s.tracks); n > 0 && t.start < s.tracks[n-1].start {
			return sheet{}
		}
		if count == 1 { // the lead-out
			s.end = t.start
			return s
		}
		s.tracks = append(s.tracks, t)
		b = b[trackHead+len(points):]
	}
	return s
}

// startIndex returns the offset of index point 1 of a track, in samples from the start
// of the track. A pause precedes it.
func startIndex(points []byte) uint64 {
	for ; len(points) > 0; points = points[12:] {
		if points[8] == 1 {
			return binary.BigEndian.Uint64(points)
		}
	}
	return 0
}

// textSheet reads a cue sheet in the comment CUESHEET, as written by programs that copy
// discs. Times are minutes, seconds and 75ths of a second. If the sheet covers several
// files, the times of its tracks are unknown.
func textSheet(text string) sheet {
	var s sheet
	var open *sheetTrack // its start is not yet known
	files := 0
	for line := range strings.Lines(strings.TrimPrefix(text, "\ufeff")) {
		word, rest := cutWord(line)
		switch strings.ToUpper(word) {
		case "FILE":
			if files++; files > 1 {
				return sheet{}
			}
		case "TRACK":
			open = nil
			number, kind := cutWord(rest)
			if n, err := strconv.ParseUint(number, 10, 8); err == nil && len(s.tracks) < maxTracks {
				s.tracks = append(s.tracks, sheetTrack{number: int(n), start: -1, data: !strings.EqualFold(strings.TrimSpace(kind), "AUDIO")})
				open = &s.tracks[len(s.tracks)-1]
			}
		case "TITLE":
			if open != nil {
				open.title, _ = cutWord(rest)
			}
		case "INDEX":
			number, at := cutWord(rest)
			if n, err := strconv.ParseUint(number, 10, 8); open != nil && err == nil && (n == 1 || n == 0 && open.start < 0) {
				if start, ok := discTime(at); ok {
					open.start = start
				}
			}
		}
	}
	s.tracks = slices.DeleteFunc(s.tracks, func(t sheetTrack) bool { return t.start < 0 })
	if !slices.IsSortedFunc(s.tracks, func(a, b sheetTrack) int { return cmp.Compare(a.start, b.start) }) {
		return sheet{}
	}
	return s
}

// cutWord returns the first word or quoted text of a line, and the rest.
func cutWord(line string) (word, rest string) {
	line = strings.TrimSpace(line)
	if quoted, ok := strings.CutPrefix(line, `"`); ok {
		word, rest, _ = strings.Cut(quoted, `"`)
		return strings.TrimSpace(word), rest
	}
	i := strings.IndexAny(line, " \t")
	if i < 0 {
		return line, ""
	}
	return line[:i], strings.TrimSpace(line[i:])
}

// discTime reads a time such as 72:03:74: minutes, seconds and disc frames, 75 to the
// second.
func discTime(s string) (float64, bool) {
	const frames = 75
	parts := strings.Split(strings.TrimSpace(s), ":")
	if len(parts) != 3 {
		return 0, false
	}
	var n [3]uint64
	for i, part := range parts {
		var err error
		if n[i], err = strconv.ParseUint(part, 10, 16); err != nil {
			return 0, false
		}
	}
	if n[1] >= 60 || n[2] >= frames {
		return 0, false
	}
	return float64(n[0]*60+n[1]) + float64(n[2])/frames, true
}

// Disc returns the tracks of sound in a cue sheet as chapters, all with a title: those
// of a CUESHEET block of FLAC, which has exact times in units of rate a second, with the
// titles of a cue sheet in text, or those of the text alone. Both may be empty.
func Disc(block []byte, rate int, text string) []Chapter {
	exact, named := binarySheet(block, rate), textSheet(text)
	titles := make(map[int]string)
	for _, t := range named.tracks {
		titles[t.number] = t.title
	}
	s := exact
	if len(s.tracks) == 0 {
		s = named
	}
	var tracks []Chapter
	for i, t := range s.tracks {
		end := s.end
		if i+1 < len(s.tracks) {
			end = s.tracks[i+1].start
		}
		if t.data || end > 0 && end <= t.start {
			continue
		}
		title := titles[t.number]
		if title == "" {
			title = fmt.Sprintf("Track %d", t.number)
		}
		tracks = append(tracks, Chapter{Start: t.start, End: end, Title: title})
	}
	return tracks
}
