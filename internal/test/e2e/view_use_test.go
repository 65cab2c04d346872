package e2e

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/viewer"
)

// viewKeyboard goes from the library to a copied citation with keys alone, and back.
func viewKeyboard(t *testing.T, b *browser, v *viewed) {
	type step struct{ What, Path, Screen, Marks string }
	var got struct {
		Steps   []step
		Skip    string
		Skipped string
		Stops   []struct {
			What          string
			Result, Focus bool
		}
		Help, HelpAfter int
		Copied          map[string]string
		Field           string
	}
	const query = "pot holds six cups"
	b.run(t, "keyboard", map[string]any{"site": v, "query": query, "reader": viewer.Link("", "doc://report#pages=2", "")}, &got)
	steps := make(map[string]step)
	for _, s := range got.Steps {
		steps[s.What] = s
	}
	if got.Skip != "#main" || got.Skipped != "main" {
		t.Errorf("the first stop is %q, and leads to %q", got.Skip, got.Skipped)
	}
	if s := steps["search"]; s.Screen != "search" || !strings.Contains(s.Path, "q=pot") {
		t.Errorf("search: %+v", s)
	}
	if n := len(got.Stops); n == 0 || !got.Stops[n-1].Result {
		t.Errorf("no result within %d stops", n)
	}
	for _, stop := range got.Stops {
		if !stop.Focus {
			t.Errorf("the focus cannot be seen: %s", stop.What)
		}
	}
	if s := steps["reader"]; s.Screen != "reader" || !strings.Contains(s.Path, "text://notes") {
		t.Errorf("reader: %+v", s)
	}
	if got.Help != 1 || got.HelpAfter != 0 {
		t.Errorf("the keys: %d dialogs, and %d after Escape", got.Help, got.HelpAfter)
	}
	if text := got.Copied["y"]; !strings.Contains(text, "notes") || !strings.Contains(text, "text://notes") {
		t.Errorf("copied: %q", text)
	}
	if s := steps["back"]; s.Path != steps["search"].Path || got.Field != query {
		t.Errorf("back: %+v, searched for %q", s, got.Field)
	}
	for _, what := range []string{"forward", "reload"} {
		if s := steps[what]; s.Path != steps["reader"].Path || s.Marks != steps["reader"].Marks {
			t.Errorf("%s: %+v; was %+v", what, s, steps["reader"])
		}
	}
	if next, back := steps["j"], steps["k"]; !strings.Contains(next.Path, "pages=3") || !strings.Contains(back.Path, "pages=2") {
		t.Errorf("after j: %s; after k: %s", next.Path, back.Path)
	}
}

// viewAsks asks what the files say and what they do not, and checks a text with quotes of
// every verdict.
func viewAsks(t *testing.T, b *browser, v *viewed) {
	var got struct {
		Links []struct {
			Field, Words string
			Counts       []int
		}
		Answers []struct {
			Words, Path string
			Links       []string
		}
		Checked struct {
			Verdicts []struct {
				Verdict, Words string
				Links          []string
			}
			Words string
		}
	}
	text := strings.Join([]string{
		`The notes say "A pot holds six cups." [text://notes#lines=7-7].`,
		`They say "A cup holds nine decilitres." [text://notes#lines=11-11].`,
		`They say "Green tea is brewed with water of eighty degrees." [text://notes#lines=7-7].`,
		`They say "Zebras invented the telephone in the desert." [text://notes#lines=3-3].`,
	}, "\n\n")
	const question = "How many cups does a pot hold?"
	links := []string{"/view/-/ask?q=" + url.QueryEscape(question)}
	b.run(t, "asks", map[string]any{"site": v, "links": links, "questions": []string{question, "Who invented the telephone in Paris?"}, "text": text}, &got)
	// Opened, loaded again, the button pressed, and gone to a place and back.
	for _, one := range got.Links {
		if one.Field != question || !slices.Equal(one.Counts, []int{0, 0, 1, 1}) || !strings.Contains(one.Words, "press Ask") {
			t.Errorf("a link to a question: %+v", one)
		}
	}
	known, unknown := got.Answers[0], got.Answers[1]
	if !strings.Contains(known.Words, "A pot holds six cups.") || !slices.ContainsFunc(known.Links, func(link string) bool { return strings.Contains(link, "text://notes") }) {
		t.Errorf("a known answer: %+v", known)
	}
	if strings.Contains(unknown.Words, "six cups") || len(unknown.Links) > 0 || len(unknown.Words) < 20 {
		t.Errorf("no answer: %+v", unknown)
	}
	var verdicts []string
	for _, one := range got.Checked.Verdicts {
		verdicts = append(verdicts, one.Verdict)
	}
	t.Logf("verdicts %v", verdicts)
	for _, want := range []string{"exact", "altered", "elsewhere", "not_found"} {
		if !slices.Contains(verdicts, want) {
			t.Errorf("no verdict %s in %v:\n%s", want, verdicts, got.Checked.Words)
		}
	}
}

// viewUpload adds two files by the library, which are mapped and found then, and maps
// another again, which has changed; nothing outside of the folder and nothing that is there
// can be written.
func viewUpload(t *testing.T, b *browser) {
	base := t.TempDir()
	writeFile(t, filepath.Join(base, "old.md"), []byte("# Old\n\nAn old line.\n"))
	runIngest(t, base, ".")
	writeFile(t, filepath.Join(base, "old.md"), []byte("# Old\n\nA line about kingfishers.\n"))
	v := b.view(t, base, "--ingest")
	var got struct {
		Said       []string
		Words      string
		Rows, Left int // that have changed, before and after
	}
	b.run(t, "upload", map[string]any{
		"site": v, "wait": []string{"heron", "owl"},
		"files": []map[string]string{{"name": "heron.md", "text": "# Heron\n\nHerons fish at dawn.\n"}, {"name": "owl.txt", "text": "Owls hunt at dusk.\n"}},
	}, &got)
	if len(got.Said) == 0 {
		t.Error("the page shows no progress")
	}
	if found := string(output(t, scratchBinary(t), "--dir", base, "search", "herons fish")); !strings.Contains(found, "heron") {
		t.Errorf("what was added is not found: %s", found)
	}
	if found := string(output(t, scratchBinary(t), "--dir", base, "search", "kingfishers")); got.Rows != 1 || got.Left != 0 || !strings.Contains(found, "old") {
		t.Errorf("mapped again: %d changed, then %d; found: %s", got.Rows, got.Left, found)
	}
	if data, err := os.ReadFile(filepath.Join(base, "heron.md")); err != nil || !strings.Contains(string(data), "Herons fish at dawn.") {
		t.Errorf("the file: %v %q", err, data)
	}
}

// viewDrop drops a file, a folder with folders in it, names that are there or may not be,
// and files that cannot be mapped. Each that is refused is shown with the reason.
func viewDrop(t *testing.T, b *browser) {
	base, from := t.TempDir(), t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(from, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		writeFile(t, path, []byte(text))
		return path
	}
	writeFile(t, filepath.Join(base, "old.md"), []byte("# Old\n\nAn old line.\n"))
	runIngest(t, base, ".", "--maps-dir", ".")
	single := write("single.md", "# Single\n\nOne file alone.\n")
	for name, text := range map[string]string{
		"papers/a.md": "# A\n\nThe first.\n", "papers/deep/er/b.txt": "The second.\n", "papers/.hidden.md": "Nothing to see.\n", "papers/.git/c.md": "Nothing to see.\n",
		"papers/no.pdf": "%PDF-1.7\nnothing of it\n", "papers/what?.md": "A name that some systems do not take.\n",
	} {
		write(name, text)
	}
	for i := range 130 { // more than a folder gives at once, and than are mapped at once
		write(fmt.Sprintf("papers/many/%03d.txt", i), fmt.Sprintf("Number %d of many.\n", i))
	}
	old, planted := write("old.md", "# Another\n"), write("planted.json", `{"id": "planted"}`)
	v := b.view(t, base, "--ingest", "--maps-dir", ".")
	v.Expected = []string{"status of 4[0-9][0-9]"}
	var got struct {
		Outputs []struct {
			Result, Status string
			Failed         [][2]string
			Said           []string
		}
		Sources, Unmapped []string
	}
	b.run(t, "drop", map[string]any{"site": v, "drops": [][]string{{single}, {filepath.Join(from, "papers")}, {old, planted}}, "folder": filepath.Join(from, "papers")}, &got)
	type refused map[string]string
	const there = "there is such a file"
	wants := []struct {
		result string
		failed refused
	}{
		{"1 file mapped", nil},
		{"132 files mapped · 2 failed", refused{"papers/what?.md": "none of < >", "papers/no.pdf": "PDF"}},
		{"2 failed", refused{"old.md": there, "planted.json": "taken for one"}},
		{"134 failed", refused{"papers/a.md": there, "papers/many/129.txt": there}},
	}
	for i, want := range wants {
		one := got.Outputs[i]
		reasons := make(refused)
		for _, f := range one.Failed {
			reasons[f[0]] = f[1]
		}
		if one.Result != want.result || one.Status != one.Result || i < 3 && len(reasons) != len(want.failed) {
			t.Errorf("drop %d: %q, a screen reader says %q; failed: %q", i, one.Result, one.Status, reasons)
		}
		for path, why := range want.failed {
			if !strings.Contains(reasons[path], why) || strings.Contains(reasons[path], "internal error") {
				t.Errorf("drop %d: %s was refused for %q", i, path, reasons[path])
			}
		}
	}
	progress := strings.Join(got.Outputs[1].Said, "\n")
	for _, want := range []string{"Drop to add", "Copying papers/a.md", "Mapping ", "/134"} {
		if !strings.Contains(progress, want) {
			t.Errorf("the progress does not say %q: %.500s", want, progress)
		}
	}
	for _, want := range []string{"old.md", "single.md", "papers/a.md", "papers/deep/er/b.txt", "papers/many/000.txt"} {
		if !slices.Contains(got.Sources, want) {
			t.Errorf("%s is not listed in %q", want, got.Sources)
		}
	}
	if len(got.Sources) != 134 || !slices.ContainsFunc(got.Unmapped, func(s string) bool { return strings.Contains(s, "papers/no.pdf") }) {
		t.Errorf("%d sources; not mapped: %q", len(got.Sources), got.Unmapped)
	}
	if data, err := os.ReadFile(filepath.Join(base, "old.md")); err != nil || !strings.Contains(string(data), "An old line.") {
		t.Errorf("a file that was there: %v %q", err, data)
	}
}

// viewLong scrolls long things from end to end: the page keeps few elements of them.
func viewLong(t *testing.T, b *browser) {
	type output struct {
		Pictures, Nodes int
		Height          float64
		Seen            []struct {
			Addresses []string
			Pictures  int
			Words     string
		}
	}
	ends := func(t *testing.T, got output) {
		t.Helper()
		t.Logf("at most %d pictures, %d elements; %.0f pixels high", got.Pictures, got.Nodes, got.Height)
		if got.Pictures > 30 || got.Nodes > 12_000 {
			t.Errorf("%d pictures and %d elements at a time", got.Pictures, got.Nodes)
		}
	}
	t.Run("manual", func(t *testing.T) {
		manual := "/usr/share/R/doc/manual/fullrefman.pdf"
		if _, err := os.Stat(manual); err != nil {
			sharedtest.Missing(t, "the manual of r-doc-pdf is not installed")
		}
		base := t.TempDir()
		writeFile(t, filepath.Join(base, "manual.pdf"), sharedtest.Read(t, manual))
		runIngest(t, base, ".")
		var got output
		b.run(t, "long", map[string]any{"site": b.view(t, base), "path": viewer.Link("", "doc://manual#pages=1", ""), "steps": 100, "pictures": true}, &got)
		ends(t, got)
		for i, seen := range got.Seen {
			if seen.Pictures == 0 {
				t.Errorf("no picture is in view at stop %d of 3: %v", i+1, seen.Addresses)
			}
		}
		if last := got.Seen[len(got.Seen)-1].Addresses; !slices.ContainsFunc(last, func(a string) bool { return strings.HasSuffix(a, "#pages=2415") }) {
			t.Errorf("the end shows %v", last)
		}
	})
	t.Run("sheet", func(t *testing.T) {
		const rows = 40_000 // of 25 cells: a million
		base := t.TempDir()
		writeFile(t, filepath.Join(base, "sheet.xlsx"), numberSheet(rows, 25))
		runIngest(t, base, ".")
		var got output
		b.run(t, "long", map[string]any{"site": b.view(t, base), "path": viewer.Link("", "doc://sheet#sheet=Q4", ""), "steps": 60}, &got)
		ends(t, got)
		if last := got.Seen[len(got.Seen)-1].Words; !strings.Contains(last, fmt.Sprint(rows*100+25)) {
			t.Errorf("the end shows %.300q", last)
		}
	})
}

// viewSeek plays from the middle of a recording of two hours: the browser fetches what it
// needs of it.
func viewSeek(t *testing.T, b *browser) {
	base := t.TempDir()
	size := longVideo(t, filepath.Join(base, "film.mp4"))
	runIngest(t, base, ".")
	var got struct {
		Statuses []int
		Bytes    int64
		At       []float64
		Duration float64
	}
	b.run(t, "seek", map[string]any{"site": b.view(t, base), "path": viewer.Link("", "video://film#t=3600-3610", ""), "times": []float64{7000, 100, 5000}}, &got)
	t.Logf("%d requests, %d of %d bytes, at %v of %v", len(got.Statuses), got.Bytes, size, got.At, got.Duration)
	if len(got.At) != 4 || got.At[0] < 3599 || got.At[0] > 3611 || got.At[1] != 7000 || got.Duration < 7190 {
		t.Errorf("at %v of %v seconds", got.At, got.Duration)
	}
	if len(got.Statuses) < 2 {
		t.Errorf("%d requests", len(got.Statuses))
	}
	for _, status := range got.Statuses {
		if status != 206 {
			t.Errorf("a request was answered with %d", status)
		}
	}
	if got.Bytes == 0 || got.Bytes > size/2 {
		t.Errorf("%d of %d bytes were fetched", got.Bytes, size)
	}
}

// longVideo makes a video of two hours with a picture each second, and returns its size.
func longVideo(t testing.TB, path string) int64 {
	t.Helper()
	output(t, "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc=size=192x108:rate=1:duration=7200", "-f", "lavfi", "-i", "sine=frequency=440:sample_rate=8000:duration=7200",
		"-c:v", "libx264", "-preset", "ultrafast", "-g", "10", "-pix_fmt", "yuv420p", "-c:a", "aac", "-b:a", "24k", "-movflags", "+faststart", path)
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}
