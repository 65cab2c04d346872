package word

import (
	"context"
	"fmt"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/modality/document/internal/ooxml"
	"github.com/citekit/citekit/modality/document/internal/xmlspan"
)

const (
	docxType = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
	docxMain = docxType + ".main+xml"
	docxExt  = ".docx"

	maxBlocks     = 1 << 20
	maxParagraphs = 1 << 20 // paragraphs in lists
	maxReferences = 1 << 20 // references to notes
)

// The largest sizes of parts, in bytes. All parts together, with what is built from
// them, fit into memory.
const maxMain = 96 << 20

var maxParts = map[string]int64{"styles": 16 << 20, "numbering": 16 << 20, "footnotes": 48 << 20, "endnotes": 48 << 20, "comments": 48 << 20}

// A docx is a parsed DOCX. Its package may be closed.
type docx struct {
	main, text  string           // text of the main part
	scope       *xmlspan.Scanner // a scanner inside the body; it never advances, since others read its namespaces
	prefix      string           // of the names of its elements, such as "w:"
	bodyStart   int              // after the tag of the body
	bodyStop    int              // before the end tag of the body
	final       span             // the sectPr at the end of the body; empty if it is missing
	list        []block
	paragraphs  []paragraph // numbered paragraphs
	breaks      []span      // the sectPr elements of paragraphs
	references  []reference // to notes
	styles      *styles
	numbering   *numbering
	notes       [noteKinds]*notes
	comments    map[string]comment // by their ids; nil if they are not read
	chunks      map[string]*chunk  // embedded texts, by their relationships
	chunkIDs    []string           // the keys of chunks, in the order of the text
	contentType string             // content type of the main part
	core        ooxml.Core
}

// A span is a run of bytes.
type span struct{ pos, stop int }

func (s span) isEmpty() bool { return s.pos == s.stop }

// A block is a child of the body.
type block struct {
	span
	kind    string // the local name of its element
	level   int    // of a heading, from 1, or 0
	caption bool   // whether its style is one for captions
	title   bool   // whether its style is the title style
	picture bool   // whether it has a picture or a chart
}

// A paragraph is a paragraph in a list.
type paragraph struct {
	pos    int // offset of its first byte
	list   *num
	level  int
	values [levelCount]int
	label  string // its number and the text between number and paragraph
}

// A reference is a reference to a note.
type reference struct {
	pos    int
	kind   int
	id     string
	own    bool // whether it has a custom mark
	number int
	mark   string // the number as shown
}

// openDocx reads a DOCX and the texts embedded in it.
func openDocx(ctx context.Context, p *ooxml.Package, comments bool) (*docx, error) {
	d, err := readDocx(ctx, p, comments)
	if err != nil {
		return nil, err
	}
	return d, d.readChunks(ctx, p)
}

func readDocx(ctx context.Context, p *ooxml.Package, comments bool) (*docx, error) {
	d := &docx{main: p.Main()}
	d.contentType = p.ContentType(d.main)
	var err error
	if d.text, err = p.Part(d.main).TextUpTo(ctx, maxMain); err != nil {
		return nil, err
	}
	rels, err := p.Rels(ctx, d.main)
	if err != nil {
		return nil, err
	}
	texts := make(map[string]string)
	var settings *ooxml.Part
	for _, rel := range rels {
		switch kind := rel.Kind(); kind {
		case "settings":
			if !rel.External {
				settings = p.Part(rel.Target)
			}
		case "styles", "numbering", "footnotes", "endnotes", "comments":
			if kind == "comments" && !comments {
				break
			}
			if part := p.Part(rel.Target); part != nil && !rel.External && texts[kind] == "" {
				if texts[kind], err = part.TextUpTo(ctx, maxParts[kind]); err != nil {
					return nil, err
				}
			}
		}
	}
	if d.styles, err = readStyles(texts["styles"]); err != nil {
		return nil, fmt.Errorf("the styles: %w", err)
	}
	if d.numbering, err = readNumbering(texts["numbering"], d.styles); err != nil {
		return nil, fmt.Errorf("the numbering: %w", err)
	}
	for kind := range noteKinds {
		if d.notes[kind], err = readNotes(kind, texts[noteParts[kind]]); err != nil {
			return nil, fmt.Errorf("the notes: %w", err)
		}
	}
	if comments {
		if d.comments, err = readComments(texts["comments"]); err != nil {
			return nil, fmt.Errorf("the comments: %w", err)
		}
	}
	if d.core, err = p.Core(ctx); err != nil {
		return nil, err
	}
	rules, err := readSettings(ctx, settings)
	if err != nil {
		return nil, fmt.Errorf("the settings: %w", err)
	}
	if err := d.index(ctx); err != nil {
		return nil, err
	}
	d.numberNotes(rules)
	return d, nil
}

func (d *docx) cost() int64 {
	const each = 96 // estimated bytes of memory for a block or a paragraph
	n := int64(len(d.text) + len(d.numbering.text) + each*(len(d.list)+2*len(d.paragraphs)+len(d.references)))
	for _, notes := range d.notes {
		n += int64(len(notes.text) + each*len(notes.byID))
	}
	for _, c := range d.comments {
		n += int64(len(c.Text) + each)
	}
	for _, k := range d.chunks {
		n += int64(len(k.text) + each)
	}
	return n
}

func (d *docx) blocks() int { return len(d.list) }

// format returns the media type and the extension of the source. Templates and
// documents with macros have their own.
func (d *docx) format() (mediaType, ext string) {
	switch {
	case strings.Contains(d.contentType, "ms-word.document.macroEnabled"):
		return "application/vnd.ms-word.document.macroEnabled.12", ".docm"
	case strings.Contains(d.contentType, "ms-word.template.macroEnabled"):
		return "application/vnd.ms-word.template.macroEnabled.12", ".dotm"
	case strings.Contains(d.contentType, "wordprocessingml.template"):
		return "application/vnd.openxmlformats-officedocument.wordprocessingml.template", ".dotx"
	}
	return docxType, docxExt
}

func (d *docx) blockText(i int, cells citekit.Cells) string {
	b := d.list[i]
	if !cells.IsZero() {
		b.span, _ = d.tableOf(b)
	}
	return d.textOf(b.span, cells)
}

func (d *docx) draft(ctx context.Context) (*citekit.Draft, error) {
	items := make([]item, len(d.list))
	for i, b := range d.list {
		items[i] = item{level: b.level, table: b.kind == "tbl", caption: b.caption, title: b.title, picture: b.picture && b.kind == "p"}
	}
	return draft(ctx, d, items, d.core.Title, d.core)
}

func (d *docx) line(i int) string {
	t := &texter{d: d, styles: d.styles, chunks: d.chunks}
	t.container(d.scope.Fragment(d.list[i].pos, d.list[i].stop), 0)
	return strings.Join(strings.Fields(t.out.String()), " ")
}
