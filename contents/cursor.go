package contents

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"fmt"
)

// A cursor lists the parts of a request that are still to be read, and from
// where. It contains all the state; the reader keeps none.
//
// It has the fingerprint of the request, then for each part its index, the
// number of bytes already given, and if that is not 0, the start of the hash of
// the source. A part with restOfAll stands also for all later parts.

const (
	fingerprintBytes = 6
	hashBytes        = 4

	restOfAll = 1 << 62
)

// fingerprint identifies the content of a request, and, if that depends on the
// links of other sources, the parts it has now.
func (req *Request) fingerprint(parts []*part) []byte {
	h := sha256.New()
	fmt.Fprintf(h, "%q %v", req.IDs, req.Expand)
	if req.Expand.Relations > 0 {
		for _, p := range parts {
			fmt.Fprintf(h, " %q", p.item.Address)
		}
	}
	return h.Sum(nil)[:fingerprintBytes]
}

// cursorFor returns the cursor for the rest of parts, or "". Parts that are not
// shown remain whole.
func cursorFor(shown, all []*part) string {
	var data []byte
	for i, p := range all {
		if i < len(shown) && !p.left() {
			continue
		}
		given := p.offset
		if i < len(shown) {
			given += int64(p.shown)
		} else if isRest(all[i:]) {
			data = binary.AppendUvarint(data, uint64(p.index))
			data = binary.AppendUvarint(data, restOfAll)
			break
		}
		data = binary.AppendUvarint(data, uint64(p.index))
		data = binary.AppendUvarint(data, uint64(given))
		if given > 0 {
			hash, _ := hex.DecodeString(cmp.Or(p.text.hash, p.hash)) // we encoded it
			data = append(data, hash[:hashBytes]...)
		}
	}
	if len(data) == 0 {
		return ""
	}
	return base64.RawURLEncoding.EncodeToString(append(all[0].request, data...))
}

// isRest reports whether parts are the last ones of a request and none of their
// text was given.
func isRest(parts []*part) bool {
	for i, p := range parts {
		if p.offset > 0 || p.index != parts[0].index+i {
			return false
		}
	}
	return parts[len(parts)-1].last
}

// afterCursor returns the parts that remain according to the cursor of a
// request, or all of them without a cursor.
func afterCursor(parts []*part, req Request) ([]*part, error) {
	print := req.fingerprint(parts)
	for i, p := range parts {
		p.index, p.request, p.last = i, print, i == len(parts)-1
	}
	if req.Cursor == "" {
		return parts, nil
	}
	changed := ""
	if req.Expand.Relations > 0 {
		changed = ", or what is related changed"
	}
	data, err := base64.RawURLEncoding.DecodeString(req.Cursor)
	if err != nil || len(data) <= fingerprintBytes || string(data[:fingerprintBytes]) != string(print) {
		return nil, syntaxError("the cursor is not from a call with these ids%s; leave it out to begin", changed)
	}
	var left []*part
	for data = data[fingerprintBytes:]; len(data) > 0; {
		p, n, ok := nextPart(parts, data, left)
		if !ok {
			return nil, syntaxError("the cursor does not fit: the map changed, or no call returned this cursor; leave it out to begin")
		}
		if left, data = append(left, p), data[n:]; p.offset == restOfAll {
			p.offset = 0
			return append(left, parts[p.index+1:]...), nil
		}
	}
	return left, nil
}

// nextPart reads the next part from a cursor. It returns the part and how many
// bytes of the cursor it takes. Parts are in order.
func nextPart(parts []*part, data []byte, before []*part) (p *part, size int, ok bool) {
	index, n := binary.Uvarint(data)
	if n <= 0 || index >= uint64(len(parts)) || len(before) > 0 && index <= uint64(before[len(before)-1].index) {
		return nil, 0, false
	}
	given, m := binary.Uvarint(data[n:])
	if m <= 0 || given > restOfAll {
		return nil, 0, false
	}
	p, size = parts[index], n+m
	p.offset = int64(given)
	if given > 0 && given < restOfAll {
		if len(data) < size+hashBytes {
			return nil, 0, false
		}
		p.hash = hex.EncodeToString(data[size : size+hashBytes])
		size += hashBytes
	}
	return p, size, true
}
