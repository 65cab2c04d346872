package citation_test

import (
	"math/rand/v2"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/citation"
)

// hostile are texts that mean something to one of the forms.
var hostile = []string{
	"plain", "Ünïcode", "漢字", "🙂", "𝒳", "e\u0301", "a-b--c---d", "100 %", "A & B", "$5", "#1", "x_y", "~", "^", `\`, "{", "}", "{}", "}{", `\{`,
	"[", "]", "](", "(x)", "<b>", ">", "`code`", "**", "_", "!", `"`, "''", "``", "?`", "&amp;", "|", "1.", "# ", "- ", "+", "=", "@misc{", " and ", ",", "and",
	"http://a.example", "www.x.org", "<doc://a>", "](doc://b)", "\u202e", "\u200b", "\x00", "\x1b[31m", "\n", "\r\n", "\t", "\u2028", ":~:", "text=", "%41", "%zz", "\xff", "“", "”", ";", ":", "/",
}

func randomText(rng *rand.Rand, most int) string {
	words := make([]string, rng.IntN(most))
	for i := range words {
		words[i] = hostile[rng.IntN(len(hostile))]
		if rng.IntN(3) == 0 {
			words[i] += " "
		}
	}
	return strings.Join(words, "")
}

func randomLocation(rng *rand.Rand) citekit.Location {
	n := rng.IntN(500) + 1
	box := citekit.Box{X1: rng.Float64() / 2, Y1: rng.Float64() / 2, X2: .5 + rng.Float64()/2, Y2: .5 + rng.Float64()/2}
	switch rng.IntN(9) {
	case 0:
		return citekit.Location{Modality: citekit.Document}
	case 1:
		return citekit.Location{Modality: citekit.Document}.WithPages(citekit.Range{First: n, Last: n + rng.IntN(3)}, citekit.Range{First: n + rng.IntN(9), Last: n + 9})
	case 2:
		return citekit.Location{Modality: citekit.Document, Pages: []citekit.Range{{First: n, Last: n}}, Box: box}
	case 3:
		return citekit.Location{Modality: citekit.Text, Lines: citekit.Range{First: n, Last: n + rng.IntN(50)}}
	case 4:
		return citekit.Location{Modality: citekit.Video, Time: citekit.Span{Start: float64(n) / 8, End: float64(n) + 1.5}}
	case 5:
		return citekit.Location{Modality: citekit.Audio, Time: citekit.Span{Start: float64(n)}}
	case 6:
		return citekit.Location{Modality: citekit.Image, Box: box}
	case 7:
		return citekit.Location{Modality: citekit.Virtual, VirtualAddress: "chat/(" + string(rune('a'+rng.IntN(26))) + ")[1]*2*?x=1&y={2}"}
	}
	return citekit.Location{Modality: citekit.Document, Pages: []citekit.Range{{First: n, Last: n}}}
}

var ids = []string{"book", "fhs-3.0", "Größe & Maß", "漢字", "a_b*c", "x(y)[z]", "50%", "{curly}", "quote\"s", "a b"}

// randomCitation returns a citation whose texts mean something to every form.
func randomCitation(rng *rand.Rand) citation.Citation {
	c := citation.Citation{
		Address: citekit.Address{Resource: ids[rng.IntN(len(ids))], Location: randomLocation(rng)},
		Quote:   randomText(rng, 12), Prefix: randomText(rng, 4), Suffix: randomText(rng, 4),
		Work: citation.Work{Title: randomText(rng, 8), Part: randomText(rng, 4), Date: []string{"", "1843", "1843-07", "1843-07-10", "about 1843", "2024-02-29T12:00:00Z"}[rng.IntN(6)]},
	}
	if rng.IntN(2) == 0 && c.Address.Location.Modality != citekit.Virtual {
		c.Address.Version = "0123abcd"
	}
	for range rng.IntN(4) {
		c.Work.Authors = append(c.Work.Authors, []string{"Ada Lovelace", "Lovelace, Ada", "Barnes and Noble, Inc.", "Ø. Å", "von Neumann, John", randomText(rng, 4)}[rng.IntN(6)])
	}
	if c.Quote != "" && rng.IntN(2) == 0 {
		c.Position = citation.CodePointRange{Start: int64(rng.IntN(1000)), End: 2000}
	}
	return c
}
