package matroska

import (
	"bytes"
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/citekit/citekit/modality/internal/media/metadata"
)

// An edition is one division of a file into chapters (RFC 9559, section 5.1.7.1).
type edition struct {
	hidden, standard, ordered bool
	chapters                  []metadata.Chapter
}

// parseChapters returns the chapters of the edition that a player shows: the default
// one, else the first that is not hidden. Ordered editions, which play parts of the
// file in another order, are the last choice.
func parseChapters(b []byte, language string) []metadata.Chapter {
	var editions []edition
	left := MaxChapters
	for e := range elements(b) {
		if e.id != 0x45B9 {
			continue
		}
		var ed edition
		for field := range elements(e.data) {
			switch field.id {
			case 0x45BD:
				ed.hidden = integer(field.data) != 0
			case 0x45DB:
				ed.standard = integer(field.data) != 0
			case 0x45DD:
				ed.ordered = integer(field.data) != 0
			}
		}
		ed.chapters = atoms(e.data, language, MaxDepth, &left)
		if len(ed.chapters) > 0 {
			editions = append(editions, ed)
		}
	}
	if len(editions) == 0 {
		return nil
	}
	return slices.MinFunc(editions, func(a, b edition) int { return cmp.Compare(a.rank(), b.rank()) }).chapters
}

// rank is lower for editions that are better to show.
func (e edition) rank() (rank int) {
	if e.hidden {
		rank += 4
	}
	if e.ordered {
		rank += 2
	}
	if !e.standard {
		rank++
	}
	return rank
}

// atoms reads the chapters directly in b, at most *left including nested ones. It skips
// chapters that are hidden, disabled or in another file.
func atoms(b []byte, language string, depth int, left *int) []metadata.Chapter {
	var chapters []metadata.Chapter
	for e := range elements(b) {
		if e.id != 0xB6 || *left == 0 {
			continue
		}
		*left--
		if c, ok := atom(e.data, language); ok {
			if depth > 1 {
				c.Children = atoms(e.data, language, depth-1, left)
			}
			chapters = append(chapters, c)
		}
	}
	slices.SortStableFunc(chapters, func(a, b metadata.Chapter) int { return cmp.Compare(a.Start, b.Start) })
	return chapters
}

func atom(b []byte, language string) (c metadata.Chapter, shown bool) {
	shown = true
	matches := false
	for e := range elements(b) {
		switch e.id {
		case 0x91: // ChapterTimeStart
			c.Start = seconds(e.data)
		case 0x92: // ChapterTimeEnd
			c.End = seconds(e.data)
		case 0x98: // ChapterFlagHidden
			shown = shown && integer(e.data) == 0
		case 0x4598: // ChapterFlagEnabled
			shown = shown && integer(e.data) != 0
		case 0x6E67: // ChapterSegmentUUID
			shown = shown && len(e.data) == 0
		case 0x80: // ChapterDisplay
			title, languages := display(e.data)
			better := !matches && slices.Contains(languages, language)
			if c.Title == "" || better {
				c.Title, matches = title, better
			}
		}
	}
	return c, shown
}

// seconds reads a time in nanoseconds.
func seconds(b []byte) float64 { return float64(min(integer(b), math.MaxInt64)) / 1e9 }

// display reads a title and its languages.
func display(b []byte) (title string, languages []string) {
	for e := range elements(b) {
		switch e.id {
		case 0x85:
			title = text(e.data)
		case 0x437C, 0x437D: // ISO 639-2, BCP 47
			languages = append(languages, text(e.data))
		}
	}
	return title, languages
}

// text reads the content of a string element.
func text(b []byte) string {
	b, _, _ = bytes.Cut(b, []byte{0})
	if !utf8.Valid(b) {
		return strings.ToValidUTF8(string(b), "\uFFFD")
	}
	return string(b)
}

// parseTags keeps the simple tags (RFC 9559, section 5.1.8) that apply to the whole
// file.
func (f *File) parseTags(b []byte) {
	const maxTags = 1 << 10
	for tag := range elements(b) {
		if tag.id != 0x7373 || !ofWhole(tag.data) {
			continue
		}
		for e := range elements(tag.data) {
			if e.id != 0x67C8 || len(f.Tags) == maxTags {
				continue
			}
			var name, value string
			for field := range elements(e.data) {
				switch field.id {
				case 0x45A3:
					name = strings.ToUpper(text(field.data))
				case 0x4487:
					value = text(field.data)
				}
			}
			if f.Tags[name] == "" {
				f.Tags[name] = value
			}
		}
	}
}

// ofWhole reports whether a tag applies to the whole file: it has no target, or the
// level of a film or album without a track, edition, chapter or attachment.
func ofWhole(tag []byte) bool {
	for e := range elements(tag) {
		if e.id != 0x63C0 {
			continue
		}
		for field := range elements(e.data) {
			switch field.id {
			case 0x63C5, 0x63C9, 0x63C4, 0x63C6:
				if integer(field.data) != 0 {
					return false
				}
			case 0x68CA:
				if integer(field.data) != 50 {
					return false
				}
			}
		}
	}
	return true
}
