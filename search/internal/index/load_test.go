package index

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A heldContent is content that a file has. Its bytes must not be read.
type heldContent struct {
	t    *testing.T
	file *os.File
	err  error
}

func (c *heldContent) Read([]byte) (int, error) {
	c.t.Error("the content is read although a file has it")
	return 0, io.EOF
}

func (c *heldContent) LocalFile() (*os.File, error) { return c.file, c.err }

// recordOf returns the record of a segment with some content.
func recordOf(content []byte) segmentRecord {
	sum := sha256.Sum256(content)
	return segmentRecord{SHA256: hex.EncodeToString(sum[:]), Size: int64(len(content))}
}

// Content is mapped where a file of this machine has it, and else copied whole, a large
// one to a temporary file that has no name.
func TestLoad(t *testing.T) {
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	content := bytes.Repeat([]byte("0123456789abcde\n"), mostInMemory/8)
	name := filepath.Join(t.TempDir(), "segment")
	if err := os.WriteFile(name, content, 0o600); err != nil {
		t.Fatal(err)
	}
	open := func() *os.File {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		return f
	}
	for how, in := range map[string]io.Reader{
		"a file":         open(),
		"held by a file": &heldContent{t, open(), nil},
		"in memory":      bytes.NewReader(content),
		"as it comes":    io.MultiReader(bytes.NewReader(content)),
		"longer":         io.MultiReader(bytes.NewReader(content), strings.NewReader("more")),
	} {
		if how == "held by a file" && !mapsFiles {
			continue
		}
		data, unmap, err := load(t.Context(), in, recordOf(content))
		if err != nil || !bytes.Equal(data, content) {
			t.Errorf("%s: %d bytes, %v", how, len(data), err)
			continue
		}
		unmap()
	}
	small := content[:mostInMemory]
	if data, _, err := load(t.Context(), bytes.NewReader(small), recordOf(small)); err != nil || !bytes.Equal(data, small) {
		t.Errorf("a small one: %d bytes, %v", len(data), err)
	}
	if left, err := os.ReadDir(temporary); err != nil || len(left) != 0 {
		t.Errorf("left in the temporary folder: %v, %v", left, err)
	}
}

// Content that is cut off is an error of the store; other content than was stored means
// that the segment is lost.
func TestLoadFails(t *testing.T) {
	content := bytes.Repeat([]byte("x"), mostInMemory+1)
	r := recordOf(content)
	if _, _, err := load(t.Context(), bytes.NewReader(content[1:]), r); err == nil || errors.Is(err, errLost) {
		t.Errorf("cut off: %v", err)
	}
	other := bytes.Repeat([]byte("y"), len(content))
	if _, _, err := load(t.Context(), bytes.NewReader(other), r); !errors.Is(err, errLost) {
		t.Errorf("other content: %v", err)
	}
	broken := &heldContent{t, nil, fs.ErrNotExist}
	if _, _, err := load(t.Context(), struct {
		localContent
		io.Reader
	}{broken, bytes.NewReader(content)}, r); err != nil {
		t.Errorf("without its file: %v", err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := load(ended, bytes.NewReader(content), r); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end of its context: %v", err)
	}
	if !mapsFiles {
		return
	}
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "none"))
	if _, _, err := load(t.Context(), bytes.NewReader(content), r); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "TMPDIR") || strings.Contains(err.Error(), "none") {
		t.Errorf("without a temporary folder: %v", err)
	}
}
