package ingest_test

import (
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/ingest"
	"github.com/citekit/citekit/workspace"
)

// TestOtherKey has two people, who do not believe each other's notes, map a folder. A
// recording with subtitles beside it is left alone, as all that is unchanged.
func TestOtherKey(t *testing.T) {
	f := newIngestFixture(t, map[string]string{"talk.mp3": "sound\n", "talk.srt": "words\n", "alone.mp3": "more sound\n"})
	opts := &ingest.Options{Type: citekit.Text}
	keys := map[string]string{"a": t.TempDir(), "b": t.TempDir()}
	as := func(who, name string, want ...string) {
		t.Helper()
		ws, err := workspace.Open(f.dir, &workspace.Options{KeyDir: keys[who]})
		if err != nil {
			t.Fatal(err)
		}
		f.lib = citekit.New(ws, citekit.Resolvers{citekit.Text: f.mapper}, nil)
		defer f.lib.Close()
		f.want(t, f.ingest(t, opts, name), want...)
	}
	as("a", "*.mp3", "mapped alone.mp3 as alone: 1", "mapped talk.mp3 as talk: 1")
	for _, who := range []string{"b", "a", "a", "b"} {
		as(who, "*.mp3", "unchanged alone.mp3 as alone: 1", "unchanged talk.mp3 as talk: 1")
	}
	f.write(t, "talk.srt", "other words\n")
	as("a", "talk.mp3", "mapped talk.mp3 as talk: 1")
	as("b", "talk.mp3", "unchanged talk.mp3 as talk: 1")
	f.write(t, "talk.de.srt", "Worte\n")
	as("b", "talk.mp3", "mapped talk.mp3 as talk: 1")
	f.rename(t, "talk.mp3", "speech.mp3")
	f.rename(t, "talk.srt", "speech.srt")
	f.rename(t, "talk.de.srt", "speech.de.srt")
	asked := following(new([]string))
	asked.Type, opts = citekit.Text, asked
	as("b", "speech.mp3", "renamed speech.mp3 as talk: 1")
	as("a", "speech.mp3", "unchanged speech.mp3 as talk: 1")
}
