package command

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/command/internal/term"
	"github.com/citekit/citekit/internal/message"
)

// A row is a name and its value, shown on one line.
type row struct {
	name, value string
}

// printRows prints rows in two columns. Further lines of a value, such as a summary,
// are indented to its column so that they cannot look like rows.
func (s *session) printRows(rows []row) {
	width := 0
	for _, r := range rows {
		width = max(width, len(r.name))
	}
	for _, r := range rows {
		name := r.name
		for line := range strings.SplitSeq(r.value, "\n") {
			s.printf("%s\n", strings.TrimRight(fmt.Sprintf("%-*s  %s", width, name, term.Line(line)), " "))
			name = ""
		}
	}
}

// printTable prints rows in aligned columns; the first row is the header. Number
// columns are aligned right. On a terminal the flexible column is cut to make the
// rows fit.
func (s *session) printTable(rows [][]string, flexible, numbers int) {
	const gap, widest, least = 2, 60, 10
	widths := make([]int, len(rows[0]))
	for _, cells := range rows {
		for i := range cells {
			cells[i] = term.Line(cells[i])
			widths[i] = max(widths[i], term.Width(cells[i]))
		}
	}
	onTerminal := term.IsTTY(s.stdout)
	if onTerminal {
		others := gap * (len(widths) - 1)
		for i, w := range widths {
			if i != flexible {
				others += w
			}
		}
		widths[flexible] = min(widths[flexible], max(term.Columns(s.stdout)-others, least))
	}
	widths[flexible] = min(widths[flexible], widest)
	for _, cells := range rows {
		if onTerminal {
			cells[flexible] = term.Cut(cells[flexible], widths[flexible])
		}
		var line strings.Builder
		for i, cell := range cells {
			padding := strings.Repeat(" ", max(widths[i]-term.Width(cell), 0))
			if i == numbers {
				cell, padding = padding+cell, ""
			}
			line.WriteString(cell + padding + strings.Repeat(" ", gap))
		}
		s.printf("%s\n", strings.TrimRight(line.String(), " "))
	}
}

// describeExtent returns an extent such as "2,415 pages", "1:02:03" or "4000×3000",
// or "" if it is not known.
func describeExtent(e citekit.Extent) string {
	switch {
	case e.Pages > 0:
		return manyOf(e.Pages, "page")
	case e.Sheets > 0:
		return manyOf(e.Sheets, "sheet")
	case e.Parts > 0 && e.Modality == citekit.Document:
		return manyOf(e.Parts, "part")
	case e.Tables > 0:
		return manyOf(e.Tables, "table")
	case e.Members > 0:
		return manyOf(e.Members, "member")
	case e.Messages > 0:
		return manyOf(e.Messages, "message")
	case e.Blocks > 0 && e.Modality == citekit.Document:
		return manyOf(e.Blocks, "block")
	case e.Lines > 0:
		return manyOf(e.Lines, "line")
	case e.Duration > 0:
		return describeDuration(e.Duration)
	case e.Width > 0 && e.Height > 0:
		return fmt.Sprintf("%d×%d", e.Width, e.Height)
	}
	return ""
}

// manyOf is [counted] with separators for large numbers: "12,345 lines".
func manyOf(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return thousands(n) + " " + noun + "s"
}

// describeDuration formats a number of seconds as h:mm:ss or m:ss, or below a minute
// like "7.5 s".
func describeDuration(seconds float64) string {
	if seconds < 59.95 {
		return strconv.FormatFloat(max(seconds, 0.1), 'f', 1, 64) + " s"
	}
	whole := int(math.Round(seconds))
	h, m, s := whole/3600, whole/60%60, whole%60
	if h > 0 {
		return fmt.Sprintf("%d:%02d:%02d", h, m, s)
	}
	return fmt.Sprintf("%d:%02d", m, s)
}

// thousands returns a number with a comma before every three digits.
func thousands(n int) string {
	digits := strconv.Itoa(n)
	for i := len(digits) - 3; i > 0 && digits[i-1] != '-'; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// titled returns the id and title of a node.
func titled(n *citekit.Node) string {
	if n.Title == "" {
		return n.ID
	}
	return n.ID + "  " + n.Title
}

// byteSize returns a size in a readable unit, and in bytes.
func byteSize(n int64) string {
	const unit = 1024
	if n < unit {
		return message.Count(int(n), "byte")
	}
	size, prefix := float64(n)/unit, 0
	for size >= unit && prefix < len("KMGT")-1 {
		size /= unit
		prefix++
	}
	return fmt.Sprintf("%.1f %ciB (%d bytes)", size, "KMGT"[prefix], n)
}

// place returns the selector of the address of a node, or the whole address if the
// node points to another resource.
func place(m *citekit.ResourceMap, n *citekit.Node) string {
	address := m.Address(n)
	switch {
	case address.Validate() != nil:
		return "invalid location"
	case address.Location.VirtualAddress != "":
		return address.String()
	case address.Location.IsWhole():
		return "whole " + string(address.Location.Modality)
	}
	return address.Fragment()
}
