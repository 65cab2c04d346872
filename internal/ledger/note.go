package ledger

import (
	"path"
	"strconv"
	"strings"

	"github.com/citekit/citekit/internal/plain"
)

// Kind is the kind of the stored notes. The name of a note is the path of its
// source.
const Kind = "ingest"

// A Note is what ingest keeps about one source.
type Note struct {
	Identity   string // of the source
	Companions string // a digest of their content
	Hash       string // of the source
	Size       int64  // of the source, in bytes; zero if it was not noted
	ID         string // of its map
	Type       string // modality of its map
	Asked      string // the requested modality
	Mapper     string
	Method     string
	Nodes      int64
	Stamp      string // of its map when that was last checked
	ByHand     Hand   // what a user did to that map
	Skipped    string // why it has no map
	Failed     string // a digest of why it could not be mapped, and of its version then; see package ingest
	Reason     string // why it could not be mapped, if Failed is set
	Code       string // of that error
	Tried      string // a digest of what that depended on, if it would fail again
}

// A Hand is what a user did to a map that ingest made.
type Hand string

// The values of Hand.
const (
	Nothing Hand = ""
	Edited  Hand = "edited"
	Unknown Hand = "unknown" // the map does not show how it was made
)

// maxText is the largest size, in bytes, of a text in a note: stores must only
// accept notes up to 64 KiB.
const maxText = 1024

// Bounded returns a note whose texts fit the bounds.
func (n Note) Bounded() Note {
	for _, text := range []*string{&n.Type, &n.Asked, &n.Mapper, &n.Method, &n.Skipped, &n.Reason} {
		*text = plain.Cut(*text, maxText)
	}
	return n
}

// form is the first field of a stored note. A note of another form is ignored.
const form = "1"

// Parse reads a stored note, and reports whether data is one. Each ingest of a
// folder reads all of its many notes; parsing JSON would take longer than
// checking the sources.
func Parse(data []byte) (n Note, ok bool) {
	rest, ok := strings.CutPrefix(string(data), form)
	if !ok {
		return n, false
	}
	next := func() (field string) {
		if rest, ok = strings.CutPrefix(rest, "\t"); !ok {
			return ""
		}
		field, _, _ = strings.Cut(rest, "\t")
		rest = rest[len(field):]
		return field
	}
	for _, number := range n.numbers() {
		*number, _ = strconv.ParseInt(next(), 10, 64)
	}
	for _, text := range n.texts() {
		if *text = next(); strings.HasPrefix(*text, `"`) {
			*text, _ = strconv.Unquote(*text)
		}
	}
	if ok && rest != "" { // only a failure has these fields, so that older versions read all other notes
		n.Failed = next()
	}
	if ok && rest != "" {
		for _, text := range n.failure() {
			if *text = next(); strings.HasPrefix(*text, `"`) {
				*text, _ = strconv.Unquote(*text)
			}
		}
	}
	return n, ok && rest == ""
}

// Encode returns a note in the form that Parse reads: its fields, each after a
// tab.
func (n Note) Encode() []byte {
	data := []byte(form)
	for _, number := range n.numbers() {
		data = strconv.AppendInt(append(data, '\t'), *number, 10)
	}
	for _, text := range n.texts() {
		data = appendText(data, *text)
	}
	if n.Failed == "" {
		return data
	}
	data = append(append(data, '\t'), n.Failed...)
	if n.Reason+n.Code+n.Tried != "" {
		for _, text := range n.failure() {
			data = appendText(data, *text)
		}
	}
	return data
}

func appendText(data []byte, text string) []byte {
	data = append(data, '\t')
	if strings.HasPrefix(text, `"`) || strings.ContainsAny(text, "\t\n") {
		return strconv.AppendQuote(data, text)
	}
	return append(data, text...)
}

func (n *Note) failure() [3]*string { return [...]*string{&n.Reason, &n.Code, &n.Tried} }

func (n *Note) numbers() [2]*int64 { return [...]*int64{&n.Size, &n.Nodes} }

func (n *Note) texts() [11]*string {
	return [...]*string{
		&n.Identity, &n.Companions, &n.Hash, &n.ID, &n.Type, &n.Asked, &n.Mapper, &n.Method, &n.Stamp, (*string)(&n.ByHand), &n.Skipped,
	}
}

// BytesKey returns a key that is equal for sources for which a mapper drafts
// the same structure. It includes the extension of the source, or its name
// without one, because how a text is read depends on its name.
func (n Note) BytesKey(source string) string {
	kind := strings.ToLower(path.Ext(source))
	if kind == "" {
		kind = path.Base(source)
	}
	return strings.Join([]string{n.Hash, n.Asked, n.Mapper, kind}, "\n")
}
