package mail

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/about"
	say "github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/plain"
	"github.com/citekit/citekit/internal/sentence"
	"github.com/citekit/citekit/modality/internal/docfile"
)

const (
	maxSummary = 300
	maxTitle   = 200
	leadBytes  = 4 << 10 // of a part that its summary is made of
)

// Map implements [citekit.Mapper]. A message has nodes for its parts and
// attachments, nested as they are. A mailbox has nodes for its threads, their
// messages and the parts of these. References and In-Reply-To join messages to a
// thread; replies without either join the thread of their subject. A thread of
// several messages is located at the whole mailbox.
//
// A mailbox that would have more than [about.MaxMappedNodes] nodes has no nodes
// for parts. If that is not enough, it has one node for each thread, located at
// its first message. The summary of an encrypted part says so. The metadata key
// "structure" says what was left out.
func (r *Resolver) Map(ctx context.Context, src *citekit.Source, req citekit.MapRequest) (*citekit.Draft, error) {
	if err := docfile.CheckMap(ctx, req, citekit.Text, "a mail"); err != nil {
		return nil, err
	}
	f, err := r.open(ctx, src, citekit.Location{Modality: citekit.Text})
	if err != nil {
		return nil, err
	}
	var d *citekit.Draft
	if f.box != nil {
		d, err = f.mapMailbox(ctx, req.Progress)
	} else {
		d, err = f.mapMessage(ctx)
	}
	if err == nil && req.Progress != nil {
		req.Progress(1)
	}
	return d, err
}

// mapMessage maps a file that is a message.
func (f *file) mapMessage(ctx context.Context) (*citekit.Draft, error) {
	m, err := f.message(ctx, 0)
	if err != nil {
		return nil, err
	}
	h := m.root.header
	d := &citekit.Draft{Title: plain.Shorten(h.text("subject"), maxTitle), Method: "parts", Metadata: map[string]any{"format": emlKind, "parts": m.top}}
	var facts about.Facts
	facts.AddAuthors(h.authors("from")...)
	facts.AddDate(h.date())
	facts.Note(d.Metadata)
	if m.why != nil {
		d.Metadata["structure"] = strings.TrimSuffix(m.why.Error(), ": "+citekit.ErrTooLarge.Error())
	}
	c := &nodeBuilder{ctx: ctx, src: f.src, at: citekit.Location{Modality: citekit.Text}}
	if d.Nodes, err = c.inner(m.root); err != nil {
		return nil, err
	}
	if len(d.Nodes) == 0 {
		d.Nodes = []*citekit.Node{c.messageNode(m.root, c.at)}
	}
	return d, nil
}

// date returns when a message was sent, or the field as it is if it has no valid
// date.
func (h header) date() string {
	if t := h.time(); !t.IsZero() {
		return t.Format(time.RFC3339)
	}
	return h.text("date")
}

// A nodeBuilder makes the nodes of a message.
type nodeBuilder struct {
	ctx context.Context
	src io.ReaderAt
	at  citekit.Location // of the message
}

// inner returns nodes for the parts of a message.
func (c *nodeBuilder) inner(root *entity) ([]*citekit.Node, error) {
	if !root.isMultipart() {
		return c.nodes(root)
	}
	return c.nodes(root.parts...)
}

// nodes returns nodes for parts, also for those without a byte.
func (c *nodeBuilder) nodes(parts ...*entity) ([]*citekit.Node, error) {
	var nodes []*citekit.Node
	for _, part := range parts {
		if err := c.ctx.Err(); err != nil {
			return nil, err
		}
		n, err := c.node(part)
		if err != nil {
			return nil, err
		}
		if n != nil {
			nodes = append(nodes, n)
		}
	}
	return nodes, nil
}

// node returns the node of a part, or nil for an entity without a number.
func (c *nodeBuilder) node(e *entity) (*citekit.Node, error) {
	if e.number == "" {
		return nil, nil
	}
	head, err := io.ReadAll(io.LimitReader(e.decoded(c.ctx, c.src), leadBytes))
	if err != nil {
		return nil, err
	}
	at := c.at
	at.Part = e.number
	n := &citekit.Node{Type: "part", Title: e.kind, Location: at}
	switch {
	case e.message != nil:
		n = c.messageNode(e.message, at)
		n.Children, err = c.inner(e.message)
	case e.isMultipart():
		n.Children, err = c.nodes(e.parts...)
	default:
		c.describe(n, e, head)
	}
	if err != nil {
		return nil, err
	}
	cipher, err := e.cipher(c.ctx, c.src)
	if cipher != "" {
		n.Summary = "encrypted by " + cipher
	}
	return n, err
}

// describe says in a node what a part is.
func (c *nodeBuilder) describe(n *citekit.Node, e *entity, head []byte) {
	name := e.fileName(c.ctx, c.src)
	if name != "" {
		n.Title = plain.Shorten(plain.Line(name), maxTitle)
	}
	if e.isAttachment(c.ctx, c.src) {
		n.Type = "attachment"
	}
	if e.isText() {
		n.Summary = c.lead(e, head)
	} else if name != "" {
		n.Summary = e.kind
	}
}

// lead returns the first words of a text. Head is how the text begins.
func (c *nodeBuilder) lead(e *entity, head []byte) string {
	t, err := textOf(func() io.Reader { return strings.NewReader(string(head)) }, firstWord(e.params["charset"]), e.kind == "text/html")
	if err != nil {
		return ""
	}
	text := decodeText(t.charset, head)
	if e.kind == "text/html" {
		page, _, err := t.page()
		if err != nil {
			return ""
		}
		text = page
	}
	return sentence.Lead(text, maxSummary)
}

// messageNode returns the node of a message, without its parts.
func (c *nodeBuilder) messageNode(root *entity, at citekit.Location) *citekit.Node {
	h := root.header
	n := &citekit.Node{Type: "message", Title: plain.Shorten(h.text("subject"), maxTitle), Location: at}
	from := strings.Join(h.authors("from"), ", ")
	n.Summary = plain.Shorten(strings.Trim(from+", "+h.date(), ", "), maxSummary)
	if n.Title == "" {
		n.Title = plain.Shorten(from, maxTitle)
	}
	return n
}

// leftOut says what a map does not have.
func leftOut(n int, thing string) string {
	return fmt.Sprintf("%s left out: more than %d nodes", say.Count(n, thing), about.MaxMappedNodes)
}
