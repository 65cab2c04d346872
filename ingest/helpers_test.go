package ingest_test

import (
	"os"
	"testing"

	"github.com/citekit/citekit"
)

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func parse(t *testing.T, s string) citekit.Address {
	t.Helper()
	a, err := citekit.ParseAddress(s)
	if err != nil {
		t.Fatal(err)
	}
	return a
}
