package quotation

import "testing"

// TestStruck: what a text strikes out is not what it says.
func TestStruck(t *testing.T) {
	const source = "The price is ~~100~~ 80 dollars in all of it. And ~~the old clause shall apply~~ to all of the town. The end is ~~near"
	for _, opts := range []Options{{}, {Markdown: true}} {
		for quote, want := range map[string]string{
			"The price is 100":                         "altered",
			"The price is 100 80 dollars":              "altered",
			"The price is ~~100~~ 80 dollars":          "exact",
			"the old clause shall apply":               "altered",
			"The Old Clause shall apply":               "altered",
			"old clause shall":                         "altered",
			"~~the old clause shall apply~~":           "exact",
			"And the old clause shall apply to all of": "altered",
			"80 dollars in all of it":                  "exact",
			"to all of the town":                       "exact",
			"The end is":                               "exact",
			"near":                                     "exact",
		} {
			if got, m := look(source, quote, opts); got != want {
				t.Errorf("%v: %q: %q, want %q: %+v", opts.Markdown, quote, got, want, m)
			}
		}
	}
	for source, quote := range map[string]string{
		"Well ~~ so it is ~~ in all of it":        "so it is",
		"~~~\nso it is here\n~~~":                 "so it is here",
		"It is so~~ and so it is~~ in it":         "and so it is",
		"It is ~~so\nand so it is~~ in all of it": "and so it is",
	} {
		if got, m := look(source, quote, Options{}); got != "exact" {
			t.Errorf("%q in %q: %q: %+v", quote, source, got, m)
		}
	}
	if got, _ := look("x = ~~(a + b) * ~~(c)", "a + b", Options{Verbatim: true}); got != "exact" {
		t.Errorf("code: %q", got)
	}
	if got, _ := look("It was ~~100~~ once, and is 100 now in all", "100", Options{}); got != "exact" {
		t.Errorf("also elsewhere: %q", got)
	}
}

// TestBesideStruck has text without a space beside text that is struck out.
func TestBesideStruck(t *testing.T) {
	const source = "The fee is ~~100~~120 euro and was ~~one~~two before; now 30~~45~~ in all of it."
	for quote, want := range map[string]string{
		"120 euro and was": "exact", "two before; now": "exact", "now 30": "exact", "The fee is ~~100~~120 euro": "exact",
		"20 euro and was": "altered", "The fee is 100": "altered", "45 in all of it": "altered",
	} {
		if got, m := look(source, quote, Options{}); got != want {
			t.Errorf("%q: %q, want %q: %+v", quote, got, want, m)
		}
	}
}

// TestPowersAreWhole has powers of several digits, of which none is the mark of a note.
func TestPowersAreWhole(t *testing.T) {
	const source = "The dose is 10²³ atoms in each box, about 10⁻⁶ of them. It was 1999¹² then, and the speed is 3 km s⁻¹ in the whole of it. The word¹² has notes."
	for quote, want := range map[string]string{
		"The dose is 10² atoms in each box": "altered", "about 10⁻ of them": "altered", "It was 1999¹ then": "altered", "the speed is 3 km s⁻ in the whole": "altered",
		"The dose is 10²³ atoms in each box": "exact", "about 10⁻⁶ of them": "exact", "The word has notes": "footnote_marks",
	} {
		if got, m := look(source, quote, Options{}); got != want {
			t.Errorf("%q: %q, want %q: %+v", quote, got, want, m)
		}
	}
}
