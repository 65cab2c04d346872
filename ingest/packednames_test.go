package ingest_test

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"path"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/ingest"
	"github.com/citekit/citekit/modality/document"
	"github.com/citekit/citekit/modality/text"
)

// packed returns "hello\n" as gzip, with a name stored in it unless that is "",
// bzip2 and Zstandard compress it.
func packed(t *testing.T, name string) map[string]string {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Name = name
	_, err := w.Write([]byte("hello\n"))
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	bzipped, err := base64.StdEncoding.DecodeString("QlpoOTFBWSZTWcHAgOIAAAFBAAAQAkSgADDNAMNGKZcXckU4UJDBwIDi")
	if err != nil {
		t.Fatal(err)
	}
	z, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	return map[string]string{".gz": b.String(), ".bz2": string(bzipped), ".zst": string(z.EncodeAll([]byte("hello\n"), nil))}
}

// packedFixture is an ingestFixture whose Library reads compressed files.
func packedFixture(t *testing.T, files map[string]string) *ingestFixture {
	f := newIngestFixture(t, files)
	archives := new(document.Archive)
	archives.Members = citekit.Resolvers{citekit.Document: archives, citekit.Text: new(text.Resolver)}
	f.lib = citekit.New(f.lib.Workspace(), archives.Members, nil)
	return f
}

// checkNodes checks that there is what the nodes of a map locate.
func (f *ingestFixture) checkNodes(t *testing.T, id string) {
	t.Helper()
	m, err := f.lib.Map(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	if problems := ingest.Check(t.Context(), f.lib, m); len(m.Nodes) == 0 || len(problems) > 0 {
		t.Errorf("%s: %d nodes, problems: %v", id, len(m.Nodes), problems)
	}
	for _, n := range m.Nodes {
		if e, err := f.lib.Resolve(t.Context(), id, n.ID, nil); err != nil {
			t.Errorf("%s: %s: %v", id, n.Location.Member, err)
		} else if got := read(t, e.OutputPath); got != "hello\n" {
			t.Errorf("%s: %s: evidence %q", id, n.Location.Member, got)
		}
	}
}

// TestIngestNamedAfterFile checks that a map whose addresses have the name of its
// source is made anew for a copy, and does not follow a rename.
func TestIngestNamedAfterFile(t *testing.T) {
	for ext, data := range packed(t, "") {
		t.Run(ext, func(t *testing.T) {
			f := packedFixture(t, map[string]string{"one" + ext: data})
			f.want(t, f.ingest(t, nil), "mapped one"+ext+" as one: 2")
			f.write(t, "two"+ext, data)
			f.write(t, "dir/one"+ext, data)
			f.want(t, f.ingest(t, nil), "copied dir/one"+ext+" as dir-one: 2", "unchanged one"+ext+" as one: 2", "mapped two"+ext+" as two: 2")
			f.rename(t, "two"+ext, "deep/two"+ext)
			var asked []string
			f.want(t, f.ingest(t, following(&asked), "two"+ext, "deep/two"+ext), "renamed deep/two"+ext+" as two: 2")
			f.checkNodes(t, "two")
			f.rename(t, "deep/two"+ext, "three"+ext)
			f.want(t, f.ingest(t, following(&asked), "deep/two"+ext, "three"+ext),
				`vanished deep/two`+ext+` as two (its bytes are in "three`+ext+`" now; its map was not moved)`, "mapped three"+ext+" as three: 2")
			f.want(t, asked, "two: two"+ext+" to deep/two"+ext)
			for _, id := range []string{"one", "dir-one", "three"} {
				f.checkNodes(t, id)
			}
		})
	}
}

// TestIngestNamedAfterFileTogether has copies that are mapped at the same time.
func TestIngestNamedAfterFileTogether(t *testing.T) {
	files := make(map[string]string)
	for ext, data := range packed(t, "") {
		for _, name := range []string{"a", "b", "c", "d"} {
			files[name+"/"+name+ext[1:]+ext] = data
		}
	}
	f := packedFixture(t, files)
	if items := f.ingest(t, &ingest.Options{Concurrency: 4}); len(items) != len(files) {
		t.Errorf("%q", items)
	}
	for name := range files {
		base := path.Base(name)
		f.checkNodes(t, base[:len(base)-len(path.Ext(base))])
	}
}

// TestIngestStoredName checks that a map whose addresses do not depend on the name of
// its source is copied, and follows a rename.
func TestIngestStoredName(t *testing.T) {
	data := packed(t, "report.txt")[".gz"]
	f := packedFixture(t, map[string]string{"one.gz": data})
	f.want(t, f.ingest(t, nil), "mapped one.gz as one: 2")
	f.write(t, "two.gz", data)
	f.want(t, f.ingest(t, nil), "unchanged one.gz as one: 2", "copied two.gz as two: 2")
	f.rename(t, "two.gz", "three.gz")
	var asked []string
	f.want(t, f.ingest(t, following(&asked)), "unchanged one.gz as one: 2", "renamed three.gz as two: 2")
	for _, id := range []string{"one", "two"} {
		f.checkNodes(t, id)
	}
}
