package watch

import (
	"context"
	"log/slog"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/modality/text"
	"github.com/citekit/citekit/workspace"
)

// TestChanges shows that a watcher sees that a map that is followed has changed, and tells
// of a new one.
func TestChanges(t *testing.T) {
	ws := workspace.NewMemory(nil)
	ws.AddSource("tea.txt", []byte("one\n"))
	lib := citekit.New(ws, citekit.Resolvers{citekit.Text: new(text.Resolver)}, nil)
	defer lib.Close()
	save := func(id, title string) {
		t.Helper()
		if err := lib.Save(t.Context(), &citekit.ResourceMap{ResourceID: id, Type: citekit.Text, Title: title, SourcePath: "tea.txt"}); err != nil {
			t.Fatal(err)
		}
	}
	save("tea", "Tea")
	w := New(lib, func(uri string) string { return strings.TrimPrefix(uri, "map://") }, -1, slog.New(slog.DiscardHandler))
	server := mcp.NewServer(&mcp.Implementation{Name: "test"}, nil)
	listed := make(chan struct{}, 10)
	w.Watch(server, func() { listed <- struct{}{} }, func() {})
	here, there := mcp.NewInMemoryTransports()
	session, err := server.Connect(t.Context(), here, nil)
	if err != nil {
		t.Fatal(err)
	}
	client, err := mcp.NewClient(&mcp.Implementation{Name: "test"}, nil).Connect(t.Context(), there, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	for _, uri := range []string{"map://tea", "map://none"} {
		if err := w.Subscribe(t.Context(), session, uri); err != nil {
			t.Fatal(err)
		}
	}
	w.Await(t.Context())
	w.mu.Lock()
	before := w.stamps["tea"]
	w.mu.Unlock()
	save("tea", "Green tea")
	save("coffee", "Coffee")
	w.LookNow()
	<-listed
	w.poke <- struct{}{}
	w.poke <- struct{}{} // all looks before have ended
	w.mu.Lock()
	if w.stamps["tea"] == before || w.stamps["none"] != (citekit.Stamp{}) {
		t.Errorf("the stamps are %v; tea had %v", w.stamps, before)
	}
	w.mu.Unlock()
	w.Unsubscribe(session, "map://tea")
	if followed := w.followed(); len(followed) != 1 || followed["none"] == nil {
		t.Errorf("followed: %v", followed)
	}
}

// A slowList is a workspace whose first list comes when it is told.
type slowList struct {
	citekit.Workspace
	asked, tell chan struct{}
}

func (w slowList) ListMaps(ctx context.Context, after string, limit int) ([]string, error) {
	select {
	case w.asked <- struct{}{}:
		<-w.tell
	default: // not the first
	}
	return w.Workspace.ListMaps(ctx, after, limit)
}

// TestAwait shows that a list is not read before the watcher knows it, so that a map that
// is added afterwards is announced, and that who waits can give up.
func TestAwait(t *testing.T) {
	memory := workspace.NewMemory(nil)
	memory.AddSource("tea.txt", []byte("one\n"))
	ws := slowList{memory, make(chan struct{}, 1), make(chan struct{})}
	lib := citekit.New(ws, citekit.Resolvers{citekit.Text: new(text.Resolver)}, nil)
	defer lib.Close()
	w := New(lib, func(string) string { return "" }, -1, slog.New(slog.DiscardHandler))
	w.Await(t.Context()) // it has not started
	server := mcp.NewServer(&mcp.Implementation{Name: "test"}, nil)
	listed := make(chan struct{}, 10)
	w.Watch(server, func() { listed <- struct{}{} }, func() {})
	here, there := mcp.NewInMemoryTransports()
	if _, err := server.Connect(t.Context(), here, nil); err != nil {
		t.Fatal(err)
	}
	client, err := mcp.NewClient(&mcp.Implementation{Name: "test"}, nil).Connect(t.Context(), there, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	w.Start()
	<-ws.asked
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	w.Await(ended)
	waited := make(chan struct{})
	go func() {
		w.Await(t.Context())
		close(waited)
	}()
	select {
	case <-waited:
		t.Fatal("the list is not known yet")
	default:
	}
	ws.asked <- struct{}{} // further lists come at once
	close(ws.tell)
	<-waited
	if err := lib.Save(t.Context(), &citekit.ResourceMap{ResourceID: "tea", Type: citekit.Text, SourcePath: "tea.txt"}); err != nil {
		t.Fatal(err)
	}
	w.LookNow()
	<-listed
}
