package citedtext

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/test/sharedtest"
)

// all knows all modalities, and resources whose ids begin with "known".
var all = Known{
	Modality: func(citekit.Modality) bool { return true },
	Resource: func(id string) bool { return strings.HasPrefix(id, "known") },
}

// told returns what was found in a text, a line each: quotes in angle marks or the
// claim, the addresses without "doc://", and "-" for what is uncited.
func told(text string) []string {
	var lines []string
	found := Parse(text, all)
	for _, s := range found.Statements {
		var parts []string
		for _, q := range s.Quotes {
			parts = append(parts, "<"+q.Text+">")
		}
		if s.Claim.Text != "" {
			parts = append(parts, s.Claim.Text)
		}
		for _, c := range s.Citations {
			written := strings.TrimPrefix(text[c.From:c.To], "doc://")
			if c.Err != nil {
				written = "bad " + written
			}
			parts = append(parts, "@"+written)
		}
		lines = append(lines, strings.Join(parts, " "))
	}
	for _, p := range found.Uncited {
		mark := "- "
		if p.Quoted {
			mark = "-q "
		}
		lines = append(lines, mark+p.Text)
	}
	return lines
}

func TestParse(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"a quote", "The manual says “Wear gloves.” [doc://a#pages=3] Then it goes on.", []string{"<Wear gloves.> @a#pages=3", "- Then it goes on."}},
		{"a claim", "Water boils at 100 °C (doc://a#pages=3; doc://b), or 212 °F doc://c. Dr. Lang says so.",
			[]string{"Water boils at 100 °C @a#pages=3 @b", "or 212 °F. @c", "- Dr. Lang says so."}},
		{"a claim and a quote", "Gloves are required [doc://a], and the manual says \"wear them\" [doc://b].", []string{"Gloves are required @a", "<wear them> @b"}},
		{"citations before", "doc://a says “A b”, but doc://b says “B c”.", []string{"<A b> @a", "<B c> @b"}},
		{"one before", "In [the handbook](doc://a) it is said that “gloves” help.", []string{"<gloves> @a"}},
		{"several of each", "“A” and “B c” [doc://a][doc://b], see also doc://a.", []string{"<A> <B c> @a @b"}},
		{"a quote behind the last", "“A” [doc://a] and “B”.", []string{"<A> @a", "-q B"}},
		{"between sentences", "Claim. doc://a Next claim. doc://b\nThird.", []string{"Claim. @a", "Next claim. @b", "- Third."}},
		{"a name between sentences", "Claim. [Source](doc://a) Next one. See [the source](doc://b).", []string{"Claim. @a", "See the source. @b", "- Next one."}},
		{"links", "[“Linked quote”](doc://e 'title'), “[linked inside](<doc://f>)”. This [doc://g](doc://g) is there.",
			[]string{"<Linked quote> @e", "<title> @e", "<linked inside> @f", "This is there. @g"}},
		{"references", "Text with [ref][r1], [R1] and [none][x].\n\n[r1]: doc://a#pages=3 \"t\"", []string{"<t> @a#pages=3"}},
		{"titles", "So it is [B, page 3](doc://a#pages=3 \"the \\\"engine\\\" &amp; *all* (of it) weaves\"). Then [x](<doc://b> 'one two') and [y](doc://c (three)).\n\n- ![](doc://d \"four\")\n- [z](doc://e \" \") and [plain](https://example.org/ \"five\")",
			[]string{"<the \"engine\" & all (of it) weaves> @a#pages=3", "<one two> @b", "<three> @c", "<four> @d", "z and plain @e"}},
		{"titles and other quotes", "It says “six” [B](doc://a \"seven\") as [C](doc://b \"eight\n  nine\"), and it is [D](doc://c) so.",
			[]string{"<six> @a", "<seven> @a", "<eight nine> @b", "and it is D @c"}},
		{"titles in quotations", "> Quoted. [B](doc://a\n> \"ten\n> eleven\")\n\nText [r].\n\n[r]: <doc://b#pages=2> 'twelve'\n[u]: doc://c \"thirteen\"\n[no]: doc://d no \"title\"\n[^n]: doc://e \"fourteen\"",
			[]string{"<Quoted.> @a", "<ten eleven> @a", "<twelve> @b#pages=2", "<thirteen> @c", "@d", "<fourteen> @e"}},
		{"long titles", "[B](doc://a \"" + strings.Repeat("word ", 1000) + "\")", []string{"<" + strings.Repeat("word ", 999) + "word> @a"}},
		{"footnotes", "Claim.[^1] “Quote”[^2].[^3]\n\n[^1]: See doc://b#pages=2.\n[^2]: doc://c:\n    “Of the note”.\n[^3]: a URL", []string{"Claim. @b#pages=2", "<Quote> @c", "<Of the note> @c"}},
		{"numbers", "1. Step “one” [1]\n2. Step two [2], [3]\n\n[1] doc://a\n[2]: doc://b\n[3]: <doc://c> \"title\"", []string{"<one> @a", "Step two, @b", "<title> @c"}},
		{"unused labels", "Text.\n\n[u]: doc://u\n[^n]: “Quote in note”, doc://n.", []string{"@u", "<Quote in note> @n", "- Text."}},
		{"quotations", "> Over two\n> lines.\n> — [Book](doc://a#pages=3)\n\n> Another.\n\n(doc://b)\n\nAs doc://c says:\n\n> Third.\n\n> Nobody says.\n",
			[]string{"<Over two lines.> @a#pages=3", "<Another.> @b", "<Third.> @c", "-q Nobody says."}},
		{"a quotation in parts", "> One.\n>\n> Two. [doc://a]\n\n— Not of it.\n", []string{"<One.> @a", "<Two.> @a", "- — Not of it."}},
		{"an attribution apart", "> “So it is.”\n>\n> — *The manual*, <doc://a>\n", []string{"<“So it is.”> @a"}},
		{"code in a note", "So it is.[^a]\n\n[^a]: In `doc://x`: doc://a\n", []string{"So it is. @a"}},
		{"a number as link", "Claim [1](doc://a). Said “so”[[2]](doc://b).", []string{"Claim. @a", "<so> @b"}},
		{"labels", "1. **Chalk.** Do not use it doc://a. **Never use it at all.** No.", []string{"Do not use it. @a", "- Never use it at all.", "- No."}},
		{"a notice", "> [!NOTE]\n> It is “so” doc://a.", []string{"<so> @a"}},
		{"code that is an address", "It says “so” `doc://known#pages=1`. Says “no” (`doc://known`). “Up” is `x doc://known`. “Down” ``doc://other``.\n", []string{"<so> @known#pages=1", "<no> @known", "-q “Up” is x doc://known.", "-q “Down” doc://other."}},
		{"code in a note that is an address", "So it is.[^a]\n\n[^a]: `doc://known#pages=2`\n", []string{"So it is. @known#pages=2"}},
		{"code", "`doc://a` is “so”. Said `“no”` doc://b ``a ` doc://c`` x\n\n```\ndoc://d “no”\n```\n\n    doc://e\n", []string{"Said “no” a doc://c x @b", "-q doc://a is “so”."}},
		{"a table", "| Quote | Where |\n|---|:-:|\n| “Row. One” | doc://r |\n| plain |\n", []string{"<Row. One> @r", "- plain"}},
		{"front matter, headings and comments", "---\ntitle: doc://f\n---\n# Head with doc://h\n<!-- doc://c\nmore -->\nTwo\n===\nText.", []string{"Head with @h", "- Text."}},
		{"HTML", "It is <b>“quoted”</b>, <a href=\"doc://a#pages=2\">here</a>. 1 < 2 doc://b.", []string{"<quoted> @a#pages=2", "1 < 2. @b"}},
		{"emphasis", "The **“quote *with* emph”** and “snake_case 2 * 3 _it_” doc://a.", []string{"<quote with emph> <snake_case 2 * 3 it> @a"}},
		{"bad addresses", "Bad [doc://book#page=3]. Worse doc://b#pages=0!", []string{"Bad. @bad book#page=3", "Worse! @bad b#pages=0"}},
		{"numbers above and below the line", "It is “10<sup>2</sup> m, log<sub>2</sub>, 10<SUB>2</SUB> and 10<sup>–6</sup>” doc://a#pages=2.", []string{"<10² m, log2, 10₂ and 10⁻⁶> @a#pages=2"}},
		{"struck out", "It is “the fee of <del>100</del> 120 <s class=\"x\">or</s> more” doc://a#pages=2.", []string{"<the fee of ~~100~~ 120 ~~or~~ more> @a#pages=2"}},
		{"percent, versions and brackets", "A “b” <doc://M%C3%BCnchen#pages=1-2&v=0123abcd>.", []string{"<b> @M%C3%BCnchen#pages=1-2&v=0123abcd"}},
		{"only addresses", "Sources:\n\n- doc://a#pages=3\n- doc://b\n", []string{"@a#pages=3", "@b"}},
		{"nothing", " \n\n* * *\n", nil},
		{"sentences in a quote", "“One. Two! Three?” (doc://a). He asks “Really?” and leaves [doc://b].", []string{"<One. Two! Three?> @a", "<Really?> @b"}},
		{"lazy and hard lines", "- It says “over\n  two lines”\n  doc://a\n- next", []string{"<over two lines> @a", "- next"}},
		{"references of HTML", `[^1]: *B*. "Profit &amp; loss &lt;x&gt; \&amp; it&#39;s &copy; &nbsp;" <doc://a>`, []string{"<Profit & loss <x> &amp; it's ©> @a"}},
		{"only spaces", "“&nbsp;” doc://a", []string{"<&nbsp;> @a"}},
		{"small letters", "It is so [doc://a]. bad it is [doc://b]! and 5 of it? doc://c", []string{"It is so @a", "bad it is @b", "and 5 of it? @c"}},
		{"names in addresses", "It is “so” [doc://b#sheet=Q4%20Results&cells=D2]. A_b_ [text://z#member=my%20docs/read_me.txt&lines=2] and *“c”* `so` <text://d#cols=R%26D,_x>.",
			[]string{"<so> @b#sheet=Q4%20Results&cells=D2", "A_b_ @text://z#member=my%20docs/read_me.txt&lines=2", "<c> @text://d#cols=R%26D,_x"}},
		{"JSON", `"It is so text://d#rows=2\u0026cols=name"`, []string{`<It is so> @text://d#rows=2\u0026cols=name`}},
		{"CRLF", "It says “a\r\nb” doc://a.\r\n\r\nNo.\r\n", []string{"<a b> @a", "- No."}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, told(c.text)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestMarks has quotes of many languages.
func TestMarks(t *testing.T) {
	for text, want := range map[string]string{
		"„Deutsch: so!“ doc://a":               "Deutsch: so!",
		"Er sagte »so ist es« doc://a":         "so ist es",
		"‚Einfach so‘ doc://a":                 "Einfach so",
		"« En français ! » doc://a":            "En français !",
		"« Vrai\u202f? » dit-il doc://a":       "Vrai ?",
		"Hon sa ”ja tack” doc://a":             "ja tack",
		"Powiedział „tak” doc://a":             "tak",
		"说“你好”doc://a":                         "你好",
		"说\"你好\"doc://a":                       "你好",
		"「日本語。引用です」と書いてある【doc://a】。":           "日本語。引用です",
		"『二重』〔doc://a〕":                        "二重",
		"И «так» doc://a":                      "так",
		"قال «نعم» doc://a":                    "نعم",
		"It's the dogs’ ‘own food’ doc://a":    "own food",
		"“Outer ‘inner’ words” doc://a":        "Outer ‘inner’ words",
		"I’m “sure it’s so” doc://a":           "sure it’s so",
		"He's 'sure it's so' doc://a":          "sure it's so",
		"A 5\" pipe and \"two words\" doc://a": "two words",
	} {
		found := Parse(text, all)
		if len(found.Statements) != 1 || len(found.Statements[0].Quotes) != 1 || found.Statements[0].Quotes[0].Text != want {
			t.Errorf("%s: %q", text, told(text))
		}
	}
}

// TestPlaces checks that offsets are those of the text.
func TestPlaces(t *testing.T) {
	text := "Ä.\n\n> “zitiert\n> wird” so [doc://a].\n\n- Sie sagt „ja“ doc://b. Ohne."
	found := Parse(text, all)
	var got []string
	for _, s := range found.Statements {
		for _, q := range s.Quotes {
			got = append(got, text[q.From:q.To])
		}
		got = append(got, text[s.Citations[0].From:s.Citations[0].To])
	}
	for _, p := range found.Uncited {
		got = append(got, text[p.From:p.To])
	}
	want := []string{"“zitiert\n> wird” so [doc://a].", "doc://a", "ja", "doc://b", "Ä.", "Ohne."}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestHostile has texts that take long where anything is looked for more than
// once. It fails by the time limit of tests alone.
func TestHostile(t *testing.T) {
	size := 1 << 12
	if sharedtest.Long() {
		size = 1 << 17
	}
	for _, part := range []string{
		"\"", "“", "”", "'", "“”", "«", "`", "`` ` ", "[", "]", "[]", "[[", "((", "(doc://a", "[doc://a", "](", "](a", "![", "<", "<a", "<!--", "<a <",
		"*", "**a*", "_a", "\\", ">", "> ", "> a\n", "- ", "| ", "|\n", "[^1]", "[^1]: ", "[^1]: doc://a [^1]\n", "[1] doc://a [1]", "[a]: doc://a\n", "[a]",
		"doc://a ", "[a](doc://a \"", "[a](doc://a '(", "[a]: doc://a \"b\"\n", "doc://a#pages=", "“a” doc://a ", "“a.” ", "a. ", "a\n\n", "“", "\x00", "\xff", "（doc://a", "#", "---\n", ":", "a:\n\n> b\n\n", "([doc://a ",
	} {
		Parse(strings.Repeat(part, size/len(part)), all)
		Parse(strings.Repeat("[", size/16)+strings.Repeat(part+"](doc://a)", size/16), all)
		Parse("[x]: doc://x\n\n“a [x] "+strings.Repeat(part, 1000)+strings.Repeat(")]”", 1000), all)
	}
}

// TestMany has as many citations as a text may have, and notes with many.
func TestMany(t *testing.T) {
	var b strings.Builder
	for i := range 10_000 {
		fmt.Fprintf(&b, "Sentence %d says “word %d” [doc://a#pages=%d].\n", i, i, i+1)
	}
	if n := len(Parse(b.String(), all).Statements); n != 10_000 {
		t.Errorf("%d statements", n)
	}
	text := strings.Repeat("Says it.[^1]\n\n", 1000) + "[^1]: " + strings.Repeat("doc://a, doc://b; ", 1000)
	found, citations := Parse(text, all), 0
	for _, s := range found.Statements {
		citations += len(s.Citations)
	}
	if len(found.Statements) < 1000 || citations > 1000*MaxAtOnce+2000 {
		t.Errorf("%d statements, %d citations", len(found.Statements), citations)
	}
}

func FuzzParse(f *testing.F) {
	for _, text := range []string{
		"“a” [doc://a][1], «b» ([c](doc://c)).\n\n[1]: doc://d\n", "> q\n> — doc://a\n\n- x [^1]\n\n[^1]: n doc://b", "| a | “b” doc://c |\n|--|\n", "`“` <doc://a> \\“ *_x_*",
		"> q\n\n— doc://a, doc://b\n", "See doc://a and doc://b:\n\n> q\n", "> q\n\n> r\n\n— doc://a, doc://b\n",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		found := Parse(text, all)
		check := func(p Passage) {
			if p.From < 0 || p.To <= p.From || p.To > len(text) {
				t.Fatalf("a passage from %d to %d of %d", p.From, p.To, len(text))
			}
		}
		for _, s := range found.Statements {
			if len(s.Citations) == 0 {
				t.Fatal("no citation")
			}
			for _, q := range s.Quotes {
				check(q)
			}
			if s.Claim.Text != "" {
				check(s.Claim)
			}
			for _, c := range s.Citations {
				if !strings.Contains(text[c.From:c.To], "://") {
					t.Fatalf("a citation %q", text[c.From:c.To])
				}
			}
		}
		for _, p := range found.Uncited {
			check(p)
		}
	})
}
