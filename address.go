package citekit

import (
	"cmp"
	"net/url"
	"strconv"
	"strings"

	"github.com/citekit/citekit/internal/ctxio"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/plain"
)

// An Address names a part of a resource in one line, for citing. Its text
// form is
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
//	         / "table=" name
//	         / "member=" name [ "!/" name ]
//	         / "t=" time "-" [ time ]
//	         / "lines=" n [ "-" n ]
//	         / "bbox=" x1 "," y1 "," x2 "," y2
//	         / "v=" 8*64hex
//	run      = n [ "-" n ]                     ; n from 1
//	time     = seconds / mm:ss / hh:mm:ss      ; with decimals
//
// in which numbers are digits with at most one decimal point: no sign, no
// exponent. Bytes of ids and names outside [A-Za-z0-9._~-] are percent-encoded,
// except "/" in the name of a member. These parameters may stand together: bbox
// with one page; blocks with part; cells with one block, also of a part; one of
// cells, rows and cols with sheet; rows and cols with table, or with each other
// in comma-separated values; message, part and lines; and each of these, or one
// parameter alone, with member and v.
//
// A virtual address has at most 8 KiB and no control characters. Its rest, from
// the first "/", "?" or "#" after the id, is free text.
//
// [Address.String] returns the canonical form. It has sorted, distinct pages as
// runs; a run of one as a single number, such as "pages=5", except for lines,
// which are always a range, such as "lines=5-5"; columns and cells in upper
// case; times in seconds; times and boxes as shortest exact decimals; and the
// parameters in the order member, message, part, table, sheet, pages, blocks,
// cells, rows, cols, t, lines, bbox, v.
type Address struct {
	Resource string   // resource id
	Location Location // Modality gives the scheme

	// Version pins the version of the source: 8 to 64 leading hex digits,
	// in lower case, of its SHA-256; "" pins nothing.
	Version string
}

// maxAddress is the longest address that is parsed, in bytes. A node of a
// hundred thousand scattered pages still fits.
const maxAddress = 1 << 20

const (
	minVersion = 8
	maxVersion = 64
)

// ParseAddress parses an address. The error matches [ErrSyntax] and says what
// to write instead. For every address a that ParseAddress returns,
// ParseAddress(a.String()) returns a again.
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
		if a.Location.Time.IsZero() && modality.builtIn() && modality != Video && modality != Audio && hasTime(fragment) {
			return Address{}, syntaxError("%s location cannot have t", message.Article(modality))
		}
	}
	if err := a.Location.Validate(); err != nil {
		return Address{}, err
	}
	return a, nil
}

// hasTime reports whether a fragment has the parameter t, which may be that of
// everything.
func hasTime(fragment string) bool {
	return strings.HasPrefix(fragment, "t=") || strings.Contains(fragment, "&t=")
}

func parseVirtual(s, rest string) (Address, error) {
	escapedID, remainder := cutVirtual(rest)
	id, err := parseID(escapedID)
	if err != nil {
		return Address{}, err
	}
	a := Address{Resource: id, Location: Location{Modality: Virtual}}
	if remainder != "" {
		a.Location.VirtualAddress = s
	}
	if err := a.Location.Validate(); err != nil {
		return Address{}, err
	}
	return a, nil
}

// cutVirtual splits what follows "virtual://" after the id.
func cutVirtual(rest string) (escapedID, remainder string) {
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		return rest[:i], rest[i:]
	}
	return rest, ""
}

func parseID(escaped string) (string, error) {
	id, err := url.PathUnescape(escaped)
	if err != nil {
		return "", syntaxError("resource id %s has a bad percent escape", message.Quote(escaped))
	}
	return id, CheckResourceID(id)
}

// ParseFragment parses the part of an address after "#", for a file that has no
// address yet. The modality of the location follows from the selectors:
// [Document] for pages, a sheet or a table, [Text] for lines or a message, and
// [Image] for a bbox alone. It is "" for an empty fragment and for selectors
// that several modalities have: a time belongs to [Video] or [Audio]; blocks,
// part, rows and cols alone belong to Document or Text; and a member tells its
// own modality. A time from 0 to the end is everything: the location is then the
// whole, and whoever knows the modality checks with [ParseAddress] that it has a time.
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
	case len(loc.Pages) > 0, loc.Sheet != "", loc.Table != "":
		loc.Modality = Document
	case !loc.Lines.IsZero(), loc.Message != 0:
		loc.Modality = Text
	case loc.isStructured():
		return loc, version, loc.validateAs(Document, Text)
	case !loc.Box.IsZero():
		loc.Modality = Image
	default:
		return loc, version, nil
	}
	return loc, version, loc.Validate()
}

// validateAs returns nil if l means something in one of the modalities, else the
// error of the first.
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
	seen := make(map[string]bool)
	for param := range strings.SplitSeq(fragment, "&") {
		name, value, ok := strings.Cut(param, "=")
		if !ok {
			return loc, "", syntaxError("%s", message.NoValue(param, reads))
		}
		if seen[name] {
			return loc, "", syntaxError("parameter %s is given twice", message.Quote(name))
		}
		seen[name] = true
		switch name {
		case "pages":
			loc.Pages, err = parsePages(value)
		case "t":
			loc.Time, err = parseSpan(value)
		case "lines":
			loc.Lines, err = parseRun("lines", value)
		case "blocks":
			loc.Blocks, err = parseRun("blocks", value)
		case "rows":
			loc.Rows, err = parseRun("rows", value)
		case "cells":
			loc.Cells, err = ParseCells(unescaped(value))
		case "cols":
			loc.Cols, err = parseCols(value)
		case "sheet":
			loc.Sheet, err = parseName(name, value)
		case "table":
			loc.Table, err = parseName(name, value)
		case "member":
			loc.Member, err = parseName(name, value)
		case "part":
			loc.Part, err = parsePart(value)
		case "message":
			loc.Message, err = parseMessage(value)
		case "bbox":
			loc.Box, err = parseBox(value)
		case "v":
			version, err = parseVersion(value)
		default:
			err = syntaxError("%s", message.MeantParameter(name, value, reads))
		}
		if err != nil {
			return loc, "", err
		}
	}
	return loc, version, nil
}

// unescaped returns a value without percent escapes, as some programs escape ":",
// or unchanged if its escapes are malformed.
func unescaped(value string) string {
	if plain, err := url.PathUnescape(value); err == nil {
		return plain
	}
	return value
}

// parseName parses the name of a sheet, a table, a member or a column.
func parseName(param, value string) (string, error) {
	name, err := url.PathUnescape(value)
	if err != nil {
		return "", syntaxError("%s=%s has a bad percent escape", param, message.Clip(value))
	}
	if name == "" {
		return "", syntaxError("%s has no name; write such as %s=Results", param, param)
	}
	return name, checkName(param, name)
}

func parseCols(value string) ([]string, error) {
	var cols []string
	for text := range strings.SplitSeq(value, ",") {
		col, err := parseName("cols", text)
		if err != nil {
			return nil, err
		}
		if cols = append(cols, col); len(cols) > maxCols {
			return nil, syntaxError("more than %d cols", maxCols)
		}
	}
	return cols, nil
}

func parseMessage(value string) (int, error) {
	n := plain.WholeNumber(value)
	if n < 1 {
		return 0, syntaxError("message=%s; messages count from 1: write such as message=3", message.Clip(value))
	}
	return n, nil
}

// reads reports whether a value is one of a selector.
func reads(name, value string) bool {
	_, _, err := ParseFragment(name + "=" + value)
	return err == nil
}

func parsePages(value string) ([]Range, error) {
	runs := make([]Range, 0, strings.Count(value, ",")+1)
	for text := range strings.SplitSeq(value, ",") {
		run, err := parseRun("pages", text)
		if err != nil {
			return nil, err
		}
		runs = append(runs, run)
	}
	return PageRuns(runs...), nil
}

// parseRun parses "n" or "n-n" with numbers from 1, the last not before the
// first.
func parseRun(name, text string) (Range, error) {
	first, last, isRange := strings.Cut(text, "-")
	if !isRange {
		last = first
	}
	run := Range{plain.WholeNumber(first), plain.WholeNumber(last)}
	if run.First == 0 || run.Last == 0 {
		return Range{}, syntaxError("%s=%s; %s count from 1: write whole numbers from 1, such as %s=3-5", name, message.Clip(text), name, name)
	}
	if run.First < 1 || run.Last < 1 {
		return Range{}, syntaxError("%s=%s; write whole numbers from 1, such as %s=3-5", name, message.Clip(text), name)
	}
	if run.Last < run.First {
		return Range{}, syntaxError("%s=%s ends before it begins", name, message.Clip(text))
	}
	return run, nil
}

func parseSpan(value string) (Span, error) {
	start, end, isSpan := strings.Cut(value, "-")
	if !isSpan {
		return Span{}, syntaxError("t=%s has no end; write t=10-20, or t=10- up to the end", message.Clip(value))
	}
	if start == "" {
		return Span{}, syntaxError("t=%s has no start, and no time is negative; write such as t=0-20", message.Clip(value))
	}
	var span Span
	var ok bool
	if span.Start, ok = plain.Seconds(start); !ok {
		return Span{}, timeError(start)
	}
	if end == "" {
		return span, nil
	}
	if span.End, ok = plain.Seconds(end); !ok {
		return Span{}, timeError(end)
	}
	if span.End <= span.Start {
		return Span{}, syntaxError("t=%s does not end after it begins", message.Clip(value))
	}
	return span, nil
}

func timeError(text string) error {
	return syntaxError("time %s; %s", message.Quote(text), plain.SecondsHint(text))
}

func parseBox(value string) (Box, error) {
	parts := strings.SplitN(value, ",", 5)
	if len(parts) != 4 {
		return Box{}, syntaxError("bbox=%s; write four numbers x1,y1,x2,y2", message.Clip(value))
	}
	var v [4]float64
	for i, part := range parts {
		var ok bool
		if v[i], ok = plain.ParseDecimal(part); !ok || v[i] > 1 {
			if full := plain.CompletedDecimal(part); full != "" {
				return Box{}, syntaxError("bbox=%s; write %s for %s", message.Clip(value), full, part)
			}
			return Box{}, syntaxError("bbox=%s; its numbers are fractions from 0 to 1, such as 0.25", message.Clip(value))
		}
	}
	box := Box{v[0], v[1], v[2], v[3]}
	if box.X2 <= box.X1 || box.Y2 <= box.Y1 {
		return Box{}, syntaxError("bbox=%s is empty; x2 and y2 are the far edges", message.Clip(value))
	}
	return box, nil
}

func parseVersion(value string) (string, error) {
	version := strings.ToLower(value)
	return version, checkVersion(version)
}

func checkVersion(version string) error {
	if len(version) < minVersion || len(version) > maxVersion || !ctxio.IsHex(version) {
		return syntaxError("v=%s; write 8 to 64 leading hex digits of the SHA-256", message.Clip(version))
	}
	return nil
}

// Validate returns an error matching [ErrSyntax] if the id of a cannot name a
// resource, if its location is invalid, or if its version is not 8 to 64 hex
// digits in lower case.
func (a Address) Validate() error {
	if err := CheckResourceID(a.Resource); err != nil {
		return err
	}
	if a.Version != "" {
		if err := checkVersion(a.Version); err != nil {
			return err
		}
	}
	if err := a.Location.Validate(); err != nil {
		return err
	}
	if target := a.Location.VirtualAddress; target != "" && len(virtualString(a.Resource, target)) > maxVirtualAddress {
		return syntaxError("virtual_address of %d bytes; escaped it has more than %d", len(target), maxVirtualAddress)
	}
	return nil
}

// String returns the canonical form of a, which [ParseAddress] reads. If a is
// invalid, or its text would exceed 1 MiB, String returns the escaped id and
// the selectors without a scheme, which ParseAddress refuses.
// [Address.Validate] says why an address is invalid.
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
		return virtualString(a.Resource, loc.VirtualAddress)
	}
	s := loc.Modality.scheme() + "://" + plain.PercentEncode(a.Resource)
	if fragment := a.Fragment(); fragment != "" {
		s += "#" + fragment
	}
	return s
}

// virtualString returns what a virtual location points to, as an address.
func virtualString(resource, target string) string {
	if strings.HasPrefix(target, "virtual://") {
		return target
	}
	return "virtual://" + plain.PercentEncode(resource) + "#" + url.PathEscape(target)
}

// Fragment returns the part of the canonical form after "#", or "". It is
// empty for virtual addresses.
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

// String returns the selectors of l as they are in an address after "#", in the
// canonical form of [Address], such as "pages=3-5" or "t=1.5-20". It is "" if l
// is the whole resource or virtual. [ParseFragment] reads it.
func (l Location) String() string {
	var params []string
	add := func(there bool, name string, value func() string) {
		if there {
			params = append(params, name+"="+value())
		}
	}
	add(l.Member != "", "member", func() string { return escapeBut(l.Member, "/!") })
	add(l.Message != 0, "message", func() string { return strconv.Itoa(l.Message) })
	add(l.Part != "", "part", func() string { return plain.PercentEncode(l.Part) })
	add(l.Table != "", "table", func() string { return plain.PercentEncode(l.Table) })
	add(l.Sheet != "", "sheet", func() string { return plain.PercentEncode(l.Sheet) })
	if len(l.Pages) > 0 {
		params = append(params, "pages="+formatPages(l.Pages))
	}
	add(!l.Blocks.IsZero(), "blocks", l.Blocks.String)
	add(!l.Cells.IsZero(), "cells", func() string {
		if l.odd != nil && l.Cells.First.Col < 1 { // they are none
			return escapeBut(plain.Shorten(l.odd.cells, maxShown), ":")
		}
		return l.Cells.String()
	})
	add(!l.Rows.IsZero(), "rows", l.Rows.String)
	add(len(l.Cols) > 0, "cols", func() string {
		var cols []string
		for _, col := range l.Cols {
			cols = append(cols, escapeBut(col, ":"))
		}
		return strings.Join(cols, ",")
	})
	if !l.Time.IsZero() {
		params = append(params, "t="+l.Time.String())
	}
	if !l.Lines.IsZero() {
		params = append(params, "lines="+strconv.Itoa(l.Lines.First)+"-"+strconv.Itoa(l.Lines.Last))
	}
	if !l.Box.IsZero() {
		params = append(params, "bbox="+l.Box.String())
	}
	return strings.Join(params, "&")
}

// escapeBut percent-encodes a name as [plain.PercentEncode] does, except the bytes
// in kept.
func escapeBut(name, kept string) string {
	var b strings.Builder
	for i := range len(name) {
		if strings.IndexByte(kept, name[i]) >= 0 {
			b.WriteByte(name[i])
		} else {
			b.WriteString(plain.PercentEncode(name[i : i+1]))
		}
	}
	return b.String()
}

func formatPages(pages []Range) string {
	var b strings.Builder
	for i, run := range pages {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(run.String())
	}
	return b.String()
}

// Equal reports whether a and b name the same part of the same version.
func (a Address) Equal(b Address) bool {
	return a.Resource == b.Resource && a.Version == b.Version && a.Location.Equal(b.Location)
}

// MarshalText implements [encoding.TextMarshaler] with [Address.String]. For an
// invalid address it returns the error of [Address.Validate].
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
