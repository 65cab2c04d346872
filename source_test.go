package citekit_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/citekit/citekit"
)

// far is content that is fetched into a file when one is asked for.
type far struct {
	*os.File
	err error
}

func (f *far) LocalFile() (*os.File, error) { return f.File, f.err }

func TestSourceFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "held")
	if err := os.WriteFile(path, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	info := citekit.SourceInfo{Name: "a.txt", Size: 4}
	for _, c := range []struct {
		name   string
		source *citekit.Source
		want   *os.File
	}{
		{"a file", citekit.NewSource(file, info), file},
		{"what a file holds", citekit.NewSource(&far{file, nil}, info), file},
		{"what no file holds", citekit.NewSource(&far{nil, errors.ErrUnsupported}, info), nil},
	} {
		if got := c.source.File(); got != c.want {
			t.Errorf("%s: File() = %v, want %v", c.name, got, c.want)
		}
	}
}
