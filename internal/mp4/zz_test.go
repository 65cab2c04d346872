package mp4_test

import (
	"github.com/citekit/citekit/internal/mp4"
	"os"
	"strconv"
	"testing"
)

func TestZZ(t *testing.T) {
	f, m, err := openFile(t, os.Getenv("SRC"))
	if err != nil {
		t.Fatal(err)
	}
	s, _ := strconv.ParseFloat(os.Getenv("S"), 64)
	e, _ := strconv.ParseFloat(os.Getenv("E"), 64)
	c, err := m.Cut(s, e, mp4.Exact)
	if err != nil {
		t.Fatal(err)
	}
	writeClip(t, c, f, os.Getenv("OUT"))
}
