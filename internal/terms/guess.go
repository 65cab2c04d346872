package terms

import (
	"strings"
	"sync"
	"unicode"
)

// examined is how many bytes of a text Guess examines.
const examined = 16 << 10

// usual has the commonest words of each language that few other languages have.
var usual = sync.OnceValue(func() map[string][]Language {
	usual := make(map[string][]Language)
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
	return usual
})

// Guess returns the likely language of a text. Text in Latin letters without signs of
// another language counts as English, as most code and tables do. A script without
// rules is [None].
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
	return guessUnspaced(text)
}

// guessUnspaced returns the language of a text in Han characters, Kana or Hangul.
func guessUnspaced(text string) Language {
	han, kana, hangul, letters := 0, 0, 0, 0
	for _, r := range text {
		switch {
		case unicode.In(r, unicode.Hiragana, unicode.Katakana):
			kana++
		case unicode.Is(unicode.Hangul, r):
			hangul++
		case unicode.Is(unicode.Han, r):
			han++
		}
		if r >= 0x250 && unicode.IsLetter(r) {
			letters++
		}
	}
	switch {
	case 2*(han+kana+hangul) < letters || letters == 0:
		return None
	case hangul > han+kana:
		return Korean
	case 10*kana > han: // Chinese texts quote some Japanese
		return Japanese
	}
	return Chinese
}

// unspacedLetters is how many letters say about as much as one character of a script
// without spaces.
const unspacedLetters = 3

// scriptOf returns the script of most letters: Latin, also if there is no letter,
// Cyrillic, or nil for any other.
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
		case isUnspaced(r):
			other += unspacedLetters
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

// guessLatin counts the usual words. English starts with a bonus, because many English
// texts have a few words of another language.
func guessLatin(text string) Language {
	counts, usual := map[Language]int{English: 2}, usual()
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
