package search

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/concurrent"
	"github.com/citekit/citekit/search/internal/index"
	"github.com/citekit/citekit/textlayer"
)

// A searchCall is one search. It holds the open resources of its hits.
type searchCall struct {
	*Searcher
	index     index.Index // in place of the Searcher's
	req       Request
	resources map[string]*foundResource
	ahead     map[string]*foundResource // that were opened ahead, and are not in resources yet
	out       []string                  // resources whose entries are outdated
	leftOut   leftOut
	places    map[*citekit.ResourceMap]map[string]*place // by the ids of nodes
	inexact   int                                        // hits that have only the stems of a phrase
	merged    int                                        // hits that are no results, as a better one has their text or address
	mixed     bool                                       // the index may be of other versions than the maps
}

// errMixed is the error of a hit whose entry is not of the present version of its map,
// as another process has changed the index since it was brought up to date. It says
// nothing about the source.
var errMixed = errors.New("the index has another version of the text")

// maxMixed is how often a search is repeated because another process changed the
// index.
const maxMixed = 2

// A foundResource is a resource that has a hit.
type foundResource struct {
	m     *citekit.ResourceMap
	nodes map[string]*place
	layer *textlayer.Layer // nil if it has no text
	err   error            // why it is not shown
	mixed bool             // see searchCall
}

// A candidate is a hit with its shown text.
type candidate struct {
	result  *Result
	text    string
	goesOn  bool // there is text after it
	byStart bool // it is a node without a passage of its own
	marks   []mark
	hit     *index.Hit
}

// search returns the hits of an index, and the candidates to show.
func (s *Searcher) search(ctx context.Context, req Request, in index.Index) (*Results, []candidate, error) {
	f := &searchCall{Searcher: s, index: in, req: req, resources: make(map[string]*foundResource), ahead: make(map[string]*foundResource), leftOut: make(leftOut)}
	defer f.close()
	repeated := 0
	for k := req.hitsFor(); ; k = min(mostHits, 4*k) {
		answer, err := f.index.Search(ctx, index.Query{Text: req.Query, Syntax: req.Syntax, Filters: req.Filters, TopK: k, Explain: req.Rationale})
		if err != nil {
			return nil, nil, err
		}
		f.inexact, f.merged = 0, 0
		f.openAhead(ctx, answer.Hits)
		shown, groups, complete := f.show(ctx, answer.Hits)
		if err := ctx.Err(); err != nil && len(shown) == 0 {
			return nil, nil, err
		}
		f.mixed = f.mixed || f.indexChanged(ctx)
		if repeated < maxMixed && f.mixed && ctx.Err() == nil {
			repeated++
			f.begin(ctx)
			k = (k + 3) / 4 // as many hits again
			continue
		}
		all := len(answer.Hits) < k || k == mostHits
		if len(shown) < req.TopK && !all && complete {
			continue
		}
		if len(shown) < req.TopK && f.forget(ctx) {
			continue // outdated hits no longer displace others
		}
		exactFirst(req, shown)
		results := &Results{Total: groups, Exact: answer.Exact && len(answer.Hits) == answer.Total, Complete: complete && !f.mixed}
		f.count(results, answer, len(shown), len(answer.Hits) < k && complete)
		if f.mixed {
			results.Hint = "another process changes the index, such as one with other flags; ask again"
		}
		out, unsure := f.unsearched(ctx, len(shown) < req.TopK, len(shown) == 0)
		results.setLeftOut(out)
		results.unsure = unsure
		shown = f.onRows(ctx, answer.Weights, shown)
		if req.Boxes {
			var all bool
			if shown, all = f.withBoxes(ctx, shown); !all {
				results.unsure = cmp.Or(results.unsure, "there was no time to find all boxes on pages; ask again")
			}
		}
		return results, shown, nil
	}
}

// count corrects the total of results by what is known of the hits: some were no results,
// and of those not looked at it is not known. All were if all is set.
func (f *searchCall) count(results *Results, answer *index.Result, shown int, all bool) {
	if f.req.By == ByPassages && len(f.leftOut) == 0 {
		results.Total, results.Exact = answer.Total, answer.Exact
	}
	if f.inexact > 0 && f.req.By == ByPassages {
		results.Total = max(shown, results.Total-f.inexact)
	}
	if len(f.req.phrases) > 0 && len(answer.Hits) > shown+f.inexact {
		// The other hits may lack the words, unless all were looked at.
		results.Total, results.Exact = shown+f.merged, shown < f.req.TopK && all
	}
	results.Total = max(shown, results.Total-f.merged)
}

// begin brings the index up to date and forgets what was found before.
func (f *searchCall) begin(ctx context.Context) {
	f.close()
	clear(f.resources)
	clear(f.ahead)
	clear(f.leftOut)
	f.out, f.mixed = nil, false
	f.checkAgain()
	_ = f.catchUp(ctx) // if it fails, the hits stay of another version
}

func (f *searchCall) close() {
	for _, all := range []map[string]*foundResource{f.resources, f.ahead} {
		for _, r := range all {
			if r.layer != nil {
				r.layer.Close()
			}
		}
	}
}

// forget removes resources with outdated entries from the index, and reports
// whether it did. An index that cannot be written can still be searched.
func (f *searchCall) forget(ctx context.Context) bool {
	out := f.out
	f.out = nil
	return len(out) > 0 && f.index.Delete(ctx, out...) == nil
}

// show returns the best hits as results, and the number of distinct passages,
// nodes or resources among the hits. It is incomplete if the time was over
// before the end.
func (f *searchCall) show(ctx context.Context, hits []index.Hit) (shown []candidate, groups int, complete bool) {
	seen := make(map[string]bool)
	addresses := make(map[string]bool)
	texts := make(map[string]*Result) // by their letters
	beyond := 0
	if f.req.By == ByPassages && !f.req.SameAddress {
		beyond = beyondShown
	}
	for i := range hits {
		h := &hits[i]
		if r := f.resources[h.Resource]; r != nil && r.err != nil {
			continue
		}
		group := cmp.Or(f.req.group(h), strconv.Itoa(i))
		if seen[group] {
			continue
		}
		full := len(shown) == f.req.TopK
		if full {
			beyond--
		}
		if !full || beyond >= 0 {
			c, err := f.candidate(ctx, h)
			if ctx.Err() != nil {
				return shown, len(seen), false
			}
			if errors.Is(err, errNotWords) {
				f.inexact++
				continue
			}
			if err != nil && !full {
				if !errors.Is(err, errMixed) {
					f.leftOut.add(h.Resource, isChanged(err))
				}
				continue
			}
			if err == nil && !f.merge(c, shown, addresses, texts) && !full {
				shown = append(shown, c)
			}
		}
		seen[group] = true
	}
	return shown, len(seen), true
}

// merge reports whether a better candidate has the text or the address of c, or shows most
// of what it shows, and else notes those of c.
func (f *searchCall) merge(c candidate, better []candidate, addresses map[string]bool, texts map[string]*Result) bool {
	letters, address := f.lettersOf(c), c.result.Address.String()
	first := texts[letters]
	switch {
	case letters != "" && first != nil:
		if first.CopyCount++; len(first.Copies) < MaxCopies {
			first.Copies = append(first.Copies, c.result.Address)
		}
	case f.req.SameAddress || (f.req.Boxes || !addresses[address]) && (f.req.By != ByPassages || !slices.ContainsFunc(better, c.isMostlyIn)):
		addresses[address], texts[letters] = true, c.result
		return false
	}
	f.merged++
	return true
}

// isMostlyIn reports whether c is a node shown by the start of its text, of which another
// candidate shows at least half, as the first section of a chapter does.
func (c candidate) isMostlyIn(other candidate) bool {
	a, b := c.result.Passage, other.result.Passage
	if !c.byStart || a == nil || b == nil || c.result.ResourceID != other.result.ResourceID {
		return false
	}
	both := min(a.To, b.To) - max(a.From, b.From)
	return both > 0 && 2*both >= a.To-a.From
}

// beyondShown is how many hits after the last result are looked at for copies, so that
// these are not counted as more to show.
const beyondShown = 10

// minCopied is how many letters and digits a text needs to be a copy: shorter ones are
// often the same by chance.
const minCopied = 40

// lettersOf returns the letters and digits by which a candidate is a copy of another, or
// "" if it may not be one.
func (f *searchCall) lettersOf(c candidate) string {
	if f.req.SameAddress || f.req.By != ByPassages || c.result.Passage == nil {
		return ""
	}
	if letters := string(foldLetters(c.text).letters); len(letters) >= minCopied {
		return letters + "\x00" + signsOf(c.text)
	}
	return ""
}

// signsOf returns the signs that change what numbers say: those right beside a digit, and
// those of comparison.
func signsOf(text string) string {
	var signs strings.Builder
	digits, before, sign := 0, false, rune(0) // sign: the last rune, if it is a sign
	for _, r := range text {
		isDigit := unicode.IsDigit(r)
		isSign := !isDigit && !unicode.IsLetter(r) && !unicode.IsSpace(r)
		if isDigit && sign != 0 || isSign && (before || strings.ContainsRune("<>=≤≥≠±~", r)) {
			fmt.Fprintf(&signs, "%d%c", digits, cmp.Or(sign, r))
		}
		if isDigit {
			digits++
		}
		before, sign = isDigit, 0
		if isSign {
			sign = r
		}
	}
	return signs.String()
}

// candidate returns the shown form of a hit. An error means that its source has
// changed since it was indexed.
func (f *searchCall) candidate(ctx context.Context, h *index.Hit) (candidate, error) {
	r := f.open(ctx, h)
	if r.err != nil {
		return candidate{}, r.err
	}
	result := &Result{
		ResourceID: h.Resource, NodeID: h.Entry.Node, Modality: r.m.Address(nil).Location.Modality,
		Title: h.Entry.Title, Path: pathOf(h), Score: h.Score,
	}
	if result.Title == "" {
		result.Title = r.m.Title
	}
	if f.req.Rationale {
		result.Rationale = reasons(h)
	}
	c := candidate{result: result, hit: h}
	var err error
	if p, ok := parsePart(h.Entry.Location); ok {
		err = f.showPassage(ctx, r, h, p, &c)
	} else {
		err = f.showNode(ctx, r, h, &c)
	}
	if loc := result.Address.Location; loc.Member != "" {
		result.Modality = loc.Modality
	}
	if err == nil && !hasPhrases(h.Entry.Title+"\n"+h.Entry.Summary+"\n"+c.text, f.req.phrases) {
		err = errNotWords
	}
	return c, err
}

// open opens the resource of a hit, once.
func (f *searchCall) open(ctx context.Context, h *index.Hit) *foundResource {
	if r, ok := f.resources[h.Resource]; ok {
		return r
	}
	r := f.ahead[h.Resource]
	if delete(f.ahead, h.Resource); r == nil {
		r = f.read(ctx, h)
	}
	if ctx.Err() != nil {
		if r.layer != nil {
			r.layer.Close()
		}
		return &foundResource{err: ctx.Err()}
	}
	if r.m != nil {
		r.nodes = f.placesOf(r.m)
	}
	f.mixed = f.mixed || r.mixed
	if errors.Is(r.err, fs.ErrNotExist) || errors.Is(r.err, citekit.ErrStale) {
		f.setFailed(h.Resource, versionOf(h), r.err)
		f.out = append(f.out, h.Resource)
	}
	f.resources[h.Resource] = r
	return r
}

// atOnce is how many resources are opened at the same time.
const atOnce = 8

// openAhead opens those of the first hits at the same time if the store is far away. What
// is not shown then does not count.
func (f *searchCall) openAhead(ctx context.Context, hits []index.Hit) {
	if !f.isRemote() {
		return
	}
	var first []*index.Hit
	asked := make(map[string]bool)
	for i := range hits {
		id := hits[i].Resource
		if f.resources[id] == nil && f.ahead[id] == nil && !asked[id] && len(first) < f.req.TopK {
			first, asked[id] = append(first, &hits[i]), true
		}
	}
	opened := make([]*foundResource, len(first))
	concurrent.Each(len(first), atOnce, func(i int) { opened[i] = f.read(ctx, first[i]) })
	for i, h := range first {
		f.ahead[h.Resource] = opened[i]
	}
}

func (f *searchCall) read(ctx context.Context, h *index.Hit) *foundResource {
	r := new(foundResource)
	r.err = exactly(ctx, func(ctx context.Context) error { return f.readTo(ctx, r, h) })
	return r
}

func (f *searchCall) readTo(ctx context.Context, r *foundResource, h *index.Hit) (err error) {
	version, err := f.version(ctx, h.Resource)
	if err == nil && version != versionOf(h) {
		r.mixed, err = true, errMixed
	}
	if err != nil {
		return err
	}
	if r.m, err = f.lib.Map(ctx, h.Resource); err != nil {
		return err
	}
	r.layer, err = f.layers.Open(ctx, h.Resource)
	if !textlayer.HasNoText(err) {
		return err
	}
	opened, err := f.lib.Open(ctx, citekit.Address{Resource: h.Resource}) // checks that the source is unchanged even without text
	if err == nil {
		r.m, err = opened.Map, opened.Source.Close()
	}
	return err
}

// setPassage sets the passage of a result: text, which is that of a layer from a byte on.
func (r *Result) setPassage(layer *textlayer.Layer, text string, from int64) {
	r.Passage = &Passage{Text: text, From: from, To: from + int64(len(text)), SourceHash: layer.SourceHash()}
	_, r.OCR = layer.OCR(from, r.Passage.To)
	r.Transcribed = layer.Transcribed()
}

// showPassage shows a passage of the text.
func (f *searchCall) showPassage(ctx context.Context, r *foundResource, h *index.Hit, p part, c *candidate) (err error) {
	if r.layer == nil || p.of != lengthOf(r.layer) {
		return citekit.ErrStale
	}
	if c.text, err = r.layer.Text(ctx, p.from, p.to); err != nil {
		return err
	}
	c.result.setPassage(r.layer, c.text, p.from)
	loc, err := r.layer.Location(p.from, p.to)
	if err != nil {
		return err
	}
	if f.req.By == ByNodes && r.nodes[h.Entry.Node] != nil {
		loc = withLead(r.layer, r.nodes[h.Entry.Node].node.Location, p.from)
	}
	if f.req.By == ByResources {
		loc = r.m.Address(nil).Location
		c.result.NodeID, c.result.Title, c.result.Path = "", r.m.Title, nil
	}
	c.result.Address = citekit.Address{Resource: h.Resource, Location: loc}
	c.marks = marksOf(h, c.text)
	return nil
}

// mostNodeText is how many bytes are read of the text of a node that was found
// by its title.
const mostNodeText = 2000

// showNode shows a node without a passage of its own by the start of its text.
func (f *searchCall) showNode(ctx context.Context, r *foundResource, h *index.Hit, c *candidate) error {
	c.byStart = true
	p := r.nodes[h.Entry.Node]
	if p == nil || f.req.By == ByResources {
		c.result.Address = r.m.Address(nil)
	} else {
		c.result.Address = r.m.Address(p.node)
	}
	whole := r.m.Address(nil)
	if loc := c.result.Address.Location; loc.Modality != whole.Location.Modality && loc.Member == "" || loc.Validate() != nil {
		c.result.Address = whole // the node's location in the map leads nowhere
	}
	if err := c.result.Address.Validate(); err != nil {
		return err
	}
	if f.req.By == ByResources {
		c.result.NodeID, c.result.Title, c.result.Path = "", r.m.Title, nil
	}
	if r.layer == nil {
		return nil
	}
	ranges, err := r.layer.Ranges(c.result.Address.Location)
	if loc := c.result.Address.Location; errors.Is(err, errors.ErrUnsupported) && loc.Box.IsZero() && len(loc.Pages) == 0 {
		ranges, err = r.layer.Ranges(textlayer.Widened(c.result.Address.Location))
	}
	if errors.Is(err, citekit.ErrRange) {
		c.result.Address = whole
	}
	if err != nil || len(ranges) == 0 {
		return nil // its place has no text of its own, such as a region of a page
	}
	from := ranges[0].From
	if c.text, err = r.layer.Text(ctx, from, min(ranges[0].To, from+mostNodeText)); err != nil {
		return err
	}
	if c.goesOn = ranges[0].To > from+mostNodeText; c.goesOn {
		c.text = uncut(c.text)
	}
	c.result.setPassage(r.layer, c.text, from)
	c.marks = marksOf(h, c.text)
	return nil
}

// uncut removes the end of a text that may be part of a word, or part of a
// character in a text without white space.
func uncut(text string) string {
	if at := strings.LastIndexFunc(text, unicode.IsSpace); at > 0 {
		_, size := utf8.DecodeRuneInString(text[at:])
		return text[:at+size]
	}
	for text != "" {
		if r, size := utf8.DecodeLastRuneInString(text); r != utf8.RuneError || size > 1 {
			break
		}
		text = text[:len(text)-1]
	}
	return text
}

// marksOf returns the matching words of a hit in a text.
func marksOf(h *index.Hit, text string) []mark {
	var marks []mark
	for _, r := range h.Highlights(text) {
		marks = append(marks, mark{from: r[0], to: r[1], term: strings.ToLower(text[r[0]:r[1]])})
	}
	return marks
}

// reasons returns the reasons for a hit.
func reasons(h *index.Hit) []*Reason {
	var list []*Reason
	for _, p := range h.Parts {
		r := &Reason{Term: p.Term, Fields: []string{}, Score: rounded(p.Score)}
		if p.Next != "" {
			r.Term += " " + p.Next
		}
		if p.InTitle {
			r.Fields = append(r.Fields, "title")
		}
		if p.InBody || !p.InTitle && !p.Vector {
			r.Fields = append(r.Fields, "text")
		}
		if p.Vector {
			r.Fields = append(r.Fields, "vector")
		}
		list = append(list, r)
	}
	return list
}
