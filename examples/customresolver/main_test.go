package main

import (
	"errors"
	"fmt"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/ingest"
	"github.com/citekit/citekit/modality/modalitytest"
	"github.com/citekit/citekit/modality/text"
	"github.com/citekit/citekit/workspace"
)

func Example() {
	main()
	// Output:
	// poem.txt is text, by passages
	// ships.csv is text, by rows
	// song is tune, by headings
	// tune://song#t=1-2
	// E 1
	// citekit: resolve tune://song#t=9-: t=9- of 4 seconds: location out of range
	// text://ships#lines=2-3
	// Ada,"late,
	// but whole"
	// Bea,
	// text://poem#lines=2-2
	// two
}

func lines(first, last int) citekit.Location {
	return citekit.Location{Modality: citekit.Text, Lines: citekit.Range{First: first, Last: last}}
}

func seconds(start, end float64) citekit.Location {
	return citekit.Location{Modality: Tune, Time: citekit.Span{Start: start, End: end}}
}

// A resolver of one's own passes the suite that the built-in ones pass.
func TestRows(t *testing.T) {
	modalitytest.Test(t, rows{new(text.Resolver)}, modalitytest.Fixture{
		Name:   "ships.csv",
		Source: []byte("name,remark\nAda,\"late,\nbut whole\"\nBea,\n"),
		Good: []modalitytest.Case{
			{Name: "header", Location: lines(1, 1), Want: []byte("name,remark\n"), WantText: "name\tremark\n"},
			{Name: "quoted line end", Location: lines(2, 2), Want: []byte("Ada,\"late,\nbut whole\"\n")},
			{Name: "whole", Location: citekit.Location{Modality: citekit.Text}, Want: []byte("name,remark\nAda,\"late,\nbut whole\"\nBea,\n")},
		},
		OutOfRange: []citekit.Location{lines(4, 4), lines(2, 9)},
		Foreign:    citekit.Location{Modality: citekit.Document, Pages: []citekit.Range{{First: 1, Last: 1}}},
		Extent:     citekit.Extent{Modality: citekit.Text, MediaType: "text/csv", Lines: 3},
	})
}

// What it hands on passes as before.
func TestRowsChain(t *testing.T) {
	modalitytest.Test(t, rows{new(text.Resolver)}, modalitytest.Fixture{
		Name:   "poem.txt",
		Source: []byte("a \"quoted\nline\n"),
		Good: []modalitytest.Case{
			{Name: "no row", Location: lines(1, 1), Want: []byte("a \"quoted\n"), WantText: "a \"quoted\n"},
		},
		OutOfRange: []citekit.Location{lines(3, 3)},
	})
}

// So does the resolver of a modality of one's own.
func TestTunes(t *testing.T) {
	data := []byte("tune 120\n# Verse\nC 1\nE 1.5\n# Refrain\nG 2\n- 1")
	modalitytest.Test(t, tunes{}, modalitytest.Fixture{
		Name:   "song",
		Source: data,
		Good: []modalitytest.Case{
			{Name: "a note", Location: seconds(0.5, 1.25), Want: []byte("E 1.5\n")},
			{Name: "within notes", Location: seconds(0.25, 0.75), Want: []byte("C 1\nE 1.5\n"), Check: isHeld(seconds(0, 1.25))},
			{Name: "to the end", Location: seconds(1.25, 0), Want: []byte("G 2\n- 1"), Check: isHeld(citekit.Location{})},
			{Name: "across a heading", Location: seconds(1, 2), Want: []byte("E 1.5\n# Refrain\nG 2\n")},
		},
		OutOfRange: []citekit.Location{seconds(2.75, 0), seconds(0, 3), seconds(90, 91)},
		Foreign:    citekit.Location{Modality: Tune, Pages: []citekit.Range{{First: 1, Last: 1}}},
		Extent:     citekit.Extent{Modality: Tune, MediaType: "text/x-tune", Duration: 2.75},
		Garbage:    [][]byte{[]byte("tune 0\nC 1\n"), []byte("tune 60\n"), []byte("tune 60\nC NaN\n"), []byte("tune 60\nC 1e9\n"), []byte("tune 60\n# A\n")},
	})
}

// isHeld checks what an extract says that it holds; the zero location is what
// was asked for.
func isHeld(want citekit.Location) func(testing.TB, []byte, *citekit.Content) {
	return func(t testing.TB, _ []byte, x *citekit.Content) {
		switch {
		case x.Actual == nil:
			if want.Modality != "" {
				t.Errorf("says that it holds what was asked for, want %v", want)
			}
		case !x.Actual.Equal(want):
			t.Errorf("says that it holds %v, want %v", *x.Actual, want)
		}
	}
}

// Every node of a map resolves, and a text that begins like a tune is text.
func TestNodes(t *testing.T) {
	files := workspace.NewMemory(sources)
	files.AddSource("talk.txt", []byte("tune in\nC 1\n"))
	lib := citekit.New(files, resolvers(), nil)
	defer lib.Close()
	report, err := ingest.Run(t.Context(), lib, []string{"song", "ships.csv", "talk.txt"}, nil)
	if err != nil || report.Err() != nil {
		t.Fatal(err, report.Err())
	}
	var all []string
	for _, item := range report.Items {
		m, err := lib.Map(t.Context(), item.ResourceID)
		if err != nil {
			t.Fatal(err)
		}
		for n := range m.All() {
			if _, err := lib.Resolve(t.Context(), m.ResourceID, n.ID, nil); err != nil {
				t.Error(err)
			}
			all = append(all, m.Address(n).String())
		}
	}
	want := "[tune://song#t=0-2 tune://song#t=2-4 text://ships#lines=2-2 text://ships#lines=3-3 text://ships#lines=4-4 text://talk#lines=1-2]"
	if got := fmt.Sprint(all); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	_, err = lib.ResolveFile(t.Context(), "song", citekit.Modality("").Pages(1, 1), nil)
	if !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("pages of a tune: %v", err)
	}
}
