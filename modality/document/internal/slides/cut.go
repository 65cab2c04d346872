package slides

import (
	"context"
	"slices"
	"strings"

	"github.com/citekit/citekit/modality/document/internal/ooxml"
)

// A cutter makes a presentation of some slides of another.
type cutter struct {
	*pptx
	ctx     context.Context
	indexes []int // of the kept slides, counted from 0, ascending
	cut     *ooxml.Cut

	isSlide map[string]bool // parts of all slides
	kept    map[string]int  // the source numbers of slides, by their parts
	notesOf map[string]int  // the source numbers of slides, by the parts of their notes
	layouts map[string]bool // parts that the slides use
	masters map[string]bool
	notes   bool // whether a slide has notes

	// unnamed are relationships that their part no longer names, by part and id.
	unnamed map[string]map[string]bool
	authors map[string]bool // ids in the kept comments; nil if there are none
	edited  map[string]bool // parts that were visited, by their names
	damaged map[string]bool // parts that are not well-formed and stay as they are

	changes []string
}

// newCutter plans a cut of the slides at indexes.
func newCutter(ctx context.Context, d *pptx, indexes []int) (*cutter, error) {
	c := &cutter{
		pptx: d, ctx: ctx, indexes: indexes, cut: ooxml.NewCut(d.pkg),
		isSlide: make(map[string]bool), kept: make(map[string]int), notesOf: make(map[string]int),
		layouts: make(map[string]bool), masters: make(map[string]bool),
		unnamed: make(map[string]map[string]bool), edited: make(map[string]bool), damaged: make(map[string]bool),
	}
	c.cut.Follow = c.follows
	for _, s := range d.slides {
		c.isSlide[s.part] = s.part != ""
	}
	for _, i := range indexes {
		part, err := d.slidePart(i)
		if err != nil {
			return nil, err
		}
		if err := c.keep(part.Name, i+1); err != nil {
			return nil, err
		}
	}
	if len(c.masters) == 0 {
		if err := c.anyLayout(); err != nil {
			return nil, err
		}
	}
	return c, c.edit()
}

// keep records that a slide is kept, given its part and its number in the source.
func (c *cutter) keep(slide string, number int) error {
	if c.kept[slide] > 0 {
		return nil
	}
	c.kept[slide] = number
	notes, err := c.firstTarget(slide, "notesSlide")
	if err != nil {
		return err
	}
	if notes != "" {
		c.notesOf[notes] = number
	}
	return c.findLayout(slide)
}

// findLayout records the layout of a slide and its master.
func (c *cutter) findLayout(slide string) error {
	layout, err := c.firstTarget(slide, "slideLayout")
	if err != nil || layout == "" {
		return err
	}
	c.layouts[layout] = true
	master, err := c.firstTarget(layout, "slideMaster")
	if master != "" {
		c.masters[master] = true
	}
	return err
}

// anyLayout records the first master and its first layout, for slides without
// a layout: every presentation needs one.
func (c *cutter) anyLayout() error {
	master, err := c.firstTarget(c.pkg.Main(), "slideMaster")
	if err != nil || master == "" {
		return err
	}
	c.masters[master] = true
	layout, err := c.firstTarget(master, "slideLayout")
	c.layouts[layout] = true
	return err
}

// firstTarget returns the first part that part refers to by a relationship of a
// kind, or "".
func (c *cutter) firstTarget(part, kind string) (string, error) {
	rels, err := c.pkg.Rels(c.ctx, part)
	if err != nil {
		return "", err
	}
	for _, rel := range rels {
		if target := c.pkg.Part(rel.Target); rel.Kind() == kind && !rel.External && target != nil {
			return target.Name, nil
		}
	}
	return "", nil
}

// mainKinds are the relationships of the main part that are followed. Others are
// about the last view, printing, the handout, editing and the program that made
// the file. They are left out.
var mainKinds = []string{"slide", "slideMaster", "notesMaster", "theme", "tableStyles", "presProps", "font", "commentAuthors", "authors"}

// activeKinds are relationships to programs and to files of other formats.
var activeKinds = []string{
	"oleObject", "package", "control", "activeXControlBinary", "vbaProject", "vmlDrawing", "legacyDiagramText",
	"webextension", "webextensiontaskpanes", "attachedToolbars", "printerSettings",
}

// follows reports whether a relationship is kept.
func (c *cutter) follows(part string, rel ooxml.Rel) bool {
	if c.unnamed[part][rel.ID] {
		return false
	}
	kind, isMain := rel.Kind(), part == c.pkg.Main()
	if isMain && !slices.Contains(mainKinds, kind) {
		return false
	}
	if rel.External {
		return !slices.Contains(activeKinds, kind) || !c.isPresented(part)
	}
	there := c.pkg.Part(rel.Target)
	if there == nil {
		return false
	}
	target := there.Name
	switch kind {
	case "slideMaster":
		return c.masters[target]
	case "slideLayout":
		return c.layouts[target] || c.damaged[part]
	case "commentAuthors", "authors", "presProps":
		return (c.authors != nil || kind == "presProps") && !c.damaged[target]
	}
	switch is := c.typeOf(target); {
	case is == "slide":
		return c.kept[target] > 0
	case is == "notesSlide":
		return kind == is && c.notesOf[target] > 0
	case is == "comments":
		return kind == is && c.typeOf(part) == "slide"
	case is == "notesMaster":
		return c.notes || !isMain
	case target == c.pkg.Main(), is == "handoutMaster", is == "viewProps":
		return false
	}
	return !slices.Contains(activeKinds, kind) || kind != "vmlDrawing" && !c.isPresented(part)
}

// typeOf returns the type of a part, such as "slide" or "notesMaster". It
// returns "" for types that other documents have too.
func (c *cutter) typeOf(part string) string {
	if c.isSlide[part] {
		return "slide"
	}
	contentType := strings.TrimSuffix(c.pkg.ContentType(part), "+xml")
	for _, prefix := range []string{openType, msType} {
		if is, ok := strings.CutPrefix(contentType, prefix); ok {
			return is
		}
	}
	return ""
}

// isPresented reports whether only presentations have parts of this type. Others
// have charts too, so the workbooks behind charts are kept.
func (c *cutter) isPresented(part string) bool { return c.typeOf(part) != "" }
