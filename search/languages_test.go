package search_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/citekit/citekit/internal/terms"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/search"
	"github.com/citekit/citekit/search/internal/index"
)

// shelves are texts on the same subjects in several languages. The others quote English
// sentences and commands.
var shelves = map[string]struct {
	texts   []string
	queries []string
}{
	"en": {[]string{
		"The kettle is heated on a stove, and the water in it boils after a few minutes. A lid saves gas.",
		"A package that is in conflict with another package cannot be installed. The conflict is declared by the maintainer of the package.",
		"Each package has a maintainer. The maintainer is asked before the package is removed from the archive.",
		"The war ended when the old men met by the door of the castle. A son of the king was there.",
		"Tea is a drink. It is made of leaves and water, and it is the drink of the old men of the castle.",
		"The installation of the archive takes a few minutes if the water is near. A man of the archive can die of it.",
	}, []string{
		"What is to be done if a package is in conflict with another?", "maintainer of the archive", "water for the tea",
		"How is the kettle heated?", "war door", "package", "When does the man die?", "conflicting packages castle",
	}},
	"de": {[]string{
		"Der Kessel wird auf dem Herd erhitzt, und das Wasser kocht nach wenigen Minuten. Das Archiv war kalt.",
		"Ein Paket, das mit einem anderen in Konflikt steht, kann nicht installiert werden. Es ist nicht erlaubt und wird so genannt: the package is in conflict.",
		"Die Installation ist die Aufgabe des Archivs. Der Sohn war an der Tür, und die Tür war offen.",
		"Das Paket hat einen Betreuer. Wenn man das Paket entfernt, wird der Betreuer gefragt, und das ist die Regel. What is to be done?",
		"Tee ist ein Getränk aus Blättern und Wasser. Die Männer tranken den Tee, als der Krieg vorbei war.",
	}, []string{
		"Was ist zu tun, wenn ein Paket mit einem anderen in Konflikt steht?", "Betreuer des Archivs", "Wasser für den Tee",
		"Wie wird der Kessel erhitzt?", "der Krieg", "Wer wird gefragt, wenn man das Paket entfernt?", "package conflict",
	}},
	"fr": {[]string{
		"La bouilloire est chauffée sur le feu, et l'eau bout après quelques minutes. Le son est fort.",
		"Un paquet qui est en conflit avec un autre ne peut pas être installé. Il est dit que : the package is in conflict.",
		"Le responsable du paquet est consulté avant que le paquet soit retiré de l'archive.",
		"Le thé est une boisson faite de feuilles et d'eau. La porte du château est ouverte, on peut sortir.",
		"L'installation de l'archive prend quelques minutes, et c'est une des tâches du responsable. The archive has packages.",
	}, []string{
		"Que faire si un paquet est en conflit avec un autre ?", "responsable de l'archive", "l'eau du thé",
		"Comment la bouilloire est-elle chauffée ?", "la porte du château", "Quand le paquet est-il retiré ?", "archive packages",
	}},
	"ja": {[]string{
		"やかんを火にかけると、数分でお湯が沸く。ふたをするとガスの節約になる。",
		"他のパッケージと競合するパッケージはインストールできない。 The package is in conflict with another.",
		"パッケージの保守担当者は、パッケージをアーカイブから削除する前に確認される。",
		"vim の使い方と端末の設定はこの手引きの終わりに詳しく書いてある: type the word \"is\" in the line. What is to be done is in the manual.",
		"お茶は葉と水で作る飲み物である。城の門は開いている。",
	}, []string{
		"パッケージが他のパッケージと競合するときはどうするか", "アーカイブの保守担当者", "お茶の水", "お湯はいつ沸くか", "城の門", "vim manual package",
	}},
	"zh": {[]string{
		"水壶放在炉子上加热，几分钟后水就开了。盖上盖子可以节省煤气。",
		"与其他软件包冲突的软件包不能安装。 The package is in conflict with another.",
		"软件包的维护者在软件包从档案库中删除之前会被询问。",
		"茶是用茶叶和水做成的饮料。城堡的门是开着的。",
		"档案库的安装需要几分钟。 What is the archive?",
	}, []string{"软件包冲突时应该怎么办？", "档案库的维护者", "茶和水", "水壶怎么加热", "城堡的门", "archive 软件包"}},
}

func filesOf(language string) map[string]string {
	files := make(map[string]string)
	for i, text := range shelves[language].texts {
		files[fmt.Sprintf("%s%d.md", language, i)] = fmt.Sprintf("# %d\n\n%s\n", i, text)
	}
	return files
}

// TestLanguagesOfFiles checks that the files above are taken for what they are.
func TestLanguagesOfFiles(t *testing.T) {
	for language, of := range shelves {
		for _, text := range of.texts {
			if got := terms.Guess(text); string(got) != language {
				t.Errorf("%q is taken for %q", text, got)
			}
		}
	}
}

// TestBesideOtherLanguages checks that files in one language rank the same among
// themselves when files in others are added.
func TestBesideOtherLanguages(t *testing.T) {
	sharedtest.Once(t)
	ranked := func(s *shelf, language, query string) (ranking []string) {
		for _, r := range s.find(t, search.Request{Query: query, TopK: 50}).Results {
			if strings.HasPrefix(r.ResourceID, language) {
				ranking = append(ranking, r.ResourceID)
			}
		}
		return ranking
	}
	all := make(map[string]string)
	for language := range shelves {
		maps.Copy(all, filesOf(language))
	}
	together := newShelf(t, all)
	for language, of := range shelves {
		alone := newShelf(t, filesOf(language))
		for _, query := range of.queries {
			want, got := ranked(alone, language, query), ranked(together, language, query)
			if !slices.Equal(want, got) || len(want) == 0 {
				t.Errorf("%s: %s: %q beside other languages, %q alone", language, query, got, want)
			}
			if found := together.find(t, search.Request{Query: query}); !strings.HasPrefix(found.Results[0].ResourceID, language) && query != "package conflict" && query != "archive packages" {
				t.Errorf("%s: %s: first is %s", language, query, found.Results[0].ResourceID)
			}
		}
	}
}

// TestFunctionWords checks that function words say nothing beside others, whatever
// language a text has, and that a query of them alone is answered by their order.
func TestFunctionWords(t *testing.T) {
	files := filesOf("en")
	maps.Copy(files, filesOf("ja"))
	maps.Copy(files, filesOf("de"))
	files["hamlet.md"] = "# Hamlet\n\nWhether it is so, he asked: to be, or not to be, that is the question of the prince.\n"
	files["other.md"] = "# Other\n\nNot to say that it is to be, or that to be is to do, or to be there, or to be here. Who the man is, or who the men are, is not known.\n"
	files["band.md"] = "# Band\n\nIn Leeds the Who played in a hall.\n"
	files["casting.md"] = "# Foundry\n\nIn die casting, molten metal is forced into a die. The die is cooled.\n"
	s := newShelf(t, files)
	for query, want := range map[string]string{
		"What is to be done if a package is in conflict with another?": "en1",
		"to be or not to be":     "hamlet",
		`"to be or not to be"`:   "hamlet",
		"The Who":                "band",
		"die casting":            "casting",
		"how is a die cooled":    "casting",
		"Wann war der Krieg":     "de4",
		"What is in the manual?": "ja3",
	} {
		found := s.find(t, search.Request{Query: query, Rationale: true})
		if len(found.Results) == 0 || found.Results[0].ResourceID != want {
			t.Errorf("%s: %s, want %s first", query, ids(found), want)
			continue
		}
		if strings.HasPrefix(query, "What") {
			for _, r := range found.Results {
				for _, reason := range r.Rationale {
					if slices.Contains(strings.Fields("what is to be done if a in with the"), strings.Fields(reason.Term)[0]) {
						t.Errorf("%s: %s because of %q", query, r.ResourceID, reason.Term)
					}
				}
			}
		}
	}
}

// TestQuestionsWithSigns checks that quotes and signs in a question are no orders.
func TestQuestionsWithSigns(t *testing.T) {
	s := newShelf(t, filesOf("en"))
	for question, plain := range map[string]string{
		`What does "the package of a king" say about the conflict?`:         "What does the package of a king say about the conflict?",
		`What is the -maintainer of a package - and *who* is title:asked?`:  "What is the maintainer of a package and who is title asked?",
		`Why is the kettle* heated, and "not cooled"?`:                      "Why is the kettle heated, and not cooled?",
		`the conflict -package`:                                             "the conflict package",
		`kettle "water stove gas", tea -leaves`:                             "kettle water stove gas tea leaves",
		`water "gas" kettle tea leaves stove lid minutes castle drink -men`: "water gas kettle tea leaves stove lid minutes castle drink men",
		`options -l and -40`:                                                "options l and 40",
		`conflict AND "castle package"`:                                     "conflict and castle package",
	} {
		want := s.find(t, search.Request{Query: plain})
		got := s.find(t, search.Request{Query: question})
		if !slices.Equal(sorted(ids(got)), sorted(ids(want))) || got.Total != want.Total || got.Hint != want.Hint {
			t.Errorf("%s: %s, hint %q; want %s, hint %q", question, ids(got), got.Hint, ids(want), want.Hint)
		}
	}
	for _, c := range []struct {
		query  string
		syntax index.Syntax
		want   int
	}{
		{`the "maintainer of the package"`, index.Auto, 2},
		{`the "maintainer of the package"`, index.Expression, 1},
		{`"conflict is declared"`, index.Auto, 1},
		{`"conflict is declared"`, index.Question, 1},
		{`package -archive`, index.Auto, 1},
		{`package -archive`, index.Question, 3},
	} {
		if found := s.find(t, search.Request{Query: c.query, Syntax: c.syntax}); len(found.Results) != c.want {
			t.Errorf("%s as %q: %s, want %d", c.query, c.syntax, ids(found), c.want)
		}
	}
	if found := s.find(t, search.Request{Query: `Who of the castle had a drink, "old men"?`}); found.Results[0].ResourceID != "en4" || found.Results[0].Score < 1.04*s.find(t, search.Request{Query: "Who of the castle had a drink, old men?"}).Results[0].Score {
		t.Errorf("a quoted phrase does not count more: %s", ids(found))
	}
	if _, err := s.Search(ctx, search.Request{Query: "tea", Syntax: "boolean"}); err == nil || !strings.Contains(err.Error(), "syntax boolean") && !strings.Contains(err.Error(), `syntax "boolean"`) {
		t.Errorf("syntax boolean: %v", err)
	}
}

func sorted(list []string) []string {
	slices.Sort(list)
	return list
}
