package sheet

import (
	"context"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/about"
	"github.com/citekit/citekit/internal/plain"
	"github.com/citekit/citekit/modality/document/internal/xmlspan"
)

// mapODS maps an ODS workbook as [Resolver.Map] maps XLSX. Its tables are its
// database ranges.
func (r *Resolver) mapODS(ctx context.Context, src *citekit.Source, req citekit.MapRequest) (*citekit.Draft, error) {
	j, err := r.openODS(ctx, src)
	if err != nil {
		return nil, err
	}
	meta, err := j.p.Meta(ctx)
	if err != nil {
		return nil, err
	}
	m := &mapper{ctx: ctx, reader: &cellReader{ctx: ctx, book: &workbook{styles: new(styles)}}, left: about.MaxMappedNodes}
	draft := &citekit.Draft{Title: plain.Words(meta.Title, maxTitle), Method: "sheets", Metadata: map[string]any{"sheets": len(j.book.sheets)}}
	meta.Note(draft.Metadata)
	for i := range j.book.sheets {
		e := &j.book.sheets[i]
		loc := citekit.Location{Modality: citekit.Document, Sheet: e.name}
		if j.book.first[e.name] == i && e.name != "" && loc.Validate() == nil && m.take() {
			node := &citekit.Node{Title: plain.Words(e.name, maxTitle), Type: "sheet", Location: loc, Summary: "empty"}
			if !e.used.isEmpty() {
				node.Summary = e.used.String()
			}
			if e.hidden {
				node.Summary = join(node.Summary, "hidden")
			}
			if err := m.odsChildren(node, j.book, e); err != nil {
				return nil, err
			}
			draft.Nodes = append(draft.Nodes, node)
		}
		if req.Progress != nil {
			req.Progress(float64(i+1) / float64(len(j.book.sheets)))
		}
	}
	if len(m.incomplete) > 0 {
		draft.Metadata["incomplete"] = m.incomplete
	}
	return draft, nil
}

func (m *mapper) odsChildren(node *citekit.Node, b *odsBook, e *odsSheet) error {
	add := func(title, kind, summary string, a area) {
		n := &citekit.Node{Title: plain.Words(title, maxTitle), Type: kind, Summary: summary,
			Location: citekit.Location{Modality: citekit.Document, Sheet: e.name, Cells: a.cells()}}
		if n.Location.Validate() == nil && m.take() {
			node.Children = append(node.Children, n)
		}
	}
	var taken []area
	for _, i := range b.named[e.name] {
		n := &b.names[i]
		a := n.area.meet(e.used)
		if a.isEmpty() || strings.HasPrefix(n.name, "__Anonymous") {
			continue
		}
		kind := "range"
		if n.database {
			kind = "table"
			taken = append(taken, a)
		}
		add(n.name, kind, "", a)
	}
	found, more, err := b.blocks(m.ctx, e)
	if err != nil {
		return err
	}
	for i := range found {
		if meetsAny(taken, found[i].area) {
			continue
		}
		title, summary, err := m.describe(&found[i])
		if err != nil {
			return err
		}
		add(title, "table", summary, found[i].area)
	}
	if more {
		m.lack("blocks")
	}
	return nil
}

// blocks finds the blocks of a sheet.
func (b *odsBook) blocks(ctx context.Context, e *odsSheet) ([]block, bool, error) {
	var found blocks
	for i := range e.rows {
		w := &e.rows[i]
		if !w.filled {
			continue
		}
		line := b.line(e, w)
		for n := w.number; n <= w.last(); n++ {
			if err := ctx.Err(); err != nil {
				return nil, false, err
			}
			line.number = n
			found.add(line)
		}
	}
	blocks, more := found.finish()
	return blocks, more, nil
}

// line converts a row to an XLSX row.
func (b *odsBook) line(e *odsSheet, w *odsRow) *row {
	line := &row{inOrder: true}
	for _, c := range b.cells(w) {
		if !c.filled {
			continue
		}
		kind := typeNumber
		if c.kind == "string" || c.kind == "" {
			kind = typeText
		}
		b.shownRuns(e, c, c.col, c.last(), func(first, last int32, text string) {
			from := int32(len(line.data))
			line.data = append(line.data, xmlspan.Escape(text)...)
			for col := first; col <= last && text != ""; col++ {
				line.cells = append(line.cells, cell{col: col, kind: kind, value: span{from, int32(len(line.data))}})
			}
		})
	}
	return line
}
