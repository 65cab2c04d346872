package viewer

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base32"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"sync"
	"time"

	"github.com/citekit/citekit"
)

// sessionNotes is the kind of notes that hold sessions for other servers.
const sessionNotes = "sessions"

const (
	lookEvery = 10 * time.Second // how long another server's end of a session may go unseen
	noteEvery = time.Hour        // between notes of the use of a session
	pruneAt   = 256              // sessions: when so many are noted, those that are over are dropped
)

// signedAt is how many of the characters of an id are chance, 90 bits. The others sign them,
// so that an id that somebody has made up costs no look at the notes. What says that a
// session is there is its note alone.
const signedAt = 18

// signingNotes is the kind of the one note with the key that signs ids.
const signingNotes = "sessionids"

// A signingKey is the key that signs ids. All servers over the same notes have the same.
type signingKey struct {
	mu  sync.Mutex
	key []byte // nil if it is not known yet
}

// signKey returns the key that signs ids, or nil if there are no notes, or these are away.
func (s *sessions) signKey(ctx context.Context) []byte {
	s.signing.mu.Lock()
	defer s.signing.mu.Unlock()
	if s.signing.key != nil || s.notes == nil {
		return s.signing.key
	}
	data, stamp, err := s.notes.ReadNote(ctx, signingNotes, "")
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, citekit.ErrDamaged) {
		data = []byte(rand.Text() + rand.Text())
		if _, err = s.notes.WriteNoteIf(ctx, signingNotes, "", data, stamp); errors.Is(err, citekit.ErrConflict) {
			data, _, err = s.notes.ReadNote(ctx, signingNotes, "")
		}
	}
	if err == nil && len(data) > 0 {
		s.signing.key = data
	}
	return s.signing.key
}

// signed returns an id with the first characters of one that is chance.
func signed(key []byte, id string) string {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte("citekit session id 1\x00" + id[:signedAt]))
	return id[:signedAt] + base32.StdEncoding.EncodeToString(mac.Sum(nil))[:len(id)-signedAt]
}

// newID returns the id of a new session.
func (s *sessions) newID(ctx context.Context) string {
	id := rand.Text()
	if key := s.signKey(ctx); key != nil {
		id = signed(key, id)
	}
	return id
}

// isOurs reports whether a server over these notes may have made an id.
func (s *sessions) isOurs(ctx context.Context, id string) bool {
	key := s.signKey(ctx)
	return key == nil || subtle.ConstantTimeCompare([]byte(signed(key, id)), []byte(id)) == 1
}

// A sessionNote is what is noted of a session. Who has the note cannot use it: the rest is
// sealed by a key that is made of the id, which the browser alone has.
type sessionNote struct {
	Begun  time.Time `json:"begun"`
	Use    time.Time `json:"use"`
	Sealed []byte    `json:"sealed"` // a JSON list of the token and the caller
}

// noteName returns the name of the note of a session, which tells nothing of its id.
func noteName(id string) string {
	sum := sha256.Sum256([]byte("citekit session name 1\x00" + id))
	return hex.EncodeToString(sum[:])
}

// sealOf returns the cipher of the note of a session.
func sealOf(id string) cipher.AEAD {
	mac := hmac.New(sha256.New, []byte(id))
	mac.Write([]byte("citekit session 1\x00"))
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

// write notes a session in place of the note with a stamp, and reports whether it could.
func (s *sessions) write(ctx context.Context, id string, one *session, stamp citekit.Stamp) bool {
	if s.notes == nil {
		return true
	}
	text, _ := json.Marshal([]string{one.token, one.caller}) // strings always encode
	data, err := json.Marshal(sessionNote{one.begun.UTC(), one.use.UTC(), sealOf(id).Seal(nil, nil, text, nil)})
	if err == nil {
		_, err = s.notes.WriteNoteIf(ctx, sessionNotes, noteName(id), data, stamp)
	}
	if err != nil {
		return false
	}
	if s.written.Add(1)%pruneAt == 0 {
		s.prune(ctx)
	}
	return true
}

// read returns a session that was noted, with the stamp of the note. If there is none, or
// it is damaged, the error matches [fs.ErrNotExist].
func (s *sessions) read(ctx context.Context, id string) (*session, citekit.Stamp, error) {
	data, stamp, err := s.notes.ReadNote(ctx, sessionNotes, noteName(id))
	if errors.Is(err, citekit.ErrDamaged) {
		err = fs.ErrNotExist
	}
	if err != nil {
		return nil, stamp, err
	}
	var note sessionNote
	if json.Unmarshal(data, &note) != nil {
		return nil, stamp, fs.ErrNotExist
	}
	text, err := sealOf(id).Open(nil, nil, note.Sealed, nil)
	var parts []string
	if err != nil || json.Unmarshal(text, &parts) != nil || len(parts) != 2 {
		return nil, stamp, fs.ErrNotExist
	}
	return &session{token: parts[0], caller: parts[1], begun: note.Begun, use: note.Use}, stamp, nil
}

// drop drops a note of a session, also if another server notes its use meanwhile.
func (s *sessions) drop(ctx context.Context, name string) {
	for range 10 {
		_, stamp, err := s.notes.ReadNote(ctx, sessionNotes, name)
		if err != nil && !errors.Is(err, citekit.ErrDamaged) || !errors.Is(s.notes.DeleteNoteIf(ctx, sessionNotes, name, stamp), citekit.ErrConflict) {
			return
		}
	}
}

// prune drops the notes of sessions that are over. What cannot be dropped is left to the
// next time.
func (s *sessions) prune(ctx context.Context) {
	now := time.Now()
	for note, err := range s.notes.Notes(ctx, sessionNotes) {
		if err != nil {
			return
		}
		var one sessionNote
		if json.Unmarshal(note.Data, &one) != nil || (&session{begun: one.Begun, use: one.Use}).over(now.Add(-noteEvery)) {
			_ = s.notes.DeleteNoteIf(ctx, sessionNotes, note.Name, note.Stamp)
		}
	}
}
