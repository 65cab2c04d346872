package archive

import (
	"bytes"
	"compress/gzip"
	"io"
	"strings"
	"testing"
)

// A countingReader counts the bytes that are read.
type countingReader struct {
	*bytes.Reader
	read int64
}

func (c *countingReader) ReadAt(p []byte, off int64) (int, error) {
	n, err := c.Reader.ReadAt(p, off)
	c.read += int64(n)
	return n, err
}

// TestEmptyMembers counts the bytes that are read of files of many members.
func TestEmptyMembers(t *testing.T) {
	if testing.Short() {
		t.Skip("counts what one goroutine reads")
	}
	for _, content := range []string{"", "x", strings.Repeat("0123456789abcdef", 1500)} {
		var member bytes.Buffer
		w := gzip.NewWriter(&member)
		io.WriteString(w, content)
		w.Close()
		for _, n := range []int{1000, 2000, 4000} {
			src := &countingReader{Reader: bytes.NewReader(bytes.Repeat(member.Bytes(), n))}
			size, err := io.Copy(io.Discard, newGzip(src, src.Size(), nil))
			if err != nil || size != int64(n*len(content)) {
				t.Fatalf("%d members: %d bytes, %v", n, size, err)
			}
			if src.read > 2*src.Size() {
				t.Errorf("%d members of %d bytes: read %d bytes of %d", n, len(content), src.read, src.Size())
			}
		}
	}
}

// TestPoints reads a gzip file on from each of its points, which lie in gzip
// members and where they begin.
func TestPoints(t *testing.T) {
	var packed, content bytes.Buffer
	w := gzip.NewWriter(&packed)
	for i := range 10 {
		w.Reset(&packed)
		for j := range []int{0, 10, 700, 1500, 40_000}[i%5] {
			line := []byte{byte(i), byte(j), byte(j * j >> 3), byte(j*i + j>>2), '\n'}
			content.Write(line)
			w.Write(line)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	src, size := bytes.NewReader(packed.Bytes()), int64(packed.Len())
	g := newGzip(src, size, nil)
	g.data.Every = 5000
	if got, err := io.ReadAll(g); err != nil || !bytes.Equal(got, content.Bytes()) {
		t.Fatalf("%d bytes, %v", len(got), err)
	}
	deep, last := 0, int64(0)
	for i := range g.points {
		p := &g.points[i]
		if p.deep != nil {
			deep++
		}
		if p.offset <= last {
			t.Errorf("point %d is at %d, behind %d", i, p.offset, last)
		}
		last = p.offset
		got, err := io.ReadAll(newGzip(src, size, p))
		if err != nil || !bytes.Equal(got, content.Bytes()[p.offset:]) {
			t.Errorf("from %d: %d bytes, %v", p.offset, len(got), err)
		}
	}
	if deep == 0 || deep == len(g.points) {
		t.Errorf("%d of %d points are in a gzip member", deep, len(g.points))
	}
}
