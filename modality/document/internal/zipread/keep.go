package zipread

import (
	"bytes"
	"cmp"
	"compress/flate"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"slices"

	"github.com/citekit/citekit"
)

// keptVersion names what is kept of an archive that is far away: what was read to know
// where its members are. It changes with what [OpenAny] reads.
const keptVersion = "zip directory 1"

const maxKept = 2*maxDirectory + MaxEntries*64 // bytes of what is kept

// Kept opens an archive by what [OpenAny] kept beside it. It returns nil if that is
// nothing, or damaged.
func Kept(ctx context.Context, src *citekit.Source) *Archive {
	aside := src.Aside()
	if aside == nil {
		return nil
	}
	packed, err := aside(ctx, keptVersion, nil)
	if err != nil {
		return nil
	}
	kept, err := unpackKept(packed, src.Size())
	if err != nil {
		return nil
	}
	a, err := openAny(&keptReader{kept, src}, src.Size())
	if err != nil {
		return nil
	}
	return a.On(src)
}

// openKeeping opens an archive, and keeps what was read beside it.
func openKeeping(ctx context.Context, src *citekit.Source) (*Archive, error) {
	seen := &recorder{r: src}
	a, err := openAny(seen, src.Size())
	if err != nil {
		return nil, err
	}
	if packed, err := packKept(seen.joined()); err == nil {
		_, _ = src.Aside()(ctx, keptVersion, packed) // else it is read again
	}
	return a.On(src), nil
}

// A keptPart is a part of an archive.
type keptPart struct {
	off  int64
	data []byte
}

func (p keptPart) end() int64 { return p.off + int64(len(p.data)) }

// A recorder remembers what is read.
type recorder struct {
	r     io.ReaderAt
	parts []keptPart
}

func (r *recorder) ReadAt(p []byte, off int64) (int, error) {
	n, err := r.r.ReadAt(p, off)
	if n > 0 {
		r.parts = append(r.parts, keptPart{off, bytes.Clone(p[:n])})
	}
	return n, err
}

// joined returns what was read, in the order of the archive.
func (r *recorder) joined() (parts []keptPart) {
	slices.SortFunc(r.parts, func(a, b keptPart) int { return cmp.Compare(a.off, b.off) })
	for _, p := range r.parts {
		last := len(parts) - 1
		switch {
		case last < 0 || p.off > parts[last].end():
			parts = append(parts, p)
		case p.end() > parts[last].end():
			parts[last].data = append(parts[last].data, p.data[parts[last].end()-p.off:]...)
		}
	}
	return parts
}

// packKept writes parts: for each, the varints of the bytes between it and the one
// before, and of its length, and then its bytes; all of it deflated.
func packKept(parts []keptPart) ([]byte, error) {
	var packed bytes.Buffer
	z, err := flate.NewWriter(&packed, flate.DefaultCompression)
	if err != nil {
		return nil, err
	}
	var before int64
	for _, p := range parts {
		head := binary.AppendUvarint(nil, uint64(p.off-before))
		head = binary.AppendUvarint(head, uint64(len(p.data)))
		if _, err := z.Write(append(head, p.data...)); err != nil {
			return nil, err
		}
		before = p.end()
	}
	err = z.Close()
	return packed.Bytes(), err
}

// unpackKept reads what packKept wrote of an archive of a size. The error matches
// [ErrDamaged].
func unpackKept(packed []byte, size int64) (parts []keptPart, err error) {
	damaged := fmt.Errorf("what is kept of the directory: %w", ErrDamaged)
	data, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(packed)), maxKept))
	if err != nil {
		return nil, damaged
	}
	for at := int64(0); len(data) > 0; {
		gap, n := binary.Uvarint(data)
		if n <= 0 || gap > uint64(size-at) {
			return nil, damaged
		}
		data = data[n:]
		at += int64(gap)
		length, n := binary.Uvarint(data)
		if n <= 0 || length > uint64(len(data)-n) || length > uint64(size-at) {
			return nil, damaged
		}
		parts = append(parts, keptPart{at, data[n : n+int(length)]})
		data = data[n+int(length):]
		at += int64(length)
	}
	return parts, nil
}

// A keptReader reads an archive, where it can without asking for it.
type keptReader struct {
	parts []keptPart
	src   *citekit.Source
}

func (r *keptReader) ReadAt(p []byte, off int64) (int, error) {
	k, found := slices.BinarySearchFunc(r.parts, off, func(p keptPart, off int64) int { return cmp.Compare(p.off, off) })
	if !found {
		k--
	}
	if k < 0 || r.parts[k].end() < min(off+int64(len(p)), r.src.Size()) {
		return r.src.ReadAt(p, off)
	}
	n := copy(p, r.parts[k].data[off-r.parts[k].off:])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}
