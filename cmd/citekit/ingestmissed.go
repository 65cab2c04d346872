package main

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/citekit/citekit/ingest"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/sniff"
)

// missedDocuments returns a line about skipped files in document formats, counted by
// format, or "" if there are none.
func missedDocuments(items []ingest.Item) string {
	const shown = 3
	var names []string
	byFormat := make(map[string]int)
	for _, item := range items {
		var unread *sniff.UnreadError
		if item.Status == ingest.Skipped && errors.As(item.Err, &unread) {
			byFormat[unread.Format]++
			names = append(names, item.Path)
		}
	}
	if len(names) == 0 {
		return ""
	}
	formats := slices.Sorted(maps.Keys(byFormat))
	slices.SortStableFunc(formats, func(a, b string) int { return byFormat[b] - byFormat[a] })
	for i, format := range formats {
		formats[i] = fmt.Sprintf("%d %s", byFormat[format], format)
	}
	verb := "files were"
	if len(names) == 1 {
		verb = "file was"
	}
	if len(names) > shown {
		names = append(names[:shown:shown], "…")
	}
	return fmt.Sprintf("%d %s skipped that people read: %s: %s; -v says what to save them as",
		total(byFormat), verb, strings.Join(formats, ", "), strings.Join(names, ", "))
}

// unsearchedText returns lines about the archives with text that is not searched:
// one for each of the first few, and one that counts the others.
func unsearchedText(items []ingest.Item) (lines []string) {
	const shown = 5
	more := 0
	for _, item := range items {
		switch {
		case item.Unsearched == 0:
		case len(lines) == shown:
			more++
		default:
			lines = append(lines, fmt.Sprintf("%s: the text of %s is not searched, as too much of the archive would be unpacked for it; read each by its address, or unpack the archive",
				item.Path, message.Count(item.Unsearched, "member")))
		}
	}
	if more > 0 {
		lines = append(lines, message.Count(more, "more archive")+" with text that is not searched")
	}
	return lines
}
