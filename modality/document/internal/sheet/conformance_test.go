package sheet_test

import (
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/modality/document/internal/sheet"
	"github.com/citekit/citekit/modality/modalitytest"
)

func TestConformance(t *testing.T) {
	modalitytest.Test(t, &sheet.Resolver{MaxJobs: 1}, modalitytest.Fixture{
		Name:   "budget.xlsx",
		Source: salesBook().pack(t),
		Good: []modalitytest.Case{
			{Name: "cells", Location: at("Q4 Results", "B2:D4"), WantText: "Name\tDay\tAmount\nMüller & Söhne\t2023-03-15\t1,234.50\nRich text\t2023-03-16\t($7.00)\n"},
			{Name: "sheet", Location: at("Q4 Results", ""), WantText: "\tName\tDay\tAmount\tTotal\n\tMüller & Söhne\t2023-03-15\t1,234.50\t25.00%\n\tRich text\t2023-03-16\t($7.00)\tsecretx\n\tTRUE\t#DIV/0!\t4938\n"},
			{Name: "rows", Location: rows("Q4 Results", 5, 6), WantText: "\tTRUE\t#DIV/0!\t4938\n"},
			{Name: "columns", Location: cols("Q4 Results", "D:E"), WantText: "Amount\tTotal\n1,234.50\t25.00%\n($7.00)\tsecretx\n4938\n"},
			{Name: "empty", Location: at("Hidden one", "")},
		},
		OutOfRange: []citekit.Location{
			at("Q4 Results", "B2:F3"), at("Q4 Results", "B6:B7"), at("q4 results", ""), at("Other", "A2"), at("Hidden one", "A1"),
			rows("Q4 Results", 6, 7), cols("Q4 Results", "F"), at("Q4 Results", "XFD1048576"), at("none", "A1"),
		},
		Extent: citekit.Extent{Modality: citekit.Document, Sheets: 3, MediaType: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"},
	})
}
