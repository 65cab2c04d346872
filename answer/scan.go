package answer

import (
	"encoding/json"
	"fmt"

	"github.com/citekit/citekit"
)

// A scanner finds the sentences in the JSON that a model writes, each as soon
// as it is whole. It ignores text around them, such as a fence of Markdown.
type scanner struct {
	give func(*draftSentence) error

	given int  // sentences
	none  bool // a list without sentences was written

	said   int
	depth  int // number of open braces
	text   bool
	escape bool
	open   []byte // from the brace of the innermost object on
}

// add reads a piece of the model's answer. Its errors are those of give, or
// match [citekit.ErrTooLarge] if the answer is too long.
func (s *scanner) add(piece string) error {
	if s.said += len(piece); s.said > mostAnswer {
		return fmt.Errorf("the answer of the model has more than %d bytes: %w", mostAnswer, citekit.ErrTooLarge)
	}
	for i := range len(piece) {
		if err := s.next(piece[i]); err != nil {
			return err
		}
	}
	return nil
}

// hint says why there is no sentence, or "" if there is one.
func (s *scanner) hint() string {
	switch {
	case s.given > 0:
		return ""
	case s.none:
		return "the model says that the sources do not answer the question"
	}
	return "the model did not answer in the form that it was asked for; ask again, or ask another model"
}

// cutOff reports whether what the model wrote ends within an object.
func (s *scanner) cutOff() bool { return s.depth > 0 }

func (s *scanner) next(b byte) error {
	if s.depth > 0 {
		s.open = append(s.open, b)
	}
	switch {
	case s.escape:
		s.escape = false
	case s.text && b == '\\':
		s.escape = true
	case b == '"' && s.depth > 0:
		s.text = !s.text
	case s.text:
	case b == '{':
		s.depth++
		s.open = append(s.open[:0], b)
	case b == '}' && s.depth > 0:
		s.depth--
		var one draftSentence
		object := s.open
		s.open = s.open[:0]
		if len(object) > 0 && json.Unmarshal(object, &one) == nil && one.Text != "" {
			s.given++
			return s.give(&one)
		}
		var list struct{ Sentences *[]struct{} }
		s.none = s.none || json.Unmarshal(object, &list) == nil && list.Sentences != nil && len(*list.Sentences) == 0
	}
	return nil
}
