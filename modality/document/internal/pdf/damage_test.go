package pdf_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/test/pdftest"
	"github.com/citekit/citekit/internal/test/sharedtest"
)

// TestTruncated cuts a real file at many places. Pages that come out of it
// must be as they are in the file that was not cut.
func TestTruncated(t *testing.T) {
	path := sharedtest.Corpus(t, "pdf/manual-bzip2.pdf")
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	r := sharedResolver()
	const cuts = 24
	for i := range cuts {
		data := whole[:len(whole)*(i+1)/(cuts+1)]
		got, err := resolve(t, r, data, pages(3, 4))
		if err != nil {
			if !errors.Is(err, citekit.ErrFormat) && !errors.Is(err, citekit.ErrRange) {
				t.Errorf("cut to %d bytes: %v", len(data), err)
			}
			continue
		}
		want := pdftotext(t, path, "-f", "3", "-l", "4")
		if text := pdftotext(t, file(t, got)); text != want {
			t.Errorf("cut to %d bytes, the pages read %q, want %q", len(data), words(text), words(want))
		}
	}
}

// TestLostXref takes away what leads to the objects, which are all there.
func TestLostXref(t *testing.T) {
	for _, packed := range []bool{false, true} {
		data := simple(packed)
		start := bytes.LastIndex(data, []byte("startxref"))
		for name, damaged := range map[string][]byte{
			"no startxref":    data[:start],
			"wrong startxref": append(bytes.Clone(data[:start]), "startxref\n7\n%%EOF"...),
			"text in front":   append([]byte("junk\n"), data...),
			"shifted":         bytes.Replace(data, []byte("%PDF-1.7\n"), []byte("%PDF-1.7\n%%%%%%%%\n"), 1),
		} {
			got, err := resolve(t, sharedResolver(), damaged, pages(2, 3))
			if err != nil {
				t.Errorf("packed %v, %s: %v", packed, name, err)
				continue
			}
			if text := words(pdftotext(t, file(t, got))); text != "This is page two This is page three" {
				t.Errorf("packed %v, %s: the extract reads %q", packed, name, text)
			}
		}
	}
}

// TestMissingFont takes away an object that pages need from a file whose
// cross-reference data is lost too.
func TestMissingFont(t *testing.T) {
	data := simple(false)
	data = bytes.Replace(data, []byte("3 0 obj\n"), []byte("3 0 job\n"), 1)
	data = data[:bytes.LastIndex(data, []byte("xref\n0 "))]
	_, err := resolve(t, sharedResolver(), data, pages(1, 1))
	if !errors.Is(err, citekit.ErrFormat) || !strings.Contains(err.Error(), "object 3") {
		t.Errorf("got %v, want an error about object 3", err)
	}
}

func TestErrorsSayTheBounds(t *testing.T) {
	_, err := resolve(t, sharedResolver(), simple(true), pages(9, 9))
	if !errors.Is(err, citekit.ErrRange) || !strings.Contains(fmt.Sprint(err), "page 9 of 4; pages run 1-4") {
		t.Errorf("got %v", err)
	}
}

// TestDoubledTree opens a page tree whose every node has the next one twice: it is damaged,
// and not too large, although no reader can count its pages.
func TestDoubledTree(t *testing.T) {
	f := &pdftest.File{}
	f.Root(f.Add("<< /Type /Catalog /Pages 2 0 R >>"))
	for n := 3; n < 43; n++ {
		f.Add("<< /Type /Pages /Kids [%d 0 R %d 0 R] >>", n, n)
	}
	f.Add("<< /Type /Page /MediaBox [0 0 9 9] >>")
	_, err := sharedResolver().Measure(t.Context(), source(f.Bytes()))
	if !errors.Is(err, citekit.ErrFormat) || errors.Is(err, citekit.ErrTooLarge) {
		t.Errorf("got %v", err)
	}
}
