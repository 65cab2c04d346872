package server_test

import (
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/citekit/citekit/access"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/modality"
	"github.com/citekit/citekit/server"
)

// silence returns a WAV file with n bytes of sound.
func silence(n int) string {
	var b []byte
	b = append(b, "RIFF"...)
	b = binary.LittleEndian.AppendUint32(b, uint32(36+n))
	b = append(b, "WAVEfmt "...)
	b = binary.LittleEndian.AppendUint32(b, 16)
	b = binary.LittleEndian.AppendUint16(b, 1)    // PCM
	b = binary.LittleEndian.AppendUint16(b, 1)    // channels
	b = binary.LittleEndian.AppendUint32(b, 8000) // samples a second
	b = binary.LittleEndian.AppendUint32(b, 8000) // bytes a second
	b = binary.LittleEndian.AppendUint16(b, 1)    // bytes of a sample
	b = binary.LittleEndian.AppendUint16(b, 8)    // bits of it
	b = append(b, "data"...)
	b = binary.LittleEndian.AppendUint32(b, uint32(n))
	return string(b) + strings.Repeat("\x80", n)
}

// begin sends a request on a connection of its own with a small buffer, and reads the
// first byte of the answer.
func (c client) begin(method, path, body string) net.Conn {
	c.t.Helper()
	conn, err := net.Dial("tcp", c.address)
	if err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() { conn.Close() })
	if err := conn.(*net.TCPConn).SetReadBuffer(64 << 10); err != nil {
		c.t.Fatal(err)
	}
	if err := conn.SetDeadline(time.Now().Add(patience)); err != nil {
		c.t.Fatal(err)
	}
	fmt.Fprintf(conn, "%s %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\nContent-Length: %d\r\n", method, path, c.address, len(body))
	if err := c.header.Write(conn); err != nil {
		c.t.Fatal(err)
	}
	_, _ = io.WriteString(conn, "\r\n"+body)
	if _, err := conn.Read(make([]byte, 1)); err != nil {
		c.t.Fatal(err)
	}
	return conn
}

// TestRevokedDuringADownload: a client gets no further byte of evidence once its
// key is revoked or is for less, whether the link was followed with the key or without.
// That of another key goes on.
func TestRevokedDuringADownload(t *testing.T) {
	sharedtest.NotShort(t)
	const size = 24 << 20
	place, _ := newPlace(t, modality.All(), "red", map[string]string{"sound.wav": silence(size)})
	for _, test := range []struct {
		name   string
		after  func(known regrantingKeys)
		bearer string // of the link
	}{
		{"without the key", func(known regrantingKeys) { known.revoke(redKey) }, ""},
		{"with the key", func(known regrantingKeys) { known.revoke(redKey) }, redKey},
		{"of another workspace", func(known regrantingKeys) {
			known.grant(redKey, &access.Grant{ID: "k-red", Workspaces: []string{"blue"}})
		}, ""},
		{"without its tools", func(known regrantingKeys) {
			known.grant(redKey, &access.Grant{ID: "k-red", Workspaces: []string{"red"}, Tools: []string{"search"}})
		}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			known := regrantingKeys{&keys{grants: map[string]*access.Grant{redKey: {ID: "k-red", Workspaces: []string{"red"}}, bothKey: {ID: "k-both", Workspaces: []string{"red"}}}}}
			s := start(t, []server.Workspace{{Name: "red", Hosted: host(t, place.lib)}}, &server.Options{Authenticator: known})
			session, other := s.as(redKey).session(), s.as(bothKey).session()
			link := session.evidenceLink("audio://sound#t=0-3000")
			download := s.as(test.bearer).begin("GET", link, "")
			kept := s.as("").begin("GET", other.evidenceLink("audio://sound#t=0-3000"), "")

			test.after(known)
			s.journal.await(t, "the end of the download", func(e server.Event) bool {
				return e.Method == "evidence" && e.Caller == "k-red" && e.Outcome == server.OutcomeCancelled
			})
			if rest, err := io.Copy(io.Discard, download); rest > size/4 {
				t.Errorf("%d of %d bytes, %v", rest, size, err)
			}
			if status, _, _ := s.as("").send("GET", link, ""); status != 403 {
				t.Errorf("the link afterwards: %d", status)
			}
			if rest, err := io.CopyN(io.Discard, kept, 3000*8000); err != nil {
				t.Errorf("of another key: %d bytes, %v", rest, err)
			}
		})
	}
}

// TestLinkExpiresWithItsKey: a link works no longer than the key that it was given to.
func TestLinkExpiresWithItsKey(t *testing.T) {
	_, workspace := newPlace(t, modality.All(), "red", map[string]string{"rednotes.md": "One.\nTwo.\nThree.\n"})
	expires := time.Now().Add(5 * time.Minute).Truncate(time.Second)
	known := &keys{grants: map[string]*access.Grant{redKey: {ID: "k-red", Workspaces: []string{"red"}, Expires: expires}}}
	s := start(t, []server.Workspace{workspace}, &server.Options{Authenticator: known})
	text, _ := s.as(redKey).session().tool("resolve", map[string]any{"address": "text://rednotes#lines=2-3"})
	if want := `"evidence_expires":"` + expires.UTC().Format(time.RFC3339) + `"`; !strings.Contains(text, want) {
		t.Errorf("%s; want %s", text, want)
	}
}
