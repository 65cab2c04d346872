package word

import (
	"strings"
	"unicode/utf8"

	"github.com/citekit/citekit/modality/document/internal/xmlspan"
	"github.com/citekit/citekit/modality/internal/htmlblocks"
)

// maxWithin is how deep parts of formulas are told apart within others.
const maxWithin = 8

// fraction writes the m:f whose Start is the current token with a slash, so that ½ is
// not 12.
func (t *texter) fraction(s *xmlspan.Scanner, boxes *texter) {
	if t.within == maxWithin {
		return
	}
	if r, _ := utf8.DecodeLastRuneInString(t.out.String()); '0' <= r && r <= '9' {
		t.out.WriteByte(' ')
	}
	sign := "/"
	for range s.Starts() {
		switch {
		case s.Is("m", "type"):
			if s.Get("m", "val") == "noBar" {
				sign = " "
			}
		case s.Is("m", "num"):
			t.out.WriteString(grouped(t.part(s, boxes)))
		case s.Is("m", "den"):
			t.out.WriteString(sign + grouped(t.part(s, boxes)))
		}
	}
}

// power writes the m:sup whose Start is the current token.
func (t *texter) power(s *xmlspan.Scanner, boxes *texter) {
	if t.within == maxWithin {
		return
	}
	text := strings.TrimSpace(t.part(s, boxes))
	if raised := htmlblocks.Raise(text); raised != text || text == "" {
		t.out.WriteString(raised)
		return
	}
	t.out.WriteString("^" + grouped(text))
}

// part returns the text of the part of a formula whose Start is the current token.
func (t *texter) part(s *xmlspan.Scanner, boxes *texter) string {
	inner := &texter{d: t.d, styles: t.styles, chunks: t.chunks, within: t.within + 1}
	for range s.Starts() {
		inner.inline(s, boxes)
	}
	t.notes, t.marks = append(t.notes, inner.notes...), append(t.marks, inner.marks...)
	return inner.out.String()
}

// grouped returns a part of a formula in parentheses if it has several members.
func grouped(text string) string {
	if text = strings.TrimSpace(text); strings.ContainsAny(text, " +-−±·×/=") {
		return "(" + text + ")"
	}
	return text
}
