package main

import (
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/modality/modalitytest"
)

func Example() {
	main()
	// Output:
	// text://ships#lines=2-3
	// Ada,"late,
	// but whole"
	// Bea,
	// citekit: resolve text://ships#lines=5-5: row 5 of 4: location out of range
}

func lines(first, last int) citekit.Location {
	return citekit.Location{Modality: citekit.Text, Lines: citekit.Range{First: first, Last: last}}
}

// A resolver of one's own passes the suite that the built-in ones pass.
func TestConformance(t *testing.T) {
	modalitytest.Test(t, rows{}, modalitytest.Fixture{
		Name:   "ships.csv",
		Source: []byte("name,remark\nAda,\"late,\nbut whole\"\nBea,\n"),
		Good: []modalitytest.Case{
			{Name: "header", Location: lines(1, 1), Want: []byte("name,remark\n")},
			{Name: "quoted line end", Location: lines(2, 2), Want: []byte("Ada,\"late,\nbut whole\"\n")},
			{Name: "whole", Location: citekit.Location{Modality: citekit.Text}, Want: []byte("name,remark\nAda,\"late,\nbut whole\"\nBea,\n")},
		},
		OutOfRange: []citekit.Location{lines(4, 4), lines(2, 9)},
		Foreign:    citekit.Location{Modality: citekit.Document, Pages: []citekit.Range{{First: 1, Last: 1}}},
	})
}
