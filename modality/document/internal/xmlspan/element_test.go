package xmlspan_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/modality/document/internal/xmlspan"
)

// TestStarts steps to the elements within one, reads some of them whole, and stops at
// the end of it.
func TestStarts(t *testing.T) {
	const text = `<a><b><c/><skip><d/></skip><e>one <!-- x -->two<![CDATA[ & three]]></e></b><f/></a>`
	s := xmlspan.New(text)
	var all, within []string
	for range s.Starts() {
		all = append(all, s.Local)
		if s.Local != "b" {
			continue
		}
		for range s.Starts() {
			within = append(within, s.Local)
			switch s.Local {
			case "skip":
				if e := s.Drop(); text[e.Pos:e.Stop] != "<skip><d/></skip>" {
					t.Errorf("%q is dropped", text[e.Pos:e.Stop])
				}
			case "e":
				if got := s.Chars(); got != "one two & three" {
					t.Errorf("the characters are %q", got)
				}
			}
		}
		if !s.Is("", "b") || s.Kind != xmlspan.End {
			t.Errorf("it stops at %s", s.Local)
		}
	}
	if !slices.Equal(all, []string{"a", "b", "f"}) || !slices.Equal(within, []string{"c", "skip", "e"}) {
		t.Errorf("%q, within b %q", all, within)
	}
}

func TestRanges(t *testing.T) {
	r := make(xmlspan.Ranges)
	add := func(isStart bool, pos int) { r.Add("k", isStart, xmlspan.Edit{Pos: pos, Stop: pos + 1}) }
	add(false, 0) // an end before any start
	add(true, 1)
	add(false, 2)
	add(true, 3) // a start without an end
	places := func(edits []xmlspan.Edit) (list []int) {
		for _, e := range edits {
			list = append(list, e.Pos)
		}
		slices.Sort(list)
		return list
	}
	if got := places(r.Unpaired("k")); !slices.Equal(got, []int{0, 3}) {
		t.Errorf("unpaired: %v", got)
	}
	if got := places(r.All("k")); !slices.Equal(got, []int{0, 1, 2, 3}) {
		t.Errorf("all: %v", got)
	}
}

func TestKnown(t *testing.T) {
	for text, want := range map[string]error{
		"<a/>": nil, "<a>": citekit.ErrFormat, strings.Repeat("<a>", xmlspan.MaxDepth+1): citekit.ErrTooLarge,
	} {
		s := xmlspan.New(text)
		for s.Next() {
		}
		if err := xmlspan.Known(s.Err()); !errors.Is(err, want) {
			t.Errorf("%.20s: %v, want %v", text, err, want)
		}
	}
}
