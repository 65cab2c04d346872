package ingest_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/ingest"
	"github.com/citekit/citekit/internal/test/linetest"
	"github.com/citekit/citekit/workspace"
)

// withChats returns a fixture over the same directory for a program that reads
// chats too.
func (f *ingestFixture) withChats(t *testing.T, chats linetest.Chats) *ingestFixture {
	t.Helper()
	ws, err := workspace.Open(f.dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	own := &ingestFixture{dir: f.dir, mapper: f.mapper}
	own.lib = citekit.New(ws, citekit.Resolvers{citekit.Text: f.mapper, linetest.Chat: chats}, nil)
	t.Cleanup(func() { own.lib.Close() })
	return own
}

const foreignPlant = "failed plant.jsonl (the map 'plant' is of type chat, which this program has no resolver for; map it with the program that knows chat; force replaces the map: unsupported operation)"

// TestForeignMap has a source whose map another program made, with a resolver that
// this one lacks.
func TestForeignMap(t *testing.T) {
	plain := newIngestFixture(t, map[string]string{"plant.jsonl": "chat\nfern\n", "a.txt": "one\n"})
	own := plain.withChats(t, linetest.Chats{})
	own.want(t, own.ingest(t, nil), "mapped a.txt as a: 1", "mapped plant.jsonl as plant: 1")
	plain.want(t, plain.ingest(t, nil), "unchanged a.txt as a: 1", "unchanged plant.jsonl as plant: 1")
	plain.want(t, plain.ingest(t, &ingest.Options{Type: citekit.Text}, "plant.jsonl"), foreignPlant)

	plain.write(t, "plant.jsonl", "chat\nfern\nmoss\n")
	before := plain.readMap(t, "plant")
	for _, opts := range []*ingest.Options{nil, {Type: citekit.Text}, {ResourceID: "plant"}} {
		plain.want(t, plain.ingest(t, opts, "plant.jsonl"), foreignPlant)
	}
	report, err := ingest.Run(t.Context(), plain.lib, []string{"."}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var missing *citekit.NoResolverError
	item := report.Items[1]
	if !errors.As(item.Err, &missing) || missing.Modality != linetest.Chat || item.Type != linetest.Chat || item.ResourceID != "plant" || !item.FailedBefore {
		t.Errorf("%+v", item)
	}
	if plain.readMap(t, "plant") != before {
		t.Error("the map was replaced")
	}
	own.want(t, own.ingest(t, nil), "unchanged a.txt as a: 1", "mapped plant.jsonl as plant: 2")
	own.want(t, own.ingest(t, nil), "unchanged a.txt as a: 1", "unchanged plant.jsonl as plant: 2")

	plain.want(t, plain.ingest(t, &ingest.Options{Force: true}, "plant.jsonl"), "mapped plant.jsonl as plant: 3")
	own.want(t, own.ingest(t, nil), "unchanged a.txt as a: 1", "mapped plant.jsonl as plant: 2")
}

// TestForeignMapWithoutNotes checks that the map itself shows whose it is.
func TestForeignMapWithoutNotes(t *testing.T) {
	plain := newIngestFixture(t, map[string]string{"plant.jsonl": "chat\nfern\n"})
	own := plain.withChats(t, linetest.Chats{})
	own.want(t, own.ingest(t, nil), "mapped plant.jsonl as plant: 1")
	moved := newIngestFixture(t, map[string]string{"plant.jsonl": "chat\nmoss\n"})
	moved.write(t, ".resource_maps/plant.json", plain.readMap(t, "plant"))
	moved.want(t, moved.ingest(t, nil), foreignPlant)
}

// TestForeignMapOfGoneSource asks for the id of a map whose source is gone.
func TestForeignMapOfGoneSource(t *testing.T) {
	plain := newIngestFixture(t, map[string]string{"plant.jsonl": "chat\nfern\n", "a.txt": "one\n"})
	own := plain.withChats(t, linetest.Chats{})
	own.want(t, own.ingest(t, nil, "plant.jsonl"), "mapped plant.jsonl as plant: 1")
	if err := os.Remove(filepath.Join(plain.dir, "plant.jsonl")); err != nil {
		t.Fatal(err)
	}
	got := plain.ingest(t, &ingest.Options{ResourceID: "plant"}, "a.txt")
	if len(got) != 1 || !strings.HasPrefix(got[0], "failed a.txt (the map 'plant' is of type chat") {
		t.Errorf("%q", got)
	}
}

// TestForeignMapFollows renames the source, and deletes the map.
func TestForeignMapFollows(t *testing.T) {
	plain := newIngestFixture(t, map[string]string{"plant.jsonl": "chat\nfern\n"})
	own := plain.withChats(t, linetest.Chats{})
	own.want(t, own.ingest(t, nil), "mapped plant.jsonl as plant: 1")
	if err := os.Rename(filepath.Join(plain.dir, "plant.jsonl"), filepath.Join(plain.dir, "herb.jsonl")); err != nil {
		t.Fatal(err)
	}
	follow := &ingest.Options{Renames: func([]ingest.Rename) bool { return true }}
	plain.want(t, plain.ingest(t, follow), "renamed herb.jsonl as plant: 1")
	if m, err := own.lib.Map(t.Context(), "plant"); err != nil || m.Type != linetest.Chat || m.SourcePath != "herb.jsonl" {
		t.Errorf("%+v, %v", m, err)
	}
	own.want(t, own.ingest(t, nil), "unchanged herb.jsonl as plant: 1")
	if _, err := ingest.Delete(t.Context(), plain.lib, "plant", &ingest.DeleteOptions{KeepByHand: true}); err != nil {
		t.Error(err)
	}
	plain.want(t, plain.ingest(t, nil), "mapped herb.jsonl as herb: 2")
}

// TestRecognizedLater has sources that a program without their resolver mapped as
// texts, and one that it skipped.
func TestRecognizedLater(t *testing.T) {
	plain := newIngestFixture(t, map[string]string{
		"a.txt": "one\n", "asked.jsonl": "chat\nfern\n", "binary.chat": "chat\n\x00\n", "copy.jsonl": "chat\nmoss\n",
		"edited.jsonl": "chat\nivy\n", "plant.jsonl": "chat\nmoss\n",
	})
	plain.want(t, plain.ingest(t, &ingest.Options{Type: citekit.Text}, "asked.jsonl"), "mapped asked.jsonl as asked: 2")
	oneByOne := &ingest.Options{Concurrency: 1} // else either of two equal files is the copy
	plain.want(t, plain.ingest(t, oneByOne),
		"mapped a.txt as a: 1", "unchanged asked.jsonl as asked: 2", "skipped binary.chat (binary: source cannot be read)",
		"mapped copy.jsonl as copy: 2", "mapped edited.jsonl as edited: 2", "copied plant.jsonl as plant: 2")
	plain.edit(t, "edited", `"title":"ivy"`, `"title":"My own words"`)

	own := plain.withChats(t, linetest.Chats{})
	own.want(t, own.ingest(t, oneByOne),
		"unchanged a.txt as a: 1", "unchanged asked.jsonl as asked: 2", "mapped binary.chat as binary: 1",
		"mapped copy.jsonl as copy: 1", "unchanged edited.jsonl as edited: 2", "copied plant.jsonl as plant: 1")
	settled := []string{
		"unchanged a.txt as a: 1", "unchanged asked.jsonl as asked: 2", "unchanged binary.chat as binary: 1",
		"unchanged copy.jsonl as copy: 1", "unchanged edited.jsonl as edited: 2", "unchanged plant.jsonl as plant: 1",
	}
	own.want(t, own.ingest(t, nil), settled...)
	plain.want(t, plain.ingest(t, nil), settled...)
	own.want(t, own.ingest(t, nil), settled...)
}

// TestResolverVersion checks that the maps of a modality that is not built in follow
// the version of its resolver, unless a person changed them.
func TestResolverVersion(t *testing.T) {
	plain := newIngestFixture(t, map[string]string{"a.txt": "one\n", "herb.jsonl": "chat\nivy\n", "plant.jsonl": "chat\nfern\n"})
	own := plain.withChats(t, linetest.Chats{})
	own.want(t, own.ingest(t, nil), "mapped a.txt as a: 1", "mapped herb.jsonl as herb: 1", "mapped plant.jsonl as plant: 1")
	plain.edit(t, "herb", `"title":"ivy"`, `"title":"My own words"`)

	later := plain.withChats(t, linetest.Chats{Release: "chat/2", Prefix: "a "})
	later.want(t, later.ingest(t, nil), "unchanged a.txt as a: 1", "unchanged herb.jsonl as herb: 1", "mapped plant.jsonl as plant: 1")
	m, err := later.lib.Map(t.Context(), "plant")
	if err != nil || m.Nodes[0].Title != "a fern" || m.Metadata["mapper"] != "structure/4 chat/2" {
		t.Errorf("%+v, %v", m, err)
	}
	settled := []string{"unchanged a.txt as a: 1", "unchanged herb.jsonl as herb: 1", "unchanged plant.jsonl as plant: 1"}
	later.want(t, later.ingest(t, nil), settled...)
	plain.want(t, plain.ingest(t, nil), settled...)
}

// TestStateOfForeignMap checks that both ways to ask for a state tell that nothing
// resolves a map.
func TestStateOfForeignMap(t *testing.T) {
	plain := newIngestFixture(t, map[string]string{"plant.jsonl": "chat\nfern\n"})
	own := plain.withChats(t, linetest.Chats{})
	own.want(t, own.ingest(t, nil), "mapped plant.jsonl as plant: 1")
	m, err := plain.lib.Map(t.Context(), "plant")
	if err != nil {
		t.Fatal(err)
	}
	var missing *citekit.NoResolverError
	if state, err := ingest.StateOf(t.Context(), plain.lib, m); state != ingest.StateUnreadable || !errors.As(err, &missing) {
		t.Errorf("%s, %v", state, err)
	}
	if state, err := ingest.StateOf(t.Context(), own.lib, m); state != ingest.StateOK || err != nil {
		t.Errorf("with its resolver %s, %v", state, err)
	}
}
