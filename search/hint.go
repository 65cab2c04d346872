package search

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/search/internal/index"
)

// hint says why nothing is found: there are no maps, or no resource has the values
// of the filters, or no text has the words. It then says what to try. If resources
// are left out, these may have the words.
func (s *Searcher) hint(ctx context.Context, req Request, leftOut int) string {
	if hint := s.missing(ctx, req.Filters); hint != "" || leftOut > 0 {
		return hint
	}
	if req.Mode == Graph {
		return "no relation leads from a passage with the words to another place, or to it; mode knowledge finds the passages themselves"
	}
	f := req.Filters
	if s.areBlank(ctx, f.Resources) {
		return "the resources that the filters leave have no text, as in scans; look at their pictures, or have text recognized with --ocr"
	}
	switch {
	case f.Path != "":
		return "nothing with the words has a path such as " + message.Quote(f.Path) + "; a path is a pattern such as *.md, or a folder such as docs/"
	case len(f.Resources)+len(f.Sources)+len(f.Forms)+len(f.Without)+len(f.Modalities)+len(f.Types)+len(f.Authors)+len(f.Labels) > 0 || !f.After.IsZero() || !f.Before.IsZero():
		return "nothing that the filters leave has the words; try other words, or fewer filters"
	case len(req.phrases) > 0:
		return "no text has the words in quotes as written; try them without quotes"
	}
	return "no text has the words; try others, in the language of the resources"
}

// areBlank reports whether resources are a few that all have no text.
func (s *Searcher) areBlank(ctx context.Context, ids []string) bool {
	for _, id := range ids[:min(len(ids), few)] {
		layer, err := s.layers.Open(ctx, id)
		if err != nil {
			return false
		}
		isBlank := layer.Empty()
		layer.Close()
		if !isBlank {
			return false
		}
	}
	return len(ids) > 0 && len(ids) <= few
}

// few is how many results are so few that excluded words may be the reason.
const few = 3

// excluding returns a hint about the words that an expression with n results excludes,
// if they are probably not meant to be: there are few results, or a word of one
// letter looks like an option of a command.
func excluding(req Request, n int) string {
	var words, quoted []string
	for _, text := range index.Excluded(req.Query, req.Syntax) {
		if (n < few || utf8.RuneCountInString(text) == 1) && index.Wants(req.Query, req.Syntax) && len(words) < few {
			words = append(words, "'"+message.Clip(text)+"'")
			quoted = append(quoted, `"-`+message.Clip(text)+`"`)
		}
	}
	if len(words) == 0 {
		return ""
	}
	return "left out passages with " + strings.Join(words, " or ") + "; write " + strings.Join(quoted, " or ") + " in quotes to find it"
}

// ordersOf names what an expression demands of its results; "" if it demands nothing.
func ordersOf(query string) string {
	var orders []string
	if len(index.Phrases(query, index.Expression)) > 0 {
		orders = append(orders, "the words in quotes as written")
	}
	if title := index.InTitle(query, index.Expression); len(title) > 0 {
		orders = append(orders, message.Quote(title[0])+" in its title")
	}
	if excluded := index.Excluded(query, index.Expression); len(excluded) > 0 {
		orders = append(orders, "the words without "+message.Quote(excluded[0]))
	}
	return strings.Join(orders, " and ")
}

// missing says that there are no maps, or names the filter values that no resource
// has, so that nothing is found; "" if neither is so, or that is unknown.
func (s *Searcher) missing(ctx context.Context, f Filters) string {
	if ids, err := s.lib.Resources(ctx); err == nil && len(ids) == 0 {
		return message.NoMaps
	}
	lister, ok := s.index.(index.Lister)
	if !ok {
		return ""
	}
	missing, err := lister.Missing(ctx, f)
	if err != nil {
		return "" // a hint is optional
	}
	var hints []string
	for _, m := range missing {
		hints = append(hints, hintOf(m))
	}
	return strings.Join(hints, "; ")
}

// LeftOutHint says that a search left out resources, and which: the ids are those
// of the first, as in [Results].
func LeftOutHint(n int, ids []string) string {
	return message.Count(n, "resource") + " left out because their sources changed, are gone or cannot be read" + listed(n, ids)
}

// listed returns a colon and the ids of the first of n resources, or "" if there are
// none.
func listed(n int, ids []string) string {
	if len(ids) == 0 {
		return ""
	}
	names := make([]string, len(ids))
	for i, id := range ids {
		names[i] = message.Clip(id)
	}
	text := ": " + strings.Join(names, ", ")
	if len(ids) < n {
		text += ", …"
	}
	return text
}

func hintOf(m index.UnknownValue) string {
	plural := m.Filter + "s"
	if m.Filter == "modality" {
		plural = "modalities"
	}
	text := fmt.Sprintf("nothing has the %s %s", m.Filter, message.Quote(m.Value))
	if len(m.Known) == 0 {
		return text + ", or any other"
	}
	known := make([]string, 0, len(m.Known))
	for _, value := range m.Known {
		known = append(known, message.Clip(value))
	}
	text += "; " + plural + " are: " + strings.Join(known, ", ")
	if m.More {
		text += " and more"
	}
	if m.Filter == "modality" && !citekit.Modality(m.Value).BuiltIn() {
		text += "; built in are: " + message.Modalities
	}
	return text
}
