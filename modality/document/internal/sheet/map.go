package sheet

import (
	"context"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/about"
	"github.com/citekit/citekit/internal/plain"
	"github.com/citekit/citekit/modality/document/internal/ooxml"
	"github.com/citekit/citekit/modality/internal/docfile"
)

const (
	maxTitle   = 200 // bytes
	maxSummary = 400
)

// Map implements [citekit.Mapper]. Each sheet is a node of type "sheet"; the
// summary says if it is hidden. Its children are its tables; the areas that the
// workbook names, of type "range"; and blocks, also of type "table". A block is an
// area of adjacent cells with content outside the tables, with at least two rows
// and two columns. If the first row of a block is a single text above its header,
// that is the title; otherwise the header is. Areas end at the end of the sheet.
//
// The metadata have "sheets", the number of sheets, and "author", "date",
// "keywords" and "language" as the workbook gives them. "incomplete" lists
// "blocks" or "nodes" if some were left out.
func (r *Resolver) Map(ctx context.Context, src *citekit.Source, req citekit.MapRequest) (*citekit.Draft, error) {
	if err := docfile.CheckMap(ctx, req, citekit.Document, "a workbook"); err != nil {
		return nil, err
	}
	if isODS(src) {
		return r.mapODS(ctx, src, req)
	}
	j, err := r.open(ctx, src)
	if err != nil {
		return nil, err
	}
	core, err := j.p.Core(ctx)
	if err != nil {
		return nil, err
	}
	m := &mapper{job: j, ctx: ctx, reader: j.cellReader(ctx), left: about.MaxMappedNodes}
	draft := &citekit.Draft{Title: plain.Words(core.Title, maxTitle), Method: "sheets", Metadata: map[string]any{"sheets": len(j.book.sheets)}}
	core.Note(draft.Metadata)
	for i := range j.book.sheets {
		node, err := m.sheet(i)
		if err != nil {
			return nil, err
		}
		if node != nil {
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

// A mapper holds the state while a map is made.
type mapper struct {
	*job
	ctx        context.Context
	reader     *cellReader
	left       int // number of nodes that may still be added
	incomplete []any
}

// lack records what the map leaves out.
func (m *mapper) lack(what string) {
	for _, known := range m.incomplete {
		if known == what {
			return
		}
	}
	m.incomplete = append(m.incomplete, what)
}

// take counts a node; it returns false if there are too many.
func (m *mapper) take() bool {
	if m.left == 0 {
		m.lack("nodes")
		return false
	}
	m.left--
	return true
}

// sheet returns the node of a sheet, or nil if it cannot be addressed or cut: it has
// no name, or the name of an earlier sheet.
func (m *mapper) sheet(i int) (*citekit.Node, error) {
	e := &m.book.sheets[i]
	loc := citekit.Location{Modality: citekit.Document, Sheet: e.name}
	if first, err := m.book.find(e.name); err != nil || first != i || e.name == "" || loc.Validate() != nil || e.kind == otherSheet {
		return nil, nil
	}
	if !m.take() {
		return nil, nil
	}
	node := &citekit.Node{Title: plain.Words(e.name, maxTitle), Type: "sheet", Location: loc}
	if e.kind == chartSheet {
		node.Summary = join("chart", hiddenWord(e))
		return node, nil
	}
	x, err := m.index(m.ctx, e)
	if err != nil {
		return nil, err
	}
	node.Summary = "empty"
	if !x.used.isEmpty() {
		node.Summary = x.used.String()
	}
	node.Summary = join(node.Summary, hiddenWord(e))
	return node, m.children(node, i, x)
}

func hiddenWord(e *entry) string {
	if e.hidden {
		return "hidden"
	}
	return ""
}

func join(first, second string) string {
	if second == "" {
		return first
	}
	return first + ", " + second
}

func (m *mapper) children(node *citekit.Node, i int, x *index) error {
	tables, err := m.tables(m.ctx, m.book.sheets[i].part)
	if err != nil {
		return err
	}
	add := func(n *citekit.Node) bool {
		if n.Location.Validate() != nil || !m.take() {
			return false
		}
		node.Children = append(node.Children, n)
		return true
	}
	var taken []area
	for _, t := range tables {
		if a := t.area.meet(x.used); !a.isEmpty() {
			add(&citekit.Node{Title: plain.Words(t.name, maxTitle), Type: "table", Location: m.at(i, a), Summary: plain.Words(strings.Join(t.columns, ", "), maxSummary)})
			taken = append(taken, a)
		}
	}
	for k := range m.book.names {
		n := &m.book.names[k]
		if n.hidden || n.local >= 0 && n.local != i || strings.HasPrefix(n.name, "_xlnm.") {
			continue
		}
		if loc, ok := m.named(n, i, x); ok {
			add(&citekit.Node{Title: plain.Words(n.name, maxTitle), Type: "range", Location: loc})
		}
	}
	for k := range x.blocks {
		b := &x.blocks[k]
		if meetsAny(taken, b.area) {
			continue
		}
		title, summary, err := m.describe(b)
		if err != nil {
			return err
		}
		if !add(&citekit.Node{Title: title, Type: "table", Location: m.at(i, b.area), Summary: summary}) {
			break
		}
	}
	if x.more {
		m.lack("blocks")
	}
	return nil
}

func (m *mapper) at(sheet int, a area) citekit.Location {
	return citekit.Location{Modality: citekit.Document, Sheet: m.book.sheets[sheet].name, Cells: a.cells()}
}

func meetsAny(areas []area, b area) bool {
	for _, a := range areas {
		if !a.meet(b).isEmpty() {
			return true
		}
	}
	return false
}

// named returns the location of a defined name, if that is one area of a sheet.
func (m *mapper) named(n *definedName, sheet int, x *index) (citekit.Location, bool) {
	refs, ok := references(n.text)
	if !ok || len(refs) != 1 || refs[0].sheet == "" || !strings.EqualFold(refs[0].sheet, m.book.sheets[sheet].name) {
		return citekit.Location{}, false
	}
	a := refs[0].area.meet(x.used)
	if a.isEmpty() {
		return citekit.Location{}, false
	}
	return m.at(sheet, a), true
}

// describe returns the title of a block and a summary of its header.
func (m *mapper) describe(b *block) (title, summary string, err error) {
	var rows [][]string
	var number int32
	texts := true
	var lines [][]headCell
	for _, c := range b.head {
		if c.row != number {
			lines, number = append(lines, nil), c.row
		}
		lines[len(lines)-1] = append(lines[len(lines)-1], c)
	}
	header := -1
	for i, line := range lines {
		texts = true
		var shown []string
		for _, c := range line {
			text, err := m.reader.shown(c.kind, c.style, c.value)
			if err != nil {
				return "", "", err
			}
			texts = texts && (c.kind == typeShared || c.kind == typeText || c.kind == typeInline)
			if text != "" {
				shown = append(shown, text)
			}
		}
		rows = append(rows, shown)
		if header < 0 && texts && len(shown) > 1 {
			header = i
		}
	}
	names := ""
	if header >= 0 {
		names = strings.Join(rows[header], ", ")
	}
	if len(rows) > 1 && len(rows[0]) == 1 && len(lines[0]) == 1 && lines[0][0].kind != typeNumber {
		return plain.Words(rows[0][0], maxTitle), plain.Words(names, maxSummary), nil
	}
	if names != "" && header == 0 {
		return plain.Words(names, maxTitle), "", nil
	}
	return b.area.String(), plain.Words(names, maxSummary), nil
}

// A table is a named table of a sheet.
type table struct {
	part    string
	rel     string
	name    string
	area    area
	columns []string
	query   bool // whether a query fills it
	text    string
}

const maxTables = 1000 // most tables of a sheet

// tables returns the tables of a sheet. Damaged ones are left out.
func (j *job) tables(ctx context.Context, sheet string) ([]table, error) {
	rels, err := j.p.Rels(ctx, sheet)
	if err != nil {
		return nil, err
	}
	var tables []table
	for _, rel := range rels {
		part := j.p.Part(rel.Target)
		if rel.Kind() != "table" || rel.External || part == nil || len(tables) == maxTables {
			continue
		}
		text, err := part.Text(ctx)
		if err != nil {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			continue
		}
		t := table{part: part.Name, rel: rel.ID, text: text}
		if t.read() {
			tables = append(tables, t)
		}
	}
	return tables, nil
}

func (t *table) read() bool {
	s := ooxml.Scan(t.text)
	for range s.Starts() {
		switch {
		case s.Depth == 1:
			t.name = s.Get("", "displayName")
			if t.name == "" {
				t.name = s.Get("", "name")
			}
			kind := s.Get("", "tableType")
			t.query = kind != "" && kind != "worksheet"
			t.area, _ = areaOf(s.Get("", "ref"))
		case s.Depth == 3 && s.Local == "tableColumn" && len(t.columns) < 100:
			t.columns = append(t.columns, unescapeControls(s.Get("", "name")))
		}
	}
	return s.Err() == nil && s.Local != "" && !t.area.isEmpty()
}
