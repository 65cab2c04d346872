package citekit

import (
	"strings"

	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/plain"
)

// Part selects a part by its number: of a book in reading order, from "1", or
// of a mail as IMAP counts, such as "1.2" (RFC 3501, section 6.4.5). "4-6"
// selects several parts of a book, both ends included.
func Part(number string) Location { return Location{Part: named(number)} }

// Parts returns the parts of a book that l selects, counted from 1, both
// included. It is zero if l selects no part, or a part within one, such as
// "1.2" of a mail.
func (l Location) Parts() Range {
	first, last, isRun := strings.Cut(l.Part, "-")
	if !isRun {
		last = first
	}
	parts := Range{partNumber(first), partNumber(last)}
	if parts.First == 0 || parts.Last < parts.First {
		return Range{}
	}
	return parts
}

const (
	maxPart   = 128
	partDepth = 32
)

func parsePart(value string) (string, error) {
	if parts := (Location{Part: value}).Parts(); !parts.IsZero() {
		return parts.String(), nil
	}
	if !isPart(value) {
		return "", syntaxError("part=%s; parts are numbers from 1, such as part=4, part=4-6 with the lower one first, or part=1.2 in a mail", message.Clip(value))
	}
	return value, nil
}

func (l Location) checkPart() error {
	switch {
	case l.Message < 0:
		return syntaxError("message %d; messages count from 1", l.Message)
	case l.Part == "":
		return nil
	case l.Part == noName:
		return syntaxError("a part without a number; parts are numbers from 1, such as 4 or 4-6, or 1.2 in a mail")
	case strings.Contains(l.Part, "-"):
		return l.checkParts()
	case !isPart(l.Part):
		return syntaxError("part %s; parts are numbers from 1, such as 4 or 4-6, or 1.2 in a mail", message.Quote(l.Part))
	case l.Modality == Document && strings.Contains(l.Part, "."):
		return syntaxError("part %s; parts of a book are whole numbers from 1", message.Quote(l.Part))
	}
	return nil
}

// checkParts is checkPart of a run of parts.
func (l Location) checkParts() error {
	switch parts := l.Parts(); {
	case parts.IsZero():
		return syntaxError("part %s; several parts are whole numbers from 1, the lower one first, such as 4-6", message.Quote(l.Part))
	case parts.String() != l.Part:
		return syntaxError("part %s; write %s", message.Quote(l.Part), parts)
	case l.Modality == Text:
		return syntaxError("part %s; a mail is cited by one part", l.Part)
	case !l.Blocks.IsZero():
		return syntaxError("blocks %s of parts %s; blocks are of one part, such as part=%d&blocks=%s", l.Blocks, l.Part, parts.First, l.Blocks)
	}
	return nil
}

// isPart reports whether s is numbers from 1 with dots between, without
// leading zeros.
func isPart(s string) bool {
	if len(s) > maxPart || strings.Count(s, ".") >= partDepth {
		return false
	}
	for number := range strings.SplitSeq(s, ".") {
		if partNumber(number) == 0 {
			return false
		}
	}
	return true
}

// partNumber returns a number from 1 that has no leading zero, or 0.
func partNumber(s string) int {
	if n := plain.WholeNumber(s); n >= 1 && n <= MaxRow && s[0] != '0' {
		return n
	}
	return 0
}

// containsPart reports whether one part is another, is of a run of parts, or has
// the other in it.
func containsPart(outer, inner Location) bool {
	if outer.Part == "" || outer.Part == inner.Part || strings.HasPrefix(inner.Part, outer.Part+".") {
		return true
	}
	parts := inner.Parts()
	return !parts.IsZero() && !outer.Parts().IsZero() && containsRange(outer.Parts(), parts)
}
