package search

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/concurrent"
	"github.com/citekit/citekit/internal/ctxio"
	"github.com/citekit/citekit/internal/lineform"
	"github.com/citekit/citekit/search/internal/index"
	"github.com/citekit/citekit/textlayer"
)

const (
	// weighedHits is how many of the best hits are looked at for rows.
	weighedHits = 100

	// weighingShare is the part of the time of a search in which rows are looked at.
	weighingShare = 3

	// cuesTogether is how many cues that follow each other may be one place: a
	// sentence is seldom in one of them.
	cuesTogether = 6

	// mostHeader is how many bytes of the header of a table count.
	mostHeader = 500

	// mostShown is how many bytes a row and its neighbours have; a passage that has no
	// more is not narrowed, unless it is the rest of a longer table.
	mostShown = 1000

	// mostRows is how many rows or entries of one passage are hits of their own.
	mostRows = 10

	// nearBest is the least share of what the best row of a passage adds to the score of
	// its title and header that another row must add to be a hit of its own.
	nearBest = 0.7
)

// A rowScorer is an index that scores the rows of tables, the entries of logs and the
// cues of its best hits by themselves, as if each was an entry of the index: the length
// of a passage of such says nothing about the one that answers. It narrows the hits to
// these places. Other rows and entries of a passage that score nearly as well as its best
// are hits of their own.
type rowScorer struct {
	index.Index
	reader *reader
	req    Request
}

// Search implements [index.Index]. There may be more hits than q.TopK: all rows of the
// best q.TopK passages.
func (w *rowScorer) Search(ctx context.Context, q index.Query) (*index.Result, error) {
	wide := q
	wide.TopK = max(q.TopK, weighedHits)
	found, err := w.Index.Search(ctx, wide)
	if err != nil {
		return nil, err
	}
	if found.Weights != nil {
		limited := ctx // leaves time to show the hits
		if deadline, ok := ctx.Deadline(); ok {
			var cancel context.CancelFunc
			limited, cancel = context.WithTimeout(ctx, time.Until(deadline)/weighingShare)
			defer cancel()
		}
		n := min(len(found.Hits), weighedHits)
		others, incomplete := make([][]index.Hit, n), make([]bool, n)
		concurrent.Each(n, atOnce, func(i int) {
			if limited.Err() != nil {
				return // the others keep the scores of their passages
			}
			// The text is read again, after this.
			opening, opened := ctxio.Until(ctx, limited)
			_, err := w.reader.layer(opening, found.Hits[i].Resource)
			if opened(); err != nil {
				return
			}
			var all bool
			others[i], all = w.weigh(limited, found.Weights, &found.Hits[i], i < excerptHits && !w.req.Expand, q.Explain)
			incomplete[i] = !all
		})
		rows := slices.Concat(others...)
		found.Exact = found.Exact && !slices.Contains(incomplete, true)
		found.Exact = found.Exact && (len(rows) == 0 || found.Total <= weighedHits)
		found.Hits = append(found.Hits, rows...)
		found.Total += len(rows)
	}
	found.Order(len(found.Hits))
	entries := make(map[string]bool)
	for i := range found.Hits {
		if key := entryKey(&found.Hits[i]); !entries[key] && len(entries) == max(q.TopK, 1) {
			found.Hits = found.Hits[:i]
			break
		} else {
			entries[key] = true
		}
	}
	return found, nil
}

// weigh scores a hit by its best place, if it has places of their own. It returns the
// other rows that are hits, best first, and whether these are all.
func (w *rowScorer) weigh(ctx context.Context, weights *index.Weights, h *index.Hit, excerpts, explain bool) (others []index.Hit, complete bool) {
	text, p, err := w.reader.passage(ctx, h)
	if err != nil || text == "" {
		return nil, true
	}
	layer, err := w.reader.layer(ctx, h.Resource)
	if err != nil {
		return nil, true
	}
	rows := &passageRows{hit: *h, part: p, text: text, units: unitsOf(layer, p, text), explain: explain, phrases: w.req.phrases}
	if len(rows.units) < 2 {
		if excerpts {
			excerpt(weights, h, text, explain)
		}
		return nil, true
	}
	header, inside := headerOf(ctx, layer, p, text)
	rows.weigh(weights, header, inside)
	best := rows.best()
	rows.score(h, best)
	small := len(text) <= mostShown && (header == "" || inside)
	if by := w.req.By; best == 0 || inside && best == 1 || small || w.req.Whole || by != ByPassages && by != "" {
		return nil, true // a small table stays whole, and so does one whose header alone has the words
	}
	if rows.overlap() {
		if shown := rows.units[best-1].shown(nil); rows.hasPhrases(shown) {
			rows.narrow(h, shown)
		}
		return nil, true
	}
	near := rows.near(best, inside)
	complete = len(near) < mostRows
	near = near[:min(len(near), mostRows-1)]
	taken := map[int]bool{best - 1: true} // no row is in two hits
	for _, i := range near {
		taken[i] = true
	}
	shown := rows.units[best-1].shown(taken)
	if !rows.hasPhrases(shown) {
		return nil, true
	}
	rows.narrow(h, shown)
	for _, i := range near {
		other := rows.hit
		rows.score(&other, i+1)
		rows.narrow(&other, rows.units[i].shown(taken))
		others = append(others, other)
	}
	return others, complete
}

// passageRows are the units of a passage that is a hit, with their scores.
type passageRows struct {
	hit     index.Hit // as it was found
	part    part
	text    string
	units   []unit
	whole   index.Weighed   // the whole text
	weighed []index.Weighed // the header alone, and then each unit with the header
	explain bool
	phrases []string
}

// weigh weighs the units with a header, which may be inside the passage: then it is the
// first of them.
func (r *passageRows) weigh(weights *index.Weights, header string, inside bool) {
	ranges := [][2]int{{0, 0}}
	for _, u := range r.units {
		ranges = append(ranges, u.bytes())
	}
	r.whole = weights.Weigh(&r.hit, "", r.text, [][2]int{{0, len(r.text)}})[0]
	r.weighed = weights.Weigh(&r.hit, header, r.text, ranges)
	if inside { // it is no row of its own, with itself as its header
		r.weighed[1] = weights.Weigh(&r.hit, "", r.text, ranges[1:2])[0]
	}
}

// best returns the index in r.weighed of the highest score.
func (r *passageRows) best() (best int) {
	for i := range r.weighed {
		if r.weighed[i].Score > r.weighed[best].Score {
			best = i
		}
	}
	return best
}

// score gives a hit the score at an index of r.weighed.
func (r *passageRows) score(h *index.Hit, at int) {
	h.Score += r.weighed[at].Score - r.whole.Score
	if r.explain {
		besideWords := r.hit.Parts[min(len(r.hit.Parts), len(r.whole.Parts)):]
		h.Parts = slices.Concat(r.weighed[at].Parts, besideWords)
	}
}

// overlap reports whether units have places in common, as runs of cues do.
func (r *passageRows) overlap() bool { return len(r.units) > len(r.units[0].places) }

// hasPhrases reports whether a range of the text, with the title, has all phrases.
func (r *passageRows) hasPhrases(b [2]int) bool {
	return hasPhrases(r.hit.Entry.Title+"\n"+r.hit.Entry.Summary+"\n"+r.text[b[0]:b[1]], r.phrases)
}

// narrow makes a hit one of a range of the text.
func (r *passageRows) narrow(h *index.Hit, b [2]int) {
	h.Entry.Location = part{from: r.part.from + int64(b[0]), to: r.part.from + int64(b[1]), of: r.part.of}.String()
}

// near returns the units besides the best that score nearly as well, best first.
func (r *passageRows) near(best int, headerInside bool) (units []int) {
	least := r.weighed[0].Score + nearBest*(r.weighed[best].Score-r.weighed[0].Score)
	for i := range r.units {
		if i != best-1 && r.weighed[i+1].Score >= least && (i > 0 || !headerInside) && r.hasPhrases(r.units[i].bytes()) {
			units = append(units, i)
		}
	}
	slices.SortStableFunc(units, func(a, b int) int { return cmp.Compare(r.weighed[b+1].Score, r.weighed[a+1].Score) })
	return units
}

// A unit is a row of a table, an entry of a log, or a few cues: some of the places of a
// passage that follow each other.
type unit struct {
	first, last int
	places      [][2]int
}

// bytes returns the bytes of a unit.
func (u unit) bytes() [2]int { return [2]int{u.places[u.first][0], u.places[u.last][1]} }

// shown returns the bytes of a unit with the places beside it that are not taken, if
// these are short, and takes them.
func (u unit) shown(taken map[int]bool) [2]int {
	with := u
	if i := u.first - 1; i >= 0 && !taken[i] {
		with.first = i
	}
	if i := u.last + 1; i < len(u.places) && !taken[i] {
		with.last = i
	}
	b := with.bytes()
	if b[1]-b[0] > mostShown {
		return u.bytes()
	}
	if taken != nil {
		taken[with.first], taken[with.last] = true, true
	}
	return b
}

// unitsOf returns the units of a passage that mostly has such.
func unitsOf(layer *textlayer.Layer, p part, text string) (units []unit) {
	places, together, most := placesOf(layer, p, text)
	if !most {
		return nil
	}
	for i := range places {
		for n := range places[i:min(len(places), i+together)] {
			units = append(units, unit{i, i + n, places})
		}
	}
	return units
}

// placesOf returns the rows, entries or cues of a passage in bytes, how many of them
// that follow each other may be one unit, and whether most of the passage is in them.
func placesOf(layer *textlayer.Layer, p part, text string) (places [][2]int, together int, most bool) {
	for r := range layer.RunsIn(p.from, p.to) {
		if r.Location.Time.IsZero() && r.Location.Sheet == "" {
			break
		}
		if together = 1; !r.Location.Time.IsZero() {
			together = cuesTogether
		}
		place := [2]int{int(max(r.From, p.from) - p.from), int(min(r.To, p.to) - p.from)}
		if n := len(places); n > 0 && together > 1 && text[place[0]-1] != '\n' { // a further word of a cue
			places[n-1][1] = place[1]
			continue
		}
		places = append(places, place)
	}
	if len(places) > 0 {
		return places, together, true
	}
	inside, filled := 0, 0
	together = 1
	var before lineform.Kind // of the line that began the last place
	times := false           // the last place has no words of a cue yet
	for _, l := range lineform.Of(text) {
		if l.Kind == lineform.Blank {
			continue
		}
		if l.Kind == lineform.Cue && before != lineform.Cue {
			places, inside, filled, together, times = nil, 0, 0, cuesTogether, false
		}
		filled++
		switch begins := l.Kind == lineform.Cue && !times; {
		case begins, l.Kind != lineform.Cue && before != lineform.Cue && (l.Kind == lineform.Entry || l.Kind == lineform.Row):
			places, before = append(places, [2]int{l.From, l.To}), l.Kind
		case before == lineform.Cue, before == lineform.Entry:
			places[len(places)-1][1] = l.To
		default:
			continue
		}
		times = l.Kind == lineform.Cue
		inside++
	}
	return places, together, inside*10 >= filled*6
}

// headerOf returns the header of the table that a passage is a part of, or "", and
// whether the passage begins with it.
func headerOf(ctx context.Context, layer *textlayer.Layer, p part, text string) (header string, inside bool) {
	loc, err := layer.Location(p.from, p.to)
	if err != nil {
		return "", false
	}
	from := int64(0)
	if loc.Sheet != "" {
		ranges, err := layer.Ranges(citekit.Location{Modality: loc.Modality, Member: loc.Member, Sheet: loc.Sheet})
		if err != nil || len(ranges) == 0 {
			return "", false
		}
		from = ranges[0].From
	}
	header, err = layer.Text(ctx, from, min(layer.Len(), from+mostHeader))
	if err != nil {
		return "", false
	}
	header, _, _ = strings.Cut(header, "\n")
	if loc.Sheet != "" {
		return header, p.from == from
	}
	first, _, _ := strings.Cut(text, "\n")
	for _, sign := range []string{"\t", ",", ";", "|"} {
		if n := strings.Count(header, sign); n >= 2 && n == strings.Count(first, sign) {
			return header, p.from == from
		}
	}
	return "", false
}
