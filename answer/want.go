package answer

import (
	"slices"
	"strings"
	"unicode"
)

// asks lists the words that ask for each kind of thing. A phrase begins a
// question or stands in it.
var asks = []struct {
	phrases string // separated by commas
	wants   wantedKinds
	hints   string // words that answers may have in place of the question words
}{
	{"how many,how much,how often,how far,how likely,wie viel,wie viele,wie oft,combien,quanto,quanti,cuánto,cuántos,hoeveel,いくら,いくつ,何人,何台,多少,几个", wantNumber, ""},
	{"how much does,how much do,how much is,what does it cost,for how much,how expensive", wantNumber, "cost price fee pay"},
	{"how tall,how high", wantNumber, "height elevation"},
	{"how long", wantNumber | wantTime, "duration length time"},
	{"how old", wantNumber | wantTime, "age born years"},
	{"how big,how large,how small", wantNumber, "size"},
	{"how heavy", wantNumber, "weight"},
	{"how fast,how quick", wantNumber, "speed performance"},
	{"how deep", wantNumber, "depth"},
	{"how wide", wantNumber, "width"},
	{"how hot,how cold,how warm", wantNumber, "temperature degrees"},
	{"wie hoch,wie lange,wie groß,wie schwer,wie alt,wie schnell", wantNumber, ""},
	{"when,what year,which year,what time,which day,until when,since when,by when,wann,quand,cuándo,quando,wanneer,いつ,何時,何年,什么时候,几点,何时", wantTime, ""},
	{"when was,when were,when did", wantDate, ""},
	{"how does,how do,how is,how are,how can,how did,how should", wantManner, ""},
	{"who,whom,whose,wer,wem,wen,qui,quién,chi,quem,誰,谁", wantName, ""},
	{"where,wo,woher,wohin,où,dónde,dove,onde,どこ,哪里,哪儿", wantPlace, ""},
	{"why,warum,wieso,weshalb,pourquoi,perché,なぜ,どうして,为什么", wantReason, "because reason since therefore"},
}

// wantsOf returns the kinds of things that a question asks for.
func wantsOf(text string) (w wantedKinds) {
	folded := spacedOut(text)
	for _, a := range asks {
		if askedIn(folded, a.phrases) {
			w |= a.wants
		}
	}
	return w
}

// askedWith is the share of its weight that a word keeps if it only names the
// kind of thing asked for, as "tall" does.
const askedWith = .5

// hints adds words that are not in a question but may be in its answers. They
// may also stand for the question word.
func (q *question) hints() {
	folded := spacedOut(q.text)
	for _, a := range asks {
		if a.hints == "" || !askedIn(folded, a.phrases) {
			continue
		}
		for _, hint := range ownWords(a.hints) {
			for i := range q.words {
				if w := &q.words[i]; strings.Contains(a.phrases, " "+w.text) {
					w.others = append(w.others, hint.Terms...)
				}
			}
			q.words = append(q.words, word{text: hint.Text, terms: hint.Terms, hint: true})
		}
		for i := range q.words {
			if w := &q.words[i]; !w.hint && strings.Contains(a.phrases+",", " "+w.text+",") {
				w.weight *= askedWith
			}
		}
	}
}

// spacedOut returns a text in lower case with a space before and behind each word.
func spacedOut(text string) string {
	return " " + strings.ToLower(strings.Join(strings.FieldsFunc(text, func(r rune) bool { return !isWordRune(r) && r != '\'' }), " ")) + " "
}

func askedIn(folded, phrases string) bool {
	for phrase := range strings.SplitSeq(phrases, ",") {
		if !isUnspaced(phrase) {
			phrase = " " + phrase + " "
		}
		if strings.Contains(folded, phrase) {
			return true
		}
	}
	return false
}

var months = setOf(`january february march april may june july august september october november december
	monday tuesday wednesday thursday friday saturday sunday day days week weeks month months year years hour hours minute minutes second seconds
	januar februar märz mai juni juli oktober dezember tag tage woche monat monate jahr jahre stunde stunden sekunden minuten
	janvier février mars avril juin juillet août septembre octobre novembre décembre jour mois an ans heure`)

// small numbers written as words
var numerals = setOf(`one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty
	thirty forty fifty sixty seventy eighty ninety hundred thousand million half twice once dozen
	zwei drei vier fünf sechs sieben acht neun zehn elf zwölf zwanzig dreißig hundert tausend
	deux trois quatre cinq six sept huit neuf dix onze douze vingt trente quarante cinquante soixante cent mille`)

// fits returns how well a sentence has the kind of thing asked for, from 0 to
// 1; 1 if the kind is unknown. Words of the question itself do not count.
func (w wantedKinds) fits(sentence, question string) float64 {
	if w == 0 {
		return 1
	}
	if w&wantDate != 0 {
		w = wantDate
	}
	has := false
	for _, kind := range []struct {
		want wantedKinds
		has  func(sentence, question string) bool
	}{{wantNumber, hasNumber}, {wantTime, hasTime}, {wantName, hasName}, {wantPlace, hasName}, {wantReason, hasReason}, {wantDate, hasDate}, {wantManner, hasManner}} {
		if w&kind.want == 0 {
			continue
		}
		has = has || kind.has(sentence, question)
	}
	if has {
		return 1
	}
	return 0
}

func wordsIn(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return !isWordRune(r) })
}

func hasNumber(sentence, question string) bool {
	if strings.ContainsAny(sentence, "一二三四五六七八九十百千万零两半") {
		return true
	}
	known := wordsIn(question)
	for _, w := range wordsIn(sentence) {
		if !slices.Contains(known, w) && (strings.IndexFunc(w, unicode.IsNumber) >= 0 || numerals[strings.ToLower(w)]) {
			return true
		}
	}
	return false
}

func hasTime(sentence, question string) bool {
	if hasNumber(sentence, question) || strings.ContainsAny(sentence, "年月日時时点曜期") {
		return true
	}
	for _, w := range wordsIn(sentence) {
		if months[strings.ToLower(w)] {
			return true
		}
	}
	folded := spacedOut(sentence)
	for _, phrase := range []string{" when ", " once ", " as soon as ", " whenever ", " while "} {
		if strings.Contains(folded, phrase) {
			return true
		}
	}
	return strings.Contains(sentence, "until") || strings.Contains(sentence, "after") || strings.Contains(sentence, "before")
}

// hasDate reports whether a sentence has a number or a month, as it must tell when
// something was.
func hasDate(sentence, question string) bool {
	return hasNumber(sentence, question) || slices.ContainsFunc(wordsIn(sentence), func(w string) bool {
		lower := strings.ToLower(w)
		return months[lower] && (w != lower || !alsoOther[lower])
	})
}

// alsoOther are the words among months that mean something else without a capital.
var alsoOther = setOf("may march mars second seconds mai an")

var manners = setOf("by using via through based with depending depends according if to")

func hasManner(sentence, _ string) bool {
	return slices.ContainsFunc(wordsIn(sentence), func(w string) bool { return manners[strings.ToLower(w)] })
}

// hasName reports whether a sentence has a word with a capital that the question does
// not have, or tells by whom. A word that is common does not count if it is the first.
func hasName(sentence, question string) bool {
	known := wordsIn(question)
	for i, w := range wordsIn(sentence) {
		r := []rune(w)
		if (i > 0 || !asking[strings.ToLower(w)]) && unicode.IsUpper(r[0]) && len(r) > 1 && !slices.Contains(known, w) {
			return true
		}
		if isUnspaced(w) {
			return true
		}
	}
	return slices.Contains(wordsIn(sentence), "by")
}

var reasons = setOf(`because since so therefore thus as due hence avoid avoids avoiding otherwise weil denn da deshalb damit car parce puisque porque perché omdat`)

func hasReason(sentence, _ string) bool {
	for _, w := range wordsIn(sentence) {
		if reasons[strings.ToLower(w)] {
			return true
		}
	}
	return strings.ContainsAny(sentence, ":") || strings.Contains(sentence, "因")
}
