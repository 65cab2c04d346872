package quotation

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/citekit/citekit/internal/test/sharedtest"
)

// look returns how a quote stands in a text: "exact", "repaired" with the kinds,
// "altered", or "".
func look(text, quote string, opts Options) (string, Match) {
	q, err := Parse(quote)
	if err != nil {
		return err.Error(), Match{}
	}
	t := Prepare(text, opts)
	f := t.Find(q, 0, len(text), 10)
	if len(f.Matches) > 0 {
		return name(f.Matches[0]), f.Matches[0]
	}
	if m, ok := t.Nearest(q, 0, len(text), f); ok {
		return name(m), m
	}
	return "", Match{}
}

func name(m Match) string {
	if m.Exact {
		return "exact"
	}
	if len(m.Difference) > 0 {
		return "altered"
	}
	var kinds []string
	for _, r := range m.Repairs {
		kinds = append(kinds, string(r.Kind))
	}
	slices.Sort(kinds)
	return strings.Join(kinds, " ")
}

const prose = "The kettle was de-\nscaled twice, and it’s not certain that the “efﬁcient” coat —\n" +
	"about −3.5 mm thick — would last.12 Non-standard kettles cost $40 or 5% more.\n" +
	"In 1998 the unable brewers [12] could not do it at all. The well-known Café resigned.\n"

func TestFind(t *testing.T) {
	for _, c := range []struct{ quote, want string }{
		{"could not do it at all", "exact"},
		{"“could not do it at all”", "exact"},
		{"The kettle was descaled twice", "hyphenation"},
		{"kettle was de-scaled twice", "hyphenation"},
		{"it's not certain that the \"efficient\" coat", "ligatures typographic_signs"},
		{"about -3.5 mm thick", "typographic_signs"},
		{"ABOUT −3.5 MM THICK", "case"},
		{"the unable brewers could not do it", "footnote_marks"},
		{"the unable brewers [12] could not", "exact"},
		{"The kettle was … not certain", "ellipsis"},
		{"The kettle … twice […] that the", "altered"},
		{"In 1998 … brewers could do it at all", "altered"},
		{"The kettle … twice […] coat — about", "ellipsis white_space"},
		{"... could not do it ...", "ellipsis"},
		{"coat - about −3.5 mm thick", "typographic_signs white_space"},
		{"Cafe\u0301 resigned", "character_forms"},

		{"about 3.5 mm thick", "altered"},
		{"3.5 mm thick - would last", "altered"},
		{"about −35 mm thick", "altered"},
		{"it’s certain that the", "altered"},
		{"could do it at all", "altered"},
		{"could … do it at all", "altered"},
		{"able brewers [12] could not", "altered"},
		{"standard kettles cost $40", "altered"},
		{"kettles cost 40 or 5% more", "altered"},
		{"kettles cost $40 or 5", "altered"},
		{"kettles cost $40 or 6% more", "altered"},
		{"The wellknown Café resigned", "altered"},
		{"The well-known Cafe resigned", "altered"},
		{"The well-known Café re-signed", "altered"},
		{"In 1998, the unable brewers", "altered"},
		{"the unаble brewers [12] could not do", "altered"}, // a Cyrillic letter
		{"could \u202enot do it at all", "altered"},
		{"In 1998 the unable brewers [13] could not", "altered"},
		{"five crows sat upon the gate of the mill", ""},
		{"—", "exact"},
		{"§", ""},
	} {
		if got, m := look(prose, c.quote, Options{}); got != c.want {
			t.Errorf("%q: %q, want %q: %+v", c.quote, got, c.want, m)
		}
	}
}

// pages is a text of three pages with heads, feet and a note.
var pages = []string{
	"Chapter 1  On kettles 7\nWater was boiled in the copper vessel until\nthe lid began to rattle, and the brewers of the\n",
	"On kettles  Chapter 1 8\nlower town took note of the sound3 before they\nwent home to the\n3 See the ledger of the guild.\n4 Ibid.\n",
	"The Rattling Lid\n9\nvillage on the hill. They never wrote it down, and\nnobody asked them to do it again.\n",
	"The Rattling Lid\n10\nA later hand added that they had been right.\nNothing else is known of them.\n",
}

func TestFindOverPages(t *testing.T) {
	text, starts := "", []int{}
	for _, p := range pages {
		starts = append(starts, len(text))
		text += p
	}
	for _, c := range []struct{ quote, want string }{
		{"the brewers of the lower town took note", "page_break white_space"},
		{"before they went home to the village on the hill.", "page_break white_space"},
		{"the sound before they went home", ""},
		{"the brewers of the upper town took note", "altered"},
		{"Chapter 1 On kettles 7", "white_space"},
		{"took note of the sound3 before", "exact"},
	} {
		got, m := look(text, c.quote, Options{Pages: starts})
		if c.want == "" {
			c.want = "footnote_marks white_space"
		}
		if got != c.want {
			t.Errorf("%q: %q, want %q: %+v", c.quote, got, c.want, m)
		}
	}
}

// TestPageBreakShowsLines shows what a page break puts between two pages as it is
// read: a number and a head are not one word.
func TestPageBreakShowsLines(t *testing.T) {
	text, starts := "", []int{}
	for i := range 6 {
		starts = append(starts, len(text))
		text += "How to use it\nPage " + strings.Repeat("x", i+1) + " begins and then it goes on to the\n" + strconv.Itoa(i+4) + "\n"
	}
	_, m := look(text, "it goes on to the Page xxx begins", Options{Pages: starts})
	if !slices.Contains(m.Repairs, Repair{Kind: PageBreak, Times: 1, Source: "5 How to use it"}) {
		t.Errorf("%+v", m)
	}
}

// TestSimilarity checks that text that counts as altered has most of the words of the
// quote, also where signs join them.
func TestSimilarity(t *testing.T) {
	for source, quote := range map[string]string{
		"a = [\"x,y,z\", Array]":               "x y z",
		"of b = (\"x,y,z\", Array, Hash) here": "x y z, Array",
		"the kettle boils at noon every day":   "the kettle boils at night every day",
	} {
		if got, m := look(source, quote, Options{}); got != "altered" || m.Similarity < alike || m.Similarity > .99 {
			t.Errorf("%q of %q: %s, %+v", quote, source, got, m)
		}
	}
}

// TestFindInLanguages finds quotes of texts in other scripts and languages.
func TestFindInLanguages(t *testing.T) {
	const german = "Der Kessel darf nicht trocken kochen; er faßt 1,5 Liter. Die Straße ist naß,\nund die Müller-\nmeisterin hat „nein“ gesagt."
	const chinese = "水壶不可以烧干。它的容量是1.5升,\n制造于1911年。没有人知道是谁做的。"
	const japanese = "やかんは空焚きしてはいけません。容量は1.5リットルで、\n1911年に作られました。誰が作ったかは知られていない。"
	const arabic = "لا يجوز أن تغلي الغلاية جافة. سعتها ١٫٥ لتر."
	for _, c := range []struct{ text, quote, want string }{
		{german, "Die Straße ist naß, und die Müllermeisterin", "hyphenation white_space"},
		{german, "die strasse ist naß", "case"},
		{german, "hat \"nein\" gesagt", "typographic_signs"},
		{german, "Der Kessel darf trocken kochen; er faßt 1,5 Liter.", "altered"},
		{german, "Der Kessel darf nicht trocken kochen; er faßt 15 Liter.", "altered"},
		{german, "die Mullermeisterin hat", "altered"},
		{chinese, "它的容量是1.5升,制造于1911年。", "white_space"},
		{chinese, "它的容量是１.５升，", "character_forms"},
		{chinese, "水壶可以烧干。它的容量是1.5升", "altered"},
		{chinese, "可以烧干。它的容量", "altered"},
		{chinese, "没有人知道是谁做的。", "exact"},
		{chinese, "它的容量是2.5升,制造于1911年。", "altered"},
		{japanese, "容量は1.5リットルで、1911年に作られました。", "white_space"},
		{japanese, "やかんは空焚きしてもいいです。", "altered"},
		{japanese, "誰が作ったかは知られている。", "altered"},
		{arabic, "لا يجوز أن تغلي الغلاية جافة", "exact"},
		{arabic, "يجوز أن تغلي الغلاية جافة. سعتها ١٥ لتر.", "altered"},
		{"退房后30天内退还。定价3万5。", "30天内退还", "exact"},
		{"退房后30天内退还。定价3万5。", "天内退还", "exact"},
		{"退房后30天内退还。定价3万5。", "退房后30", "exact"},
		{"退房后30天内退还。定价3万5。", "5。", "altered"},
		{"退房后30天内退还。定价3万5。", "定价3", "altered"},
		{"他不30天内退还", "30天内退还", "altered"},
		{"高さは333メートルです。ABCです", "333メートル", "exact"},
		{"高さは333メートルです。ABCです", "高さは333", "exact"},
		{"高さは333メートルです。ABCです", "ABC", "exact"},
		{"약30분 걸린다. API는 느리다.", "30분 걸린다", "exact"},
		{"약30분 걸린다. API는 느리다.", "API", "exact"},
		{"약30분 걸린다. API는 느리다.", "걸린", ""},
		{"한국어 문장은 띄어쓰기가\n있다.", "한국어 문장은 띄어쓰기가 있다.", "white_space"},
	} {
		if got, m := look(c.text, c.quote, Options{}); got != c.want {
			t.Errorf("%q: %q, want %q: %+v", c.quote, got, c.want, m)
		}
	}
}

// TestElisions lets an ellipsis join only what belongs together.
func TestElisions(t *testing.T) {
	const facts = "# Facts\n\nThe damage was great.\n\nPrices rose by 10 %, wages by 4 %, and nobody of the town council knew where the money went.\n\n" +
		"## Next\n\n- The first of all items\n- The second of all items\n\nHe did it on his own.\n"
	long := "The council met at noon " + strings.Repeat("and the clerk read the next of the letters aloud ", 8) + "until the lamps were lit."
	for _, c := range []struct {
		opts          Options
		source, quote string
		want          string
	}{
		{Options{Markdown: true}, facts, "Prices rose … and nobody of the town council", "ellipsis"},
		{Options{Markdown: true}, facts, "wages by 4 % … where the money went", "ellipsis"},
		{Options{Markdown: true}, facts, "The damage … own", "altered"},
		{Options{Markdown: true}, facts, "The damage was … Prices rose by 10 %", "altered"},
		{Options{Markdown: true}, facts, "Prices rose by … 4 %", "altered"},
		{Options{Markdown: true}, facts, "Prices rose … by 4 %", "altered"},
		{Options{Markdown: true}, facts, "The first of all … The second of all items", "altered"},
		{Options{}, long, "The council met at noon … until the lamps were lit", "altered"},
		{Options{Delimiter: ',', Verbatim: true}, "name,town,age\nAnna,Rome,42\nBert,Oslo,7\n", "Anna … 42", "altered"},
		{Options{}, "Anna Lee\tRome\tof the old town", "Anna Lee … of the old town", "altered"},
		{Options{Breaks: []int{20}}, "The damage is great\nand it is his own.\n", "The damage … it is his own", "altered"},
		{Options{}, "The damage is great\nand it is his own.\n", "The damage … it is his own", "ellipsis"},
		{Options{Pages: []int{0}}, "• The damage is great\n• and it is his own.\n", "The damage … it is his own", "altered"},
		{Options{Pages: []int{0, 21}}, "The damage is great\n\nand it is his own, all\nof it.\n", "The damage … it is his own", "ellipsis"},
		{Options{Markdown: true}, "<p>The damage is great</p><p>and it is his own.</p>", "The damage … it is his own", "altered"},
		{Options{Subtitles: true}, "1\n00:00:01,000 --> 00:00:03,000\nGood evening to you\n\n2\n00:00:03,500 --> 00:00:06,000\nwho came in spite of the snow\n", "Good evening … in spite of the snow", "ellipsis"},
	} {
		got, m := look(c.source, c.quote, c.opts)
		if got != c.want && !(c.want == "ellipsis" && strings.Contains(got, "ellipsis") && got != "altered") {
			t.Errorf("%q: %q, want %q: %+v", c.quote, got, c.want, m)
		}
		if got == "altered" && (m.Difference[0].Quote != "…" || m.Difference[0].Note == "") {
			t.Errorf("%q: the difference %+v does not say why", c.quote, m.Difference)
		}
	}
	_, m := look(long, "The council met at noon … until the lamps were lit", Options{})
	if d := m.Difference[0].Source; !strings.HasPrefix(d, "and the clerk") || !strings.HasSuffix(d, "letters aloud") || len(d) > maxShown {
		t.Errorf("what is left out is shown as %q", d)
	}
}

// TestRaised finds what copying makes of raised digits, fractions and degrees.
func TestRaised(t *testing.T) {
	const source = "The equation x² + y² = 4 holds at 20 °C–25 °C with ½ cup of 10² grains and 1½ spoons of m³ water.¹ So it is."
	for _, c := range []struct{ quote, want string }{
		{"x2 + y2 = 4", "character_forms"},
		{"x² + y² = 4", "exact"},
		{"at 20 ºC–25 ºC with", "character_forms"},
		{"with 1/2 cup of", "character_forms"},
		{"with 1⁄2 cup of", "character_forms"},
		{"spoons of m3 water", "character_forms"},
		{"cup of 102 grains", "altered"},
		{"and 11/2 spoons of", "altered"},
		{"x3 + y2 = 4 holds at", ""},
	} {
		if got, m := look(source, c.quote, Options{}); got != c.want {
			t.Errorf("%q: %q, want %q: %+v", c.quote, got, c.want, m)
		}
	}
	for _, c := range []struct{ source, quote, want string }{
		{"Take 1/2 cup of x2 at 20 oC", "Take ½ cup of x²", "character_forms"},
		{"It has 102 grains in all of the town", "It has 10² grains in all", "altered"},
		{"It has 102 grains in all of the town", "It has 10₂ grains in all", "altered"},
		{"It has 10₂ grains in all of the town", "It has 102 grains in all", "altered"},
		{"It has 10₂ grains in all of the town", "It has 10₂ grains in all", "exact"},
		{"It has log₂10 grains in all of the town", "It has log210 grains in all", "altered"},
		{"It has log210 grains in all of the town", "It has log₂10 grains in all", "altered"},
		{"It has x₁² grains in all of the town", "It has x12 grains in all", "altered"},
		{"It has H₂O and CO₂ in all of the town", "It has H2O and CO2 in all", "character_forms"},
		{"It has H2O and CO2 in all of the town", "It has H₂O and CO₂ in all", "character_forms"},
		{"It has SO₄²⁻ and PM₂.₅ in all of the town", "and PM2.5 in all", "character_forms"},
		{"It fell by 10^2.5 in all of the town", "It fell by 102.5 in all", "altered"},
		{"It fell by 2009¹ in all of the town", "It fell by 20091 in all", "altered"},
		{"It fell by 2009.¹² So it is in the town", "It fell by 2009.12 So it is", "altered"},
	} {
		if got, m := look(c.source, c.quote, Options{}); got != c.want {
			t.Errorf("%q: %q, want %q: %+v", c.quote, got, c.want, m)
		}
	}
}

// TestFindNoMore does not call repaired what another text says.
func TestFindNoMore(t *testing.T) {
	plain, markdown, code := Options{}, Options{Markdown: true}, Options{Verbatim: true}
	for _, c := range []struct {
		opts          Options
		source, quote string
		want          string
	}{
		{plain, "a power of 5 mW was used in the test", "a power of 5 MW was used in the test", "altered"},
		{plain, "a power of 5 mW was used in the test", "A POWER OF 5 MW WAS USED IN THE TEST", "case"},
		{plain, "a rate of 8 Mb in all of the test", "a rate of 8 MB in all of the test", "altered"},
		{plain, "a speed of 10 m s was used in the test", "a speed of 10 ms was used in the test", "altered"},
		{markdown, "She saw no<br>table in it at that time", "She saw notable in it at that time", "altered"},
		{markdown, "It is not</li><li>able and quick in all of it", "It is notable and quick in all of it", "altered"},
		{markdown, "It is un<b>able</b> and quick in all of it", "It is unable and quick in all of it", "markup"},
		{plain, "What we can\n\nnot do that today in all", "What we cannot do that today in all", "altered"},
		{plain, "It stands in the\n\ngreen house of the town", "It stands in thegreen house of the town", "altered"},
		{plain, "nowhere else to go at that time of night", "now here else to go at that time of night", "altered"},
		{plain, "They come every day to all of the towns", "They come everyday to all of the towns", "altered"},
		{plain, "It grew by 10^6 in all of the years", "It grew by 10", "altered"},
		{plain, "the gain was 5\n% in the whole of the town", "the gain was 5 in the whole of the town", "altered"},
		{plain, "all that is\n> 5 is used in the whole town", "all that is 5 is used in the whole town", "altered"},
		{plain, "it fell to \u00ad3 degrees in all of the town", "it fell to 3 degrees in all of the town", "altered"},
		{plain, "see the term*x for all of the details", "see the termx for all of the details", "altered"},
		{plain, "see the array[0] for all of the details", "see the array for all of the details", "altered"},
		{plain, "The drug is not at all in any way safe for men in the town", "The drug is ... safe for men in the town", "altered"},
		{plain, "他不\n是好人,大家都知道这件事", "是好人,大家都知道这件事", "altered"},
		{plain, "この商品は使わない。みんな知っている。", "この商品は使わな", "altered"},
		{markdown, "the gain was x*y in the whole of the town", "the gain was xy in the whole of the town", "altered"},
		{markdown, "the gain was a * b in the whole of the town", "the gain was a b in the whole of the town", "altered"},
		{markdown, "the **gain** *was* great in the *town*", "the gain was great in the town", "markup"},
		{markdown, "call foo_bar in the _whole_ of the town", "call foobar in the whole of the town", "altered"},
		{markdown, "call foo_bar in the _whole_ of the town", "call foo_bar in the whole of the town", "markup"},
		{markdown, "It is x\\_y in the whole of the town", "It is xy in the whole of the town", "altered"},
		{markdown, "It is x\\_y in the whole of the town", "It is x_y in the whole of the town", "markup"},
		{markdown, "It took ~5 days in the whole of the town", "It took 5 days in the whole of the town", "altered"},
		{markdown, "It is ~~not~~ true in the whole of the town", "It is not true in the whole of the town", "altered"},
		{markdown, "It is <del>not</del> true in the whole of the town", "It is not true in the whole of the town", "altered"},
		{markdown, "It is <b>not</b> true in the whole of the town", "It is not true in the whole of the town", "markup"},
		{markdown, "It is x <y and not z> in the whole of the town", "It is x in the whole of the town", "altered"},
		{markdown, "It is 10<sup>6</sup> in the whole of the town", "It is 106 in the whole of the town", "altered"},
		{markdown, "It is a[i] in the whole of the town", "It is ai in the whole of the town", "altered"},
		{code, "key: true\n# key: false and all others", "key: true\nkey: false and all others", "altered"},
		{code, "# all keys are true and\n# all others are false", "all keys are true and all others are false", "markup white_space"},
		{code, "/* all keys are true and\n * all others are false */", "all keys are true and all others are false", "markup white_space"},
		{code, "x = `a` + foo(bar, baz, qux)", "x = 'a' + foo(bar, baz, qux)", "altered"},
		{code, "x = foo bar (a, b, c, d, e)", "x = foobar (a, b, c, d, e)", "altered"},
	} {
		if got, m := look(c.source, c.quote, c.opts); got != c.want {
			t.Errorf("%q of %q: %q, want %q: %+v", c.quote, c.source, got, c.want, m)
		}
	}
}

// TestFindIsBounded ends the search for quotes that take long at each place.
func TestFindIsBounded(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: not with -short")
	}
	signs := strings.Repeat("!", 60<<10)
	cases := []struct{ text, quote string }{
		{strings.Repeat("ab ", 20<<10), "a" + signs + "b"},
		{strings.Repeat("ab ! ", 20<<10), "ab" + signs},
		{strings.Repeat("! ab ", 20<<10), signs + "ab"},
		{strings.Repeat("a", 100<<10), strings.Repeat("a", 60<<10)},
		{strings.Repeat("a ", 100<<10), strings.Repeat("a … ", 62) + "b"},
	}
	if !sharedtest.Long() {
		cases = cases[3:]
	}
	for _, c := range cases {
		q, err := Parse(c.quote)
		if err != nil {
			t.Fatal(err)
		}
		text := Prepare(c.text, Options{})
		if f := text.Find(q, 0, len(c.text), 1); f.Counted || len(f.Matches) > 0 {
			t.Errorf("%.9q…: counted %v, %d places", c.quote, f.Counted, f.Count)
		}
	}
}

// TestMarkup leaves out of Markdown what a reader does not see, and nothing else.
func TestMarkup(t *testing.T) {
	const text = "Set **max_size** to `4096`, *never* to [zero](https://example.com/a_(b)), as snake\\_case does.\n" +
		"- One ~~not~~ allowed\n- Two of 5\n% are a*b and 2*3\n\n> Quoted\n> twice over\n\nSee alpha*beta.\n"
	for _, c := range []struct{ quote, want string }{
		{"Set max_size to 4096, never to zero", "markup"},
		{"Set max_size to 4096, never to zero, as snake_case does", "altered"}, // a bracket in the target of the link
		{"as snake_case does", "markup"},
		{"Quoted twice over", "markup white_space"},
		{"One not allowed", "altered"},
		{"Set maxsize to 4096", "altered"},
		{"as snakecase does", "altered"},
		{"Two of 5 are a*b", "altered"},
		{"are ab and 2*3", "altered"},
		{"are a*b and 23", "altered"},
		{"See alphabeta", "altered"},
	} {
		if got, m := look(text, c.quote, Options{Markdown: true}); got != c.want {
			t.Errorf("%q: %q, want %q: %+v", c.quote, got, c.want, m)
		}
	}
	for text, quote := range map[string]string{
		"See alpha*beta there.":         "See alphabeta there",
		"The area²height of it":         "The areaheight of it",
		"It is 10² metres long":         "It is 10 metres long",
		"func f(a *int, b ...int) bool": "func f(a int, b ...int) bool",
		"The kettle holds 5\n% of it":   "The kettle holds 5 of it",
	} {
		if got, m := look(text, quote, Options{}); got != "altered" {
			t.Errorf("%q: %q: %+v", quote, got, m)
		}
	}
}

// TestFindTextBetweenPages leaves out nothing between pages that may be of the text.
func TestFindTextBetweenPages(t *testing.T) {
	numbered := []string{}
	for i := range 12 {
		numbered = append(numbered, "It goes on and on in the text of page "+strings.Repeat("x", i+1)+".\n"+strconv.Itoa(i+1)+"\n")
	}
	numbered[3] = "The dose of it for all of the men is\n4\n"
	numbered[4] = "250\nmg in all of the towns of the land.\n5\n"
	for _, c := range []struct {
		pages       []string
		quote, want string
	}{
		{[]string{"The drug is\nnot\n", "safe for men in the town of London.\n", "not\nMore.\nnot\n", "not\nyes\n"}, "The drug is safe for men in the town of London.", "altered"},
		{[]string{"He was the king\n", "civil\nof manners in all of the towns\n", "were there.\n"}, "He was the king of manners in all of the towns", "altered"},
		{[]string{"He was the king\n", "xiv\nof manners in all of the towns\n", "were there.\n"}, "He was the king of manners in all of the towns", "page_break white_space"},
		{[]string{"It is great in all the\n* See below.\n", "towns of London, of course it is.\n"}, "It is great in all the towns of London, of course it is.", "altered"},
		{[]string{"It is great* in all the\n* See below.\n", "towns of London, of course it is.\n"}, "great* in all the towns of London, of course it is.", "page_break white_space"},
		{numbered, "The dose of it for all of the men is mg in all of the towns", "altered"},
		{numbered, "The dose of it for all of the men is 250 mg in all of the towns", "page_break white_space"},
	} {
		text, starts := "", []int{}
		for _, p := range c.pages {
			starts = append(starts, len(text))
			text += p
		}
		if got, m := look(text, c.quote, Options{Pages: starts}); got != c.want {
			t.Errorf("%q: %q, want %q: %+v", c.quote, got, c.want, m)
		}
	}
}

// TestEllipsis leaves out the least that it can, and nothing that turns round what is
// said.
func TestEllipsis(t *testing.T) {
	const text = "It was cold. The lamp was built of brass in 1871. It was not damaged in the storm of 1903. " +
		"It was later seen, and that by nobody in the town, in a shed where it was never lit."
	for _, c := range []struct{ quote, want string }{
		{"The lamp … in 1871", "ellipsis"},
		{"It was … damaged in the storm", "altered"},
		{"It was later seen … in a shed", "ellipsis"},
		{"in a shed where … lit", "altered"},
	} {
		if got, m := look(text, c.quote, Options{}); got != c.want {
			t.Errorf("%q: %q, want %q: %+v", c.quote, got, c.want, m)
		}
	}
	if _, m := look(text, "It was later seen … lit", Options{}); len(m.Difference) == 0 {
		t.Errorf("%+v", m)
	}
}

// TestDoubledQuotes finds what a cell of comma-separated values shows.
func TestDoubledQuotes(t *testing.T) {
	const source = "who,said\n\"Bob, B.\",\"a \"\"b\"\" c\"\nEve,\"five \"\"six\"\"\"\nIda,\"\"\"oh\"\"\n\"\"yes\"\"\"\nUna,\"\",\"x\",8\"\" y\n"
	csv := Options{Delimiter: ',', Verbatim: true}
	for _, c := range []struct{ quote, want string }{
		{`a "b" c`, "markup"},
		{`b" c`, "markup"},
		{`a "b`, "markup"},
		{`five "six"`, "markup"},
		{`"oh"`, "exact"},
		{"\"oh\"\n\"yes\"", "markup"},
		{`a ""b"" c`, "exact"},
		{`a b c`, "altered"},
		{`five six`, "altered"},
		{`Una,"","x"`, "exact"},
		{`8" y`, "altered"}, // the field is not quoted
	} {
		if got, m := look(source, c.quote, csv); got != c.want {
			t.Errorf("%q: %q, want %q: %+v", c.quote, got, c.want, m)
		}
	}
	if got, m := look(source, `a "b" c`, Options{Verbatim: true}); got != "altered" {
		t.Errorf("of a text without fields: %q, %+v", got, m)
	}
}
