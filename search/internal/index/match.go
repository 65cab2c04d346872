package index

import (
	"slices"
	"strings"
)

// Match reports whether an entry of a resource passes the filters. It returns
// an error matching [citekit.ErrSyntax] if a filter is invalid.
func (f *Filters) Match(resource string, e *Entry) (bool, error) {
	c, err := newFilter(f, func(name string) bool { return isAt(e.SourcePath, name) })
	if err != nil || c == nil {
		return err == nil, err
	}
	if len(c.resources) > 0 && !slices.Contains(c.resources, resource) || slices.Contains(c.without, resource) {
		return false, nil
	}
	if len(c.sources) > 0 && !slices.Contains(c.sources, resource) && !c.fitsSource(e.SourcePath) {
		return false, nil
	}
	if len(c.forms) > 0 && !slices.Contains(c.forms, strings.ToLower(string(e.Modality))) && !c.hasForm(e.SourcePath) {
		return false, nil
	}
	words := keywords(e, "")
	for _, list := range c.lists {
		if !slices.ContainsFunc(list, func(k string) bool { return slices.Contains(words, k) }) {
			return false, nil
		}
	}
	at := seconds(e.Created)
	if c.timed && (at == 0 || at < c.from || at > c.to) {
		return false, nil
	}
	return c.path == "" || matchPath(c.path, e.SourcePath), nil
}
