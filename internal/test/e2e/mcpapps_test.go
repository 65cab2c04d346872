package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/evanw/esbuild/pkg/api"

	"github.com/citekit/citekit/internal/test/pdftest"
	"github.com/citekit/citekit/internal/test/sharedtest"
)

// An appView is what the page of MCP Apps shows.
type appView struct {
	State, Heading, Address, Verdict, Words, Theme, Paper string

	Marks, Places, Buttons []string
	Boxes, Elements        int
	Pictures               []struct {
		Data  string
		Width int
	}
	Media []appMedia
}

type appMedia struct {
	Data    string // the start of the URL
	Seconds float64
	Width   int
}

// An appShown is what a host saw while it showed the result of a call.
type appShown struct {
	Views []appView
	Ran   string // what a script of a document left
	Axe   []string
	Said  struct {
		Contexts []struct {
			Content           []struct{ Text string }
			StructuredContent map[string]any
		}
		Links, Modes []string
		Sizes        [][2]*float64
		Inits        int
	}
}

type appCall struct {
	Tool     string           `json:"tool"`
	Input    map[string]any   `json:"input"`
	Steps    []map[string]any `json:"steps,omitempty"`
	Context  map[string]any   `json:"context,omitempty"`
	Isolated bool             `json:"isolated,omitempty"`
	Link     string           `json:"link,omitempty"` // that the result has to a page
}

// appHost shows the results of calls in a host of MCP Apps, with the bridge of the
// reference implementation.
func appHost(t *testing.T, b *browser, base string, calls []appCall) []appShown {
	t.Helper()
	bin, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	modules, _ := sharedtest.Browser(t)
	host := api.Build(api.BuildOptions{
		EntryPoints: []string{filepath.Join("testdata", "browser", "apphost.js")},
		Bundle:      true, Format: api.FormatIIFE, Platform: api.PlatformBrowser,
		NodePaths: []string{modules}, LogLevel: api.LogLevelSilent,
	})
	if len(host.Errors) > 0 {
		t.Fatal(host.Errors[0].Text)
	}
	var got struct {
		Outputs []appShown
		Asked   []struct{ Name string }
		Size    int
	}
	b.run(t, "mcpapps", map[string]any{
		"command": bin, "args": []string{"serve", "--dir", base}, "host": string(host.OutputFiles[0].Contents), "calls": calls,
	}, &got)
	for i, shown := range got.Outputs {
		for _, what := range shown.Axe {
			t.Errorf("%s: %s", calls[i].Tool, what)
		}
		if shown.Ran != "" {
			t.Errorf("%s: a script of a document ran: %s", calls[i].Tool, shown.Ran)
		}
		for j, view := range shown.Views {
			if view.Elements > 0 {
				t.Errorf("%s: view %d has elements of a document", calls[i].Tool, j)
			}
		}
	}
	for _, asked := range got.Asked {
		if asked.Name != "viewEvidence" {
			t.Errorf("the page called %s", asked.Name)
		}
	}
	return got.Outputs
}

// TestMCPApps shows results of the tools in a host, and does there what a reader does.
func TestMCPApps(t *testing.T) {
	sharedtest.Once(t)
	b := startBrowser(t)
	base := t.TempDir()
	write := func(name string, data []byte) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(base, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const hostile = `<img src=x onerror="scriptRan='img'"><script>scriptRan='script'</script><a href="javascript:scriptRan='link'">go</a>`
	lines := []string{"The harbour opens at six.", hostile, "The red kite landed on the pier."}
	for len(lines) < 900 {
		lines = append(lines, "Another line of the log, of no interest to anybody who reads it here.")
	}
	lines = append(lines, "The last ferry leaves at nine.")
	write("log.txt", []byte(strings.Join(lines, "\n")+"\n"))
	write("prices.csv", []byte("name,price\nkite,7\n\"=HYPERLINK(\"\"javascript:scriptRan='cell'\"\")\",9\n"))
	var pages [][]pdftest.Row
	for _, text := range []string{"The first page of the guide.", "Lanterns burn whale oil.", "The third page ends it."} {
		pages = append(pages, []pdftest.Row{{X: 60, Y: 90, Size: 14, Text: text}, {X: 60, Y: 140, Size: 14, Text: "A line that is on each page."}})
	}
	write("guide.pdf", pdftest.Rows("", pages...))
	write("tone.wav", tone(4))
	sharedtest.Tool(t, "ffmpeg")
	output(t, "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc=size=192x108:rate=10:duration=10", "-f", "lavfi", "-i", "sine=frequency=440:sample_rate=8000:duration=10",
		"-c:v", "libx264", "-preset", "ultrafast", "-g", "10", "-pix_fmt", "yuv420p", "-c:a", "aac", "-b:a", "24k", filepath.Join(base, "film.mp4"))
	write("film.srt", []byte("1\n00:00:02,000 --> 00:00:04,000\nThe second words\n\n2\n00:00:06,000 --> 00:00:08,000\nThe fourth words\n\n"))
	write("long.wav", tone(300))
	runIngest(t, base, ".")

	var calls []appCall
	var checks []func(*testing.T, appShown)
	const kite = "text://log#lines=3-3"
	for _, test := range []struct {
		appCall
		check func(t *testing.T, shown appShown)
	}{
		{appCall{Tool: "verify", Input: map[string]any{"quote": "The red kite landed", "address": kite}, Steps: []map[string]any{
			{"select": "red kite"}, {"theme": "dark"}, {"press": "Larger"}, {"reload": true},
		}}, func(t *testing.T, shown appShown) {
			for i, v := range shown.Views {
				if v.State != "current" || v.Verdict != "exact" || strings.Join(v.Marks, "|") != "The red kite landed" {
					t.Errorf("view %d: %+v", i, v)
				}
			}
			if dark := shown.Views[2]; dark.Theme != "dark" || dark.Paper != "rgb(1, 2, 3)" {
				t.Errorf("the dark theme is %s on %s", dark.Theme, dark.Paper)
			}
			first, last := shown.Said.Contexts[0], shown.Said.Contexts[1]
			if !strings.Contains(first.Content[0].Text, kite) || first.StructuredContent["viewing"] != kite {
				t.Errorf("the model was told %+v", first)
			}
			if got := fmt.Sprint(last.StructuredContent["selected"]); got != "map[address:"+kite+" quote:red kite]" || !strings.Contains(last.Content[0].Text, "“red kite”") {
				t.Errorf("the model was told of a selection: %s, %+v", got, last.Content)
			}
			if shown.Said.Inits != 2 || strings.Join(shown.Said.Modes, " ") != "fullscreen" || len(shown.Said.Sizes) == 0 {
				t.Errorf("the host heard %+v", shown.Said)
			}
		}},
		{appCall{Tool: "verify", Input: map[string]any{"quote": "Lanterns burn whale oil.", "address": "doc://guide#pages=2"}, Steps: []map[string]any{
			{"press": "›", "until": "doc://guide#pages=3"}, {"reload": true},
		}}, func(t *testing.T, shown appShown) {
			if v := shown.Views[0]; v.Verdict != "exact" || v.Boxes != 1 || len(v.Pictures) == 0 || !strings.HasPrefix(v.Pictures[0].Data, "data:image/") || v.Pictures[0].Width < 300 {
				t.Errorf("the page: %+v", v)
			}
			for _, v := range shown.Views[1:] {
				if v.Address != "doc://guide#pages=3" || v.Verdict != "elsewhere" || v.Boxes != 0 {
					t.Errorf("after the page was turned: %+v", v)
				}
			}
			if last := shown.Said.Contexts[len(shown.Said.Contexts)-1]; last.StructuredContent["viewing"] != "doc://guide#pages=3" {
				t.Errorf("the model was told %+v", last)
			}
		}},
		{appCall{Tool: "resolve", Input: map[string]any{"address": "doc://guide#pages=2"}, Isolated: true, Steps: []map[string]any{
			{"press": "›", "until": "doc://guide#pages=3"}, {"reload": true},
		}}, func(t *testing.T, shown appShown) {
			if a, b, c := shown.Views[0].Address, shown.Views[1].Address, shown.Views[2].Address; a != c || c != "doc://guide#pages=2" || b != "doc://guide#pages=3" {
				t.Errorf("without storage: %s, then %s, and %s after a reload", a, b, c)
			}
		}},
		{appCall{Tool: "search", Input: map[string]any{"query": "kite ferry line harbour"}, Steps: []map[string]any{
			{"press": "text://log"}, {"reload": true}, {"press": "All places"},
		}}, func(t *testing.T, shown appShown) {
			list := shown.Views[0]
			if list.Address != "" || len(list.Places) < 2 || list.Heading != fmt.Sprintf("%d places", len(list.Places)) {
				t.Errorf("the list: %+v", list)
			}
			if a, b := shown.Views[1], shown.Views[2]; !strings.HasPrefix(a.Address, "text://log#") || a.Address != b.Address {
				t.Errorf("%q is open, and %q after a reload", a.Address, b.Address)
			}
			if back := shown.Views[3]; back.Heading != list.Heading {
				t.Errorf("back at the list: %+v", back)
			}
		}},
		{appCall{Tool: "getContents", Input: map[string]any{"addresses": []string{"text://log#lines=2-2", "text://prices#lines=2-3"}}, Steps: []map[string]any{
			{"press": "text://log"}, {"press": "All places"}, {"press": "text://prices"},
		}}, func(t *testing.T, shown appShown) {
			for i, want := range []string{hostile, hostile, hostile, "=HYPERLINK("} {
				if !strings.Contains(shown.Views[i].Words, want) {
					t.Errorf("view %d does not show %s as text: %s", i, want, shown.Views[i].Words)
				}
			}
		}},
		{appCall{Tool: "verify", Input: map[string]any{"quote": "The blue kite landed on the pier", "address": kite}}, func(t *testing.T, shown appShown) {
			if v := shown.Views[0]; v.Verdict != "altered" || len(v.Marks) > 0 || !strings.Contains(v.Words, "“blue” → “red”") {
				t.Errorf("%+v", v)
			}
		}},
		{appCall{Tool: "resolve", Input: map[string]any{"address": "audio://tone#t=1-2"}, Steps: []map[string]any{{"wait": "audio[src]"}, {"reload": true, "wait": "audio[src]"}}}, func(t *testing.T, shown appShown) {
			for _, v := range shown.Views[1:] {
				if len(v.Media) != 1 || v.Media[0].Data != "data:audio/wav;b" || v.Media[0].Seconds < 0.9 || v.Media[0].Seconds > 1.1 {
					t.Errorf("%+v", v)
				}
			}
		}},
		{appCall{Tool: "verify", Input: map[string]any{"quote": "The second words", "address": "video://film#t=2-4"}, Steps: []map[string]any{
			{"wait": "video[src]"}, {"press": "0:06", "until": "video://film#t=6-8", "wait": "video[src]"}, {"reload": true, "wait": "video[src]"},
		}}, func(t *testing.T, shown appShown) {
			for i, v := range shown.Views[1:] {
				address, verdict, marks := "video://film#t=6-8", "elsewhere", 0
				if i == 0 {
					address, verdict, marks = "video://film#t=2-4", "exact", 1
				}
				if v.Address != address || v.Verdict != verdict || len(v.Marks) != marks {
					t.Errorf("view %d: %+v", i, v)
				}
				if len(v.Media) != 1 || v.Media[0].Data != "data:video/mp4;b" || v.Media[0].Seconds < 1.9 || v.Media[0].Seconds > 2.2 || v.Media[0].Width != 192 {
					t.Errorf("view %d plays %+v", i, v.Media)
				}
			}
		}},
		{appCall{Tool: "resolve", Input: map[string]any{"address": "audio://long#t=0-290"}}, func(t *testing.T, shown appShown) {
			if v := shown.Views[0]; len(v.Media) > 0 || !strings.Contains(v.Words, "What is cited is not played here: the evidence has more than 4194304 bytes") {
				t.Errorf("a clip that is too long: %+v", v)
			}
		}},
		{appCall{Tool: "resolve", Input: map[string]any{"address": kite}, Link: "https://example.com/view/" + kite, Steps: []map[string]any{{"press": "Open outside"}}}, func(t *testing.T, shown appShown) {
			if got := strings.Join(shown.Said.Links, " "); got != "https://example.com/view/"+kite {
				t.Errorf("the host was asked to open %q", got)
			}
		}},
		{appCall{Tool: "resolve", Input: map[string]any{"address": kite}, Link: "javascript:scriptRan='link'"}, func(t *testing.T, shown appShown) {
			if slices.Contains(shown.Views[0].Buttons, "Open outside") {
				t.Error("a link that is a script can be opened")
			}
		}},
		{appCall{Tool: "resolve", Input: map[string]any{"address": "text://nothing#lines=1-1"}}, func(t *testing.T, shown appShown) {
			if v := shown.Views[0]; v.State != "error" || !strings.Contains(v.Words, "'nothing' not found") {
				t.Errorf("%+v", v)
			}
		}},
		{appCall{Tool: "answer", Input: map[string]any{"query": "When does the last ferry leave?"}}, func(t *testing.T, shown appShown) {
			if v := shown.Views[0]; v.Verdict != "exact" || strings.Join(v.Marks, "|") != "The last ferry leaves at nine." {
				t.Errorf("%+v", v)
			}
		}},
	} {
		calls = append(calls, test.appCall)
		checks = append(checks, test.check)
	}
	for i, shown := range appHost(t, b, base, calls) {
		t.Run(fmt.Sprintf("%d %s", i, calls[i].Tool), func(t *testing.T) { checks[i](t, shown) })
	}
}
