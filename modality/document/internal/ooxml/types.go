package ooxml

import (
	"context"
	"fmt"
	"path"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/modality/document/internal/xmlspan"
)

// contentTypes are the content types of the parts.
type contentTypes struct {
	text     string
	byExt    map[string]string // by extension in lower case, without its dot
	byPart   map[string]string // by folded name
	rootStop int               // where the end tag of the list begins
}

func (p *Package) readTypes(ctx context.Context) (*contentTypes, error) {
	part := p.Part(typesName)
	if part == nil {
		return nil, fmt.Errorf("a ZIP archive of no Office document, or one that has lost its content types: %w", citekit.ErrFormat)
	}
	text, err := part.TextUpTo(ctx, maxListed)
	if err != nil {
		return nil, err
	}
	t := &contentTypes{text: text, byExt: make(map[string]string), byPart: make(map[string]string)}
	s := xmlspan.New(text)
	for s.Next() {
		switch {
		case s.Kind == xmlspan.End && s.Depth == 1:
			t.rootStop = s.Pos
		case s.Kind != xmlspan.Start:
		case s.Local == "Default":
			t.byExt[strings.ToLower(s.Get("", "Extension"))] = s.Get("", "ContentType")
		case s.Local == "Override":
			t.byPart[fold(s.Get("", "PartName"))] = s.Get("", "ContentType")
		}
	}
	return t, xmlspan.Known(s.Err())
}

// ContentType returns the media type of a part, or "".
func (p *Package) ContentType(name string) string {
	if own, ok := p.types.byPart[fold(name)]; ok {
		return own
	}
	return p.types.byExt[extOf(name)]
}

// extOf returns the extension of a name in lower case, without its dot.
func extOf(name string) string {
	return strings.ToLower(strings.TrimPrefix(path.Ext(name), "."))
}
