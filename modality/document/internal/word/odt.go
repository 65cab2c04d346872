package word

import (
	"context"
	"fmt"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/modality/document/internal/odf"
	"github.com/citekit/citekit/modality/document/internal/xmlspan"
	"github.com/citekit/citekit/modality/internal/docfile"
	"github.com/citekit/citekit/preview"
)

// An odt is a parsed ODT. Its package may be closed.
type odt struct {
	text       string           // the text of content.xml
	scope      *xmlspan.Scanner // a scanner inside office:text; it never advances, since others read its namespaces
	bodyStart  int              // after the start tag of office:text
	bodyStop   int              // before its end tag
	list       []odtBlock
	paragraphs []odtParagraph // numbered paragraphs
	changes    span           // the tracked changes
	sequences  span           // the declarations of sequences
	styles     *odtStyles
	stylesText string
	notes      [noteKinds][]int // offsets of numbered notes
	comments   bool             // whether they are read
	mediaType  string
	meta       odf.Meta
}

// An odtBlock is a child of office:text.
type odtBlock struct {
	block
	master string // the master page in force at its beginning
	own    bool   // whether it names its master page itself
	lead   span   // the start tag of its first paragraph or table
}

// odtTypes maps the media types of text documents to extensions.
var odtTypes = map[string]string{
	"application/vnd.oasis.opendocument.text":          ".odt",
	"application/vnd.oasis.opendocument.text-template": ".ott",
}

func openODT(ctx context.Context, p *odf.Package, comments bool) (*odt, error) {
	d := &odt{mediaType: p.MediaType(), comments: comments}
	if odtTypes[d.mediaType] == "" {
		return nil, fmt.Errorf("the package is no text: %w", citekit.ErrFormat)
	}
	var err error
	if d.text, err = p.TextUpTo(ctx, odf.Content, maxMain); err != nil {
		return nil, err
	}
	if p.Has(odf.Styles) {
		if d.stylesText, err = p.TextUpTo(ctx, odf.Styles, maxParts["styles"]); err != nil {
			return nil, fmt.Errorf("the styles: %w", err)
		}
	}
	if d.styles, err = readODTStyles(d.stylesText, d.text); err != nil {
		return nil, fmt.Errorf("the styles: %w", err)
	}
	if d.meta, err = p.Meta(ctx); err != nil {
		return nil, err
	}
	if err := d.index(ctx); err != nil {
		return nil, err
	}
	return d, nil
}

func (d *odt) cost() int64 {
	const each = 160 // estimated bytes of memory for a block or a paragraph
	return int64(len(d.text) + len(d.stylesText) + each*(len(d.list)+len(d.paragraphs)))
}

func (d *odt) blocks() int { return len(d.list) }

func (d *odt) format() (mediaType, ext string) { return d.mediaType, odtTypes[d.mediaType] }

func (d *odt) blockText(i int, cells citekit.Cells) string {
	at := d.list[i].span
	if !cells.IsZero() {
		at, _ = d.tableOf(i)
	}
	t := &odf.Texter{Label: d.labelAt, Spans: d.styles.spans, Cells: cells, ReadComments: d.comments}
	t.Container(d.scope.Fragment(at.pos, at.stop), 0)
	comments := make([]string, 0, len(t.Comments()))
	for _, c := range t.Comments() {
		comments = append(comments, comment(c).String())
	}
	text := t.String() + t.Notes() + strings.Join(comments, "")
	if strings.TrimSpace(text) == "" {
		return ""
	}
	return text
}

func (d *odt) line(i int) string {
	t := &odf.Texter{Label: d.labelAt, Spans: d.styles.spans}
	t.Container(d.scope.Fragment(d.list[i].pos, d.list[i].stop), 0)
	return strings.Join(strings.Fields(t.String()), " ")
}

func (d *odt) draft(ctx context.Context) (*citekit.Draft, error) {
	items := make([]item, len(d.list))
	for i, b := range d.list {
		items[i] = item{level: b.level, table: b.kind == "table", caption: b.caption, title: b.title, picture: b.picture && b.kind == "p"}
	}
	return draft(ctx, d, items, d.meta.Title, d.meta)
}

// tableOf returns the outer table of a block: the block itself, or the first table in
// a section.
func (d *odt) tableOf(i int) (span, bool) {
	b := d.list[i]
	if b.kind != "table" && b.kind != "section" {
		return span{}, false
	}
	s := d.scope.Fragment(b.pos, b.stop)
	for range s.Starts() {
		switch {
		case s.Is("table", "table"):
			pos := s.Pos
			s.Skip()
			return span{pos, s.Stop}, true
		case s.Is("text", "p"), s.Is("text", "h"), s.Is("text", "list"):
			s.Skip()
		}
	}
	return span{}, false
}

func (d *odt) readTable(at span) odf.Table {
	s := d.scope.Fragment(at.pos, at.stop)
	s.Next()
	return odf.ReadTable(s)
}

// table returns the table of a block with its cells, or nil if it has none.
func (d *odt) table(i int) *preview.Table {
	at, ok := d.tableOf(i)
	if !ok {
		return nil
	}
	var tables []preview.Table
	t := &odf.Texter{Label: d.labelAt, Spans: d.styles.spans}
	t.AppendTables(&tables)
	t.Container(d.scope.Fragment(at.pos, at.stop), 0)
	if len(tables) == 0 {
		return nil
	}
	docfile.FitCells(&tables[0])
	return &tables[0]
}

func (d *odt) tableSize(i int) (rows, cols int, ok bool) {
	at, ok := d.tableOf(i)
	if !ok {
		return 0, 0, false
	}
	t := d.readTable(at)
	return t.Height, t.Width, true
}
