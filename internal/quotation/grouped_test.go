package quotation

import (
	"strings"
	"testing"
)

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
		{"paid 1 204,50 euro", "204,50 euro", false}, // in a sentence, before a unit
		{"paid 1 204,50 euro", "204,50", false},
		{"paid 1 204,50 euro", ",50 euro", false},
		{"paid 1 204,50 euro", "paid 1", false},
		{"paid 1 204,50 euro", "paid 1 204", false},
		{"paid 1 204,50 euro", "paid 1 204,", false},
		{"paid 1 204,50 euro", "1 204,50 euro", true},
		{"paid 1\u00a0204,50 euro", "204,50 euro", false},
		{"paid 1\u2009204,50 euro", "204,50 euro", false},
		{"paid 1\u202f204,50 euro", "204,50 euro", false},
		{"paid 1\u202f204,50 euro", "paid 1", false},
		{"paid 1\u202f204,50 euro", "1 204,50 euro", true},
		{"worth 1 204 567 yen now", "567 yen", false},
		{"worth 1 204 567 yen now", "204 567 yen", false},
		{"worth 1 204 567 yen now", "worth 1", false},
		{"worth 1 204 567 yen now", "worth 1 204", false},
		{"worth 1 204 567 yen now", "worth 1 204 567 yen", true},
		{"worth 1\u00a0204\u00a0567 yen", "567 yen", false},
		{"It weighs 2 345 pounds.", "345 pounds", false},
		{"It weighs 2 345 pounds.", "2 345 pounds", true},
		{"It weighs 12 345.", "345", false},
		{"It weighs 12 345.", "12 345", true},
		{"from 1 000–1 204 tons", "204 tons", false},
		{"in 2019 1 204 ships sank", "204 ships", false},
		{"in 2019 1 204 ships sank", "in 2019", true},
		{"a\t€ 1 204,50\tb", "204,50", false}, // in a cell
		{"a\t€ 1 204,50\tb", "1", false},
		{"a\t€ 1 204,50\tb", "€ 1", false},
		{"a\t€ 1 204,50\tb", "1 204,50", true},
		{"a\t€ 1 204,50\tb", "€ 1 204,50", true},
		{"€ 1 204,50", "204,50", false},
		{"€ 1 204,50", "1", false},
		{"| € 1 204 | 5 |", "204", false},
		{"in 2019 204 ships sank", "in 2019", true}, // no groups
		{"in 2019 204 ships sank", "204 ships", true},
		{"chapter 1 204 pages", "204 pages", true},
		{"chapter 1 204 pages", "chapter 1", true},
		{"section 5.1 204 pages", "204 pages", true},
		{"on 2019-12-15 204 ships", "204 ships", true},
		{"in 2019–20 204 ships", "204 ships", true},
		{"of covid-19 204 cases", "204 cases", true},
		{"12\t345 pounds", "345 pounds", true},
		{"12  345 pounds", "345 pounds", true},
		{"Revenue 12 100 350 4 300", "Revenue 12", true},
		{"Revenue 5 12 100 pounds", "100 pounds", true},
		{"costs 12.50 euro", "costs 12.", false}, // a part before or behind its point
		{"costs 12.50 euro", ".50 euro", false},
		{"costs 12. 50 came", "costs 12.", true},
		{"a .5 share", ".5 share", true},
		{"as in 2019.12 The next", "as in 2019.", true}, // the mark of a note
		{"it weighs 2 345\npounds in all", "345 pounds in all", false},
		{"it weighs 2 345\npounds in all", "2 345 pounds in all", true},
		{"Other items 12 100\nmore items 13 200", "Other items 12", true},
		{"Total 1 204,50\n", "204,50", false},
		{"Revenue 12 100,50 98,20", "Revenue 12", true},
		{"**2 345** pounds", "345", false},
		{"of 10^-7 m", "-7 m", false},
		{"about –7 tons", "7 tons", false}, // a dash for a minus
		{"about ‑7 tons", "7 tons", false},
		{"–7 tons", "7 tons", false},
		{"about 5–7 tons", "7 tons", true},
		{"about 5%–7% of all", "7% of all", true},
		{"about – 7 tons", "7 tons", true},
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

// TestRangeIsNoMinus checks that the dash of a range is no sign of its second number.
func TestRangeIsNoMinus(t *testing.T) {
	for _, dash := range []string{"-", "‐", "‑", "‒", "–", "—", "−"} {
		for _, test := range []struct {
			source, quote string
			holds         bool
		}{
			{"about 5~7 tons", "~7 tons", false},
			{"about 5~7 tons", "-7 tons", false},
			{"about 5~7 tons", "−7 tons", false},
			{"about 5~7 tons", "5~7 tons", true},
			{"about 5~7 tons", "5-7 tons", true},
			{"a\t5~7\tb", "-7", false},
			{"5~7", "-7", false},
			{"in 2019~20 it rose", "-20 it rose", false},
			{"5 kg~7 kg", "-7 kg", false},
			{"5%~7% of all", "-7% of all", false},
			{"5 %~7 % of all", "-7 % of all", false},
			{"€5~€7 each", "-€7 each", false},
			{"5€~7€ each", "-7€ each", false},
			{"am 5.~7. Mai", "-7. Mai", false},
			{"0.5~.7 tons", "-.7 tons", false},
			{"5\u2060~\u20607 tons", "-7 tons", false},
			{"5 ~ 7 tons", "-7 tons", false},
			{"5 ~ 7 tons", "~7 tons", false},
			{"5 ~ 7 tons", "~ 7 tons", true},
			{"about 5~7 tons", "about 5", true},
			{"was ~7 tons", "-7 tons", true},
			{"(~7 tons)", "-7 tons", true},
			{"x=~7 tons", "-7 tons", true},
			{"$~7 of it", "-7 of it", true},
			{"5\t~7\tb", "-7", true},
			{"a loss of $~7 each", "-7 each", true},
			{"it read \"~7 tons\"", "-7 tons", true},
			{"the 5 '~7 tons'", "-7 tons", true},
		} {
			source, written := strings.ReplaceAll(test.source, "~", dash), strings.ReplaceAll(test.quote, "~", dash)
			quote, err := Parse(written)
			if err != nil {
				t.Fatal(err)
			}
			found := Prepare(source, Options{}).Find(quote, 0, len(source), 1)
			if holds := len(found.Matches) > 0; holds != test.holds {
				t.Errorf("%q in %q: %v", written, source, holds)
			}
		}
	}
}

// TestGroupsOfFields checks numbers with groups in the fields of a row, and in data.
func TestGroupsOfFields(t *testing.T) {
	for _, test := range []struct {
		source, quote string
		options       Options
		holds         bool
	}{
		{"a,1 204 567,b", "204 567", Options{Delimiter: ',', Verbatim: true}, false},
		{"a,1 204 567,b", "1 204 567", Options{Delimiter: ',', Verbatim: true}, true},
		{"a,\"1 204,50\",b", "204,50", Options{Delimiter: ',', Verbatim: true}, false},
		{"a;1 204,50 euro;b", "204,50 euro", Options{Delimiter: ';', Verbatim: true}, false},
		{"5,-7,8", "-7", Options{Delimiter: ',', Verbatim: true}, true},
		{"5,7,8", "5,", Options{Delimiter: ',', Verbatim: true}, true},
		{"GET 200 345 ms", "345 ms", Options{Verbatim: true}, true},
		{"costs 1 204 €", "204 €", Options{Verbatim: true}, false},
	} {
		quote, err := Parse(test.quote)
		if err != nil {
			t.Fatal(err)
		}
		found := Prepare(test.source, test.options).Find(quote, 0, len(test.source), 1)
		if holds := len(found.Matches) > 0; holds != test.holds {
			t.Errorf("%q in %q: %v", test.quote, test.source, holds)
		}
	}
}
