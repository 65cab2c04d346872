package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/citekit/citekit/search/index"
	"github.com/citekit/citekit/workspace"
)

// TestIngestKeepsIndex lets ingest make no index, and keep one that a search
// made.
func TestIngestKeepsIndex(t *testing.T) {
	dir := t.TempDir()
	command := func(args ...string) {
		t.Helper()
		var stdout, stderr bytes.Buffer
		if code := run(context.Background(), append([]string{"--dir", dir}, args...), strings.NewReader(""), &stdout, &stderr); code != exitOK {
			t.Fatalf("%v: exit code %d, %s", args, code, stderr.String())
		}
	}
	write := func(content string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, "tea.md"), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		command("ingest", ".")
	}
	// entries returns how many entries have a word, without a search that
	// would bring the index up to date.
	entries := func(word string) int {
		t.Helper()
		ws, err := workspace.Open(dir, nil)
		if err != nil {
			t.Fatal(err)
		}
		x := index.New(ws, nil)
		defer x.Close()
		found, err := x.Search(context.Background(), index.Query{Text: word})
		if err != nil {
			t.Fatal(err)
		}
		return found.Total
	}
	write("# Tea\n\nBlack.\n")
	if n := entries("black"); n != 0 {
		t.Errorf("an ingest made an index of %d entries", n)
	}
	command("search", "black")
	if n := entries("black"); n != 1 {
		t.Errorf("a search made an index of %d entries", n)
	}
	write("# Tea\n\nGreen.\n")
	if black, green := entries("black"), entries("green"); black != 0 || green != 1 {
		t.Errorf("after an ingest %d entries of what was there, %d of what is", black, green)
	}
}
