package quotation

import "testing"

// TestGroupedNumbers checks that a part of a number whose groups spaces divide is not that
// number.
func TestGroupedNumbers(t *testing.T) {
	for _, test := range []struct {
		source, quote string
		holds         bool
	}{
		{"Methane\t100 000\tt", "100", false},
		{"Methane\t100 000\tt", "000", false},
		{"Methane\t100 000\tt", "Methane 100", false},
		{"Methane\t100 000\tt", "100 000", true},
		{"1 649 692\n", "1 649", false},
		{"1 649 692\n", "649 692", false},
		{"1 649 692\n", "1 649 692", true},
		{"about 100\u00a0000 tonnes", "about 100", false},
		{"about 100\u202f000 tonnes", "000 tonnes", false},
		{"about 100\u00a0000 tonnes", "about 100 000 tonnes", true},
		{"Revenue 12 100 350", "Revenue 12", true}, // columns, for all that is known
		{"in 2019\u00a0100 people", "in 2019", true},
		{"Loss\t(910)\t1,200\n", "910", false}, // a negative number of accounts
		{"Loss\t(910)\t1,200\n", "Loss 910", false},
		{"Loss\t(910)\t1,200\n", "910 1,200", false},
		{"Loss\t(910)\t1,200\n", "(910)", true},
		{"Loss\t(910)\t1,200\n", "Loss (910) 1,200", true},
		{"($ 1,910)\n", "1,910", false},
		{"the loss (910) of 2024\n", "910", true},
		{"see\n(910)\n", "910", true}, // a line of text
		{"page 3\u00a04 and 5", "page 3", true},
	} {
		quote, err := Parse(test.quote)
		if err != nil {
			t.Fatal(err)
		}
		found := Prepare(test.source, Options{}).Find(quote, 0, len(test.source), 1)
		if holds := len(found.Matches) > 0; holds != test.holds {
			t.Errorf("%q in %q: %v", test.quote, test.source, holds)
		}
	}
}
