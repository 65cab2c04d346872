package command

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// requests are the requests of roff that pages may have; others are faults.
var requests = regexp.MustCompile(`^\.(\\" .*|TH [A-Z-]+ 1 "" "citekit" "User Commands"|SH [A-Z ]+|nh|ad l|PP|TP|nf|fi)$`)

// TestManual checks the pages by their structure: sections in the order of
// man(7), no unknown request, no character that roff would change.
func TestManual(t *testing.T) {
	pages := manual()
	if len(pages) < 25 {
		t.Fatalf("only %d pages", len(pages))
	}
	for i, again := range manual() {
		if !bytes.Equal(again.text, pages[i].text) {
			t.Errorf("%s: other bytes the second time", again.name)
		}
	}
	for _, page := range pages {
		var sections []string
		open := false
		for line := range strings.Lines(string(page.text)) {
			line = strings.TrimSuffix(line, "\n")
			title, isSection := strings.CutPrefix(line, ".SH ")
			switch {
			case isSection:
				sections = append(sections, title)
				if open {
					t.Errorf("%s: %s begins within .nf", page.name, title)
				}
			case line == ".nf", line == ".fi":
				if open == (line == ".nf") {
					t.Errorf("%s: %s without its other", page.name, line)
				}
				open = line == ".nf"
			case line == "":
				t.Errorf("%s: an empty line", page.name)
			case strings.HasPrefix(line, "'") || strings.HasPrefix(line, ".") && !requests.MatchString(line):
				t.Errorf("%s: %q", page.name, line)
			}
		}
		if len(sections) < 4 || !slices.Equal(sections[:3], []string{"NAME", "SYNOPSIS", "DESCRIPTION"}) || !slices.Contains(sections, "EXAMPLES") {
			t.Errorf("%s: sections %q", page.name, sections)
		}
	}
}

// TestManualSays checks that the page of a command has each word of its help.
func TestManualSays(t *testing.T) {
	unescape := strings.NewReplacer(`\e`, `\`, `\-`, `-`, `\(aq`, `'`, `\(ga`, "`", `\(ha`, `^`, `\(ti`, `~`, `\fB`, ``, `\fI`, ``, `\fR`, ``, `\&`, ``, `\[u2026]`, `…`)
	for _, page := range manual()[1:] {
		command := strings.TrimSuffix(strings.TrimPrefix(page.name, "citekit-"), ".1")
		var out bytes.Buffer
		if code := run(t.Context(), []string{"help", command}, nil, &out, &out); code != exitOK {
			t.Fatalf("help %s: %s", command, out.Bytes())
		}
		text := strings.ToLower(strings.Join(strings.Fields(unescape.Replace(string(page.text))), " "))
		for _, word := range strings.Fields(out.String()) {
			switch word = strings.ToLower(strings.TrimRight(word, ":.")); word {
			case "usage", "flags": // titles
			default:
				if !strings.Contains(text, word) {
					t.Errorf("%s lacks %q", page.name, word)
				}
			}
		}
	}
}

// TestManualFormats has man format the pages, or mandoc, whichever is there.
func TestManualFormats(t *testing.T) {
	if testing.Short() {
		t.Skip("runs man: not with -short")
	}
	dir := t.TempDir()
	names, err := writeManual(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	checked := false
	for _, linter := range [][]string{{"man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z"}, {"mandoc", "-T", "lint", "-W", "error"}} {
		if _, err := exec.LookPath(linter[0]); err != nil {
			continue
		}
		if linter[0] == "man" {
			if _, err := exec.LookPath("groff"); err != nil {
				continue // man cannot format anything
			}
		}
		checked = true
		args := linter[1:]
		for _, name := range names {
			args = append(args, filepath.Join(dir, name))
		}
		cmd := exec.CommandContext(t.Context(), linter[0], args...)
		cmd.Env = append(os.Environ(), "MANWIDTH=80", "LC_ALL=C.UTF-8")
		var warnings bytes.Buffer
		cmd.Stderr = &warnings
		out, err := cmd.Output()
		if err != nil || warnings.Len() > 0 {
			t.Errorf("%s: %v\n%s%s", linter[0], err, warnings.Bytes(), out[:min(len(out), 2000)])
		}
	}
	if !checked {
		t.Log("neither man with groff nor mandoc is there; TestManual checks the structure")
	}
}
