package text

import (
	"bytes"
	"context"
	"errors"
	"iter"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/modality/text/internal/code"
	"github.com/citekit/citekit/modality/text/internal/data"
	"github.com/citekit/citekit/modality/text/internal/linkset"
	"github.com/citekit/citekit/modality/text/internal/markup"
	"github.com/citekit/citekit/relations"
)

var _ relations.Linker = (*Resolver)(nil)

// ReadLinks implements [relations.Linker]. Documents in a markup language give
// the links of their markup, source code its imports and includes, the file
// go.mod the path of its module as an anchor and its requirements, and prose
// and other text the URIs in it. Notebooks, logs and data give no links, and
// neither does a source of more than 16 MiB.
func (r *Resolver) ReadLinks(ctx context.Context, src *citekit.Source) iter.Seq2[relations.Link, error] {
	return func(yield func(relations.Link, error) bool) {
		links, err := r.links(ctx, src)
		if err != nil {
			yield(relations.Link{}, err)
			return
		}
		for _, link := range links {
			if !yield(link, nil) {
				return
			}
		}
	}
}

func (r *Resolver) links(ctx context.Context, src *citekit.Source) ([]relations.Link, error) {
	x, err := r.index(ctx, src)
	if err != nil || src.Size() > maxHeld {
		return nil, err
	}
	m := &mapper{ctx: ctx, src: src, text: cut{coding: x.coding, end: src.Size(), first: 1}}
	if m.text.coding.charset, _, err = m.text.charset(ctx, src); err != nil {
		return nil, err
	}
	if m.held, err = m.readAll(); err != nil {
		return nil, err
	}
	m.head = m.held[:min(len(m.held), headBytes)]
	return m.links()
}

// links returns the links of a text held in memory.
func (m *mapper) links() ([]relations.Link, error) {
	if m.src.Name() == "go.mod" {
		return moduleLinks(m.held), nil
	}
	if format, ok := m.markup(); ok {
		return markup.Links(m.ctx, format, m.held)
	}
	if language, ok := code.LanguageOf(m.src.Name(), m.head); ok {
		links, err := code.Links(m.ctx, language, m.held)
		if errors.Is(err, citekit.ErrSyntax) {
			return nil, nil
		}
		return links, err
	}
	if format, structured := data.FormatOf(m.src.Name(), m.head); !structured || format == data.Prose {
		return markup.PlainLinks(m.ctx, m.held)
	}
	return nil, nil
}

// moduleLinks reads the file go.mod: the path of the module is a name of the
// folder, and its requirements are imports.
func moduleLinks(src []byte) []relations.Link {
	var set linkset.Set
	inRequire, number := false, 0
	for line := range bytes.Lines(src) {
		number++
		line, _, _ = bytes.Cut(line, []byte("//"))
		words := bytes.Fields(line)
		switch {
		case len(words) == 0:
		case string(words[0]) == ")":
			inRequire = false
		case len(words) >= 2 && string(words[0]) == "module":
			set.Add(number, number, linkset.Anchor, "", string(bytes.Trim(words[1], "\"`")))
		case len(words) >= 2 && string(words[0]) == "require" && string(words[1]) == "(":
			inRequire = true
		case len(words) >= 3 && string(words[0]) == "require":
			set.Add(number, number, linkset.Import, "", string(words[1]))
		case inRequire && len(words) >= 2:
			set.Add(number, number, linkset.Import, "", string(words[0]))
		}
	}
	return set.Links()
}
