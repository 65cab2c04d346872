package pdf

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/modality/document/internal/pdf/internal/pdf"
	"github.com/citekit/citekit/modality/document/internal/pdf/internal/pdfium"
	"github.com/citekit/citekit/modality/internal/docfile"
)

var _ citekit.Mapper = (*Resolver)(nil)

const (
	textSamples = 8 // pages that are checked for text before the others

	maxTextSearch = 10_000 // pages that are checked
)

// Map implements [citekit.Mapper]. Sections come from the outline of the
// document, or else from the headings found in its text; otherwise they are
// runs of pages titled by their first line. The method is "outline", "headings"
// or "pages". An outline entry that does not lead to a page of the document has
// the pages of its children, or else those of its parent, or else all pages.
//
// A section begins on the page of its outline entry or heading, and ends where
// the next section of its level or above begins: on the page before, or on the
// same page if other text stands above that beginning. Sections cover their
// children, except children that an outline puts on earlier pages than their
// parent.
//
// The title is the one in the document's metadata, or else the largest text of
// the first page if nothing later is as large, or if that is a title page or has
// an abstract; or else the text that most runs of pages begin with.
//
// Tables, and figures with a caption, in documents of at most MaxFigurePages
// pages, are children of the innermost section on their page. A table whose
// cells are known is located by its number on the page; its title is its
// caption or its first row. Other boxes enclose the caption and the drawing
// beside it, if that can be found; otherwise there is only the page.
//
// The metadata are "pages", their number; "text_layer", whether pages of the
// document have any text, false for a scan; "text_state", the pages whose text
// is not full, by state, such as {"none": "1-3,7"}; "ocr_pages", those whose text was
// recognised in a picture by whoever made the file, such as "1-3,7"; "author" and "language" from the
// document; and "page_labels", if the labels of pages differ from their
// numbers. These are a list of at most 1000 objects. Each object describes the
// labels of the pages from "page" on: the "label" of that page, and "style"
// ("D" for 1, "R" for I, "r" for i, "A" for A, "a" for a), "prefix" and
// "start", unless they are none, "" and 1. The list "incomplete" names the
// parts that reached a limit, so that the document may have more of them:
// "outline", "page_labels", "headings", "figures", "tables" and "text_state"; "page_tables" are
// the first 1000 tables with cells, as objects with the place "at", its "extent" in
// A1 notation, the "evidence" and the "confidence", "headers" and what it
// "continues". If the headings are
// incomplete, the nodes are runs of pages. "damage" says why the file could only be read
// by repairing it, so that pages may be missing.
func (r *Resolver) Map(ctx context.Context, src *citekit.Source, req citekit.MapRequest) (*citekit.Draft, error) {
	r.init()
	if err := docfile.CheckMap(ctx, req, citekit.Document, "a document"); err != nil {
		return nil, err
	}
	if src.Size() == 0 {
		return nil, fmt.Errorf("empty; %w", citekit.ErrEmpty)
	}
	j, end, err := r.start(ctx, src, 0)
	if err != nil {
		return nil, err
	}
	defer end()
	facts, err := j.facts(ctx)
	if err != nil {
		return nil, known(ctx, err)
	}
	m := &mapper{job: j, facts: facts, progress: req.Progress}
	structure, err := m.structure(ctx)
	return structure, known(ctx, err)
}

// facts are the data in the structure of a document, without the content of its
// pages.
type facts struct {
	pages   int
	outline []entry // nil if it is missing or too large
	labels  []pdf.LabelRange
	info    pdf.Info
	text    presence    // whether pages show text, for documents not read in full
	drawn   []drawnPage // what pages draw, of all pages or of the first
	cut     []any       // names of incomplete parts, as in the metadata
}

// A presence says whether something is present.
type presence int

const (
	unknown presence = iota
	absent
	present
)

// facts reads the facts of a document. If the outline is damaged, the file is
// repaired; if that does not help, the readable part of the outline is used.
func (j *job) facts(ctx context.Context) (*facts, error) {
	var found *facts
	read := func(lenient bool) error {
		return j.withDocument(ctx, func(doc *openDocument, f *pdf.File, _ io.ReaderAt) (err error) {
			found, err = j.readFacts(doc.structure, f, lenient)
			return err
		})
	}
	err := read(false)
	if err != nil && ctx.Err() == nil && (isDamage(err) || errors.Is(err, errNotRepaired)) {
		err = read(true)
	}
	return found, err
}

func (r *Resolver) readFacts(d *pdf.Document, f *pdf.File, lenient bool) (*facts, error) {
	found := &facts{pages: len(d.Pages)}
	items, err := d.Outline(f, lenient)
	if errors.Is(err, pdf.ErrLimit) {
		found.cut, err = append(found.cut, "outline"), nil
	}
	if err == nil {
		found.outline, err = entriesOf(d, f, items, lenient)
	}
	if err != nil {
		return nil, err
	}
	found.labels, err = d.Labels(f)
	if errors.Is(err, pdf.ErrLimit) {
		found.cut = append(found.cut, "page_labels")
	} else if err != nil && !errors.Is(err, pdf.ErrDamaged) {
		return nil, err
	}
	if found.info, err = d.Info(f); err != nil {
		return nil, err
	}
	if found.pages > r.figurePages() {
		if found.text, err = findText(d, f); err != nil {
			return nil, err
		}
	}
	found.drawn, err = drawnPages(d, f, found.pages > r.figurePages())
	return found, err
}

// A drawnPage is what a page draws, if that is known.
type drawnPage struct {
	pdf.Drawn
	known bool
	plain bool // only that it has text by its fonts, and no pictures, is known
}

// drawnPages examines what pages draw, within a part of the budget of a job. Many are
// examined in short: a picture within the content of a page with fonts is not seen.
func drawnPages(d *pdf.Document, f *pdf.File, many bool) (drawn []drawnPage, err error) {
	err = f.Within(4, func() error {
		search := pdf.NewDrawnSearch(f, d)
		for i := range min(len(d.Pages), maxTextSearch) {
			var page drawnPage
			if many {
				page.plain, err = search.IsPlain(i)
			}
			if err == nil && !page.plain {
				page.Drawn, page.known, err = search.OnPage(i)
			}
			if err != nil || f.Exhausted() {
				return err
			}
			drawn = append(drawn, page)
		}
		return nil
	})
	return drawn, err
}

// findText checks the pages of a document for text until it finds some, first
// on pages spread over the document. It uses only a part of the budget of a
// job, because titles need the pages too.
func findText(d *pdf.Document, f *pdf.File) (answer presence, err error) {
	err = f.Within(4, func() error {
		answer, err = searchText(d, f)
		return err
	})
	return answer, err
}

func searchText(d *pdf.Document, f *pdf.File) (presence, error) {
	total := len(d.Pages)
	answer := absent
	search := pdf.NewTextSearch(f, d)
	for i := range textSamples + total {
		if i > maxTextSearch || f.Exhausted() {
			return unknown, nil
		}
		index := i - textSamples
		if index < 0 {
			index = i * total / textSamples
		}
		shows, known, err := search.OnPage(index)
		switch {
		case err != nil:
			return unknown, err
		case shows:
			return present, nil
		case !known:
			answer = unknown
		}
	}
	return answer, nil
}

func (r *Resolver) figurePages() int {
	return int(docfile.Bound(int64(r.MaxFigurePages), 200))
}

func (r *Resolver) headingPages() int {
	return int(docfile.Bound(int64(r.MaxHeadingPages), 500))
}

// A mapper is the making of one structure.
type mapper struct {
	job      *job
	facts    *facts
	progress func(float64)
	pages    []page      // layouts, of all pages or none
	tables   []tablePage // of the same pages
	unread   bool        // a limit left some of pages unread
	repeated string      // title of most runs of pages
	text     presence    // on some pages, if not all were read
}

func (m *mapper) structure(ctx context.Context) (*citekit.Draft, error) {
	sections, method, err := m.sections(ctx)
	if err != nil {
		return nil, err
	}
	nodes := m.nodes(sections)
	body := bodyOf(m.pages)
	if method == "outline" || method == "headings" {
		summarize(sections, m.pages, body)
	}
	if m.facts.pages <= m.job.figurePages() {
		if err := m.findTables(ctx); err != nil {
			return nil, err
		}
		addFigures(&nodes, sections, m.pages, m.tables, body)
	}
	title, err := m.title(ctx)
	if err != nil {
		return nil, err
	}
	return &citekit.Draft{
		Title:    title,
		Nodes:    nodes,
		Method:   method,
		Metadata: m.metadata(),
	}, nil
}

// findTables finds the tables of all pages.
func (m *mapper) findTables(ctx context.Context) error {
	m.job.pdfium.Set(layoutWork)
	m.job.pdfium.Grant(pdfium.Work(m.facts.pages) * pageWork)
	found, err := m.job.tablesOn(ctx, firstIndexes(m.facts.pages))
	if err != nil {
		return err
	}
	m.tables = locatedTables(found)
	if m.job.isExhausted() {
		m.facts.cut = append(m.facts.cut, "tables")
		return nil
	}
	m.job.keepTables(ctx, m.tables)
	return nil
}

// sections finds the sections of a document, and returns the method.
func (m *mapper) sections(ctx context.Context) ([]*section, string, error) {
	j, pages := m.job, m.facts.pages
	entries := coarse(m.facts.outline)
	if len(entries) < len(m.facts.outline) && !slices.Contains(m.facts.cut, any("outline")) {
		m.facts.cut = append(m.facts.cut, "outline")
	}
	inFull := pages <= j.figurePages() || entries == nil && pages <= j.headingPages()
	if inFull {
		var err error
		j.pdfium.Set(layoutWork)
		if m.pages, err = j.layouts(ctx, firstIndexes(pages), m.progress); err != nil {
			return nil, "", err
		}
		m.noteUnread(entries)
	}
	if entries != nil {
		placeEntries(entries, m.pages)
		return arrange(entries, pages), "outline", nil
	}
	if !m.unread {
		if headings := coarse(findHeadings(m.pages)); headings != nil {
			return arrange(headings, pages), "headings", nil
		}
	}
	runs, err := m.runs(ctx)
	return runs, "pages", err
}

// noteUnread notes the parts that are unknown because a limit left pages
// unread: figures, and headings if there are no entries for sections.
func (m *mapper) noteUnread(entries []entry) {
	if m.unread = m.job.short; !m.unread {
		return
	}
	if m.facts.pages <= m.job.figurePages() {
		m.facts.cut = append(m.facts.cut, "figures")
	}
	if entries == nil {
		m.facts.cut = append(m.facts.cut, "headings")
	}
}
