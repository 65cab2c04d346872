package text_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/modality/modalitytest"
	"github.com/citekit/citekit/modality/text"
)

func blocks(first, last int, cells string) citekit.Location {
	loc := citekit.Location{Modality: citekit.Text, Blocks: citekit.Range{First: first, Last: last}}
	if cells != "" {
		_ = loc.Cells.UnmarshalText([]byte(cells))
	}
	return loc
}

const blockPage = "<!DOCTYPE html>\n<title>Rain</title>\n<script>x()</script>\n<body>\n<div class=a><h1>Rain &amp; sun</h1>\n<p>It rained\non <b>Monday</b>.\n" +
	"<table><tr><th>day<th>mm\n<tr><td>Mon<td>3\n<tr><td>Tue<td>0</table>\n</div>\n<p>End</p>\n</body>\n"

func TestConformanceBlocks(t *testing.T) {
	const before, after = "<!DOCTYPE html>\n<title>Rain</title>\n<body>\n", "</body>\n"
	modalitytest.Test(t, new(text.Resolver), modalitytest.Fixture{
		Name:   "rain.html",
		Source: []byte(blockPage),
		Good: []modalitytest.Case{
			{Name: "paragraph", Location: blocks(2, 2, ""), Want: []byte(before + "<div class=a><p>It rained\non <b>Monday</b>.\n</div>" + after), WantText: "It rained on Monday.\n"},
			{Name: "several", Location: blocks(3, 4, ""), WantText: "day\tmm\nMon\t3\nTue\t0\nEnd\n"},
			{Name: "cells", Location: blocks(3, 3, "B1:B2"), Want: []byte(before + "<div class=a><table>\n<tr><th>mm</tr>\n<tr><td>3</tr>\n</table>\n</div>" + after), WantText: "mm\n3\n"},
			{Name: "cells by the number of the table", Location: citekit.Location{Modality: citekit.Text, Table: "1", Cells: blocks(3, 3, "B1:B2").Cells}, Want: []byte(before + "<div class=a><table>\n<tr><th>mm</tr>\n<tr><td>3</tr>\n</table>\n</div>" + after), WantText: "mm\n3\n"},
			{Name: "table", Location: citekit.Location{Modality: citekit.Text, Table: "1"}, WantText: "day\tmm\nMon\t3\nTue\t0\n"},
			{Name: "line", Location: lines(2, 2), Want: []byte("<title>Rain</title>\n")},
			{Name: "shown line", Location: lines(7, 7), Want: []byte("on <b>Monday</b>.\n"), WantText: "on Monday.\n\n"},
			{Name: "shown lines", Location: lines(5, 8), WantText: "Rain & sun\n\nIt rained\non Monday.\n\nday\tmm\n"},
		},
		OutOfRange: []citekit.Location{blocks(4, 5, ""), blocks(3, 3, "C1"), blocks(3, 3, "A4"), {Modality: citekit.Text, Table: "2"}},
		Foreign:    citekit.Location{Modality: citekit.Document, Blocks: citekit.Range{First: 1, Last: 1}},
		Extent:     citekit.Extent{Modality: citekit.Text, Lines: 13, Blocks: 4, MediaType: "text/html", Charset: "utf-8"},
		Garbage:    [][]byte{[]byte("<"), []byte("<table><td>"), []byte("<html><p"), []byte("</p></div><b></table>")},
	})
}

func TestBlocksThatAreNone(t *testing.T) {
	for _, test := range []struct {
		name, source string
		loc          citekit.Location
		want         error
	}{
		{"a.md", "# a\n", blocks(1, 1, ""), errors.ErrUnsupported},
		{"a.html", string(utf16le("\ufeff<p>a</p>")), blocks(1, 1, ""), errors.ErrUnsupported},
		{"a.html", blockPage, blocks(2, 2, "A1"), errors.ErrUnsupported},
		{"a.html", strings.Repeat(" ", 17<<20) + "<p>", blocks(1, 1, ""), citekit.ErrTooLarge},
		{"a.txt", "<!DOCTYPE html><p>a", blocks(1, 1, ""), nil},
	} {
		if _, _, err := resolveAll(t, new(text.Resolver), test.name, test.source, test.loc); !errors.Is(err, test.want) {
			t.Errorf("%s: %v", test.name, err)
		}
	}
}

// TestReadMarkup reads what ReadText leaves out.
func TestReadMarkup(t *testing.T) {
	r := new(text.Resolver)
	for _, test := range []struct {
		name, source string
		loc          citekit.Location
		want         string
	}{
		{"a.html", blockPage, lines(5, 5), "<div class=a><h1>Rain &amp; sun</h1>\n"},
		{"a.html", blockPage, blocks(2, 2, ""), "<p>It rained\non <b>Monday</b>."},
		{"a.html", string(utf16le("\ufeff<p>\n<b>a</b>")), lines(2, 2), "<b>a</b>"},
		{"a.html", blockPage, blocks(3, 3, "A1"), "unsupported operation"},
		{"a.html", "<script>a</script>", lines(1, 1), "unsupported operation"},
		{"a.txt", "a <b>c</b>\n", lines(1, 1), "unsupported operation"},
	} {
		got := ""
		for run, err := range r.ReadMarkup(t.Context(), source(test.name, test.source), test.loc) {
			if got += run.Text; errors.Is(err, errors.ErrUnsupported) {
				got += errors.ErrUnsupported.Error()
			} else if err != nil {
				t.Fatal(err)
			}
		}
		if strings.TrimSpace(got) != strings.TrimSpace(test.want) {
			t.Errorf("%s %v: %q, want %q", test.name, test.loc, got, test.want)
		}
	}
}

// TestUnitsInMaps has maps say how many rows and blocks there are.
func TestUnitsInMaps(t *testing.T) {
	for name, test := range map[string]struct {
		source, key string
		want        int
	}{
		"a.html": {blockPage, "blocks", 4},
		"a.csv":  {"a,b\n1,\"2\n\"\n\n", "rows", 3},
	} {
		s, err := new(text.Resolver).Map(t.Context(), source(name, test.source), citekit.MapRequest{Modality: citekit.Text})
		if err != nil || s.Metadata[test.key] != test.want || s.Metadata["lines"] != strings.Count(test.source, "\n") {
			t.Errorf("%s: %v, %v", name, s.Metadata, err)
		}
	}
}
