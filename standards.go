package citekit

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// ParseMediaFragment converts a W3C Media Fragments URI 1.0 fragment, such as
// "t=10,20" or "xywh=percent:25,25,50,50", to a location in a source of
// extent e. Pixels need e.Width and e.Height. Time formats other than NPT,
// and tracks and ids, match [errors.ErrUnsupported].
func ParseMediaFragment(fragment string, e Extent) (Location, error) {
	loc := Location{Modality: e.Modality}
	for param := range strings.SplitSeq(fragment, "&") {
		name, value, _ := strings.Cut(param, "=")
		var err error
		switch name {
		case "t":
			loc.Time, err = parseNPT(value)
		case "xywh":
			loc.Box, err = parseXYWH(value, e)
		default:
			err = fmt.Errorf("media fragment %s; only t and xywh are read: %w", quoteShort(name), errors.ErrUnsupported)
		}
		if err != nil {
			return Location{}, err
		}
	}
	return loc, loc.Validate()
}

// parseNPT parses the temporal dimension in normal play time, section 4.2.1 of
// Media Fragments URI 1.0: "10", "10,20" or ",20".
func parseNPT(value string) (Span, error) {
	if prefix, rest, ok := strings.Cut(value, ":"); ok && !isDigits(prefix) {
		if prefix != "npt" {
			return Span{}, fmt.Errorf("time format %s; only npt is read: %w", quoteShort(prefix), errors.ErrUnsupported)
		}
		value = rest
	}
	start, end, _ := strings.Cut(value, ",")
	var span Span
	var ok bool
	if start != "" {
		if span.Start, ok = parseTime(start); !ok {
			return Span{}, timeError(start)
		}
	}
	if end == "" {
		if start == "" {
			return Span{}, timeError(value)
		}
		return span, nil
	}
	if span.End, ok = parseTime(end); !ok {
		return Span{}, timeError(end)
	}
	if span.End <= span.Start {
		return Span{}, syntaxError("t=%s does not end after it begins", clip(value))
	}
	return span, nil
}

// parseXYWH parses the spatial dimension, section 4.2.2 of Media Fragments URI
// 1.0.
func parseXYWH(value string, e Extent) (Box, error) {
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
			return Box{}, fmt.Errorf("xywh in pixels of a source whose size is not known; write xywh=percent: %w", errors.ErrUnsupported)
		}
	default:
		return Box{}, syntaxError("xywh unit %s; it is pixel or percent", quoteShort(unit))
	}
	parts := strings.SplitN(numbers, ",", 5)
	if len(parts) != 4 {
		return Box{}, syntaxError("xywh=%s; write x,y,width,height", clip(value))
	}
	var v [4]float64
	for i, part := range parts {
		if v[i], ok = parseDecimal(part); !ok {
			return Box{}, syntaxError("xywh=%s; write x,y,width,height", clip(value))
		}
	}
	box := Box{v[0] / width, v[1] / height, (v[0] + v[2]) / width, (v[1] + v[3]) / height}
	return box, Location{Modality: Image, Box: box}.checkBox()
}

// MediaFragment returns l as a W3C Media Fragments URI 1.0 fragment. Boxes
// are given in percent, rounded to a millionth. A location that has no such
// form matches [errors.ErrUnsupported].
func (l Location) MediaFragment() (string, error) {
	if err := l.Validate(); err != nil {
		return "", err
	}
	switch {
	case !l.Time.IsZero():
		if l.Time.End == 0 {
			return "t=" + formatDecimal(l.Time.Start), nil
		}
		return "t=" + formatDecimal(l.Time.Start) + "," + formatDecimal(l.Time.End), nil
	case l.Modality == Image && !l.Box.IsZero():
		b := l.Box
		return "xywh=percent:" + strings.Join([]string{
			percent(b.X1), percent(b.Y1), percent(b.X2 - b.X1), percent(b.Y2 - b.Y1),
		}, ","), nil
	}
	return "", fmt.Errorf("a %s location without time or box has no media fragment: %w", l.Modality, errors.ErrUnsupported)
}

func percent(fraction float64) string { return formatDecimal(math.Round(fraction*1e8) / 1e6) }

// ParsePDFFragment converts a PDF fragment of RFC 8118, section 3, such as
// "page=5", to a location. Parameters other than page say how to display the
// document and are ignored.
func ParsePDFFragment(fragment string) (Location, error) {
	page := 0
	for param := range strings.SplitSeq(fragment, "&") {
		name, value, _ := strings.Cut(param, "=")
		if name != "page" {
			continue
		}
		if page = parseNumber(value); page < 1 {
			return Location{}, syntaxError("page=%s; pages are whole numbers that count from 1", clip(value))
		}
	}
	if page == 0 {
		return Location{}, syntaxError("PDF fragment %s has no page=", quoteShort(fragment))
	}
	return Location{Modality: Document, Pages: []Range{{page, page}}}, nil
}

// PDFFragment returns l as a PDF fragment of RFC 8118. A location other than
// one whole page matches [errors.ErrUnsupported].
func (l Location) PDFFragment() (string, error) {
	if err := l.Validate(); err != nil {
		return "", err
	}
	if l.Modality != Document || l.PageCount() != 1 || !l.Box.IsZero() {
		return "", fmt.Errorf("only one whole page has a PDF fragment: %w", errors.ErrUnsupported)
	}
	return "page=" + strconv.Itoa(l.Pages[0].First), nil
}

// ParseTextFragment converts a text/plain fragment of RFC 5147, such as
// "line=9,25", to a location. The numbers there are positions between lines,
// counted from 0, so "line=9,25" are lines 10 to 25. Integrity checks after
// ";" are ignored. Character positions, single positions and ranges without
// an end match [errors.ErrUnsupported].
func ParseTextFragment(fragment string) (Location, error) {
	scheme, _, _ := strings.Cut(fragment, ";")
	value, ok := strings.CutPrefix(scheme, "line=")
	if !ok {
		return Location{}, fmt.Errorf("text fragment %s; only line= is read: %w", quoteShort(scheme), errors.ErrUnsupported)
	}
	start, end, isRange := strings.Cut(value, ",")
	if !isRange || end == "" {
		if reads("lines", value) {
			return Location{}, fmt.Errorf("line=%s counts positions between lines, as RFC 5147 does, and is no range; for lines write lines=%s: %w", clip(value), clip(value), errors.ErrUnsupported)
		}
		return Location{}, fmt.Errorf("line=%s is not a range with an end; write such as lines=10-25: %w", clip(value), errors.ErrUnsupported)
	}
	if start == "" {
		start = "0"
	}
	before, last := parseNumber(start), parseNumber(end)
	if before < 0 || last <= before {
		return Location{}, syntaxError("line=%s; write two positions, such as line=9,25 for lines 10 to 25", clip(value))
	}
	return Location{Modality: Text, Lines: Range{before + 1, last}}, nil
}

// TextFragment returns l as a text/plain fragment of RFC 5147. A location
// without lines matches [errors.ErrUnsupported].
func (l Location) TextFragment() (string, error) {
	if err := l.Validate(); err != nil {
		return "", err
	}
	if l.Lines.IsZero() {
		return "", fmt.Errorf("a %s location without lines has no text fragment: %w", l.Modality, errors.ErrUnsupported)
	}
	return fmt.Sprintf("line=%d,%d", l.Lines.First-1, l.Lines.Last), nil
}
