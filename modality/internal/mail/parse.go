package mail

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/citekit/citekit"
)

const (
	maxDepth    = 99      // parts within parts; addresses of parts go less deep
	maxEntities = 10_000  // parts of a message
	maxNested   = 8 << 20 // bytes of messages that are encoded within one
)

// A parser reads the structure of one message.
type parser struct {
	ctx   context.Context
	src   io.ReaderAt
	held  io.ReaderAt // src, if it is not the source of the message
	lines *scanner
	cur   line     // the line that comes next
	done  bool     // there is none
	stops []string // the boundaries of the multiparts that are open
	limit *budget

	before int // length of the end of the line before cur
}

// A budget is what may still be read of one message.
type budget struct {
	entities int
	headers  int // bytes
	nested   int // bytes
}

// parseMessage reads the structure of the message between two offsets. Where
// its parts cannot be told, why says so, and it has only its header. Other
// errors are those of the source and of ctx.
func parseMessage(ctx context.Context, src io.ReaderAt, start, end int64) (*message, error) {
	limit := &budget{entities: maxEntities, headers: maxHeaders, nested: maxNested}
	p := &parser{ctx: ctx, src: src, limit: limit}
	root, err := p.root(start, end, 0)
	m := &message{root: root, parts: make(map[string]*entity)}
	if err == nil {
		err = m.number(root, "")
	}
	var structure structureError
	switch {
	case errors.As(err, &structure):
		m.why, m.parts, m.order, m.top = err, nil, nil, 0
		root.parts, root.message = nil, nil
		return m, nil
	case err != nil:
		return nil, err
	}
	m.top = max(len(root.parts), 1)
	return m, nil
}

// A structureError says why the parts of a message are not read.
type structureError string

func (e structureError) Error() string {
	return "the parts of the message are " + string(e) + ": too large"
}

func (e structureError) Is(target error) bool { return target == citekit.ErrTooLarge }

func tooDeep(n int) error { return structureError(fmt.Sprintf("nested more than %d deep", n)) }

// root reads the message between two offsets.
func (p *parser) root(start, end int64, depth int) (*entity, error) {
	c, skipped, err := messageCoding(p.src, start, end)
	if err != nil {
		return nil, err
	}
	start += skipped
	p.lines = newScanner(section(p.ctx, p.src, start, end), c, end-start)
	p.lines.off = start
	if err := p.advance(); err != nil {
		return nil, err
	}
	root := &entity{}
	err = p.entity(root, "text/plain", depth)
	return root, err
}

// messageCoding returns how the lines of a message end, and how long the byte
// order mark and the empty lines are that it begins with.
func messageCoding(src io.ReaderAt, start, end int64) (lineEnds, int64, error) {
	head := make([]byte, min(4<<10, end-start))
	n, err := src.ReadAt(head, start)
	if err != nil && !errors.Is(err, io.EOF) {
		return narrow, 0, err
	}
	head = head[:n]
	rest := bytes.TrimPrefix(head, []byte("\xef\xbb\xbf"))
	if text := bytes.TrimLeft(rest, "\r\n"); len(text) > 0 {
		rest = text
	}
	c := narrow
	c.cr = bytes.IndexByte(head, '\n') < 0 && bytes.IndexByte(head, '\r') >= 0
	return c, int64(len(head) - len(rest)), nil
}

// advance makes the next line the current one.
func (p *parser) advance() error {
	p.before = endLength(p.cur.text)
	l, err := p.lines.next()
	if errors.Is(err, io.EOF) {
		p.cur, p.done = line{off: p.lines.off}, true
		return nil
	}
	p.cur = l
	return err
}

// entity reads a header and the body after it, up to the next line that ends
// it. The media type is fallback if the header does not say it.
func (p *parser) entity(e *entity, fallback string, depth int) error {
	if p.limit.entities--; p.limit.entities < 0 {
		return structureError(fmt.Sprintf("more than %d", maxEntities))
	}
	e.held, e.start = p.held, p.cur.off
	if err := p.header(e); err != nil {
		return err
	}
	e.setKind(fallback)
	e.body = p.cur.off
	if depth >= maxDepth && (strings.HasPrefix(e.kind, "multipart/") || mayBeMessage(e.kind)) {
		return tooDeep(maxDepth)
	}
	var err error
	boundary := e.params["boundary"]
	switch {
	case strings.HasPrefix(e.kind, "multipart/") && strings.TrimSpace(boundary) != "" && len(boundary) <= maxBoundary && !slices.Contains(p.stops, boundary):
		err = p.multipart(e, boundary, depth)
	case mayBeMessage(e.kind) && isIdentity(e.header["content-transfer-encoding"]):
		e.message = &entity{}
		err = p.entity(e.message, "text/plain", depth+1)
	default:
		err = p.skip()
	}
	if err != nil {
		return err
	}
	e.end = p.cur.off
	if !p.done || len(p.stops) > 0 { // the end of the message is that of an open multipart, too
		e.end = max(e.end-int64(p.before), e.body)
	}
	if strings.HasPrefix(e.kind, "multipart/") && len(e.parts) == 0 {
		e.kind, e.params = "text/plain", map[string]string{}
		if e.closed > 0 {
			e.end = e.closed
		}
	}
	return p.nested(e, depth)
}

// maxBoundary is the longest boundary that is looked for; RFC 2046 allows 70.
const maxBoundary = 1 << 10

// nested reads the message in a part that is encoded, if it is small.
func (p *parser) nested(e *entity, depth int) error {
	if !mayBeMessage(e.kind) || e.message != nil || depth >= maxDepth {
		return nil
	}
	var held bytes.Buffer
	_, err := io.Copy(&held, io.LimitReader(e.decoded(p.ctx, p.src), int64(p.limit.nested)+1))
	if err != nil || held.Len() == 0 || held.Len() > p.limit.nested {
		return err
	}
	p.limit.nested -= held.Len()
	r := bytes.NewReader(held.Bytes())
	q := &parser{ctx: p.ctx, src: r, held: r, limit: p.limit}
	inner, err := q.root(0, r.Size(), depth+1)
	if err == nil {
		e.message = inner
	}
	return err
}

// header reads the header that begins with the current line, and the empty line
// after it.
func (p *parser) header(e *entity) error {
	r := headerReader{fields: make(header), left: &p.limit.headers}
	defer func() { r.end(); e.header = r.fields }()
	for !p.done {
		if p.cur.begins {
			if isBlank(p.cur.text) {
				return p.advance()
			}
			if p.stop() >= 0 {
				return nil
			}
		}
		if !r.add(p.cur) {
			return nil // a body without an empty line before it
		}
		if err := p.advance(); err != nil {
			return err
		}
	}
	return nil
}
