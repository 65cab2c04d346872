package command

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/modality"
	"github.com/citekit/citekit/workspace"
)

// TestTranscriptOutside checks that the words of a recording outside the base
// directory can be read once it was ingested, though they are in another file.
func TestTranscriptOutside(t *testing.T) {
	base, elsewhere, config := t.TempDir(), t.TempDir(), t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", config)
	tones, err := os.ReadFile("../../examples/quickstart/samples/tones.wav")
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{
		"tones.wav": tones,
		"tones.srt": []byte("1\n00:00:01,000 --> 00:00:02,000\nThe second tone.\n"),
	} {
		must(t, os.WriteFile(filepath.Join(elsewhere, name), data, 0o600))
	}
	var out, errs bytes.Buffer
	if code := run(t.Context(), []string{"ingest", "--allow-outside", "--dir", base, filepath.Join(elsewhere, "tones.wav")}, nil, &out, &errs); code != 0 {
		t.Fatalf("exit %d\n%s%s", code, out.String(), errs.String())
	}
	ws, err := workspace.Open(base, &workspace.Options{AllowedDir: allowedDir()})
	if err != nil {
		t.Fatal(err)
	}
	lib := citekit.New(ws, modality.All(), nil)
	defer lib.Close()
	text := ""
	for r, err := range lib.ReadText(t.Context(), "tones", citekit.Location{Modality: citekit.Audio}) {
		if err != nil {
			t.Fatal(err)
		}
		text += r.Text
	}
	if text != "The second tone.\n" {
		t.Errorf("text %q", text)
	}
}
