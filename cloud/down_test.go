//go:build unix

package cloud_test

import (
	"errors"
	"io/fs"
	"strings"
	"testing"

	"github.com/citekit/citekit/cloud"
	"github.com/citekit/citekit/cloud/internal/pgtest"
	"github.com/citekit/citekit/workspace"
	"github.com/citekit/citekit/workspace/driver"
)

// A database whose socket is not there has no answer: it is no missing map.
func TestSocketGone(t *testing.T) {
	t.Setenv("PGHOST", t.TempDir())
	_, err := cloud.Open(t.Context(), "pg://citekit@/none", &cloud.Options{Bucket: driver.NewMemory(), Attempts: 1})
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("open: %v", err)
	}
	s := pgtest.Start(t)
	url := s.Database(t)
	for name, value := range s.Environment() {
		t.Setenv(name, value)
	}
	w, err := cloud.Open(t.Context(), "pg://citekit@/"+url[strings.LastIndexByte(url, '/')+1:], &cloud.Options{Bucket: driver.NewMemory(), Attempts: 2})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	if err := w.WriteMap(t.Context(), "a", []byte(`{}`)); err != nil {
		t.Fatal(err)
	}
	s.Stop()
	var fault interface{ StorageFault() string }
	if _, err := w.StatMap(t.Context(), "a"); !errors.As(err, &fault) || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a map: %v", err)
	}
	if _, err := w.FindEvidence(t.Context(), "0123456789abcdef"); !errors.As(err, &fault) || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("evidence: %v", err)
	}
}

// Sources of a URL that names none are not missing: maps do not count as of nothing.
func TestNoSources(t *testing.T) {
	w, err := cloud.Open(t.Context(), pgtest.Shared(t).Database(t), &cloud.Options{Bucket: driver.NewMemory()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	if _, err := w.OpenSource(t.Context(), "a.txt"); err == nil || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a source: %v", err)
	}
	for _, err := range w.Find(t.Context(), workspace.FindRequest{Paths: []string{"."}}) {
		if err == nil || errors.Is(err, fs.ErrNotExist) {
			t.Errorf("sources: %v", err)
		}
	}
}
