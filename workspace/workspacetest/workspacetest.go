// Package workspacetest is the conformance suite for workspaces: it checks the
// promises in the documentation of [citekit.Workspace], of its stores, of the
// optional [citekit.EvidenceOpener], [workspace.Deleter] and [workspace.EvidenceLeaser],
// and of the lock of a [workspace.Finder]. A workspace adopts it in a few lines:
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
	"fmt"
	"sync"
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
//
// A fault is reported once: what builds on a promise that does not hold is not
// checked.
func Run(t *testing.T, open func(t testing.TB) citekit.Workspace) {
	t.Helper()
	run(t, open, make(broken))
}

func run(t *testing.T, open func(t testing.TB) citekit.Workspace, not broken) {
	t.Helper()
	for _, c := range checks {
		not.check(t, c.promise, func(t *testing.T) {
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
	not := make(broken)
	run(t, func(t testing.TB) citekit.Workspace { return newStorage(t)() }, not)
	for _, c := range sharedChecks {
		not.check(t, c.promise, func(t *testing.T) { c.run(t, newStorage(t)) })
	}
}

// rounds returns how often a check repeats what it does n times without -short.
func rounds(n int) int {
	if testing.Short() {
		return max(n/5, 2)
	}
	return n
}

// A promise is something that a workspace must do, with what it does it with, such
// as "maps".
type promise struct {
	name string
	of   []string
}

// broken is what does not work, with the name of the promise that showed it.
type broken map[string]string

// blocks returns the name of the promise that does not hold and that another
// builds on, or "".
func (b broken) blocks(p promise) string {
	for _, of := range p.of {
		if b[of] != "" {
			return b[of]
		}
	}
	return ""
}

// fail notes that a promise does not hold.
func (b broken) fail(p promise) {
	for _, of := range p.of {
		b[of] = p.name
	}
}

// check runs the check of a promise, unless it builds on one that does not hold.
func (b broken) check(t *testing.T, p promise, run func(t *testing.T)) {
	t.Helper()
	ok := t.Run(p.name, func(t *testing.T) {
		if by := b.blocks(p); by != "" {
			t.Skipf("not checked, as %q does not hold", by)
		}
		run(t)
	})
	if !ok {
		b.fail(p)
	}
}

// A firstFault is what went wrong first among callers that work at once.
type firstFault struct {
	mu    sync.Mutex
	fault string
}

func (f *firstFault) report(format string, args ...any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.fault == "" {
		f.fault = fmt.Sprintf(format, args...)
	}
}

// check ends the test if something went wrong. The callers must have ended.
func (f *firstFault) check(t testing.TB) {
	t.Helper()
	if f.fault != "" {
		t.Fatal(f.fault)
	}
}

// A check checks a promise. It is separate from [testing.T.Run] so that the suite
// itself can be tested.
type check struct {
	promise
	run func(testing.TB, citekit.Workspace)
}

var checks = []check{
	{promise{"maps", []string{"maps"}}, checkMaps},
	{promise{"bad ids", []string{"maps"}}, checkBadIDs},
	{promise{"pages of maps", []string{"maps"}}, checkPages},
	{promise{"stamps of maps", []string{"maps"}}, checkStamps},
	{promise{"maps with compare-and-swap", []string{"maps"}}, checkMapConflicts},
	{promise{"maps while they are written", []string{"maps"}}, checkWholeMaps},
	{promise{"notes", []string{"notes"}}, checkNotes},
	{promise{"bad notes", []string{"notes"}}, checkBadNotes},
	{promise{"notes with compare-and-swap", []string{"notes"}}, checkNoteConflicts},
	{promise{"changes of notes", []string{"notes"}}, checkChangeNotes},
	{promise{"changes of notes with compare-and-swap", []string{"notes"}}, checkChangeConflicts},
	{promise{"changes of notes: slices", []string{"notes"}}, checkChangeSlices},
	{promise{"lock of ingest", []string{"lock"}}, checkLockIngest},
	{promise{"source", []string{"source"}}, checkSource},
	{promise{"find", []string{"find"}}, checkFind},
	{promise{"evidence", []string{"evidence"}}, checkEvidence},
	{promise{"bad evidence", []string{"evidence"}}, checkBadEvidence},
	{promise{"open evidence", []string{"evidence"}}, checkOpenEvidence},
	{promise{"names of evidence", []string{"evidence"}}, checkNamed},
	{promise{"damaged evidence", []string{"evidence"}}, checkDamaged},
	{promise{"slices", []string{"maps", "notes"}}, checkSlices},
	{promise{"cancelled", []string{"maps", "notes", "evidence", "source"}}, checkCancelled},
	{promise{"delete maps", []string{"maps", "notes", "deleting"}}, checkDeleteMap},
	{promise{"delete several maps", []string{"maps", "notes", "deleting"}}, checkDeleteMaps},
	{promise{"delete what is kept", []string{"notes", "evidence", "deleting"}}, checkDeleteKept},
	{promise{"delete what is open", []string{"evidence", "deleting"}}, checkDeletedWhileOpen},
	{promise{"much is kept", []string{"notes", "evidence", "deleting"}}, checkManyKept},
	{promise{"counting", []string{"maps", "notes"}}, checkCounting},
	{promise{"crowd", []string{"maps", "notes", "evidence", "source", "lock", "deleting"}}, checkCrowd},
	{promise{"close", []string{"maps", "close"}}, checkClose},
}

// A sharedCheck checks a promise of several workspaces over one storage.
type sharedCheck struct {
	promise
	run func(t testing.TB, open func() citekit.Workspace)
}

var sharedChecks = []sharedCheck{
	{promise{"shared: closing keeps", []string{"shared", "maps", "notes", "evidence", "close"}}, checkKept},
	{promise{"shared: others are seen", []string{"shared", "maps", "notes", "evidence"}}, checkSeen},
	{promise{"shared: counting", []string{"shared", "maps", "notes"}}, checkSharedCounting},
	{promise{"shared: lock of ingest", []string{"shared", "lock"}}, checkSharedLock},
	{promise{"shared: leases of evidence", []string{"shared", "evidence", "leases"}}, checkLeases},
}
