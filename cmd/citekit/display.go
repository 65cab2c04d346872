package main

import (
	"fmt"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/term"
)

// A row is a name and a value, shown on a line.
type row struct {
	name, value string
}

// printRows prints rows in two columns. A value of several lines, such as a
// summary, continues in its column, so that it cannot look like a row.
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

// titled returns a node's id and title.
func titled(n *citekit.Node) string {
	if n.Title == "" {
		return n.ID
	}
	return n.ID + "  " + n.Title
}

// byteSize returns a size as a person reads it, and exactly.
func byteSize(n int64) string {
	const unit = 1024
	if n < unit {
		return fmt.Sprintf("%d bytes", n)
	}
	size, prefix := float64(n)/unit, 0
	for size >= unit && prefix < len("KMGT")-1 {
		size /= unit
		prefix++
	}
	return fmt.Sprintf("%.1f %ciB (%d bytes)", size, "KMGT"[prefix], n)
}

// place returns where in its resource a location is: the selector of its
// address, or what it points to.
func place(loc citekit.Location) string {
	switch {
	case loc.Validate() != nil:
		return "invalid location"
	case loc.Modality == citekit.Virtual && loc.VirtualAddress != "":
		return loc.VirtualAddress
	case loc.IsWhole():
		return "whole " + string(loc.Modality)
	}
	return citekit.Address{Location: loc}.Fragment()
}
