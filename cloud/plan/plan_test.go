package main

import (
	"os"
	"strings"
	"testing"
)

// docs/scale.md has what the program writes.
func TestDocumented(t *testing.T) {
	page, err := os.ReadFile("../../docs/scale.md")
	if err != nil {
		t.Fatal(err)
	}
	m := standard()
	var b strings.Builder
	m.write(&b, documented(&m))
	if !strings.Contains(string(page), b.String()) {
		t.Errorf("docs/scale.md lacks the tables of go run ./plan:\n%s", b.String())
	}
}

func TestPlan(t *testing.T) {
	m := standard()
	one, ten := m.plan(1e6, 100), m.plan(1e7, 100)
	if ten.rows != 10*one.rows || ten.index != 10*one.index || ten.evidence != one.evidence || ten.serving != one.serving || ten.keeping <= one.keeping {
		t.Errorf("%+v, and ten times as many documents %+v", one, ten)
	}
	m.hits.value = 1
	if all := m.plan(1e6, 100); all.gets != 0 || all.evidence != 0 || all.serving >= one.serving {
		t.Errorf("all evidence was made before: %+v", all)
	}
}

func TestNumbers(t *testing.T) {
	for x, want := range map[float64]string{0: "0", .3: "< 1", 7: "7", 94.4: "94", 1234: "1,200", 9_999_999: "10,000,000"} {
		if got := count(x); got != want {
			t.Errorf("%v is %s", x, got)
		}
	}
	if got := size(1.68e12); got != "1.7 TB" {
		t.Error(got)
	}
}
