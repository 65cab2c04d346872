package data_test

import (
	"encoding/csv"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/citekit/citekit/modality/text/internal/data"
)

func TestCSV(t *testing.T) {
	for _, test := range []struct {
		src, want string
		columns   any
		delimiter string
		rows      int
	}{
		{"name,age\n\"a\nb\",1\n\nc,2", "2-5 rows \"\"\n", []string{"name", "age"}, ",", 4},
		{"1;2\n3;4\n", "1-2 rows \"\"\n", nil, ";", 2},
		{"a\tb, c\ta\n1\t2\t3\n", "1-2 rows \"\"\n", nil, "\t", 2},
		{"\"x \"\"y\"\"\",z\n1,\"2\"\"\n3\"\n", "2-3 rows \"\"\n", []string{`x "y"`, "z"}, ",", 2},
		{"a,b\n", "1 rows \"\"\n", []string{"a", "b"}, ",", 1},
		{"a|b|c\n1|a\"b|\"\n", "", nil, "|", 0},
	} {
		if test.want == "" {
			if _, err := data.Map(t.Context(), data.CSV, []byte(test.src)); err == nil {
				t.Errorf("no error for %q", test.src)
			}
			continue
		}
		s := checkOutline(t, data.CSV, test.src, test.want)
		if diff := cmp.Diff(test.columns, s.Metadata["columns"]); diff != "" {
			t.Errorf("columns of %q: %s", test.src, diff)
		}
		if s.Metadata["delimiter"] != test.delimiter || s.Metadata["rows"] != test.rows {
			t.Errorf("%q: %v", test.src, s.Metadata)
		}
	}
}

// TestCSVRecords compares the bounds of rows with the records of encoding/csv.
func TestCSVRecords(t *testing.T) {
	var b strings.Builder
	for i := range 5_000 {
		fmt.Fprintf(&b, "%d,\"%s\",\"x\"\"%s\"\n", i, strings.Repeat("line\n", i%4), strings.Repeat("y", i%50))
	}
	reader := csv.NewReader(strings.NewReader(b.String()))
	starts := make(map[int]bool)
	records := 0
	for ; ; records++ {
		if _, err := reader.Read(); err != nil {
			break
		}
		line, _ := reader.FieldPos(0)
		starts[line] = true
	}
	s := mapped(t, data.CSV, b.String())
	if s.Metadata["rows"] != records || len(s.Nodes) < 5 {
		t.Errorf("%v, %d nodes; want %d records", s.Metadata["rows"], len(s.Nodes), records)
	}
	for i, n := range s.Nodes {
		if !starts[n.Location.Lines.First] || i > 0 && n.Location.Lines.First != s.Nodes[i-1].Location.Lines.Last+1 {
			t.Errorf("rows at %v", n.Location.Lines)
		}
	}
}

func TestRecords(t *testing.T) {
	s := checkOutline(t, data.Records, "{\"b\": 1, \"a\": {\"c\": 2}}\n\n{\"b\": 2}\n", "1-3 rows \"\"\n")
	if diff := cmp.Diff([]string{"b", "a"}, s.Metadata["columns"]); diff != "" || s.Metadata["records"] != 2 {
		t.Errorf("%v %s", s.Metadata, diff)
	}
	checkRows(t, mapped(t, data.Records, strings.Repeat("[1]\n", 5_000)), 1, 5_000)
}

// entries returns n log lines with a time, each followed by one without.
func entries(n int, time string) string {
	return strings.Repeat(time+" message\n\tat somewhere\n", n)
}

func TestLog(t *testing.T) {
	for _, times := range [][2]string{
		{"2024-01-31T10:59:59.123Z", "2024-01-31T11:00:00.000Z"},
		{"2024/01/31 10:59:59", "2024/02/01 10:59:59"},
		{"Jan 31 10:59:59", "Feb  1 10:59:59"},
		{"31/Jan/2024:10:59:59 +0000", "31/Jan/2024:11:00:00 +0000"},
		{"10:59:59.1", "11:00:00"},
	} {
		lead, tail := "", ""
		if strings.Contains(times[0], "/Jan/") {
			lead, tail = "127.0.0.1 - - [", "]"
		}
		src := "header\n" + entries(60, lead+times[0]+tail) + entries(60, lead+times[1]+tail)
		s := checkOutline(t, data.Log, src, fmt.Sprintf("1-121 entries %q\n122-241 entries %q\n", times[0], strings.Join(strings.Fields(times[1]), " ")))
		if s.Metadata["entries"] != 120 {
			t.Errorf("%v", s.Metadata)
		}
	}
	s := mapped(t, data.Log, entries(5_000, "2024-01-31 10:00:00"))
	if len(s.Nodes) != 10 || s.Nodes[0].Title != "2024-01-31 10:00:00" {
		t.Errorf("%d nodes, %q", len(s.Nodes), s.Nodes[0].Title)
	}
	days := strings.Repeat("2024-01-31 10:00:00\n", 20) + strings.Repeat("2024-02-01 10:00:00\n", 20)
	if s := mapped(t, data.Log, strings.Repeat(days, 2_500)); len(s.Nodes) < 1_000 || len(s.Nodes) > 2_000 {
		t.Errorf("%d nodes", len(s.Nodes))
	}
}

func TestProse(t *testing.T) {
	paragraph := strings.Repeat("It was the best of times, it was the worst.\nAnd so it goes on.\n", 10) // 20 lines, 630 bytes
	src := "A TALE\n\nby someone\n\n\nCHAPTER I. The Period\n\n" + paragraph + "\n" + paragraph + "\n" + paragraph + "\n\nChapter 2\n\n" + paragraph + "\nChapter and verse were quoted.\n"
	checkOutline(t, data.Prose, src, `
1-3 passage "A TALE" – by someone
6-48 passage "CHAPTER I. The Period" – It was the best of times, it was the worst. And so it goes on. It was the best of times, it was the worst. And so it goes on. It was the best of times, it was the worst. And so it goes on. It was the best of times, it was the worst. And so it goes on. It was the best of times, it was the worst.
50-69 passage "It was the best of times, it was the worst." – It was the best of times, it was the worst. And so it goes on. It was the best of times, it was the worst. And so it goes on. It was the best of times, it was the worst. And so it goes on. It was the best of times, it was the worst. And so it goes on. It was the best of times, it was the worst.
72-95 passage "Chapter 2" – It was the best of times, it was the worst. And so it goes on. It was the best of times, it was the worst. And so it goes on. It was the best of times, it was the worst. And so it goes on. It was the best of times, it was the worst. And so it goes on. It was the best of times, it was the worst.
`)
	checkOutline(t, data.Prose, " \n\t\n", "1-2 passage \"\"\n")
	checkOutline(t, data.Lines, "\n\n=====\n# set\na=1\n", "3-5 passage \"set\"\n")
	if s := mapped(t, data.Prose, strings.Repeat("x", 1<<20)); len(s.Nodes) != 1 || len(s.Nodes[0].Title) > 100 {
		t.Errorf("%d nodes, title of %d bytes", len(s.Nodes), len(s.Nodes[0].Title))
	}
	for _, n := range mapped(t, data.Prose, strings.Repeat("no blank line anywhere\n", 10_000)).Nodes {
		if k := n.Location.Lines.Len(); k > 120 {
			t.Errorf("%d lines in a passage", k)
		}
	}
	if s := mapped(t, data.Prose, strings.Repeat("CHAPTER I\n\nText.\n\nMore.\n\n", 12_000)); len(s.Nodes) < 5_000 || len(s.Nodes) > 10_000 {
		t.Errorf("%d nodes", len(s.Nodes))
	}
}

func TestCode(t *testing.T) {
	block := func(name string, lines int) string {
		return "func " + name + " {\n" + strings.Repeat("\tx = 1\n\n", lines/2) + "}\n\n"
	}
	checkOutline(t, data.Lines, "# Copyright A. Author\n# No rights.\n\nuse a\n\n"+block("a", 50)+"# === bee ===\n# Does b.\n"+block("b", 70)+"include c\n", `
1-57 passage "use a"
59-132 passage "bee"
134 passage "include c"
`)
	checkOutline(t, data.Lines, "diff --git a/x/y.go b/x/y.go\n--- a/x/y.go\n+++ b/x/y.go\n@@ -1 +1 @@\n-a\n+b\ndiff --git a/z b/z\ndeleted file mode 100644\n", `
1-6 passage "x/y.go"
7-8 passage "z"
`)
	checkOutline(t, data.Lines, "Index: a\n--- old/a.c\t2024-01-01\n+++ new/a.c\n@@ -1 +1 @@\n-a\n+b\n", `
1 passage "Index: a"
2-6 passage "old/a.c"
`)
	checkOutline(t, data.Lines, "From a@b.c Mon Jan  1 10:00:00 2024\nFrom: A\nSubject: One and two\n\nText.\n\nFrom d@e.f Tue Jan  2 10:00:00 2024\nSubject: Three\n\nFrom here on.\n", `
1-5 passage "One and two"
7-10 passage "Three"
`)
	checkOutline(t, data.Lines, ".TH LS 1\n.SH NAME\nls\n.SH \"SEE ALSO\"\nstat\n", `
1 passage ".TH LS 1"
2-3 passage "NAME"
4-5 passage "SEE ALSO"
`)
	checkOutline(t, data.Lines, "package A;\n\n=head1 NAME\n\nA - b\n\n=head2 More\n\n=cut\n", `
1 passage "package A;"
3-5 passage "NAME"
7-9 passage "More"
`)
}

func TestProseHeadings(t *testing.T) {
	paragraph := strings.Repeat("   It was the best of times, it was the worst.\n", 12) + "\n"
	for _, test := range []struct{ heading, title string }{
		{"4.2.  Limits of Time\n\n", "4.2. Limits of Time"},
		{"Limits of time\n==============\n\n", "Limits of time"},
		{"LIMITS\n", "LIMITS"},
		{"LIMITS\nAND MORE\n", ""},
		{"4.2. and so it goes on\n\n", ""},
		{"1.  A sentence that ends here.\n\n", ""},
	} {
		nodes := mapped(t, data.Prose, paragraph+test.heading+paragraph).Nodes
		if got := nodes[len(nodes)-1]; test.title == "" && len(nodes) != 1 || test.title != "" && (got.Title != test.title || got.Location.Lines.First != 14) {
			t.Errorf("%q: %d nodes, the last %q at %v", test.heading, len(nodes), got.Title, got.Location.Lines)
		}
	}
	if n := mapped(t, data.Prose, "...\n\n2.\n\nWords of the third.\n").Nodes[0]; n.Title != "Words of the third." {
		t.Errorf("title %q", n.Title)
	}
}

// TestWholeTitles titles passages by whole titles: with the name after a number, both
// lines of one in capitals, and the text of a title in XML.
func TestWholeTitles(t *testing.T) {
	paragraph := strings.Repeat("   It was the best of times, it was the worst.\n", 12) + "\n"
	for _, test := range []struct {
		format    data.Format
		src, want string
	}{
		{data.Prose, "Item 1A.\n\nRisk Factors\n\n9\n", "Item 1A. Risk Factors"},
		{data.Prose, "Sec. 351. Reports of activities.\nSec. 352. Money.\n", "Sec. 351. Reports of activities."},
		{data.Prose, "It stopped. Then it went on.\n", "It stopped."},
		{data.Prose, paragraph + "SEC. 103. MORE FUNDING FOR THE SUPPORT OF THE CENTER AT THE\n            BUREAU OF HARBOURS.\n\n    The center is funded.\n", "SEC. 103. MORE FUNDING FOR THE SUPPORT OF THE CENTER AT THE BUREAU OF HARBOURS."},
		{data.Lines, "<sect1 id=\"a\">\n  <title>Tea &amp; cake</title>\n  <para>x</para>\n</sect1>\n<sect1/>\n", "Tea & cake"},
		{data.Prose, "# If there is tea,\n# drink it. Then go.\n", "If there is tea,"},
		{data.Lines, "<item id=\"a\">\n  <para>x</para>\n", "<item id=\"a\">"},
	} {
		nodes := mapped(t, test.format, test.src).Nodes
		if got := nodes[len(nodes)-1].Title; got != test.want {
			t.Errorf("%.60q: got %q, want %q", test.src, got, test.want)
		}
	}
}

// TestTitleAbove takes the line above a text as its title, if it is one.
func TestTitleAbove(t *testing.T) {
	for src, want := range map[string]string{
		"\n\nTea for Two\n-----------\n\nIt is hot.\n":      "Tea for Two",
		"Tea -- příručka\n\nIt is hot.\n":                   "Tea -- příručka",
		"It is hot.\n\nIt is cold.\n":                       "",
		"Tea for two and\nfor more of us.\n\nIt is cold.\n": "",
		"Dear Ann,\n\nIt is hot.\n":                         "",
		"Subject: tea\n\nIt is hot.\n":                      "",
		"apple\n\npear\n":                                   "",
		"Tea\n":                                             "",
	} {
		if got := mapped(t, data.Prose, src).Title; got != want {
			t.Errorf("%q: got %q, want %q", src, got, want)
		}
	}
}
