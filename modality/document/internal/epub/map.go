package epub

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/about"
	"github.com/citekit/citekit/internal/plain"
	"github.com/citekit/citekit/modality/internal/docfile"
)

const maxTitle = 300 // bytes

// maxMapRead is how many bytes of parts are read for a map. Entries that lead into
// later parts get the whole part as their location. Tests lower it.
var maxMapRead = 64 << 20

// Map implements [citekit.Mapper]. Sections are the entries of the table of
// contents, in all its levels: of the navigation document, else of the NCX. The
// method is then "nav" or "ncx". Without either, the sections are the parts,
// titled by their first heading or their title, and the method is "parts".
// Entries without a title are replaced by their children.
//
// The location of an entry is the part that it leads to. If the entry leads
// into the middle of a part, or another entry that is not its child leads to a
// later block of the same part, the location is limited to blocks: from the
// block that the entry leads to, up to the last block before the other entry.
// These include the blocks of its children in the part. If an entry has
// children in other parts, its location is all parts from the first to the last
// of these. Parts without an entry that a converter split from the previous
// part, judging by their names, belong to the last entry of that part:
// "ch1_split_001.xhtml" to "ch1_split_000.xhtml", as Calibre names them. An
// entry that leads nowhere has the location of its children, else of its
// parent, else of the whole book.
//
// The title, "author", "keywords", "date" and "language" come from the package
// document. The metadata also have "parts", the number of parts, and "incomplete"
// with "contents" if there are more than [about.MaxMappedNodes] entries.
func (r *Resolver) Map(ctx context.Context, src *citekit.Source, req citekit.MapRequest) (*citekit.Draft, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := docfile.CheckMap(ctx, req, citekit.Document, "a document"); err != nil {
		return nil, err
	}
	b, err := r.open(ctx, src)
	if err != nil {
		return nil, err
	}
	draft, err := b.mapped(ctx)
	if err != nil {
		return nil, known(ctx, err)
	}
	if req.Progress != nil {
		req.Progress(1)
	}
	return draft, nil
}

func (b *book) mapped(ctx context.Context) (*citekit.Draft, error) {
	draft := &citekit.Draft{Metadata: map[string]any{"parts": len(b.spine)}}
	draft.Title = b.describe(draft.Metadata)
	entries, method, err := b.contents(ctx)
	if err != nil {
		return nil, err
	}
	draft.Method = method
	if len(entries) == 0 {
		draft.Method = "parts"
		draft.Nodes, err = b.partNodes(ctx)
		return draft, err
	}
	m := &mapper{book: b}
	m.list(entries, nil)
	if err := m.findBlocks(ctx); err != nil {
		return nil, err
	}
	draft.Nodes = m.nodes()
	if len(m.places) >= about.MaxMappedNodes {
		draft.Metadata["incomplete"] = []any{"contents"}
	}
	return draft, nil
}

// describe adds the metadata of the package document, and returns the title of the
// book.
func (b *book) describe(metadata map[string]any) (title string) {
	var facts about.Facts
	t := b.opf
	date, language := "", ""
	for i := range t.children(t.first(0, "metadata")) {
		b.describeBy(i, &title, &date, &language, &facts)
	}
	if dc := t.first(0, "dc-metadata"); dc != 0 { // old books, in OEB 1
		for i := range t.children(dc) {
			b.describeBy(i, &title, &date, &language, &facts)
		}
	}
	facts.AddDate(date)
	facts.Note(metadata)
	if language != "" {
		metadata["language"] = plain.Words(language, maxTitle)
	}
	return title
}

func (b *book) describeBy(i int32, title, date, language *string, facts *about.Facts) {
	t := b.opf
	text := func() string { return plain.Words(t.label(i, 0), maxTitle) }
	switch t.nodes[i].name {
	case "title":
		if *title == "" {
			*title = plain.Words(strings.Join(strings.Fields(t.content(i)), " "), maxTitle)
		}
	case "creator":
		facts.AddAuthors(text())
	case "subject":
		facts.AddKeywords(text())
	case "language":
		if *language == "" {
			*language = text()
		}
	case "date":
		if *date == "" || t.attr(i, "event") == "publication" {
			*date = text()
		}
	}
}

// content returns the text in an element, whatever its name.
func (t *tree) content(i int32) string {
	var all strings.Builder
	for c := range t.children(i) {
		all.WriteString(t.textOf(c, c, 0))
	}
	return all.String()
}

// partNodes makes a node for each part that is there.
func (b *book) partNodes(ctx context.Context) ([]*citekit.Node, error) {
	var nodes []*citekit.Node
	read := 0
	titles := make(map[string]string) // by the name of the file, which parts may share
	for i := range b.spine {
		if !b.isThere(i+1) || len(nodes) == about.MaxMappedNodes {
			continue
		}
		name := ""
		if it := b.content(b.spine[i].item); it != nil {
			name = it.name
		}
		title, known := titles[name]
		if !known && read < maxMapRead {
			p, _, err := b.part(ctx, i+1)
			switch {
			case err == nil:
				read += len(p.data)
				title = p.title()
			case ctx.Err() != nil:
				return nil, ctx.Err()
			case !errors.Is(err, errNoText) && !isBadPart(err):
				return nil, err
			}
			titles[name] = title
		}
		if title == "" {
			title = fmt.Sprintf("Part %d", i+1)
		}
		nodes = append(nodes, &citekit.Node{Title: title, Type: "section", Location: location(i+1, citekit.Range{})})
	}
	if len(nodes) == 0 {
		return nil, damaged("none of the parts of the book is there")
	}
	return nodes, nil
}

// title returns the first heading of a part, else its title.
func (p *part) title() string {
	for _, block := range p.blocks {
		if name := p.nodes[block.first].name; len(name) == 2 && name[0] == 'h' && name != "hr" {
			if title := plain.Words(p.label(block.first, 0), maxTitle); title != "" {
				return title
			}
		}
	}
	if title := p.first(0, "title"); title != 0 {
		return plain.Words(strings.Join(strings.Fields(p.content(title)), " "), maxTitle)
	}
	return ""
}
