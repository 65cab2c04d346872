package search

import (
	"context"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/preview"
)

// withBoxes narrows the addresses of passages that are on one page to boxes,
// and drops passages that then have the address of a better one. It stops when
// half of the remaining time of the context is used, and reports whether it is done.
func (f *searchCall) withBoxes(ctx context.Context, shown []candidate) (narrowed []candidate, all bool) {
	all = f.addBoxes(ctx, shown)
	if f.req.SameAddress {
		return shown, all
	}
	seen := make(map[string]bool)
	return slices.DeleteFunc(shown, func(c candidate) bool {
		a := c.result.Address.String()
		again := seen[a]
		seen[a] = true
		return again
	}), all
}

func (f *searchCall) addBoxes(ctx context.Context, shown []candidate) (all bool) {
	if deadline, limited := ctx.Deadline(); limited {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Until(deadline)/2)
		defer cancel()
	}
	for i := range shown {
		r := shown[i].result
		if r.Passage == nil || f.req.By == ByNodes || f.req.By == ByResources {
			continue
		}
		if box, ok := f.boxOf(ctx, r); ok {
			r.Address.Location.Box = box
		}
		if ctx.Err() != nil {
			return false
		}
	}
	return true
}

// boxOf returns the box around a passage, if the passage is on one page and the
// box has no other text.
func (f *searchCall) boxOf(ctx context.Context, r *Result) (citekit.Box, bool) {
	none, loc := citekit.Box{}, r.Address.Location
	if loc.PageCount() != 1 || !loc.Box.IsZero() {
		return none, false
	}
	page, err := f.resources[r.ResourceID].layer.Ranges(loc)
	if err != nil || len(page) != 1 {
		return none, false
	}
	from, to := r.Passage.From-page[0].From, r.Passage.To-page[0].From
	boxes, err := preview.New(f.lib).Boxes(ctx, r.Address, int(from), int(min(to, page[0].To-page[0].From)))
	if err != nil || len(boxes) == 0 {
		return none, false
	}
	loc.Box = around(boxes)
	text, err := f.textAt(ctx, r.ResourceID, loc)
	return loc.Box, err == nil && sameWords(text, r.Passage.Text)
}

// around returns the box around boxes, with edges rounded to four decimals.
func around(boxes []citekit.Box) citekit.Box {
	const steps = 10_000
	all := boxes[0]
	for _, b := range boxes[1:] {
		all = citekit.Box{X1: min(all.X1, b.X1), Y1: min(all.Y1, b.Y1), X2: max(all.X2, b.X2), Y2: max(all.Y2, b.Y2)}
	}
	return citekit.Box{
		X1: math.Floor(all.X1*steps) / steps, Y1: math.Floor(all.Y1*steps) / steps,
		X2: min(1, math.Ceil(all.X2*steps)/steps), Y2: min(1, math.Ceil(all.Y2*steps)/steps),
	}
}

func (f *searchCall) textAt(ctx context.Context, resource string, loc citekit.Location) (string, error) {
	var b strings.Builder
	for run, err := range f.lib.ReadText(ctx, resource, loc) {
		if err != nil {
			return "", err
		}
		b.WriteString(run.Text)
	}
	return b.String(), nil
}

// sameWords reports whether texts differ only in white space.
func sameWords(a, b string) bool {
	return strings.Join(strings.Fields(a), "") == strings.Join(strings.Fields(b), "")
}
