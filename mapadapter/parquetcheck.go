package mapadapter

import (
	"encoding/binary"

	"github.com/parquet-go/parquet-go"
)

// Limits on a Parquet file. They are checked in its headers before anything is
// decoded, because decoders trust the headers and allocate the memory they ask
// for.
const (
	maxFooter     = 4 << 20   // bytes
	maxRows       = 2_000_000 // of a table
	maxPage       = 64 << 20  // bytes of a page, decompressed
	maxPageValues = 4_000_000
	maxPages      = 100_000
	maxTableBytes = 512 << 20 // of the values of a table
	maxColumns    = 1000
)

// checkFooter checks the metadata at the end of a Parquet file.
func checkFooter(data []byte) error {
	const magic = "PAR1"
	n := len(data)
	if n < 12 || string(data[:4]) != magic || string(data[n-4:]) != magic {
		return formatError("the input is not a Parquet file, or ends too early")
	}
	size := int(binary.LittleEndian.Uint32(data[n-8:]))
	if size > n-12 {
		return formatError("the Parquet file is shorter than it says")
	}
	if size > maxFooter {
		return tooLarge("the Parquet file has %d bytes of metadata; at most %d", size, maxFooter)
	}
	r := &thriftReader{data: data[n-8-size : n-8]}
	return r.structure(nil)
}

// checkPages checks the headers of the pages of all columns.
func checkPages(data []byte, f *parquet.File) error {
	total := int64(0)
	for _, group := range f.Metadata().RowGroups {
		for _, column := range group.Columns {
			m := column.MetaData
			if m.Codec != parquet.Uncompressed.CompressionCodec() && m.Codec != parquet.Snappy.CompressionCodec() {
				return formatError("the Parquet file is compressed with %v; write it with snappy, or as JSON", m.Codec)
			}
			start := m.DataPageOffset
			if m.DictionaryPageOffset != 0 {
				start = m.DictionaryPageOffset
			}
			if start < 4 || start > m.DataPageOffset || m.TotalCompressedSize < 0 || start > int64(len(data)) || m.TotalCompressedSize > int64(len(data))-start {
				return errThrift
			}
			snappy := m.Codec == parquet.Snappy.CompressionCodec()
			size, err := checkChunk(data[start:start+m.TotalCompressedSize], m.DataPageOffset-start, snappy)
			if err != nil {
				return err
			}
			if total += size; total > maxTableBytes {
				return tooLarge("the Parquet file decompresses to more than %d MiB", maxTableBytes>>20)
			}
		}
	}
	return nil
}

// checkChunk checks the pages of one column and returns how many bytes they
// decompress to. One of them must begin at the offset first, where the decoder
// starts to read data pages.
func checkChunk(chunk []byte, first int64, snappy bool) (total int64, err error) {
	size := int64(len(chunk))
	met := first == 0
	for pages := 0; len(chunk) > 0; pages++ {
		met = met || size-int64(len(chunk)) == first
		if pages == maxPages {
			return 0, tooLarge("the Parquet file has more than %d pages in a column", maxPages)
		}
		r := &thriftReader{data: chunk}
		var p parquetPage
		if err := r.structure(func(field int16, kind byte) (bool, error) { return p.read(r, field, kind) }); err != nil {
			return 0, err
		}
		if p.compressed < 0 || p.compressed > int64(len(r.data)) {
			return 0, errThrift
		}
		if err := p.check(r.data[:p.compressed], snappy); err != nil {
			return 0, err
		}
		total += p.size
		chunk = r.data[p.compressed:]
	}
	if !met {
		return 0, errThrift
	}
	return total, nil
}

// A parquetPage holds the header of a page.
type parquetPage struct {
	size, compressed int64
	values           int64
	encoding         int64
	levels           int64 // bytes before the compressed ones, in the second version
}

// The fields of headers of pages (Parquet, PageHeader).
const (
	pageSize       = 2
	pageCompressed = 3
	pageData       = 5
	pageDictionary = 7
	pageData2      = 8
)

func (p *parquetPage) read(r *thriftReader, field int16, kind byte) (bool, error) {
	switch {
	case kind == thriftI32 && field == pageSize:
		return true, r.into(&p.size)
	case kind == thriftI32 && field == pageCompressed:
		return true, r.into(&p.compressed)
	case kind == thriftStruct && (field == pageData || field == pageDictionary):
		return true, p.readData(r, 2)
	case kind == thriftStruct && field == pageData2:
		return true, p.readData(r, 4)
	}
	return false, nil
}

// readData reads the header for one kind of page; encoding is the number of the
// field with the encoding.
func (p *parquetPage) readData(r *thriftReader, encoding int16) error {
	return r.structure(func(field int16, kind byte) (bool, error) {
		if kind != thriftI32 {
			return false, nil
		}
		switch {
		case field == 1:
			return true, r.into(&p.values)
		case field == encoding:
			return true, r.into(&p.encoding)
		case encoding == 4 && (field == 2 || field == 3): // nulls and rows
			var n int64
			err := r.into(&n)
			if n < 0 || n > maxPageValues {
				return true, errThrift
			}
			return true, err
		case encoding == 4 && (field == 5 || field == 6):
			var n int64
			err := r.into(&n)
			if n < 0 || n > maxPage {
				return true, errThrift
			}
			p.levels += n
			return true, err
		}
		return false, nil
	})
}

func (r *thriftReader) into(n *int64) (err error) {
	*n, err = r.varint()
	return err
}

// check checks the sizes of a page, and the size that snappy gives in the
// compressed bytes themselves.
func (p *parquetPage) check(data []byte, snappy bool) error {
	const plain, plainDictionary, rle, bitPacked, rleDictionary = 0, 2, 3, 4, 8
	switch p.encoding {
	case plain, plainDictionary, rle, bitPacked, rleDictionary:
	default:
		return formatError("the Parquet file has values in encoding %d; write it with the default ones", p.encoding)
	}
	if p.size < 0 || p.values < 0 || p.levels > int64(len(data)) {
		return errThrift
	}
	if p.size > maxPage || p.values > maxPageValues {
		return tooLarge("the Parquet file has a page of %d bytes and %d values; at most %d and %d", p.size, p.values, maxPage, maxPageValues)
	}
	if snappy && p.levels < int64(len(data)) {
		size, n := binary.Uvarint(data[p.levels:])
		if n <= 0 || int64(size) > p.size {
			return errThrift
		}
	}
	return nil
}
