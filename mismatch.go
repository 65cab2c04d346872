package citekit

import (
	"context"
	"errors"
	"path/filepath"

	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/plain"
	"github.com/citekit/citekit/internal/sniff"
)

// Mismatch returns the error for an address with the wrong scheme: its resource
// has the modality actual. The error matches [errors.ErrUnsupported] and names
// the right address.
func (a Address) Mismatch(actual Modality) error {
	whole := Address{Resource: a.Resource, Location: Location{Modality: actual}}
	name := a.Resource
	if member := a.Location.Member; member != "" {
		name = "member '" + message.Clip(member) + "'"
	}
	return mismatch(name, actual, whole.String()+a.fragmentIn(actual))
}

// mismatch returns the error for a resource or a file of another modality, and
// what to use instead.
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

// servesAs reports whether a source of one modality may be cited as another:
// the sound of a video as audio.
func (m Modality) servesAs(other Modality) bool {
	return m == other || m == Video && other == Audio
}

// checkScheme returns an error if an address cannot be one of a map: it has
// another modality than the map and all its nodes.
func (m *indexedMap) checkScheme(a Address) error {
	asked := a.Location.Modality
	if a.Location.Member != "" {
		if is := m.ModalityOf(Location{Member: a.Location.Member}); is != "" && asked != "" && !is.servesAs(asked) && asked.builtIn() {
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

// checkVirtual returns an error if the source of a map cannot be what an
// address takes it for. The type in the map is trusted.
func (l *Library) checkVirtual(ctx context.Context, t target) error {
	asked := t.address.Location.Modality
	switch {
	case t.address.Location.Member != "" && t.m != nil:
		return l.checkVirtualMember(ctx, t)
	case t.m == nil || t.m.Type.servesAs(asked):
		return nil
	case !asked.builtIn() || t.m.Type.isOwn():
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

// checkVirtualMember is checkVirtual for what is in a member. A member that is a
// node is not opened.
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

// misread returns an error if a file has a format that nothing reads, or is not
// of the modality of its target. Unless only the address is wanted, the resolver
// decides about text, as it knows more of what is not text.
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

// detectFile tells the modality of a file, and its format if a signature
// tells it.
func (l *Library) detectFile(ctx context.Context, path string) (Modality, sniff.Format, error) {
	src, err := l.OpenSource(ctx, path)
	if err != nil {
		return "", sniff.Format{}, err
	}
	defer src.Close()
	return l.detect(ctx, src)
}
