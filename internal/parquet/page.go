package parquet

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
)

const (
	maxPage       = 64 << 20 // bytes, compressed or uncompressed
	maxPageValues = 8 << 20
	maxPageHeader = 1 << 20
)

// The types of pages.
const (
	pageData       = 0
	pageIndex      = 1
	pageDictionary = 2
	pageData2      = 3
)

// A header is the header of a page (PageHeader).
type header struct {
	kind             int64
	size, compressed int64
	crc              int64
	checked          bool // whether there is a crc
	values           int64
	rows             int64 // -1 if unknown
	encoding         int64
	repLen, defLen   int64 // bytes of levels, in version 2
	repEnc, defEnc   int64 // encodings of levels, in version 1
	packed           bool
	data             int64 // offset of the page data in the file
}

// readHeader reads the page header at an offset of a chunk that ends at end.
func (f *File) readHeader(at, end int64) (h header, err error) {
	for length := int64(256); ; length *= 16 {
		length = min(length, end-at)
		b := make([]byte, length)
		if err := readFull(f.r, b, at); err != nil {
			return h, err
		}
		r := &thrift{data: b}
		h, err = parseHeader(r)
		if err == nil {
			h.data = at + length - int64(len(r.data))
			return h, h.check(end)
		}
		if length == end-at || length >= maxPageHeader {
			return h, err
		}
	}
}

func parseHeader(r *thrift) (h header, err error) {
	h.kind, h.size, h.compressed, h.rows, h.packed = -1, -1, -1, -1, true
	inner := func(to map[int16]*int64) (bool, error) {
		return true, r.fields(func(field int16, is byte) (bool, error) {
			if field == 7 && h.kind == pageData2 {
				h.packed = is == thriftTrue
			}
			if to[field] == nil || is != thriftI32 {
				return false, nil
			}
			return true, r.into(to[field])
		})
	}
	return h, r.fields(func(field int16, is byte) (bool, error) {
		switch {
		case is == thriftStruct && field == 5, is == thriftStruct && field == 7:
			return inner(map[int16]*int64{1: &h.values, 2: &h.encoding, 3: &h.defEnc, 4: &h.repEnc})
		case is == thriftStruct && field == 8:
			return inner(map[int16]*int64{1: &h.values, 3: &h.rows, 4: &h.encoding, 5: &h.defLen, 6: &h.repLen})
		}
		to := map[int16]*int64{1: &h.kind, 2: &h.size, 3: &h.compressed, 4: &h.crc}[field]
		if to == nil || is != thriftI32 {
			return false, nil
		}
		h.checked = h.checked || field == 4
		return true, r.into(to)
	})
}

func (h *header) check(end int64) error {
	switch {
	case h.size < 0 || h.compressed < 0 || h.compressed > end-h.data || h.values < 0,
		h.repLen < 0 || h.defLen < 0 || h.repLen > h.compressed-h.defLen || h.repLen > h.size-h.defLen:
		return fmt.Errorf("a page is larger than its column: %w", ErrDamaged)
	case h.size > maxPage || h.compressed > maxPage || h.values > maxPageValues:
		return fmt.Errorf("a page of %d bytes and %d values; at most %d and %d: %w", max(h.size, h.compressed), h.values, maxPage, maxPageValues, ErrLarge)
	}
	return nil
}

// load returns the decompressed bytes of a page, except that the levels of version 2
// are never compressed. It checks the checksum if there is one.
func (f *File) load(h header, codec uint8) ([]byte, error) {
	data := make([]byte, h.compressed)
	if err := readFull(f.r, data, h.data); err != nil {
		return nil, err
	}
	if h.checked && crc32.ChecksumIEEE(data) != uint32(h.crc) {
		return nil, fmt.Errorf("a page has another checksum: %w", ErrDamaged)
	}
	if h.kind != pageData2 {
		return unpack(codec, data, int(h.size))
	}
	levels := int(h.repLen + h.defLen)
	if !h.packed {
		codec = 0
	}
	values, err := unpack(codec, data[levels:], int(h.size)-levels)
	if err != nil {
		return nil, err
	}
	if levels == 0 {
		return values, nil
	}
	return append(data[:levels:levels], values...), nil
}

var codecNames = []string{"none", "SNAPPY", "GZIP", "LZO", "BROTLI", "LZ4", "ZSTD", "LZ4_RAW"}

// unpack decompresses data to size bytes (CompressionCodec).
func unpack(codec uint8, data []byte, size int) ([]byte, error) {
	if size == 0 {
		return nil, nil
	}
	switch codec {
	case 0:
		if len(data) != size {
			return nil, errPacked
		}
		return data, nil
	case 1:
		if n, err := s2.DecodedLen(data); err != nil || n != size {
			return nil, errPacked
		}
		return exactly(size)(s2.Decode(make([]byte, size), data))
	case 2:
		r, err := gzip.NewReader(bytes.NewReader(data))
		if err != nil {
			return nil, errPacked
		}
		return readExactly(r, size)
	case 4:
		return readExactly(brotli.NewReader(bytes.NewReader(data)), size)
	case 6:
		r, err := zstd.NewReader(bytes.NewReader(data), zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxPage))
		if err != nil {
			return nil, errPacked
		}
		defer r.Close()
		return readExactly(r, size)
	case 7:
		out := make([]byte, size)
		n, err := lz4.UncompressBlock(data, out)
		return exactly(size)(out[:max(n, 0)], err)
	}
	name := fmt.Sprint(codec)
	if int(codec) < len(codecNames) {
		name = codecNames[codec]
	}
	return nil, fmt.Errorf("columns compressed with %s; write the file with zstd or snappy: %w", name, ErrUnsupported)
}

var errPacked = fmt.Errorf("a page cannot be decompressed: %w", ErrDamaged)

func exactly(size int) func([]byte, error) ([]byte, error) {
	return func(out []byte, err error) ([]byte, error) {
		if err != nil || len(out) != size {
			return nil, errPacked
		}
		return out, nil
	}
}

func readExactly(r io.Reader, size int) ([]byte, error) {
	out := make([]byte, size)
	if _, err := io.ReadFull(r, out); err != nil {
		return nil, errPacked
	}
	if n, _ := r.Read(make([]byte, 1)); n > 0 {
		return nil, errPacked
	}
	return out, nil
}

// A page is the values of a leaf in one page, with their levels.
type page struct {
	reps, defs []byte // nil if all are 0
	n          int    // number of values, nulls included
	values     values // without nulls
	cost       int64
}

// decode decodes the bytes of a data page.
func decode(n *node, h header, data []byte, dictionary *values) (*page, error) {
	p := &page{n: int(h.values)}
	var err error
	if n.rep > 0 && h.repEnc == encBitPacked || n.def > 0 && h.defEnc == encBitPacked {
		return nil, fmt.Errorf("levels in encoding %d; write the file anew: %w", encBitPacked, ErrUnsupported)
	}
	if h.kind == pageData2 {
		p.reps, err = levels(data[:h.repLen], n.rep, p.n)
		if err == nil {
			p.defs, err = levels(data[h.repLen:h.repLen+h.defLen], n.def, p.n)
		}
		data = data[h.repLen+h.defLen:]
	} else {
		p.reps, data, err = levels1(data, n.rep, p.n)
		if err == nil {
			p.defs, data, err = levels1(data, n.def, p.n)
		}
	}
	if err != nil {
		return nil, err
	}
	there := p.n
	if p.defs != nil {
		there = bytes.Count(p.defs, []byte{n.def})
	}
	p.values, err = readValues(n, h.encoding, data, there, dictionary)
	p.cost = int64(len(p.reps)+len(p.defs)) + p.values.cost()
	return p, err
}

// levels1 reads levels of version 1, which begin with their length, and returns the
// rest of data.
func levels1(data []byte, highest byte, n int) ([]byte, []byte, error) {
	if highest == 0 {
		return nil, data, nil
	}
	if len(data) < 4 {
		return nil, nil, errValues
	}
	size := binary.LittleEndian.Uint32(data)
	data = data[4:]
	if int64(size) > int64(len(data)) {
		return nil, nil, errValues
	}
	out, err := levels(data[:size], highest, n)
	return out, data[size:], err
}

// levels reads n levels.
func levels(data []byte, highest byte, n int) ([]byte, error) {
	if highest == 0 {
		return nil, nil
	}
	out := make([]byte, n)
	at := 0
	err := hybrid(data, widthOf(uint64(highest)), n, func(v uint32) error {
		if v > uint32(highest) {
			return errValues
		}
		out[at] = byte(v)
		at++
		return nil
	})
	return out, err
}
