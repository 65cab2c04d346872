package reanchor_test

import (
	"strings"
	"testing"

	"github.com/citekit/citekit/reanchor"
)

func TestRewrite(t *testing.T) {
	s := newShelf(t, map[string]string{"guide.md": guide})
	chalk, vinegar, fill := s.cite(t, "text://guide#lines=7-8").String(), s.cite(t, "text://guide#lines=12").String(), s.cite(t, "text://guide#lines=3").String()
	escaped := strings.ReplaceAll(chalk, "&", "&amp;")
	text := "\ufeffChalk [settles](" + chalk + ") and <a href=\"" + escaped + "\">is hard</a>.\r\n" +
		"Vinegar[^1] “Chalk settles where water boils away.” (text://guide#lines=5)\r\n\r\nBare: text://guide#lines=1 \xff\r\n" +
		"```\r\n" + chalk + "\r\n```\r\nFill it " + fill + ", text://other#lines=3, own://guide#lines=7 doc://x#page=3\r\n[^1]: " + vinegar
	changed := "New.\n\n" + strings.NewReplacer("dissolves chalk", "dissolves no chalk", "Fill the kettle to the mark.\n", "Pour.\n").Replace(guide)
	s.ingest(t, map[string]string{"guide.md": changed})
	chalkNow, vinegarNow := s.cite(t, "text://guide#lines=9-10").String(), s.cite(t, "text://guide#lines=14").String()
	for _, similar := range []bool{false, true} {
		got, err := s.Rewrite(t.Context(), text, &reanchor.RewriteOptions{Similar: similar})
		if err != nil {
			t.Fatal(err)
		}
		want := strings.Replace(text, "("+chalk+")", "("+chalkNow+")", 1)
		want = strings.Replace(want, escaped, strings.ReplaceAll(chalkNow, "&", "&amp;"), 1)
		want = strings.Replace(want, "(text://guide#lines=5)", "(text://guide#lines=9-9)", 1)
		if similar {
			want = strings.Replace(want, vinegar, vinegarNow, 1)
		}
		if got.Text != want {
			t.Errorf("got  %q\nwant %q", got.Text, want)
		}
		var hows []string
		left := 0
		for _, c := range got.Citations {
			hows = append(hows, string(c.Result.How))
			if c.Left() {
				left++
			}
		}
		if all := strings.Join(hows, " "); all != "unique unique unique unknown gone unknown unknown similar" {
			t.Errorf("found %s", all)
		}
		if want := map[bool]int{false: 4, true: 3}[similar]; left != want {
			t.Errorf("%d are left, want %d", left, want)
		}
	}
}

// Addresses of rows and columns, also as JSON has them, move whole.
func TestRewriteNames(t *testing.T) {
	table := "name,R&D,unit_price\ntea,12 apples,seven pears\ncoffee,40 plums,nine figs\n"
	s := newShelf(t, map[string]string{"d.csv": table})
	rows := s.cite(t, "text://d#rows=3&cols=R%26D,unit_price").String()
	text := "So (" + rows + ") and {\"at\": \"" + strings.ReplaceAll(rows, "&", `\u0026`) + "\"}, _" + rows + "_."
	s.ingest(t, map[string]string{"d.csv": strings.Replace(table, "tea,", "water,none,two nuts\ntea,", 1)})
	got, err := s.Rewrite(t.Context(), text, nil)
	if err != nil {
		t.Fatal(err)
	}
	now := s.cite(t, "text://d#rows=4&cols=R%26D,unit_price").String()
	want := "So (" + now + ") and {\"at\": \"" + strings.ReplaceAll(now, "&", `\u0026`) + "\"}, _" + now + "_."
	if got.Text != want {
		t.Errorf("got  %q\nwant %q", got.Text, want)
	}
}

// What was moved once stays where it is.
func TestRewriteAgain(t *testing.T) {
	s := newShelf(t, map[string]string{"guide.md": guide})
	text := "See " + s.cite(t, "text://guide#lines=7-8").String() + "."
	s.ingest(t, map[string]string{"guide.md": "New.\n\n" + guide})
	first, err := s.Rewrite(t.Context(), text, nil)
	if err != nil {
		t.Fatal(err)
	}
	second, err := s.Rewrite(t.Context(), first.Text, nil)
	if err != nil || first.Text == text || second.Text != first.Text || second.Citations[0].Result.How != reanchor.Unchanged {
		t.Errorf("%q, then %q, %v", first.Text, second.Text, err)
	}
}
