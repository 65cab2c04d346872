package mail

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/citekit/citekit"
)

const (
	maxDepth    = 99      // parts within parts; addresses of parts go less deep
	maxNumber   = 32      // numbers in that of a part
	maxEntities = 10_000  // parts of a message
	maxNested   = 8 << 20 // bytes of messages that are encoded within one
)

// An entity is a message or a part of one: a header and a body (RFC 2045).
type entity struct {
	held   io.ReaderAt // what the offsets are in; nil if that is the source
	number string      // as addresses have it; "" for one that has none
	header header
	kind   string // its media type, in lower case
	params map[string]string

	start, body, end int64 // of the header, of the body, of what follows
	closed           int64 // of the last delimiter of a multipart that has no parts, or 0

	parts   []*entity // of a multipart
	sealed  bool      // it is the encrypted part of a multipart/encrypted (RFC 1847)
	message *entity   // that is in a message/rfc822
}

// in returns what the offsets of e are in, for the source of its message.
func (e *entity) in(src io.ReaderAt) io.ReaderAt {
	if e.held != nil {
		return e.held
	}
	return src
}

// isMultipart reports whether e has parts. A multipart without any is none.
func (e *entity) isMultipart() bool { return len(e.parts) > 0 }

// isText reports whether people read e as it is.
func (e *entity) isText() bool {
	return strings.HasPrefix(e.kind, "text/") || e.kind == "message/delivery-status" || e.kind == "message/disposition-notification"
}

// mayBeMessage reports whether a media type is that of a message in a part.
func mayBeMessage(kind string) bool {
	return kind == "message/rfc822" || kind == "message/global" || kind == "message/news"
}

// A message is the tree of a message, and its parts by number.
type message struct {
	root  *entity
	parts map[string]*entity
	order []string // the numbers of the parts that have one, in the order of the message
	top   int      // parts at the top: 1 unless it is a multipart
	why   error    // that its parts are not read; nil if they are
}

// size is what m takes in memory, about.
func (m *message) size() int64 { return int64(1024 * (len(m.order) + 1)) }

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
func messageCoding(src io.ReaderAt, start, end int64) (coding, int64, error) {
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

// setKind sets the media type by the header.
func (e *entity) setKind(fallback string) {
	v := parseValue(e.header["content-type"])
	e.kind, e.params = v.word, v.params
	if e.kind == "" {
		e.kind = fallback
	}
	if !isMediaType(e.kind) {
		e.kind = "text/plain" // RFC 2045, section 5.2
	}
}

// isMediaType reports whether kind is two words with a slash between.
func isMediaType(kind string) bool {
	major, minor, ok := strings.Cut(kind, "/")
	return ok && isToken(major) && isToken(minor)
}

func isToken(s string) bool {
	return s != "" && len(s) <= 127 && strings.IndexFunc(s, func(r rune) bool {
		return r <= ' ' || r >= 0x7f || strings.ContainsRune(`()<>@,;:\"/[]?=`, r)
	}) < 0
}

// skip reads up to the next line that ends what is open.
func (p *parser) skip() error {
	for !p.done && p.stop() < 0 {
		if err := p.advance(); err != nil {
			return err
		}
	}
	return nil
}

// stop returns the number of the open multipart that the current line is a
// delimiter of, or -1.
func (p *parser) stop() int {
	if len(p.stops) == 0 || !p.cur.begins || !bytes.HasPrefix(p.cur.text, []byte("--")) {
		return -1
	}
	for i := len(p.stops) - 1; i >= 0; i-- {
		if is, _ := isDelimiter(p.cur.text, p.stops[i]); is {
			return i
		}
	}
	return -1
}

// isDelimiter reports whether a line is a delimiter of a boundary, and whether
// it closes the multipart. Blanks at its end do not count, nor does it matter
// whether those at the end of the boundary are there.
func isDelimiter(text []byte, boundary string) (is, closes bool) {
	rest, ok := bytes.CutPrefix(text, []byte("--"+boundary))
	if !ok {
		rest, ok = bytes.CutPrefix(text, []byte("--"+strings.TrimRight(boundary, " \t")))
	}
	rest = bytes.TrimRight(rest, " \t\r\n")
	closes = string(rest) == "--"
	return ok && (closes || len(rest) == 0), closes
}

// closes reports whether the current line, a delimiter of a multipart, is its
// last.
func (p *parser) closes(boundary string) bool {
	_, closes := isDelimiter(p.cur.text, boundary)
	return closes
}

// multipart reads parts up to the delimiter that closes them, and what follows
// it.
func (p *parser) multipart(e *entity, boundary string, depth int) error {
	fallback := "text/plain"
	if e.kind == "multipart/digest" {
		fallback = "message/rfc822"
	}
	level := len(p.stops)
	p.stops = append(p.stops, boundary)
	defer func() { p.stops = p.stops[:level] }()
	if err := p.skip(); err != nil {
		return err
	}
	for !p.done && p.stop() == level {
		closes := p.closes(boundary)
		if closes && len(e.parts) == 0 {
			e.closed = p.cur.off
		}
		if err := p.advance(); err != nil {
			return err
		}
		if closes {
			break
		}
		if !p.done && p.stop() == level {
			continue // nothing stands between two delimiters
		}
		part := &entity{sealed: e.kind == "multipart/encrypted" && len(e.parts) == 1}
		e.parts = append(e.parts, part)
		if err := p.entity(part, fallback, depth+1); err != nil {
			return err
		}
	}
	p.stops = p.stops[:level]
	return p.skip()
}

// number gives the parts of a message their numbers (RFC 3501, section 6.4.5):
// those of a multipart count from 1, and a message that is none has part 1.
func (m *message) number(root *entity, prefix string) error {
	if !root.isMultipart() {
		return m.numberPart(root, prefix+"1")
	}
	for i, part := range root.parts {
		if err := m.numberPart(part, prefix+strconv.Itoa(i+1)); err != nil {
			return err
		}
	}
	return nil
}

func (m *message) numberPart(e *entity, number string) error {
	if (citekit.Location{Modality: citekit.Text, Part: number}).Validate() != nil {
		return tooDeep(maxNumber)
	}
	e.number = number
	m.parts[number] = e
	m.order = append(m.order, number)
	if e.message != nil {
		return m.number(e.message, number+".")
	}
	for i, part := range e.parts {
		if err := m.numberPart(part, number+"."+strconv.Itoa(i+1)); err != nil {
			return err
		}
	}
	return nil
}

// part returns the part with a number. The error matches [citekit.ErrRange] if
// there is none.
func (m *message) part(number string) (*entity, error) {
	if m.why != nil {
		return nil, m.why
	}
	if e := m.parts[number]; e != nil {
		return e, nil
	}
	return nil, fmt.Errorf("part %s; %s: %w", number, m.whatThereIs(number), citekit.ErrRange)
}

// whatThereIs says which parts there are where one is not.
func (m *message) whatThereIs(number string) string {
	outer := ""
	for i := strings.LastIndexByte(number, '.'); i > 0 && outer == ""; i = strings.LastIndexByte(number[:i], '.') {
		if m.parts[number[:i]] != nil {
			outer = number[:i]
		}
	}
	if outer == "" {
		return "the message has parts " + upTo("", m.top)
	}
	n := 0
	for m.parts[outer+"."+strconv.Itoa(n+1)] != nil {
		n++
	}
	if n == 0 {
		return "part " + outer + " has none of its own"
	}
	return "part " + outer + " has parts " + upTo(outer+".", n)
}

func upTo(prefix string, n int) string {
	if n == 1 {
		return prefix + "1"
	}
	return fmt.Sprintf("%s1-%s%d", prefix, prefix, n)
}
