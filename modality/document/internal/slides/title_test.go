package slides

import "testing"

// TestTitleOfSlide titles a slide by its first text with letters that is no date, number
// or footer and no row of a table or chart.
func TestTitleOfSlide(t *testing.T) {
	c := &content{
		bodies:   []string{"2020\t2021\nCakes\t3", "June 2018", "12 %", "Tea and cake\nfor two"},
		marginal: map[int]bool{1: true},
	}
	n := c.node(2)
	if n.Title != "Tea and cake" || n.Summary != "2020 2021 Cakes 3 June 2018 12 % for two" {
		t.Errorf("title %q, summary %q", n.Title, n.Summary)
	}
	c.bodies = c.bodies[:3]
	if n := c.node(2); n.Title != "Slide 2" {
		t.Errorf("without a text: title %q", n.Title)
	}
}
