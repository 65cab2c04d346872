package citekit

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/citekit/citekit/internal/message"
)

// A Modality is a kind of content. Each has its own [Resolver], and its own
// scheme in addresses: the word itself, except that the scheme of a document is
// doc.
//
// The built-in modalities are the constants [Document], [Video], [Audio],
// [Image], [Text] and [Virtual]. A program may define others: a word of 1 to 32
// characters a-z and 0-9 that begins with a letter and is neither "doc" nor the
// scheme of a URL, such as "http". A modality can be used only in a [Library]
// that has a resolver for it. Locations of a modality that is not built in may
// have any selectors except a virtual address; the resolver decides what they
// mean.
type Modality string

// The modalities that package modality has resolvers for.
const (
	Document Modality = "document" // pages, and a box on them
	Video    Modality = "video"    // time
	Audio    Modality = "audio"    // time
	Image    Modality = "image"    // a box
	Text     Modality = "text"     // lines
	Virtual  Modality = "virtual"  // an address elsewhere
)

// Modalities lists the built-in modalities in the order of the documentation.
// Those of one Library are [Library.Modalities].
func Modalities() []Modality {
	return []Modality{Document, Video, Audio, Image, Text, Virtual}
}

const (
	maxModality = 32 // bytes
	docScheme   = "doc"
)

// foreignSchemes are those of URLs, which citekit does not fetch.
var foreignSchemes = []string{
	"about", "blob", "data", "file", "ftp", "ftps", "gs", "git", "http", "https", "javascript", "ldap", "mailto",
	"nfs", "s3", "sftp", "smb", "ssh", "tel", "telnet", "urn", "ws", "wss",
}

// Valid reports whether m is a built-in modality, or a word that can name
// another: whether [Modality.Validate] returns nil.
func (m Modality) Valid() bool { return m.Validate() == nil }

// builtIn reports whether the selectors of m are known.
func (m Modality) builtIn() bool { return slices.Contains(Modalities(), m) }

// isOwn reports whether m is a modality that a program defines.
func (m Modality) isOwn() bool { return m.Valid() && !m.builtIn() }

// Validate returns an error matching [ErrSyntax] that says why m cannot be a
// modality, or nil.
func (m Modality) Validate() error {
	switch {
	case m.builtIn():
		return nil
	case m == docScheme:
		return syntaxError(`modality "doc"; write document`)
	case slices.Contains(foreignSchemes, string(m)):
		return syntaxError("modality %q is the scheme of a URL; URLs are not fetched", string(m))
	case !isModalityWord(string(m)):
		return syntaxError("modality %s; use document, video, audio, image, text or virtual, or the name (a-z, 0-9) of a modality that has a resolver", message.Quote(string(m)))
	}
	return nil
}

func isModalityWord(s string) bool {
	return s != "" && len(s) <= maxModality && s[0] >= 'a' && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789") == "" && s[0] <= 'z'
}

// scheme returns what the addresses of m begin with.
func (m Modality) scheme() string {
	if m == Document {
		return docScheme
	}
	return string(m)
}

// modalityOfScheme returns the modality of addresses with a scheme. The error
// matches [ErrSyntax].
func modalityOfScheme(scheme string) (Modality, error) {
	switch {
	case scheme == docScheme:
		return Document, nil
	case scheme == string(Document):
		return "", syntaxError(`scheme "document"; write doc://`)
	case slices.Contains(foreignSchemes, strings.ToLower(scheme)):
		return "", syntaxError("scheme %s; URLs are not fetched, citekit reads files only: download it first, then map it and cite it as doc://, text:// and so on", message.Quote(scheme))
	case !Modality(scheme).Valid():
		return "", syntaxError("scheme %s; use doc, video, audio, image, text or virtual, or the name (a-z, 0-9) of a modality that has a resolver", message.Quote(scheme))
	}
	return Modality(scheme), nil
}

// Modalities lists the modalities that the Library has resolvers for: the
// built-in ones in the order of the documentation, then others by name.
func (l *Library) Modalities() []Modality {
	var all []Modality
	for _, m := range append(Modalities(), slices.Sorted(maps.Keys(l.resolvers))...) {
		if l.resolvers[m] != nil && !slices.Contains(all, m) {
			all = append(all, m)
		}
	}
	return all
}

// A NoResolverError reports a modality that a [Library] has no resolver for, so
// that it reads no source of that modality. It matches [errors.ErrUnsupported],
// but does not say that there is nothing to read.
type NoResolverError struct {
	Modality Modality
	Have     []Modality // as [Library.Modalities] returns them
}

// Error names the modality and those that have resolvers.
func (e *NoResolverError) Error() string {
	words := []string{"none"}
	if len(e.Have) > 0 {
		words = nil
	}
	for _, m := range e.Have {
		words = append(words, string(m))
	}
	return fmt.Sprintf("no resolver for %s; this library has %s: %v", message.Clip(string(e.Modality)), strings.Join(words, ", "), errors.ErrUnsupported)
}

// Is reports whether target is [errors.ErrUnsupported].
func (e *NoResolverError) Is(target error) bool { return target == errors.ErrUnsupported }

// Resolver returns the resolver of a modality. Without one, the error is a
// [*NoResolverError].
func (l *Library) Resolver(modality Modality) (Resolver, error) {
	r := l.resolvers[modality]
	if r != nil {
		return r, nil
	}
	return nil, &NoResolverError{Modality: modality, Have: l.Modalities()}
}
