package command

import (
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
	f := newFolder(t)
	f.write("plant.jsonl", "chat\nThe fern likes shade.\n")
	f.write("tea.md", "# Tea\n\nGreen leaves.\n")
	ws, err := workspace.Open(f.dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	resolvers := modality.All()
	resolvers[linetest.Chat] = linetest.Chats{}
	own := citekit.New(ws, resolvers, nil)
	defer own.Close()
	if _, err := ingest.Run(t.Context(), own, []string{f.dir}, nil); err != nil {
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
		if out := f.ran(strings.Fields(step.args)...); !strings.Contains(out, step.has) || step.not != "" && strings.Contains(out, step.not) {
			t.Errorf("%s: lacks %q, or has %q:\n%s", step.args, step.has, step.not, out)
		}
	}

	f.write("plant.jsonl", "chat\nThe fern likes shade.\nAnd water.\n")
	const foreign = "the map 'plant' is of type chat, which this program has no resolver for; map it with the program that knows chat; force replaces the map"
	if out := f.ran("ingest", "."); !strings.Contains(out, foreign) {
		t.Errorf("ingest: %s", out)
	}
	if m, err := own.Map(t.Context(), "plant"); err != nil || m.Type != linetest.Chat {
		t.Errorf("%+v, %v", m, err)
	}
	if out := f.ran("ingest", "--force", "plant.jsonl"); !strings.Contains(out, "mapped plant.jsonl as plant") {
		t.Errorf("ingest --force: %s", out)
	}
	if out := f.ran("rm", "plant"); !strings.Contains(out, "plant") {
		t.Errorf("rm: %s", out)
	}
	if _, err := own.Map(t.Context(), "plant"); err == nil {
		t.Error("rm left the map")
	}
}
