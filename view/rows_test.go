package view_test

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/view"
)

// records is a table with each trouble of comma-separated values.
const records = "place,level,\"note, long\"\r\nDover,31 cm,\"a \"\"high\"\" tide\r\nof two lines\"\r\n\r\nCalais,\"28 cm\",tab\there\r\nÉtretat,,31 cm\r\nlast,1"

var recordsShown = []string{"place\tlevel\tnote, long", "Dover\t31 cm\ta \"high\" tide\r\nof two lines", "", "Calais\t28 cm\ttab here", "Étretat\t\t31 cm", "last\t1"}

// utf16le returns a text in UTF-16 with its byte order mark.
func utf16le(text string) string {
	b := []byte{0xff, 0xfe}
	for _, u := range utf16.Encode([]rune(text)) {
		b = append(b, byte(u), byte(u>>8))
	}
	return string(b)
}

// TestRecords views the records of comma-separated values as rows.
func TestRecords(t *testing.T) {
	var archive bytes.Buffer
	zipped := zip.NewWriter(&archive)
	for _, name := range []string{"a.txt", "in/r.csv", "z.txt"} {
		w, err := zipped.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(map[bool]string{true: records, false: "a line\n"}[name == "in/r.csv"])); err != nil {
			t.Fatal(err)
		}
	}
	if err := zipped.Close(); err != nil {
		t.Fatal(err)
	}
	v, _, _ := open(t, map[string]string{
		"crlf.csv": records, "lf.csv": strings.ReplaceAll(records, "\r\n", "\n"), "cr.csv": strings.ReplaceAll(records, "\r\n", "\r"),
		"mark.csv": "\ufeff" + records, "wide.csv": utf16le(records), "semi.csv": strings.ReplaceAll(records, ",", ";"),
		"tabs.tsv": strings.ReplaceAll(strings.ReplaceAll(records, "\t", " "), ",", "\t"), "box.zip": archive.String(),
	})
	for _, address := range []string{"text://crlf", "text://lf", "text://cr", "text://mark", "text://wide", "text://semi", "text://tabs", "text://box#member=in/r.csv"} {
		at := func(selector string) string {
			return address + map[bool]string{true: "&", false: "#"}[strings.Contains(address, "#")] + selector
		}
		want := slices.Clone(recordsShown)
		switch address {
		case "text://lf", "text://cr":
			for i := range want {
				want[i] = strings.ReplaceAll(want[i], "\r\n", map[string]string{"text://lf": "\n", "text://cr": "\r"}[address])
			}
		case "text://semi":
			want[0] = strings.Replace(want[0], ",", ";", 1)
		case "text://tabs":
			want[0] = strings.Replace(want[0], ",", " ", 1)
		}
		whole := see(t, v, view.Request{Address: address})
		if sel := selected(whole); whole.Kind != view.Rows || !slices.Equal(sel, want) {
			t.Errorf("%s: %s\n%q, not\n%q", address, whole.Kind, sel, want)
		}
		for i := range want {
			if row := at(fmt.Sprintf("rows=%d", i+1)); whole.Spans[whole.Selected[0]+i].Address != row {
				t.Errorf("%+v is not at %s", whole.Spans[whole.Selected[0]+i], row)
			}
		}
		for _, one := range []struct {
			selector, quote string
			rows            []int
			marks           []string
		}{
			{"rows=2", "31 cm", []int{2}, []string{"31 cm"}},
			{"rows=4-5", "28 cm", []int{4, 5}, []string{"28 cm"}},
			{"rows=5&cols=3", "31 cm", []int{5}, []string{"31 cm"}},
			{"rows=6", "last", []int{6}, []string{"last"}},
			{"rows=3", "", []int{3}, nil},
			{"cols=level", "", []int{1, 2, 3, 4, 5, 6}, nil},
		} {
			got := see(t, v, view.Request{Address: at(one.selector), Quote: one.quote})
			var rows []string
			for _, n := range one.rows {
				rows = append(rows, want[n-1])
			}
			if sel := selected(got); !slices.Equal(sel, rows) {
				t.Errorf("%s: %q, not %q", got.Address, sel, rows)
			}
			if !slices.Equal(marked(got), one.marks) || got.Header != want[0] {
				t.Errorf("%s, %q: %+v marks %q, header %q", got.Address, one.quote, got.Quote, marked(got), got.Header)
			}
		}
		if got, err := v.View(t.Context(), view.Request{Address: at("rows=6-7")}); !errors.Is(err, citekit.ErrRange) {
			t.Errorf("%s: row 7 of 6: %v, %+v", address, err, got)
		}
	}
}

// TestLinesOfRecords views lines of a table: those that are whole records as rows, others as
// they are.
func TestLinesOfRecords(t *testing.T) {
	v, _, _ := open(t, map[string]string{"r.csv": records})
	for lines, want := range map[string]string{"1-1": "rows=1", "2-3": "rows=2", "2-2": "lines=2-2", "3-4": "lines=3-3", "5-7": "rows=4"} {
		got := see(t, v, view.Request{Address: "text://r#lines=" + lines})
		if got.Selected == nil || got.Spans[got.Selected[0]].Address != "text://r#"+want {
			t.Errorf("lines %s: %v of %+v", lines, got.Selected, got.Spans)
		}
	}
}

// TestLongRecords walks over tables with records that are longer than a span, or never end,
// in both directions, and reads each record at its address.
func TestLongRecords(t *testing.T) {
	sharedtest.Once(t)
	long := strings.Repeat("many,", 9000)
	quoted := `"` + strings.Repeat("very \"\"long\"\" é\n", 3000) + `"`
	var table strings.Builder
	table.WriteString("a,b\n")
	for i := range 4000 {
		fmt.Fprintf(&table, "%d,\"x\n%d\"\n", i, i*i)
	}
	fmt.Fprintf(&table, "%s\nz,%s,end\nlast,row\n", long, quoted)
	v, _, _ := open(t, map[string]string{"long.csv": table.String(), "open.csv": table.String() + "here,\"a quote that\nnever ends\nat all\n"})
	for _, start := range []string{"text://long", "text://long#rows=2000", "text://long#rows=4002", "text://open"} {
		first := see(t, v, view.Request{Address: start})
		spans := first.Spans
		for cursor := first.After; cursor != ""; {
			next := see(t, v, view.Request{Address: start, Cursor: cursor})
			checkBounds(t, next)
			spans, cursor = append(spans, next.Spans...), next.After
		}
		for cursor := first.Before; cursor != ""; {
			next := see(t, v, view.Request{Address: start, Cursor: cursor})
			checkBounds(t, next)
			spans, cursor = slices.Concat(next.Spans, spans), next.Before
		}
		texts := make(map[string]string)
		var order []string
		for _, s := range spans {
			if texts[s.Address] == "" {
				order = append(order, s.Address)
			} else if s.Column != 1+strings.Count(texts[s.Address], "\t") {
				t.Errorf("%s goes on at column %d after %d tabs", s.Address, s.Column, strings.Count(texts[s.Address], "\t"))
			}
			texts[s.Address] += s.Text
		}
		lines := 0
		for i, address := range order {
			want := fmt.Sprintf("%s#rows=%d", first.DocumentID, i+1)
			if i >= 4004 {
				lines++
				n := i - 4004 + 4000*2 + 3005
				want = fmt.Sprintf("%s#lines=%d-%d", first.DocumentID, n, n)
			}
			if address = strings.TrimPrefix(address, "text://"); address != want {
				t.Fatalf("%s: span %d is at %s, not %s", start, i, address, want)
			}
		}
		if want := map[bool]int{true: 3}[start == "text://open"]; lines != want || len(order) != 4004+want {
			t.Errorf("%s: %d rows and %d lines", start, len(order)-lines, lines)
		}
		row := func(n int) string { return texts[fmt.Sprintf("text://%s#rows=%d", first.DocumentID, n)] }
		if row(2001) != "1999\tx\n3996001" || row(4002) != strings.ReplaceAll(long, ",", "\t") || row(4004) != "last\trow" ||
			row(4003) != "z\t"+strings.ReplaceAll(strings.Trim(quoted, `"`), `""`, `"`)+"\tend" {
			t.Errorf("%s: %.99q, %.99q, %.99q, %.99q", start, row(2001), row(4002), row(4003), row(4004))
		}
	}
	for _, n := range []int{1, 7, 1999, 4000} {
		got := see(t, v, view.Request{Address: fmt.Sprintf("text://long#rows=%d-%d", n, n+1)})
		if sel := got.Selected; sel == nil || sel[1]-sel[0] != 2 || got.Spans[sel[0]].Address != fmt.Sprintf("text://long#rows=%d", n) {
			t.Errorf("rows from %d on: %v, %d spans", n, sel, len(got.Spans))
		}
	}
	if got, err := v.View(t.Context(), view.Request{Address: "text://open#rows=4005"}); err == nil {
		t.Errorf("a row that does not end: %+v", got)
	}
}

// TestRecordsKept views rows of a version that is gone.
func TestRecordsKept(t *testing.T) {
	filler := strings.Repeat("x,y\n", 20_000) // more than what is read again
	v, c, dir := open(t, map[string]string{"r.csv": "a,b\n" + filler + "kept,1\n"})
	if layer, err := c.Layers.Open(t.Context(), "r"); err != nil {
		t.Fatal(err)
	} else if err := layer.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "r.csv"), []byte("a,b\nnew,2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	got := see(t, v, view.Request{Address: "text://r#rows=20002", Quote: "kept"})
	if got.State != view.Changed || !slices.Equal(selected(got), []string{"kept\t1"}) || !slices.Equal(marked(got), []string{"kept"}) {
		t.Errorf("%s: %q, marks %q, %+v", got.State, selected(got), marked(got), got.Quote)
	}
	if got, err := v.View(t.Context(), view.Request{Address: "text://r#rows=20003"}); !errors.Is(err, citekit.ErrRange) {
		t.Errorf("a row that it does not have: %v, %+v", err, got)
	}
}
