package word

import (
	"strings"

	"github.com/citekit/citekit/internal/ooxml"
	"github.com/citekit/citekit/internal/xmlspan"
)

// A comment is a remark on a text, by one person. A thread is several at one place.
type comment struct{ author, text string }

// readComments reads the part of a DOCX that has the comments, or nothing from "".
func readComments(text string) (map[string]comment, error) {
	comments := make(map[string]comment)
	if text == "" {
		return comments, nil
	}
	s := ooxml.Scan(text)
	for s.Next() {
		if s.Kind == xmlspan.Start && s.Is("w", "comment") {
			id, author := s.Get("w", "id"), s.Get("w", "author")
			t := &texter{}
			t.container(s, s.Depth)
			comments[id] = comment{author, strings.TrimSpace(t.out.String())}
		}
	}
	return comments, ooxml.KnownXML(s.Err())
}

// comment writes a comment that has text.
func (t *texter) comment(c comment) {
	if c.text == "" {
		return
	}
	t.out.WriteString("[comment")
	if author := strings.Join(strings.Fields(c.author), " "); author != "" {
		t.out.WriteString(" by " + author)
	}
	t.out.WriteString("] " + c.text + "\n")
}
