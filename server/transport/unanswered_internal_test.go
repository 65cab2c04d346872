package transport

import (
	"testing"
	"time"
)

// TestCallsOfSession begins as many calls as a session has at a time, and one more.
func TestCallsOfSession(t *testing.T) {
	table := newSessions(10, time.Hour)
	s := &session{}
	var last func()
	for range maxSessionCalls {
		done, err := table.beginCall(s)
		if err != nil {
			t.Fatal(err)
		}
		last = done
	}
	if _, err := table.beginCall(s); err == nil {
		t.Error("one more call began")
	}
	if _, err := table.beginCall(&session{}); err != nil {
		t.Errorf("of another session: %v", err)
	}
	last()
	if _, err := table.beginCall(s); err != nil {
		t.Errorf("after one has ended: %v", err)
	}
}
