package verify_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/citekit/citekit/verify"
)

// TestLongTexts looks through a text in parts, and finds what it finds as a whole.
func TestLongTexts(t *testing.T) {
	var b strings.Builder
	for i := range 400 {
		fmt.Fprintf(&b, "Line %d says that the kettle é no. %d holds %d litres of water.\n", i+1, i, i*7)
	}
	s := newShelf(t, map[string]string{"long.txt": b.String()})
	quotes := []string{
		"the kettle é no. 399 holds 2793 litres", "the kettle é no. 200 holds 1401 litres", "Line 1 says", "no. 57 HOLDS 399 litres of water. Line 59",
		"water. Line 300 says … no. 300 holds", "nobody ever saw such a thing", "litres",
	}
	whole := make([]*verify.Verdict, len(quotes))
	for i, q := range quotes {
		whole[i] = s.quote(t, q, "text://long")
	}
	s.SetParts(1000, 3000, 700)
	for i, q := range quotes {
		if v := s.quote(t, q, "text://long"); fmt.Sprint(v.Class, v.Span, v.Address, v.Difference) != fmt.Sprint(whole[i].Class, whole[i].Span, whole[i].Address, whole[i].Difference) {
			t.Errorf("%q:\n%+v\n%+v", q, v, whole[i])
		}
	}
	if v := s.quote(t, "the kettle é no. 250 holds", "text://long#lines=251-252"); v.Class != verify.Exact {
		t.Errorf("%+v", v)
	}
}

// TestPartsOnce checks a text with many quotes of one long source: its parts are prepared
// once for all of them, not for each, and the verdicts are those of one by one.
func TestPartsOnce(t *testing.T) {
	var long, text strings.Builder
	for i := range 400 {
		fmt.Fprintf(&long, "Line %d says that the kettle no. %d holds %d litres of water.\n", i+1, i, i*7)
	}
	for i := range 40 {
		fmt.Fprintf(&text, "It says %q [text://long].\n\n", fmt.Sprintf("kettle no. %d holds %d litres", i*9, i*9*7+i%3/2)) // some are wrong
	}
	s := newShelf(t, map[string]string{"long.txt": long.String(), "other.txt": "Line 1 says that the kettle is empty.\n" + strings.Repeat("Nothing of this kind stands here.\n", 100)})
	s.SetParts(1000, 3000, 700)
	before := s.PartsMade()
	s.quote(t, "nobody ever saw such a thing", "text://long")
	each := s.PartsMade() - before // the parts of one quote
	before = s.PartsMade()
	report, err := s.Text(t.Context(), text.String(), nil)
	if err != nil || len(report.Entries) != 40 {
		t.Fatalf("%+v, %v", report, err)
	}
	if made := s.PartsMade() - before; each < 5 || made > 4*each {
		t.Errorf("%d parts prepared for 40 quotes, %d for one", made, each)
	}
	for _, e := range report.Entries {
		one := s.quote(t, e.Quote, "text://long")
		if e.Class != one.Class || e.Address.String() != one.Address.String() {
			t.Errorf("%q: %s at %s, alone %s at %s", e.Quote, e.Class, e.Address, one.Class, one.Address)
		}
	}
}

// TestConcurrent verifies quotes side by side, and gives some up.
func TestConcurrent(t *testing.T) {
	s := newShelf(t, files)
	var wg sync.WaitGroup
	for i := range 32 {
		wg.Go(func() {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if i%4 == 0 {
				cancel()
			}
			v, err := s.Quote(ctx, verify.Request{Quote: "The grinder makes a noise"})
			if i%4 == 0 && err != nil && !errors.Is(err, context.Canceled) || i%4 != 0 && (err != nil || v.Class != verify.Exact) {
				t.Errorf("%+v, %v", v, err)
			}
		})
	}
	wg.Wait()
}
