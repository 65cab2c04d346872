package command

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/ingest"
	"github.com/citekit/citekit/internal/about"
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

// unsearchedText returns lines about the archives with text that is not searched.
func unsearchedText(items []ingest.Item) []string {
	return archiveLines(items, "with text that is not searched", func(item ingest.Item) string {
		if item.Unsearched == 0 {
			return ""
		}
		return fmt.Sprintf("the text of %s is not searched, as too much of the archive would be unpacked for it; read each by its address, or unpack the archive",
			message.Count(item.Unsearched, "member"))
	})
}

// unreadPages returns lines about the documents with pages whose text cannot be read,
// without OCR.
func unreadPages(items []ingest.Item) []string {
	return itemLines(items, "document", "with pages whose text cannot be read", func(item ingest.Item) string {
		states := about.ReadTextStates(map[string]any{about.TextStateKey: item.TextState})
		if states.Count() == 0 {
			return ""
		}
		return states.Describe(item.Pages) + ": --ocr reads them, given to ingest and to each search"
	})
}

// withoutScans returns what a report says of the index, without the reasons of the
// documents about which unreadPages tells more, if it does.
func withoutScans(report *ingest.Report, told bool) *ingest.Indexed {
	if !told || report.Index == nil {
		return report.Index
	}
	scans := make(map[string]bool)
	for _, item := range report.Items {
		if item.TextState != nil {
			scans[item.ResourceID] = true
		}
	}
	index := *report.Index
	index.Missing = slices.DeleteFunc(slices.Clone(index.Missing), func(one ingest.NotIndexed) bool {
		return scans[one.ResourceID] && one.Begun && citekit.CodeOf(one.Err) == message.CodeUnsupported
	})
	return &index
}

// damagedFiles returns lines about the files that could only be read by repairing them.
func damagedFiles(items []ingest.Item) []string {
	return itemLines(items, "file", "that are damaged", func(item ingest.Item) string {
		if item.Damage == "" {
			return ""
		}
		return "the file is damaged or incomplete (" + item.Damage + "), so pages may be missing; get it anew"
	})
}

// damagedMembers returns lines about the archives with members that are damaged.
func damagedMembers(items []ingest.Item) []string {
	return archiveLines(items, "with damaged members", func(item ingest.Item) string {
		if item.Damaged == 0 {
			return ""
		}
		return fmt.Sprintf("%s damaged and cannot be cited; 'citekit structure %s' names them under skipped; get the archive anew",
			countedAre(item.Damaged, "member"), item.ResourceID)
	})
}

// skippedMembers returns lines about the archives with members that have no node for
// another reason than damage.
func skippedMembers(items []ingest.Item) []string {
	return archiveLines(items, "with members that have no node", func(item ingest.Item) string {
		n := item.SkippedMembers - item.Damaged
		if n <= 0 {
			return ""
		}
		verb := "have"
		if n == 1 {
			verb = "has"
		}
		return fmt.Sprintf("%s %s no node; 'citekit structure %s' says why under skipped", message.Count(n, "member"), verb, item.ResourceID)
	})
}

// archiveLines is itemLines for archives.
func archiveLines(items []ingest.Item, what string, about func(ingest.Item) string) (lines []string) {
	return itemLines(items, "archive", what, about)
}

// itemLines returns a line for each of the first few sources of a kind about which about
// says something, and one that counts the others.
func itemLines(items []ingest.Item, kind, what string, about func(ingest.Item) string) (lines []string) {
	const shown = 5
	left := 0
	for _, item := range items {
		switch text := about(item); {
		case text == "":
		case len(lines) == shown:
			left++
		default:
			lines = append(lines, item.Path+": "+text)
		}
	}
	if left > 0 {
		lines = append(lines, message.Count(left, "more "+kind)+" "+what)
	}
	return lines
}

// failedBefore counts the sources that failed as in an earlier run.
func failedBefore(items []ingest.Item) (n int) {
	for _, item := range items {
		if item.FailedBefore {
			n++
		}
	}
	return n
}

// secretFiles says which files were left out as they hold keys of citekit, or
// returns "".
func secretFiles(items []ingest.Item) string {
	var names []string
	for _, item := range items {
		if item.Status == ingest.Skipped && ingest.HoldsSecrets(item.Err) {
			names = append(names, item.Path)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return fmt.Sprintf("%s not mapped, as backups and files of keys hold secrets: %s; keep them outside the workspace", countedAre(len(names), "file"), firstOf(names))
}
