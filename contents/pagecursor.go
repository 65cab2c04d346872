package contents

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"math"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/plain"
)

// A cursor is a part of a map that is shown page by page. It holds the whole state, so
// nothing is kept between pages.
type cursor struct {
	Resource string  `json:"r"`
	NodeID   *string `json:"n,omitempty"` // the only node shown; nil means all
	Depth    *int    `json:"d,omitempty"` // levels shown below the top; nil means all
	Offset   int     `json:"o"`           // nodes shown before, in document order
	Tree     string  `json:"t"`           // fingerprint of the tree
}

func (c cursor) depth() int {
	if c.Depth == nil {
		return math.MaxInt
	}
	return *c.Depth
}

// cursorOf returns the part of a map that a request is for. The error matches
// [citekit.ErrSyntax] if this package did not make the cursor of the request, or if it
// belongs to another request or to an older map.
func cursorOf(m *citekit.ResourceMap, req MapPageRequest) (cursor, error) {
	asked := cursor{Resource: m.ResourceID, Depth: req.Depth, Tree: fingerprint(m)}
	if req.NodeID != "" {
		asked.NodeID = &req.NodeID
	}
	if req.Cursor == "" {
		return asked, nil
	}
	c, err := parseCursor(req.Cursor)
	switch {
	case err != nil:
		return cursor{}, err
	case c.Resource != asked.Resource:
		return cursor{}, badCursor("it belongs to resource '" + plain.ShowLine(c.Resource, maxQuoted) + "'; leave it out to begin")
	case asked.NodeID != nil && (c.NodeID == nil || *c.NodeID != *asked.NodeID),
		asked.Depth != nil && (c.Depth == nil || *c.Depth != *asked.Depth):
		return cursor{}, badCursor("it belongs to another node_id or depth; leave those out")
	case c.Tree != asked.Tree:
		return cursor{}, badCursor("the map has changed since; begin again without a cursor")
	}
	return c, nil
}

// maxQuoted is how many bytes of an id an error shows.
const maxQuoted = 100

// String returns the cursor as text.
func (c cursor) String() string {
	data, _ := json.Marshal(c) // strings and numbers always encode
	return base64.RawURLEncoding.EncodeToString(data)
}

func parseCursor(text string) (cursor, error) {
	data, err := base64.RawURLEncoding.DecodeString(text)
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	var c cursor
	if err == nil {
		err = decoder.Decode(&c)
	}
	if err == nil {
		if _, end := decoder.Token(); end != io.EOF {
			err = citekit.ErrSyntax
		}
	}
	if err != nil || c.Offset < 1 || c.Depth != nil && *c.Depth < 0 {
		return cursor{}, badCursor("it is not from this tool; leave it out to begin")
	}
	return c, nil
}

func badCursor(why string) error {
	return fmt.Errorf("the cursor does not fit: %s: %w", why, citekit.ErrSyntax)
}

// fingerprint returns a value that stays the same as long as the map has the same
// nodes in the same places.
func fingerprint(m *citekit.ResourceMap) string {
	h := sha256.New()
	buf := make([]byte, 0, 8<<10)
	for n, depth := range m.All() {
		if len(buf) > 4<<10 {
			h.Write(buf)
			buf = buf[:0]
		}
		buf = binary.AppendUvarint(buf, uint64(depth))
		buf = binary.AppendUvarint(buf, uint64(len(n.ID)))
		buf = append(buf, n.ID...)
	}
	h.Write(buf)
	return hex.EncodeToString(h.Sum(nil)[:8])
}
