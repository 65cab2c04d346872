package e2e

import (
	"encoding/json"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/citekit/citekit/internal/test/pdftest"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/internal/test/testcorpus"
	"github.com/citekit/citekit/viewer"
)

// shelfPages are a page of every screen, and of every kind of document.
func shelfPages() []string {
	pages := []string{
		"/view/", "/view/-/search?q=tea", "/view/-/search?q=nothinghasthis", "/view/-/check", "/view/-/ask", "/view/-/ask?q=" + url.QueryEscape("How many cups does a pot hold?"), "/view/-/unknown",
		viewer.Link("", "text://notes#lines=7-7", "A pot holds six cups."),
		viewer.Link("", "text://notes#lines=7-7", "A pot holds nine cups."),
		viewer.Link("", "doc://nobody#pages=3", ""), viewer.Link("", "doc://report#pages=99", ""),
	}
	for _, address := range []string{
		"doc://report#pages=2", "doc://contract", "doc://budget#sheet=Q4", "doc://deck#pages=3", "text://program", "text://talk", "text://page", "text://letter",
		"text://table", "text://table#rows=2-3&cols=price", "text://right", "image://chart", "image://chart#bbox=0.1,0.1,0.5,0.5", "audio://tone#t=3-5",
	} {
		pages = append(pages, viewer.Link("", address, ""))
	}
	return pages
}

// viewScreens opens every screen in light and dark, and as wide as a phone: axe-core finds
// nothing, and nothing comes from elsewhere.
func viewScreens(t *testing.T, b *browser, v *viewed) {
	paths := shelfPages()
	var got struct{ Checked [][4]string }
	site := *v
	site.Expected = []string{"status of 40[04]"} // of what is not there
	b.run(t, "screens", map[string]any{"site": &site, "paths": paths}, &got)
	screens := make(map[string]int)
	for _, c := range got.Checked {
		screens[c[2]]++
		if !strings.Contains(c[3], "citekit") {
			t.Errorf("the title of %s is %q", c[1], c[3])
		}
	}
	for _, screen := range []string{"library", "search", "reader", "check", "ask"} {
		if screens[screen] < 3 {
			t.Errorf("screen %s was seen %d times", screen, screens[screen])
		}
	}
}

// viewStates opens what does not stand: each is shown as what it is, and nothing is marked.
func viewStates(t *testing.T, b *browser) {
	base := t.TempDir()
	for name, text := range map[string]string{
		"kept.md":    "# Kept\n\nA pot holds six cups.\n\nA cup holds two decilitres.\n",
		"changed.md": "# Changed\n\nThe harbour closes at nine.\n",
		"gone.md":    "# Gone\n\nRopes are tied twice.\n",
	} {
		writeFile(t, filepath.Join(base, name), []byte(text))
	}
	rows := []pdftest.Row{{X: 50, Y: 60, Size: 10, Text: "Herons fish at dawn."}, {X: 50, Y: 80, Size: 10, Text: "Owls hunt at dusk."}}
	writeFile(t, filepath.Join(base, "birds.pdf"), pdftest.Rows("", rows, rows[:1]))
	runIngest(t, base, ".")
	writeFile(t, filepath.Join(base, "changed.md"), []byte("# Changed\n\nThe harbour closes at ten in the evening.\n"))
	if err := os.Remove(filepath.Join(base, "gone.md")); err != nil {
		t.Fatal(err)
	}
	v := b.view(t, base)
	v.Expected = []string{"status of 4[0-9][0-9]"} // which the page shows
	type want struct {
		address, quote string
		state          string // one of these, separated by spaces
		verdict        string
		says, not      string // what the page must and must not say
		marks          int
	}
	const six, cup, harbour = "A pot holds six cups.", "A cup holds two decilitres.", "The harbour closes at nine."
	wants := []want{
		{"text://kept#lines=3-3", six, "current", "exact", "pot holds six", "", 1},
		{"text://kept#lines=3-3", "A pot holds seven cups.", "current", "altered", "pot holds six", "", 0},
		{"text://kept#lines=3-3", cup, "current", "elsewhere", "pot holds six", "", 0},
		{"text://kept#lines=3-3", "Nobody ever wrote this line.", "current", "not_found", "pot holds six", "", 0},
		{"doc://birds#pages=1", "Owls hunt at dusk.", "current", "exact", "", "", 1},
		{"doc://birds#pages=2", "Owls hunt at dusk.", "current", "elsewhere", "", "", 0},
		{"doc://birds#pages=1", "Owls hunt at noon.", "current", "altered", "", "", 0},
		{"doc://birds#pages=3", "Herons fish at dawn.", "error", "", "", "Herons", 0},
		{"text://kept#lines=40-41", six, "error", "", "", "pot holds six", 0},
		{"text://nobody#lines=3-3", six, "error", "", "", "pot holds six", 0},
		{"text://kep#lines=3-3", six, "error", "", "", "pot holds six", 0},
		{"no address", "", "error", "", "", "pot holds", 0},
		{"doc://birds#pages=x", "", "error", "", "", "Herons", 0},
		{"text://changed#lines=3-3", harbour, "changed", "unchecked", "could not be checked", "in the evening", 0},
		{"text://changed#lines=3-3", "The harbour closes at ten in the evening.", "changed", "unchecked", "could not be checked", "stand here", 0},
		{"text://gone#lines=3-3", "Ropes are tied twice.", "missing", "unchecked", "", "", 0},
	}
	paths := make([]string, len(wants))
	for i, w := range wants {
		paths[i] = viewer.Link("", w.address, w.quote)
	}
	var got struct {
		Outputs        []markedPage
		ReadyAfterHash bool
	}
	b.run(t, "states", map[string]any{"site": v, "paths": paths}, &got)
	if !got.ReadyAfterHash {
		t.Error("a change of the hash alone took data-ready away")
	}
	said := make(map[string]bool)
	for i, w := range wants {
		page := got.Outputs[i]
		marks := min(len(page.Texts)+len(page.Boxes), 1)
		if page.State != w.state || marks != w.marks {
			t.Errorf("%s: state %s, %d marks; want %s, %d:\n%s", paths[i], page.State, len(page.Texts)+len(page.Boxes), w.state, w.marks, page.Words)
		}
		if page.Quote != w.verdict {
			t.Errorf("%s: verdict %q, want %q", paths[i], page.Quote, w.verdict)
		}
		if !strings.Contains(page.Words, w.says) || w.not != "" && strings.Contains(strings.ReplaceAll(page.Words, w.quote, ""), w.not) {
			t.Errorf("%s says, with %q and without %q:\n%s", paths[i], w.says, w.not, page.Words)
		}
		if w.verdict == "elsewhere" && page.Quoted != 1 || w.verdict == "altered" && page.Quoted != 2 {
			t.Errorf("%s shows quote and source %d times", paths[i], page.Quoted)
		}
		if w.state == "changed" && strings.Count(page.Words, "are not those that were mapped") != 1 {
			t.Errorf("%s repeats why:\n%s", paths[i], page.Words)
		}
		if w.marks == 0 && said[page.Words] {
			t.Errorf("%s says nothing of its own:\n%s", paths[i], page.Words)
		}
		said[page.Words] = true
	}
}

// viewRightToLeft opens quotes of Arabic and Hebrew: the mark is on the quote and on nothing
// else, and what is written from the right stands on the right.
func viewRightToLeft(t *testing.T, b *browser) {
	base := t.TempDir()
	const (
		opens, closes = "يفتح الميناء في الساعة السادسة صباحا.", "يغلق الميناء في الساعة التاسعة مساء."
		mixed         = "הנמל נסגר בשעה 21:00 לפי Harbour Board ולא אחר כך."
		long          = opens + " " + closes + " " + mixed
	)
	paragraphs := []string{"ميناء", opens, closes, mixed, strings.Repeat(opens+" ", 12) + closes}
	writeFile(t, filepath.Join(base, "word.docx"), testcorpus.WordTable(paragraphs, []string{"الاسم", "السعر"}, []string{"شاي", "3"}))
	writeFile(t, filepath.Join(base, "page.html"), []byte("<!doctype html><html lang=ar dir=rtl><title>ميناء</title><h1>ميناء</h1><p>"+opens+"</p><p>"+closes+"</p><p>"+mixed+"</p></html>"))
	writeFile(t, filepath.Join(base, "lines.txt"), []byte("ميناء\n"+opens+"\n"+long+"\n"+closes+"\n"))
	writeFile(t, filepath.Join(base, "notes.md"), []byte("# ميناء\n\n"+opens+"\n\n"+mixed+"\n"))
	writeFile(t, filepath.Join(base, "talk.srt"), []byte("1\n00:00:01,000 --> 00:00:02,000\n"+opens+"\n\n2\n00:00:03,000 --> 00:00:04,000\n"+closes+"\n\n"))
	writeFile(t, filepath.Join(base, "mail.eml"), []byte("From: a@example.org\r\nSubject: =?UTF-8?B?2YXZitmG2KfYoQ==?=\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n\r\n"+opens+"\r\n\r\n"+mixed+"\r\n"))
	runIngest(t, base, ".")
	v := b.view(t, base)
	type quoted struct {
		address, quote string
		first          bool // it begins its line
	}
	quotes := []quoted{
		{"doc://word", opens, true}, {"doc://word", "في الساعة التاسعة", false}, {"doc://word", mixed, true}, {"doc://word", "21:00 לפי Harbour", false}, {"doc://word", "شاي", true},
		{"text://page", closes, true}, {"text://page", "לפי Harbour Board ולא", false},
		{"text://lines#lines=2-2", opens, true}, {"text://lines#lines=3-3", "التاسعة مساء. הנמל נסגר", false}, {"text://lines#lines=3-3", "בשעה 21:00 לפי Harbour", false},
		{"text://notes", mixed, true}, {"text://talk", "الساعة التاسعة", false}, {"text://mail", opens, true},
	}
	var paths []string
	for _, q := range quotes {
		paths = append(paths, viewer.Link("", q.address, q.quote))
	}
	var got struct {
		Outputs []struct {
			Marked, Direction, Heading, Page, Title, Bar string
			FromRight                                    float64
			Cells, Wide                                  any
			Overlaps, Panel                              []string
		}
	}
	b.run(t, "rtl", map[string]any{"site": v, "paths": paths}, &got)
	for i, one := range got.Outputs {
		q := quotes[i%len(quotes)]
		if strings.Join(strings.Fields(one.Marked), " ") != q.quote {
			t.Errorf("%s: %q is marked, not %q", q.address, one.Marked, q.quote)
		}
		if len(one.Overlaps) > 0 {
			t.Errorf("%s: the mark of %q is also on %q", q.address, q.quote, one.Overlaps)
		}
		if one.Direction != "rtl" || one.Heading == "ltr" || one.Page != "ltr" || slices.Contains(one.Panel, "ltr") {
			t.Errorf("%s: the line goes %s, the heading %s, the quote beside it %q, and the page in English %s", q.address, one.Direction, one.Heading, one.Panel, one.Page)
		}
		if q.first && (one.FromRight < -0.01 || one.FromRight > 0.25) {
			t.Errorf("%s: %q begins at %.2f of the line from the right", q.address, q.quote, one.FromRight)
		}
		if wide, _ := one.Wide.(float64); wide > 0 {
			t.Errorf("%s: the page is %v pixels too wide", q.address, wide)
		}
		if cells, _ := one.Cells.([]any); len(cells) > 1 && cells[0].(float64) < cells[1].(float64) {
			t.Errorf("%s: the first column is on the left: %v", q.address, cells)
		}
	}
}

// viewHostile opens pages of documents whose content, titles and names try to run scripts
// and to fetch: all of it is text.
func viewHostile(t *testing.T, b *browser) {
	listen(t)
	base := t.TempDir()
	const run = `globalThis.scriptRan='x'`
	const script = "<script>" + run + "</script><img src=x onerror=" + run + "><svg onload=" + run + "></svg><iframe src='javascript:parent." + run + "'></iframe><a href='javascript:" + run + "'>harmless</a><style>*{display:none}</style><base href='http://127.0.0.1:18999/'><link rel=stylesheet href='http://127.0.0.1:18999/x.css'><img src='http://127.0.0.1:18999/x.png'>"
	const name = `"><img src=x onerror=` + run + ">"
	quoted, err := json.Marshal(script)
	if err != nil {
		t.Fatal(err)
	}
	for file, text := range map[string]string{
		"page.html": "<!doctype html><title>" + name + "</title><h1>Hostile page</h1>" + script + "<p onclick=" + run + ">Visible words</p><form action='http://127.0.0.1:18999/'><button>Go</button></form><meta http-equiv=refresh content='0;url=http://127.0.0.1:18999/'>",
		"notes.md":  "# " + script + "\n\nVisible words.\n\n" + script + "\n\n[link](javascript:" + run + ") ![x](http://127.0.0.1:18999/x.png)\n\n## `" + name + "`\n\nMore words.\n",
		"mail.eml":  "From: \"" + `<img src=x onerror=` + run + `>` + "\" <a@example.org>\r\nSubject: " + name + "\r\nDate: Tue, 3 Mar 2026 10:00:00 +0000\r\nContent-Type: text/html; charset=utf-8\r\n\r\n<h1>Visible words</h1>" + script + "\r\n",
		"book.ipynb": `{"cells": [{"cell_type": "markdown", "metadata": {}, "source": [` + string(quoted) + `]}, {"cell_type": "code", "execution_count": 1, "metadata": {}, "source": ["print(1)"],
 "outputs": [{"output_type": "display_data", "metadata": {}, "data": {"text/html": [` + string(quoted) + `], "image/svg+xml": "<svg xmlns='http://www.w3.org/2000/svg' onload='` + strings.ReplaceAll(run, "'", "") + `'/>"}}]}], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}`,
		"drawing.svg":   `<svg xmlns="http://www.w3.org/2000/svg" width="20" height="20" onload="` + run + `"><script>` + run + `</script><image href="http://127.0.0.1:18999/x.png"/><foreignObject><body xmlns="http://www.w3.org/1999/xhtml"><img src="x" onerror="` + run + `"/></body></foreignObject><text>Visible words</text></svg>`,
		"table.csv":     "name,\"" + strings.ReplaceAll(script, `"`, `""`) + "\"\nVisible words,\"" + strings.ReplaceAll(script, `"`, `""`) + "\"\n",
		"talk.srt":      "1\n00:00:01,000 --> 00:00:02,000\nVisible words " + script + "\n\n",
		"code.js":       "// Visible words\nfunction f() { return \"" + script + "\" }\n",
		name + ".txt":   "Visible words of a hostile name.\n",
		"%00&#x3c;a.md": "# " + name + "\n\nVisible words.\n",
		"terminal.txt":  "Visible words \x1b[2J\u202egpj.exe\u202c \x00 \u2028end\n",
	} {
		writeFile(t, filepath.Join(base, file), []byte(text))
	}
	writeFile(t, filepath.Join(base, "word.docx"), testcorpus.WordTable([]string{"Visible words " + script}, []string{script, name}))
	writeFile(t, filepath.Join(base, "sheet.xlsx"), testcorpus.Workbook([]string{"Visible words", script}, []string{name, "=HYPERLINK(\"javascript:" + run + "\")"}))
	writeFile(t, filepath.Join(base, "deck.pptx"), presentation([][]string{{name, "Visible words " + script}}))
	escaped := strings.NewReplacer("(", `\(`, ")", `\)`).Replace("Visible words " + name)
	writeFile(t, filepath.Join(base, "file.pdf"), pdftest.Page("/Annots [<< /Type /Annot /Subtype /Link /Rect [0 0 300 300] /A << /S /URI /URI (javascript:"+run+") >> >>]",
		"BT /F1 10 Tf 20 250 Td ("+escaped+") Tj ET", "/F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"))
	runIngest(t, base, ".")
	// Maps come from others too.
	writeMap(t, base, "planted", "text", "notes.md", map[string]any{"modality": "text", "lines": []int{1, 3}})
	planted := filepath.Join(base, ".resource_maps", "planted.json")
	text := strings.ReplaceAll(string(sharedtest.Read(t, planted)), `"title":"t"`, `"title":`+string(quoted))
	writeFile(t, planted, []byte(text))
	v := b.view(t, base)
	hostilePages(t, b, v, 12, name, "Visible words")
}

// hostilePages opens the screens and all resources and nodes of a hostile folder.
func hostilePages(t *testing.T, b *browser, v *viewed, least int, name string, words string) {
	t.Helper()
	var list struct {
		Resources []struct{ ID string }
	}
	if err := json.Unmarshal(v.get(t, "/v1/resources?limit=100"), &list); err != nil {
		t.Fatal(err)
	}
	if len(list.Resources) < least {
		t.Errorf("%d documents", len(list.Resources))
	}
	q := url.QueryEscape(name)
	paths := []string{"/view/", "/view/-/search?q=" + url.QueryEscape(words), "/view/-/search?q=" + q, "/view/-/ask?q=" + q, "/view/-/check", "/view/-/" + q, "/view/" + url.PathEscape(name) + "?q=" + q, "/view/javascript:alert(1)"}
	reader := len(paths)
	for _, d := range list.Resources {
		paths = append(paths, viewer.Link("", d.ID, name))
	}
	site := *v
	site.Expected = []string{"status of 4[0-9][0-9]"}
	var got struct{ Outputs []string }
	b.run(t, "hostile", map[string]any{"site": &site, "paths": paths}, &got)
	shown := 0
	for i, text := range got.Outputs[reader:] {
		if words != "" && strings.Contains(text, words) {
			shown++
		} else if words != "" {
			t.Logf("%s does not say %q: %.300q", paths[reader+i], words, text)
		}
	}
	if words != "" && shown < least-3 {
		t.Errorf("%d documents of %d show their words", shown, len(list.Resources))
	}
}

// viewAttacks opens the pages of hostile maps.
func viewAttacks(t *testing.T, b *browser) {
	eachAttackSet(t, func(t *testing.T, attacks attackSet) {
		listen(t)
		base := t.TempDir()
		titles, err := os.ReadFile(filepath.Join(attacks.group("titles"), "titles.json"))
		if err != nil {
			t.Fatal(err)
		}
		copyTree(t, attacks.group("markup"), filepath.Join(base, "markup"))
		runIngest(t, base, "markup")
		writeFile(t, filepath.Join(base, ".resource_maps", "r1.json"), titles)
		hostilePages(t, b, b.view(t, base), 1, "<script>globalThis.scriptRan=1</script>", "")
	})
}
