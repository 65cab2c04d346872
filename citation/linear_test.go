package citation_test

import (
	"strings"
	"testing"

	"github.com/citekit/citekit/citation"
	"github.com/citekit/citekit/internal/test/sharedtest"
)

// Text that makes a parser look at the same text again and again: of megabytes,
// what takes quadratic time would run into the limit of the test.
func TestLinear(t *testing.T) {
	n := 1 << 11
	if sharedtest.Long() {
		n = 1 << 17
	}
	parsers := map[string]func(string){
		"markdown":   func(s string) { citation.ParseMarkdown(s) },
		"bibtex":     func(s string) { citation.ParseBibTeX(s) },
		"csl":        func(s string) { citation.ParseCSL([]byte(s)) },
		"annotation": func(s string) { citation.ParseAnnotation([]byte(s)) },
		"directive":  func(s string) { citation.ParseTextDirective(s) },
		"csv":        func(s string) { citation.ParseCSVFragment(s) },
		"anthropic":  func(s string) { citation.ParseAnthropic([]byte(s), nil) },
		"openai":     func(s string) { citation.ParseOpenAI([]byte(s)) },
		"gemini":     func(s string) { citation.ParseGemini([]byte(s)) },
	}
	inputs := []string{
		strings.Repeat("](", n), strings.Repeat("](<", n), strings.Repeat("[a](doc://a \"", n), strings.Repeat("\" <doc://a>", n), strings.Repeat("](doc://a ", n),
		strings.Repeat("@misc{a, ", n), strings.Repeat("@misc{a, title = {", n), strings.Repeat("@misc{a, author = {{x} and {y}}}\n", n/8), strings.Repeat("{", n), strings.Repeat("@", n),
		strings.Repeat("[", n), strings.Repeat(`{"content":[`, n), `{"type":"text","text":"` + strings.Repeat("🙂", n) + `","citations":[]}`,
		`[` + strings.Repeat(`{"type":"text","text":"two words"},`, n) + `{}]`, `[` + strings.Repeat(`{"type":"output_text","text":"two words"},`, n) + `{}]`,
		"text=" + strings.Repeat(",", n), "row=" + strings.Repeat("1;", n), strings.Repeat("é\r\n", n),
	}
	for name, parse := range parsers {
		for _, input := range inputs {
			t.Logf("%s of %.20q…", name, input)
			parse(input)
		}
	}
}

// Ten thousand marks in one text are converted without reading it for each.
func TestManyAnnotations(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: not with -short")
	}
	a := &citation.Answer{}
	for range 10_000 {
		start := int64(len(a.Text))
		a.Text += "é🙂 word "
		a.Claims = append(a.Claims, citation.Claim{Part: citation.ByteRange{Start: start, End: int64(len(a.Text))}, Citations: make([]citation.Citation, 1)})
	}
	for _, api := range apis {
		data, err := api.write(a)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := api.read(data); err != nil || len(got.Claims) != 10_000 || got.Text != a.Text {
			t.Errorf("%s: %v", api.name, err)
		}
	}
}
