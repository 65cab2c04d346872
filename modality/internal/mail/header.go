package mail

import (
	"bytes"
	netmail "net/mail"
	"slices"
	"strings"
	"time"

	"github.com/citekit/citekit/internal/sniff"
)

// Bounds of what is kept of headers. Bytes beyond them are skipped.
const (
	maxField   = 64 << 10 // bytes of a field
	maxHeaders = 4 << 20  // of all fields of a message and its parts
)

// kept are the names of the fields that are used.
var kept = []string{
	"from", "to", "cc", "date", "subject", "sender", "message-id", "in-reply-to", "references",
	"content-type", "content-transfer-encoding", "content-disposition", "content-location",
}

// A header is the fields of a message or a part that are kept: the first of
// each name, as it is written, without its name.
type header map[string]string

// text returns a field as people read it, on one line.
func (h header) text(name string) string { return decodeWords(h[name]) }

// time returns when a message was sent; zero if it has no valid date.
func (h header) time() time.Time {
	if h["date"] == "" {
		return time.Time{}
	}
	t, err := netmail.ParseDate(strings.Join(strings.Fields(h["date"]), " "))
	if err != nil || t.Year() < 1 || t.Year() > 9999 {
		return time.Time{}
	}
	return t
}

// ids returns what stands in angle brackets in a field.
func (h header) ids(name string) []string {
	const most = 100
	var ids []string
	for rest := h[name]; len(ids) < most; {
		_, after, ok := strings.Cut(rest, "<")
		id, tail, closed := strings.Cut(after, ">")
		if !ok || !closed {
			break
		}
		if id = strings.TrimSpace(id); id != "" {
			ids = append(ids, id)
		}
		rest = tail
	}
	return ids
}

// authors returns the names in a field of addresses. An address without a name
// stands for itself.
func (h header) authors(name string) []string {
	var names []string
	for _, one := range splitAddresses(h[name]) {
		display, address, ok := strings.Cut(one, "<")
		if ok {
			address, _, _ = strings.Cut(address, ">")
		} else {
			display, address = "", stripComments(one)
		}
		display = strings.Trim(decodeWords(unquote(display)), `"' `)
		if display == "" {
			display = decodeWords(address)
		}
		if display != "" {
			names = append(names, display)
		}
	}
	return names
}

// splitAddresses cuts a field at the commas between addresses.
func splitAddresses(text string) []string {
	var all []string
	quoted, angle, start := false, false, 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\' && quoted:
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '<', c == '>':
			angle = c == '<'
		case c == ',' && !angle:
			all = append(all, text[start:i])
			start = i + 1
		}
	}
	return append(all, text[start:])
}

// A headerReader gathers the fields of one header.
type headerReader struct {
	fields header
	name   string // of the field that may go on; "" if it is not kept
	value  []byte
	any    bool // there was a field
	left   *int // bytes that may still be kept
}

// add takes a line of a header. It returns false for any other line.
func (r *headerReader) add(l line) bool {
	text := l.text
	switch {
	case !l.begins:
	case r.any && (text[0] == ' ' || text[0] == '\t'):
	case isTrace(text):
		r.end()
		return true
	default:
		name := sniff.FieldName(text)
		if name == "" {
			return false
		}
		r.end()
		r.any = true
		if _, there := r.fields[name]; there || !slices.Contains(kept, name) {
			return true
		}
		r.name = name
		text = text[bytes.IndexByte(text, ':')+1:]
	}
	if room := min(maxField-len(r.value), *r.left); r.name != "" && room > 0 {
		text = bytes.TrimRight(text, "\r\n")
		text = text[:min(len(text), room)]
		r.value = append(r.value, text...)
		*r.left -= len(text)
	}
	return true
}

// end ends a field.
func (r *headerReader) end() {
	if r.name != "" {
		r.fields[r.name] = strings.TrimSpace(string(r.value))
	}
	r.name, r.value = "", r.value[:0]
}

// isTrace reports whether a line is one of a mailbox that stands in a header:
// "From " or, quoted, ">From ".
func isTrace(text []byte) bool {
	return bytes.HasPrefix(text, []byte("From ")) || bytes.HasPrefix(text, []byte(">From "))
}
