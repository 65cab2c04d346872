package citekit

import (
	"cmp"
	"strings"

	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/plain"
	form "github.com/citekit/citekit/internal/selector"
)

// An Address names a part of a resource in one line, for citing. Its text form is
//
//	address  = scheme "://" id [ "#" param *( "&" param ) ]
//	scheme   = "doc" / "video" / "audio" / "image" / "text" / "virtual"
//	         / a [Modality] with a resolver of its own
//	param    = "pages=" run *( "," run )
//	         / "blocks=" run
//	         / "sheet=" name
//	         / "cells=" cell [ ":" cell ]      ; A1 notation
//	         / "rows=" run
//	         / "cols=" col *( "," col )        ; names, or letters of a sheet as "B:D"
//	         / "part=" ( run / n *( "." n ) )  ; a run in a book
//	         / "message=" n
//	         / "table=" ( name / n )           ; a number on a page, in a part or with cells
//	         / "member=" name [ "!/" name ]
//	         / "t=" time "-" [ time ]
//	         / "lines=" n [ "-" n ]
//	         / "bbox=" x1 "," y1 "," x2 "," y2
//	         / "v=" 8*64hex
//	run      = n [ "-" n ]                     ; n from 1
//	time     = seconds / mm:ss / hh:mm:ss      ; with decimals
//
// in which numbers are digits with at most one decimal point: no sign, no exponent.
// Bytes of ids and names outside [A-Za-z0-9._~-] are percent-encoded, except "/" in the
// name of a member. These parameters may stand together: bbox with one page; blocks
// with part; cells with one block or table, also of a part; table with one page or part;
// one of cells, rows and cols with sheet; rows and cols with table, or with each other in
// comma-separated values; message, part and lines; and each of these, or one parameter
// alone, with member and v.
//
// A virtual address has at most 8 KiB and no control characters. Its rest, from the
// first "/", "?" or "#" after the id, is free text.
//
// [Address.String] returns the canonical form. It has sorted, distinct pages as runs; a
// run of one as a single number, such as "pages=5", except for lines, which are always
// a range, such as "lines=5-5"; columns and cells in upper case; times in seconds;
// times and boxes as shortest exact decimals; and the parameters in the order member,
// message, part, sheet, pages, table, blocks, cells, rows, cols, t, lines, bbox, v.
type Address struct {
	Resource string   // resource id
	Location Location // Modality gives the scheme

	// Version pins the version of the source: 8 to 64 leading hex digits, in lower
	// case, of its SHA-256; "" pins nothing.
	Version string
}

// maxAddress is the longest address that is parsed, in bytes. A node of a hundred
// thousand scattered pages still fits.
const maxAddress = 1 << 20

// ParseAddress parses an address. The error matches [ErrSyntax] and says what to write
// instead. For every address a that ParseAddress returns, ParseAddress(a.String())
// returns a again.
func ParseAddress(s string) (Address, error) {
	if len(s) > maxAddress {
		return Address{}, syntaxError("an address of %d bytes; at most %d", len(s), maxAddress)
	}
	scheme, rest, ok := strings.Cut(s, "://")
	if !ok {
		return Address{}, syntaxError("address %s has no scheme; write such as doc://book#pages=3", message.Quote(s))
	}
	modality, err := modalityOfScheme(scheme)
	if err != nil {
		return Address{}, err
	}
	if modality == Virtual {
		return parseVirtual(s, rest)
	}
	escapedID, fragment, hasFragment := strings.Cut(rest, "#")
	id, err := parseID(escapedID)
	if err != nil {
		return Address{}, err
	}
	if before, query, ok := strings.Cut(escapedID, "?"); ok && !hasFragment {
		if _, _, err := parseFragment(query); err == nil && query != "" {
			return Address{}, syntaxError("a part of a resource stands behind \"#\", not \"?\"; write %s", message.Clip(scheme+"://"+before+"#"+query))
		}
	}
	a := Address{Resource: id, Location: Location{Modality: modality}}
	if hasFragment {
		if a.Location, a.Version, err = parseFragment(fragment); err != nil {
			return Address{}, err
		}
		a.Location.Modality = modality
		a.Location.normalizeCols()
		if a.Location.Time.IsZero() && modality.BuiltIn() && modality != Video && modality != Audio && form.HasTime(fragment) {
			return Address{}, syntaxError("%s location cannot have t", message.Article(modality))
		}
	}
	return a.valid()
}

func (a Address) valid() (Address, error) {
	if err := a.Location.Validate(); err != nil {
		return Address{}, err
	}
	return a, nil
}

func parseVirtual(s, rest string) (Address, error) {
	escapedID, remainder := form.CutVirtual(rest)
	id, err := parseID(escapedID)
	if err != nil {
		return Address{}, err
	}
	a := Address{Resource: id, Location: Location{Modality: Virtual}}
	if remainder != "" {
		a.Location.VirtualAddress = s
	}
	return a.valid()
}

func parseID(escaped string) (string, error) {
	id, err := form.ParseID(escaped)
	return id, asSyntax(err)
}

// ParseFragment parses the part of an address after "#", for a file that has no address
// yet. The modality of the location follows from the selectors: [Document] for pages, a
// sheet or a table by its name, [Text] for lines or a message, and [Image] for a bbox
// alone. It is "" for an empty fragment and for selectors that several modalities have: a
// time belongs to [Video] or [Audio]; blocks, part, rows, cols and the number of a table
// alone belong to Document or Text; and a member tells its own modality. A time from 0 to
// the end is everything: whoever knows the modality checks with [ParseAddress] that it has
// a time.
func ParseFragment(fragment string) (loc Location, version string, err error) {
	if len(fragment) > maxAddress {
		return Location{}, "", syntaxError("a fragment of %d bytes; at most %d", len(fragment), maxAddress)
	}
	if fragment == "" {
		return Location{}, "", nil
	}
	if loc, version, err = parseFragment(fragment); err != nil {
		return Location{}, "", err
	}
	loc.normalizeCols()
	switch {
	case loc.Member != "":
		return loc, version, loc.validateAs(Document, Text, Image, Video, Audio)
	case len(loc.Pages) > 0, loc.Sheet != "", loc.Table != "" && (loc.TableNumber() == 0 || !loc.Rows.IsZero() || len(loc.Cols) > 0):
		loc.Modality = Document
	case !loc.Lines.IsZero(), loc.Message != 0:
		loc.Modality = Text
	case loc.Table != "", !loc.Blocks.IsZero(), !loc.Cells.IsZero(), !loc.Rows.IsZero(), len(loc.Cols) > 0, loc.Part != "":
		return loc, version, loc.validateAs(Document, Text)
	case !loc.Box.IsZero():
		loc.Modality = Image
	default:
		return loc, version, nil
	}
	return loc, version, loc.Validate()
}

// validateAs returns nil if l means something in one of the modalities, else the first error.
func (l Location) validateAs(modalities ...Modality) (first error) {
	for _, m := range modalities {
		l.Modality = m
		err := l.Validate()
		if err == nil {
			return nil
		}
		first = cmp.Or(first, err)
	}
	return first
}

func parseFragment(fragment string) (loc Location, version string, err error) {
	version, err = form.Params(fragment, func(name string) form.Value {
		if s := selectorNamed(name); s != nil {
			return s.of(&loc)
		}
		return nil
	}, reads)
	return loc, version, asSyntax(err)
}

// reads reports whether a value is one of a selector.
func reads(name, value string) bool {
	_, _, err := ParseFragment(name + "=" + value)
	return err == nil
}

// Validate returns an error matching [ErrSyntax] if the id of a cannot name a resource,
// if its location is invalid, or if its version is not 8 to 64 hex digits in lower
// case.
func (a Address) Validate() error {
	if err := CheckResourceID(a.Resource); err != nil {
		return err
	}
	if a.Version != "" {
		if err := form.CheckVersion(a.Version); err != nil {
			return asSyntax(err)
		}
	}
	if err := a.Location.Validate(); err != nil {
		return err
	}
	return asSyntax(form.CheckVirtualIn(a.Resource, a.Location.VirtualAddress))
}

// String returns the canonical form of a, which [ParseAddress] reads. If a is invalid,
// or its text would exceed 1 MiB, String returns the escaped id and the selectors
// without a scheme, which ParseAddress refuses. [Address.Validate] says why.
func (a Address) String() string {
	if a.Validate() == nil {
		if s := a.canonical(); len(s) <= maxAddress {
			return s
		}
	}
	s := plain.PercentEncode(a.Resource)
	if fragment := a.Location.String(); fragment != "" {
		s += "#" + fragment
	}
	return s
}

func (a Address) canonical() string {
	loc := a.Location
	if loc.Modality == Virtual && loc.VirtualAddress != "" {
		return form.Virtual(a.Resource, loc.VirtualAddress)
	}
	s := loc.Modality.scheme() + "://" + plain.PercentEncode(a.Resource)
	if fragment := a.Fragment(); fragment != "" {
		s += "#" + fragment
	}
	return s
}

// Fragment returns what the canonical form has after "#"; "" for a virtual address.
func (a Address) Fragment() string {
	fragment := a.Location.String()
	switch {
	case a.Version == "" || a.Location.VirtualAddress != "":
		return fragment
	case fragment == "":
		return "v=" + a.Version
	}
	return fragment + "&v=" + a.Version
}

// Equal reports whether a and b name the same part of the same version.
func (a Address) Equal(b Address) bool {
	return a.Resource == b.Resource && a.Version == b.Version && a.Location.Equal(b.Location)
}

// MarshalText implements [encoding.TextMarshaler] with [Address.String]. For an invalid
// address it returns the error of [Address.Validate].
func (a Address) MarshalText() ([]byte, error) {
	if err := a.Validate(); err != nil {
		return nil, err
	}
	return []byte(a.String()), nil
}

// UnmarshalText implements [encoding.TextUnmarshaler] with [ParseAddress].
func (a *Address) UnmarshalText(text []byte) error {
	parsed, err := ParseAddress(string(text))
	if err != nil {
		return err
	}
	*a = parsed
	return nil
}
