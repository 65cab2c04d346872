package workspace

import (
	"crypto/sha256"
	"encoding/hex"
	"runtime"
	"strings"
	"unicode"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/ctxio"
)

const (
	mapExt      = ".json"
	maxStem     = 180 // longest file name before mapExt, in bytes
	digestChars = 8   // of the id's SHA-256, after upper-case ids
	cutDigest   = 32  // the same after ids that were cut
	maxName     = 255 // longest name of a file, in bytes
)

// A nameForm is how a file name represents an id.
type nameForm int

const (
	noMap     nameForm = iota // not the name of a map
	canonical                 // as fileName returns
	cut                       // a cut name: the id must be read from the file
	older                     // the plain name of an id that is now encoded
)

// fileName returns the name of the file for the map of id. Different ids have
// names that differ even after case folding.
func fileName(id string) string {
	if isPlain(id) {
		return id + mapExt
	}
	stem := escape(id)
	if strings.ContainsFunc(id, isUpper) {
		stem += "~" + digest(id, digestChars)
	}
	if len(stem) > maxStem {
		stem = cutEscaped(escape(id), maxStem-1-cutDigest) + "~" + digest(id, cutDigest)
	}
	return stem + mapExt
}

// parseFileName returns the id that a file name represents. For a cut name, the
// id is the one that an earlier implementation would have meant.
func parseFileName(name string) (id string, form nameForm) {
	stem, ok := strings.CutSuffix(name, mapExt)
	if !ok || stem == "" || stem[0] == '.' {
		return "", noMap
	}
	if isPlain(stem) {
		if citekit.CheckResourceID(stem) != nil {
			return "", noMap
		}
		return stem, canonical
	}
	escaped, suffix, _ := strings.Cut(stem, "~")
	if len(suffix) == cutDigest && ctxio.IsHex(suffix) && len(stem) <= maxStem {
		return stem, cut
	}
	if id, ok := unescape(escaped); ok && fileName(id) == name && citekit.CheckResourceID(id) == nil {
		return id, canonical
	}
	if citekit.CheckResourceID(stem) != nil {
		return "", noMap
	}
	return stem, older
}

// olderName returns the name that earlier implementations gave the map of an
// id, if that differs from today's name.
func olderName(id string) (string, bool) {
	if runtime.GOOS == "windows" && (strings.ContainsAny(id, `<>:"|?*`) || isDeviceName(id)) {
		return "", false
	}
	name := id + mapExt
	meant, form := parseFileName(name)
	return name, (form == older || form == cut) && meant == id
}

// shownName returns the name to show a person for the map of id: the plain one,
// if a file can have it and would be read.
func shownName(id string) string {
	if name, ok := olderName(id); ok && len(name) <= maxName && !strings.ContainsFunc(name, unicode.IsControl) {
		return name
	}
	return fileName(id)
}

// isPlain reports whether the file of the map of id is named <id>.json.
func isPlain(id string) bool {
	if id == "" || len(id) > maxStem || id[0] == '.' || id[0] == '-' || isDeviceName(id) {
		return false
	}
	for i := range len(id) {
		if !isSafe(id[i]) || isUpper(rune(id[i])) {
			return false
		}
	}
	return true
}

// escape writes id with the characters of isSafe only.
func escape(id string) string {
	const upperHex = "0123456789ABCDEF"
	device := isDeviceName(id)
	var b strings.Builder
	for i := range len(id) {
		c := id[i]
		if isSafe(c) && !(i == 0 && (device || c == '.' || c == '-')) {
			b.WriteByte(c)
			continue
		}
		b.WriteByte('%')
		b.WriteByte(upperHex[c>>4])
		b.WriteByte(upperHex[c&15])
	}
	return b.String()
}

// unescape undoes escape. It accepts more than escape writes, so the caller
// compares.
func unescape(s string) (string, bool) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '%' {
			b.WriteByte(s[i])
			continue
		}
		if i+2 >= len(s) {
			return "", false
		}
		c, err := hex.DecodeString(s[i+1 : i+3])
		if err != nil {
			return "", false
		}
		b.WriteByte(c[0])
		i += 2
	}
	return b.String(), true
}

// cutEscaped cuts s to at most n bytes, never within a %XX.
func cutEscaped(s string, n int) string {
	s = s[:min(n, len(s))]
	if i := strings.LastIndexByte(s, '%'); i >= 0 && i > len(s)-3 {
		return s[:i]
	}
	return s
}

// isDeviceName reports whether Windows treats a file with this name, whatever
// its extension, as a device.
func isDeviceName(id string) bool {
	base, _, _ := strings.Cut(strings.ToLower(id), ".")
	switch base {
	case "con", "prn", "aux", "nul":
		return true
	}
	return len(base) == 4 && (base[:3] == "com" || base[:3] == "lpt") && '0' <= base[3] && base[3] <= '9'
}

func isSafe(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '.' || c == '_' || c == '-'
}

func isUpper(r rune) bool { return 'A' <= r && r <= 'Z' }

func digest(s string, n int) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])[:n]
}
