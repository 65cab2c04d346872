package lookup

import (
	"context"
	"net/url"
	"path"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/lazyregexp"
	"github.com/citekit/citekit/internal/plain"
)

const (
	maxNamed  = 256 // bytes of the longest reference that Address reads
	maxSplits = 24  // how many ends of the name in a reference are tried

	maxSources     = 10_000    // maps whose sources are known by name
	maxSourceNodes = 2_000_000 // of these maps; the map that exceeds them is the last
)

var (
	fileLike   = lazyregexp.New(`[^/]\.[A-Za-z0-9]{1,8}$`) // a name or path of a file with an extension
	beforeName = lazyregexp.New(`(?i)^(?:see|cf\.|from|in|siehe|vgl\.|aus) `)
)

// A Namer finds what references in a text name in another form than an address. It
// reads the names of the sources once.
type Namer struct {
	lib     *citekit.Library
	sources map[string][]sourceNamed // by the name of the file, as fold returns it; nil before they are read
}

type sourceNamed struct {
	path    string // as fold returns it
	address citekit.Address
}

// NewNamer returns a Namer over a Library. It is not safe for concurrent use.
func NewNamer(lib *citekit.Library) *Namer { return &Namer{lib: lib} }

// Address returns the address that a reference means: a resource, "resource.node", or
// the name or path of a source, and perhaps a place in it, such as
// "manual.pdf, page 8", "talk.mp4 0:04-0:11" or "line 3 of notes (old).txt". It is
// zero if the reference names nothing in the library. A place that the source does
// not have is left out.
func (n *Namer) Address(ctx context.Context, reference string) citekit.Address {
	reference = bare(reference)
	if m := beforeName.FindStringSubmatch(reference); m != nil {
		reference = bare(reference[len(m[0]):])
	}
	if reference == "" || len(reference) > maxNamed || strings.Contains(reference, "://") {
		return citekit.Address{}
	}
	if a := n.named(ctx, reference); a.Resource != "" {
		return a
	}
	for i, splits := len(reference)-1, 0; i > 0 && splits < maxSplits; i-- { // the longest name first
		if strings.IndexByte(",;: ", reference[i]) < 0 {
			continue
		}
		splits++
		place := readPlace(reference[i+1:])
		if reference[i] == ' ' && place.isZero() {
			continue
		}
		if a := n.named(ctx, bare(reference[:i])); a.Resource != "" {
			return n.placed(ctx, a, place)
		}
	}
	for _, between := range []string{" in ", " of ", " von ", " aus ", ", "} {
		before, name, ok := strings.Cut(reference, between)
		if place := readPlace(before); ok && !place.isZero() {
			if a := n.named(ctx, bare(name)); a.Resource != "" {
				return n.placed(ctx, a, place)
			}
		}
	}
	return citekit.Address{}
}

// bare returns a text without the marks of emphasis, code and quotation around it.
func bare(text string) string {
	return strings.TrimSpace(strings.Trim(strings.TrimSpace(text), "`*_\"'“”„«»<>"))
}

// named returns the address of a resource, a node or a source, or zero. A fragment
// may follow, but "#" may also be in the name of a file.
func (n *Namer) named(ctx context.Context, name string) citekit.Address {
	unescaped, err := url.PathUnescape(name)
	if err != nil {
		unescaped = name
	}
	for _, name := range []string{name, unescaped} {
		if a := n.source(ctx, name); a.Resource != "" {
			return a
		}
		if i := strings.LastIndexByte(name, '#'); i >= 0 {
			if a := n.source(ctx, name[:i]); a.Resource != "" {
				return withFragment(a, name[i+1:])
			}
		}
	}
	return citekit.Address{}
}

// source returns the address of a resource, a node, or a source by its name or path.
func (n *Namer) source(ctx context.Context, name string) citekit.Address {
	for resource, node := range readings(name) {
		if !hasMap(ctx, n.lib, resource) {
			continue
		}
		if p, err := nodePart(ctx, n.lib, resource, node); err == nil {
			return p.Address
		}
	}
	name = strings.TrimPrefix(strings.ReplaceAll(name, `\`, "/"), "./")
	if !fileLike.MatchString(name) {
		return citekit.Address{}
	}
	base, folded := path.Base(name), fold(name)
	if base == name {
		for _, resource := range []string{plain.SlugForFile(base), plain.FileSlug(base)} {
			if !hasMap(ctx, n.lib, resource) {
				continue
			}
			if m, err := n.lib.Map(ctx, resource); err == nil && fold(path.Base(m.SourcePath)) == folded {
				return m.Address(nil)
			}
		}
	}
	var found citekit.Address
	best := otherName
	for _, s := range n.byName(ctx)[path.Base(folded)] {
		if fit := fitOf(s.path, folded); fit > best {
			best, found = fit, s.address
		}
	}
	return found
}

// byName returns the sources by the names of their files.
func (n *Namer) byName(ctx context.Context) map[string][]sourceNamed {
	if n.sources == nil {
		n.sources = make(map[string][]sourceNamed)
		for m := range maps(ctx, n.lib, maxSources, maxSourceNodes) {
			if m.SourcePath == "" {
				continue
			}
			p := fold(strings.ReplaceAll(m.SourcePath, `\`, "/"))
			n.sources[path.Base(p)] = append(n.sources[path.Base(p)], sourceNamed{p, m.Address(nil)})
		}
	}
	return n.sources
}

// fold returns a name in the form in which names are compared.
func fold(name string) string { return strings.ToLower(plain.NFC(name)) }

// withFragment returns an address with the place that a fragment gives, if it is
// one.
func withFragment(a citekit.Address, fragment string) citekit.Address {
	if fragment == "" {
		return a
	}
	if at, err := citekit.ParseAddress(a.String() + "#" + standard(fragment)); err == nil {
		return at
	}
	return a
}

// standard returns a fragment in the form of addresses, if it is one of links.
func standard(fragment string) string {
	if page, ok := strings.CutPrefix(fragment, "page="); ok { // as in links to PDF files (RFC 8118, section 3)
		return "pages=" + page
	}
	if strings.HasPrefix(fragment, "t=") { // as in links to media
		return strings.Replace(fragment, ",", "-", 1)
	}
	return fragment
}
