package citekit

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/citekit/citekit/internal/ctxio"
	"github.com/citekit/citekit/internal/localfile"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/sniff"
)

// A MemberOpener is a [Resolver] whose sources contain other sources, called
// members: the files of an archive, the attachments of a mail. The [Library]
// calls it to open the member of a location, detects the modality of the
// member, and passes the rest of the location to the resolver of that modality.
// So no resolver gets a location with a Member.
type MemberOpener interface {
	// OpenMember opens the member that is stored in src under a name. The name
	// has passed [Location.Validate] and has no [MemberSeparator]. The returned
	// Source has the decoded bytes of the member and knows their size. It may
	// read src, which stays open until the member is closed. Its Name is the
	// last element of the name in src, as a hint of the format. The Library
	// gives it an identity.
	//
	// Errors match [ErrRange] if there is no such member, naming those that
	// look like it, [errors.ErrUnsupported] if src is of a format without
	// members or the member is not a file but, say, a link, [ErrEncrypted],
	// [ErrFormat] if src is damaged, [ErrTooLarge] if the member is larger
	// than it says or than a limit, and ctx.Err() once ctx is done.
	OpenMember(ctx context.Context, src *Source, name string) (*Source, error)
}

// OpenMember opens the member that an address selects in src, whose modality is
// container. It returns the member, which the caller closes before src, and the
// location in the member, whose modality is that of the address, or of the
// member if the address has none. Do not call OpenMember within
// [Library.WithSlot].
//
// If the address has no member, the error matches [ErrSyntax]. If the member has
// another modality than the address, the error matches [errors.ErrUnsupported]
// and names the right address. Other errors are those of [MemberOpener].
func (l *Library) OpenMember(ctx context.Context, src *Source, container Modality, a Address) (member *Source, in Location, err error) {
	if in = a.Location; in.Member == "" {
		return nil, in, syntaxError("no member is named")
	}
	if err := in.checkMember(); err != nil {
		return nil, in, err
	}
	is := container
	for outer := src; in.Member != ""; outer = member {
		var name string
		name, in = in.cutMember()
		if member, err = l.openNamed(ctx, outer, is, name); err != nil {
			if outer != src {
				outer.Close()
			}
			return nil, a.Location, err
		}
		if outer != src {
			member.under = append(member.under, outer)
		}
		if is, err = l.memberModality(ctx, member); err != nil {
			member.Close()
			return nil, a.Location, err
		}
	}
	if in.Modality == "" {
		in.Modality = is
	}
	if in.Modality.builtIn() && !is.servesAs(in.Modality) {
		member.Close()
		return nil, a.Location, a.Mismatch(is)
	}
	return member, in, nil
}

// openNamed opens a member of a source that is of a modality.
func (l *Library) openNamed(ctx context.Context, src *Source, is Modality, name string) (member *Source, err error) {
	resolver, err := l.Resolver(is)
	if err != nil {
		return nil, err
	}
	opener, ok := resolver.(MemberOpener)
	if !ok {
		return nil, fmt.Errorf("members of %s source: %w", message.Article(is), errors.ErrUnsupported)
	}
	err = l.WithSlot(ctx, is, func(ctx context.Context) error {
		member, err = opener.OpenMember(ctx, src, name)
		return err
	})
	if err != nil {
		return nil, localfile.WithoutPath(err)
	}
	member.within(src, l.resolvers.Version(is), name)
	return member, nil
}

// memberModality tells what a member is, as [Library.Detect] does.
func (l *Library) memberModality(ctx context.Context, member *Source) (Modality, error) {
	is, format, err := l.detect(ctx, member)
	if err != nil {
		return "", err
	}
	return is, sniff.Refusal(format, member.Name())
}

// within makes s, which was just opened, the member of container that has a
// name. Its identity is that of the container, and of what opened it.
func (s *Source) within(container *Source, opener, name string) {
	if s.info.Name == "" {
		s.info.Name = path.Base(name)
	}
	s.info.Identity, s.hash = "", ""
	if version := container.Version(); version != "" {
		s.info.Identity = ctxio.HashParts("member", opener, version, name)
	}
	s.info.HashFunc = nil
	s.info.Stat = func() (string, error) { return s.info.Identity, container.CheckUnchanged() }
}

// openerVersions names all that decides what the bytes of a member are.
func (r Resolvers) openerVersions() string {
	var versions []string
	for _, modality := range slices.Sorted(maps.Keys(r)) {
		if _, ok := r[modality].(MemberOpener); ok {
			versions = append(versions, r.Version(modality))
		}
	}
	return strings.Join(versions, ",")
}

// A part is what a target selects of its source, open: the source or a member
// of it, and the location in that.
type part struct {
	src    *Source
	loc    Location
	member string
}

// openPart opens the part of a source that a target selects. The caller closes
// the part, and the source.
func (l *Library) openPart(ctx context.Context, t target, src *Source) (part, error) {
	loc := t.address.Location
	if loc.Member == "" {
		return part{src: src, loc: loc}, nil
	}
	is, err := l.containerOf(ctx, t, src)
	if err != nil {
		return part{}, err
	}
	p := part{member: loc.Member}
	p.src, p.loc, err = l.OpenMember(ctx, src, is, t.address)
	return p, err
}

// containerOf returns the modality of the source of a target that names a member.
func (l *Library) containerOf(ctx context.Context, t target, src *Source) (Modality, error) {
	if t.m != nil && t.m.modality() != "" {
		return t.m.modality(), nil
	}
	return l.Detect(ctx, src)
}

// close closes the member.
func (p part) close() {
	if p.member != "" {
		p.src.Close()
	}
}

// located returns a location in the part as one of the source.
func (p part) located(loc Location) Location {
	if p.member == "" {
		return loc
	}
	return loc.In(joinMember(p.member, loc.Member))
}

// joinMember returns the name of a member of a member.
func joinMember(container, name string) string {
	if name == "" {
		return container
	}
	return container + MemberSeparator + name
}

// fillMember sets the modality of an address that is in a member and has none:
// that of a node which is the member, else the member is looked at.
func (l *Library) fillMember(ctx context.Context, t *target) error {
	if err := checkName("member", t.address.Location.Member); err != nil {
		return err
	}
	loc := &t.address.Location
	if loc.Modality != "" || loc.Member == "" {
		return nil
	}
	if t.m != nil {
		if loc.Modality = t.m.ModalityOf(*loc); loc.Modality != "" {
			return nil
		}
	}
	src, err := l.OpenSource(ctx, t.path)
	if err != nil {
		return err
	}
	defer src.Close()
	p, err := l.openPart(ctx, *t, src)
	if err != nil {
		return err
	}
	defer p.close()
	loc.Modality = p.loc.Modality
	return nil
}
