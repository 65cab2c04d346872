package citation

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/plain"
)

// ParseMediaFragment converts a W3C Media Fragments URI 1.0 fragment, such as
// "t=10,20" or "xywh=percent:25,25,50,50", to a location in a source of
// extent e. Pixels need e.Width and e.Height. Time formats other than NPT,
// and tracks and ids, match [errors.ErrUnsupported].
func ParseMediaFragment(fragment string, e citekit.Extent) (citekit.Location, error) {
	loc := citekit.Location{Modality: e.Modality}
	for param := range strings.SplitSeq(fragment, "&") {
		name, value, _ := strings.Cut(param, "=")
		var err error
		switch name {
		case "t":
			loc.Time, err = parseNPT(value)
		case "xywh":
			loc.Box, err = parseXYWH(value, e)
		default:
			err = fmt.Errorf("media fragment %s; only t and xywh are read: %w", message.Quote(name), errors.ErrUnsupported)
		}
		if err != nil {
			return citekit.Location{}, err
		}
	}
	return loc, loc.Validate()
}

// parseNPT parses the temporal dimension in normal play time, section 4.2.1 of
// Media Fragments URI 1.0: "10", "10,20" or ",20".
func parseNPT(value string) (citekit.Span, error) {
	if prefix, rest, ok := strings.Cut(value, ":"); ok && !plain.IsDigits(prefix) {
		if prefix != "npt" {
			return citekit.Span{}, fmt.Errorf("time format %s; only npt is read: %w", message.Quote(prefix), errors.ErrUnsupported)
		}
		value = rest
	}
	start, end, _ := strings.Cut(value, ",")
	var span citekit.Span
	var ok bool
	if start != "" {
		if span.Start, ok = plain.Seconds(start); !ok {
			return citekit.Span{}, timeError(start)
		}
	}
	if end == "" {
		if start == "" {
			return citekit.Span{}, timeError(value)
		}
		return span, nil
	}
	if span.End, ok = plain.Seconds(end); !ok {
		return citekit.Span{}, timeError(end)
	}
	if span.End <= span.Start {
		return citekit.Span{}, syntaxError("t=%s does not end after it begins", message.Clip(value))
	}
	return span, nil
}

// parseXYWH parses the spatial dimension, section 4.2.2 of Media Fragments URI
// 1.0.
func parseXYWH(value string, e citekit.Extent) (citekit.Box, error) {
	unit, numbers, ok := strings.Cut(value, ":")
	if !ok {
		unit, numbers = "pixel", value
	}
	width, height := 100.0, 100.0
	switch unit {
	case "percent":
	case "pixel":
		width, height = float64(e.Width), float64(e.Height)
		if e.Width < 1 || e.Height < 1 {
			return citekit.Box{}, fmt.Errorf("xywh in pixels of a source whose size is not known; write xywh=percent: %w", errors.ErrUnsupported)
		}
	default:
		return citekit.Box{}, syntaxError("xywh unit %s; it is pixel or percent", message.Quote(unit))
	}
	parts := strings.SplitN(numbers, ",", 5)
	if len(parts) != 4 {
		return citekit.Box{}, syntaxError("xywh=%s; write x,y,width,height", message.Clip(value))
	}
	var v [4]float64
	for i, part := range parts {
		if v[i], ok = plain.ParseDecimal(part); !ok {
			return citekit.Box{}, syntaxError("xywh=%s; write x,y,width,height", message.Clip(value))
		}
	}
	box := citekit.Box{X1: v[0] / width, Y1: v[1] / height, X2: (v[0] + v[2]) / width, Y2: (v[1] + v[3]) / height}
	return box, citekit.Location{Modality: citekit.Image, Box: box}.Validate()
}

// isInner reports whether a location is in a file, part or message inside the file of
// its resource. A fragment of the file would lead to another place.
func isInner(l citekit.Location) bool { return l.Member != "" || l.Part != "" || l.Message != 0 }

// checkOuter returns an error for an invalid location, or one inside an inner file.
func checkOuter(l citekit.Location) error {
	if err := l.Validate(); err != nil {
		return err
	}
	if isInner(l) {
		return fmt.Errorf("%s is inside a member, part or message, and a fragment is of the whole file: %w", l, errors.ErrUnsupported)
	}
	return nil
}

// MediaFragment returns l as a W3C Media Fragments URI 1.0 fragment. Boxes
// are given in percent, rounded to a millionth. A location that has no such
// form, or is in a member, part or message, matches [errors.ErrUnsupported].
func MediaFragment(l citekit.Location) (string, error) {
	if err := checkOuter(l); err != nil {
		return "", err
	}
	switch {
	case !l.Time.IsZero():
		if l.Time.End == 0 {
			return "t=" + plain.FormatDecimal(l.Time.Start), nil
		}
		return "t=" + plain.FormatDecimal(l.Time.Start) + "," + plain.FormatDecimal(l.Time.End), nil
	case l.Modality == citekit.Image && !l.Box.IsZero():
		b := l.Box
		return "xywh=percent:" + strings.Join([]string{
			percentOf(b.X1), percentOf(b.Y1), percentOf(b.X2 - b.X1), percentOf(b.Y2 - b.Y1),
		}, ","), nil
	}
	return "", fmt.Errorf("%s location without time or box has no media fragment: %w", message.Article(l.Modality), errors.ErrUnsupported)
}

func percentOf(fraction float64) string { return plain.FormatDecimal(math.Round(fraction*1e8) / 1e6) }

// ParsePDFFragment converts a PDF fragment of RFC 8118, section 3, such as
// "page=5", to a location. Other parameters than page describe the display of
// the document and are ignored.
func ParsePDFFragment(fragment string) (citekit.Location, error) {
	page := 0
	for param := range strings.SplitSeq(fragment, "&") {
		name, value, _ := strings.Cut(param, "=")
		if name != "page" {
			continue
		}
		if page = plain.WholeNumber(value); page < 1 {
			return citekit.Location{}, syntaxError("page=%s; pages are whole numbers that count from 1", message.Clip(value))
		}
	}
	if page == 0 {
		return citekit.Location{}, syntaxError("PDF fragment %s has no page=", message.Quote(fragment))
	}
	return citekit.Location{Modality: citekit.Document, Pages: []citekit.Range{{First: page, Last: page}}}, nil
}

// PDFFragment returns l as a PDF fragment of RFC 8118. A location other than
// one whole page of the file itself matches [errors.ErrUnsupported].
func PDFFragment(l citekit.Location) (string, error) {
	if err := checkOuter(l); err != nil {
		return "", err
	}
	if l.Modality != citekit.Document || l.PageCount() != 1 || !l.Box.IsZero() {
		return "", fmt.Errorf("only one whole page has a PDF fragment: %w", errors.ErrUnsupported)
	}
	return "page=" + strconv.Itoa(l.Pages[0].First), nil
}

// ParseTextFragment converts a text/plain fragment of RFC 5147, such as
// "line=9,25", to a location. The numbers there are positions between lines,
// counted from 0, so "line=9,25" are lines 10 to 25. Integrity checks after
// ";" are ignored. Character positions, single positions and ranges without
// an end match [errors.ErrUnsupported].
func ParseTextFragment(fragment string) (citekit.Location, error) {
	scheme, _, _ := strings.Cut(fragment, ";")
	value, ok := strings.CutPrefix(scheme, "line=")
	if !ok {
		return citekit.Location{}, fmt.Errorf("text fragment %s; only line= is read: %w", message.Quote(scheme), errors.ErrUnsupported)
	}
	start, end, isRange := strings.Cut(value, ",")
	if !isRange || end == "" {
		if isLines(value) {
			return citekit.Location{}, fmt.Errorf("line=%s counts positions between lines, as RFC 5147 does, and is not a range; for lines write lines=%s: %w", message.Clip(value), message.Clip(value), errors.ErrUnsupported)
		}
		return citekit.Location{}, fmt.Errorf("line=%s is not a range with an end; write such as lines=10-25: %w", message.Clip(value), errors.ErrUnsupported)
	}
	if start == "" {
		start = "0"
	}
	before, last := plain.WholeNumber(start), plain.WholeNumber(end)
	if before < 0 || last <= before {
		return citekit.Location{}, syntaxError("line=%s; write two positions, such as line=9,25 for lines 10 to 25", message.Clip(value))
	}
	return citekit.Location{Modality: citekit.Text, Lines: citekit.Range{First: before + 1, Last: last}}, nil
}

// TextFragment returns l as a text/plain fragment of RFC 5147. A location
// without lines, or in a member, part or message, matches
// [errors.ErrUnsupported].
func TextFragment(l citekit.Location) (string, error) {
	if err := checkOuter(l); err != nil {
		return "", err
	}
	if l.Lines.IsZero() {
		return "", fmt.Errorf("%s location without lines has no text fragment: %w", message.Article(l.Modality), errors.ErrUnsupported)
	}
	return fmt.Sprintf("line=%d,%d", l.Lines.First-1, l.Lines.Last), nil
}

// isLines reports whether value has the form that an address has after
// "lines=".
func isLines(value string) bool {
	_, _, err := citekit.ParseFragment("lines=" + value)
	return err == nil
}

func timeError(text string) error {
	return syntaxError("time %s; %s", message.Quote(text), plain.SecondsHint(text))
}

// wrongShape returns the error for data that are not what was to be parsed.
func wrongShape(what, why string) error {
	return fmt.Errorf("this is not %s, %s: %w", what, strings.TrimSpace(message.Clip(why)), citekit.ErrSyntax)
}

func syntaxError(format string, args ...any) error {
	return fmt.Errorf(format+": %w", append(args, citekit.ErrSyntax)...)
}
