package word

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/charset"
	"github.com/citekit/citekit/modality/document/internal/ooxml"
	"github.com/citekit/citekit/modality/document/internal/xmlspan"
	"github.com/citekit/citekit/modality/internal/htmlblocks"
)

const (
	maxChunkBytes = 64 << 20 // bytes of all embedded texts, unpacked
	maxChunkText  = 32 << 20 // bytes of their text, each counted as often as the document uses it

	chunkKind = "aFChunk" // the kind of the relationship to an embedded text
)

// A chunk is a document in another format that takes the place of blocks (altChunk;
// ISO/IEC 29500-1, section 17.17.2.1).
type chunk struct {
	part   string // "" if the document lacks it
	format string // its name for people
	text   string
	read   bool // whether text holds the text of the chunk
	uses   int
}

// line returns the text that stands for a chunk that is not read. The chunk may be
// nil.
func (k *chunk) line() string {
	switch {
	case k == nil:
		return "[an embedded text that is not read]"
	case k.part == "":
		return "[an embedded text that the document lacks]"
	}
	return "[an embedded text, " + k.format + ", that is not read]"
}

// use records that a block uses a chunk.
func (d *docx) use(id string) {
	if d.chunks == nil {
		d.chunks = make(map[string]*chunk)
	}
	if d.chunks[id] == nil {
		d.chunks[id] = new(chunk)
		d.chunkIDs = append(d.chunkIDs, id)
	}
	d.chunks[id].uses++
}

// readChunks reads the chunks that the document uses, if they are HTML, plain text or
// DOCX and within the bounds.
func (d *docx) readChunks(ctx context.Context, p *ooxml.Package) error {
	if len(d.chunks) == 0 {
		return nil
	}
	rels, err := p.Rels(ctx, d.main)
	if err != nil {
		return err
	}
	parts := make(map[string]*ooxml.Part)
	for _, rel := range rels {
		if rel.Kind() == chunkKind && !rel.External {
			parts[rel.ID] = p.Part(rel.Target)
		}
	}
	r := chunkReader{ctx: ctx, bytes: maxChunkBytes}
	left := maxChunkText
	for _, id := range d.chunkIDs {
		part, k := parts[id], d.chunks[id]
		if part == nil {
			continue
		}
		k.part, k.format = part.Name, chunkFormat(p.ContentType(part.Name))
		text, read := r.read(part, k.format)
		if err := ctx.Err(); err != nil {
			return err
		}
		if read && len(text) <= left/k.uses {
			left -= len(text) * k.uses
			k.text, k.read = text, true
		}
	}
	return nil
}

// chunkFormat returns the name of the format of a content type, or "of another
// format" if it is unknown.
func chunkFormat(contentType string) string {
	contentType, _, _ = strings.Cut(strings.ToLower(contentType), ";")
	switch strings.TrimSpace(contentType) {
	case "text/html", "application/xhtml+xml":
		return "HTML"
	case "text/plain":
		return "plain text"
	case "application/rtf", "text/rtf":
		return "RTF"
	case "message/rfc822", "multipart/related":
		return "MHTML"
	}
	if strings.Contains(contentType, "wordprocessingml") || strings.Contains(contentType, "ms-word") {
		return "DOCX"
	}
	return "of another format"
}

// A chunkReader reads chunks.
type chunkReader struct {
	ctx   context.Context
	bytes int64 // how many more bytes may be unpacked
}

// takes reports whether n more bytes may be unpacked.
func (r *chunkReader) takes(n int64) bool {
	r.bytes -= n
	return r.bytes >= 0
}

// read returns the text of a chunk. ok is false if the chunk is too long, damaged or
// of another format.
func (r *chunkReader) read(part *ooxml.Part, format string) (text string, ok bool) {
	if format != "HTML" && format != "DOCX" && format != "plain text" || !r.takes(part.Size()) {
		return "", false
	}
	data, err := part.Bytes(r.ctx)
	switch {
	case err != nil:
		return "", false
	case format == "DOCX":
		return r.docx(data)
	case !isGuessed(data):
		return "", false
	case format == "HTML":
		return htmlblocks.Text([]byte(charset.Guess(data)), false), true
	}
	text = strings.ReplaceAll(charset.Guess(data), "\r\n", "\n")
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return text, true
}

// docx returns the text of a DOCX; ok is false if it has no blocks or has embedded
// texts itself.
func (r *chunkReader) docx(data []byte) (text string, ok bool) {
	inner, err := r.open(data)
	if err != nil || len(inner.chunks) > 0 || len(inner.list) == 0 {
		return "", false
	}
	var b strings.Builder
	for _, block := range inner.list {
		if b.Len() > maxChunkText || r.ctx.Err() != nil {
			return "", false
		}
		b.WriteString(inner.textOf(block.span, citekit.Cells{}))
	}
	return b.String(), true
}

func (r *chunkReader) open(data []byte) (*docx, error) {
	p, err := ooxml.Open(r.ctx, bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, err
	}
	for _, part := range p.Parts() {
		if !r.takes(part.Size()) {
			return nil, citekit.ErrTooLarge
		}
	}
	return readDocx(r.ctx, p, false)
}

// isGuessed reports whether the charset of a page is inferred from its bytes,
// whatever the page declares.
func isGuessed(page []byte) bool {
	head := strings.ToLower(string(page[:min(len(page), 1024)]))
	_, label, declared := strings.Cut(head, "charset=")
	label = strings.TrimLeft(label, `"' `)
	return !declared || utf8.Valid(page) || strings.HasPrefix(label, "iso-8859-1\"") || strings.HasPrefix(label, "windows-1252") ||
		strings.HasPrefix(label, "us-ascii") || strings.HasPrefix(label, "utf-")
}

// chunk writes the text of the chunk whose Start is the current token.
func (t *texter) chunk(s *xmlspan.Scanner) {
	if k := t.chunks[s.Get("r", "id")]; k != nil && k.read {
		t.out.WriteString(k.text)
	} else {
		t.out.WriteString(k.line() + "\n")
	}
	s.Skip()
}

// chunk handles an embedded text. Whether an unread one holds only what the address
// selects is unknown, so a paragraph replaces it.
func (c *cleaner) chunk() {
	s := c.s
	id := s.Get("r", "id")
	if k := c.chunks[id]; k != nil && k.read {
		c.embedded = append(c.embedded, id)
		c.rels[id] = true
		return
	}
	c.unread++
	_, parent := s.Parent()
	prefix, line := prefixAt(c.data, s.Pos), c.chunks[id].line()
	edit := xmlspan.Edit{Pos: s.Pos}
	s.Skip()
	if edit.Stop = s.Stop; parent != "p" && parent != "r" {
		edit.Text = fmt.Sprintf("<%[1]sp><%[1]sr><%[1]st>%[2]s</%[1]st></%[1]sr></%[1]sp>", prefix, xmlspan.Escape(line))
	}
	c.edits = append(c.edits, edit)
}

// keepChunks replaces embedded DOCX files by cuts of all their blocks, which have no
// macros, embedded objects or properties.
func (c *cutter) keepChunks() error {
	for _, id := range c.main.embedded {
		k := c.d.chunks[id]
		if c.chunkParts[k.part] {
			continue
		}
		c.chunkParts[k.part] = true
		if k.format != "DOCX" {
			continue
		}
		data, err := c.p.Part(k.part).Bytes(c.ctx)
		if err != nil {
			return err
		}
		r := chunkReader{ctx: c.ctx, bytes: maxChunkBytes}
		inner, err := r.open(data)
		if err != nil || len(inner.list) == 0 {
			return fmt.Errorf("an embedded text has changed: %w", citekit.ErrStale)
		}
		cut, err := inner.cut(c.ctx, bytes.NewReader(data), int64(len(data)), 0, len(inner.list), citekit.Cells{})
		if err != nil {
			return err
		}
		c.out.Replace(k.part, string(cut.data))
		c.out.Retype(k.part, docxMain)
		for _, change := range cut.changes {
			c.within = append(c.within, change+", in an embedded text")
		}
	}
	return nil
}
