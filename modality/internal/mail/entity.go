package mail

import (
	"io"
	"strings"
)

// An entity is a message or a part of one: a header and a body (RFC 2045).
type entity struct {
	held   io.ReaderAt // what the offsets are in; nil if that is the source
	number string      // as addresses have it; "" for one that has none
	header header
	kind   string // its media type, in lower case
	params map[string]string

	start, body, end int64 // of the header, of the body, of what follows
	closed           int64 // of the last delimiter of a multipart that has no parts, or 0

	parts   []*entity // of a multipart
	sealed  bool      // it is the encrypted part of a multipart/encrypted (RFC 1847)
	message *entity   // that is in a message/rfc822
}

// in returns what the offsets of e are in, for the source of its message.
func (e *entity) in(src io.ReaderAt) io.ReaderAt {
	if e.held != nil {
		return e.held
	}
	return src
}

// isMultipart reports whether e has parts. A multipart without any is none.
func (e *entity) isMultipart() bool { return len(e.parts) > 0 }

// isText reports whether people read e as it is.
func (e *entity) isText() bool {
	return strings.HasPrefix(e.kind, "text/") || e.kind == "message/delivery-status" || e.kind == "message/disposition-notification"
}

// mayBeMessage reports whether a media type is that of a message in a part.
func mayBeMessage(kind string) bool {
	return kind == "message/rfc822" || kind == "message/global" || kind == "message/news"
}

// setKind sets the media type by the header.
func (e *entity) setKind(fallback string) {
	v := parseValue(e.header["content-type"])
	e.kind, e.params = v.word, v.params
	if e.kind == "" {
		e.kind = fallback
	}
	if !isMediaType(e.kind) {
		e.kind = "text/plain" // RFC 2045, section 5.2
	}
}

// isMediaType reports whether kind is two words with a slash between.
func isMediaType(kind string) bool {
	major, minor, ok := strings.Cut(kind, "/")
	return ok && isToken(major) && isToken(minor)
}

func isToken(s string) bool {
	return s != "" && len(s) <= 127 && strings.IndexFunc(s, func(r rune) bool {
		return r <= ' ' || r >= 0x7f || strings.ContainsRune(`()<>@,;:\"/[]?=`, r)
	}) < 0
}
