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

// A Language is the ISO 639-1 code of a language.
type Language string

// Languages with rules for stemming.
const (
	None       Language = "" // words are not stemmed
	Dutch      Language = "nl"
	English    Language = "en"
	French     Language = "fr"
	German     Language = "de"
	Italian    Language = "it"
	Portuguese Language = "pt"
	Russian    Language = "ru"
	Spanish    Language = "es"
)

// rules say how an Analyzer treats words of its language.
type rules struct {
	stem       func(string) string // stems a word in lower case; nil means no stemming
	stop       map[string]bool     // stop words, which give no term
	elisions   map[string]bool     // short words before an apostrophe that are words themselves
	possessive bool                // remove 's from the end
}

// englishStop are the stop words of the Lucene project for English.
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

// stemmer adapts a stemmer of the Snowball project to strings.
func stemmer(stem func(*snowballstem.Env) bool) func(string) string {
	return func(word string) string {
		env := snowballstem.NewEnv(word)
		stem(env)
		return env.Current()
	}
}

// elided returns the length of the short word and apostrophe that begin a word, such as
// the French article in l'eau, or 0.
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
