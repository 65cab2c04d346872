package zipread

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"sync"
	"unicode/utf8"
)

// day is the earliest date in ZIP archives, 1 January 1980. Every member gets it.
const day = 1<<5 | 1

// A Writer writes a ZIP archive. The same calls give the same bytes: times are fixed,
// and only names and content are taken from a source.
type Writer struct {
	z     *zip.Writer
	names map[string]bool
}

// NewWriter returns a Writer that writes to w.
func NewWriter(w io.Writer) *Writer {
	return &Writer{z: zip.NewWriter(w), names: make(map[string]bool)}
}

// Copy adds f in packed form, without unpacking or checking its content. It drops the
// content of a folder. Errors are as for [File.Open], and [ErrLimit] above 4 GiB.
func (w *Writer) Copy(f *File) error { return w.CopyAs(f.Name(), f) }

// CopyAs is Copy under another name.
func (w *Writer) CopyAs(name string, f *File) error {
	r, err := f.raw()
	if err != nil {
		return err
	}
	e := f.header
	h := zip.FileHeader{
		Name: name, Flags: e.Flags & flagUTF8, Method: e.Method, CRC32: e.CRC32, ReaderVersion: e.ReaderVersion,
		CompressedSize64: e.CompressedSize64, UncompressedSize64: e.UncompressedSize64,
	}
	if f.IsDir() {
		h.Method, h.CRC32, h.CompressedSize64, h.UncompressedSize64 = zip.Store, 0, 0, 0
		return w.add(&h, bytes.NewReader(nil))
	}
	return w.add(&h, r)
}

// deflaters are reused, because each takes a megabyte.
var deflaters = sync.Pool{New: func() any {
	w, _ := flate.NewWriter(nil, flate.DefaultCompression) // the level is valid
	return w
}}

// Add adds a member, compressed if that makes it smaller.
func (w *Writer) Add(name string, data []byte) error {
	var packed bytes.Buffer
	deflate := deflaters.Get().(*flate.Writer)
	defer deflaters.Put(deflate)
	deflate.Reset(&packed)
	if _, err := deflate.Write(data); err != nil {
		return err
	}
	if err := deflate.Close(); err != nil {
		return err
	}
	if packed.Len() >= len(data) {
		return w.Store(name, data)
	}
	h := header(name, data)
	h.Method, h.CompressedSize64 = zip.Deflate, uint64(packed.Len())
	return w.add(h, &packed)
}

// Store adds a member without compression.
func (w *Writer) Store(name string, data []byte) error {
	return w.add(header(name, data), bytes.NewReader(data))
}

func header(name string, data []byte) *zip.FileHeader {
	h := &zip.FileHeader{
		Name: name, Method: zip.Store, CRC32: crc32.ChecksumIEEE(data), ReaderVersion: 20,
		CompressedSize64: uint64(len(data)), UncompressedSize64: uint64(len(data)),
	}
	if utf8.ValidString(name) && !isASCII(name) {
		h.Flags = flagUTF8
	}
	return h
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

func (w *Writer) add(h *zip.FileHeader, content io.Reader) error {
	if w.names[h.Name] {
		return fmt.Errorf("a member is added twice: %w", ErrDamaged)
	}
	w.names[h.Name] = true
	if h.CompressedSize64 >= math.MaxUint32 || h.UncompressedSize64 >= math.MaxUint32 {
		return fmt.Errorf("a member of more than 4 GiB: %w", ErrLimit)
	}
	h.ModifiedDate = day //lint:ignore SA1019 a Modified is not written by CreateRaw
	out, err := w.z.CreateRaw(h)
	if err != nil {
		return err
	}
	n, err := io.Copy(out, content) // empty for a folder
	if err == nil && uint64(n) != h.CompressedSize64 {
		err = fmt.Errorf("a member is cut off: %w", ErrDamaged)
	}
	return err
}

// Close writes the directory. It does not close the underlying writer.
func (w *Writer) Close() error { return w.z.Close() }
