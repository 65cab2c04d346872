package slides

import (
	"cmp"
	"context"
	"sync"

	"github.com/citekit/citekit/modality/document/internal/ooxml"
	"github.com/citekit/citekit/modality/document/internal/xmlspan"
	"github.com/citekit/citekit/modality/internal/htmlblocks"
)

// A look is what properties of text say of it, as they are written; "" for what they
// leave open.
type look struct{ strike, baseline string }

func readLook(s *xmlspan.Scanner) look { return look{s.Get("", "strike"), s.Get("", "baseline")} }

func (l look) or(other look) look {
	return look{cmp.Or(l.strike, other.strike), cmp.Or(l.baseline, other.baseline)}
}

func (l look) struck() bool { return l.strike != "" && l.strike != "noStrike" }

func (l look) script() htmlblocks.Script { return scriptOf(l.baseline) }

// levels are the looks of the levels of a list of paragraphs.
type levels [9]look

// readLevels reads the style of a list whose Start is the current token.
func readLevels(s *xmlspan.Scanner) *levels {
	all := new(levels)
	level := -1
	descend(s, func() {
		if name := s.Local; len(name) == len("lvl1pPr") && name[:3] == "lvl" && name[4:] == "pPr" {
			level = int(name[3]) - '1'
		}
		if s.Is("a", "defRPr") && level >= 0 && level < len(all) {
			all[level] = readLook(s)
		}
	})
	return all
}

// A place is a placeholder of a layout or a master.
type place struct {
	kind, index string
	levels      *levels
}

// looks are what a layout or a master says of the text of slides.
type looks struct {
	places []place
	styles map[string]*levels // of a master, such as "titleStyle"
	master *looks             // of a layout, or nil
}

// maxLook is the largest number of bytes of a layout or a master whose looks are read.
const maxLook = 8 << 20

// A lookTable are the looks of parts that were read, by their names.
type lookTable struct {
	mu   sync.Mutex
	read map[string]*looks
}

// of returns the looks of a layout or a master. What cannot be read has none. It fails
// only with ctx.Err().
func (t *lookTable) of(ctx context.Context, pkg *ooxml.Package, part *ooxml.Part) (*looks, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.find(ctx, pkg, part, true)
}

func (t *lookTable) find(ctx context.Context, pkg *ooxml.Package, part *ooxml.Part, isLayout bool) (*looks, error) {
	if known := t.read[part.Name]; known != nil {
		return known, nil
	}
	l := &looks{styles: make(map[string]*levels)}
	if text, err := part.TextUpTo(ctx, maxLook); err == nil {
		l.readPart(scan(text))
	}
	if rels, err := pkg.Rels(ctx, part.Name); err == nil && isLayout {
		p := page{reader: &reader{pkg: pkg}, rels: rels}
		if master := p.related("slideMaster"); master != nil {
			if l.master, err = t.find(ctx, pkg, master, false); err != nil {
				return nil, err
			}
		}
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if t.read == nil {
		t.read = make(map[string]*looks)
	}
	t.read[part.Name] = l
	return l, nil
}

func (l *looks) readPart(s *xmlspan.Scanner) {
	for range s.Starts() {
		switch {
		case s.Is("p", "sp"):
			var at place
			isPlace := false
			descend(s, func() {
				switch {
				case s.Is("p", "ph"):
					at.kind, at.index, isPlace = cmp.Or(s.Get("", "type"), "obj"), cmp.Or(s.Get("", "idx"), "0"), true
				case s.Is("a", "lstStyle"):
					at.levels = readLevels(s)
				}
			})
			if isPlace {
				l.places = append(l.places, at)
			}
		case s.Is("p", "titleStyle"), s.Is("p", "bodyStyle"), s.Is("p", "otherStyle"):
			l.styles[s.Local] = readLevels(s)
		}
	}
}

// find returns the placeholder of a layout for one of a slide: that of its index, or of
// its kind.
func (l *looks) find(kind, index string) place {
	var found place
	best := 0
	for _, at := range l.places {
		fit := 0
		if at.index == index {
			fit = 2
		}
		if masterKind(at.kind) == masterKind(kind) {
			fit++
		}
		if fit > best {
			found, best = at, fit
		}
	}
	return found
}

// masterKind returns the kind of the placeholder of a master for one of a kind.
func masterKind(kind string) string {
	switch kind {
	case "title", "ctrTitle":
		return "title"
	case "dt", "ftr", "hdr", "sldNum", "sldImg":
		return kind
	}
	return "body"
}

// layers returns the looks that text in a shape takes, those first that precede. kind
// and index are those of a placeholder; kind is "" for other shapes.
func (l *looks) layers(kind, index string) []*levels {
	if l == nil {
		return nil
	}
	var all []*levels
	style := "otherStyle"
	master := l.master
	if kind != "" {
		at := l.find(kind, index)
		all = append(all, at.levels)
		kind = masterKind(cmp.Or(at.kind, kind))
		switch kind {
		case "title", "body":
			style = kind + "Style"
		}
		if master != nil {
			for _, at := range master.places {
				if masterKind(at.kind) == kind {
					all = append(all, at.levels)
					break
				}
			}
		}
	}
	if master != nil {
		all = append(all, master.styles[style])
	}
	return all
}
