package selector

import (
	"net/url"
	"slices"
	"strings"

	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/plain"
)

// DocScheme is the scheme of documents. That of any other modality is its name.
const DocScheme = "doc"

const maxWord = 32 // bytes

// URLSchemes are the schemes of URLs, which are not fetched: none is that of an address.
var URLSchemes = []string{
	"about", "blob", "data", "file", "ftp", "ftps", "gs", "git", "http", "https", "javascript", "ldap", "mailto",
	"nfs", "s3", "sftp", "smb", "ssh", "tel", "telnet", "urn", "ws", "wss",
}

// isWord reports whether s can name a modality: 1 to 32 characters a-z and 0-9, of which
// the first is a letter.
func isWord(s string) bool {
	return s != "" && len(s) <= maxWord && s[0] >= 'a' && s[0] <= 'z' &&
		strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789") == ""
}

// WordFault returns why a word that is no built-in modality cannot be another, or "".
func WordFault(word string) string {
	switch {
	case word == DocScheme:
		return `modality "doc"; write document`
	case slices.Contains(URLSchemes, word):
		return `modality "` + word + `" is the scheme of a URL; URLs are not fetched`
	case !isWord(word):
		return "modality " + message.Quote(word) + "; use document, video, audio, image, text or virtual, or the name (a-z, 0-9) of a modality that has a resolver"
	}
	return ""
}

// SchemeFault returns why a scheme other than doc cannot be that of an address, or "".
func SchemeFault(scheme string) string {
	switch {
	case scheme == "document":
		return `scheme "document"; write doc://`
	case slices.Contains(URLSchemes, strings.ToLower(scheme)):
		return "scheme " + message.Quote(scheme) + "; URLs are not fetched, citekit reads files only: download it first, then map it and cite it as doc://, text:// and so on"
	case !isWord(scheme):
		return "scheme " + message.Quote(scheme) + "; use doc, video, audio, image, text or virtual, or the name (a-z, 0-9) of a modality that has a resolver"
	}
	return ""
}

// CutVirtual splits what follows "virtual://" after the id.
func CutVirtual(rest string) (escapedID, remainder string) {
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		return rest[:i], rest[i:]
	}
	return rest, ""
}

// Virtual returns what a virtual location points to, as an address.
func Virtual(resource, target string) string {
	if strings.HasPrefix(target, "virtual://") {
		return target
	}
	return "virtual://" + plain.PercentEncode(resource) + "#" + url.PathEscape(target)
}
