package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/ingest"
	"github.com/citekit/citekit/internal/test/linetest"
	"github.com/citekit/citekit/modality"
	"github.com/citekit/citekit/workspace"
)

// TestOwnFormat runs the command in a folder with a source that only another program
// reads. No command takes it for a text, or for one without text.
func TestOwnFormat(t *testing.T) {
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	dir := t.TempDir()
	put := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	put("plant.jsonl", "chat\nThe fern likes shade.\n")
	put("tea.md", "# Tea\n\nGreen leaves.\n")
	ws, err := workspace.Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	resolvers := modality.All()
	resolvers[linetest.Chat] = linetest.Chats{}
	own := citekit.New(ws, resolvers, nil)
	defer own.Close()
	if _, err := ingest.Run(t.Context(), own, []string{dir}, nil); err != nil {
		t.Fatal(err)
	}

	for _, step := range []struct {
		args     string
		has, not string
	}{
		{"ingest .", "2 unchanged", "failed"},
		{"list --long", "plant: no resolver for chat", ""},
		{"info", "1 of a type that has no resolver here, left out of searches", ""},
		{"search fern", "1 resource left out, as the sources cannot be read: plant", "no text has the words"},
		{"search fern --json", `"left_out": 1`, "no text has the words"},
		{"doctor", "1 source is of a type that no resolver of this program reads, so no search here finds it: plant", "nothing has to be done"},
		{"doctor", "'citekit list --long' says why", ""},
		{"read plant", "no resolver for chat", "has no text"},
		{"similar plant", "no resolver for chat", ""},
	} {
		command, rest, _ := strings.Cut(step.args, " ")
		args := append([]string{command, "--dir", dir}, strings.Fields(rest)...)
		if out := ran(t, args...); !strings.Contains(out, step.has) || step.not != "" && strings.Contains(out, step.not) {
			t.Errorf("%s: lacks %q, or has %q:\n%s", step.args, step.has, step.not, out)
		}
	}

	put("plant.jsonl", "chat\nThe fern likes shade.\nAnd water.\n")
	const foreign = "the map 'plant' is of type chat, which this program has no resolver for; map it with the program that knows chat; force replaces the map"
	if out := ran(t, "ingest", "--dir", dir, "."); !strings.Contains(out, foreign) {
		t.Errorf("ingest: %s", out)
	}
	if m, err := own.Map(t.Context(), "plant"); err != nil || m.Type != linetest.Chat {
		t.Errorf("%+v, %v", m, err)
	}
	if out := ran(t, "ingest", "--dir", dir, "--force", "plant.jsonl"); !strings.Contains(out, "mapped plant.jsonl as plant") {
		t.Errorf("ingest --force: %s", out)
	}
	if out := ran(t, "rm", "--dir", dir, "plant"); !strings.Contains(out, "plant") {
		t.Errorf("rm: %s", out)
	}
	if _, err := own.Map(t.Context(), "plant"); err == nil {
		t.Error("rm left the map")
	}
}
