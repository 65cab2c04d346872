package terms_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/citekit/citekit/internal/terms"
	"github.com/citekit/citekit/internal/test/sharedtest"
)

// shown returns the terms of a text with their positions and roles: a whole is
// in brackets, a last character begins with a dash.
func shown(l terms.Language, text string) string {
	var all []string
	for t := range terms.New(l).Terms(text) {
		word := fmt.Sprintf("%d:%s", t.Position, t.Text)
		switch t.Role {
		case terms.Whole:
			word = "[" + word + "]"
		case terms.Last:
			word = "-" + word
		}
		all = append(all, word)
	}
	return strings.Join(all, " ")
}

func TestTerms(t *testing.T) {
	for _, test := range []struct {
		language   terms.Language
		text, want string
	}{
		{terms.English, "The Houses of the Holy", "0:hous 1:holi"},
		{terms.English, "to be or not to be", ""},
		{terms.English, "Reading's reader’s don't O'Reilly", "0:read 1:reader 2:oreilli"},
		{terms.English, "state-of-the-art e-mail", "0:state 1:art 2:e 3:mail"},
		{terms.English, "3.14 1,000 v1.2.3 sha256", "0:3.14 [1:1000] 1:1 2:000 3:v1.2.3 4:sha256"},
		{terms.English, "A17,4711,12 [4801,4802] name2000,0 1234,567 1,2345", "0:a17 1:4711 2:12 3:4801 4:4802 5:name2000 6:0 7:1234 8:567 9:1 10:2345"},
		{terms.English, "1,234,567.80 4,200€ 12,345,6", "[0:1234567.80] 0:1 1:234 2:567.80 [3:4200] 3:4 4:200 [5:12345] 5:12 6:345 7:6"},
		{terms.English, "1984,31.09,7 12,34,567", "0:1984 1:31.09 2:7 3:12 [4:34567] 4:34 5:567"},
		{terms.English, "U.S.A. 1.", "0:usa 1:1"},
		{terms.English, "parseFile(HTTPServer)", "[0:parsefil] 0:pars 1:file [2:httpserver] 2:http 3:server"},
		{terms.English, "max_retry_count __init__ ___", "[0:max_retry_count] 0:max 1:retri 2:count 3:init"},
		{terms.English, "os.Root PDFs iPhone", "[0:os.root] 0:os 1:root 2:pdfs 3:iphon"},
		{terms.English, "café cafe\u0301 naïve—word", "0:cafe 1:cafe 2:naiv 3:word"},
		{terms.English, "soft\u00adware ＡＢＣ ﬁnal", "0:softwar 1:abc 2:final"},
		{terms.English, "data manip-\n  ulated by a well-\nknown non-\nBritish x-\n1 end-", "0:data [1:manipul] 1:manip 2:ulat [3:wellknown] 3:well 4:known 5:non 6:british 7:x 8:1 9:end"},
		{terms.German, "die Müller-\nmeisterin", "[0:mullermeisterin] 0:mull 1:meisterin"},
		{terms.None, "The Houses", "0:the 1:houses"},
		{terms.German, "Die Häuser, Straßen", "0:haus 1:strass"},
		{terms.French, "l’hôtel d'une journée", "0:hotel 1:journ"},
		{terms.Russian, "Книги ёлки", "0:книг 1:елк"},
		{terms.Spanish, "canciones", "0:cancion"},
		{terms.None, "東京都 Go言語", "0:東京 1:京都 -2:都 3:go 4:言語 -5:語"},
		{terms.None, "猫", "-0:猫"},
		{terms.None, "한국어", "0:한국 1:국어 -2:어"},
		{terms.None, "\xff\xfeabc\xffdef \x00", "0:abc 1:def"},
	} {
		if got := shown(test.language, test.text); got != test.want {
			t.Errorf("%s %q\n got %s\nwant %s", test.language, test.text, got, test.want)
		}
	}
}

// All yields function words too, at the position of the next word.
func TestAll(t *testing.T) {
	for l, want := range map[terms.Language]string{
		terms.English: "0:to 0:the 0:hous 1:of 1:isopen 1:is 2:open 3:die 4:the",
		terms.German:  "0:to 1:the 2:hous 3:of 4:isop 4:is 5:open 6:die 6:the",
	} {
		var all []string
		for term := range terms.New(l).All("To the houses of isOpen, die the") {
			all = append(all, fmt.Sprintf("%d:%s", term.Position, term.Text))
		}
		if got := strings.Join(all, " "); got != want {
			t.Errorf("%s\n got %s\nwant %s", l, got, want)
		}
	}
}

// A query's function words are those of its language; homographs count only there.
func TestReader(t *testing.T) {
	for query, want := range map[string]string{
		"What is to be done if a package is in conflict with another?": "package conflict another",
		"How can I do it, and when does which of them?":                "",
		"die casting mold":                     "die casting mold",
		"Wie ist die Form der Gussteile":       "Form Gussteile",
		"war in Ukraine":                       "war Ukraine",
		"Wann war der Krieg in Syrien":         "Krieg Syrien",
		"car door hinge":                       "car door hinge",
		"Wat is de deur van het huis":          "deur huis",
		"last will and testament":              "last testament",
		"Was will der Autor":                   "Autor",
		"old man of the sea":                   "old man sea",
		"Was macht man mit dem Paket":          "macht Paket",
		"WHO guidelines for the IT department": "WHO guidelines IT department",
		"THE WHO":                              "",
		"cats AND dogs OR NOT mice":            "cats dogs mice",
		"vitamin C in the C library":           "vitamin C C library",
		"Qu'est-ce que l’eau du son":           "l’eau son",
		"le prix de l'or":                      "prix l'or",
		"Quel est le but du jeu sans par":      "but jeu",
		"son et lumière dans le château":       "son lumière château",
		"¿Cuándo se usa la orden sin red?":     "usa orden red",
		"Come si installa il pacchetto":        "installa pacchetto",
		"Como é feita a instalação":            "feita instalação",
		"Как установить пакет":                 "установить пакет",
		"パッケージとは":                              "パッ ッケ ケー ージ ジと",
		"什么是软件包":                               "么是 是软 软件 件包",
	} {
		r := terms.NewReader(query)
		var kept []string
		for term := range terms.New(terms.None).Terms(query) {
			if word := query[term.Start:term.End]; term.Role == terms.Word && !r.IsFunction(word) {
				kept = append(kept, word)
			}
		}
		if got := strings.Join(kept, " "); got != want {
			t.Errorf("%s\n got %s\nwant %s", query, got, want)
		}
	}
}

// Each term is found where it says.
func TestPlaces(t *testing.T) {
	text := "A café; parseFile: l’eau, 東京都. Readers"
	want := []string{"A", "café", "parseFile", "parse", "File", "eau", "東京", "京都", "都", "Readers"}
	i := 0
	for term := range terms.New(terms.French).Terms(text) {
		if got := text[term.Start:term.End]; i >= len(want) || got != want[i] {
			t.Errorf("term %d is at %q", i, got)
		}
		i++
	}
	if i != len(want) {
		t.Errorf("%d terms, want %d", i, len(want))
	}
}

func TestGuess(t *testing.T) {
	for text, want := range map[string]terms.Language{
		"":                       terms.English,
		"func main() { x := 1 }": terms.English,
		"It is said that the house was built for the king and his family.":          terms.English,
		"Das ist ein Haus, und die Tür ist nicht offen, weil der Wind weht.":        terms.German,
		"Le chat est dans la maison et les chiens sont sur le toit.":                terms.French,
		"El perro es de la casa y los gatos no son para el jardín.":                 terms.Spanish,
		"Il gatto è nella casa e il cane non è nel giardino che si vede.":           terms.Italian,
		"O gato não está na casa e os cães são do jardim para uma festa.":           terms.Portuguese,
		"De kat is in het huis en de hond ligt op een mat van de buren.":            terms.Dutch,
		"Кошка сидит на крыше и смотрит на птиц.":                                   terms.Russian,
		"Кішка сидить на даху і дивиться на птахів.":                                terms.None,
		"東京都は日本の首都です。":                                                              terms.Japanese,
		"北京是中国的首都，人口很多。":                                                            terms.Chinese,
		"서울은 대한민국의 수도이다.":                                                           terms.Korean,
		"Η Αθήνα είναι η πρωτεύουσα της Ελλάδας.":                                   terms.None,
		"The title, for example 'Der Ring und die Nibelungen', is of an opera that": terms.English,
	} {
		if got := terms.Guess(text); got != want {
			t.Errorf("Guess(%q) = %q, want %q", text, got, want)
		}
	}
}

// checkTerms checks what is promised of the terms of any text.
func checkTerms(t *testing.T, l terms.Language, text string) {
	t.Helper()
	last, count := 0, 0
	for term := range terms.New(l).Terms(text) {
		count++
		switch {
		case term.Text == "" || len(term.Text) > terms.MaxBytes:
			t.Fatalf("a term of %d bytes", len(term.Text))
		case term.Start >= term.End || term.End > len(text):
			t.Fatalf("%q is at %d-%d of %d", term.Text, term.Start, term.End, len(text))
		case term.Position < last || term.Position > last+1:
			t.Fatalf("%q has position %d after %d", term.Text, term.Position, last)
		case !utf8.ValidString(term.Text):
			t.Fatalf("%q is not UTF-8", term.Text)
		}
		last = term.Position
	}
	if count > 2*len(text) {
		t.Fatalf("%d terms of %d bytes", count, len(text))
	}
}

func TestHostileText(t *testing.T) {
	size := 64 << 10
	if sharedtest.Long() {
		size = 2 << 20
	}
	for _, unit := range []string{"a", "é", "\u0301", "a\u0301", "\xff", "\x00", "_", "a_", "aB", "東", "ก\u0e34\u0e34\u0e34\u0e34\u0e34\u0e34", "'", "a'", "é'", "1.", "🇩", "\u200d", "é\u200d", "É"} {
		checkTerms(t, terms.French, strings.Repeat(unit, size/len(unit)))
	}
}

func FuzzTerms(f *testing.F) {
	f.Add("The parseFile of l’eau in 東京都", uint8(0))
	f.Add("\xff_é_É.a.b.'s", uint8(3))
	languages := []terms.Language{terms.None, terms.Dutch, terms.English, terms.French, terms.German, terms.Italian, terms.Portuguese, terms.Russian, terms.Spanish}
	f.Fuzz(func(t *testing.T, text string, l uint8) {
		checkTerms(t, languages[int(l)%len(languages)], text)
		terms.Guess(text)
	})
}

func BenchmarkTerms(b *testing.B) {
	text := strings.Repeat("The analysis of boundary layers at supersonic speeds shows that heated plates lose less energy than cooled ones. ", 1000)
	b.SetBytes(int64(len(text)))
	a := terms.New(terms.English)
	for b.Loop() {
		for range a.Terms(text) {
		}
	}
}
