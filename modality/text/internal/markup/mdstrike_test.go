package markup

import (
	"math/rand/v2"
	"testing"

	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/util"
)

func TestTildes(t *testing.T) {
	for markup, want := range map[string]string{
		"~~gone~~ here":   "gone here",
		"~gone~ here":     "gone here",
		"~~~kept~~~ here": "~~~kept~~~ here",
		"a ~ b ~ c":       "a ~ b ~ c",
		"~~*gone*~~":      "gone",
		"~~a":             "~~a",
	} {
		if got := newInliner().text(markup, true); got != want {
			t.Errorf("%q is displayed as %q, want %q", markup, got, want)
		}
	}
}

// TestTildesLikeGoldmark compares headings of random characters with what
// goldmark's own parser of struck-through text displays.
func TestTildesLikeGoldmark(t *testing.T) {
	theirs := newInliner()
	theirs.parser = parser.NewParser(
		parser.WithBlockParsers(util.Prioritized(parser.NewParagraphParser(), 1)),
		parser.WithInlineParsers(append(parser.DefaultInlineParsers(), util.Prioritized(extension.NewStrikethroughParser(), 500))...),
	)
	ours := newInliner()
	const characters = "~~~~~~~~aab  *_`[]()!.\\ü"
	random := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		var b []rune
		for range 1 + random.IntN(20) {
			b = append(b, []rune(characters)[random.IntN(len([]rune(characters)))])
		}
		if want, got := theirs.text(string(b), true), ours.text(string(b), true); got != want {
			t.Fatalf("%q is displayed as %q, want %q", string(b), got, want)
		}
	}
}
