package transport

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"testing"
	"time"
)

// TestTicket signs tickets and reads them back. None is read with another key, for
// other evidence, or with a changed byte.
func TestTicket(t *testing.T) {
	key, other := bytes.Repeat([]byte{1}, linkKeySize), bytes.Repeat([]byte{2}, linkKeySize)
	sum := sha256.Sum256([]byte("evidence"))
	hash := hex.EncodeToString(sum[:])
	for name, from := range map[string]origin{
		"none": {}, "resource": {resource: "poem"}, "all": {caller: "abcdefghij", workspace: "red", resource: "Übersicht & more", expires: "2033-05-18T03:33:20Z"},
	} {
		made := ticket{sha256: sum, expires: time.Unix(2e9, 0).UTC(), user: userTag(key, "me"), origin: from}
		text := made.sign(key)
		if got, ok := openTicket(key, hash, text); !ok || got != made {
			t.Errorf("%s: %+v, %t; want %+v", name, got, ok, made)
		}
		if _, ok := openTicket(other, hash, text); ok {
			t.Errorf("%s: another key opens it", name)
		}
		if _, ok := openTicket(key, strings.Repeat("0", 64), text); ok {
			t.Errorf("%s: it opens other evidence", name)
		}
		data, err := ticketEncoding.DecodeString(text)
		if err != nil {
			t.Fatal(err)
		}
		for i := range data {
			data[i] ^= 1
			if _, ok := openTicket(key, hash, ticketEncoding.EncodeToString(data)); ok {
				t.Errorf("%s: byte %d does not count", name, i)
			}
			data[i] ^= 1
		}
		if bytes.Contains(data, []byte("poem")) || bytes.Contains(data, []byte("abcdefghij")) {
			t.Errorf("%s: who has the link can read where it comes from", name)
		}
		if size := len(data); (size == leastTicket) != (from == origin{}) || size > mostTicket {
			t.Errorf("%s: %d bytes", name, size)
		}
	}
	long := ticket{sha256: sum, origin: origin{caller: strings.Repeat("x", mostOrigin+1)}}
	if got, ok := openTicket(key, hash, long.sign(key)); !ok || got.origin != (origin{}) {
		t.Errorf("an origin that is too long: %+v, %t", got, ok)
	}
}
