// Package about puts into the metadata of maps what sources state about
// themselves, in any format: authors, keywords and date. It bounds the values,
// removes duplicates, and reads dates back from metadata. It also says how many
// nodes a map should have at most.
package about

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/citekit/citekit/internal/plain"
)

// Bounds of the values that are kept.
const (
	maxValues = MaxAuthors
	maxValue  = 300 // bytes
)

// MaxAuthors is how many authors a map names, and how many keywords.
const MaxAuthors = 50

// MaxMappedNodes is the number of nodes beyond which the built-in mappers and
// adapters make a map coarser, or leave nodes out and say so. Maps that others
// make may have more.
const MaxMappedNodes = 20_000

// The keys in the metadata of a map.
const (
	AuthorKey   = "author"   // a text; several authors are separated by "; "
	KeywordsKey = "keywords" // a list of texts
	DateKey     = "date"     // when the source was made: ISO 8601, or as the source writes it
	DamageKey   = "damage"   // why a source could only be read by repairing it, so that parts may be missing
)

// Facts are what a source states about itself. The zero value is empty and
// ready to use.
type Facts struct {
	authors, keywords []string
	date              string
}

// AddAuthors adds names, each once.
func (f *Facts) AddAuthors(names ...string) { f.authors = add(f.authors, names) }

// AddKeywords adds keywords, each once.
func (f *Facts) AddKeywords(words ...string) { f.keywords = add(f.keywords, words) }

// AddKeywordList adds the keywords of a text, which are separated by commas or
// semicolons.
func (f *Facts) AddKeywordList(text string) {
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == ',' || r == ';' }) {
		f.AddKeywords(word)
	}
}

// AddDate sets when the source was made, unless that is already set.
func (f *Facts) AddDate(date string) {
	if f.date == "" {
		f.date = plain.Words(date, maxValue)
	}
}

// AddTime is like AddDate for a time. A time at midnight is written as a day.
func (f *Facts) AddTime(t time.Time) {
	layout := time.RFC3339
	if hour, minute, second := t.Clock(); hour == 0 && minute == 0 && second == 0 {
		layout = time.DateOnly
	}
	f.AddDate(t.Format(layout))
}

// Note writes what is known into the metadata of a map.
func (f *Facts) Note(metadata map[string]any) {
	if len(f.authors) > 0 {
		metadata[AuthorKey] = strings.Join(f.authors, "; ")
	}
	if len(f.keywords) > 0 {
		list := make([]any, 0, len(f.keywords))
		for _, word := range f.keywords {
			list = append(list, word)
		}
		metadata[KeywordsKey] = list
	}
	if f.date != "" {
		metadata[DateKey] = f.date
	}
}

func add(list, values []string) []string {
	for _, value := range values {
		if len(list) >= maxValues {
			break
		}
		value = plain.Words(value, maxValue)
		if value != "" && !slices.ContainsFunc(list, func(known string) bool { return strings.EqualFold(known, value) }) {
			list = append(list, value)
		}
	}
	return list
}

// layouts are the forms of dates that Time reads.
var layouts = []string{
	time.RFC3339, "2006-01-02T15:04:05", "2006-01-02T15:04Z07:00", "2006-01-02T15:04",
	"2006-01-02 15:04:05 -0700", "2006-01-02 15:04:05", "2006-01-02 15:04", time.DateOnly, "2006-01", "2006",
}

// Time returns when the source was made according to the metadata of its map. A
// date without a time zone is read as UTC.
func Time(metadata map[string]any) (time.Time, bool) {
	date, _ := metadata[DateKey].(string)
	if len(date) > 40 {
		return time.Time{}, false
	}
	for _, layout := range layouts {
		if t, err := time.Parse(layout, date); err == nil && t.Year() > 0 {
			return t, true
		}
	}
	return time.Time{}, false
}

// Created parses the time at which a map was made, in ISO 8601. A time without a zone
// is taken as UTC.
func Created(at string) (time.Time, error) {
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999", time.DateOnly} {
		if t, err := time.Parse(layout, at); err == nil {
			return t, nil
		}
	}
	return time.Time{}, fmt.Errorf("created_at %q is not an ISO 8601 time", at)
}

// Transcript returns the path of a transcript and the SHA-256 that it had, as far as the
// metadata have them.
func Transcript(metadata map[string]any) (path, hash string) {
	noted, _ := metadata["transcript"].(map[string]any)
	if path, _ = noted["source_path"].(string); path == "" {
		return "", ""
	}
	hash, _ = noted["source_hash"].(string)
	return path, strings.ToLower(hash)
}
