package ooxml

import (
	"context"
	"strings"

	"github.com/citekit/citekit/internal/about"
	"github.com/citekit/citekit/modality/document/internal/xmlspan"
)

// Core holds the core properties of a document (ISO/IEC 29500-2, section 8.3).
type Core struct {
	Title    string
	Creator  string // several are separated by semicolons
	Subject  string
	Keywords string
	Created  string // ISO 8601
	Modified string
	Language string // BCP 47
}

// Core reads the core properties. If they are missing or damaged, Core returns none
// and no error, because nothing depends on them.
func (p *Package) Core(ctx context.Context) (Core, error) {
	var core Core
	rels, err := p.Rels(ctx, "")
	if err != nil {
		return core, err
	}
	for _, rel := range rels {
		part := p.Part(rel.Target)
		if rel.Kind() != "core-properties" || rel.External || part == nil {
			continue
		}
		text, err := part.TextUpTo(ctx, maxListed)
		if ctx.Err() != nil {
			return core, ctx.Err()
		}
		if err == nil {
			core.read(text)
		}
		break
	}
	return core, nil
}

func (c *Core) read(text string) {
	fields := map[string]*string{
		"title": &c.Title, "creator": &c.Creator, "subject": &c.Subject, "keywords": &c.Keywords,
		"created": &c.Created, "modified": &c.Modified, "language": &c.Language,
	}
	s := xmlspan.New(text)
	var field *string
	for s.Next() {
		switch s.Kind {
		case xmlspan.Start:
			if s.Depth == 2 {
				field = fields[s.Local]
			}
		case xmlspan.End:
			if s.Depth == 2 {
				field = nil
			}
		case xmlspan.Text:
			if field != nil {
				*field = strings.TrimSpace(*field + s.Value())
			}
		}
	}
}

// Note adds the properties except the title to the metadata of a map.
func (c Core) Note(metadata map[string]any) {
	var facts about.Facts
	facts.AddAuthors(strings.Split(c.Creator, ";")...)
	facts.AddKeywordList(c.Keywords)
	facts.AddDate(c.Created)
	facts.AddDate(c.Modified)
	facts.Note(metadata)
	if c.Language != "" && len(c.Language) <= maxLanguage {
		metadata["language"] = c.Language
	}
}

const maxLanguage = 35 // bytes of a tag, BCP 47 section 4.4.1
