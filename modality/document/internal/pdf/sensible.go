package pdf

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/citekit/citekit/internal/lazyregexp"
	"github.com/citekit/citekit/internal/plain"
)

// A line that is set like a heading need not be one. By these rules, the
// following are not headings, of any size and weight:
//
//   - an address: of mail, of the web, of a house; a DOI; the name of a host;
//   - a date, a time, or a line of a date and a place;
//   - the names of authors, or of their institutions, above the abstract; a
//     person with a title or initials, anywhere;
//   - a cell of a table: two or more short lines stand beside it, or beside
//     the lines above and below it;
//   - numbers, formulas and single letters: less than half of the words are
//     real words;
//   - two numbers, a long one at the end, or one of five digits, as in a row of
//     a table; words with gaps between them, as in the head of one; a total;
//   - a text after a number above 12 that no other heading continues;
//   - code and markup;
//   - a part of a sentence: it begins in lower case or with a sign, ends in a
//     word that cannot stand last or in an open bracket, closes a bracket that
//     is not open, is divided by a full stop, has more than 14 words, or more
//     than 8 and a verb or a pronoun, or more than 4 and a full stop at its
//     end;
//   - two or more words with colons, as on a form;
//   - data about the page or the publication: "page 1 of 2", "continued", a
//     copyright, an ISBN, the printer, the place of publication; the words of a
//     form such as "Name:", and sums; a box such as "Warning";
//   - a text at the same place at the top or bottom of another page, or
//     anywhere at the same place of three pages;
//   - text of a font without names for its letters: words of signs, of letters
//     of several scripts, or without vowels.
//
// For a heading with a number of two levels or more, only the rules about
// addresses, code, fragments and letters apply.

// isSensible reports whether the text of a found heading can be a heading.
func isSensible(text string, numberLevels int) bool {
	text = strings.TrimSpace(text)
	if text == "" {
		return false
	}
	if hasAddress(text) || hasCode(text) || isFragment(text, numberLevels) || isGarbled(text) {
		return false
	}
	return numberLevels > 1 || !isDate(text) && !isRow(text) && !isForm(text) && !isFurniture(text) && !isPerson(text) && isWords(text)
}

const (
	mostWords   = 14 // of a heading without a number
	clauseWords = 6  // of a title that has a "shall", at most
	longestWord = 35 // letters
	oddest      = 12 // letters of a text for each odd one; a text with more is legible
	rowWords    = 8  // maximum for a row of a table; a sentence with numbers has more
)

var (
	address   = lazyregexp.New(`(?i)[\w.+}-]+ ?@ ?[\w-]+(?:\.[\w-]+)+|\bhttps?://|\bwww\.|\bdoi(?:[: .]|$)|^[\w-]+(?:\.[\w-]+)*\.(?:com|org|net|edu|gov|info|io|de|fr|it|es|uk)$|\b\d{5}-\d{4}\b|\b10\.\d{4,5}/|\barxiv:|\b[A-Z]{2},? \d{5}(?:-\d{4})?$|^\d+ (?:[\w.]+ ){1,4}(?:avenue|ave\.?|street|st\.|road|rd\.?|boulevard|blvd\.?|drive|lane)\b`)
	monthName = `(?:jan|feb|mar|apr|may|jun|jul|aug|sep|sept|oct|nov|dec|january|february|march|april|june|july|august|september|october|november|december|` +
		`januar|februar|märz|mai|juni|juli|oktober|dezember|janvier|février|mars|avril|juin|juillet|août|septembre|octobre|novembre|décembre|` +
		`enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre)\.?`
	weekDay = `(?:mon|tues|wednes|thurs|fri|satur|sun)day`
	date    = lazyregexp.New(`(?i)^(?:\D{0,30}[\s:(,])?(?:` + weekDay + `,? +)?(?:` +
		monthName + ` \d{1,2}(?:st|nd|rd|th)?,? *(?:\d{4})?|\d{1,2}(?:st|nd|rd|th|\.)? (?:de )?` + monthName + `,? *(?:de )?\d{4}|` + monthName + `,? \d{4}|` +
		`\d{1,2}[./-]\d{1,2}[./-]\d{2,4}|\d{4}-\d{2}-\d{2})[).,]?(?:\s+\d{1,2}:\d{2}.*)?$`)
	furniture = lazyregexp.New(`(?i)^(?:page|seite|página|p\.) ?\d+|\b(?:page|seite|página|pagina|sida|strana) \d+ ?(?:of|/|von|sur|de|di|av|z) ?\d+|\bpage no\. ?\d+|^\(?cont(?:inued|'d|\.)\)?|\(continued\)$|copyright|©|all rights reserved|^isbn|^issn|` +
		`^vol(?:ume|\.)? ?\d+|\bvol\. ?\d+,|\bpp\. ?\d|^confidential$|^draft$|^advertisement$|^printed (?:in|on|by)|intentionally left blank|^(?:warning|caution|note|notice|important|danger|attention|achtung|hinweis|wichtig)!*$|^(?:received|accepted|submitted|revised|published)[ :]|^keywords?\b|^tel(?:ephone|\.)?[: ]|^fax[: ]|\be-?mail ?:|^e-?mail$|^to appear in\b|\d[.,]\d{2}$|^\p{L}+[:：] ?[\d０-９]`)
	markup       = lazyregexp.New(`</?[A-Za-z][^>]{0,80}>|&[a-z]{2,8};|\b\w+\([^)]*\);?$|\w ?\( ?\)|[{};]\s*$|^\s*[#$>] ?\w+|==|!=|->|=>|::|\S\||\|\S|[∑∫√≤≥≈∈∀∃]|\\[a-z]+\{|^<[0-9A-Fa-f]+>$`)
	function     = lazyregexp.New(` (?:the|a|an|of|to|in|on|at|by|for|with|from|and|or|nor|but|that|which|is|are|was|were|be|been|has|have|had|will|would|shall|should|must|because|while|whether|if|during|into|between|among|within|without|per|about|as|than|their|its|our|your|his|her|this|these|those|der|die|das|und|oder|von|mit|für|le|la|les|des|du|et|ou|el|los|las|de|y)$`)
	verb         = lazyregexp.New(`(?i) (?:is|are|was|were|has|have|had|been|will|would|can|could|may|must|should|shall) `)
	pronoun      = lazyregexp.New(`(?i)(?:^| )(?:I|you|we|they|he|she|it|who) `)
	twoSentences = lazyregexp.New(`\p{Ll}{2}[.!?] +\p{Lu}\p{Ll}* \p{Ll}+|\p{Ll}{4}\. \p{Ll}+|\(\d{4}\)[.,]`)
	label        = lazyregexp.New(`\p{L}{2}: `)
	shortField   = lazyregexp.New(`^[\p{Han}\p{Katakana}]{2,4} ?[：:] ?[\p{Han}\p{Katakana}%％/]{1,6}$`)
	total        = lazyregexp.New(`(?i)^(?:grand |sub-?)?totals?(?: |$|:)`)
	money        = lazyregexp.New(`[$€£¥] ?\d[\d.,]*[kMB]?n?$|\d ?[$€£¥]$`)
	clock        = lazyregexp.New(`(?i)^\d{1,2}[:.]\d{2} ?(?:[-–—]|to |a\.?m|p\.?m)`)
	shall        = lazyregexp.New(` shall `)
	postalCode   = lazyregexp.New(`(?:^| )\d{5,}(?: |$)`)
	bracketed    = lazyregexp.New(`^\(\p{Ll}{5,}|^\(\p{Ll}+[ ,]`)
	particle     = lazyregexp.New(`^(?:を|は\p{Han}|には|では|とは|的な|的に|的)|[をがはの]$`)
	person       = lazyregexp.New(`^(?:(?:Mr|Mrs|Ms|Dr|Prof|Professor|Shri|Smt|Herr|Frau|Mme)\.? (?:\p{Lu}[\p{L}.'’-]* ?){1,4}|M\. (?:\p{Lu}[\p{Lu}'’-]* ?){1,4}|(?:\p{Lu}\.[ -]?)+\p{Lu}[\p{L}'’-]+|\p{Lu}[\p{L}'’-]+, (?:\p{Lu}\.[ -]?)+(?:[;(].*|(?:, | and | & |, and )\p{Lu}.*)?)$`)
	marks        = lazyregexp.New(`[\p{Ll}] \d{1,2},\d{1,2}|(?:[\p{Ll}]|\. ?)[*†‡§¶∗]|[\p{Ll}],?\d(?:,\d)*(?:[,;* ]|$)`)
	name         = lazyregexp.New(`^(?:(?:\p{Lu}\p{Ll}*\.?-?)+|\p{Lu}[\p{L}'’-]+|de|van|von|der|den|la|da|dos|di|bin|Jr\.?|Dr\.?|Prof\.?|Mr\.?|Mrs\.?|Ms\.?|Ph\.?D\.?|M\.?D\.?)$`)
	employer     = lazyregexp.New(`(?i)\b(?:university|université|universität|universidad|universidade|institute|institut|laborator(?:y|ies)|department of|dept\.|faculty of|school of|college|inc\.|ltd\.?|gmbh|corporation)(?:\b|$|,)`)
)

func hasAddress(text string) bool { return address.MatchString(text) }

func isDate(text string) bool { return date.MatchString(text) }

func isFurniture(text string) bool {
	return furniture.MatchString(text) || strings.HasSuffix(text, ":") && len(strings.Fields(text)) <= 2
}

var (
	quantity = lazyregexp.New(`^[($€£+-]*\d[\d.,:]*[kMB]?n?[%)*]*$`)
	decimal  = lazyregexp.New(`\d[.,]\d|%`)
)

// isRow reports whether text is a row of a table joined to one text: it has two
// numbers after its first word, has a number of five digits, begins with a
// time, or ends in a sum or in a number with decimals or of three digits.
func isRow(text string) bool {
	if total.MatchString(text) || postalCode.MatchString(text) || money.MatchString(text) || clock.MatchString(text) {
		return true
	}
	words := strings.Fields(text)
	numbers := 0
	for i, word := range words {
		if i > 0 && quantity.MatchString(word) {
			numbers++
		}
	}
	last := words[len(words)-1]
	isYear := len(last) == 4 && (strings.HasPrefix(last, "19") || strings.HasPrefix(last, "20"))
	return numbers >= 2 || numbers > 0 && quantity.MatchString(last) && (decimal.MatchString(last) || len(last) > 2 && !isYear && len(words) > 2)
}

// isForm reports whether text consists of fields of a form: words with colons.
// In Chinese and Japanese also one, if both sides are as short as a unit.
func isForm(text string) bool {
	return len(label.FindAllStringIndex(text+" ", 2)) > 1 || shortField.MatchString(text)
}

// isPerson reports whether text names one person, or authors as in a citation.
func isPerson(text string) bool { return person.MatchString(text) }

func hasCode(text string) bool { return markup.MatchString(text) }

// isFragment reports whether text is part of a sentence, or more than one.
func isFragment(text string, numberLevels int) bool {
	bare := text
	if at := numbered.FindStringSubmatchIndex(text); numberLevels > 0 && at != nil {
		bare = strings.TrimLeft(text[at[3]:], ".) \t\u00a0")
	}
	first, _ := utf8.DecodeRuneInString(bare)
	if numberLevels < 2 && unicode.IsLower(first) && !hasCapital(bare) {
		return true
	}
	if !canBegin(first) || closesMore(text) {
		return true
	}
	if function.MatchString(text) || strings.Count(text, "(") > strings.Count(text, ")") || strings.HasSuffix(text, ",") {
		return true
	}
	words := len(strings.Fields(text))
	if strings.HasPrefix(text, "(") && strings.HasSuffix(text, ")") || strings.HasPrefix(text, "- ") || strings.HasPrefix(text, "– ") {
		return true
	}
	speaks := verb.MatchString(text) || pronoun.MatchString(text)
	if words > 8 && numberLevels == 0 && (speaks || strings.HasSuffix(text, ":")) && !strings.HasSuffix(text, "?") {
		return true
	}
	if isEastAsian(bare) && (strings.ContainsAny(bare, "。，") || particle.MatchString(bare) || utf8.RuneCountInString(bare) > 30) {
		return true
	}
	if numberLevels == 0 && words > 4 && strings.HasSuffix(text, ".") && !strings.HasSuffix(text, "..") {
		return true
	}
	if words > clauseWords && shall.MatchString(text) {
		return true
	}
	return twoSentences.MatchString(text) || words > mostWords && (numberLevels == 0 || numberLevels == 1 && speaks)
}

// canBegin reports whether a title can begin with c: a letter, a digit, or an
// opening quotation mark or bracket.
func canBegin(c rune) bool {
	return unicode.IsLetter(c) || unicode.IsMark(c) || unicode.IsNumber(c) || unicode.In(c, unicode.Ps, unicode.Pi) || strings.ContainsRune(`"'’„¿¡§¶#$`, c)
}

// closesMore reports whether text closes a bracket that it does not open,
// except one after a number or letter at its beginning.
func closesMore(text string) bool {
	const enumerator = 5 // bytes, such as "iii)"
	open := 0
	for i, c := range text {
		switch {
		case unicode.Is(unicode.Ps, c) && c != '„' && c != '‚':
			open++
		case unicode.Is(unicode.Pe, c):
			if open--; open < 0 && i < enumerator {
				open = 0
			}
		}
		if open < 0 {
			return true
		}
	}
	return false
}

func isEastAsian(text string) bool {
	return strings.ContainsFunc(text, func(c rune) bool { return unicode.In(c, unicode.Han, unicode.Hiragana, unicode.Katakana) })
}

// hasCapital reports whether the first word has a capital inside, like some
// names of programs: iOS, macOS, pdfTeX.
func hasCapital(text string) bool {
	word, _, _ := strings.Cut(text, " ")
	return strings.ContainsFunc(word, unicode.IsUpper)
}

// isWords reports whether text consists of words rather than numbers, formulas
// or single letters.
func isWords(text string) bool {
	words, others, long := 0, 0, false
	for word := range strings.FieldsSeq(text) {
		n := 0
		for _, c := range word {
			if unicode.IsLetter(c) {
				n++
			}
		}
		switch {
		case unicode.In([]rune(word)[0], unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai):
			words++
			long = true
		case n >= 2 && 2*n >= utf8.RuneCountInString(word):
			words++
			long = long || n >= 3
		case word != "&" && word != "-" && word != "–" && word != "—" && word != "/" && word != "a" && word != "A":
			others++
		}
	}
	return long && words >= others
}

// isGarbled reports whether letters of a font without names were read as other
// characters: signs among the letters of words, or words of several scripts.
func isGarbled(text string) bool {
	if lacksVowels(text) || hasManyScripts(text) {
		return true
	}
	odd, letters := 0, 0
	for word := range strings.FieldsSeq(text) {
		mixed := 0
		for _, script := range []*unicode.RangeTable{unicode.Latin, unicode.Greek, unicode.Cyrillic, unicode.Arabic, unicode.Hebrew, unicode.Thaana, unicode.Armenian, unicode.Syriac} {
			if strings.ContainsFunc(word, func(c rune) bool { return unicode.Is(script, c) }) {
				mixed++
			}
		}
		if mixed > 1 {
			odd += 3
		}
		runes := []rune(word)
		for i, c := range runes {
			if unicode.IsLetter(c) {
				letters++
			}
			if i == longestWord && !isEastAsian(word) {
				return true
			}
			inside := 0 < i && i+1 < len(runes) && unicode.IsLetter(runes[i-1]) && unicode.IsLetter(runes[i+1])
			if inside && (strings.ContainsRune(`"#$%*<>=~^|\{}[];!?¿¡¢£¤¥¦§¨©ª«¬®¯°±²³´µ¶·¸¹º»¼½¾÷×`, c) || unicode.IsDigit(c) && unicode.IsLower(runes[i-1]) && unicode.IsLower(runes[i+1])) {
				odd++
			}
			if c == utf8.RuneError || unicode.Is(unicode.Co, c) || !unicode.IsPrint(c) && !unicode.Is(unicode.Cf, c) {
				odd += 2
			}
		}
	}
	return odd*oddest > letters && odd > 1
}

// scripts are scripts. Only a few of them occur together in a title.
var scripts = []*unicode.RangeTable{
	unicode.Latin, unicode.Greek, unicode.Cyrillic, unicode.Arabic, unicode.Hebrew, unicode.Thaana, unicode.Armenian, unicode.Syriac,
	unicode.Han, unicode.Hangul, unicode.Yi, unicode.Ethiopic, unicode.Georgian, unicode.Tibetan, unicode.Khmer, unicode.Thai, unicode.Canadian_Aboriginal,
	unicode.Devanagari, unicode.Bengali, unicode.Gujarati, unicode.Gurmukhi, unicode.Tamil, unicode.Telugu, unicode.Kannada, unicode.Malayalam, unicode.Oriya,
}

// hasManyScripts reports whether text has letters of more scripts than a title
// can have.
func hasManyScripts(text string) bool {
	const most = 3
	n := 0
	for _, script := range scripts {
		if strings.ContainsFunc(text, func(c rune) bool { return c > unicode.MaxASCII && unicode.Is(script, c) }) {
			n++
		}
	}
	return n > most
}

// lacksVowels reports whether a quarter of the words of text are Latin words of
// five letters or more, not in capitals, without a vowel.
func lacksVowels(text string) bool {
	const long = 5
	without, words := 0, 0
	for word := range strings.FieldsSeq(text) {
		words++
		latin, lower, vowels := 0, 0, 0
		for _, c := range word {
			switch {
			case !unicode.Is(unicode.Latin, c):
				continue
			case c > unicode.MaxASCII || strings.ContainsRune("aeiouyAEIOUY", c):
				vowels++
			case unicode.IsLower(c):
				lower++
			}
			latin++
		}
		if latin >= long && vowels == 0 && lower > 1 {
			without++
		}
	}
	return without > 1 && 4*without >= words
}

// isByline reports whether text names people or their institutions.
func isByline(text string) bool {
	if employer.MatchString(text) && !strings.Contains(text, ":") {
		return true
	}
	if marks.MatchString(text) && (strings.ContainsAny(text, ",*†‡∗") || strings.Contains(text, " and ")) {
		return true
	}
	text = strings.TrimPrefix(strings.TrimPrefix(text, "by "), "By ")
	people := strings.FieldsFunc(strings.ReplaceAll(text, " and ", ", "), func(c rune) bool { return c == ',' || c == ';' || c == '&' })
	if len(people) == 0 {
		return false
	}
	initials := false
	for _, person := range people {
		words := strings.Fields(person)
		if len(words) < 2 || len(words) > 5 {
			return false
		}
		for _, word := range words {
			if !name.MatchString(word) {
				return false
			}
			initials = initials || len(word) <= 3 && strings.HasSuffix(word, ".") && word[0] >= 'A' && word[0] <= 'Z'
		}
	}
	return initials || len(people) > 1
}

// isName reports whether text may be the name of one person: two to four words
// that all begin with a capital.
func isName(text string) bool {
	words := strings.Fields(text)
	if len(words) < 2 || len(words) > 4 {
		return false
	}
	for _, word := range words {
		if !name.MatchString(word) || strings.ToUpper(word) == word && len(word) > 3 {
			return false
		}
	}
	return len(words) == 2 || strings.Contains(text, ".")
}

// isRunTitle reports whether a line can be the title of a run of pages: as the
// first line, it may be a sentence, but neither a part of one nor code.
func isRunTitle(text string) bool {
	if text = strings.TrimSpace(text); text == "" {
		return false
	}
	first, _ := utf8.DecodeRuneInString(text)
	switch {
	case !isTitleText(plain.CutRunes(text, maxHeading)) || hasAddress(text) || hasCode(text) || isDate(text) || isFurniture(text) || !isWords(text) || isGarbled(text) || isItem(text):
		return false
	case unicode.IsLower(first) && !hasCapital(text) || isForm(text) || closesMore(text):
		return false
	case first == '(' && bracketed.MatchString(text):
		return false
	case len(strings.Fields(text)) <= rowWords && isRow(text):
		return false
	}
	return canBegin(first)
}
