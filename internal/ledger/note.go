package ledger

import (
	"path"
	"strconv"
	"strings"

	"github.com/citekit/citekit/internal/plain"
)

// Kind is the kind of the notes that are stored: the note of a source has its
// path as name.
const Kind = "ingest"

// A Note is what is remembered about one source.
type Note struct {
	Identity   string // of the source
	Companions string // a digest of their content
	Hash       string // of the source
	Size       int64  // of the source, in bytes; zero if it was not noted
	ID         string // of its map
	Type       string // modality of its map
	Asked      string // the modality that was asked for
	Mapper     string
	Method     string
	Nodes      int64
	Stamp      string // of its map when that was last looked at
	ByHand     Hand   // what a person did to that map
	Skipped    string // why it has no map
}

// A Hand says what a person did to a map that ingest made.
type Hand string

// What a person may have done.
const (
	Nothing Hand = ""
	Edited  Hand = "edited"
	Unknown Hand = "unknown" // the map does not tell how it was made
)

// maxText is the size in bytes of the largest text that is kept in a note: a
// store need not keep larger notes than 64 KiB.
const maxText = 1024

// Bounded returns a note whose texts fit.
func (n Note) Bounded() Note {
	for _, text := range []*string{&n.Type, &n.Asked, &n.Mapper, &n.Method, &n.Skipped} {
		*text = plain.Cut(*text, maxText)
	}
	return n
}

// form begins a stored note: one of another form is none.
const form = "1"

// Parse reads a stored note. It reports whether it is one. A folder has many,
// all of which are read for each ingest: JSON would take longer than to look at
// the sources.
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
	return n, ok && rest == ""
}

// Encode returns a note as Parse reads it: its fields, each behind a tab.
func (n Note) Encode() []byte {
	data := []byte(form)
	for _, number := range n.numbers() {
		data = strconv.AppendInt(append(data, '\t'), *number, 10)
	}
	for _, text := range n.texts() {
		data = append(data, '\t')
		if strings.HasPrefix(*text, `"`) || strings.ContainsAny(*text, "\t\n") {
			data = strconv.AppendQuote(data, *text)
		} else {
			data = append(data, *text...)
		}
	}
	return data
}

func (n *Note) numbers() [2]*int64 { return [...]*int64{&n.Size, &n.Nodes} }

func (n *Note) texts() [11]*string {
	return [...]*string{
		&n.Identity, &n.Companions, &n.Hash, &n.ID, &n.Type, &n.Asked, &n.Mapper, &n.Method, &n.Stamp, (*string)(&n.ByHand), &n.Skipped,
	}
}

// BytesKey returns what sources share for which one mapper drafts one
// structure. How a text is read depends on its name.
func (n Note) BytesKey(source string) string {
	kind := strings.ToLower(path.Ext(source))
	if kind == "" {
		kind = path.Base(source)
	}
	return strings.Join([]string{n.Hash, n.Asked, n.Mapper, kind}, "\n")
}
