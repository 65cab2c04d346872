package mcpadapter

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"math"
	"time"
)

// ticketParameter is the parameter of a link that holds its ticket.
const ticketParameter = "ticket"

// A ticket is the part of a link after the path: which evidence it opens, for
// whom, and until when.
type ticket struct {
	sha256  [sha256.Size]byte // of the evidence; in the path of the link
	store   [sha256.Size]byte // key under which the evidence is stored
	expires time.Time         // in whole seconds
	user    [userTagSize]byte // identifies the user it was given to; zero means anybody
}

func (t ticket) hash() string     { return hex.EncodeToString(t.sha256[:]) }
func (t ticket) storeKey() string { return hex.EncodeToString(t.store[:]) }

// The parts of an encoded ticket, in bytes.
const (
	userTagSize   = 16
	expirySize    = 8
	ticketContent = expirySize + sha256.Size + userTagSize
	ticketSize    = ticketContent + sha256.Size
)

// ticketEncoding accepts only one form of each ticket.
var ticketEncoding = base64.RawURLEncoding.Strict()

// sign returns the ticket as text that only a holder of the key can make.
func (t ticket) sign(key []byte) string {
	content := binary.BigEndian.AppendUint64(make([]byte, 0, ticketSize), uint64(t.expires.Unix()))
	content = append(content, t.store[:]...)
	content = append(content, t.user[:]...)
	return ticketEncoding.EncodeToString(append(content, t.mac(key, content)...))
}

// mac returns the signature of the content of a ticket and of the SHA-256 in the
// path of its link. All parts have fixed lengths.
func (t ticket) mac(key, content []byte) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte("citekit link 1\x00"))
	mac.Write(t.sha256[:])
	mac.Write(content)
	return mac.Sum(nil)
}

// openTicket decodes a ticket for the evidence with a SHA-256 in hex. It reports
// whether the ticket was signed with the key.
func openTicket(key []byte, hash, text string) (t ticket, ok bool) {
	if len(text) != ticketEncoding.EncodedLen(ticketSize) || decodeHash(t.sha256[:], hash) != nil {
		return ticket{}, false
	}
	data, err := ticketEncoding.DecodeString(text)
	if err != nil || len(data) != ticketSize || !hmac.Equal(data[ticketContent:], t.mac(key, data[:ticketContent])) {
		return ticket{}, false
	}
	t.expires = time.Unix(int64(min(binary.BigEndian.Uint64(data), math.MaxInt64)), 0).UTC()
	copy(t.store[:], data[expirySize:])
	copy(t.user[:], data[expirySize+sha256.Size:])
	return t, true
}

// userTag returns the tag of a user in a ticket, which does not reveal the user.
// It is zero for "".
func userTag(key []byte, user string) (tag [userTagSize]byte) {
	if user != "" {
		mac := hmac.New(sha256.New, key)
		mac.Write([]byte("citekit user 1\x00" + user))
		copy(tag[:], mac.Sum(nil))
	}
	return tag
}
