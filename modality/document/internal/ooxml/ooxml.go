// Package ooxml reads packages of Office Open XML (ISO/IEC 29500-2): parts, their
// content types and relationships, and core properties. A [Cut] writes a package
// with some of the parts of another, byte for byte.
package ooxml

import (
	"context"
	"fmt"
	"io"
	"net/url"
	"path"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/modality/document/internal/xmlspan"
	"github.com/citekit/citekit/modality/document/internal/zipread"
)

const (
	typesName = "[Content_Types].xml"
	rootRels  = "_rels/.rels"

	maxListed = 16 << 20  // bytes of content types, relationships or properties
	maxPart   = 128 << 20 // bytes of an XML part
)

// A Package is an open package. It is safe for concurrent use while the reader
// that it was opened with is open.
type Package struct {
	zip   *zipread.Archive
	parts map[string]*Part // by folded name

	types *contentTypes
	main  Rel
}

// A Part is one file of a package.
type Part struct {
	Name string // as stored, without the leading slash, and with slashes for backslashes
	file *zipread.File
}

// Open reads the directory of a package, its content types and the
// relationships of the package itself. Errors match [citekit.ErrEncrypted] if
// it is encrypted, [citekit.ErrFormat] if it is damaged or not a package,
// [citekit.ErrTooLarge] if it exceeds a limit, and ctx.Err() once ctx is done.
func Open(ctx context.Context, r io.ReaderAt, size int64) (*Package, error) {
	if err := checkCompound(ctx, r, size); err != nil {
		return nil, err
	}
	archive, err := zipread.Open(ctx, r, size)
	if err != nil {
		return nil, zipread.Known(ctx, err)
	}
	p := &Package{zip: archive, parts: make(map[string]*Part)}
	for _, file := range archive.Files() {
		part := &Part{Name: cleanName(file.Name()), file: file}
		if key := fold(part.Name); p.parts[key] == nil {
			p.parts[key] = part
		}
	}
	if p.types, err = p.readTypes(ctx); err != nil {
		return nil, err
	}
	rels, err := p.Rels(ctx, "")
	if err != nil {
		return nil, err
	}
	missing := ""
	for _, rel := range rels {
		switch {
		case rel.Kind() != "officeDocument" || rel.External:
		case p.Part(rel.Target) != nil:
			p.main = rel
			return p, nil
		case missing == "":
			missing = rel.Target
		}
	}
	return nil, p.withoutMain(missing)
}

// withoutMain returns the error of a package whose relationships lead to no main
// part; missing is the one that they name, or "".
func (p *Package) withoutMain(missing string) error {
	if missing == "" {
		return fmt.Errorf("the package does not say which of its parts is the document; it is damaged, so save or fetch it anew: %w", citekit.ErrFormat)
	}
	return fmt.Errorf("the main part %s is missing; the file is damaged, so save or fetch it anew: %w", message.Quote(missing), citekit.ErrFormat)
}

// cleanName returns the name of a part as relationships give it.
func cleanName(name string) string {
	return strings.TrimPrefix(strings.ReplaceAll(name, `\`, "/"), "/")
}

// fold returns the key of a name. Part names that differ only in case are the same
// (ISO/IEC 29500-2, section 6.2.2.3).
func fold(name string) string { return strings.ToLower(cleanName(name)) }

// Part returns the part of a name, or nil if it does not exist. Case and a leading
// slash do not matter.
func (p *Package) Part(name string) *Part {
	if name == "" {
		return nil
	}
	return p.parts[fold(name)]
}

// Parts returns the parts in the order of the package.
func (p *Package) Parts() []*Part {
	list := make([]*Part, 0, len(p.parts))
	for _, file := range p.zip.Files() {
		if part := p.Part(file.Name()); part != nil && part.file == file {
			list = append(list, part)
		}
	}
	return list
}

// Main returns the name of the main part, such as "word/document.xml".
func (p *Package) Main() string { return p.Part(p.main.Target).Name }

// Size returns the uncompressed size of a part in bytes, as the package declares it.
func (part *Part) Size() int64 { return part.file.Size() }

// Bytes returns the content of a part of at most 128 MiB. If the part is larger,
// the error matches [citekit.ErrTooLarge].
func (part *Part) Bytes(ctx context.Context) ([]byte, error) {
	data, err := part.file.Bytes(ctx, maxPart)
	return data, zipread.Known(ctx, err)
}

// Open returns a reader of a part. The caller closes it.
func (part *Part) Open(ctx context.Context) (io.ReadCloser, error) {
	r, err := part.file.Open(ctx)
	return r, zipread.Known(ctx, err)
}

// Text returns an XML part in UTF-8, ready for an [xmlspan.Scanner].
// Errors are as for [Part.Bytes].
func (part *Part) Text(ctx context.Context) (string, error) { return part.TextUpTo(ctx, maxPart) }

// TextUpTo is [Part.Text] of a part of at most limit bytes.
func (part *Part) TextUpTo(ctx context.Context, limit int64) (string, error) {
	return part.file.XML(ctx, "a part", limit)
}

// A Rel is a relationship of a part, or of the package.
type Rel struct {
	ID   string
	Type string // URI

	// Target is the name of a part as [Part.Name] gives it, in whatever case the
	// relationship writes it. The part may be missing. Of an external
	// relationship it is a URI, which is only returned and never fetched.
	Target   string
	External bool
}

// Kind returns the last element of the type, such as "image" or "hyperlink". It is
// the same in transitional and in strict documents.
func (r Rel) Kind() string { return path.Base(r.Type) }

// relsName returns the name of the part that lists the relationships of a part.
func relsName(part string) string {
	if part == "" {
		return rootRels
	}
	return path.Join(path.Dir(part), "_rels", path.Base(part)+".rels")
}

// Rels returns the relationships of a part in their order, or those of the package
// if the name is "". A part without relationships gives an empty list.
func (p *Package) Rels(ctx context.Context, part string) ([]Rel, error) {
	list := p.Part(relsName(part))
	if list == nil {
		return nil, nil
	}
	text, err := list.TextUpTo(ctx, maxListed)
	if err != nil {
		return nil, err
	}
	var rels []Rel
	s := xmlspan.New(text)
	for range s.Starts() {
		if s.Local == "Relationship" {
			rels = append(rels, p.rel(part, s))
		}
	}
	return rels, xmlspan.Known(s.Err())
}

// rel reads a relationship of a part from the Start at hand.
func (p *Package) rel(part string, s *xmlspan.Scanner) Rel {
	rel := Rel{ID: s.Get("", "Id"), Type: s.Get("", "Type"), Target: s.Get("", "Target"), External: s.Get("", "TargetMode") == "External"}
	if rel.External {
		return rel
	}
	target, _, _ := strings.Cut(cleanTarget(rel.Target), "#")
	if target == "" {
		rel.Target = part
		return rel
	}
	if !strings.HasPrefix(target, "/") {
		target = "/" + path.Join(path.Dir(part), target)
	}
	rel.Target = strings.TrimPrefix(path.Clean(target), "/")
	found := p.Part(rel.Target)
	if decoded, err := url.PathUnescape(rel.Target); found == nil && err == nil {
		found = p.Part(decoded)
	}
	if found != nil {
		rel.Target = found.Name
	}
	return rel
}

func cleanTarget(target string) string { return strings.ReplaceAll(target, `\`, "/") }
