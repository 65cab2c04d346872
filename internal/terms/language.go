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

// Languages that Guess tells apart. Words of Chinese, Japanese, Korean and
// None are not stemmed.
const (
	None       Language = ""
	Chinese    Language = "zh"
	Dutch      Language = "nl"
	English    Language = "en"
	French     Language = "fr"
	German     Language = "de"
	Italian    Language = "it"
	Japanese   Language = "ja"
	Korean     Language = "ko"
	Portuguese Language = "pt"
	Russian    Language = "ru"
	Spanish    Language = "es"
)

// rules say how an Analyzer treats words of its language.
type rules struct {
	stem       func(string) string // stems a word in lower case; nil means no stemming
	function   map[string]bool     // function words
	elisions   map[string]bool     // short words before an apostrophe that are words themselves
	possessive bool                // remove 's from the end
}

var (
	frenchElisions  = setOf("l d j m n s t c qu jusqu lorsqu puisqu quoiqu")
	italianElisions = setOf("l un d dell all dall nell sull c m t s v quell quest")
)

func rulesOf(l Language) rules {
	r := rules{function: functionWords()[l]}
	switch l {
	case English:
		r.stem, r.possessive = stemmer(english.Stem), true
	case French:
		r.stem, r.elisions = stemmer(french.Stem), frenchElisions
	case Italian:
		r.stem, r.elisions = stemmer(italian.Stem), italianElisions
	case German:
		r.stem = stemmer(german.Stem)
	case Spanish:
		r.stem = stemmer(spanish.Stem)
	case Portuguese:
		r.stem = stemmer(portuguese.Stem)
	case Dutch:
		r.stem = stemmer(dutch.Stem)
	case Russian:
		r.stem = stemmer(russian.Stem)
	}
	return r
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
