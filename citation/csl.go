package citation

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/plain"
)

// A cslItem is an item of CSL-JSON 1.0.2, with the members that this package
// writes and reads.
type cslItem struct {
	ID     string     `json:"id"`
	Type   string     `json:"type"`
	Title  string     `json:"title,omitempty"`
	Author []cslName  `json:"author,omitempty"`
	Issued *cslDate   `json:"issued,omitempty"`
	Page   string     `json:"page,omitempty"`
	Note   string     `json:"note,omitempty"`
	URL    string     `json:"URL,omitempty"`
	Custom *cslCustom `json:"custom,omitempty"`
}

type cslName struct {
	Family  string `json:"family,omitempty"`
	Given   string `json:"given,omitempty"`
	Literal string `json:"literal,omitempty"`
}

type cslDate struct {
	Parts   [][]cslNumber `json:"date-parts,omitempty"`
	Literal string        `json:"literal,omitempty"`
	Raw     string        `json:"raw,omitempty"`
}

// A cslNumber may also be a string of digits.
type cslNumber int

func (n *cslNumber) UnmarshalJSON(data []byte) error {
	v, err := strconv.Atoi(strings.Trim(string(data), `"`))
	*n = cslNumber(v)
	return err
}

// A cslCustom holds the data that has no member in CSL.
type cslCustom struct {
	Part   string `json:"part,omitempty"`
	Quote  string `json:"quote,omitempty"`
	Prefix string `json:"prefix,omitempty"`
	Suffix string `json:"suffix,omitempty"`
}

// CSL returns c as an item of CSL-JSON, the form of Zotero, Pandoc and
// citeproc. Its URL is the address, and its note the place, as [Place] returns it,
// unless pages say all of it: CSL has a locator only where an item is cited. An
// author in the form "Family, Given" is split into these; other authors are kept as
// written, because their family name is unknown. The quote and the title of the
// part are in "custom". For an invalid address the error matches
// [citekit.ErrSyntax].
func (c *Citation) CSL() ([]byte, error) {
	if err := c.Address.Validate(); err != nil {
		return nil, err
	}
	item := cslItem{
		ID: c.Key(), Type: c.cslType(), Title: c.title(), URL: c.Address.String(), Note: c.note(),
		Page: strings.ReplaceAll(c.pages(), ",", ", "),
	}
	for _, name := range c.Work.Authors {
		if name = plain.Line(name); name != "" {
			item.Author = append(item.Author, cslNameOf(name))
		}
	}
	if d, ok := c.Work.date(); ok {
		parts := []cslNumber{cslNumber(d.year), cslNumber(d.month), cslNumber(d.day)}
		if n := slices.Index(parts, 0); n > 0 {
			parts = parts[:n]
		}
		item.Issued = &cslDate{Parts: [][]cslNumber{parts}}
	} else if c.Work.Date != "" {
		item.Issued = &cslDate{Literal: plain.Line(c.Work.Date)}
	}
	if custom := (cslCustom{c.Work.Part, c.Quote, c.Prefix, c.Suffix}); custom != (cslCustom{}) {
		item.Custom = &custom
	}
	return json.Marshal(item)
}

func cslNameOf(name string) cslName {
	family, given, ok := strings.Cut(name, ", ")
	if !ok || family == "" || given == "" || strings.Contains(given, ",") {
		return cslName{Literal: name}
	}
	return cslName{Family: family, Given: given}
}

func (n cslName) String() string {
	switch {
	case n.Literal != "":
		return n.Literal
	case n.Given == "":
		return n.Family
	case n.Family == "":
		return n.Given
	}
	return n.Family + ", " + n.Given
}

func (c *Citation) cslType() string {
	switch c.Address.Location.Modality {
	case citekit.Video:
		return "motion_picture"
	case citekit.Audio:
		if c.Quote != "" || c.Work.Transcribed {
			return "speech"
		}
		return "song" // what CSL 1.0.2 has for any recording
	case citekit.Image:
		return "graphic"
	}
	return "document"
}

// maxKey is how long a key may be: Citation.js takes no entry whose key has more than
// some 100 characters.
const maxKey = 80

// Key returns a name for c in a bibliography, such as "notes-pages-12": the id
// of the resource and the place, in letters of ASCII, digits and "-", in at most 80
// characters. If letters or digits are lost in that, the beginning of a hash of the
// address is added, so that keys of different addresses differ there too.
func (c *Citation) Key() string {
	text := c.Address.Resource
	if place := c.Address.Location.String(); place != "" {
		text += "-" + place
	}
	var b strings.Builder
	lost := false
	for _, r := range text {
		lost = lost || r > unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r))
		switch {
		case 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9':
			b.WriteRune(r)
		case b.Len() > 0 && b.String()[b.Len()-1] != '-':
			b.WriteByte('-')
		}
	}
	key := cmp.Or(strings.Trim(b.String(), "-"), "source")
	if lost || len(key) > maxKey {
		sum := sha256.Sum256([]byte(text))
		hash := "-" + hex.EncodeToString(sum[:4])
		key = strings.TrimRight(key[:min(len(key), maxKey-len(hash))], "-") + hash
	}
	return key
}

// ParseCSL returns the citations of CSL-JSON, which is an item or a list of
// items. An item whose URL is not an address has no address. For JSON of
// another shape the error matches [citekit.ErrSyntax].
func ParseCSL(data []byte) ([]Citation, error) {
	var items []cslItem
	if err := unmarshalOneOrMore(data, &items); err != nil {
		return nil, syntaxError("this is no CSL-JSON, %s", message.Clip(err.Error()))
	}
	found := make([]Citation, len(items))
	for i, item := range items {
		found[i] = item.citation()
	}
	return found, nil
}

func (item *cslItem) citation() Citation {
	c := Citation{Work: Work{Title: item.Title}}
	if a, err := citekit.ParseAddress(item.URL); err == nil {
		c.Address = a
	} else {
		c.Work.Path = item.URL
	}
	for _, name := range item.Author {
		c.Work.Authors = append(c.Work.Authors, name.String())
	}
	if item.Issued != nil {
		c.Work.Date = item.Issued.String()
	}
	if own := item.Custom; own != nil {
		c.Work.Part, c.Quote, c.Prefix, c.Suffix = own.Part, own.Quote, own.Prefix, own.Suffix
	}
	return c
}

func (d *cslDate) String() string {
	if len(d.Parts) == 0 || len(d.Parts[0]) == 0 {
		return d.Literal + d.Raw
	}
	parts := append(slices.Clone(d.Parts[0]), 0, 0)
	for i, most := range []cslNumber{9999, 12, 31} {
		if parts[i] < 0 || parts[i] > most {
			return ""
		}
	}
	return date{int(parts[0]), int(parts[1]), int(parts[2])}.String()
}

// unmarshalOneOrMore decodes a list, or one object as a list of it.
func unmarshalOneOrMore[T any](data []byte, list *[]T) error {
	if text := strings.TrimLeft(string(data[:min(len(data), 64)]), " \t\r\n"); !strings.HasPrefix(text, "{") {
		return json.Unmarshal(data, list)
	}
	var one T
	if err := json.Unmarshal(data, &one); err != nil {
		return err
	}
	*list = []T{one}
	return nil
}
