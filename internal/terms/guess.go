package terms

import (
	"strings"
	"unicode"
)

// examined is how much of a text Guess looks at, in bytes.
const examined = 16 << 10

// usual has the commonest words of each language that few others have.
var usual = map[string][]Language{}

func init() {
	for language, words := range map[Language]string{
		English:    "the of and to that is was for with are this be from have not by which were",
		German:     "der die das und ist nicht ein eine mit auf für von den dem sich auch wird werden als im zu",
		French:     "le la les des et est une dans pour que qui sur pas au avec sont ce par du il",
		Spanish:    "el la los las y es una que por con para del se no su al como más lo en",
		Italian:    "il la gli di e che è una per con del della non sono nel da si le dei alla",
		Portuguese: "o os as e é uma que não com para do da dos das em no na se por ao mais",
		Dutch:      "de het een en van is dat niet op te zijn voor met die wordt aan bij ook als er",
	} {
		for word := range strings.FieldsSeq(words) {
			usual[word] = append(usual[word], language)
		}
	}
}

// Guess returns the language that a text is likely in. Text in Latin letters
// with no sign of another language is taken as English, as code and tables
// mostly are; a script that no rules are for is [None].
func Guess(text string) Language {
	text = cut(text, examined)
	switch scriptOf(text) {
	case unicode.Cyrillic:
		if strings.ContainsAny(text, "іїєґўћђљњџј") {
			return None // Ukrainian, Belarusian, Serbian, Macedonian
		}
		return Russian
	case unicode.Latin:
		return guessLatin(text)
	}
	return None
}

// scriptOf returns the script of most letters, Latin if there is no letter, and
// nil if it is another than Latin and Cyrillic.
func scriptOf(text string) *unicode.RangeTable {
	latin, cyrillic, other := 0, 0, 0
	for _, r := range text {
		switch {
		case r < 0x250:
			if unicode.IsLetter(r) {
				latin++
			}
		case r >= 0x400 && r < 0x530:
			cyrillic++
		case unicode.IsLetter(r):
			other++
		}
	}
	switch {
	case cyrillic > latin && cyrillic > other:
		return unicode.Cyrillic
	case other > latin:
		return nil
	}
	return unicode.Latin
}

// guessLatin counts the usual words. English counts once more than it has: a
// few words of another language are in many English texts.
func guessLatin(text string) Language {
	counts := map[Language]int{English: 2}
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return !unicode.IsLetter(r) }) {
		if len(word) > 8 {
			continue
		}
		for _, language := range usual[strings.ToLower(word)] {
			counts[language]++
		}
	}
	best := English
	for _, language := range []Language{Dutch, French, German, Italian, Portuguese, Spanish} {
		if counts[language] > counts[best] {
			best = language
		}
	}
	return best
}
