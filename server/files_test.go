package server_test

import (
	"io"
	"net/http"
	"net/http/httptrace"
	"testing"
	"time"

	"github.com/citekit/citekit/access"
	"github.com/citekit/citekit/modality"
	"github.com/citekit/citekit/server"
)

// TestSlowFileHoldsUpNobody checks that a file that is being sent takes no place of those
// who read: its sender may take any time.
func TestSlowFileHoldsUpNobody(t *testing.T) {
	_, red := newPlace(t, modality.All(), "red", map[string]string{"rednotes.md": "# Red\n\nscarlet7 says hello.\n"})
	known := &keys{grants: map[string]*access.Grant{redKey: {ID: "k-red", Workspaces: []string{"red"}}, bothKey: {ID: "k-both", Workspaces: []string{"red"}}}}
	s := start(t, []server.Workspace{red}, &server.Options{Authenticator: known, Limits: server.Limits{HeavyCalls: 1, HeavyPerCaller: 1, Queue: -1}})

	body, sender := io.Pipe()
	reading, sent := make(chan struct{}), make(chan int, 1)
	trace := &httptrace.ClientTrace{Got100Continue: func() { close(reading) }} // once the server reads the body
	r, err := http.NewRequestWithContext(httptrace.WithClientTrace(t.Context(), trace), http.MethodPut, "http://"+s.address+"/v1/files/slow.md", body)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+redKey)
	r.Header.Set("Expect", "100-continue")
	go func() {
		status := 0
		if answer, err := (&http.Transport{ExpectContinueTimeout: time.Hour}).RoundTrip(r); err == nil {
			status = answer.StatusCode
			answer.Body.Close()
		}
		sent <- status
	}()
	select {
	case <-reading:
	case status := <-sent:
		t.Fatalf("the file: %d", status)
	}
	for _, key := range []string{redKey, bothKey} {
		if status, _, answer := s.as(key).send("POST", "/v1/view", `{"address": "rednotes"}`); status != 200 {
			t.Errorf("%s reads: %d %s", key, status, answer)
		}
	}
	if _, err := io.WriteString(sender, "# Slow\n"); err != nil {
		t.Error(err)
	}
	sender.Close()
	if status := <-sent; status != http.StatusCreated {
		t.Errorf("the file: %d", status)
	}
}
