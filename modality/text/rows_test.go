package text_test

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"golang.org/x/text/encoding/japanese"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/modality/modalitytest"
	"github.com/citekit/citekit/modality/text"
)

func rows(first, last int, cols ...string) citekit.Location {
	return citekit.Location{Modality: citekit.Text, Rows: citekit.Range{First: first, Last: last}, Cols: cols}
}

func TestConformanceRows(t *testing.T) {
	all := citekit.Location{Modality: citekit.Text, Cols: []string{"Price"}}
	modalitytest.Test(t, new(text.Resolver), modalitytest.Fixture{
		Name:   "prices.csv",
		Source: []byte("\ufeffname,note,price\r\nApple,\"red,\r\n\"\"sweet\"\"\",1.50\r\nPear,,2\r\nFig,dry,3"),
		Good: []modalitytest.Case{
			{Name: "one", Location: rows(2, 2), Want: []byte("\ufeffname,note,price\r\nApple,\"red,\r\n\"\"sweet\"\"\",1.50\r\n"), WantText: "Apple,\"red,\r\n\"\"sweet\"\"\",1.50\r\n"},
			{Name: "header", Location: rows(1, 1), Want: []byte("\ufeffname,note,price\r\n"), WantText: "name,note,price\r\n"},
			{Name: "last", Location: rows(3, 4), Want: []byte("\ufeffname,note,price\r\nPear,,2\r\nFig,dry,3"), WantText: "Pear,,2\r\nFig,dry,3"},
			{Name: "columns", Location: rows(2, 3, "note", "name"), Want: []byte("\ufeffname,note\r\nApple,\"red,\r\n\"\"sweet\"\"\"\r\nPear,\r\n"), WantText: "Apple,\"red,\r\n\"\"sweet\"\"\"\r\nPear,\r\n"},
			{Name: "number", Location: rows(4, 4, "3"), Want: []byte("\ufeffprice\r\n3"), WantText: "3"},
			{Name: "column", Location: all, Want: []byte("\ufeffprice\r\n1.50\r\n2\r\n3"), WantText: "price\r\n1.50\r\n2\r\n3"},
			{Name: "line", Location: lines(3, 3), Want: []byte("\"\"sweet\"\"\",1.50\r\n")},
		},
		OutOfRange: []citekit.Location{rows(4, 5), rows(9, 1<<62), rows(2, 2, "cost"), rows(2, 2, "4")},
		Foreign:    citekit.Location{Modality: citekit.Document, Sheet: "1"},
		Extent:     citekit.Extent{Modality: citekit.Text, Lines: 5, Rows: 4, MediaType: "text/csv", Charset: "utf-8"},
		Garbage:    [][]byte{[]byte("\""), []byte("a,\"b\n"), []byte("\n\n\n"), []byte(",")},
	})
}

func resolveAll(t *testing.T, r *text.Resolver, name, content string, loc citekit.Location) (string, *citekit.Content, error) {
	t.Helper()
	c, err := r.Resolve(t.Context(), source(name, content), citekit.Request{Location: loc})
	if err != nil {
		return "", nil, err
	}
	got, err := io.ReadAll(c.Body)
	if err != nil || int64(len(got)) != c.Size {
		t.Errorf("%d bytes of %d: %v", len(got), c.Size, err)
	}
	return string(got), c, nil
}

// TestRowsAsEncodingCSV compares cuts of tables with the records of
// encoding/csv, at sizes of several blocks.
func TestRowsAsEncodingCSV(t *testing.T) {
	sharedtest.NotShort(t)
	random := rand.New(rand.NewPCG(1, 2))
	var b strings.Builder
	b.WriteString("id;\"text\"\"s\";n\n")
	for i := range 9_000 {
		fmt.Fprintf(&b, "%d;\"%s\";%s\n", i, strings.Repeat("a \"\";\n", random.IntN(20)), strings.Repeat("x", random.IntN(9)))
	}
	records := recordsOf(t, b.String(), ';')
	r := new(text.Resolver)
	for range 20 {
		first := 1 + random.IntN(len(records))
		last := min(first+random.IntN(300), len(records))
		got, _, err := resolveAll(t, r, "a.csv", b.String(), rows(first, last))
		if err != nil {
			t.Fatal(err)
		}
		want := records[first-1 : last]
		if first > 1 {
			want = append([][]string{records[0]}, want...)
		}
		if diff := fmt.Sprint(recordsOf(t, got, ';')) == fmt.Sprint(want); !diff {
			t.Errorf("rows %d-%d differ", first, last)
		}
		got, _, err = resolveAll(t, r, "a.csv", b.String(), rows(first, last, "TEXT\"S"))
		if err != nil {
			t.Fatal(err)
		}
		for i, record := range recordsOf(t, got, ';') {
			if len(record) != 1 || record[0] != want[i][1] {
				t.Errorf("rows %d-%d: column of row %d is %q", first, last, i, record)
			}
		}
	}
}

func recordsOf(t *testing.T, text string, comma rune) [][]string {
	t.Helper()
	reader := csv.NewReader(strings.NewReader(text))
	reader.Comma = comma
	records, err := reader.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return records
}

// TestRowsOfLargeColumns reads what is more than is held in memory.
func TestRowsOfLargeColumns(t *testing.T) {
	sharedtest.Once(t)
	row := strings.Repeat("x", 1000) + "," + strings.Repeat("y", 10) + "\n"
	table := "a,b\n" + strings.Repeat(row, 6_000)
	got, _, err := resolveAll(t, new(text.Resolver), "a.csv", table, citekit.Location{Modality: citekit.Text, Cols: []string{"b"}})
	if want := "b\n" + strings.Repeat("yyyyyyyyyy\n", 6_000); err != nil || got != want {
		t.Errorf("%d bytes, want %d: %v", len(got), len(want), err)
	}
}

func TestRowsInOtherCharsets(t *testing.T) {
	jis, err := japanese.ISO2022JP.NewEncoder().String("名前,値\n\"東京, 都\",1\n大阪,2\n" + strings.Repeat("日本語の文字列,3\n", 9))
	if err != nil {
		t.Fatal(err)
	}
	sjis, err := japanese.ShiftJIS.NewEncoder().String("名前|値\nポート|1\n表示|2\n" + strings.Repeat("日本語の文字列です|3\n", 9))
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ name, source, charset, text string }{
		{"a.csv", jis, "iso-2022-jp", "大阪\n"},
		{"b.csv", sjis, "shift_jis", "表示\n"},
		{"c.csv", string(utf16le("\ufeff名前\t値\r\n\"a\n\"\t1\r\n表\t2\r\n")), "utf-16le", "表\r\n"},
		{"d.csv", "名前,値\ra,1\rb,2\r", "utf-8", "b\r"},
	} {
		r := new(text.Resolver)
		_, c, err := resolveAll(t, r, test.name, test.source, rows(3, 3, "名前"))
		if err != nil || c.Charset != test.charset {
			t.Errorf("%s: %v, %v", test.charset, c, err)
			continue
		}
		got := ""
		for run, err := range r.ReadText(t.Context(), source(test.name, test.source), rows(3, 3, "名前")) {
			if err != nil || run.Location.Rows.First != 3 {
				t.Errorf("%s: %v at %v", test.charset, err, run.Location)
			}
			got += run.Text
		}
		if got != test.text {
			t.Errorf("%s: %q", test.charset, got)
		}
	}
}

func TestRaggedRows(t *testing.T) {
	got, c, err := resolveAll(t, new(text.Resolver), "a.csv", "a,b,c\n1\n\n1,2,3,4\n", rows(2, 4, "a", "c"))
	if err != nil || got != "a,c\n1,\n,\n1,3\n" {
		t.Errorf("%q, %v", got, err)
	}
	if want := []string{"row 2 has 1 field, the header 3; what it lacks is empty", "row 4 has 4 fields, the header 3"}; fmt.Sprint(c.Changes) != fmt.Sprint(want) {
		t.Errorf("changes %q", c.Changes)
	}
}

func TestRowsThatAreNone(t *testing.T) {
	for _, test := range []struct {
		name, source string
		loc          citekit.Location
		want         error
	}{
		{"a.txt", "a,b\n1,2\n", rows(1, 2), errors.ErrUnsupported},
		{"a.csv", "a,b\n1,\"2\n", rows(2, 2), citekit.ErrFormat},
		{"a.csv", "a,b\n1,\"2\n", rows(1, 1), nil},
		{"a.csv", "a,b,A\n1,2,3\n", rows(1, 1, "a"), nil},
		{"a.csv", "a,b,b\n1,2,3\n", rows(1, 1, "b"), citekit.ErrRange},
	} {
		if _, _, err := resolveAll(t, new(text.Resolver), test.name, test.source, test.loc); !errors.Is(err, test.want) {
			t.Errorf("%q %v: %v", test.source, test.loc.Rows, err)
		}
	}
}

// FuzzRows checks that the rows of any bytes are all of them, in order.
func FuzzRows(f *testing.F) {
	for _, seed := range []string{"a,b\n1,\"2\n\"\n", "\ufeffa\r\nb\r\n", "a\rb\rc", "\xff\xfea\x00,\x00\n\x00", "\"", ",\n\n"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		r := new(text.Resolver)
		src := source("a.csv", string(data))
		extent, err := r.Measure(t.Context(), src)
		if err != nil {
			return
		}
		var all []byte
		for n := 1; n <= min(extent.Rows, 50); n++ {
			c, err := r.Resolve(t.Context(), src, citekit.Request{Location: rows(n, n)})
			if err != nil {
				t.Fatalf("row %d of %d: %v", n, extent.Rows, err)
			}
			got, _ := io.ReadAll(c.Body)
			if n > 1 {
				header := all[:headerLen(t, r, src)]
				if !bytes.HasPrefix(got, header) {
					t.Fatalf("row %d has no header", n)
				}
				got = got[len(header):]
			}
			all = append(all, got...)
			if c, err := r.Resolve(t.Context(), src, citekit.Request{Location: rows(n, n, "1")}); err == nil {
				io.Copy(io.Discard, c.Body)
			}
		}
		if !bytes.HasPrefix(data, all) {
			t.Fatalf("rows %q of %q", all, data)
		}
	})
}

func headerLen(t *testing.T, r *text.Resolver, src *citekit.Source) int {
	c, err := r.Resolve(t.Context(), src, citekit.Request{Location: rows(1, 1)})
	if err != nil {
		t.Fatal(err)
	}
	return int(c.Size)
}
