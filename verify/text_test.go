package verify_test

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/verify"
)

// told returns what a report says, a line each.
func told(r *verify.Report) (lines []string) {
	for _, e := range r.Entries {
		line := fmt.Sprintf("%s %s %s", e.Kind, e.Class, e.Cited)
		if !e.Holds() {
			line = "FAILS " + line
		}
		if e.Stale {
			line += " stale"
		}
		if e.Problem != nil {
			line += " " + citekit.CodeOf(e.Problem)
		}
		lines = append(lines, line)
	}
	for _, s := range r.Uncited {
		lines = append(lines, "- "+s.Text)
	}
	return lines
}

const kettle = "The kettle must be cleaned weekly.\nDo not use chalk in the kettle.\n\nIt boils 1.7 litres of water in four minutes.\n"

func TestText(t *testing.T) {
	s := newShelf(t, map[string]string{"kettle.txt": kettle, "other.txt": "Another text about gloves and gardening.\n"})
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"exact", "It says “Do not use chalk in the kettle.” [text://kettle#lines=2]", []string{"quote exact text://kettle#lines=2"}},
		{"repaired", "> do not use\n> chalk in the kettle\n\n(text://kettle)", []string{"quote repaired text://kettle"}},
		{"elsewhere", "It says “Do not use chalk in the kettle” [text://kettle#lines=4].", []string{"FAILS quote elsewhere text://kettle#lines=4"}},
		{"altered", "It says “Do use chalk in the kettle” [text://kettle#lines=2].", []string{"FAILS quote altered text://kettle#lines=2"}},
		{"end of sentence", "It says “chalk in the kettle.” [text://kettle#lines=2] And “in the kettle,” text://kettle#lines=2.",
			[]string{"quote exact text://kettle#lines=2", "quote repaired text://kettle#lines=2"}},
		{"claims elsewhere", "Another text is about gloves and gardening [text://kettle#lines=2].", []string{"claim unquoted text://kettle#lines=2"}},
		{"not found", "It says “Elephants never sleep at noon” [text://kettle].", []string{"FAILS quote not_found text://kettle"}},
		{"claims", "Chalk is bad for it [text://kettle#lines=2]. The kettle must be cleaned weekly [text://kettle#lines=1].",
			[]string{"claim unquoted text://kettle#lines=2", "claim exact text://kettle#lines=1"}},
		{"addresses", "- text://kettle#lines=2\n- text://kettle#lines=9\n", []string{"address unquoted text://kettle#lines=2", "FAILS address unchecked text://kettle#lines=9 INVALID_INPUT"}},
		{"bad", "So “it is” [text://kettle#line=2]. This is so [text://none]. “Weekly” text://kettle#lines=99.",
			[]string{"FAILS quote unchecked text://kettle#line=2 INVALID_INPUT", "FAILS claim unchecked text://none NOT_FOUND", "FAILS quote unchecked text://kettle#lines=99 INVALID_INPUT"}},
		{"code", "So “it is” `text://kettle#lines=3`. Such as `text://nobody#lines=3`. Bad (`text://kettle#lines=1`): “four minutes” `text://kettle#lines=4`.",
			[]string{"FAILS quote not_found text://kettle#lines=3", "claim unquoted text://kettle#lines=1", "quote exact text://kettle#lines=4", "- Such as text://nobody#lines=3."}},
		{"wrong schemes", "“four minutes” [txt://kettle#lines=4]. “four minutes” [TEXT://kettle#lines=4]. “four minutes” [document://kettle#pages=1]. “four” [txt://nobody#lines=4].",
			[]string{"FAILS quote unchecked txt://kettle#lines=4 UNSUPPORTED", "FAILS quote unchecked TEXT://kettle#lines=4 UNSUPPORTED",
				"FAILS quote unchecked document://kettle#pages=1 UNSUPPORTED", "- four"}},
		{"each of several", "“four minutes” and “gardening” [text://kettle][text://other].", []string{"quote exact text://kettle", "quote exact text://other"}},
		{"one of several", "“four minutes” [text://kettle][text://other].", []string{"quote exact text://kettle", "FAILS quote elsewhere text://other"}},
		{"emphasis", "“**chalk** in `the` kettle” text://kettle#lines=2", []string{"quote exact text://kettle#lines=2"}},
		{"uncited", "No one knows. Claim [text://other]. See https://example.org/.", []string{"claim unquoted text://other", "- No one knows.", "- See https://example.org/."}},
		{"another's", "So they say “it” slack://channel.", []string{"- So they say “it” slack://channel."}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := s.Text(t.Context(), c.text, nil)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, told(r)); diff != "" {
				t.Error(diff)
			}
			fails, nothing := strings.Contains(strings.Join(c.want, "\n"), "FAILS"), len(r.Entries) == 0
			if r.Holds() == (fails || nothing) || r.CitesNothing() != nothing {
				t.Errorf("holds: %v, cites nothing: %v", r.Holds(), r.CitesNothing())
			}
		})
	}
}

// TestTextNames has addresses with names of columns and members, in the forms in
// which people and programs write them, and quotes with references of HTML.
func TestTextNames(t *testing.T) {
	var archive bytes.Buffer
	w := zip.NewWriter(&archive)
	f, err := w.Create("my docs/read me.txt")
	if err == nil {
		_, err = f.Write([]byte("Open the box.\nTurn the key twice.\n"))
	}
	if err = errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	s := newShelf(t, map[string]string{
		"d.csv": "name,R&D,Q4 Results\ntea,12 apples,seven pears\ncoffee,40 plums,nine figs\n", "z.zip": archive.String(),
		"n.txt": "Head.\n\nProfit & loss <of> \"it\"\nWrite &amp; here\n",
	})
	for text, want := range map[string]string{
		"“seven pears” [text://d#rows=2&cols=Q4%20Results]":                            "quote exact text://d#rows=2&cols=Q4%20Results",
		"“12 apples” [text://d#rows=2&cols=Q4%20Results]":                              "FAILS quote elsewhere text://d#rows=2&cols=Q4%20Results",
		"“40 plums” _text://d#rows=3&cols=name,R%26D_.":                                "quote exact text://d#rows=3&cols=name,R%26D",
		`“40 plums” text://d#rows=3\u0026cols=R%26D.`:                                  `quote exact text://d#rows=3\u0026cols=R%26D`,
		`“40 plums” text://d#rows=3\u0026cols=name.`:                                   `FAILS quote elsewhere text://d#rows=3\u0026cols=name`,
		"“Turn the key twice.” (text://z#member=my%20docs/read%20me.txt&lines=2)":      "quote exact text://z#member=my%20docs/read%20me.txt&lines=2",
		"“Turn the key twice.” (text://z#member=my%20docs/read%20me.txt&lines=1)":      "FAILS quote elsewhere text://z#member=my%20docs/read%20me.txt&lines=1",
		"[^1]: *N*. \"Profit &amp; loss &lt;of&gt; &quot;it&#34;\" <text://n#lines=3>": "quote exact text://n#lines=3",
		"“Write &amp; here” text://n#lines=4":                                          "quote exact text://n#lines=4",
		"“Profit &amp; no loss” text://n#lines=3":                                      "FAILS quote altered text://n#lines=3",
	} {
		r, err := s.Text(t.Context(), text, nil)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{want}, told(r)); diff != "" {
			t.Errorf("%s: %s", text, diff)
		}
	}
}

func TestTextStrict(t *testing.T) {
	s := newShelf(t, map[string]string{"kettle.txt": kettle})
	r, err := s.Text(t.Context(), "Chalk is bad for it [text://kettle#lines=2]. The kettle must be cleaned weekly [text://kettle#lines=1].", &verify.TextOptions{Strict: true})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"FAILS claim unquoted text://kettle#lines=2", "claim exact text://kettle#lines=1"}
	if diff := cmp.Diff(want, told(r)); diff != "" || r.Holds() {
		t.Errorf("holds %v %s", r.Holds(), diff)
	}
}

// TestTextOfResource has a text that is a resource too.
func TestTextOfResource(t *testing.T) {
	text := "It says “Do use chalk in the kettle” [text://kettle#lines=2]. Elephants say so [text://kettle].\n"
	s := newShelf(t, map[string]string{"kettle.txt": kettle, "answer.md": text})
	r, err := s.Text(t.Context(), text, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"FAILS quote altered text://kettle#lines=2", "claim unquoted text://kettle"}
	if diff := cmp.Diff(want, told(r)); diff != "" {
		t.Error(diff)
	}
}

// TestTextStale has a source that changed after it was cited.
func TestTextStale(t *testing.T) {
	s := newShelf(t, map[string]string{"kettle.txt": kettle})
	s.write(t, "kettle.txt", strings.Replace(kettle, "Do not use", "Use", 1))
	r, err := s.Text(t.Context(), "“chalk in the kettle” [text://kettle#lines=2]. Chalk is bad text://kettle.\n\n- text://kettle", nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range r.Entries {
		if e.Holds() || !e.Stale {
			t.Errorf("%s %s: stale %v", e.Kind, e.Class, e.Stale)
		}
	}
	if len(r.Entries) != 3 {
		t.Error(told(r))
	}
}

// TestTextTitles has quotes in the titles of links.
func TestTextTitles(t *testing.T) {
	s := newShelf(t, map[string]string{"kettle.txt": kettle})
	for text, want := range map[string][]string{
		"No chalk: [Kettle, line 2](text://kettle#lines=2 \"Do not use chalk in the kettle\").": {"quote exact text://kettle#lines=2"},
		"Chalk: [Kettle, line 2](text://kettle#lines=2 \"Do use chalk in the kettle\").":        {"FAILS quote altered text://kettle#lines=2"},
		"No chalk [k].\n\n[k]: text://kettle#lines=2 \"It boils 1.7 litres\"":                   {"FAILS quote elsewhere text://kettle#lines=2"},
		"> Do not use chalk in the kettle. [K](text://kettle#lines=2 'It boils milk')":          {"quote exact text://kettle#lines=2", "FAILS quote not_found text://kettle#lines=2"},
	} {
		for _, strict := range []bool{false, true} {
			r, err := s.Text(t.Context(), text, &verify.TextOptions{Strict: strict})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, told(r)); diff != "" {
				t.Errorf("%s: %s", text, diff)
			}
		}
	}
}

// TestTextLongerNames has addresses that end before a part of the name of a
// resource that is not escaped.
func TestTextLongerNames(t *testing.T) {
	s := newShelf(t, map[string]string{"kettle.txt": kettle})
	m, err := s.Map(t.Context(), "kettle")
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"My Book", "My Book of Tea", "Bücher", "Q4売上", "My", "the-red-kettle"} {
		named := *m
		if named.ResourceID = id; s.Save(t.Context(), &named) != nil {
			t.Fatal(id)
		}
	}
	for text, want := range map[string]string{
		"“1.7 litres” [text://My Book#lines=4]":             "text://My%20Book#lines=4-4",
		"“1.7 litres” [text://My Book of Tea#lines=4-5]":    "text://My%20Book%20of%20Tea#lines=4-5",
		"Chalk is bad [text://My Book#lines=2] for it.":     "text://My%20Book#lines=2-2",
		"Chalk is bad (text://Q4売上).":                       "text://Q4%E5%A3%B2%E4%B8%8A",
		"Chalk is bad text://My Book, text://Q4売上#lines=2.": "",
		"“1.7 litres” [text://Bücher#lines=4]":              "",
		"Chalk is bad [text://The Red Kettle#lines=2].":     "write text://the-red-kettle#lines=2-2",
		"Chalk is bad [text://The Red Kettle.txt#lines=2].": "write text://the-red-kettle#lines=2-2",
		"Chalk is bad: see text://My and “1.7 litres” #4.":  "",
	} {
		r, err := s.Text(t.Context(), text, nil)
		if err != nil {
			t.Fatal(err)
		}
		said := ""
		for _, e := range r.Entries {
			if e.Problem != nil {
				said += e.Problem.Error()
			}
		}
		if want == "" && said != "" || !strings.Contains(said, want+":") && want != "" || strings.Contains(want, "%20") != strings.Contains(said, "write %20 for spaces: ") {
			t.Errorf("%s: %q, want %s", text, said, want)
		}
	}
}

// TestTextRowsOfOlderVersion has a source of rows that changed after they were cited: its
// rows are those of the text that was kept.
func TestTextRowsOfOlderVersion(t *testing.T) {
	s := newShelf(t, map[string]string{"d.csv": "name,price\nmilk,7 euros\ntea,12 euros\ncoffee,41 euros\n"})
	s.keepTexts(t)
	s.write(t, "d.csv", "name,price\ntea,12 euros\ncoffee,40 euros\nmilk,7 euros\n")
	for text, want := range map[string]string{
		"“milk,7 euros” [text://d#rows=2]":        "FAILS quote exact text://d#rows=2 stale",
		"“12 euros” [text://d#rows=3&cols=price]": "FAILS quote exact text://d#rows=3&cols=price stale",
		"“12 euros” [text://d#rows=4]":            "FAILS quote elsewhere text://d#rows=4 stale",
		"“12 euros” [text://d#rows=9]":            "FAILS quote elsewhere text://d#rows=9 stale",
		"“40 euros” [text://d#rows=4]":            "FAILS quote not_found text://d#rows=4 stale",
	} {
		r, err := s.Text(t.Context(), text, nil)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{want}, told(r)); diff != "" {
			t.Errorf("%s: %s", text, diff)
		}
	}
}

// TestTextPlaces checks the units of places.
func TestTextPlaces(t *testing.T) {
	s := newShelf(t, map[string]string{"kettle.txt": kettle})
	text := strings.Repeat("Größe 𝄞 日本. ", 100) + "\n\nEs heißt „chalk in the kettle“ [text://kettle#lines=2]. 𝄞 Ende."
	r, err := s.Text(t.Context(), text, nil)
	if err != nil || len(r.Entries) != 1 || len(r.Uncited) != 101 {
		t.Fatalf("%v: %+v", err, r)
	}
	check := func(at verify.Span, want string) {
		t.Helper()
		points, units := []rune(text), utf16.Encode([]rune(text))
		got := []string{
			text[at.Bytes[0]:at.Bytes[1]], string(points[at.CodePoints[0]:at.CodePoints[1]]), string(utf16.Decode(units[at.UTF16[0]:at.UTF16[1]])),
		}
		if diff := cmp.Diff([]string{want, want, want}, got); diff != "" {
			t.Error(diff)
		}
	}
	check(r.Entries[0].At, "chalk in the kettle")
	check(r.Entries[0].CitedAt, "text://kettle#lines=2")
	for _, u := range r.Uncited {
		check(u.At, u.Text)
	}
}

func TestTextJSON(t *testing.T) {
	s := newShelf(t, map[string]string{"kettle.txt": kettle})
	r, err := s.Text(t.Context(), "It says “Do use chalk in the kettle” [text://kettle#lines=2]. So.", nil)
	if err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Holds    *bool
		Verdicts []map[string]any
		Uncited  []map[string]any
		Complete bool
	}
	if err := json.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	if got.Holds == nil || *got.Holds || !got.Complete || len(got.Verdicts) != 1 || len(got.Uncited) != 1 {
		t.Fatalf("%s", data)
	}
	for _, name := range []string{"kind", "holds", "cited", "cited_at", "at", "quote", "class", "address", "difference", "similarity"} {
		if _, ok := got.Verdicts[0][name]; !ok {
			t.Errorf("no %s in %s", name, data)
		}
	}
	if r, err = s.Text(t.Context(), "", nil); err != nil || r.Holds() || !r.CitesNothing() {
		t.Fatal(r, err)
	}
	if data, _ = json.Marshal(r); string(data) != `{"holds":null,"hint":"`+r.Hint()+`","verdicts":[],"uncited":[],"complete":true}` {
		t.Errorf("%s", data)
	}
}

func TestTextRefuses(t *testing.T) {
	sharedtest.NotShort(t)
	s := newShelf(t, map[string]string{"kettle.txt": kettle})
	if _, err := s.Text(t.Context(), "\xff text://kettle", nil); !errors.Is(err, citekit.ErrSyntax) {
		t.Error(err)
	}
	if _, err := s.Text(t.Context(), strings.Repeat("x", verify.MaxText+1), nil); !errors.Is(err, citekit.ErrTooLarge) {
		t.Error(err)
	}
	if _, err := s.Text(t.Context(), strings.Repeat("text://kettle a ", verify.MaxCitations+1), nil); !errors.Is(err, citekit.ErrTooLarge) {
		t.Error(err)
	}
	long := "“" + strings.Repeat("word ", verify.MaxQuote/4) + "” text://kettle"
	if r, err := s.Text(t.Context(), long, nil); err != nil || len(r.Entries) != 1 || citekit.CodeOf(r.Entries[0].Problem) != message.CodeTooLarge {
		t.Error(r, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Text(ctx, "“a” text://kettle", nil); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestTextMany has a thousand citations in one text, or as many as there may be.
func TestTextMany(t *testing.T) {
	sharedtest.NotShort(t)
	many := 1000
	if sharedtest.Long() {
		many = 10_000
	}
	var source, text strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&source, "Line %d speaks of number %d and nothing else.\n", i+1, i*i)
	}
	s := newShelf(t, map[string]string{"lines.txt": source.String()})
	for i := range many {
		n := i % 2000
		fmt.Fprintf(&text, "Sentence %d cites “speaks of number %d and nothing” [text://lines#lines=%d].\n", i, n*n, n+1)
	}
	r, err := s.Text(t.Context(), text.String(), nil)
	if err != nil || len(r.Entries) != many || !r.Holds() {
		t.Fatalf("%v: %d entries", err, len(r.Entries))
	}
	if i := slices.IndexFunc(r.Entries, func(e *verify.Entry) bool { return e.Class != verify.Exact }); i >= 0 {
		t.Errorf("%+v", r.Entries[i])
	}
}
