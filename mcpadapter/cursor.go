package mcpadapter

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"io"
	"math"

	"github.com/citekit/citekit"
)

// A view is a part of a structure that is shown page by page. Its cursor holds
// the whole state, so the server keeps none.
type view struct {
	Resource string  `json:"r"`
	NodeID   *string `json:"n,omitempty"` // the only node shown; nil means all
	Depth    *int    `json:"d,omitempty"` // levels shown below the top; nil means all
	Offset   int     `json:"o"`           // nodes shown before, in document order
	Tree     string  `json:"t"`           // fingerprint of the tree
}

func (v view) depth() int {
	if v.Depth == nil {
		return math.MaxInt
	}
	return *v.Depth
}

// viewOf returns the view that the arguments of getStructure ask for. The error
// matches [citekit.ErrSyntax] if this server did not make the cursor, or if it
// belongs to other arguments or to an older map.
func viewOf(m *citekit.ResourceMap, args arguments) (view, error) {
	asked := view{Resource: m.ResourceID, Tree: fingerprint(m)}
	if id := args.text("node_id"); id != "" {
		asked.NodeID = &id
	}
	if depth, ok := args["depth"].(int); ok {
		asked.Depth = &depth
	}
	cursor := args.text("cursor")
	if cursor == "" {
		return asked, nil
	}
	v, err := parseCursor(cursor)
	switch {
	case err != nil:
		return view{}, err
	case v.Resource != asked.Resource:
		return view{}, badCursor("it belongs to resource " + quote(v.Resource) + "; leave it out to begin")
	case asked.NodeID != nil && (v.NodeID == nil || *v.NodeID != *asked.NodeID),
		asked.Depth != nil && (v.Depth == nil || *v.Depth != *asked.Depth):
		return view{}, badCursor("it belongs to another node_id or depth; leave those out")
	case v.Tree != asked.Tree:
		return view{}, badCursor("the map has changed since; begin again without a cursor")
	}
	return v, nil
}

// maxCursor is about the greatest length of a cursor, in bytes: two ids of length
// maxID, with up to six bytes of JSON for each byte, in base64.
const maxCursor = 17 * maxID

func (v view) cursor() string {
	data, _ := json.Marshal(v) // strings and numbers always encode
	return base64.RawURLEncoding.EncodeToString(data)
}

func parseCursor(cursor string) (view, error) {
	data, err := base64.RawURLEncoding.DecodeString(cursor)
	if err != nil {
		return view{}, badCursor("it is not from this tool; leave it out to begin")
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	var v view
	if err := decoder.Decode(&v); err != nil || v.Offset < 1 || v.Depth != nil && *v.Depth < 0 {
		return view{}, badCursor("it is not from this tool; leave it out to begin")
	}
	if _, err := decoder.Token(); err != io.EOF {
		return view{}, badCursor("it is not from this tool; leave it out to begin")
	}
	return v, nil
}

func badCursor(why string) error {
	return badArgument("the cursor does not fit: %s", why)
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
