package transport

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"math"
	"time"

	"github.com/citekit/citekit/access"
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
	origin  origin            // sealed: only a holder of the key can read it
}

func (t ticket) hash() string     { return hex.EncodeToString(t.sha256[:]) }
func (t ticket) storeKey() string { return hex.EncodeToString(t.store[:]) }

// The parts of an encoded ticket, in bytes. The sealed origin follows the user, and
// the signature comes last.
const (
	userTagSize   = 16
	expirySize    = 8
	ticketContent = expirySize + sha256.Size + userTagSize // without the origin
	leastTicket   = ticketContent + sha256.Size
	mostTicket    = 4 << 10
)

// ticketEncoding accepts only one form of each ticket.
var ticketEncoding = base64.RawURLEncoding.Strict()

// sign returns the ticket as text that only a holder of the key can make.
func (t ticket) sign(key []byte) string {
	content := binary.BigEndian.AppendUint64(make([]byte, 0, 2*leastTicket), uint64(t.expires.Unix()))
	content = append(content, t.store[:]...)
	content = append(content, t.user[:]...)
	content = append(content, t.origin.seal(key)...)
	return ticketEncoding.EncodeToString(append(content, t.mac(key, content)...))
}

// mac returns the signature of the content of a ticket and of the SHA-256 in the
// path of its link. All parts have fixed lengths, except the origin at the end.
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
	if len(text) > ticketEncoding.EncodedLen(mostTicket) || decodeHash(t.sha256[:], hash) != nil {
		return ticket{}, false
	}
	data, err := ticketEncoding.DecodeString(text)
	if err != nil || len(data) < leastTicket {
		return ticket{}, false
	}
	data, mac := data[:len(data)-sha256.Size], data[len(data)-sha256.Size:]
	if !hmac.Equal(mac, t.mac(key, data)) {
		return ticket{}, false
	}
	if t.origin, ok = openOrigin(key, data[ticketContent:]); !ok {
		return ticket{}, false
	}
	t.expires = time.Unix(int64(min(binary.BigEndian.Uint64(data), math.MaxInt64)), 0).UTC()
	copy(t.store[:], data[expirySize:])
	copy(t.user[:], data[expirySize+sha256.Size:])
	return t, true
}

// An origin says who made a link, and what it leads to. It is for the server that
// serves the link, after a restart and in another replica too; who has the link
// cannot read it.
type origin struct {
	caller    string // the ID of the grant of the caller, or "" if nobody authenticated
	workspace string // of the caller, or ""
	resource  string // that the evidence is part of
	expires   string // when the grant of the caller does, as RFC 3339, or ""
}

// grant returns what is known of the grant of the caller, or nil.
func (o origin) grant() *access.Grant {
	if o.caller == "" {
		return nil
	}
	grant := &access.Grant{ID: o.caller, Workspaces: []string{o.workspace}}
	if o.expires != "" {
		grant.Expires, _ = time.Parse(time.RFC3339, o.expires) // as link wrote it
	}
	return grant
}

// mostOrigin is how long the texts of an origin may be, in bytes. Longer ones are
// left out.
const mostOrigin = 2 << 10

// seal returns the origin encrypted, or nothing if there is none.
func (o origin) seal(key []byte) []byte {
	if o == (origin{}) || len(o.caller)+len(o.workspace)+len(o.resource) > mostOrigin {
		return nil
	}
	text, _ := json.Marshal([]string{o.caller, o.workspace, o.resource, o.expires}) // strings always encode
	return originCipher(key).Seal(nil, nil, text, nil)
}

// openOrigin returns a sealed origin, which may be empty. It reports whether it was
// sealed with the key.
func openOrigin(key, sealed []byte) (o origin, ok bool) {
	if len(sealed) == 0 {
		return origin{}, true
	}
	text, err := originCipher(key).Open(nil, nil, sealed, nil)
	var parts []string
	if err != nil || json.Unmarshal(text, &parts) != nil || len(parts) != 4 {
		return origin{}, false
	}
	return origin{caller: parts[0], workspace: parts[1], resource: parts[2], expires: parts[3]}, true
}

// originCipher returns the cipher of origins. Its key is derived from the key of the
// links, which signs alone.
func originCipher(key []byte) cipher.AEAD {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte("citekit link origin 1\x00"))
	block, err := aes.NewCipher(mac.Sum(nil))
	if err != nil {
		panic(err) // cannot happen: the key has 32 bytes
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		panic(err) // cannot happen: the block is that of AES
	}
	return aead
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
