package citekit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/citekit/citekit/internal/ctxio"
	"github.com/citekit/citekit/internal/localfile"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/plain"
	form "github.com/citekit/citekit/internal/selector"
	"github.com/citekit/citekit/internal/sniff"
)

// A Modality is a kind of content. Each has its own [Resolver], and its own scheme in
// addresses: the word itself, except that the scheme of a document is doc.
//
// The built-in modalities are the constants [Document], [Video], [Audio], [Image],
// [Text] and [Virtual]. A program may define others: a word of 1 to 32 characters a-z
// and 0-9 that begins with a letter and is neither "doc" nor the scheme of a URL, such
// as "http". A modality can be used only in a [Library] that has a resolver for it.
// Locations of a modality that is not built in may have any selectors except a virtual
// address; the resolver decides what they mean.
type Modality string

// The modalities that package modality has resolvers for.
const (
	Document Modality = "document" // pages, and a box on them
	Video    Modality = "video"    // time
	Audio    Modality = "audio"    // time
	Image    Modality = "image"    // a box
	Text     Modality = "text"     // lines
	Virtual  Modality = "virtual"  // an address elsewhere
)

// builtIns are the built-in modalities in the order of the documentation.
var builtIns = []Modality{Document, Video, Audio, Image, Text, Virtual}

// Valid reports whether m is a built-in modality, or a word that can name another:
// whether [Modality.Validate] returns nil.
func (m Modality) Valid() bool { return m.Validate() == nil }

// BuiltIn reports whether m is one of the built-in modalities, whose selectors are known.
func (m Modality) BuiltIn() bool { return slices.Contains(builtIns, m) }

// Validate returns an error matching [ErrSyntax] that says why m is no modality, or nil.
func (m Modality) Validate() error {
	if fault := form.WordFault(string(m)); fault != "" && !m.BuiltIn() {
		return syntaxError("%s", fault)
	}
	return nil
}

// scheme returns what the addresses of m begin with.
func (m Modality) scheme() string {
	if m == Document {
		return form.DocScheme
	}
	return string(m)
}

// modalityOfScheme returns the modality of addresses with a scheme. Errors match [ErrSyntax].
func modalityOfScheme(scheme string) (Modality, error) {
	if scheme == form.DocScheme {
		return Document, nil
	}
	if fault := form.SchemeFault(scheme); fault != "" {
		return "", syntaxError("%s", fault)
	}
	return Modality(scheme), nil
}

// Modalities lists the modalities that the Library has resolvers for: the built-in ones
// in the order of the documentation, then others by name.
func (l *Library) Modalities() []Modality {
	var all []Modality
	for _, m := range append(slices.Clone(builtIns), slices.Sorted(maps.Keys(l.resolvers))...) {
		if l.resolvers[m] != nil && !slices.Contains(all, m) {
			all = append(all, m)
		}
	}
	return all
}

// A NoResolverError reports a modality that a [Library] has no resolver for, so that it
// reads no source of that modality. It matches [errors.ErrUnsupported], but does not
// say that there is nothing to read.
type NoResolverError struct {
	Modality Modality
	Have     []Modality // as [Library.Modalities] returns them
}

// Error names the modality and those that have resolvers.
func (e *NoResolverError) Error() string {
	var words []string
	for _, m := range e.Have {
		words = append(words, string(m))
	}
	have := cmp.Or(strings.Join(words, ", "), "none")
	return fmt.Sprintf("no resolver for %s; this library has %s: %v", message.Clip(string(e.Modality)), have, errors.ErrUnsupported)
}

// Is reports whether target is [errors.ErrUnsupported].
func (e *NoResolverError) Is(target error) bool { return target == errors.ErrUnsupported }

// Resolver returns the resolver of a modality, or a [*NoResolverError].
func (l *Library) Resolver(modality Modality) (Resolver, error) {
	r := l.resolvers[modality]
	if r != nil {
		return r, nil
	}
	return nil, &NoResolverError{Modality: modality, Have: l.Modalities()}
}

// Detect returns the modality of a source. It first asks the resolvers that are a
// [Detector], in the order of the names of their modalities. If none claims the source,
// the content decides: the signature of a known format, and the tracks of a container
// of sound or picture. If the content has no known signature, the extension of the name
// decides. Any other source is [Text]; the resolver finds out whether it can be read.
func (l *Library) Detect(ctx context.Context, src *Source) (Modality, error) {
	modality, _, err := l.detect(ctx, src)
	return modality, err
}

// detect is Detect that also tells the format, if a signature tells it.
func (l *Library) detect(ctx context.Context, src *Source) (Modality, sniff.Format, error) {
	return l.resolvers.detect(src, func(modality Modality, d Detector) (own bool, err error) {
		err = l.withSlot(ctx, modality, func(ctx context.Context) (err error) {
			own, err = d.Detect(ctxio.Untimed(ctx), src)
			return err
		})
		return own, err
	})
}

// Detect is like [Library.Detect], for a resolver that reads members of its sources
// with other resolvers. It does not wait for a slot, so it may be called within
// [Library.WithSlot].
func (r Resolvers) Detect(ctx context.Context, src *Source) (Modality, error) {
	modality, _, err := r.detect(src, func(_ Modality, d Detector) (bool, error) { return d.Detect(ctx, src) })
	return modality, err
}

func (r Resolvers) detect(src *Source, claims func(Modality, Detector) (bool, error)) (Modality, sniff.Format, error) {
	for _, modality := range slices.Sorted(maps.Keys(r)) {
		if d, ok := r[modality].(Detector); ok {
			if own, err := claims(modality, d); err != nil || own {
				return modality, sniff.Format{}, localfile.WithoutPath(err)
			}
		}
	}
	kind, format, err := sniff.Classify(src, src.Size(), src.Name())
	return Modality(kind), format, localfile.WithoutPath(err)
}

// Mismatch returns the error for an address with the wrong scheme: its resource has the
// modality actual. The error matches [errors.ErrUnsupported] and names the right
// address.
func (a Address) Mismatch(actual Modality) error {
	whole := Address{Resource: a.Resource, Location: Location{Modality: actual}}
	name := a.Resource
	if member := a.Location.Member; member != "" {
		name = "member '" + message.Clip(member) + "'"
	}
	return mismatch(name, actual, whole.String()+a.fragmentIn(actual))
}

// mismatch returns the error for a resource or a file of another modality, and what to
// use instead.
func mismatch(name string, is Modality, use string) error {
	text := plain.Shorten(name, maxShown) + " is " + message.Article(is) + ": use " + plain.Shorten(use, maxShown)
	return saying{text, errors.ErrUnsupported}
}

// fragmentIn returns what follows the id in an address of another modality: the
// selector of a if that has one, else one to fill in.
func (a Address) fragmentIn(modality Modality) string {
	a.Location.Modality = modality
	if member := a.Location.Member; a.Location.Validate() != nil && member != "" {
		a.Location = Location{Modality: modality, Member: member}
	} else if a.Location.Validate() != nil {
		return selectorHint[modality]
	}
	if fragment := a.Fragment(); fragment != "" {
		return "#" + fragment
	}
	return ""
}

// selectorHint is a selector for a person to fill in behind an address.
var selectorHint = map[Modality]string{
	Document: "#pages=…", Video: "#t=…", Audio: "#t=…", Image: "#bbox=…", Text: "#lines=…",
}

// servesAs reports whether a source of one modality may be cited as another: the sound
// of a video as audio.
func (m Modality) servesAs(other Modality) bool {
	return m == other || m == Video && other == Audio
}

// checkScheme returns an error if an address cannot be one of a map: it has another
// modality than the map and all its nodes.
func (m *indexedMap) checkScheme(a Address) error {
	asked := a.Location.Modality
	if a.Location.Member != "" {
		if is := m.ModalityOf(Location{Member: a.Location.Member}); is != "" && asked != "" && !is.servesAs(asked) && asked.BuiltIn() {
			return a.Mismatch(is)
		}
		return nil // the member tells
	}
	if asked == "" || m.Type.servesAs(asked) || !m.Type.Valid() || m.Type == Virtual {
		return nil
	}
	for n := range m.All() {
		if n.Location.Modality == asked {
			return nil
		}
	}
	return a.Mismatch(m.Type)
}

// checkVirtual returns an error if the source of a map cannot be what an address takes
// it for. The type in the map is trusted.
func (l *Library) checkVirtual(ctx context.Context, t target) error {
	asked := t.address.Location.Modality
	switch {
	case t.address.Location.Member != "" && t.m != nil:
		return l.checkVirtualMember(ctx, t)
	case t.m == nil || t.m.Type.servesAs(asked):
		return nil
	case !asked.BuiltIn() || t.m.Type.Valid() && !t.m.Type.BuiltIn():
		return t.m.checkScheme(t.address)
	}
	is, _, err := l.detectFile(ctx, t.path)
	if err != nil {
		is = Modality(sniff.ByName(t.path))
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case is == "":
		return t.m.checkScheme(t.address)
	case is.servesAs(asked):
		return nil
	}
	return t.address.Mismatch(is)
}

// checkVirtualMember is checkVirtual for what is in a member. A member that is a node
// is not opened.
func (l *Library) checkVirtualMember(ctx context.Context, t target) error {
	if t.m.ModalityOf(Location{Member: t.address.Location.Member}) != "" {
		return t.m.checkScheme(t.address)
	}
	src, err := l.OpenSource(ctx, t.path)
	if err != nil {
		return nil // only the address is wanted
	}
	defer src.Close()
	p, err := l.openPart(ctx, t, src)
	if err == nil {
		p.close()
	}
	return err
}

// misread returns an error if a file has a format that nothing reads, or is not of the
// modality of its target. Unless only the address is wanted, the resolver decides about
// text, as it knows more of what is not text.
func (l *Library) misread(ctx context.Context, t target, virtual bool) error {
	is, format, err := l.detectFile(ctx, t.path)
	if err != nil {
		return nil // the resolve has said so, or will
	}
	if err := sniff.Refusal(format, t.path); err != nil {
		return err
	}
	loc, name := t.address.Location, filepath.Base(t.path)
	if loc.foreignSelector() == "" && (is.servesAs(loc.Modality) || loc.Modality == Text && !virtual) {
		return nil
	}
	return mismatch(name, is, name+t.address.fragmentIn(is))
}

// detectFile tells the modality of a file, and its format if a signature tells it.
func (l *Library) detectFile(ctx context.Context, path string) (Modality, sniff.Format, error) {
	src, err := l.OpenSource(ctx, path)
	if err != nil {
		return "", sniff.Format{}, err
	}
	defer src.Close()
	return l.detect(ctx, src)
}
