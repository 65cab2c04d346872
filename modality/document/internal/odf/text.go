package odf

import (
	"strconv"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/modality/document/internal/xmlspan"
	"github.com/citekit/citekit/modality/internal/htmlblocks"
)

// A Texter writes the text that a scanner reads: visible text in reading order,
// each paragraph on its own line, and the text of frames after the paragraph that
// contains them.
type Texter struct {
	// Label returns the number of the paragraph that begins at a place, with the
	// characters after the number. If it is nil, numbers are left out.
	Label func(pos int) string

	// Spans are the styles of text above or below the line. If they are nil, no text is.
	Spans Spans

	// Around is how text is shown whose own styles do not say.
	Around Look

	// Cells are the cells of tables that are read. Zero means all.
	Cells citekit.Cells

	// Table, if it is not nil, is called at each table that is in no other, and Cell at each
	// of its cells, but covered ones, with its column and row from 1.
	Table func(*Table)
	Cell  func(col, row int, c TableCell, text string)

	// ReadComments has comments read, for [Texter.Comments].
	ReadComments bool

	out      strings.Builder
	notes    []string
	comments []Comment
	room     *int // bytes that may still be added by repetition; shared by all Texters of one text
}

// maxRepeated is the largest number of bytes that repeated spaces, cells and rows
// may add to a text: one element may stand for a thousand, and so may those in it.
const maxRepeated = 16 << 20

// inner returns a Texter for a part of the text of t.
func (t *Texter) inner() *Texter {
	t.makeRoom()
	return &Texter{Label: t.Label, Spans: t.Spans, ReadComments: t.ReadComments, room: t.room}
}

// addNotes adds the notes and comments of a part of the text of t.
func (t *Texter) addNotes(inner *Texter) {
	t.notes, t.comments = append(t.notes, inner.notes...), append(t.comments, inner.comments...)
}

func (t *Texter) makeRoom() {
	if t.room == nil {
		room := maxRepeated
		t.room = &room
	}
}

// repeats returns how often to write something of that many bytes that occurs n
// times: n, or 1 if that would exceed the room.
func (t *Texter) repeats(n, bytes int) int {
	t.makeRoom()
	if more := (n - 1) * bytes; more <= *t.room {
		*t.room -= max(more, 0)
		return n
	}
	return 1
}

// String returns the text written so far, without notes.
func (t *Texter) String() string { return t.out.String() }

// Notes returns the notes read so far, each with its mark, such as
// "[3] See page 9.\n".
func (t *Texter) Notes() string { return strings.Join(t.notes, "") }

// A Comment is a remark on a text.
type Comment struct{ Author, Text string }

// Comments returns the comments read so far.
func (t *Texter) Comments() []Comment { return t.comments }

// Container writes the paragraphs and tables up to the End of the element at
// depth, or up to the end of the document if depth is 0.
func (t *Texter) Container(s *xmlspan.Scanner, depth int) {
	for range s.Starts() {
		t.Element(s)
	}
}

// Element writes the text of the element whose Start is the token at hand. If it is
// neither a paragraph nor a table, Element may return at its Start, so that the
// caller goes on with its children.
func (t *Texter) Element(s *xmlspan.Scanner) {
	switch {
	case s.Is("text", "p"), s.Is("text", "h"):
		t.paragraph(s)
	case s.Is("table", "table"):
		t.table(s)
	case s.Is("office", "annotation"):
		t.comment(s)
	case isUnread(s):
		s.Skip()
	}
}

// isUnread reports whether the element at hand has no visible text.
func isUnread(s *xmlspan.Scanner) bool {
	switch s.Space {
	case "text":
		switch s.Local {
		case "tracked-changes", "number", "ruby-text", "script":
			return true
		}
		return strings.HasSuffix(s.Local, "-source") || strings.HasSuffix(s.Local, "-decls")
	case "office":
		switch s.Local {
		case "forms", "event-listeners", "binary-data", "dde-source":
			return true
		}
	case "draw":
		return s.Local == "object"
	case "presentation":
		return s.Local == "notes"
	case "script", "form", "svg-compatible", "http://www.w3.org/1998/Math/MathML":
		return true
	}
	return false
}

// A line is a paragraph that is being written. Successive white space counts as
// one space, and white space at the beginning is dropped (ODF 1.3, part 3, section
// 6.1.2).
type line struct {
	*strings.Builder
	blank bool // the last character was white space, or no character was written yet

	look   Look
	spans  []Look // of the text around each open span
	strike htmlblocks.Strike
}

func (l *line) words(text string) {
	if l.look.Hidden {
		return
	}
	text = l.look.Script.Write(text)
	for text != "" {
		i := strings.IndexAny(text, " \t\r\n\u00ad")
		if i < 0 {
			i = len(text)
		}
		if i > 0 {
			l.strike.Write(l.Builder, text[:i], l.look.Struck)
			l.blank = false
		}
		if i == len(text) {
			return
		}
		if text[i] >= 0x80 { // a soft hyphen
			text = text[i+len("\u00ad"):]
			continue
		}
		if !l.blank {
			l.strike.Write(l.Builder, " ", l.look.Struck)
			l.blank = true
		}
		text = text[i+1:]
	}
}

const maxSpaces = 1 << 10 // spaces that one element stands for

// paragraph writes the paragraph whose Start is the token at hand, and then the
// text of its frames.
func (t *Texter) paragraph(s *xmlspan.Scanner) {
	before := t.out.Len()
	if t.Label != nil {
		t.out.WriteString(t.Label(s.Pos))
	}
	boxes := t.inner()
	l := line{Builder: &t.out, blank: true, look: t.Spans.Look(OfParagraph, s.Get("text", "style-name"), t.Around)}
	depth := s.Depth
	for s.Next() && (s.Kind != xmlspan.End || s.Depth != depth) {
		switch s.Kind {
		case xmlspan.Text:
			l.words(s.Value())
		case xmlspan.Start:
			t.inline(s, &l, boxes)
		case xmlspan.End:
			if n := len(l.spans); n > 0 && s.Is("text", "span") {
				l.look, l.spans = l.spans[n-1], l.spans[:n-1]
			}
		}
	}
	l.strike.End(&t.out)
	if t.out.Len() > before {
		t.out.WriteByte('\n')
	}
	t.out.WriteString(boxes.out.String())
	t.addNotes(boxes)
}

// inline writes the text of an element within a paragraph.
func (t *Texter) inline(s *xmlspan.Scanner, l *line, boxes *Texter) {
	switch {
	case s.Is("text", "span"):
		l.spans = append(l.spans, l.look)
		l.look = t.Spans.Look(OfText, s.Get("text", "style-name"), l.look)
	case s.Is("text", "s"):
		n := min(max(Number(s.Get("text", "c"), 1), 0), maxSpaces)
		l.strike.Write(l.Builder, strings.Repeat(" ", t.repeats(n, 1)), l.look.Struck)
		l.blank = false
	case s.Is("text", "tab"):
		l.strike.End(l.Builder)
		l.WriteByte('\t')
		l.blank = false
	case s.Is("text", "line-break"):
		l.strike.End(l.Builder)
		l.WriteByte('\n')
		l.blank = true
	case s.Is("text", "note"):
		t.note(s)
	case s.Is("office", "annotation"):
		t.comment(s)
	case isUnread(s):
		s.Skip()
	case s.Space == "draw" && s.Local != "a", s.Space == "dr3d":
		depth := s.Depth
		boxes.Container(s, depth)
	}
}

// note reads the note whose Start is the token at hand.
func (t *Texter) note(s *xmlspan.Scanner) {
	var mark strings.Builder
	body := t.inner()
	body.Label = nil
	depth := s.Depth
	for s.Next() && (s.Kind != xmlspan.End || s.Depth != depth) {
		switch {
		case s.Kind == xmlspan.Text && strings.HasSuffix(s.Element(), ":note-citation"):
			mark.WriteString(s.Value())
		case s.Kind == xmlspan.Start && s.Is("text", "note-body"):
			body.Container(s, s.Depth)
		}
	}
	if text := strings.TrimSpace(body.out.String()); text != "" {
		t.notes = append(t.notes, "["+strings.Join(strings.Fields(mark.String()), " ")+"] "+text+"\n")
	}
	t.comments = append(t.comments, body.comments...)
}

// comment reads the comment whose Start is the token at hand, or skips it.
func (t *Texter) comment(s *xmlspan.Scanner) {
	if !t.ReadComments {
		s.Skip()
		return
	}
	var author strings.Builder
	body := t.inner()
	body.Label, body.ReadComments = nil, false
	for range s.Starts() {
		if s.Is("dc", "creator") {
			author.WriteString(s.Chars())
		} else {
			body.Element(s)
		}
	}
	t.comments = append(t.comments, Comment{author.String(), body.out.String()})
}

// Number parses a decimal number of 32 bits. It returns other if value is not one.
func Number(value string, other int) int {
	n, err := strconv.ParseInt(value, 10, 32)
	if err != nil {
		return other
	}
	return int(n)
}
