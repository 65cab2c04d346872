package workspacetest

import (
	"errors"
	"io/fs"
	"reflect"
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/workspace"
)

// opened opens a storage again. The test closes it.
func opened(t testing.TB, open func() citekit.Workspace) citekit.Workspace {
	t.Helper()
	ws := open()
	t.Cleanup(func() { ws.Close() })
	return ws
}

// checkKept closes a workspace: the next one must have the stored data.
func checkKept(t testing.TB, open func() citekit.Workspace) {
	ws, ctx := opened(t, open), t.Context()
	writeSome(t, ws)
	writePin(t, ws, "poem")
	if _, err := ws.WriteNoteIf(ctx, "kind", "n", []byte("note"), citekit.Stamp{}); err != nil {
		t.Fatalf("WriteNoteIf: %v, want no error", err)
	}
	meta := citekit.EvidenceMeta{
		Name: "a&b.txt", Size: -1, Resource: "poem", MediaType: "text/plain; x=<&>", SourceHash: "ab", Changes: []string{"some"},
		Actual: &citekit.Location{Modality: citekit.Video, Time: citekit.Span{Start: 1.5, End: 2.25}},
	}
	stored, err := ws.StoreEvidence(ctx, key, meta, strings.NewReader("evidence"))
	if err != nil {
		t.Fatalf("StoreEvidence: %v, want no error", err)
	}
	stamp, err := ws.StatMap(ctx, "poem")
	if err != nil {
		t.Fatalf("StatMap: %v, want no error", err)
	}
	if err := ws.Close(); err != nil {
		t.Fatalf("Close: %v, want no error", err)
	}
	ws = opened(t, open)
	checkListed(t, ws, "", 0, someIDs...)
	for _, id := range someIDs {
		checkMap(t, ws, id, mapOf(id))
	}
	if now, err := ws.StatMap(ctx, "poem"); err != nil || now != stamp {
		t.Fatalf("StatMap = %v, %v; want %v, as before Close", now, err, stamp)
	}
	checkAllNotes(t, ws, workspace.PinNotes, map[string]string{"poem": "one"})
	checkAllNotes(t, ws, "kind", map[string]string{"n": "note"})
	if found, err := ws.FindEvidence(ctx, key); err != nil || !reflect.DeepEqual(found, stored) {
		t.Fatalf("FindEvidence = %+v, %v; want %+v", found, err, stored)
	}
	if data, ok := content(t, ws, key, stored); ok && string(data) != "evidence" {
		t.Fatalf("the evidence is %q, want \"evidence\"", data)
	}
}

// checkSeen lets two workspaces take turns: each must see the changes of the
// other.
func checkSeen(t testing.TB, open func() citekit.Workspace) {
	spaces, ctx := []citekit.Workspace{opened(t, open), opened(t, open)}, t.Context()
	var stamp citekit.Stamp
	for i := range 6 {
		ws, other := spaces[i%2], spaces[(i+1)%2]
		want := []byte(strings.Repeat("x", i+1))
		if err := ws.WriteMap(ctx, "m", want); err != nil {
			t.Fatalf("WriteMap: %v, want no error", err)
		}
		checkMap(t, other, "m", want)
		var err error
		if stamp, err = ws.WriteNoteIf(ctx, "kind", "n", want, stamp); err != nil {
			t.Fatalf("WriteNoteIf: %v, want no error", err)
		}
		checkAllNotes(t, other, "kind", map[string]string{"n": string(want)})
		if _, err := ws.StoreEvidence(ctx, key, citekit.EvidenceMeta{Name: "n.txt", Size: -1}, strings.NewReader(string(want))); err != nil {
			t.Fatalf("StoreEvidence: %v, want no error", err)
		}
		if found, err := other.FindEvidence(ctx, key); err != nil || found.SHA256 != sum(string(want)) {
			t.Fatalf("FindEvidence of what another stored = %+v, %v; want the hash of %q", found, err, want)
		}
	}
	checkListed(t, spaces[0], "", 0, "m")
	if err := spaces[0].DeleteNoteIf(ctx, "kind", "n", stamp); err != nil {
		t.Fatalf("DeleteNoteIf: %v, want no error", err)
	}
	if _, _, err := spaces[1].ReadNote(ctx, "kind", "n"); !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("a note that another deleted: %v, want fs.ErrNotExist", err)
	}
}

// checkSharedCounting lets callers of several workspaces count at once.
func checkSharedCounting(t testing.TB, open func() citekit.Workspace) {
	countTogether(t, opened(t, open), opened(t, open), opened(t, open))
}
