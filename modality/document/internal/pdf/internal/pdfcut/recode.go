package pdfcut

import (
	"bytes"
	"compress/zlib"

	"github.com/citekit/citekit/modality/document/internal/pdf/internal/pdf"
)

const (
	maxRecoded = 32 << 20 // bytes of a stream that is recompressed
	minRecoded = 64       // bytes of a stream below which compression gains nothing
)

// isWasteful reports whether a filter makes data larger than necessary.
func isWasteful(f pdf.Filter) bool {
	switch f.Name {
	case "ASCII85Decode", "A85", "ASCIIHexDecode", "AHx", "LZWDecode", "LZW", "Crypt":
		return true
	}
	return false
}

// isRecoded reports whether data with these filters gets other filters.
func isRecoded(filters []pdf.Filter) bool {
	return len(filters) == 0 || isWasteful(filters[0])
}

// recode replaces wasteful filters by FlateDecode, and adds it to data without a
// filter. Data that cannot be decoded stays unchanged.
func (c *cutter) recode(data []byte, filters []pdf.Filter) ([]byte, []pdf.Filter, error) {
	for len(filters) > 0 && isWasteful(filters[0]) {
		decoded, err := filters[0].Apply(data, maxRecoded)
		if spent := c.f.Spend(len(decoded)); spent != nil {
			return nil, nil, spent
		}
		if err != nil {
			if isSoft(err) {
				return data, filters, nil
			}
			return nil, nil, err
		}
		data, filters = decoded, filters[1:]
	}
	if len(filters) > 0 || len(data) < minRecoded || len(data) > maxRecoded {
		return data, filters, nil
	}
	if err := c.f.Spend(len(data)); err != nil { // compressing takes about as long
		return nil, nil, err
	}
	var b bytes.Buffer
	w := zlib.NewWriter(&b)
	if _, err := w.Write(data); err != nil {
		return nil, nil, err
	}
	if err := w.Close(); err != nil {
		return nil, nil, err
	}
	if b.Len() >= len(data) {
		return data, filters, nil
	}
	return b.Bytes(), []pdf.Filter{{Name: "FlateDecode"}}, nil
}
