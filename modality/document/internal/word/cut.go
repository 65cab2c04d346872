package word

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/modality/document/internal/ooxml"
	"github.com/citekit/citekit/modality/document/internal/xmlspan"
)

// maxCut is the largest size of evidence, in bytes.
const maxCut = 256 << 20

// A cutter makes evidence of some blocks of a DOCX.
type cutter struct {
	ctx   context.Context
	d     *docx
	p     *ooxml.Package
	out   *ooxml.Cut
	rels  map[string]map[string]bool // the relationships that each inspected part uses
	state map[string]map[string]bool // the relationships that each inspected part may keep
	main  *story
	notes [noteKinds]string // the part with the notes of each kind, if some are kept

	commentParagraphs map[string]bool // ids of the paragraphs in kept comments
	durable           map[string]bool // durable ids of kept comments
	authors           map[string]bool

	objects, controls, links, fields, unread, damaged int
	chunkParts                                        map[string]bool // parts of the embedded texts that are kept
	within                                            []string        // changes made by the cuts of embedded texts
	macros                                            bool
	err                                               error
}

func (d *docx) cut(ctx context.Context, src io.ReaderAt, size int64, first, last int, cells citekit.Cells) (*evidence, error) {
	p, err := ooxml.Open(ctx, src, size)
	if err != nil {
		return nil, err
	}
	if p.Part(d.main) == nil {
		return nil, fmt.Errorf("the main part is gone: %w", citekit.ErrStale)
	}
	c := &cutter{
		ctx: ctx, d: d, p: p, out: ooxml.NewCut(p), rels: make(map[string]map[string]bool), state: make(map[string]map[string]bool),
		authors: make(map[string]bool), chunkParts: make(map[string]bool),
	}
	text, lists := c.compose(first, last, cells)
	if len(lists.changed) > 0 {
		if err := c.replaceKind("numbering", lists.numberingText()); err != nil {
			return nil, err
		}
	}
	if c.main, err = c.clean(d.main, text); err != nil {
		return nil, err
	}
	for _, step := range []func() error{c.keepChunks, c.keepNotes, c.keepComments, c.keepPeople, c.keepSettings, c.findMacros} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	c.out.Retype(d.main, docxMain)
	c.out.Follow = c.follow
	out := &limited{left: maxCut}
	if err := c.out.WriteTo(ctx, out); err != nil || c.err != nil {
		if c.err != nil {
			err = c.err
		}
		return nil, err
	}
	return &evidence{data: out.Bytes(), mediaType: docxType, ext: docxExt, changes: c.changes()}, nil
}

// limited is a buffer with a largest size.
type limited struct {
	bytes.Buffer
	left int
}

func (l *limited) Write(p []byte) (int, error) {
	if l.left -= len(p); l.left < 0 {
		return 0, fmt.Errorf("evidence of more than %d MiB: %w", maxCut>>20, citekit.ErrTooLarge)
	}
	return l.Buffer.Write(p)
}

// compose writes the main part of the cut, before it is cleaned.
func (c *cutter) compose(first, last int, cells citekit.Cells) (string, *listNumbers) {
	d := c.d
	kept := span{d.list[first].pos, d.list[last-1].stop}
	var edits []xmlspan.Edit
	if !cells.IsZero() {
		kept, _ = d.tableOf(d.list[first])
		edits = d.cutTable(kept, cells)
	}
	lists := d.renumber(d.paragraphsIn(kept, edits))
	edits = append(edits, lists.edits...)
	final, more := d.sections(kept, d.list[last-1])
	edits = append(edits, more...)
	var b strings.Builder
	b.WriteString(d.text[:d.bodyStart])
	b.WriteString(xmlspan.Splice(d.text, kept.pos, kept.stop, edits))
	b.WriteString(final)
	b.WriteString(d.text[d.bodyStop:])
	return b.String(), lists
}

// clean cleans a part of the cut and counts what it leaves out.
func (c *cutter) clean(part, text string) (*story, error) {
	usable, err := c.usable(part)
	if err != nil {
		return nil, err
	}
	var chunks map[string]*chunk
	if part == c.d.main {
		chunks = c.d.chunks
	}
	s, err := clean(text, chunks, func(id string) bool { return usable[id] })
	if err != nil {
		return nil, err
	}
	c.rels[part] = s.rels
	c.objects += s.objects
	c.controls += s.controls
	c.links += s.links
	c.fields += s.fields
	c.unread += s.unread
	for author := range s.authors {
		c.authors[author] = true
	}
	c.out.Replace(part, s.text)
	return s, nil
}

// usable returns the relationships of a part that a cut may keep: hyperlinks, and
// relationships to existing parts that are not active.
func (c *cutter) usable(part string) (map[string]bool, error) {
	if known := c.state[part]; known != nil {
		return known, nil
	}
	rels, err := c.p.Rels(c.ctx, part)
	if err != nil {
		return nil, err
	}
	usable := make(map[string]bool)
	inChart := strings.Contains(c.p.ContentType(part), "chart")
	for _, rel := range rels {
		switch kind := rel.Kind(); {
		case rel.External:
			usable[rel.ID] = kind == "hyperlink"
		case c.p.Part(rel.Target) == nil:
		case isActive(kind), kind == "package" && !inChart:
		default:
			usable[rel.ID] = true
		}
	}
	c.state[part] = usable
	return usable, nil
}

// isActive reports whether relationships of a kind lead to parts that act by
// themselves, or to data that is not shown.
func isActive(kind string) bool {
	switch kind {
	case "oleObject", "control", "activeXControlBinary", "vbaProject", "wordVbaData", "attachedTemplate", "attachedToolbars",
		"keyMapCustomizations", "mailMergeSource", "mailMergeHeaderSource", "recipientData", "subDocument", "frame",
		"customXml", "glossaryDocument", "webSettings", "stylesWithEffects", "printerSettings", "transform":
		return true
	}
	return false
}

// follow reports whether a relationship is kept in the cut.
func (c *cutter) follow(part string, rel ooxml.Rel) bool {
	usable, err := c.usable(part)
	if err != nil || c.err != nil {
		c.fail(err)
		return false
	}
	kind := rel.Kind()
	if part == c.d.main {
		switch kind {
		case "styles", "theme", "fontTable", "settings", "numbering":
			return usable[rel.ID]
		case "footnotes", "endnotes":
			return c.notes[footnote] != "" && kind == noteParts[footnote] || c.notes[endnote] != "" && kind == noteParts[endnote]
		case "comments", "commentsExtended", "commentsIds", "commentsExtensible":
			return len(c.main.comments) > 0
		case "people":
			return len(c.authors) > 0
		case "diagramDrawing": // only the data of its diagram names it
			return usable[rel.ID] && c.hasDiagram(rel.ID)
		}
		return c.main.rels[rel.ID]
	}
	if c.isKind("settings", part) || c.chunkParts[part] {
		return false
	}
	used := c.usedBy(part)
	switch kind {
	case "chartStyle", "chartColorStyle", "themeOverride":
		return usable[rel.ID]
	}
	return used[rel.ID]
}

func (c *cutter) fail(err error) {
	if c.err == nil {
		c.err = err
	}
}

// usedBy returns the relationships that a part uses. The first call for a part cleans
// it.
func (c *cutter) usedBy(part string) map[string]bool {
	if used, ok := c.rels[part]; ok {
		return used
	}
	c.rels[part] = nil
	text, err := c.p.Part(part).Text(c.ctx)
	if err == nil {
		_, err = c.clean(part, text)
	}
	if errors.Is(err, xmlspan.ErrMalformed) { // it stays as it is, with everything it may refer to
		c.damaged++
		c.rels[part], err = c.usable(part)
	}
	c.fail(err)
	return c.rels[part]
}

// ofKind returns the part that a relationship of the main part of that kind leads to,
// or nil.
func (c *cutter) ofKind(kind string) (*ooxml.Part, error) {
	rels, err := c.p.Rels(c.ctx, c.d.main)
	for _, rel := range rels {
		if part := c.p.Part(rel.Target); rel.Kind() == kind && !rel.External && part != nil {
			return part, nil
		}
	}
	return nil, err
}

func (c *cutter) isKind(kind, part string) bool {
	of, err := c.ofKind(kind)
	c.fail(err)
	return of != nil && of.Name == part
}

func (c *cutter) replaceKind(kind, text string) error {
	part, err := c.ofKind(kind)
	if err == nil && part != nil {
		_, err = c.clean(part.Name, text)
	}
	return err
}

// hasDiagram reports whether the data of a kept diagram names a drawing.
func (c *cutter) hasDiagram(id string) bool {
	rels, err := c.p.Rels(c.ctx, c.d.main)
	c.fail(err)
	for _, rel := range rels {
		part := c.p.Part(rel.Target)
		if rel.Kind() != "diagramData" || part == nil || !c.main.rels[rel.ID] {
			continue
		}
		text, err := part.Text(c.ctx)
		c.fail(err)
		if strings.Contains(text, `relId="`+id+`"`) {
			return true
		}
	}
	return false
}

func (c *cutter) findMacros() error {
	part, err := c.ofKind("vbaProject")
	c.macros = part != nil
	return err
}

// changes lists how the evidence differs from the source.
func (c *cutter) changes() (list []string) {
	for _, change := range []struct {
		there bool
		text  string
	}{
		{c.macros, "macros left out"},
		{c.objects > 0, "embedded objects left out, their pictures kept"},
		{c.controls > 0, "ActiveX controls left out"},
		{c.links > 0, "links to missing or outside files left out"},
		{c.unread > 0, "embedded texts that are not read left out"},
		{c.damaged > 0, "parts that are damaged in the source stay as they are"},
		{c.fields > 0, "fields that read other files replaced by what they show"},
	} {
		if change.there {
			list = append(list, change.text)
		}
	}
	for _, change := range c.within {
		if !slices.Contains(list, change) && len(list) < message.MaxChanges {
			list = append(list, change)
		}
	}
	return list
}
