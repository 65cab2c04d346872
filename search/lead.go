package search

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"unicode"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/textlayer"
)

const (
	// mostLead is how many bytes before a node may be about it. That is less
	// than a passage, so that the first lines of the node are in the same
	// passage.
	mostLead = 1500

	// minSummary is how many letters and digits a summary needs to show that it
	// was taken from a text, and summaryPart how many of them are compared.
	minSummary  = 8
	summaryPart = 40
)

// addLeads gives nodes that are located by lines the text right before them
// that is about them, such as the comment above a function: otherwise a search
// for its words would not lead to the lines that it explains. Such a text
// belonged to no node or to an enclosing one, and is one of these:
//
//   - everything before the node in an enclosing node, or in the source, if
//     that is one short line: a heading, or the header of a table
//   - everything from the line where the node's summary was taken
//   - the lines above that begin with a sign, without a blank line between
//     them; unless the enclosing node begins with them and they are not
//     indented less than the node
func addLeads(ctx context.Context, layer *textlayer.Layer, claimed []claim, parts []stretch) ([]stretch, error) {
	starts := make(map[*place]int64)
	for _, c := range claimed {
		if _, again := starts[c.place]; !again {
			starts[c.place] = c.from
		}
	}
	begins := func(s stretch) bool { return s.place != nil && starts[s.place] == s.from+s.lead }
	for i := 1; i < len(parts); i++ {
		before, s := &parts[i-1], &parts[i]
		if !begins(*s) || s.place.node.Location.Lines.IsZero() || !isAround(before.place, s.place) {
			continue
		}
		from := max(before.from+before.lead, s.from-mostLead)
		text, err := layer.Text(ctx, from, min(s.to, s.from+mostLead))
		if err != nil {
			return nil, err
		}
		above, text := text[:s.from-from], text[s.from-from:]
		first := begins(*before) || before.place == nil && before.from == 0
		if first && from == before.from+before.lead && isShortLine(above) {
			s.lead = int64(len(above))
			s.from, before.to = from, from
			continue
		}
		if from > before.from+before.lead { // starts within a line
			_, above, _ = strings.Cut(above, "\n")
		}
		s.lead = leadOf(above, text, s.place.node.Summary, begins(*before))
		s.from -= s.lead
		before.to = s.from
	}
	return slices.DeleteFunc(parts, func(s stretch) bool { return s.from == s.to }), nil
}

// leadOf returns how many bytes at the end of the text above a node are about
// it. The argument begins reports whether the enclosing node begins there.
func leadOf(above, text, summary string, begins bool) int64 {
	n := summarized(above, summary)
	if n == 0 && (!begins || isFurtherIn(text, above)) {
		n = signed(above)
	}
	return int64(n)
}

// isOfMarkup reports whether a line that begins with a sign is a list item or a
// rule, which comments are not.
func isOfMarkup(line string) bool {
	return strings.HasPrefix(line, "- ") || len(line) >= 3 && strings.Trim(line, line[:1]) == "" && strings.Contains("-=_", line[:1])
}

// isShortLine reports whether a text is one short line, apart from blank lines.
func isShortLine(text string) bool {
	return len(text) <= shortBytes && !strings.Contains(strings.TrimSpace(text), "\n")
}

// withLead returns the location of a node together with the text before it,
// starting at an offset, that is about it.
func withLead(layer *textlayer.Layer, node citekit.Location, from int64) citekit.Location {
	ranges, err := layer.Ranges(node)
	if err != nil || node.Lines.IsZero() || len(ranges) != 1 || from >= ranges[0].From {
		return node
	}
	if loc, err := layer.Location(from, ranges[0].To); err == nil {
		return loc
	}
	return node
}

// isAround reports whether outer is nil or encloses p.
func isAround(outer, p *place) bool {
	for p != nil && p != outer {
		p = p.parent
	}
	return p == outer
}

// summarized returns the length of the end of a text that begins with the line
// on which a summary starts, including the lines of signs above it.
func summarized(text, summary string) int {
	want, all := foldLetters(summary).letters, foldLetters(text)
	if len(want) < minSummary {
		return 0
	}
	at := bytes.LastIndex(all.letters, want[:min(len(want), summaryPart)])
	if at < 0 {
		return 0
	}
	start := lineStart(text, all.offsets[at])
	for start > 0 {
		above := lineStart(text, start-1)
		if line := strings.TrimSpace(text[above:start]); line == "" || strings.IndexFunc(line, isWordRune) >= 0 {
			break
		}
		start = above
	}
	return len(text) - start
}

// signed returns the length of the lines at the end of a text that begin with a
// sign, without a blank line between them. It is 0 if the lines have only
// signs.
func signed(text string) int {
	start := len(text)
	for start > 0 {
		above := lineStart(text, start-1)
		line := strings.TrimSpace(text[above:start])
		if line == "" || strings.IndexFunc(line, isWordRune) == 0 || isOfMarkup(line) {
			break
		}
		start = above
	}
	if strings.IndexFunc(text[start:], isWordRune) < 0 {
		return 0
	}
	return len(text) - start
}

// lineStart returns the start of the line that an offset is in.
func lineStart(text string, at int) int { return strings.LastIndexByte(text[:at], '\n') + 1 }

// isFurtherIn reports whether the first line of a text is indented more than
// that of another.
func isFurtherIn(text, other string) bool { return indent(text) > indent(other) }

func indent(text string) int {
	return len(text) - len(strings.TrimLeftFunc(text, func(r rune) bool { return r != '\n' && unicode.IsSpace(r) }))
}
