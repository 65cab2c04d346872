package textlayer_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/citekit/citekit"
	textresolver "github.com/citekit/citekit/modality/text"
	"github.com/citekit/citekit/textlayer"
	"github.com/citekit/citekit/workspace"
)

// TestLinesOfHTML makes pages of random parts, and compares the text of a layer on each
// line of the page with the text that is read there.
func TestLinesOfHTML(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	parts := []string{"\n", "\n", "\n\n", " ", "a", "b &lt; c", "<p>", "</p>", "<b>d</b>", "<br>", "<ul><li>", "<li>", "</ul>", "<table><tr><td>", "<td>", "<tr>", "<td>", "</table>", "<pre>", "</pre>", "<h2>e</h2>", "<script>\nf\n</script>", "&#10;", "<i\nx>"}
	for range 300 {
		page := "<html>g\n"
		for range 5 + random.IntN(60) {
			page += parts[random.IntN(len(parts))]
		}
		ws := workspace.NewMemory(nil)
		ws.AddSource("p.html", []byte(page))
		lib := citekit.New(ws, citekit.Resolvers{citekit.Text: new(textresolver.Resolver)}, nil)
		if err := lib.Save(t.Context(), &citekit.ResourceMap{ResourceID: "p", Type: citekit.Text, SourcePath: "p.html"}); err != nil {
			t.Fatal(err)
		}
		l := open(t, textlayer.New(lib, nil), "p")
		all := text(t, l)
		lines := strings.Count(strings.TrimSuffix(page, "\n"), "\n") + 1
		for n := 1; n <= lines; n++ {
			at := citekit.Text.Lines(n, n)
			read := ""
			for run, err := range lib.ReadText(t.Context(), "p", at) {
				if err != nil {
					t.Fatal(err)
				}
				read += run.Text
			}
			ranges, err := l.Ranges(at)
			if err != nil {
				t.Fatalf("%q: line %d: %v", page, n, err)
			}
			stored := ""
			for _, r := range ranges {
				stored += all[r.From:r.To]
			}
			if got, want := fmt.Sprint(strings.Fields(stored)), fmt.Sprint(strings.Fields(read)); got != want && !l.Cuts(at) {
				t.Errorf("%q: line %d has %q in the layer %q, want %q", page, n, got, all, want)
			}
		}
		lib.Close()
	}
}
