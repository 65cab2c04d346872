package citation_test

import (
	"errors"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/citation"
)

func TestCellsLocation(t *testing.T) {
	e := citekit.Extent{Modality: citekit.Text, Rows: 9}
	header := []string{"name", "3", "price"}
	for _, test := range []struct{ fragment, address, back string }{
		{"row=5-7", "rows=5-7", "row=5-7"},
		{"row=2-*", "rows=2-9", "row=2-9"},
		{"col=2", "cols=2", "col=2"},
		{"cell=4,1-6,2", "rows=4-6&cols=1,2", "cell=4,1-6,2"},
		{"", "rows=2&cols=price,name", "cell=2,1;2,3"},
		{"", "cols=3,name", "col=1-2"},
	} {
		if test.fragment != "" {
			cells, err := citation.ParseCSVFragment(test.fragment)
			if err != nil {
				t.Fatal(err)
			}
			loc, err := cells[0].Location(e)
			if got := (citekit.Address{Resource: "a", Location: loc}).Fragment(); err != nil || got != test.address {
				t.Errorf("%s is %q, %v; want %q", test.fragment, got, err, test.address)
			}
		}
		a, err := citekit.ParseAddress("text://a#" + test.address)
		if err != nil {
			t.Fatal(err)
		}
		cells, err := citation.TableCells(a.Location, header)
		if err != nil {
			t.Errorf("%s: %v", test.address, err)
			continue
		}
		if got, err := citation.CSVFragment(cells...); err != nil || got != test.back {
			t.Errorf("%s is %q, %v; want %q", test.address, got, err, test.back)
		}
	}
}

func TestCellsWithoutLocation(t *testing.T) {
	for fragment, want := range map[string]error{"row=10": citekit.ErrRange, "col=2-*": errors.ErrUnsupported, "col=1-9999": citekit.ErrRange} {
		cells, err := citation.ParseCSVFragment(fragment)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := cells[0].Location(citekit.Extent{Rows: 9}); !errors.Is(err, want) {
			t.Errorf("%s: %v", fragment, err)
		}
	}
	for _, loc := range []citekit.Location{citekit.Text.Lines(1, 2), {Cols: []string{"cost"}}} {
		loc.Modality = citekit.Text
		if _, err := citation.TableCells(loc, []string{"name"}); err == nil {
			t.Errorf("%v has a table fragment", loc)
		}
	}
}

// TestRowsInOtherForms follows rows through a URL and an annotation.
func TestRowsInOtherForms(t *testing.T) {
	a, err := citekit.ParseAddress("text://a#rows=5-7")
	if err != nil {
		t.Fatal(err)
	}
	c := citation.Citation{Address: a}
	if got, err := c.URL("https://example.org/a.csv"); err != nil || got != "https://example.org/a.csv#row=5-7" {
		t.Errorf("%q, %v", got, err)
	}
	found, err := citation.ParseAnnotation([]byte(`{"type": "Annotation", "target": {"source": "text://a",
		"selector": {"type": "FragmentSelector", "conformsTo": "https://www.rfc-editor.org/rfc/rfc7111", "value": "cell=5,2-7,2"}}}`))
	if err != nil || len(found) != 1 || found[0].Address.String() != "text://a#rows=5-7&cols=2" {
		t.Errorf("%v, %v", found, err)
	}
}

// TestBlocksInURL opens a block of a page by its words.
func TestBlocksInURL(t *testing.T) {
	a, err := citekit.ParseAddress("text://page#blocks=14")
	if err != nil {
		t.Fatal(err)
	}
	c := citation.Citation{Address: a, Quote: "some words"}
	if got, err := c.URL("https://example.org/page.html"); err != nil || got != "https://example.org/page.html#:~:text=some%20words" {
		t.Errorf("%q, %v", got, err)
	}
}
