package access

import (
	"crypto/rand"
	"crypto/sha256"
	"hash/crc32"
	"strings"
)

// The parts of a token, citekit_<id>_<secret>: 10 letters in base 32, and 43 in
// base 62, which are 256 random bits, followed by a checksum of 6. A scanner for
// secrets recognizes a token by citekit_[a-z2-7]{10}_[0-9A-Za-z]{49} and the
// checksum.
const (
	tokenPrefix    = "citekit_"
	idLength       = 10
	secretLength   = 43
	checksumLength = 6
	tokenLength    = len(tokenPrefix) + idLength + 1 + secretLength + checksumLength

	base32 = "abcdefghijklmnopqrstuvwxyz234567"
	base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
)

// newToken returns a random token and its id.
func newToken() (id, token string) {
	id = randomLetters(base32, idLength)
	token = tokenPrefix + id + "_" + randomLetters(base62, secretLength)
	return id, token + checksum(token)
}

// randomLetters returns n letters of an alphabet of up to 256, all equally
// likely.
func randomLetters(alphabet string, n int) string {
	letters, b := make([]byte, 0, n), make([]byte, 2*n)
	for even := 256 - 256%len(alphabet); ; {
		rand.Read(b)
		for _, v := range b {
			if int(v) < even {
				letters = append(letters, alphabet[int(v)%len(alphabet)])
			}
			if len(letters) == n {
				return string(letters)
			}
		}
	}
}

// checksum returns the CRC-32 (IEEE) of the start of a token, in base 62.
func checksum(start string) string {
	sum := crc32.ChecksumIEEE([]byte(start))
	var digits [checksumLength]byte
	for i := range digits {
		digits[checksumLength-1-i] = base62[sum%62]
		sum /= 62
	}
	return string(digits[:])
}

// idOf returns the id in a token, or false if token does not have the form of
// one.
func idOf(token string) (id string, ok bool) {
	if len(token) != tokenLength || !strings.HasPrefix(token, tokenPrefix) {
		return "", false
	}
	id, secret := token[len(tokenPrefix):len(tokenPrefix)+idLength], token[len(tokenPrefix)+idLength:]
	start := token[:tokenLength-checksumLength]
	return id, isID(id) && secret[0] == '_' && checksum(start) == token[len(start):]
}

// isID reports whether a text can be the id of a key.
func isID(id string) bool { return len(id) == idLength && strings.Trim(id, base32) == "" }

// hashOf returns the hash of a token for the file. A fast hash is enough, as
// nobody can try 256 random bits.
func hashOf(token string) [sha256.Size]byte { return sha256.Sum256([]byte(token)) }
