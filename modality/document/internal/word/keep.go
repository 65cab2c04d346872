package word

import (
	"github.com/citekit/citekit/modality/document/internal/ooxml"
	"github.com/citekit/citekit/modality/document/internal/xmlspan"
)

// keepNotes keeps the notes that the blocks refer to, and the separator lines above
// notes.
func (c *cutter) keepNotes() error {
	for kind := range noteKinds {
		used := c.main.notes[kind]
		part, err := c.ofKind(noteParts[kind])
		if err != nil || part == nil || len(used) == 0 {
			if err != nil {
				return err
			}
			continue
		}
		text, err := ooxml.Without(c.d.notes[kind].text, func(s *xmlspan.Scanner) bool {
			kindOf := s.Get("w", "type")
			return s.Depth == 2 && s.Is("w", noteNames[kind]) && (kindOf == "" || kindOf == "normal") && !used[s.Get("w", "id")]
		})
		if err != nil {
			return err
		}
		s, err := c.clean(part.Name, text)
		if err != nil {
			return err
		}
		for id := range s.comments {
			c.main.comments[id] = true
		}
		c.notes[kind] = part.Name
	}
	return nil
}

// keepComments keeps the comments that the blocks refer to, and the data about those
// comments.
func (c *cutter) keepComments() error {
	if len(c.main.comments) == 0 {
		return nil
	}
	part, err := c.ofKind("comments")
	if err != nil || part == nil {
		return err
	}
	text, err := part.Text(c.ctx)
	if err != nil {
		return err
	}
	text, err = ooxml.Without(text, func(s *xmlspan.Scanner) bool {
		return s.Depth == 2 && s.Is("w", "comment") && !c.main.comments[s.Get("w", "id")]
	})
	if err != nil {
		return err
	}
	s, err := c.clean(part.Name, text)
	if err != nil {
		return err
	}
	if c.commentParagraphs, err = valuesOf(s.text, "w14", "paraId"); err != nil {
		return err
	}
	drop := func(s *xmlspan.Scanner) bool { return s.Depth == 2 && !c.commentParagraphs[anyAttr(s, "paraId")] }
	if _, err := c.prune("commentsExtended", drop); err != nil {
		return err
	}
	ids, err := c.prune("commentsIds", drop)
	if err != nil {
		return err
	}
	if c.durable, err = valuesOf(ids, "w16cid", "durableId"); err != nil {
		return err
	}
	_, err = c.prune("commentsExtensible", func(s *xmlspan.Scanner) bool {
		return s.Depth == 2 && s.Local == "commentExtensible" && !c.durable[anyAttr(s, "durableId")]
	})
	return err
}

// keepPeople keeps the authors of what is kept.
func (c *cutter) keepPeople() error {
	_, err := c.prune("people", func(s *xmlspan.Scanner) bool {
		return s.Depth == 2 && s.Local == "person" && !c.authors[anyAttr(s, "author")]
	})
	return err
}

// keepSettings keeps the settings, except those that lead to other files, change the
// text when it is opened, or belong to notes that are left out.
func (c *cutter) keepSettings() error {
	_, err := c.prune("settings", func(s *xmlspan.Scanner) bool {
		if s.Space != "w" {
			return false
		}
		switch s.Local {
		case "attachedTemplate", "mailMerge", "docVars", "saveThroughXslt", "updateFields", "linkStyles", "attachedSchema":
			return true
		case "footnote":
			return c.notes[footnote] == ""
		case "endnote":
			return c.notes[endnote] == ""
		}
		return false
	})
	return err
}

// prune replaces the part of a kind by one without the elements that drop selects,
// and returns its text, or "" if the part is missing.
func (c *cutter) prune(kind string, drop func(*xmlspan.Scanner) bool) (string, error) {
	part, err := c.ofKind(kind)
	if err != nil || part == nil {
		return "", err
	}
	text, err := part.Text(c.ctx)
	if err != nil {
		return "", err
	}
	pruned, err := ooxml.Without(text, drop)
	if err == nil && pruned != text {
		c.out.Replace(part.Name, pruned)
	}
	return pruned, err
}

// valuesOf returns the values of an attribute in a part.
func valuesOf(text, space, local string) (map[string]bool, error) {
	values := make(map[string]bool)
	if text == "" {
		return values, nil
	}
	s := ooxml.Scan(text)
	for s.Next() {
		if value, ok := s.Attr(space, local); ok {
			values[value] = true
		}
	}
	return values, xmlspan.Known(s.Err())
}

// anyAttr returns the value of an attribute in any namespace.
func anyAttr(s *xmlspan.Scanner, local string) string {
	for a := range s.Attrs() {
		if a.Local == local {
			return a.Value
		}
	}
	return ""
}
