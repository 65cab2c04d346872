package sniff

import (
	"bytes"
	"slices"
	"strings"
)

var (
	formatEML  = Format{ID: "eml", Name: "an e-mail message", Kind: Text, MediaType: "message/rfc822", Ext: ".eml"}
	formatMbox = Format{ID: "mbox", Name: "a mailbox", Kind: Text, MediaType: "application/mbox", Ext: ".mbox"}
)

// mail knows messages (RFC 5322) and mailboxes (RFC 4155), which are text.
func mail(h head) (Format, error) {
	switch {
	case isMbox(h.b):
		return formatMbox, nil
	case isEML(h.b, h.size > int64(len(h.b))):
		return formatEML, nil
	}
	return Format{}, nil
}

// isMbox reports whether a file that begins with b is a mailbox: a line that
// says from whom and when a message came, and its header. What git
// format-patch writes looks the same but for its date, which never changes;
// it is a patch, and so other text.
func isMbox(b []byte) bool {
	line, rest, _ := bytes.Cut(bytes.TrimLeft(b, "\r\n"), []byte("\n"))
	next, _, _ := bytes.Cut(rest, []byte("\n"))
	begins := isFirstField(FieldName(next)) || hasFullDate(line) && (FieldName(next) != "" || len(bytes.TrimSpace(next)) == 0)
	return begins && IsSeparator(line, next, true) && !bytes.Contains(line, []byte(patchDate))
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

// hasFullDate reports whether a line ends with a date as RFC 4155, appendix A,
// has it, such as "Mon Jan  1 00:00:00 2001".
func hasFullDate(line []byte) bool {
	words := strings.Fields(string(line))
	for i := 2; i+4 < len(words); i++ {
		day := strings.Contains(" Mon Tue Wed Thu Fri Sat Sun ", " "+words[i]+" ")
		month := strings.Contains(" Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec ", " "+words[i+1]+" ")
		if day && month && strings.Trim(words[i+2], "0123456789") == "" && len(words)-i <= 7 {
			return hasDate([]byte(strings.Join(words[i+3:], " ")))
		}
	}
	return false
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
	return isMailField(name) || name == "date" || name == "comments" || strings.HasPrefix(name, "content-")
}

// isEML reports whether a file that begins with b is a message: all lines up to
// the first empty one are fields, or go one on, the first is one of mail, and
// they say who wrote it and when, how it came, or how its body is encoded. More
// says that the file goes on after b.
func isEML(b []byte, more bool) bool {
	if i := bytes.LastIndexByte(b, '\n'); more && i >= 0 {
		b = b[:i+1]
	}
	f := fields{values: make(map[string]string)}
	body, ok := f.read(bytes.TrimLeft(bytes.TrimPrefix(b, []byte("\xef\xbb\xbf")), "\r\n"))
	return ok && (f.areOfMessage() || f.areOfEntity(body))
}

// fields are those of a header: the first of each name.
type fields struct {
	values    map[string]string // by names in lower case
	known     int               // of mail, written with a capital
	addressed bool              // From has an address
}

// read reads a header, and returns what follows it. It is false for what is
// none.
func (f *fields) read(b []byte) (body []byte, ok bool) {
	last := ""
	for len(b) > 0 {
		line, rest, _ := bytes.Cut(b, []byte("\n"))
		b, line = rest, bytes.TrimRight(line, "\r")
		if len(line) == 0 {
			break
		}
		name := FieldName(line)
		switch continues := line[0] == ' ' || line[0] == '\t'; {
		case continues && len(f.values) > 0:
			f.values[last] += string(line)
			continue
		case name == "" || len(f.values) == 0 && !isFirstField(name):
			return nil, false
		}
		f.addressed = f.addressed || name == "from" && bytes.IndexByte(line, '@') > 0
		last = name
		if _, seen := f.values[name]; seen {
			last = ""
			continue
		}
		f.values[name] = string(line[bytes.IndexByte(line, ':')+1:])
		if (isMailField(name) || name == "date") && 'A' <= line[0] && line[0] <= 'Z' {
			f.known++
		}
	}
	return b, len(f.values) > 0
}

func (f *fields) has(names ...string) bool {
	return slices.ContainsFunc(names, func(name string) bool { _, there := f.values[name]; return there })
}

// areOfMessage reports whether the fields are those of a message that was
// written and sent.
func (f *fields) areOfMessage() bool {
	traced := f.has("received", "return-path", "message-id", "mime-version")
	return f.known >= 3 && f.has("from", "received", "return-path") &&
		(traced || f.addressed && (f.has("date") || f.has("to") && f.has("subject")))
}

// areOfEntity reports whether the fields say how a body is encoded (RFC 2045):
// by the fields that only mail has, or by a boundary that is in the body.
func (f *fields) areOfEntity(body []byte) bool {
	kind, params, _ := strings.Cut(f.values["content-type"], ";")
	major, minor, ok := strings.Cut(strings.TrimSpace(kind), "/")
	if !ok || major == "" || minor == "" || strings.ContainsAny(major+minor, " \t\"<>") {
		return false
	}
	if boundary := boundaryOf(params); strings.EqualFold(major, "multipart") && boundary != "" {
		return bytes.Contains(append([]byte("\n"), body...), []byte("\n--"+boundary))
	}
	switch encoding := strings.TrimSpace(f.values["content-transfer-encoding"]); strings.ToLower(encoding) {
	case "7bit", "8bit", "binary", "base64", "quoted-printable", "x-uuencode":
		return true
	}
	return strings.TrimSpace(f.values["mime-version"]) == "1.0"
}

// boundaryOf returns the boundary among the parameters of a field, or "".
func boundaryOf(params string) string {
	i := strings.Index(strings.ToLower(params), "boundary=")
	if i < 0 {
		return ""
	}
	value := params[i+len("boundary="):]
	if quoted, ok := strings.CutPrefix(value, `"`); ok {
		value, _, _ = strings.Cut(quoted, `"`)
		return strings.TrimRight(value, " \t")
	}
	value, _, _ = strings.Cut(value, ";")
	return strings.TrimSpace(value)
}
