package reanchor_test

import (
	"strings"
	"testing"

	"github.com/citekit/citekit"
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
		if all := strings.Join(hows, " "); all != "unique unique unique unknown gone unknown unknown unknown similar" {
			t.Errorf("found %s", all)
		}
		if want := map[bool]int{false: 4, true: 3}[similar]; left != want {
			t.Errorf("%d are left, want %d", left, want)
		}
	}
}

// Addresses with names are read whole, and an address in JSON stays one of JSON.
func TestRewriteForms(t *testing.T) {
	s := newShelf(t, map[string]string{"guide.md": guide, "d.csv": "name,R&D\ntea,12\n"})
	inJSON := func(a citekit.Address) string { return strings.ReplaceAll(a.String(), "&", `\u0026`) }
	chalk, cols := s.cite(t, "text://guide#lines=7-8"), s.cite(t, "text://d#rows=2&cols=R%26D,name")
	text := "{\"at\": \"" + inJSON(chalk) + "\", \"also\": \"" + inJSON(cols) + "\"} _see " + cols.String() + "_."
	s.ingest(t, map[string]string{"guide.md": "New.\n\n" + guide})
	got, err := s.Rewrite(t.Context(), text, nil)
	if err != nil {
		t.Fatal(err)
	}
	if want := strings.Replace(text, inJSON(chalk), inJSON(s.cite(t, "text://guide#lines=9-10")), 1); got.Text != want {
		t.Errorf("got  %q\nwant %q", got.Text, want)
	}
	for i, want := range []string{inJSON(chalk), inJSON(cols), cols.String()} {
		if c := got.Citations[i]; c.Written != want || c.Result.Problem != nil {
			t.Errorf("read %q, want %q: %v", c.Written, want, c.Result.Problem)
		}
	}
}

// The quote in the title of a link is that of its address, and an address that ends
// before a part of the name of its resource says what to write.
func TestRewriteTitlesAndNames(t *testing.T) {
	s := newShelf(t, map[string]string{"guide.md": guide})
	m, err := s.Map(t.Context(), "guide")
	if err != nil {
		t.Fatal(err)
	}
	spaced := *m
	if spaced.ResourceID = "my guide"; s.Save(t.Context(), &spaced) != nil {
		t.Fatal("not saved")
	}
	s.ingest(t, map[string]string{"guide.md": "New.\n\n" + guide})
	got, err := s.Rewrite(t.Context(), "[Guide, line 5](text://guide#lines=5 \"Chalk settles where water boils away.\") text://my guide#lines=5", nil)
	if err != nil || len(got.Citations) != 2 {
		t.Fatalf("%+v, %v", got, err)
	}
	if now := got.Citations[0].Now; now != "text://guide#lines=9-9" {
		t.Errorf("%s, %v", now, got.Citations[0].Result.Problem)
	}
	if c := got.Citations[1]; c.Result.Problem == nil || !strings.Contains(c.Result.Problem.Error(), "write %20 for spaces: text://my%20guide#lines=5-5") || c.Moved() {
		t.Errorf("%+v", c.Result)
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
