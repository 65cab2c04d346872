package mail

import (
	"bytes"
	"errors"
	"io"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/sniff"
)

// maxExact is the longest header whose lines are looked at, in bytes.
const maxExact = 64 << 10

// headings are the fields that people read of a header, in this order.
var headings = []string{"From", "To", "Cc", "Date", "Subject"}

// header reads what people read of a header. The lines of the message begin at
// start.
func (rd *textReader) header(e *entity, start int64, at citekit.Location) error {
	lines, err := rd.headerLines(e, start)
	if err != nil {
		return err
	}
	var runs []headingRun
	for _, name := range headings {
		value := e.header.text(strings.ToLower(name))
		if value == "" {
			continue
		}
		run := headingRun{text: name + ": " + value + "\n"}
		if l := lines[strings.ToLower(name)]; strings.TrimRight(l.text, "\r\n")+"\n" == run.text {
			run = l
		}
		runs = appendRun(runs, run)
	}
	if len(runs) == 0 {
		return nil
	}
	end := headingRun{text: "\n"}
	if l := lines[""]; l.first > 0 && runs[len(runs)-1].first > 0 {
		end = l
	}
	for _, run := range appendRun(runs, end) {
		at.Lines = citekit.Range{First: run.first, Last: run.last}
		if err := rd.give(run.text, at); err != nil {
			return err
		}
	}
	return nil
}

// A headingRun is some of a header, and its lines, counted from 1; 0 if it is not
// written as it reads.
type headingRun struct {
	text        string
	first, last int
}

// appendRun appends a run, joined with the one before where one location holds
// both.
func appendRun(runs []headingRun, run headingRun) []headingRun {
	if n := len(runs); n > 0 {
		before := &runs[n-1]
		if run.first == 0 && before.first == 0 || before.first > 0 && run.first == before.last+1 {
			before.text, before.last = before.text+run.text, run.last
			return runs
		}
	}
	return append(runs, run)
}

// headerLines returns the fields that have one line of ASCII, by their names in
// lower case, and the empty line after them, by "". Of a header that is too long,
// or with CRs alone, it returns none.
func (rd *textReader) headerLines(e *entity, start int64) (map[string]headingRun, error) {
	if start > e.start || e.body-start > maxExact {
		return nil, nil
	}
	data := make([]byte, e.body-start)
	if n, err := e.in(rd.src).ReadAt(data, start); err != nil && (!errors.Is(err, io.EOF) || n < len(data)) {
		if errors.Is(err, io.EOF) {
			err = errCut
		}
		return nil, err
	}
	if bytes.Count(data, []byte("\r")) != bytes.Count(data, []byte("\r\n")) {
		return nil, nil
	}
	found, name, number := make(map[string]headingRun), "", 0
	offset := start
	for l := range bytes.Lines(data) {
		number++
		offset += int64(len(l))
		switch {
		case offset <= e.start:
			continue // before the header
		case isBlank(l):
			found[""] = headingRun{string(l), number, number}
			return found, nil
		case l[0] == ' ' || l[0] == '\t':
			if name != "" {
				found[name] = headingRun{} // it has several lines
			}
			continue
		}
		if name = sniff.FieldName(l); name == "" {
			continue
		}
		if _, known := found[name]; known {
			name = ""
		} else if found[name] = (headingRun{}); isPlain(l) {
			text := string(l)
			if !strings.HasSuffix(text, "\n") {
				text += "\n"
			}
			found[name] = headingRun{text, number, number}
		}
	}
	return found, nil
}

// isPlain reports whether a line is ASCII that means the same in every charset.
func isPlain(l []byte) bool {
	return !bytes.ContainsFunc(l, func(r rune) bool { return r >= 0x7f || r < ' ' && r != '\r' && r != '\n' || r == '~' })
}
