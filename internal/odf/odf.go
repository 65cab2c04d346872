// Package odf reads the packages of OpenDocument (ODF 1.3, part 2): their files,
// what the manifest says of them, and what a document says of itself. A [Cut]
// writes a package with some of the files of another, byte for byte.
package odf

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/about"
	"github.com/citekit/citekit/internal/xmlspan"
	"github.com/citekit/citekit/internal/zipread"
)

// Names of files that packages have.
const (
	Content  = "content.xml"
	Styles   = "styles.xml"
	meta     = "meta.xml"
	mimetype = "mimetype"
	manifest = "META-INF/manifest.xml"

	maxListed = 16 << 20  // bytes of the manifest or of what a document says of itself
	maxFile   = 128 << 20 // bytes of a file in XML
)

// A Package is what is known of an open package. It is safe for concurrent use
// as long as the reader it was opened with is open.
type Package struct {
	zip       *zipread.Archive
	mediaType string
	manifest  string
	types     map[string]string // the media types of files, as the manifest has them
}

// Open reads the directory of a package and its manifest. Errors match
// [citekit.ErrEncrypted] if a file of it is encrypted, [citekit.ErrFormat] if it
// is damaged or no package, [citekit.ErrTooLarge] if a limit would be passed,
// and ctx.Err().
func Open(ctx context.Context, r io.ReaderAt, size int64) (*Package, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	archive, err := zipread.Open(r, size)
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
	p.mediaType = p.types["/"]
	if archive.File(Content) == nil {
		return nil, fmt.Errorf("the package has no content: %w", citekit.ErrFormat)
	}
	return p, nil
}

func (p *Package) readManifest() error {
	p.types = make(map[string]string)
	s := Scan(p.manifest)
	for s.Next() {
		if s.Kind != xmlspan.Start {
			continue
		}
		switch s.Local {
		case "encryption-data":
			return citekit.ErrEncrypted
		case "file-entry":
			p.types[s.Get("manifest", "full-path")] = s.Get("manifest", "media-type")
		}
	}
	return KnownXML(s.Err())
}

// MediaType returns what the manifest says the package is, such as
// "application/vnd.oasis.opendocument.text".
func (p *Package) MediaType() string { return p.mediaType }

// Has reports whether there is a file of a name.
func (p *Package) Has(name string) bool { return p.zip.File(name) != nil }

// Text returns a file that is XML, in UTF-8, as a [xmlspan.Scanner] takes it: at
// most 128 MiB. A file that is missing is an error matching
// [citekit.ErrFormat]; others are as for [Open].
func (p *Package) Text(ctx context.Context, name string) (string, error) {
	return p.TextUpTo(ctx, name, maxFile)
}

// TextUpTo is [Package.Text] with another limit.
func (p *Package) TextUpTo(ctx context.Context, name string, limit int64) (string, error) {
	f := p.zip.File(name)
	if f == nil {
		return "", fmt.Errorf("a ZIP archive without the files of OpenDocument: %w", citekit.ErrFormat)
	}
	if f.Size() > limit {
		return "", fmt.Errorf("a file of %d bytes; at most %d: %w", f.Size(), limit, citekit.ErrTooLarge)
	}
	r, err := f.Open(ctx)
	if err != nil {
		return "", zipread.Known(ctx, err)
	}
	defer r.Close()
	var b strings.Builder
	b.Grow(int(f.Size()))
	if _, err := io.Copy(&b, r); err != nil {
		return "", zipread.Known(ctx, err)
	}
	text, err := xmlspan.Decode(b.String())
	return text, KnownXML(err)
}

// Meta is what a document says of itself (ODF 1.3, part 3, section 4).
type Meta struct {
	Title    string
	Author   string
	Keywords []string
	Date     string // ISO 8601
	Language string // BCP 47
}

// Meta reads what the document says of itself. A package that says nothing, or
// whose words are damaged, says nothing: nothing depends on them.
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

// Note writes it into the metadata of a map, but for the title.
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

// prefix is what the namespaces of ODF begin with.
const (
	prefix = "urn:oasis:names:tc:opendocument:xmlns:"
	suffix = ":1.0"
)

// Namespace gives a namespace of OpenDocument a short name, such as "text" or
// "table". Others stay as they are. It is what [xmlspan.Scanner] takes.
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

// Scan returns a scanner of a file that names namespaces as [Namespace] does. A
// document type is allowed, which old programs wrote; nothing is read for it.
func Scan(text string) *xmlspan.Scanner {
	s := xmlspan.New(text)
	s.Namespace, s.Doctype = Namespace, true
	return s
}

// KnownXML makes an error of package xmlspan match what [citekit.Resolver]
// documents.
func KnownXML(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, xmlspan.ErrDepth):
		return fmt.Errorf("%w: %w", err, citekit.ErrTooLarge)
	}
	return fmt.Errorf("%w: %w", err, citekit.ErrFormat)
}
