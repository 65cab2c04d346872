package index

import (
	"errors"
	"fmt"
	"math"
	"path"
	"slices"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/pathpattern"
	"github.com/citekit/citekit/search/internal/index/internal/segment"
)

// The kinds of keywords; each keyword begins with its kind.
const (
	modalityKeyword = "m:"
	typeKeyword     = "t:"
	authorKeyword   = "a:"
	labelKeyword    = "l:"
	pathKeyword     = "p:"
	languageKeyword = "g:"
)

// keywords returns the keywords of an entry that filters can match.
func keywords(e *Entry, language string) []string {
	list := []string{languageKeyword + language}
	add := func(kind string, values ...string) {
		for _, value := range values {
			if value != "" {
				list = append(list, keyword(kind, value))
			}
		}
	}
	add(modalityKeyword, string(e.Modality))
	add(typeKeyword, e.Type)
	add(authorKeyword, e.Authors...)
	add(labelKeyword, e.Labels...)
	add(pathKeyword, e.SourcePath)
	return list
}

func keyword(kind, value string) string {
	if kind == pathKeyword {
		return kind + value
	}
	return kind + strings.ToLower(value)
}

// A filter is [Filters] in the form used with segments.
type filter struct {
	lists     [][]string // of keywords, one of each is required
	resources []string
	without   []string // resources
	sources   []string // ids of resources, one of which is required unless a pattern fits
	patterns  []string // of paths, one of which must fit unless a source is in sources
	forms     []string // modalities and extensions in lower case, one of which is required
	from, to  int64
	timed     bool
	path      string
}

// maxPath is the longest path of a filter in bytes, as PATH_MAX on Linux.
const maxPath = 4096

// newFilter returns nil if there are no filters. The function exists reports
// whether a source has a path, or is below that path.
func newFilter(f *Filters, exists func(name string) bool) (*filter, error) {
	c := &filter{resources: f.Resources, without: f.Without, sources: f.Sources, from: math.MinInt64, to: math.MaxInt64}
	var err error
	if c.path, err = patternOf(f.Path, exists); err != nil {
		return nil, err
	}
	for _, source := range f.Sources {
		pattern, err := patternOf(source, exists)
		if err != nil {
			return nil, err
		}
		c.patterns = append(c.patterns, pattern)
	}
	for _, form := range f.Forms {
		c.forms = append(c.forms, strings.ToLower(strings.TrimPrefix(form, ".")))
	}
	modalities := make([]string, len(f.Modalities))
	for i, m := range f.Modalities {
		modalities[i] = string(m)
	}
	c.list(modalityKeyword, modalities)
	c.list(typeKeyword, f.Types)
	c.list(authorKeyword, f.Authors)
	c.list(labelKeyword, f.Labels)
	if !f.After.IsZero() {
		c.from, c.timed = seconds(f.After), true
	}
	if !f.Before.IsZero() {
		c.to, c.timed = seconds(f.Before), true
	}
	if len(c.lists)+len(c.resources)+len(c.without)+len(c.sources)+len(c.forms) == 0 && !c.timed && c.path == "" {
		return nil, nil
	}
	return c, nil
}

// patternOf returns the pattern that a path of a filter is, "" for none.
func patternOf(name string, exists func(name string) bool) (string, error) {
	if len(name) > maxPath {
		return "", fmt.Errorf("search: the path has %d bytes; at most %d: %w", len(name), maxPath, citekit.ErrSyntax)
	}
	pattern := ""
	if name != "" {
		pattern = pathpattern.Literal(strings.TrimPrefix(name, "./"), exists)
	}
	if !pathpattern.Valid(pattern) {
		return "", fmt.Errorf("search: path %s; in a pattern, ] must end the range that [ begins, and \\[ is a bracket: %w", message.Quote(name), citekit.ErrSyntax)
	}
	return pattern, nil
}

func (f *filter) list(kind string, values []string) {
	if len(values) == 0 {
		return
	}
	f.lists = append(f.lists, keywordsOf(kind, values))
}

func keywordsOf(kind string, values []string) []string {
	list := make([]string, len(values))
	for i, value := range values {
		list[i] = keyword(kind, value)
	}
	return list
}

// only returns the documents of a segment that pass the filters.
func (f *filter) only(s *segment.Segment) (segment.Bitmap, error) {
	set := segment.NewBitmap(s.Docs())
	set.AddRange(segment.Range{First: 0, End: uint32(s.Docs())})
	keep := func(add func(segment.Bitmap) error) error {
		some := segment.NewBitmap(s.Docs())
		err := add(some)
		set.Keep(some)
		return err
	}
	var err error
	for _, list := range f.lists {
		err = errors.Join(err, keep(func(b segment.Bitmap) error { return s.Having(b, list...) }))
	}
	if len(f.resources) > 0 {
		err = errors.Join(err, keep(func(b segment.Bitmap) error { return addResources(s, b, f.resources) }))
	}
	if len(f.without) > 0 {
		out := segment.NewBitmap(s.Docs())
		err = errors.Join(err, addResources(s, out, f.without))
		set.Drop(out)
	}
	if len(f.sources) > 0 {
		err = errors.Join(err, keep(func(b segment.Bitmap) error {
			return errors.Join(addResources(s, b, f.sources), addPaths(s, b, f.fitsSource))
		}))
	}
	if len(f.forms) > 0 {
		err = errors.Join(err, keep(func(b segment.Bitmap) error {
			return errors.Join(s.Having(b, keywordsOf(modalityKeyword, f.forms)...), addPaths(s, b, f.hasForm))
		}))
	}
	if f.timed {
		err = errors.Join(err, keep(func(b segment.Bitmap) error { return f.addTimes(s, b) }))
	}
	if f.path != "" {
		err = errors.Join(err, keep(func(b segment.Bitmap) error {
			return addPaths(s, b, func(name string) bool { return matchPath(f.path, name) })
		}))
	}
	return set, err
}

func addResources(s *segment.Segment, set segment.Bitmap, ids []string) error {
	for _, id := range ids {
		for n := range s.FindResource(id) {
			_, docs := s.Resource(n)
			set.AddRange(docs)
		}
	}
	return nil
}

// addTimes skips 0, which stands for an unknown time.
func (f *filter) addTimes(s *segment.Segment, set segment.Bitmap) error {
	s.Between(set, f.from, min(f.to, -1))
	s.Between(set, max(f.from, 1), f.to)
	return nil
}

// addPaths adds the documents of the sources whose paths fit.
func addPaths(s *segment.Segment, set segment.Bitmap, fits func(name string) bool) error {
	var matching []string
	for k := range s.Keywords(pathKeyword) {
		if fits(k[len(pathKeyword):]) {
			matching = append(matching, k)
		}
	}
	return s.Having(set, matching...)
}

// fitsSource reports whether the path of a source is one of those asked for.
func (f *filter) fitsSource(name string) bool {
	return slices.ContainsFunc(f.patterns, func(pattern string) bool { return pattern != "" && matchPath(pattern, name) })
}

// hasForm reports whether the name of a source has one of the extensions asked for.
func (f *filter) hasForm(name string) bool {
	name = strings.ToLower(path.Base(name))
	return slices.ContainsFunc(f.forms, func(form string) bool { return form != "" && strings.HasSuffix(name, "."+form) })
}

// filter returns the filter for the entries of the snapshot, or nil if there are no
// filters.
func (s *snapshot) filter(f *Filters) (*filter, error) {
	var failed error
	c, err := newFilter(f, func(name string) bool {
		has, err := s.hasPath(name)
		failed = errors.Join(failed, err)
		return has
	})
	if failed != nil {
		return nil, failed
	}
	return c, err
}

// hasPath reports whether a source of the snapshot has the path name, or is below
// it.
func (s *snapshot) hasPath(name string) (has bool, err error) {
	for i, view := range s.views {
		err := segment.Guard(func() (err error) {
			for k := range view.Segment.Keywords(pathKeyword + name) {
				if !isAt(k[len(pathKeyword):], name) {
					continue
				}
				if has, err = view.HasKeyword(k); has || err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return false, &segment.DamageError{View: i}
		}
		if has {
			return true, nil
		}
	}
	return false, nil
}

// isAt reports whether a source has the path name, or is below it.
func isAt(source, name string) bool {
	rest, ok := strings.CutPrefix(source, name)
	return ok && (rest == "" || rest[0] == '/')
}

// matchPath reports whether a path matches a pattern, as [Filters] says.
func matchPath(pattern, name string) bool {
	if folder, ok := strings.CutSuffix(pattern, "/"); ok {
		return pathpattern.Below(folder, name)
	}
	if pathpattern.IsLiteral(pattern) && pathpattern.Below(pattern, name) {
		return true // a folder without its slash
	}
	if !strings.Contains(pattern, "/") {
		name = path.Base(name)
	}
	return pathpattern.Match(pattern, name)
}
