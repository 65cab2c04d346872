// Package workspacetest is the conformance suite for workspaces: it checks the
// promises in the documentation of [citekit.Workspace], of its stores, of the
// optional [citekit.EvidenceOpener] and [citekit.Deleter], and of the lock of a
// [citekit.Finder]. A workspace adopts it in a few lines:
//
//	func TestConformance(t *testing.T) {
//		workspacetest.Run(t, func(t testing.TB) citekit.Workspace {
//			ws := workspace.NewMemory(nil)
//			ws.AddSource(workspacetest.SourcePath, []byte(workspacetest.SourceContent))
//			return ws
//		})
//	}
//
// A workspace whose storage outlives it, or is shared, uses [RunShared].
package workspacetest

import (
	"testing"

	"github.com/citekit/citekit"
)

// The source that each workspace has.
const (
	SourcePath    = "docs/poem.txt" // its path below the base directory
	SourceContent = "a\nb\n"        // its bytes
)

// Run checks workspaces. Each workspace that open returns must have its own
// storage, with only the source. The suite closes them.
func Run(t *testing.T, open func(t testing.TB) citekit.Workspace) {
	t.Helper()
	for _, c := range checks {
		t.Run(c.name, func(t *testing.T) {
			ws := open(t)
			t.Cleanup(func() { ws.Close() })
			c.run(t, ws)
		})
	}
}

// RunShared is like Run, for workspaces whose storage outlives them. It also
// checks the promises about several workspaces over one storage, as in several
// processes. Each call of newStorage makes a storage with only the source; the
// function that it returns opens a workspace over that storage. The suite
// closes the workspaces that it opens.
func RunShared(t *testing.T, newStorage func(t testing.TB) (open func() citekit.Workspace)) {
	t.Helper()
	Run(t, func(t testing.TB) citekit.Workspace { return newStorage(t)() })
	for _, c := range sharedChecks {
		t.Run(c.name, func(t *testing.T) { c.run(t, newStorage(t)) })
	}
}

// rounds returns how often a check repeats what it does n times without -short.
func rounds(n int) int {
	if testing.Short() {
		return max(n/5, 2)
	}
	return n
}

// A check is one promise. It is separate from [testing.T.Run] so that the suite
// itself can be tested.
type check struct {
	name string
	run  func(testing.TB, citekit.Workspace)
}

var checks = []check{
	{"maps", checkMaps},
	{"bad ids", checkBadIDs},
	{"pages of maps", checkPages},
	{"stamps of maps", checkStamps},
	{"maps with compare-and-swap", checkMapConflicts},
	{"maps while they are written", checkWholeMaps},
	{"notes", checkNotes},
	{"bad notes", checkBadNotes},
	{"notes with compare-and-swap", checkNoteConflicts},
	{"changes of notes", checkChangeNotes},
	{"changes of notes with compare-and-swap", checkChangeConflicts},
	{"changes of notes: slices", checkChangeSlices},
	{"lock of ingest", checkLockIngest},
	{"counting", checkCounting},
	{"source", checkSource},
	{"evidence", checkEvidence},
	{"bad evidence", checkBadEvidence},
	{"open evidence", checkOpenEvidence},
	{"slices", checkSlices},
	{"cancelled", checkCancelled},
	{"delete maps", checkDeleteMap},
	{"delete several maps", checkDeleteMaps},
	{"delete what is kept", checkDeleteKept},
	{"crowd", checkCrowd},
	{"close", checkClose},
}

// A sharedCheck is a promise of several workspaces over one storage.
type sharedCheck struct {
	name string
	run  func(t testing.TB, open func() citekit.Workspace)
}

var sharedChecks = []sharedCheck{
	{"shared: closing keeps", checkKept},
	{"shared: others are seen", checkSeen},
	{"shared: counting", checkSharedCounting},
	{"shared: lock of ingest", checkSharedLock},
}
