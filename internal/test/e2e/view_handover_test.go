package e2e

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/citekit/citekit/internal/test/sharedtest"
)

// viewHandover opens pages that were handed over, from their folder: they say that the
// evidence is right, and that it is not when a byte of it was changed.
func viewHandover(t *testing.T, b *browser) {
	base := t.TempDir()
	const arabic = "المد هو الارتفاع"
	notes := "# Notes\n\nThe engine weaves patterns.\n\n" + arabic + " 潮汐.\n"
	writeFile(t, filepath.Join(base, "notes.md"), []byte(notes))
	var large bytes.Buffer // than what a page has in itself
	for i := range 200_000 {
		fmt.Fprintf(&large, "Line %06d of the long record of the tides here.\n", i+1)
	}
	writeFile(t, filepath.Join(base, "large.txt"), large.Bytes())
	runIngest(t, base, ".")
	answer := `"The engine weaves patterns" [text://notes#lines=3]. "` + arabic + `" [text://notes#lines=5].` + "\n"
	writeFile(t, filepath.Join(base, "answer.txt"), []byte(answer))
	handOver(t, base, "cite", "text://notes#lines=3", "--quote", "engine weaves", "--as", "html", "-o", "proof.html")
	handOver(t, base, "cite", "text://large#lines=1-200000", "--quote", "Line 000007 of the long record", "--as", "html", "-o", "large.html")
	handOver(t, base, "dossier", "answer.txt", "-o", "dossier.html")

	// One byte of the evidence in a page, and of a file.
	evidence := base64.StdEncoding.EncodeToString([]byte("The engine weaves patterns.\n"))
	other := base64.StdEncoding.EncodeToString([]byte("The engine weaves Patterns.\n"))
	page := string(sharedtest.Read(t, filepath.Join(base, "proof.html")))
	if strings.Count(page, evidence) != 1 {
		t.Fatal("the page has not the evidence once")
	}
	writeFile(t, filepath.Join(base, "changed.html"), []byte(strings.Replace(page, evidence, other, 1)))
	changed := bytes.Clone(large.Bytes())
	changed[len(changed)/2] ^= 1
	writeFile(t, filepath.Join(base, "changed.txt"), changed)

	type asked struct {
		URL   string   `json:"url"`
		Files []string `json:"files,omitempty"`
	}
	pages := []asked{{URL: "proof.html"}, {URL: "changed.html"}, {URL: "large.html", Files: []string{filepath.Join(base, "large.txt"), filepath.Join(base, "changed.txt")}}, {URL: "dossier.html"}}
	for i := range pages {
		pages[i].URL = "file://" + filepath.Join(base, pages[i].URL)
	}
	var got struct {
		Outputs []struct {
			Checks []struct {
				Words string
				Holds bool
			}
			Sides []string
			Saved int
			Words string
		}
		Requests []string
	}
	b.run(t, "handover", map[string]any{"pages": pages}, &got)
	for i, want := range [][]bool{{true}, {false}, {true, false}, {true, true}} {
		checks := got.Outputs[i].Checks
		if len(checks) != len(want) {
			t.Fatalf("%s: %d checks", pages[i].URL, len(checks))
		}
		for j, holds := range want {
			words := map[bool]string{true: "The SHA-256 of the evidence is right.", false: "This is other evidence: its SHA-256 is "}[holds]
			if checks[j].Holds != holds || !strings.HasPrefix(checks[j].Words, words) {
				t.Errorf("%s: check %d says %+v", pages[i].URL, j+1, checks[j])
			}
		}
	}
	if n := got.Outputs[0].Saved; n != len("The engine weaves patterns.\n") {
		t.Errorf("%d bytes are saved", n)
	}
	if d := got.Outputs[3]; len(d.Sides) != 2 || d.Sides[0] != "ltr" || d.Sides[1] != "rtl" || !strings.Contains(d.Words, arabic+" 潮汐") {
		t.Errorf("the dossier: %v %.300q", d.Sides, d.Words)
	}
	if len(got.Requests) > 0 {
		t.Errorf("requests: %q", got.Requests)
	}
}

// handOver runs a command that writes a file in a folder.
func handOver(t *testing.T, base string, args ...string) {
	t.Helper()
	bin, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(bin, args...)
	cmd.Dir, cmd.Env = base, append(os.Environ(), "XDG_CONFIG_HOME="+filepath.Join(scratch, "config"))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%q: %v\n%s", args, err, out)
	}
}
