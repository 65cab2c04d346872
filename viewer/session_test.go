package viewer

import (
	"strconv"
	"testing"
	"testing/synctest"
	"time"
)

// TestSessionsEnd checks how long sessions and one-time tokens work.
func TestSessionsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSessions()
		idle, used, once, late := s.begin("key", "ada"), s.begin("key", "ada"), s.invite("key"), s.invite("key")
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
			if s.token(used) != "key" {
				t.Fatal("a session that is used ended")
			}
		}
		if s.token(idle) != "" {
			t.Error("an idle session goes on")
		}
		time.Sleep(sessionIdle)
		s.begin("key", "ada")
		if len(s.byID) != 1 {
			t.Errorf("%d sessions are kept", len(s.byID))
		}
	})
}

// TestSessionLife checks that a session in use ends in the end.
func TestSessionLife(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSessions()
		id, begun := s.begin("key", "ada"), time.Now()
		for s.token(id) != "" {
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
		s := newSessions()
		bobs := s.begin("bobs", "bob")
		var own []string
		for range sessionsOfOne + 3 {
			time.Sleep(time.Second)
			own = append(own, s.begin("adas", "ada"))
		}
		for i, id := range own {
			if ended := s.token(id) == ""; ended != (i < 3) {
				t.Errorf("session %d: ended is %v", i, ended)
			}
		}
		if s.token(bobs) != "bobs" {
			t.Error("the session of another caller ended")
		}
		for i := range sessionsOfAll {
			s.begin("x", strconv.Itoa(i))
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
