package verify_test

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/citekit/citekit/internal/test/altertest"
)

// realBreaks finds sentences that go on over the end of a page, in a file that
// others made. What is a running head or a page number is told by what stands
// at the edges of other pages.
func realBreaks(s *source) (found []acrossPages) {
	var pages [][]string
	for _, r := range s.runs {
		pages = append(pages, pageLines(s.Text[r.From:r.To]))
	}
	edges := edgesOf(pages)
	for i, lines := range pages {
		pages[i] = body(lines, edges)
	}
	for i := 0; i+1 < len(pages); i++ {
		quote := goesOn(pages[i], pages[i+1])
		if quote != "" && len(s.runs[i].Location.Pages) == 1 {
			found = append(found, acrossPages{quote: quote, page: s.runs[i].Location.Pages[0].First})
		}
	}
	return found
}

// edgesOf counts the lines at the edges of pages, without their numbers.
func edgesOf(pages [][]string) map[string]int {
	edges := make(map[string]int)
	for _, lines := range pages {
		for _, line := range edgeLines(lines) {
			edges[withoutNumbers(line)]++
		}
	}
	return edges
}

// withoutHeads leaves out the sentences that a running head was taken for a part
// of.
func withoutHeads(s *source) (kept []altertest.Part) {
	var pages [][]string
	for _, r := range s.runs {
		pages = append(pages, pageLines(s.Text[r.From:r.To]))
	}
	edges := edgesOf(pages)
	for _, at := range s.Sentences {
		lines := pageLines(s.Text[at.From:at.To])
		if !slices.ContainsFunc(lines, func(line string) bool { return isHead(line, edges) }) {
			kept = append(kept, at)
		}
	}
	return kept
}

// isHead reports whether a line stands at the edges of two pages, or is a number
// alone.
func isHead(line string, edges map[string]int) bool {
	rest := withoutNumbers(line)
	return strings.Trim(rest, "-– .|") == "" || edges[rest] >= 2
}

func pageLines(text string) (lines []string) {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	return lines
}

func edgeLines(lines []string) []string {
	if len(lines) < 6 {
		return lines
	}
	return append(append([]string{}, lines[:2]...), lines[len(lines)-2:]...)
}

var numbers = regexp.MustCompile(`\d+|\b[ivxlc]+\b`)

func withoutNumbers(line string) string {
	return strings.Join(strings.Fields(numbers.ReplaceAllString(line, "")), " ")
}

// body leaves out the heads and feet of a page.
func body(lines []string, edges map[string]int) []string {
	for n := 0; n < 2 && len(lines) > 0 && isHead(lines[0], edges); n++ {
		lines = lines[1:]
	}
	for n := 0; n < 2 && len(lines) > 0 && isHead(lines[len(lines)-1], edges); n++ {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// goesOn returns the two lines before and after the end of a page as one line,
// if a sentence goes on from one to the other.
func goesOn(before, after []string) string {
	if len(before) < 4 || len(after) < 4 {
		return ""
	}
	intoWord := strings.HasSuffix(before[len(before)-3], "-")
	before, after = before[len(before)-2:], after[:2]
	last, first := []rune(before[1]), []rune(after[0])
	if end := last[len(last)-1]; !unicode.IsLower(end) && end != ',' || !unicode.IsLower(first[0]) {
		return ""
	}
	text := strings.Join(append(append([]string{}, before...), after...), "\n")
	for line := range strings.Lines(text) {
		if len(strings.Fields(line)) < 6 || !altertest.IsProse(line+" and so it goes on", false) {
			return ""
		}
	}
	if unicode.IsDigit([]rune(before[0])[0]) || !altertest.IsProse(text, false) {
		return ""
	}
	words := strings.Fields(altertest.Flat(text, false))
	if intoWord {
		words = words[1:]
	}
	if strings.HasSuffix(words[len(words)-1], "-") {
		words = words[:len(words)-1]
	}
	return strings.Join(words, " ")
}
