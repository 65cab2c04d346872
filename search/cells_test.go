package search_test

import (
	"strings"
	"testing"

	"github.com/citekit/citekit/internal/test/pdftest"
	"github.com/citekit/citekit/search"
)

// TestCells checks that the numbers and codes in a row are found one by one, and that
// two cells are not one word.
func TestCells(t *testing.T) {
	s := newShelf(t, map[string]string{
		"orders.csv": "sku,order,qty\nA17,4711,12\nB18,4712,100,200\n",
		"data.json":  "{\"ids\": [6101,6102,999],\n \"total\": 7}\n",
		"app.log":    "2026-01-02,ERR501,30 disk full\n",
		"prose.md":   "# Offers\n\nIt cost 4,250€, which is more than 3,900.\n",
	})
	for query, want := range map[string]string{
		"4711": "orders", `"A17"`: "orders", "200": "orders", "100,200": "orders",
		"6102": "data", "999": "data", "ERR501": "app", "4250": "prose", "3,900": "prose",
		"471112": "", "ERR50130": "", "61016102": "",
	} {
		found, err := s.Search(ctx, search.Request{Query: query})
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if len(found.Results) > 0 {
			got = found.Results[0].ResourceID
		}
		if got != want {
			t.Errorf("%s is found in %q, want %q", query, got, want)
		}
	}
}

// TestRowsOfPages narrows passages to the rows of tables on pages of a PDF that alone have what
// was asked for.
func TestRowsOfPages(t *testing.T) {
	s := newShelf(t, map[string]string{
		"report.pdf": string(pdftest.Ruled("Table 1: Turnover by quarter\nItem|Q2|Q3\nRevenue|4,350|4,512\nCosts|3,950|4,001\nProfit|400|511\n", "Table 2: Staff\nSite|Count\nNorth|12\nSouth|31\n")),
	})
	for query, want := range map[string]string{
		"revenue Q3":   "doc://report#pages=1&table=1&cells=A2:C2 Revenue 4,350 4,512",
		"profit":       "doc://report#pages=1&table=1&cells=A4:C4 Profit 400 511",
		"staff north":  "doc://report#pages=2&table=1&cells=A2:B2 North 12",
		"costs profit": "",
		"counted":      "",
		"turnover":     "",
	} {
		found := s.find(t, search.Request{Query: query})
		got, rows := "", 0
		for _, r := range found.Results {
			if !r.Address.Location.Cells.IsZero() {
				rows++
				got = r.Address.String() + " " + strings.Join(strings.Fields(r.Snippet), " ")
			}
		}
		if got != want || rows > 1 || len(found.Results) == 0 {
			t.Errorf("%s: %q in %q; want %q", query, got, addresses(found), want)
		}
	}
}

// TestUnspaced finds nouns whose particle is another one in the text, and phrases that
// begin or end where another script does.
func TestUnspaced(t *testing.T) {
	s := newShelf(t, map[string]string{
		"house.md": "# 家\n\n犬は飼えません。猫は許可があれば飼えます。\n",
		"rent.md":  "# 押金\n\n退房后30天内退还。\n",
	})
	for query, want := range map[string]string{
		"犬を飼ってもいいですか": "house", "犬と猫": "house", `"30天内退还"`: "rent", `"天内退还"`: "rent", "牛を見る": "",
	} {
		found := s.find(t, search.Request{Query: query})
		if got := len(found.Results) > 0; got != (want != "") || got && found.Results[0].ResourceID != want {
			t.Errorf("%s: %+v, want %q", query, addresses(found), want)
		}
	}
}
