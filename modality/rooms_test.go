package modality_test

import (
	"archive/zip"
	"bytes"
	"errors"
	"hash/crc32"
	"io"
	"strings"
	"testing"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/sniff"
	"github.com/citekit/citekit/internal/test/pdftest"
	"github.com/citekit/citekit/internal/test/sharedtest"
	"github.com/citekit/citekit/internal/test/snifftest"
	"github.com/citekit/citekit/modality"
)

// TestRooms asks every resolver about the beginning of a file of every format
// that is known. The one whose modality it is reads it, or says what is wrong
// or missing; the others say that it is not theirs.
func TestRooms(t *testing.T) {
	rooms, missing := modality.All(), false
	for _, s := range snifftest.All() {
		format, err := sniff.Detect(s.Reader(), int64(len(s.Data)))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range []citekit.Modality{citekit.Document, citekit.Video, citekit.Audio, citekit.Image, citekit.Text} {
			for _, loc := range []citekit.Location{{}, somePart(m)} {
				if testing.Short() && !loc.IsWhole() {
					continue
				}
				loc.Modality = m
				err := ask(t, rooms[m], s, loc)
				switch {
				case m == citekit.Modality(s.Kind):
					checkOwn(t, m, s, format, loc, err)
				case m == citekit.Audio && s.Kind == sniff.Video && err == nil:
					// the sound of a film
				case err != nil && strings.Contains(err.Error(), "needs ffprobe, which is not installed"):
					missing = true
				default:
					checkOther(t, m, s, err)
				}
			}
		}
	}
	if missing && !t.Failed() {
		sharedtest.Missing(t, "ffprobe is not installed")
	}
}

// somePart returns the beginning of a source of the modality.
func somePart(m citekit.Modality) citekit.Location {
	switch m {
	case citekit.Document:
		return citekit.Document.Pages(1, 1)
	case citekit.Text:
		return citekit.Text.Lines(1, 1)
	case citekit.Image:
		return citekit.Image.Region(0, 0, 0.5, 0.5)
	}
	return citekit.Video.Seconds(0, 0.01)
}

func ask(t *testing.T, r citekit.Resolver, s snifftest.Sample, loc citekit.Location) error {
	t.Helper()
	src := citekit.NewSource(s.Reader(), citekit.SourceInfo{Name: "sample", Size: int64(len(s.Data))})
	x, err := r.Resolve(t.Context(), src, citekit.Request{Location: loc})
	if err != nil {
		return err
	}
	defer x.Body.Close()
	n, err := io.Copy(io.Discard, x.Body)
	if err == nil && loc.IsWhole() && n != int64(len(s.Data)) {
		t.Errorf("%s in %s: the whole has %d bytes, want %d", s.Name, loc.Modality, n, len(s.Data))
	}
	return err
}

// checkOwn checks the answer of the room of the modality. The samples have
// signatures and little else, so that parts may be damaged; text is whole.
func checkOwn(t *testing.T, m citekit.Modality, s snifftest.Sample, format sniff.Format, loc citekit.Location, err error) {
	t.Helper()
	switch {
	case m == citekit.Text && format.Kind == sniff.Text:
		if err != nil {
			t.Errorf("%s as text: %v", s.Name, err)
		}
	case m == citekit.Text && format.ID != "":
		if !errors.Is(err, citekit.ErrFormat) || !strings.Contains(err.Error(), "binary, not text: it is "+format.Name) {
			t.Errorf("%s as text: %v, want an error that says that it is %s", s.Name, err, format.Name)
		}
	case format.Unread && m != citekit.Image:
		if !errors.Is(err, errors.ErrUnsupported) || !strings.Contains(err.Error(), format.Name) {
			t.Errorf("%s as %s: %v, want one that says that %s is not read", s.Name, m, err, format.Name)
		}
	case err != nil && !errors.Is(err, citekit.ErrFormat) && !errors.Is(err, errors.ErrUnsupported):
		t.Errorf("%s as %s (%v): %v", s.Name, m, loc, err)
	case err != nil && loc.IsWhole() && strings.Contains(err.Error(), "not a"):
		t.Errorf("%s as %s (%v) is refused as another modality: %v", s.Name, m, loc, err)
	}
}

// checkOther checks that a room refuses what belongs to another: as a source
// that it cannot read or, of a format that it knows by name, as one that is not
// read.
func checkOther(t *testing.T, m citekit.Modality, s snifftest.Sample, err error) {
	t.Helper()
	unread := errors.Is(err, errors.ErrUnsupported) && err != nil && strings.Contains(err.Error(), "read")
	if !errors.Is(err, citekit.ErrFormat) && !unread {
		t.Errorf("%s, which is %s, as %s: %v, want that it cannot be read", s.Name, s.Kind, m, err)
	}
}

// TestEncrypted checks that every format that can be encrypted says so, in one
// way for all, and what to do.
func TestEncrypted(t *testing.T) {
	files := func(flags uint16, names ...string) []byte {
		var b bytes.Buffer
		z := zip.NewWriter(&b)
		for _, n := range names {
			name, content, _ := strings.Cut(n, "=")
			w, err := z.CreateRaw(&zip.FileHeader{Name: name, Flags: flags, CRC32: crc32.ChecksumIEEE([]byte(content)), CompressedSize64: uint64(len(content)), UncompressedSize64: uint64(len(content))})
			if err != nil {
				t.Fatal(err)
			}
			io.WriteString(w, content)
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	f := &pdftest.File{Encrypted: true}
	f.Root(f.Add("<< >>"))
	cases := map[string][]byte{
		"PDF":        bytes.Replace(f.Bytes(), []byte("/P -4"), []byte("/P -8"), 1), // so the key is another one
		"ZIP member": files(1, "a.txt=secret"),
		"EPUB": files(0, "mimetype=application/epub+zip",
			`META-INF/container.xml=<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container" version="1.0"><rootfiles><rootfile full-path="a.opf" media-type="application/oebps-package+xml"/></rootfiles></container>`,
			`META-INF/encryption.xml=<encryption xmlns:enc="http://www.w3.org/2001/04/xmlenc#"><enc:EncryptedData><enc:EncryptionMethod Algorithm="http://www.w3.org/2001/04/xmlenc#aes128-cbc"/></enc:EncryptedData></encryption>`,
			`a.opf=<package xmlns="http://www.idpf.org/2007/opf" version="3.0"><metadata/><manifest><item id="a" href="a.xhtml" media-type="application/xhtml+xml"/></manifest><spine><itemref idref="a"/></spine></package>`,
			"a.xhtml=secret"),
	}
	for _, kind := range []string{"text", "spreadsheet", "presentation"} {
		mimetype := "application/vnd.oasis.opendocument." + kind
		cases["OpenDocument "+kind] = files(0, "mimetype="+mimetype,
			`META-INF/manifest.xml=<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"><manifest:file-entry manifest:full-path="content.xml" manifest:media-type="text/xml"><manifest:encryption-data/></manifest:file-entry></manifest:manifest>`,
			"content.xml=secret")
	}
	for _, s := range snifftest.All() {
		if s.ID == "ooxml-encrypted" || s.ID == "parquet-encrypted" {
			cases[s.ID] = s.Data
		}
	}
	room := modality.All()[citekit.Document]
	for name, data := range cases {
		src := citekit.NewSource(bytes.NewReader(data), citekit.SourceInfo{Name: "sample", Size: int64(len(data))})
		var err error
		if name == "ZIP member" {
			_, err = room.(citekit.MemberOpener).OpenMember(t.Context(), src, "a.txt")
		} else {
			_, err = room.(citekit.Measurer).Measure(t.Context(), src)
		}
		if !errors.Is(err, citekit.ErrEncrypted) || !errors.Is(err, citekit.ErrFormat) {
			t.Errorf("%s: %v, want one that matches ErrEncrypted and ErrFormat", name, err)
			continue
		}
		if !strings.Contains(err.Error(), "password") && !strings.Contains(err.Error(), "without encryption") && !strings.Contains(err.Error(), "licensed") {
			t.Errorf("%s: %v, want what to do", name, err)
		}
	}
}
