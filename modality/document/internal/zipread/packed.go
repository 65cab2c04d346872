package zipread

import (
	"hash/crc32"
	"io"
)

// Packed returns the packed content, for callers that read it from the middle:
// compressed with DEFLATE (RFC 1951), or unchanged if [File.IsStored]. Errors are as
// for [File.Open].
func (f *File) Packed() (*io.SectionReader, error) {
	if _, err := f.raw(); err != nil {
		return nil, err
	}
	return io.NewSectionReader(f.archive.r, f.start, f.PackedSize()), nil
}

// HasSum reports whether sum is the declared checksum of the content, or none is
// declared.
func (f *File) HasSum(sum uint32) bool {
	return f.header.CRC32 == 0 || f.header.CRC32 == sum
}

// Sum adds data to a checksum for [File.HasSum], which starts at 0.
func Sum(sum uint32, data []byte) uint32 { return crc32.Update(sum, crc32.IEEETable, data) }
