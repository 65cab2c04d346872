package ingest

import (
	"bytes"
	"context"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/ctxio"
	"github.com/citekit/citekit/internal/ledger"
)

// markKey is the key, in the metadata of a map, of its mark: the SHA-256 of the
// bytes of the map as ingest wrote them, with zeros in place of the mark. The
// mark shows whether a person has changed the map, even without the notes or in
// another folder.
const markKey = "map_hash"

// maxMarked is the size in bytes of the largest map whose mark is checked. The
// Library has just read the map.
const maxMarked = 1 << 30

var noMark = strings.Repeat("0", 64)

// encodeMarked returns the bytes of a map with its mark, which it sets.
func encodeMarked(lib *citekit.Library, m *citekit.ResourceMap) ([]byte, error) {
	m.Metadata[markKey] = noMark
	data, err := lib.Encode(m)
	if err != nil {
		return nil, err
	}
	member := markMember(noMark)
	if bytes.Count(data, member) != 1 { // a mapper put another one deep in its metadata
		delete(m.Metadata, markKey)
		return lib.Encode(m)
	}
	mark := ctxio.HashOf(data)
	m.Metadata[markKey] = mark
	return bytes.Replace(data, member, markMember(mark), 1), nil
}

// markMember returns a mark in the form it has in a map. No text in a map has
// that form, because its quotes are escaped.
func markMember(mark string) []byte { return []byte(`"` + markKey + `":"` + mark + `"`) }

// isMarked reports whether data is a map with a mark, unchanged since
// encodeMarked made it.
func isMarked(data []byte, mark string) bool {
	member := markMember(mark)
	return bytes.Count(data, member) == 1 && ctxio.HashOf(bytes.Replace(data, member, markMember(noMark), 1)) == mark
}

// handOn returns what a person did to a map. [citekit.Library.ReadMap] must
// have returned m and hash.
func handOn(ctx context.Context, lib *citekit.Library, m *citekit.ResourceMap, hash string) (ledger.Hand, error) {
	mark, _ := m.Metadata[markKey].(string)
	switch {
	case mapperOf(m) == "":
		return ledger.Edited, nil
	case mark == "":
		return ledger.Unknown, nil
	}
	data, _, err := lib.Workspace().ReadMap(ctx, m.ResourceID, maxMarked)
	switch {
	case err != nil:
		return ledger.Unknown, err
	case ctxio.HashOf(data) != hash || !isMarked(data, mark): // or a person is editing it
		return ledger.Edited, nil
	}
	return ledger.Nothing, nil
}

// mapperOf returns the name of the mapper that made a map, or "".
func mapperOf(m *citekit.ResourceMap) string {
	name, _ := m.Metadata["mapper"].(string)
	return name
}
