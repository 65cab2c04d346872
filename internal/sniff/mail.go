package sniff

import (
	"bytes"
	"strings"
)

var (
	formatEML  = Format{ID: "eml", Name: "an e-mail message", Kind: Text, MediaType: "message/rfc822", Ext: ".eml"}
	formatMbox = Format{ID: "mbox", Name: "a mailbox", Kind: Text, MediaType: "application/mbox", Ext: ".mbox"}
)

// mail knows messages (RFC 5322) and mailboxes (RFC 4155), which are text.
func mail(h head) (Format, error) {
	switch {
	case IsMbox(h.b):
		return formatMbox, nil
	case IsEML(h.b, h.size > int64(len(h.b))):
		return formatEML, nil
	}
	return Format{}, nil
}

// IsMbox reports whether a file that begins with b is a mailbox: a line that
// says from whom and when a message came, and its header. What git
// format-patch writes looks the same but for its date, which never changes;
// it is a patch, and so other text.
func IsMbox(b []byte) bool {
	line, rest, _ := bytes.Cut(bytes.TrimLeft(b, "\r\n"), []byte("\n"))
	next, _, _ := bytes.Cut(rest, []byte("\n"))
	return IsSeparator(line, next, true) && isFirstField(FieldName(next)) && !bytes.Contains(line, []byte(patchDate))
}

const patchDate = " Mon Sep 17 00:00:00 2001"

// IsSeparator reports whether a line of a mailbox begins a message. Next is
// the line after it; blank says that the one before it is empty, or that there
// is none. Separators have a date (RFC 4155, appendix A); where they do not,
// as some programs write them, a field of a message must follow.
func IsSeparator(line, next []byte, blank bool) bool {
	if !bytes.HasPrefix(line, []byte("From ")) {
		return false
	}
	name := FieldName(next)
	if hasDate(line) {
		return blank || name != ""
	}
	return isMailField(name) && (blank || string(bytes.TrimSpace(line)) == "From -")
}

// hasDate reports whether a line has a time and a year.
func hasDate(line []byte) bool {
	hasTime, hasYear := false, false
	for word := range bytes.FieldsSeq(line) {
		digits := bytes.TrimLeft(word, "0123456789")
		switch n := len(word) - len(digits); {
		case (n == 1 || n == 2) && len(digits) >= 3 && digits[0] == ':' && isDigit(digits[1]) && isDigit(digits[2]):
			hasTime = true
		case n == 4 && len(digits) == 0 && (word[0] == '1' || word[0] == '2'):
			hasYear = true
		}
	}
	return hasTime && hasYear
}

// FieldName returns the name of the field that a line of a header begins, in
// lower case, or "" (RFC 5322, section 2.2). Blanks before the colon are
// allowed, as they once were.
func FieldName(line []byte) string {
	const longest = 128
	for i, c := range line[:min(len(line), longest)] {
		switch {
		case c == ':':
			return string(bytes.ToLower(bytes.TrimRight(line[:i], " \t")))
		case c == ' ' || c == '\t':
			if rest := bytes.TrimLeft(line[i:], " \t"); i == 0 || len(rest) == 0 || rest[0] != ':' {
				return ""
			}
		case c < '!' || c > '~':
			return ""
		}
	}
	return ""
}

// mailFields are those of messages that other texts with a header do not have,
// or seldom.
const mailFields = " arc-authentication-results arc-message-signature arc-seal authentication-results bcc cc delivered-to dkim-signature" +
	" domainkey-signature envelope-to errors-to from in-reply-to list-id list-unsubscribe message-id mime-version" +
	" newsgroups precedence received received-spf references reply-to resent-from return-path sender status" +
	" subject thread-index thread-topic to "

func isMailField(name string) bool {
	return name != "" && (strings.HasPrefix(name, "x-") || strings.Contains(mailFields, " "+name+" "))
}

// isFirstField reports whether a message may begin with the field of a name.
func isFirstField(name string) bool {
	return isMailField(name) || name == "date" || name == "content-type"
}

// IsEML reports whether a file that begins with b is a message: all lines up to
// the first empty one are fields, or go one on, the first is one of mail, and
// they say who wrote it and when, or how it came. More says that the file goes
// on after b.
func IsEML(b []byte, more bool) bool {
	if i := bytes.LastIndexByte(b, '\n'); more && i >= 0 {
		b = b[:i+1]
	}
	b = bytes.TrimLeft(bytes.TrimPrefix(b, []byte("\xef\xbb\xbf")), "\r\n")
	seen := make(map[string]bool)
	known, addressed := 0, false
	for line := range bytes.Lines(b) {
		line = bytes.TrimRight(line, "\r\n")
		if len(line) == 0 {
			break
		}
		name := FieldName(line)
		switch continues := line[0] == ' ' || line[0] == '\t'; {
		case continues && len(seen) > 0:
			continue
		case name == "" || len(seen) == 0 && !isFirstField(name):
			return false
		}
		if (isMailField(name) || name == "date") && 'A' <= line[0] && line[0] <= 'Z' && !seen[name] {
			known++
		}
		addressed = addressed || name == "from" && bytes.IndexByte(line, '@') > 0
		seen[name] = true
	}
	traced := seen["received"] || seen["return-path"] || seen["message-id"] || seen["mime-version"]
	return known >= 3 && (seen["from"] || seen["received"] || seen["return-path"]) &&
		(traced || addressed && (seen["date"] || seen["to"] && seen["subject"]))
}
