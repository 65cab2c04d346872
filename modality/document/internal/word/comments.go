package word

import (
	"strings"

	"github.com/citekit/citekit/modality/document/internal/odf"
	"github.com/citekit/citekit/modality/document/internal/ooxml"
	"github.com/citekit/citekit/modality/document/internal/xmlspan"
)

// A comment is a remark on a text, by one person. A thread is several at one place.
type comment odf.Comment

// readComments reads the part of a DOCX that has the comments, or nothing from "".
func readComments(text string) (map[string]comment, error) {
	comments := make(map[string]comment)
	if text == "" {
		return comments, nil
	}
	s := ooxml.Scan(text)
	for range s.Starts() {
		if s.Is("w", "comment") {
			id, author := s.Get("w", "id"), s.Get("w", "author")
			t := &texter{}
			t.container(s, s.Depth)
			comments[id] = comment{author, t.out.String()}
		}
	}
	return comments, xmlspan.Known(s.Err())
}

// String returns the line of a comment, such as "[comment by Ann] Which page?\n"; "" if
// it has no text.
func (c comment) String() string {
	text, author := strings.TrimSpace(c.Text), strings.Join(strings.Fields(c.Author), " ")
	if text == "" {
		return ""
	}
	if author != "" {
		author = " by " + author
	}
	return "[comment" + author + "] " + text + "\n"
}
