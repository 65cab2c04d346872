// Package odf reads packages of OpenDocument (ODF 1.3, part 2): their files, their
// manifest and their metadata. A [Cut] writes a package with some of the files of
// another, byte for byte.
package odf

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/about"
	"github.com/citekit/citekit/modality/document/internal/xmlspan"
	"github.com/citekit/citekit/modality/document/internal/zipread"
)

// Names of files in packages.
const (
	Content  = "content.xml"
	Styles   = "styles.xml"
	meta     = "meta.xml"
	mimetype = "mimetype"
	manifest = "META-INF/manifest.xml"

	maxListed = 16 << 20  // bytes of the manifest or of the metadata
	maxFile   = 128 << 20 // bytes of an XML file
)

// A Package is an open package. It is safe for concurrent use while the reader
// that it was opened with is open.
type Package struct {
	zip       *zipread.Archive
	mediaType string
	manifest  string
	types     map[string]string // the media types of files in the manifest
}

// Open reads the directory of a package and its manifest. Errors match
// [citekit.ErrEncrypted] if any of its files is encrypted, [citekit.ErrFormat] if
// it is damaged or not a package, [citekit.ErrTooLarge] if it exceeds a limit, and
// ctx.Err() once ctx is done.
func Open(ctx context.Context, r io.ReaderAt, size int64) (*Package, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	archive, err := zipread.Open(ctx, r, size)
	if err != nil {
		return nil, zipread.Known(ctx, err)
	}
	p := &Package{zip: archive}
	if p.manifest, err = p.TextUpTo(ctx, manifest, maxListed); err != nil {
		return nil, err
	}
	if err := p.readManifest(); err != nil {
		return nil, err
	}
	if p.mediaType = p.types["/"]; p.mediaType == "" && archive.File(mimetype) != nil {
		kind, err := p.TextUpTo(ctx, mimetype, maxListed)
		if err != nil {
			return nil, err
		}
		p.mediaType = strings.TrimSpace(kind)
	}
	if archive.File(Content) == nil {
		return nil, fmt.Errorf("the package has no content: %w", citekit.ErrFormat)
	}
	return p, nil
}

func (p *Package) readManifest() error {
	p.types = make(map[string]string)
	s := Scan(p.manifest)
	for range s.Starts() {
		switch s.Local {
		case "encryption-data":
			return fmt.Errorf("an OpenDocument file; open it with its password and save it without: %w", citekit.ErrEncrypted)
		case "file-entry":
			p.types[s.Get("manifest", "full-path")] = s.Get("manifest", "media-type")
		}
	}
	return xmlspan.Known(s.Err())
}

// MediaType returns the media type of the package in the manifest, such as
// "application/vnd.oasis.opendocument.text", or that in the file "mimetype" if the
// manifest has none.
func (p *Package) MediaType() string { return p.mediaType }

// Has reports whether the package has a file of a name.
func (p *Package) Has(name string) bool { return p.zip.File(name) != nil }

// Text returns an XML file of at most 128 MiB in UTF-8, ready for an
// [xmlspan.Scanner]. If the file is missing, the error matches
// [citekit.ErrFormat]. Other errors are as for [Open].
func (p *Package) Text(ctx context.Context, name string) (string, error) {
	return p.TextUpTo(ctx, name, maxFile)
}

// TextUpTo is [Package.Text] with another limit, in bytes.
func (p *Package) TextUpTo(ctx context.Context, name string, limit int64) (string, error) {
	f := p.zip.File(name)
	if f == nil {
		return "", fmt.Errorf("a ZIP archive without the files of OpenDocument: %w", citekit.ErrFormat)
	}
	return f.XML(ctx, "a file", limit)
}

// Meta is the metadata of a document (ODF 1.3, part 3, section 4).
type Meta struct {
	Title    string
	Author   string
	Keywords []string
	Date     string // ISO 8601
	Language string // BCP 47
}

// Meta reads the metadata of the document. If they are missing or damaged, Meta
// returns none and no error, because nothing depends on them. The error is
// ctx.Err() once ctx is done.
func (p *Package) Meta(ctx context.Context) (Meta, error) {
	var m Meta
	if !p.Has(meta) {
		return m, nil
	}
	text, err := p.TextUpTo(ctx, meta, maxListed)
	if ctx.Err() != nil {
		return m, ctx.Err()
	}
	if err == nil {
		m.read(text)
	}
	return m, nil
}

func (m *Meta) read(text string) {
	fields := make(map[string]string)
	s := Scan(text)
	for s.Next() {
		if s.Kind != xmlspan.Text || s.Depth != 3 {
			continue
		}
		name := s.Element()
		if name == "meta:keyword" {
			m.Keywords = append(m.Keywords, strings.TrimSpace(s.Value()))
			continue
		}
		fields[name] += s.Value()
	}
	first := func(names ...string) string {
		for _, name := range names {
			if value := strings.TrimSpace(fields[name]); value != "" {
				return value
			}
		}
		return ""
	}
	m.Title, m.Language = first("dc:title"), first("dc:language")
	m.Author, m.Date = first("meta:initial-creator", "dc:creator"), first("meta:creation-date", "dc:date")
}

// Note adds everything except the title to the metadata of a map.
func (m Meta) Note(metadata map[string]any) {
	var facts about.Facts
	facts.AddAuthors(m.Author)
	facts.AddKeywords(m.Keywords...)
	facts.AddDate(m.Date)
	facts.Note(metadata)
	if m.Language != "" && len(m.Language) <= maxLanguage {
		metadata["language"] = m.Language
	}
}

const maxLanguage = 35 // bytes of a tag, BCP 47 section 4.4.1

// The namespaces of ODF begin with prefix, and most end with suffix.
const (
	prefix = "urn:oasis:names:tc:opendocument:xmlns:"
	suffix = ":1.0"
)

// Namespace returns a short name for a namespace of OpenDocument, such as "text"
// or "table". It returns other namespaces unchanged. An [xmlspan.Scanner] takes it
// as its field Namespace.
func Namespace(uri string) string {
	if name, ok := strings.CutPrefix(uri, prefix); ok {
		name = strings.TrimSuffix(name, suffix)
		if name == "drawing" {
			return "draw"
		}
		return name
	}
	switch uri {
	case "http://purl.org/dc/elements/1.1/":
		return "dc"
	case "http://www.w3.org/1999/xlink":
		return "xlink"
	}
	return uri
}

// Scan returns a scanner of a file that names namespaces as [Namespace] does. It
// allows a document type, which old programs wrote, and reads nothing from it.
func Scan(text string) *xmlspan.Scanner {
	s := xmlspan.New(text)
	s.Namespace, s.Doctype = Namespace, true
	return s
}
