package data

import (
	"bytes"

	"github.com/citekit/citekit"
)

// mapRecords groups JSON values, one per line, into runs of rows. The keys of the
// first value are the columns.
func mapRecords(r *reader) (*citekit.Draft, error) {
	meta := map[string]any{"format": string(Records)}
	rows := newRuns(maxRuns)
	count, line := 0, 0
	r.eachLine(readBytes, func(head []byte, size int64) {
		line++
		if len(bytes.TrimSpace(head)) == 0 {
			return
		}
		if count == 0 {
			if keys := topKeys(r, head); len(keys) > 0 {
				meta["columns"] = keys
			}
		}
		count++
		rows.add(&citekit.Node{Type: "rows", Location: linesAt(line, line)}, 1, size)
	})
	meta["records"] = count
	return &citekit.Draft{Nodes: rows.nodes(), Method: "rows", Metadata: meta}, nil
}

// maxColumns is how many columns the metadata list.
const maxColumns = 1_000

// topKeys returns the keys of a JSON object, or nil if it is not one.
func topKeys(r *reader, object []byte) []string {
	var keys []string
	j := &jsonScanner{r: newHeldReader(r.ctx, object), b: newBuilder()}
	j.note = func(key string, depth int) {
		if depth == 1 && key != "" && len(keys) < maxColumns {
			keys = append(keys, title(key))
		}
	}
	j.skip()
	if j.value() != nil {
		return nil
	}
	return keys
}
