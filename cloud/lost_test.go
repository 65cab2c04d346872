//go:build unix

package cloud_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/cloud"
	"github.com/citekit/citekit/workspace/driver"
)

// loses marks a request whose answer may be lost.
const loses = "lose-me"

// A proxy passes connections on to a server, and breaks some in the middle.
type proxy struct {
	net.Listener
	to   string
	asks atomic.Int64 // requests of calls, without notices and looks whether a connection lives
	lose atomic.Int64 // how many of the next answers to what is marked are lost, with their connections
}

func newProxy(t testing.TB, to string) *proxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	p := &proxy{Listener: l, to: to}
	go func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			go p.pass(client)
		}
	}()
	return p
}

func (p *proxy) pass(client net.Conn) {
	defer client.Close()
	server, err := net.Dial("tcp", p.to)
	if err != nil {
		return
	}
	defer server.Close()
	var lost atomic.Bool
	go func() {
		defer server.Close()
		request := make([]byte, 64<<10)
		for {
			n, err := client.Read(request)
			if err != nil {
				return
			}
			other := func(what string) bool { return bytes.Contains(request[:n], []byte(what)) }
			if !other("pg_notify") && !other("citekit s") && !other("-- ping") {
				p.asks.Add(1)
			}
			marked := bytes.Contains(request[:n], []byte(loses)) || bytes.Contains(request[:n], []byte(evidenceKey))
			if marked && p.lose.Add(-1) >= 0 {
				lost.Store(true)
			}
			if _, err := server.Write(request[:n]); err != nil {
				return
			}
		}
	}()
	answer := make([]byte, 64<<10)
	for {
		n, err := server.Read(answer)
		if err != nil || lost.Load() {
			return
		}
		if _, err := client.Write(answer[:n]); err != nil {
			return
		}
	}
}

// openThrough opens a workspace, with one connection, through a proxy.
func openThrough(t *testing.T) (w *cloud.Workspace, p *proxy, url string) {
	t.Helper()
	url = schema(t)
	at, rest, _ := strings.Cut(strings.TrimPrefix(url, "pg://citekit@"), "/")
	p = newProxy(t, at)
	w, err := cloud.Open(t.Context(), "pg://citekit@"+p.Addr().String()+"/"+rest, &cloud.Options{Bucket: driver.NewMemory(), MaxConns: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	return w, p, url
}

// TestWork counts the requests that calls make, each of which takes a trip to the
// database.
func TestWork(t *testing.T) {
	w, p, _ := openThrough(t)
	ctx := t.Context()
	notes := func(n int) error {
		var changes []citekit.NoteChange
		for i := range n {
			name := fmt.Sprint("note", i)
			_, stamp, err := w.ReadNote(ctx, "kind", name)
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
			changes = append(changes, citekit.NoteChange{Name: name, Data: []byte("1"), Stamp: stamp})
		}
		_, err := w.ChangeNotes(ctx, "kind", changes)
		return err
	}
	put := func(content string) error {
		_, err := w.StoreEvidence(ctx, evidenceKey, citekit.EvidenceMeta{Name: "n", Size: -1}, strings.NewReader(content))
		return err
	}
	for _, c := range []struct {
		name string
		most int64
		call func() error
	}{
		{"WriteMap", 1, func() error { return w.WriteMap(ctx, "m", []byte("{}")) }},
		{"StatMap", 1, func() error { _, err := w.StatMap(ctx, "m"); return err }},
		{"ReadMap", 1, func() error { _, _, err := w.ReadMap(ctx, "m", 10); return err }},
		{"ListMaps", 1, func() error { _, err := w.ListMaps(ctx, "", 0); return err }},
		{"MapsStamp", 1, func() error { _, err := w.MapsStamp(ctx); return err }},
		{"ReadNote and WriteNoteIf", 2, func() error { return notes(1) }},
		{"20 ReadNote and ChangeNotes", 20 + 3, func() error { return notes(20) }},
		{"StoreEvidence of little", 1, func() error { return put("small") }},
		{"FindEvidence of little", 1, func() error { _, err := w.FindEvidence(ctx, evidenceKey); return err }},
		{"StoreEvidence of much", 2, func() error { return put(large) }},
		{"FindEvidence of much", 1, func() error { _, err := w.FindEvidence(ctx, evidenceKey); return err }},
	} {
		for range 2 { // from here on the statements are known
			if err := c.call(); err != nil {
				t.Fatal(err)
			}
		}
		before := p.asks.Load()
		if err := c.call(); err != nil {
			t.Fatal(err)
		}
		if n := p.asks.Load() - before; n > c.most || n == 0 {
			t.Errorf("%s made %d requests of the database; want 1 to %d", c.name, n, c.most)
		}
	}
}

// If the answer to a change is lost, the error says so; what does no harm twice is done
// again.
func TestLostAnswers(t *testing.T) {
	ctx := context.Background()
	w, p, url := openThrough(t)
	direct := open(t, url, driver.NewMemory())
	stamp, err := w.WriteMapIf(ctx, loses, []byte("0"), citekit.Stamp{})
	if err != nil {
		t.Fatal(err)
	}
	if stamp, err = w.WriteMapIf(ctx, loses, []byte("1"), stamp); err != nil { // the statement is known now
		t.Fatal(err)
	}
	p.lose.Store(1)
	if _, err := w.WriteMapIf(ctx, loses, []byte("2"), stamp); !errors.Is(err, cloud.ErrUnknown) || !isFault(err) || strings.Contains(err.Error(), "password") {
		t.Errorf("WriteMapIf whose answer is lost: %v; want cloud.ErrUnknown", err)
	}
	now, err := w.StatMap(ctx, loses)
	if err != nil {
		t.Fatal(err)
	}
	if data, _, err := direct.ReadMap(ctx, loses, 10); err != nil || string(data) != "2" || now == stamp {
		t.Errorf("the map is %q, %v, with a new stamp: %v; want what was sent", data, err, now != stamp)
	}
	for name, call := range map[string]func() error{
		"WriteMap": func() error { return w.WriteMap(ctx, loses, []byte("3")) },
		"ReadMap":  func() error { _, _, err := w.ReadMap(ctx, loses, 10); return err },
		"StoreEvidence": func() error {
			_, err := w.StoreEvidence(ctx, evidenceKey, citekit.EvidenceMeta{Name: "n", Size: -1}, strings.NewReader(large))
			return err
		},
		"FindEvidence": func() error { _, err := w.FindEvidence(ctx, evidenceKey); return err },
		"TryLease": func() error {
			release, held, err := w.TryLease(ctx, loses)
			if err != nil || !held {
				return errors.Join(err, errors.New("not held"))
			}
			release()
			return nil
		},
	} {
		if name == "FindEvidence" {
			store(t, w, evidenceKey, large)
		}
		for lost := range int64(3) {
			p.lose.Store(lost)
			if err := call(); err != nil {
				t.Errorf("%s, whose first %d answers are lost: %v; want no error", name, lost, err)
			}
		}
		p.lose.Store(0)
	}
	if n := sql(t, url, `SELECT count(*) FROM {s}.leases`); n != "0" {
		t.Errorf("%s leases are left", n)
	}
}
