package terms

import (
	"strings"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/dutch"
	"github.com/blevesearch/snowballstem/english"
	"github.com/blevesearch/snowballstem/french"
	"github.com/blevesearch/snowballstem/german"
	"github.com/blevesearch/snowballstem/italian"
	"github.com/blevesearch/snowballstem/portuguese"
	"github.com/blevesearch/snowballstem/russian"
	"github.com/blevesearch/snowballstem/spanish"
)

// A Language is an ISO 639-1 code of a language that words are stemmed in.
type Language string

// The languages that have rules here.
const (
	None       Language = "" // words are kept whole
	Dutch      Language = "nl"
	English    Language = "en"
	French     Language = "fr"
	German     Language = "de"
	Italian    Language = "it"
	Portuguese Language = "pt"
	Russian    Language = "ru"
	Spanish    Language = "es"
)

// rules are what an Analyzer does to words of its language.
type rules struct {
	stem       func(string) string // of a word in lower case; nil keeps it
	stop       map[string]bool     // words that have no term
	elisions   map[string]bool     // what stands before an apostrophe and is a word of its own
	possessive bool                // 's goes from the end
}

// englishStop are the words that the Lucene project leaves out of English text.
var englishStop = setOf("a an and are as at be but by for if in into is it no not of on or such that the their then there these they this to was will with")

var (
	frenchElisions  = setOf("l d j m n s t c qu jusqu lorsqu puisqu quoiqu")
	italianElisions = setOf("l un d dell all dall nell sull c m t s v quell quest")
)

func rulesOf(l Language) rules {
	switch l {
	case English:
		return rules{stem: stemmer(english.Stem), stop: englishStop, possessive: true}
	case French:
		return rules{stem: stemmer(french.Stem), elisions: frenchElisions}
	case Italian:
		return rules{stem: stemmer(italian.Stem), elisions: italianElisions}
	case German:
		return rules{stem: stemmer(german.Stem)}
	case Spanish:
		return rules{stem: stemmer(spanish.Stem)}
	case Portuguese:
		return rules{stem: stemmer(portuguese.Stem)}
	case Dutch:
		return rules{stem: stemmer(dutch.Stem)}
	case Russian:
		return rules{stem: stemmer(russian.Stem)}
	}
	return rules{}
}

// stemmer returns a function of the Snowball project as one of strings.
func stemmer(stem func(*snowballstem.Env) bool) func(string) string {
	return func(word string) string {
		env := snowballstem.NewEnv(word)
		stem(env)
		return env.Current()
	}
}

// elided returns how long the short word is that begins a word and ends in an
// apostrophe, such as the French article in l'eau; 0 if there is none.
func (r *rules) elided(word string) int {
	if r.elisions == nil {
		return 0
	}
	i := strings.IndexAny(word, "'’")
	if i <= 0 || !r.elisions[strings.ToLower(word[:i])] {
		return 0
	}
	i += len("'")
	if word[i-1] != '\'' {
		i += len("’") - len("'")
	}
	if i == len(word) {
		return 0
	}
	return i
}

func setOf(words string) map[string]bool {
	set := make(map[string]bool)
	for word := range strings.FieldsSeq(words) {
		set[word] = true
	}
	return set
}
