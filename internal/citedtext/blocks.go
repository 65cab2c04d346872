package citedtext

import (
	"slices"
	"strings"
)

// A kind is the kind of a block.
type kind int

const (
	paragraph kind = iota // also an item of a list
	heading               // also the head of a table
	quotation
	row      // of a table
	footnote // the text of a note with a label
)

// A block is a part of a text that contains whole sentences and quotes.
type block struct {
	kind  kind
	label string // of a note
	group int    // the same number for all blocks of one quotation

	text  string // without the marks before its lines
	lines []lineStart

	inline
	sentences []*sentence
}

// A lineStart maps the start of a line of a block to the text.
type lineStart struct{ inBlock, inText int }

// at returns the offset in the text of an offset in the block.
func (b *block) at(offset int) int {
	i, found := slices.BinarySearchFunc(b.lines, offset, func(l lineStart, offset int) int { return l.inBlock - offset })
	if !found {
		i--
	}
	return b.lines[i].inText + offset - b.lines[i].inBlock
}

// A blockReader divides a text into blocks.
type blockReader struct {
	*document
	open    *block // the block that lines are added to, or nil
	content strings.Builder

	blank   bool   // the line before was
	inList  bool   // indented lines belong to an item and are not code
	label   string // label of the note that indented lines belong to
	quoting bool   // the line before was in a quotation
	comment bool   // of HTML
	front   bool   // matter of YAML
	group   int
}

func (d *document) readBlocks() {
	r := &blockReader{document: d, blank: true}
	start := 0
	for line, fenced := range lines(d.text) {
		switch {
		case fenced:
			r.close()
			r.blank = false
		case !r.skips(line, start):
			r.line(strings.TrimRight(line, "\r\n"), start)
		}
		start += len(line)
	}
	r.close()
}

// skips reports whether a line belongs to a comment or to the front matter.
func (r *blockReader) skips(line string, start int) bool {
	bare := strings.TrimRight(line, " \t\r\n")
	switch {
	case start == 0 && bare == "---" && strings.Contains(r.text, "\n---"):
		r.front = true
		return true
	case r.front:
		r.front = bare != "---" && bare != "..."
		return true
	case r.comment:
		r.comment = !strings.Contains(line, "-->")
		return true
	}
	opening := strings.LastIndex(line, "<!--")
	r.comment = opening >= 0 && !strings.Contains(line[opening:], "-->")
	if r.comment {
		r.close()
	}
	return r.comment && strings.TrimSpace(line[:opening]) == ""
}

// line reads one line, whose first byte is at start.
func (r *blockReader) line(line string, start int) {
	rest, quoted := cutQuotationMarks(line)
	indent := len(rest) - len(strings.TrimLeft(rest, " \t"))
	deep := strings.HasPrefix(rest, "    ") || strings.HasPrefix(rest, "\t")
	rest = rest[indent:]
	at := start + len(line) - len(rest)
	blank := r.blank
	r.blank = strings.TrimSpace(rest) == ""
	if quoted != r.quoting {
		r.close()
	}
	if quoted && !r.quoting {
		r.group++
	}
	r.quoting = quoted
	switch {
	case r.blank:
		r.close()
	case deep && blank && !r.inList && r.label == "" && !quoted: // code
		r.blank = true
	default:
		if indent == 0 && blank {
			r.inList, r.label = false, ""
		}
		r.behindMarks(rest, at, quoted)
	}
}

// behindMarks reads the rest of a line after the marks of quotations.
func (r *blockReader) behindMarks(rest string, at int, quoted bool) {
	switch {
	case isRule(rest, "=") || isRule(rest, "-*_ "):
		if r.open != nil && r.open.kind == paragraph && strings.Trim(rest, "=- \t") == "" {
			r.open.kind = heading
		}
		r.close()
	case isHeading(rest):
		marks := len(rest) - len(strings.TrimLeft(rest, "#"))
		r.single(heading, strings.TrimRight(rest, "# \t")[min(marks, len(strings.TrimRight(rest, "# \t"))):], at+marks)
	case rest[0] == '|':
		r.tableRow(rest, at)
	case r.definition(rest, at):
	default:
		if length := listMark(rest); length > 0 && !quoted {
			r.close()
			r.inList, r.label = true, ""
			for length > 0 {
				rest, at = rest[length:], at+length
				length = listMark(rest)
			}
		}
		r.add(rest, at, quoted)
	}
}

// add adds a line to the open block, or begins a block.
func (r *blockReader) add(rest string, at int, quoted bool) {
	if rest = strings.TrimRight(rest, " \t"); rest == "" {
		return
	}
	if r.open == nil {
		b := &block{group: r.group}
		switch {
		case quoted && !strings.HasPrefix(rest, "[!"): // "[!" begins a notice
			b.kind = quotation
		case r.label != "":
			b.kind, b.label = footnote, r.label
		}
		r.open = b
		r.blocks = append(r.blocks, b)
	} else {
		r.content.WriteByte('\n')
	}
	r.open.lines = append(r.open.lines, lineStart{r.content.Len(), at})
	r.content.WriteString(rest)
}

func (r *blockReader) single(k kind, rest string, at int) {
	r.close()
	label := r.label
	r.label = ""
	r.add(rest, at, false)
	if r.open != nil {
		r.open.kind = k
	}
	r.label = label
	r.close()
}

func (r *blockReader) close() {
	if r.open != nil {
		r.open.text = r.content.String()
		r.content.Reset()
		r.open = nil
	}
}

// tableRow reads a row. A row above a line of dashes is the head of its table.
func (r *blockReader) tableRow(rest string, at int) {
	r.close()
	if strings.Trim(rest, "|:- \t") != "" {
		r.single(row, rest, at)
	} else if n := len(r.blocks); n > 0 && r.blocks[n-1].kind == row {
		r.blocks[n-1].kind = heading
	}
}

// definition reads a line that defines a label. It reports whether the line is
// one.
func (r *blockReader) definition(rest string, at int) bool {
	label, behind, ok := cutLabel(rest)
	if !ok {
		return false
	}
	note, colon := label[0] == '^', strings.HasPrefix(behind, ":")
	behind = strings.TrimLeft(strings.TrimPrefix(behind, ":"), " \t")
	from := at + len(rest) - len(behind)
	cited := r.within(from, at+len(rest))
	numbered := strings.Trim(label, "0123456789") == "" && len(cited) > 0
	switch {
	case note && colon, numbered && !colon, numbered && !beginsAt(cited[0], from):
		r.close()
		r.inList, r.label = false, label
		r.add(behind, from, false)
		return true
	case colon && len(cited) == 1 && beginsAt(cited[0], from):
		r.close()
		r.define(label, r.withTitle(citationOf(cited[0]), at+len(rest)))
		return true
	}
	return false
}

// beginsAt reports whether a mention begins at an offset, or after an angle
// bracket there.
func beginsAt(m Mention, from int) bool { return m.From-from == 0 || m.From-from == 1 }

// maxLabel is the limit of CommonMark, in bytes.
const maxLabel = 999

// cutLabel cuts a label in square brackets from the start of a line.
func cutLabel(line string) (label, rest string, ok bool) {
	if line[0] != '[' {
		return "", "", false
	}
	end := strings.IndexAny(line[1:min(len(line), maxLabel)], "[]") + 1
	if end <= 1 || line[end] != ']' || strings.Contains(line[:end], "://") {
		return "", "", false
	}
	rest = line[end+1:]
	return line[1:end], rest, rest == "" || rest[0] != '(' && rest[0] != '[' // otherwise it is a link

}

// cutQuotationMarks returns the line without the marks of a block quotation.
func cutQuotationMarks(line string) (rest string, quoted bool) {
	for {
		inner, ok := strings.CutPrefix(strings.TrimLeft(line, " \t"), ">")
		if !ok {
			return line, quoted
		}
		line, quoted = strings.TrimPrefix(inner, " "), true
	}
}

// isRule reports whether a line has only the given signs, at least three.
func isRule(line, signs string) bool {
	return len(line) >= 3 && strings.Trim(line, signs+"\t") == "" && strings.Trim(line, line[:1]+" \t") == ""
}

func isHeading(line string) bool {
	marks := len(line) - len(strings.TrimLeft(line, "#"))
	return marks > 0 && marks <= 6 && (len(line) == marks || line[marks] == ' ' || line[marks] == '\t')
}

// listMark returns the length of the list marker at the start of a line, with
// the space after it; 0 without one.
func listMark(line string) int {
	rest := line
	switch digits := strings.TrimLeft(line, "0123456789"); {
	case line == "":
		return 0
	case len(digits) < len(line) && len(line)-len(digits) < 10 && digits != "" && (digits[0] == '.' || digits[0] == ')'):
		rest = digits[1:]
	case strings.IndexByte("-+*", line[0]) >= 0:
		rest = line[1:]
	case strings.HasPrefix(line, "•"):
		rest = line[len("•"):]
	default:
		return 0
	}
	text := strings.TrimLeft(rest, " \t")
	if len(text) == len(rest) {
		return 0
	}
	return len(line) - len(text)
}
