package citekit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/citekit/citekit/internal/about"
	"github.com/citekit/citekit/internal/concurrent"
	"github.com/citekit/citekit/internal/ctxio"
	"github.com/citekit/citekit/internal/localfile"
	"github.com/citekit/citekit/internal/message"
	form "github.com/citekit/citekit/internal/selector"
	"github.com/citekit/citekit/internal/sniff"
)

// An Opened is the open source of an address, for callers that need more than
// [Library.Resolve] and [Library.ReadText].
type Opened struct {
	Map    *ResourceMap // shared: do not modify it
	Source *Source      // of the version that was mapped, or a member of it; the caller closes it

	// Address is the requested address. If its modality was empty, it is filled in from
	// the resource or the member, unless that is unknown too.
	Address Address

	// Location is the requested location in Source: that of Address, without the member
	// if it has one. [Opened.Located] converts a location in Source back.
	Location Location

	part part
	hash func() string
}

// Located returns a location in the Source as a location in the resource.
func (o *Opened) Located(loc Location) Location { return o.part.located(loc) }

// SourceHash returns the SHA-256 of the source of the resource in lower-case hex, even
// if Source is a member of it. It is "" if the hash is not known yet.
func (o *Opened) SourceHash() string { return o.hash() }

// Open opens the source of an address, which may be of a part of a resource or of all
// of it. If the source is not the version that was mapped, or that the address pins,
// the error matches [ErrStale]. [Source.CheckUnchanged] reports later changes. Other
// errors are those of [Library.Map], [Address.Validate], [Library.OpenSource] and
// [Library.OpenMember]. All are wrapped in a [*ResolveError].
//
// To read the source, get the resolver of the modality of the address from
// [Library.Resolver], and call it within [Library.WithSlot].
func (l *Library) Open(ctx context.Context, a Address) (*Opened, error) {
	o, err := l.open(ctx, a)
	if err != nil {
		return nil, &ResolveError{Op: "open", Address: a, Err: err}
	}
	return o, nil
}

func (l *Library) open(ctx context.Context, a Address) (*Opened, error) {
	m, err := l.mapFor(ctx, a, false)
	if err != nil {
		return nil, err
	}
	t := target{address: a, m: m, path: m.SourcePath, declared: m.Type}
	loc := &t.address.Location
	if loc.Member == "" {
		loc.Modality = cmp.Or(loc.Modality, m.modality())
	}
	if loc.Modality != "" || !loc.IsWhole() && loc.Member == "" {
		if err := t.address.Validate(); err != nil {
			return nil, err
		}
	}
	src, _, err := l.openFresh(ctx, t, false)
	if err != nil {
		return nil, err
	}
	p, err := l.openPart(ctx, t, src)
	if err != nil {
		src.Close()
		return nil, err
	}
	if p.member != "" {
		p.src.under = append(p.src.under, src)
	}
	if loc.Modality == "" && p.member != "" {
		loc.Modality = p.loc.Modality
		if err := t.address.Validate(); err != nil {
			p.src.Close()
			return nil, err
		}
	}
	return &Opened{Map: m.ResourceMap, Source: p.src, Address: t.address, Location: p.loc, part: p, hash: src.KnownHash}, nil
}

// ReadText yields the text at a location of a resource in reading order, each run with
// its own location: the words of pages or lines, and the words spoken in recordings
// that have a transcript. An empty modality means that of the resource. ReadText stops
// after the first error, which is a [*ResolveError]. It wraps an error that
// [TextReader] names, or matches [ErrStale] if the source or its transcript has changed
// since the source was mapped, or matches [errors.ErrUnsupported] if the resolver
// cannot read text. A source without words, such as a recording without a transcript,
// yields nothing.
func (l *Library) ReadText(ctx context.Context, resourceID string, loc Location) iter.Seq2[TextRun, error] {
	return func(yield func(TextRun, error) bool) {
		a := Address{Resource: resourceID, Location: loc}
		if err := l.readText(ctx, a, yield); err != nil {
			yield(TextRun{}, &ResolveError{Op: "read", Address: a, Err: err})
		}
	}
}

// readText yields runs, and returns an error if there is one to yield.
func (l *Library) readText(ctx context.Context, a Address, yield func(TextRun, error) bool) error {
	o, err := l.open(ctx, a)
	if err != nil {
		return err
	}
	src, loc := o.Source, o.Location
	defer src.Close()
	ctxio.Fresh(ctx)
	resolver, err := l.Resolver(loc.Modality)
	if err != nil {
		return err
	}
	path, mapped := o.Map.Transcript()
	if o.part.member != "" {
		path = "" // it is of the resource
	}
	runs, transcript, err := l.textOf(ctx, path, mapped, resolver, src, loc)
	if err != nil {
		return err
	}
	if transcript != nil {
		defer transcript.Close()
	}
	for run, err := range concurrent.Seq(runs, panicked(loc.Modality)) {
		if err != nil {
			return localfile.WithoutPath(err)
		}
		run.Transcribed = transcript != nil && about.IsTranscribed(o.Map.Metadata)
		if run.Location = o.Located(run.Location); !yield(run, nil) {
			return nil
		}
	}
	if transcript != nil {
		if err := transcript.CheckUnchanged(); err != nil {
			return fmt.Errorf("the transcript: %w", err)
		}
	}
	return src.CheckUnchanged()
}

// textOf returns the text of a source, from its transcript if it has one, which had the
// hash when it was mapped and is to be closed at the end.
func (l *Library) textOf(ctx context.Context, path, mapped string, resolver Resolver, src *Source, loc Location) (runs iter.Seq2[TextRun, error], transcript *Source, err error) {
	reader, ok := resolver.(TranscriptReader)
	if path == "" || !ok {
		plain, ok := resolver.(TextReader)
		if !ok {
			return nil, nil, fmt.Errorf("the text of %s source: %w", message.Article(loc.Modality), errors.ErrUnsupported)
		}
		return plain.ReadText(ctx, src, loc), nil, nil
	}
	if transcript, err = l.OpenSource(ctx, path); err != nil {
		return nil, nil, fmt.Errorf("the transcript: %w", err)
	}
	hash, err := transcript.Hash(ctx)
	if err == nil && mapped != "" && mapped != hash {
		err = fmt.Errorf("the transcript has changed since the source was mapped; map it again: %w", ErrStale)
	}
	if err != nil {
		transcript.Close()
		return nil, nil, err
	}
	return reader.ReadTranscript(ctx, src, transcript, loc), transcript, nil
}

// OpenMember opens the member that an address selects in src, whose modality is
// container. It returns the member, which the caller closes before src, and the
// location in the member, whose modality is that of the address, or of the member if
// the address has none. Do not call OpenMember within [Library.WithSlot].
//
// If the address has no member, the error matches [ErrSyntax]. If the member has
// another modality than the address, the error matches [errors.ErrUnsupported] and
// names the right address. Other errors are those of [MemberOpener].
func (l *Library) OpenMember(ctx context.Context, src *Source, container Modality, a Address) (member *Source, in Location, err error) {
	if in = a.Location; in.Member == "" {
		return nil, in, syntaxError("no member is named")
	}
	if err := selectorNamed("member").of(&in).Check("member"); err != nil {
		return nil, in, asSyntax(err)
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
		var format sniff.Format
		if is, format, err = l.detect(ctx, member); err == nil {
			err = sniff.Refusal(format, member.Name())
		}
		if err != nil {
			member.Close()
			return nil, a.Location, err
		}
	}
	if in.Modality = cmp.Or(in.Modality, is); in.Modality.BuiltIn() && !is.servesAs(in.Modality) {
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

// within makes s, which was just opened, the member of container that has a name. Its
// identity is that of the container, and of what opened it.
func (s *Source) within(container *Source, opener, name string) {
	s.info.Name = cmp.Or(s.info.Name, path.Base(name))
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

// A part is what a target selects of its source, open: the source or a member of it,
// and the location in that.
type part struct {
	src    *Source
	loc    Location
	member string
}

// openPart opens the part of a source that a target selects. The caller closes both.
func (l *Library) openPart(ctx context.Context, t target, src *Source) (part, error) {
	loc := t.address.Location
	if loc.Member == "" {
		return part{src: src, loc: loc}, nil
	}
	var is Modality
	if t.m != nil {
		is = t.m.modality()
	}
	if is == "" {
		var err error
		if is, err = l.Detect(ctx, src); err != nil {
			return part{}, err
		}
	}
	member, in, err := l.OpenMember(ctx, src, is, t.address)
	return part{member, in, loc.Member}, err
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
	if loc.Member != "" {
		return loc.In(p.member + form.MemberSeparator + loc.Member)
	}
	return loc.In(p.member)
}

// fillMember sets the modality of an address that is in a member and has none: that of
// a node which is the member, else the member is looked at.
func (l *Library) fillMember(ctx context.Context, t *target) error {
	if err := form.Name(t.address.Location.Member).Check("member"); err != nil {
		return asSyntax(err)
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
	if err == nil {
		loc.Modality = p.loc.Modality
		p.close()
	}
	return err
}
