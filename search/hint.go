package search

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/search/index"
)

// hint says that there are no maps, or names the filter values that no resource
// has, so that nothing is found; "" if neither is so, or that is unknown.
func (s *Searcher) hint(ctx context.Context, f index.Filters) string {
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

func joined(modalities []citekit.Modality) string {
	var names []string
	for _, m := range modalities {
		names = append(names, string(m))
	}
	return strings.Join(names, ", ")
}

func hintOf(m index.Missing) string {
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
	if builtIn := citekit.Modalities(); m.Filter == "modality" && !slices.Contains(builtIn, citekit.Modality(m.Value)) {
		text += "; built in are: " + joined(builtIn)
	}
	return text
}
