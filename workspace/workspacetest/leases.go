package workspacetest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/workspace"
)

// checkLeases lets callers of two workspaces make the same evidence at once, if they have
// leases of it.
func checkLeases(t testing.TB, open func() citekit.Workspace) {
	ctx := t.Context()
	var spaces []workspace.EvidenceLeaser
	for range 2 {
		leaser, ok := opened(t, open).(workspace.EvidenceLeaser)
		if !ok {
			return
		}
		spaces = append(spaces, leaser)
	}
	lease := func(i int, key string) func() {
		t.Helper()
		stored, release, err := spaces[i].LeaseEvidence(ctx, key)
		if stored != nil || err != nil || release == nil {
			t.Fatalf("LeaseEvidence of what nobody makes = %+v, %v; want a release", stored, err)
		}
		return release
	}

	const callers = 8
	for round := range rounds(10) {
		key := fmt.Sprintf("%016x", round)
		var fault firstFault
		var makers atomic.Int64
		var all sync.WaitGroup
		for i := range callers {
			all.Go(func() {
				ws := spaces[i%2]
				stored, release, err := ws.LeaseEvidence(ctx, key)
				if err != nil {
					fault.report("LeaseEvidence: %v, want no error", err)
					return
				}
				if stored == nil {
					makers.Add(1)
					_, err = ws.(citekit.Workspace).StoreEvidence(ctx, key, citekit.EvidenceMeta{Name: "n.txt", Size: -1}, strings.NewReader(key))
					release()
				} else if stored.SHA256 != sum(key) {
					fault.report("LeaseEvidence = %+v; want what was stored", stored)
				}
				if err != nil {
					fault.report("StoreEvidence: %v, want no error", err)
				}
			})
		}
		all.Wait()
		fault.check(t)
		if n := makers.Load(); n != 1 {
			t.Fatalf("%d of %d callers of LeaseEvidence at once have the lease; want 1, and what it stores for the others", n, callers)
		}
	}

	release := lease(0, key)
	lease(1, key+"0")() // of another key
	waiting, cancel := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() {
		_, _, err := spaces[1].LeaseEvidence(waiting, key)
		ended <- err
	}()
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Fatalf("LeaseEvidence with a context that is done: %v, want context.Canceled", err)
	}
	next := make(chan func(), 1)
	go func() {
		_, release, _ := spaces[1].LeaseEvidence(ctx, key)
		next <- release
	}()
	release() // without having stored it
	if release = <-next; release == nil {
		t.Fatal("LeaseEvidence after a holder that stored nothing has no release")
	}
	release()
}
