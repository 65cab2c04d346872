// Package doctest packs small documents for tests, and reads what a resolver makes of
// documents.
package doctest

import (
	"archive/zip"
	"bytes"
	"io"
	"maps"
	"slices"
	"testing"

	"github.com/citekit/citekit"
)

// Zip returns a ZIP archive of files: names and contents in turn. They are compressed,
// except one called "mimetype".
func Zip(files ...string) []byte {
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for i := 0; i < len(files); i += 2 {
		method := zip.Deflate
		if files[i] == "mimetype" {
			method = zip.Store
		}
		w, err := z.CreateHeader(&zip.FileHeader{Name: files[i], Method: method})
		if err == nil {
			_, err = io.WriteString(w, files[i+1])
		}
		if err != nil {
			panic(err)
		}
	}
	if err := z.Close(); err != nil {
		panic(err)
	}
	return out.Bytes()
}

// ZipMap is [Zip] of files by name: "mimetype" first, then in the order of the names.
func ZipMap(files map[string]string) []byte {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if name == "mimetype" {
			list = append([]string{name, files[name]}, list...)
		} else {
			list = append(list, name, files[name])
		}
	}
	return Zip(list...)
}

// Unzip returns the files of a ZIP archive by name.
func Unzip(t testing.TB, data []byte) map[string]string {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	files := make(map[string]string)
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		if _, twice := files[f.Name]; twice {
			t.Errorf("%s is there twice", f.Name)
		}
		files[f.Name] = string(content)
	}
	return files
}

// Source returns a source with a name.
func Source(name string, data []byte) *citekit.Source {
	return citekit.NewSource(bytes.NewReader(data), citekit.SourceInfo{Name: name, Size: int64(len(data))})
}

// Cut returns the evidence at a location, and how it differs from the source.
func Cut(t testing.TB, r citekit.Resolver, src *citekit.Source, loc citekit.Location) ([]byte, []string) {
	t.Helper()
	c, err := r.Resolve(t.Context(), src, citekit.Request{Location: loc})
	if err != nil {
		t.Fatalf("%v: %v", loc, err)
	}
	defer c.Body.Close()
	data, err := io.ReadAll(c.Body)
	if err != nil {
		t.Fatalf("%v: %v", loc, err)
	}
	if c.Size >= 0 && int64(len(data)) != c.Size {
		t.Fatalf("%v: %d bytes, but the size is %d", loc, len(data), c.Size)
	}
	return data, c.Changes
}

// Texts returns the runs of text at a location.
func Texts(t testing.TB, r citekit.TextReader, src *citekit.Source, loc citekit.Location) (texts []string) {
	t.Helper()
	for run, err := range r.ReadText(t.Context(), src, loc) {
		if err != nil {
			t.Fatalf("%v: %v", loc, err)
		}
		texts = append(texts, run.Text)
	}
	return texts
}
