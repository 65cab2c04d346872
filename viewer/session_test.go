package viewer

import (
	"context"
	"crypto/rand"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/workspace"
)

// TestSessionsEnd checks how long sessions and one-time tokens work.
func TestSessionsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSessions(nil)
		idle, used, once, late := s.begin(t.Context(), "key", "ada"), s.begin(t.Context(), "key", "ada"), s.invite("key"), s.invite("key")
		time.Sleep(oneTimeLife - time.Second)
		if got := s.redeem(once); got != "key" {
			t.Errorf("a one-time token in time: %q", got)
		}
		if got := s.redeem(once); got != "" {
			t.Errorf("a one-time token works twice: %q", got)
		}
		time.Sleep(time.Second)
		if got := s.redeem(late); got != "" {
			t.Errorf("a one-time token works too late: %q", got)
		}
		for begun := time.Now(); time.Since(begun) < sessionIdle; time.Sleep(sessionIdle / 4) {
			if s.token(t.Context(), used) != "key" {
				t.Fatal("a session that is used ended")
			}
		}
		if s.token(t.Context(), idle) != "" {
			t.Error("an idle session goes on")
		}
		time.Sleep(sessionIdle)
		s.begin(t.Context(), "key", "ada")
		if len(s.byID) != 1 {
			t.Errorf("%d sessions are kept", len(s.byID))
		}
	})
}

// TestSessionLife checks that a session in use ends in the end.
func TestSessionLife(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSessions(nil)
		id, begun := s.begin(t.Context(), "key", "ada"), time.Now()
		for s.token(t.Context(), id) != "" {
			time.Sleep(time.Hour)
		}
		if lasted := time.Since(begun); lasted != sessionLife {
			t.Errorf("it lasted %v", lasted)
		}
	})
}

// TestManySessions checks that a caller ends its own sessions by too many, and not those
// of others.
func TestManySessions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSessions(nil)
		bobs := s.begin(t.Context(), "bobs", "bob")
		var own []string
		for range sessionsOfOne + 3 {
			time.Sleep(time.Second)
			own = append(own, s.begin(t.Context(), "adas", "ada"))
		}
		for i, id := range own {
			if ended := s.token(t.Context(), id) == ""; ended != (i < 3) {
				t.Errorf("session %d: ended is %v", i, ended)
			}
		}
		if s.token(t.Context(), bobs) != "bobs" {
			t.Error("the session of another caller ended")
		}
		for i := range sessionsOfAll {
			s.begin(t.Context(), "x", strconv.Itoa(i))
		}
		if len(s.byID) != sessionsOfAll {
			t.Errorf("%d sessions", len(s.byID))
		}
		for range 3 * oneTimesOfAll {
			s.invite("key")
		}
		if last := s.invite("last"); len(s.oneTimes) != oneTimesOfAll || s.redeem(last) != "last" {
			t.Errorf("%d one-time tokens", len(s.oneTimes))
		}
	})
}

// TestNotedSessions checks that sessions work, are used and end at other servers, and that
// the notes tell nothing.
func TestNotedSessions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx := t.Context()
		notes := workspace.NewMemory(nil)
		defer notes.Close()
		one, other := newSessions(notes), newSessions(notes)
		id := one.begin(ctx, "citekit_key", "ada")
		if got := other.token(ctx, id) + one.token(ctx, id); got != "citekit_keycitekit_key" {
			t.Errorf("the tokens are %q", got)
		}
		for note, err := range notes.Notes(ctx, sessionNotes) {
			if err != nil || strings.Contains(string(note.Data), "key") || strings.Contains(note.Name+string(note.Data), id) {
				t.Errorf("a note is %s %s, %v", note.Name, note.Data, err)
			}
		}
		for begun := time.Now(); time.Since(begun) < 2*sessionIdle; time.Sleep(sessionIdle / 2) {
			if other.token(ctx, id) == "" {
				t.Fatal("a session that is used ended")
			}
		}
		if newSessions(notes).token(ctx, id) == "" {
			t.Error("its use elsewhere does not count")
		}
		other.end(ctx, id)
		time.Sleep(lookEvery)
		if one.token(ctx, id)+other.token(ctx, id)+newSessions(notes).token(ctx, id) != "" {
			t.Error("a session goes on that another server ended")
		}
		idle := one.begin(ctx, "key", "ada")
		time.Sleep(sessionIdle)
		if other.token(ctx, idle) != "" {
			t.Error("an idle session goes on")
		}
		for _, none := range []string{"", "x", idle} {
			if got := newSessions(notes).token(ctx, none); got != "" {
				t.Errorf("session %q: %q", none, got)
			}
		}
		one.begin(ctx, "key", "ada")
		time.Sleep(sessionLife)
		for range pruneAt {
			one.begin(ctx, "key", "ada")
		}
		left := 0
		for range notes.Notes(ctx, sessionNotes) {
			left++
		}
		if left > pruneAt {
			t.Errorf("%d notes are left", left)
		}
	})
}

// A readCounter counts the notes that are read.
type readCounter struct {
	citekit.NoteStore
	reads int
}

func (c *readCounter) ReadNote(ctx context.Context, kind, name string) ([]byte, citekit.Stamp, error) {
	c.reads++
	return c.NoteStore.ReadNote(ctx, kind, name)
}

// TestMadeUpSessions checks that ids that no server gave out cost no look at the notes.
func TestMadeUpSessions(t *testing.T) {
	ctx, memory := t.Context(), workspace.NewMemory(nil)
	defer memory.Close()
	notes := &readCounter{NoteStore: memory}
	id := newSessions(notes).begin(ctx, "key", "ada")
	s := newSessions(notes)
	if s.token(ctx, id) != "key" {
		t.Fatal("a session of another server does not work")
	}
	notes.reads = 0
	for i := range 100 {
		made := rand.Text()
		if i%2 == 0 {
			made = id[:i%signedAt] + made[i%signedAt:]
		}
		if got := s.token(ctx, made); got != "" {
			t.Errorf("%q is that of %q", made, got)
		}
	}
	if notes.reads != 0 {
		t.Errorf("%d reads for what is made up", notes.reads)
	}
}
