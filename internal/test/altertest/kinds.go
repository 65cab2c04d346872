package altertest

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

func latin(s *Source) bool   { return !s.Wide }
func english(s *Source) bool { return !s.Wide && s.Group != "de" }
func notes(s *Source) bool   { return s.Group == "en" || s.Group == "de" }

// Kinds are the rules by which quotes are made.
var Kinds = []Kind{
	{Name: "exact", Want: "exact", make: asItStands, Weight: 2},
	{Name: "exact, part of a sentence", Want: "exact", make: phraseOf, Weight: 2},

	{Name: "line ends as spaces", Want: "exact", make: lineEnds},
	{Name: "further white space", Want: "exact", make: moreSpace, from: latin},
	{Name: "hyphen at line end healed", Want: "exact", make: healed, from: latin},
	{Name: "word divided at a line end", Want: "exact", make: divided, from: latin},
	{Name: "soft hyphen put in", Want: "exact", make: vary(softHyphen), from: latin},
	{Name: "ligatures", Want: "repaired", make: rewrite(ligatures), from: latin},
	{Name: "case", Want: "repaired", make: rewrite(otherCase), from: latin},
	{Name: "typographic signs", Want: "repaired", make: rewrite(otherSigns), from: latin},
	{Name: "ellipsis", Want: "repaired", make: leftOut, check: unchecked},
	{Name: "ellipsis over sentences", Want: "repaired", make: leftOutFar, check: unchecked, Beyond: true},
	{Name: "footnote mark dropped", Want: "repaired", make: withoutMarks, from: notes, check: unchecked, Beyond: true},
	{Name: "full-width forms", Want: "repaired", make: rewrite(fullWidth)},
	{Name: "accents decomposed", Want: "repaired", make: rewrite(func(_ *Generator, line string) string { return nfd(line) })},
	{Name: "several repairs", Want: "repaired", make: rewrite(several), from: latin},

	{Name: "one word changed", Want: "altered", check: noSuch, make: vary(oneWord)},
	{Name: "three words changed", Want: "altered", check: noSuch, make: vary(threeWords)},
	{Name: "word dropped", Want: "altered", check: noSuch, make: vary(dropWord)},
	{Name: "word put in", Want: "altered", check: noSuch, make: vary(putWord)},
	{Name: "two words swapped", Want: "altered", check: noSuch, make: vary(swapWords)},
	{Name: "negation put in", Want: "altered", check: noSuch, make: rewrite(negated)},
	{Name: "negation removed", Want: "altered", check: noSuch, make: rewrite(unnegated)},
	{Name: "hedge changed", Want: "altered", check: noSuch, make: rewrite(hedges)},
	{Name: "opposite", Want: "altered", check: noSuch, make: rewrite(opposites)},
	{Name: "number changed", Want: "altered", check: noSuch, make: rewrite(otherNumber)},
	{Name: "unit changed", Want: "altered", check: noSuch, make: rewrite(otherUnit)},
	{Name: "date changed", Want: "altered", check: noSuch, make: rewrite(otherDate)},
	{Name: "name changed", Want: "altered", check: noSuch, make: vary(otherName), from: english},
	{Name: "sign changed", Want: "altered", check: unchecked, make: rewrite(otherSign)},
	{Name: "decimal moved", Want: "altered", check: unchecked, make: rewrite(otherDecimal)},
	{Name: "punctuation changed", Want: "altered", check: sameLetters, make: rewrite(otherPunctuation)},
	{Name: "hyphen in a line", Want: "altered", check: sameLetters, make: midHyphen, from: latin},
	{Name: "cut inside a word", Want: "altered", check: onceThere, make: cutWord, from: latin},
	{Name: "homoglyph", Want: "altered", check: noSuch, make: rewrite(homoglyph), from: latin},
	{Name: "bidi control", Want: "altered", check: sameLetters, make: rewrite(bidi)},
	{Name: "accent dropped", Want: "altered", check: noSuch, make: rewrite(unaccented)},
	{Name: "number changed under repairs", Want: "altered", check: noSuch, make: numberUnderRepairs, from: latin},
	{Name: "ellipsis for a negation", Want: "altered", check: unchecked, make: leftOutNegation, from: latin},
	{Name: "ellipsis with a word changed", Want: "altered", check: unchecked, make: leftOutAltered},

	{Name: "elsewhere, other page or line", Want: "elsewhere", make: flatCopy, Elsewhere: "page", Weight: 3},
	{Name: "elsewhere, other file", Want: "elsewhere", make: flatCopy, Elsewhere: "file", Weight: 3},

	{Name: "invented", Want: "not_found", check: noSuch, make: invented, Weight: 5},
	{Name: "words of the source", Want: "not_found", check: noSuch, make: salad, Weight: 5},
	{Name: "shuffled", Want: "not_found", check: noSuch, make: shuffled, Weight: 5},
	{Name: "spliced", Want: "altered|not_found", check: noSuch, make: spliced, Weight: 5},
	{Name: "ellipsis turned round", Want: "altered|not_found", check: noSuch, make: turned},
}

func asItStands(_ *Generator, s *Source, at Part) (string, bool) {
	return s.Text[at.From:at.To], true
}

func flatCopy(_ *Generator, s *Source, at Part) (string, bool) {
	return Flat(s.Text[at.From:at.To], s.Wide), true
}

// phraseOf takes some words of a sentence.
func phraseOf(g *Generator, s *Source, at Part) (string, bool) {
	text := s.Text[at.From:at.To]
	starts := WordStarts(text, s.Wide)
	if len(starts) < 12 {
		return "", false
	}
	from := g.IntN(len(starts) - 8)
	to := from + 6 + g.IntN(len(starts)-from-7)
	phrase := strings.TrimRightFunc(text[starts[from]:starts[to]], unicode.IsSpace)
	if s.Wide && (countsNear(text, starts[from]) || countsNear(text, starts[to])) {
		return "", false
	}
	return phrase, !strings.HasSuffix(phrase, "-") && g.Places(phrase, 2) == 1
}

// WordStarts returns where the words of a text begin, in bytes.
func WordStarts(text string, wide bool) (starts []int) {
	if wide {
		at := 0
		for _, w := range Tokens(text, true) {
			if strings.TrimSpace(w) != "" {
				starts = append(starts, at)
			}
			at += len(w)
		}
		return starts
	}
	space := true
	for i, c := range text {
		if !unicode.IsSpace(c) && space {
			starts = append(starts, i)
		}
		space = unicode.IsSpace(c)
	}
	return starts
}

// countsNear reports whether a numeral stands beside a place of a text, where a
// cut makes another number of it, or a negation before it.
func countsNear(text string, at int) bool {
	before, _ := utf8.DecodeLastRuneInString(strings.TrimRight(text[:at], "\n"))
	after, _ := utf8.DecodeRuneInString(strings.TrimLeft(text[at:], "\n"))
	return strings.ContainsRune(numerals, before) || strings.ContainsRune(numerals, after) || strings.ContainsRune("不没无未非", before)
}

const numerals = "〇一二三四五六七八九十百千万億亿半两几数第0123456789."

func lineEnds(_ *Generator, s *Source, at Part) (string, bool) {
	text := s.Text[at.From:at.To]
	return Flat(text, s.Wide), strings.Contains(text, "\n") && !lineHyphen.MatchString(text)
}

func moreSpace(g *Generator, s *Source, at Part) (string, bool) {
	w := strings.Fields(Flat(s.Text[at.From:at.To], false))
	for i := range w {
		w[i] += []string{" ", " ", "\n", "  ", "\t", "\u00a0", "\r\n"}[g.IntN(7)]
	}
	return strings.TrimSpace(strings.Join(w, "")), true
}

// healed joins a word that was divided at the end of a line. Where the layer of a
// PDF does not tell the end of that line, it is a word that the source has
// elsewhere in one piece, and in two nowhere else.
func healed(_ *Generator, s *Source, at Part) (string, bool) {
	text := s.Text[at.From:at.To]
	if lineHyphen.MatchString(text) {
		return Flat(text, false), true
	}
	for _, m := range innerHyphen.FindAllStringSubmatchIndex(text, -1) {
		if s.Paged && isDivided(s, text[m[2]:m[3]], text[m[4]:m[5]]) {
			return Flat(text[:m[3]]+text[m[4]:], false), true
		}
	}
	return "", false
}

var innerHyphen = regexp.MustCompile(`\b(\p{Ll}{2,})-(\p{Ll}{2,})\b`)

func isDivided(s *Source, first, rest string) bool {
	return strings.Count(s.Text, first+rest) >= 2 && strings.Count(s.Text, first+"-"+rest) == 1
}

func divided(g *Generator, s *Source, at Part) (string, bool) {
	w := strings.Fields(Flat(s.Text[at.From:at.To], false))
	k := g.IntN(len(w))
	if !OnlyLetters(w[k]) || len(w[k]) < 8 || strings.IndexFunc(w[k], func(c rune) bool { return c > 127 }) >= 0 {
		return "", false
	}
	w[k] = w[k][:4] + "-\n" + w[k][4:]
	return strings.Join(w, " "), true
}

func softHyphen(g *Generator, w []string, _ *Source) bool {
	k := g.IntN(len(w))
	if !OnlyLetters(w[k]) || len(w[k]) < 7 || strings.IndexFunc(w[k], func(c rune) bool { return c > 127 }) >= 0 {
		return false
	}
	w[k] = w[k][:3] + "\u00ad" + w[k][3:]
	return true
}

func ligatures(_ *Generator, line string) string {
	if out := strings.NewReplacer("ﬁ", "fi", "ﬂ", "fl", "ﬀ", "ff", "ﬃ", "ffi", "ﬄ", "ffl").Replace(line); out != line {
		return out
	}
	return strings.NewReplacer("ffi", "ﬃ", "ffl", "ﬄ", "ff", "ﬀ", "fi", "ﬁ", "fl", "ﬂ").Replace(line)
}

func otherCase(g *Generator, line string) string {
	switch g.IntN(3) {
	case 0:
		return strings.ToUpper(line)
	case 1:
		return strings.ToLower(line)
	}
	w := strings.Fields(line)
	for i := range w {
		c, n := utf8.DecodeRuneInString(w[i])
		w[i] = string(unicode.ToTitle(c)) + w[i][n:]
	}
	return strings.Join(w, " ")
}

func otherSigns(g *Generator, line string) string {
	if strings.ContainsAny(line, "‘’“”„–—−‐") {
		return strings.NewReplacer("‘", "'", "’", "'", "“", `"`, "”", `"`, "„", `"`, "–", "-", "—", "-", "−", "-", "‐", "-").Replace(line)
	}
	double := []string{"“", "«", "„"}[g.IntN(3)]
	return strings.NewReplacer("'", "’", `"`, double, " - ", " – ").Replace(line)
}

func several(g *Generator, line string) string {
	return strings.ReplaceAll(otherCase(g, ligatures(g, otherSigns(g, line))), " ", "\n")
}

func fullWidth(_ *Generator, line string) string {
	if strings.Contains(line, "[^") {
		return line // marks of Markdown are not of full width
	}
	return strings.Map(func(c rune) rune {
		if c < 128 && (unicode.IsLetter(c) || unicode.IsDigit(c)) {
			return c + 0xFEE0
		}
		return c
	}, line)
}

var ellipses = []string{" … ", " ... ", " […] ", " [...] ", "… "}

func leftOut(g *Generator, s *Source, at Part) (string, bool) {
	w := Tokens(Flat(s.Text[at.From:at.To], s.Wide), s.Wide)
	if len(w) < 16 {
		return "", false
	}
	first, last := 6+g.IntN(len(w)-15), 6
	a, b := Joined(w[:first], s.Wide), Joined(w[len(w)-last:], s.Wide)
	out := Joined(w[first:len(w)-last], s.Wide)
	if negation.MatchString(out) || s.Wide && (countsNear(a+out, len(a)) || countsNear(out+b, len(out))) {
		return "", false
	}
	return a + ellipses[g.IntN(len(ellipses))] + b, utf8.RuneCountInString(b) >= 10 && g.Places(a, 2) == 1
}

// A negation, alone or within a word.
var negation = regexp.MustCompile(`(?i)\b(not?|never|none|nothing|nobody|neither|nor|without|hardly|cannot|few|fewer|nicht|nichts|nie|niemals|niemand|kein\w*|ohne|kaum)\b|n['’]t\b|不|没|無|无|未|非|ない|なく|なかっ|ません|ず`)

// leftOutNegation leaves out a negation and at most a word beside it.
func leftOutNegation(g *Generator, s *Source, at Part) (string, bool) {
	w := strings.Fields(Flat(s.Text[at.From:at.To], false))
	for i := 4; i+6 < len(w); i++ {
		switch strings.ToLower(w[i]) {
		case "not", "never", "no", "nicht", "kein", "keine", "niemals":
			skip := 1 + g.IntN(2)
			return Joined(w[:i], false) + ellipses[g.IntN(4)] + Joined(w[i+skip:], false), true
		}
	}
	return "", false
}

// leftOutFar takes the start of one sentence and the end of the one after the
// next.
func leftOutFar(g *Generator, s *Source, at Part) (string, bool) {
	for _, next := range s.Sentences {
		if d := next.From - at.To; d > 20 && d < 500 && s.onePage(Part{at.From, next.To}) {
			a := Tokens(Flat(s.Text[at.From:at.To], s.Wide), s.Wide)
			b := Tokens(Flat(s.Text[next.From:next.To], s.Wide), s.Wide)
			if len(a) < 9 || len(b) < 9 || negation.MatchString(s.Text[at.From:next.To]) {
				return "", false
			}
			x, y := Joined(a[:7], s.Wide), Joined(b[len(b)-8:], s.Wide)
			if out := s.Text[at.From:next.To]; otherParagraph.MatchString(out) || len(strings.Fields(out)) > 50 || countsAgain.MatchString(y) {
				return "", false // which an ellipsis may not join
			}
			return x + ellipses[g.IntN(len(ellipses))] + y, g.Places(x, 2) == 1 && g.Places(y, 2) == 1
		}
	}
	return "", false
}

// otherParagraph is the start of another paragraph, item or row, and countsAgain that of
// a text that goes on with a number.
var (
	otherParagraph = regexp.MustCompile(`\n\s*\n|\n\s*([-*+#|•●▪◦]|\d+[.)])|\t`)
	countsAgain    = regexp.MustCompile(`^\S*\s*\S*\d`)
)

func leftOutAltered(g *Generator, s *Source, at Part) (string, bool) {
	w := Tokens(Flat(s.Text[at.From:at.To], s.Wide), s.Wide)
	if len(w) < 24 {
		return "", false
	}
	k, v := 2+g.IntN(6), g.Word(s)
	a, b := Joined(w[:10], s.Wide), Joined(w[len(w)-10:], s.Wide)
	if !IsWord(w[k], s.Wide) || strings.EqualFold(w[k], v) || g.Places(a, 2) != 1 {
		return "", false
	}
	w[k] = v
	changed := Joined(w[:10], s.Wide)
	return changed + ellipses[g.IntN(len(ellipses))] + b, g.Places(changed, 1) == 0
}

func turned(g *Generator, s *Source, at Part) (string, bool) {
	w := Tokens(Flat(s.Text[at.From:at.To], s.Wide), s.Wide)
	if len(w) < 20 {
		return "", false
	}
	a, b := Joined(w[:7], s.Wide), Joined(w[len(w)-7:], s.Wide)
	return b + ellipses[g.IntN(len(ellipses))] + a, g.Places(a, 2) == 1 && g.Places(b, 2) == 1
}

// withoutMarks drops "[^1]" in Markdown, and in a PDF a raised number after the
// end of a sentence, which is the start of this one or stands inside.
func withoutMarks(_ *Generator, s *Source, at Part) (string, bool) {
	whole := s.Text[at.From:min(len(s.Text), at.To+90)]
	m := keptMark.FindStringSubmatchIndex(whole)
	if m == nil || !s.onePage(Part{at.From, at.From + m[1]}) {
		return "", false
	}
	after := strings.Fields(whole[m[3]:])
	if len(after) < 7 {
		return "", false
	}
	before := whole[:m[2]]
	return Flat(before, s.Wide) + " " + Flat(strings.Join(after[:6], " "), s.Wide), !strings.Contains(whole, "See the minutes")
}

var keptMark = regexp.MustCompile(`\p{L}\.(\[\^\d\]|\d)\s`)

func oneWord(g *Generator, w []string, s *Source) bool {
	k, v := g.IntN(len(w)), g.Word(s)
	if !IsWord(w[k], s.Wide) || strings.EqualFold(w[k], v) {
		return false
	}
	w[k] = v
	return true
}

func threeWords(g *Generator, w []string, s *Source) bool {
	if len(w) < 14 || s.Wide && len(w) < 20 {
		return false
	}
	n := 0
	for _, k := range g.Perm(len(w)) {
		if IsWord(w[k], s.Wide) && n < 3 {
			w[k] = g.Word(s)
			n++
		}
	}
	return n == 3
}

func dropWord(g *Generator, w []string, s *Source) bool {
	k := 1 + g.IntN(len(w)-2)
	if !IsWord(w[k], s.Wide) {
		return false
	}
	w[k] = ""
	return true
}

func putWord(g *Generator, w []string, s *Source) bool {
	k := 1 + g.IntN(len(w)-2)
	if s.Wide {
		w[k] += g.Word(s)
	} else {
		w[k] += " " + g.Word(s)
	}
	return !strings.HasSuffix(w[k-1], "-")
}

func swapWords(g *Generator, w []string, s *Source) bool {
	k := g.IntN(len(w) - 2)
	if !IsWord(w[k], s.Wide) || !IsWord(w[k+1], s.Wide) || strings.EqualFold(w[k], w[k+1]) {
		return false
	}
	w[k], w[k+1] = w[k+1], w[k]
	return true
}

func negated(g *Generator, line string) string {
	return swapFirst(g, line, []string{
		"is", "is not", "are", "are not", "can", "cannot", "will", "will not", "may", "may not", "should", "should not", "must", "must not", "was", "was not", "were", "were not", "does", "does not", "has", "has not",
		"wird", "wird nicht", "werden", "werden nicht", "kann", "kann nicht", "darf", "darf nicht", "muss", "muss nicht", "wurde", "wurde nicht", "hatte", "hatte nicht", "liegt", "liegt nicht", "ist", "ist nicht",
		"可以", "不可以", "必须", "不必", "需要", "不需要", "使用", "不使用", "是", "不是", "能", "不能",
		"ている。", "ていない。", "である。", "ではない。", "できる。", "できない。", "になる。", "にならない。", "られた。", "られなかった。", "する。", "しない。", "行った", "行わなかった",
	})
}

func unnegated(g *Generator, line string) string {
	return swapFirst(g, line, []string{
		"not ", "", "cannot", "can", "never ", "", "no ", "some ", "don't", "do", "doesn't", "does", "isn't", "is", "nothing", "everything", "without", "with", "nobody", "everybody", "none", "all", "hardly ", "",
		"nicht ", "", "nie ", "", "niemals ", "", "kein ", "ein ", "keine ", "eine ", "Nichts", "Alles", "niemand", "jeder", "Niemand", "Jeder", "ohne", "mit", "kaum ", "",
		"不得", "可以", "不能", "能", "不可以", "可以", "不需要", "需要", "没有", "", "不", "",
		"できない", "できる", "ならない", "なる", "ではない", "である", "いない", "いる", "しない", "する", "なかった", "た", "はない", "はある", "出ない", "出る", "わない", "う",
	})
}

func hedges(g *Generator, line string) string {
	return swapFirst(g, line, []string{
		"may", "must", "must", "may", "might", "will", "could", "does", "should", "might", "some", "all", "all", "some", "many", "few", "often", "always", "usually", "always", "sometimes", "always", "probably", "certainly", "most", "all", "about", "exactly", "almost", "fully", "can", "must", "any", "every", "only", "also", "at least", "at most", "at most", "at least",
		"meistens", "immer", "vielleicht", "sicher", "voraussichtlich", "sicher", "vermutlich", "gewiss", "kann", "muss", "muss", "kann", "soll", "wird", "einige", "alle", "viele", "alle", "manche", "alle", "etwa", "genau", "rund", "genau", "fast", "ganz", "höchstens", "mindestens", "mindestens", "höchstens", "gelegentlich", "stets", "selten", "stets", "darf", "muss", "gewöhnlich", "immer",
		"可能", "一定", "大约", "正好", "约", "整", "必须", "可以", "有些", "所有", "许多", "所有", "通常", "总是", "往往", "从不", "至少", "至多", "几乎", "完全", "大部分", "全部", "应当", "可以",
		"ほとんど", "すべて", "およそ", "ちょうど", "必ず", "たまに", "ある程度", "完全に", "平均で", "最大で", "原則として", "例外なく", "普通に", "急いで", "ほど", "だけ", "前後", "以上",
	})
}

func opposites(g *Generator, line string) string {
	return swapFirst(g, line, []string{
		"more", "less", "less", "more", "before", "after", "after", "before", "first", "last", "last", "first", "above", "below", "below", "above", "larger", "smaller", "increase", "decrease", "true", "false", "false", "true", "left", "right", "north", "south", "east", "west", "highest", "lowest", "lowest", "highest", "minimum", "maximum", "maximum", "minimum", "open", "closed", "longer", "shorter", "with", "without", "inside", "outside", "enabled", "disabled",
		"mehr", "weniger", "über", "unter", "unter", "über", "vor", "nach", "nach", "vor", "rechten", "linken", "höher", "tiefer", "älteste", "jüngste", "alten", "neuen", "warme", "kalte",
		"以上", "以下", "以前", "以后", "增加", "减少", "减少", "增加", "最高", "最低", "超过", "少于", "最冷", "最热", "夏天", "冬天", "冬天", "夏天", "早上", "晚上",
		"以下", "以上", "以上", "以下", "午後", "午前", "南側", "北側", "多く", "少なく", "最初", "最後", "増え", "減り", "上がった", "下がった", "減った", "増えた", "冬", "夏", "夏", "冬", "半分以上", "半分以下",
	})
}

var (
	digits   = regexp.MustCompile(`\d+`)
	hanDigit = regexp.MustCompile(`[一二三四五六七八九][年月日人个次天时回冊百十台週枚箱つ]`)
	measured = regexp.MustCompile(`\d\s?(\pL+|%)`)
	wideUnit = regexp.MustCompile(`[\d一二三四五六七八九十百千万半]\s?(厘米|公里|毫米|公斤|公顷|小时|分钟|公里|米|度|元|メートル|センチ|時間|分|円|万円|パーセント|キロ|度|人|冊)`)
	year     = regexp.MustCompile(`\b(1[5-9]|20)\d\d\b`)
	decimals = regexp.MustCompile(`(^|[^\d.])(\d+)\.(\d+)($|[^\d.]|\.$)`)
	signed   = regexp.MustCompile(`(^|\s)([-+]?)(\d+)([\s,.)]|$)`)
)

func otherNumber(g *Generator, line string) string {
	if at := digits.FindAllStringIndex(line, -1); len(at) > 0 {
		m := at[g.IntN(len(at))]
		i := m[0] + g.IntN(m[1]-m[0])
		return line[:i] + string('0'+(line[i]-'0'+byte(1+g.IntN(9)))%10) + line[i+1:]
	}
	if at := hanDigit.FindStringIndex(line); at != nil {
		c, n := utf8.DecodeRuneInString(line[at[0]:])
		for _, d := range "三五八六二" {
			if d != c {
				return line[:at[0]] + string(d) + line[at[0]+n:]
			}
		}
	}
	return line
}

var units = map[string]string{
	"m": "km", "km": "m", "mm": "cm", "cm": "mm", "ms": "s", "s": "ms", "seconds": "minutes", "minutes": "hours", "hours": "days", "days": "weeks", "years": "months", "months": "weeks", "weeks": "days",
	"pounds": "dollars", "dollars": "pounds", "MB": "GB", "GB": "MB", "KB": "MB", "KiB": "MiB", "MiB": "GiB", "bytes": "bits", "bits": "bytes", "byte": "bit", "bit": "byte", "feet": "miles", "miles": "feet", "inches": "feet",
	"rods": "feet", "cents": "dollars", "tonnes": "pounds", "watts": "kilowatts", "kilowatts": "watts", "metres": "feet", "millilitres": "litres", "hectopascals": "millibars", "%": "‰", "degrees": "minutes",
	"Mark": "Taler", "Euro": "Cent", "Cent": "Euro", "Stunden": "Tage", "Kubikmeter": "Liter", "Liter": "Kubikmeter", "Grad": "Minuten", "Prozent": "Promille", "Sekunden": "Minuten", "Jahre": "Monate", "Millibar": "Bar", "Meter": "Kilometer", "Kilometer": "Meter", "Millionen": "Milliarden",
	"厘米": "毫米", "公里": "米", "毫米": "厘米", "公斤": "克", "公顷": "亩", "小时": "分钟", "分钟": "小时", "米": "公里", "度": "分", "元": "角",
	"メートル": "キロ", "センチ": "ミリ", "時間": "分", "分": "秒", "円": "ドル", "万円": "億円", "パーセント": "パーミル", "キロ": "グラム", "人": "組", "冊": "枚",
}

func otherUnit(g *Generator, line string) string {
	for _, re := range []*regexp.Regexp{measured, wideUnit} {
		at := re.FindAllStringSubmatchIndex(line, -1)
		for _, i := range g.Perm(len(at)) {
			if to := units[line[at[i][2]:at[i][3]]]; to != "" {
				return line[:at[i][2]] + to + line[at[i][3]:]
			}
		}
	}
	return line
}

func otherDate(g *Generator, line string) string {
	if at := year.FindAllStringIndex(line, -1); len(at) > 0 && g.IntN(2) == 0 {
		i := at[g.IntN(len(at))][1] - 1
		return line[:i] + string('0'+(line[i]-'0'+byte(1+g.IntN(9)))%10) + line[i+1:]
	}
	return swapFirst(g, line, []string{
		"January", "June", "February", "July", "March", "August", "April", "September", "June", "October", "July", "March", "August", "May", "September", "April", "October", "January", "November", "June", "December", "May", "Monday", "Tuesday", "Friday", "Sunday",
		"Mai", "April", "Oktober", "August", "Februar", "Juni", "Dezember", "Juli", "März", "Juni", "Juli", "Mai", "August", "März", "Samstag", "Sonntag", "Freitag", "Montag",
		"九月", "三月", "三月", "八月", "十月", "五月", "四月", "七月", "9月", "4月", "3月", "8月", "4月", "11月", "7月", "6月", "6月", "2月", "2月", "6月", "1月", "5月", "土曜日", "月曜日", "五月", "十二月", "六月", "七月",
	})
}

func otherName(g *Generator, w []string, s *Source) bool {
	var names []int
	for i := 1; i < len(w); i++ {
		if IsWord(w[i], false) && unicode.IsUpper(rune(w[i][0])) && strings.ToUpper(w[i]) != w[i] && !strings.HasSuffix(w[i-1], ".") && !strings.HasSuffix(w[i-1], ":") {
			names = append(names, i)
		}
	}
	if len(names) == 0 {
		return false
	}
	other := []string{"Harrison", "Lisbon", "Amelia", "Ottawa", "Windows", "Bergman", "Fischer", "Python"}
	w[names[g.IntN(len(names))]] = other[g.IntN(len(other))]
	return true
}

func otherSign(g *Generator, line string) string {
	at := signed.FindAllStringSubmatchIndex(line, -1)
	if len(at) == 0 {
		return line
	}
	m := at[g.IntN(len(at))]
	if m[4] != m[5] {
		return line[:m[4]] + line[m[5]:]
	}
	if strings.HasSuffix(strings.TrimSpace(line[:m[4]]), "-") || m[4] == 0 {
		return line
	}
	return line[:m[4]] + "-" + line[m[4]:]
}

func otherDecimal(g *Generator, line string) string {
	m := decimals.FindStringSubmatchIndex(line)
	if m == nil {
		return line
	}
	if g.IntN(2) == 0 || m[7]-m[6] < 2 {
		return line[:m[5]] + line[m[6]:]
	}
	return line[:m[5]] + line[m[6]:m[6]+1] + "." + line[m[6]+1:]
}

func otherPunctuation(g *Generator, line string) string {
	var commas []int
	for _, mark := range []string{", ", "; ", "、", "，"} {
		for i := 0; i < len(line); i++ {
			if strings.HasPrefix(line[i:], mark) {
				commas = append(commas, i)
			}
		}
	}
	c, n := utf8.DecodeLastRuneInString(line)
	if len(commas) == 0 || g.IntN(4) == 0 {
		return line[:len(line)-n] + map[rune]string{'.': "?", '?': ".", '!': "?", '。': "？"}[c]
	}
	i := commas[g.IntN(len(commas))]
	_, n = utf8.DecodeRuneInString(line[i:])
	return line[:i] + line[i+n:]
}

var compound = regexp.MustCompile(`\s(\p{Ll}{2,})-(\p{Ll}{2,})[ ,]`)

// midHyphen takes a hyphen from the middle of a line, or puts one there.
func midHyphen(g *Generator, s *Source, at Part) (string, bool) {
	text := s.Text[at.From:at.To]
	if m := compound.FindStringSubmatchIndex(text); m != nil && isCompound(s, text[m[2]:m[3]], text[m[4]:m[5]]) {
		return Flat(text[:m[3]]+text[m[4]:], false), true
	}
	w := strings.Fields(Flat(text, false))
	k := g.IntN(len(w))
	if len(w[k]) < 8 || !OnlyLetters(w[k]) || !strings.Contains(text, w[k]) || strings.IndexFunc(w[k], func(c rune) bool { return c > 127 }) >= 0 {
		return "", false
	}
	w[k] = w[k][:3] + "-" + w[k][3:]
	return strings.Join(w, " "), true
}

// isCompound reports whether a hyphen is not one of the end of a line in a PDF.
func isCompound(s *Source, first, rest string) bool {
	return !s.Paged || strings.Count(s.Text, first+"-"+rest) >= 3 && !strings.Contains(s.Text, first+rest)
}

// cutWord begins inside a word, whose rest means another thing, or ends there.
func cutWord(g *Generator, s *Source, at Part) (string, bool) {
	w := strings.Fields(Flat(s.Text[at.From:at.To], false))
	k := g.IntN(len(w))
	if !IsWord(w[k], false) || len(w[k]) < 7 || strings.IndexFunc(w[k], func(c rune) bool { return c > 127 }) >= 0 {
		return "", false
	}
	if len(w)-k > 7 {
		w[k] = w[k][2:]
		return strings.Join(w[k:], " "), true
	}
	w[k] = w[k][:len(w[k])-2]
	return strings.Join(w[:k+1], " "), k >= 7
}

func homoglyph(g *Generator, line string) string {
	w := strings.Fields(line)
	k := g.IntN(len(w))
	if IsWord(w[k], false) {
		w[k] = strings.NewReplacer("a", "а", "e", "е", "o", "о", "p", "р", "c", "с").Replace(w[k])
	}
	return strings.Join(w, " ")
}

func bidi(g *Generator, line string) string {
	c := []string{"\u202e", "\u202d", "\u2066", "\u200f", "\u2067"}[g.IntN(5)]
	r := []rune(line)
	at := 1 + g.IntN(len(r)-2)
	return string(r[:at]) + c + string(r[at:])
}

// unaccented drops the first accent: of a letter, or of kana.
func unaccented(g *Generator, line string) string {
	r := []rune(line)
	for _, i := range g.Perm(len(r)) {
		if d := norm.NFD.String(string(r[i])); len(d) > len(string([]rune(d)[0])) && unicode.IsLetter(r[i]) {
			return string(r[:i]) + string([]rune(d)[0]) + string(r[i+1:])
		}
	}
	return line
}

func numberUnderRepairs(g *Generator, s *Source, at Part) (string, bool) {
	line := Flat(s.Text[at.From:at.To], false)
	changed := otherNumber(g, line)
	return several(g, changed), changed != line
}

func invented(g *Generator, _ *Source, _ Part) (string, bool) {
	if g.IntN(3) == 0 {
		return g.foreign[g.IntN(min(34, len(g.foreign)))], true
	}
	return g.foreign[g.IntN(len(g.foreign))], true
}

// salad throws words of a source together.
func salad(g *Generator, s *Source, _ Part) (string, bool) {
	var w []string
	for range 9 + g.IntN(12) {
		w = append(w, g.Word(s))
	}
	return Joined(w, s.Wide) + map[bool]string{true: "。", false: "."}[s.Wide], true
}

func shuffled(g *Generator, s *Source, at Part) (string, bool) {
	w := Tokens(Flat(s.Text[at.From:at.To], s.Wide), s.Wide)
	was := append([]string{}, w...)
	g.Shuffle(len(w), func(i, j int) { w[i], w[j] = w[j], w[i] })
	return Joined(w, s.Wide), len(w) > 9 && commonOrder(was, w) < .45
}

func spliced(g *Generator, s *Source, at Part) (string, bool) {
	other := g.pick()
	if g.IntN(2) == 0 || other.Wide != s.Wide {
		other = s
	}
	with := other.Sentences[g.IntN(len(other.Sentences))]
	a, b := Tokens(Flat(s.Text[at.From:at.To], s.Wide), s.Wide), Tokens(Flat(other.Text[with.From:with.To], s.Wide), s.Wide)
	return Joined(append(append([]string{}, a[:len(a)/2]...), b[len(b)/2:]...), s.Wide), with != at && len(a) > 9 && len(b) > 9
}
