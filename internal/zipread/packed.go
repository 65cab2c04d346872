package zipread

import (
	"hash/crc32"
	"io"
)

// Packed returns the content as it is packed, for those who read it from the
// middle: by DEFLATE (RFC 1951), or as it is if [File.IsStored]. Errors are as
// for [File.Open].
func (f *File) Packed() (*io.SectionReader, error) {
	if _, err := f.raw(); err != nil {
		return nil, err
	}
	return io.NewSectionReader(f.archive.r, f.start, f.PackedSize()), nil
}

// HasSum reports whether the checksum of the content is the declared one, where
// one is declared.
func (f *File) HasSum(sum uint32) bool {
	return f.header.CRC32 == 0 || f.header.CRC32 == sum
}

// Sum adds data to a checksum as [File.HasSum] takes it; the first one is 0.
func Sum(sum uint32, data []byte) uint32 { return crc32.Update(sum, crc32.IEEETable, data) }
