// Package topics reads the texts of mapped files by the folder that they are in and by
// topic, and holds them in memory.
//
// A file is in a folder if a folder around it has that name, however deep: a file
// content/core/principles.md is in core. A topic is a file by its name, with or without
// extension, a folder, or the heading of a node. Names are compared by their letters
// and digits, whatever the case and the signs between them.
package topics

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/contents"
	"github.com/citekit/citekit/internal/message"
	"github.com/citekit/citekit/internal/plain"
	"github.com/citekit/citekit/internal/stats"
)

// The limits of a request, in counts of work.
const (
	MaxTopic   = 512     // bytes of a topic
	MaxParts   = 1000    // files or headings of a selection
	MaxTokens  = 100_000 // of the text of a part
	maxScanned = 20_000  // maps that are read to find parts
	maxTitle   = 200     // bytes of a title
)

// ErrNotInMemory is the error of a request that must not read anything. It matches
// [context.DeadlineExceeded], as such a request has no time.
var ErrNotInMemory = fmt.Errorf("it is not in memory: %w", context.DeadlineExceeded)

// A Part is a file, or what is below a heading of one.
type Part struct {
	Path    string          `json:"path"` // as callers see it: see [ShownPath]
	Title   string          `json:"title,omitempty"`
	Address citekit.Address `json:"address"`

	source string // as in the map
}

// A Text is the text of a part, in which characters that cannot be seen are codes.
type Text struct {
	Text  string
	Whole bool // false if it has more than [MaxTokens], or some of it cannot be read

	stamp string // of the source and its map
}

// A Selection is what a folder and a topic select.
type Selection struct {
	Parts []Part // in the order of their resources, at most [MaxParts]
	More  bool   // there may be more

	stamp citekit.Stamp // of the maps
}

// A Reader selects parts and reads them. It is safe for concurrent use.
type Reader struct {
	lib    *citekit.Library
	texts  *contents.Reader
	stats  *stats.Collector
	memory memory
}

// New returns a Reader over a Library. The other arguments must be over the same one.
func New(lib *citekit.Library, texts *contents.Reader, collector *stats.Collector) *Reader {
	return &Reader{lib: lib, texts: texts, stats: collector}
}

// ShownPath returns the path of a source as callers may see it: relative to the base
// directory, and only the name of a file that is elsewhere.
func ShownPath(source string) string {
	if filepath.IsAbs(source) {
		return filepath.Base(source)
	}
	return filepath.ToSlash(source)
}

// Select returns the parts of a folder, or of a topic in it. No folder means all files,
// and no topic everything. If inMemory is true, it reads nothing.
//
// If nothing is selected, the error matches [fs.ErrNotExist]; for a topic that is no
// name, [citekit.ErrSyntax]. If the time of the context runs out, Select returns its
// error with the parts found by then.
func (r *Reader) Select(ctx context.Context, folder, topic string, inMemory bool) (Selection, error) {
	wanted := slugs(topic)
	switch {
	case len(topic) > MaxTopic:
		return Selection{}, fmt.Errorf("the topic has %d bytes; at most %d: %w", len(topic), MaxTopic, citekit.ErrSyntax)
	case topic != "" && slices.Contains(strings.Split(wanted, "/"), ""):
		return Selection{}, fmt.Errorf("topic %q is no name of a file or a heading: %w", plain.ShowLine(topic, 60), citekit.ErrSyntax)
	}
	s := Selection{stamp: r.stats.MapsStamp(ctx)}
	if known, ok := r.memory.selection(folder, wanted, s.stamp); ok {
		return known, nil
	}
	if inMemory {
		return s, ErrNotInMemory
	}
	err := r.selectFiles(ctx, &s, folder, wanted)
	if err == nil && len(s.Parts) == 0 && wanted != "" && !strings.Contains(wanted, "/") {
		err = r.selectHeadings(ctx, &s, folder, wanted)
	}
	switch err = cmp.Or(err, ctx.Err()); {
	case err != nil:
		return s, err
	case len(s.Parts) == 0 && s.More:
		return s, fmt.Errorf("none of the first %d files is, or has a heading, called %q; name its folder as well: %w", maxScanned, plain.ShowLine(topic, 60), fs.ErrNotExist)
	case len(s.Parts) == 0 && folder == "" && topic == "":
		return s, fmt.Errorf("%s: %w", message.NoMaps, fs.ErrNotExist)
	case len(s.Parts) == 0 && topic == "":
		return s, fmt.Errorf("no mapped file is in a folder %s: %w", folder, fs.ErrNotExist)
	case len(s.Parts) == 0:
		return s, fmt.Errorf("no file, folder or heading is called %q: %w", plain.ShowLine(topic, 60), fs.ErrNotExist)
	}
	r.memory.keepSelection(folder, wanted, s)
	return s, nil
}

// Has reports whether a mapped file is in a folder.
func (r *Reader) Has(ctx context.Context, folder string) (has bool) {
	_, err := r.maps(ctx, folder, "", func(*citekit.ResourceMap) bool { has = true; return false })
	return has && err == nil
}

// Text returns the text of a part, and whether it was in memory. If inMemory is true, it
// does not read the source. Errors are those of [contents.Reader.Read] and of its item.
func (r *Reader) Text(ctx context.Context, p Part, inMemory bool) (t Text, cached bool, err error) {
	key, stamp := p.Address.String(), r.stampOf(ctx, p)
	if t, ok := r.memory.text(key, stamp); ok {
		return t, true, nil
	}
	if inMemory {
		return t, false, ErrNotInMemory
	}
	read, err := r.texts.Read(ctx, contents.Request{IDs: []string{key}, Visible: true, MaxTokens: MaxTokens})
	if err != nil {
		return t, false, err
	}
	item := read.Items[0]
	if err = cmp.Or(ctx.Err(), item.Err); err != nil {
		return t, false, err
	}
	t = Text{strings.TrimRight(item.Text, "\n"), read.NextCursor == "" && !item.Missing, stamp}
	r.memory.keepText(key, t)
	return t, false, nil
}

// HitRate returns the share of texts that were in memory, from 0 to 1, and whether texts
// are kept at all: not if the workspace cannot tell that a source has changed.
func (r *Reader) HitRate() (rate float64, kept bool) {
	_, kept = r.lib.Workspace().(sourceStamper)
	return r.memory.hitRate(), kept
}

// maps yields the maps of the files in a folder whose id, title or path has some words.
// It reports whether it stopped before the last, after [maxScanned] or as yield said.
func (r *Reader) maps(ctx context.Context, folder, words string, yield func(*citekit.ResourceMap) (goOn bool)) (stopped bool, err error) {
	if folder != "" {
		words += " " + folder + "/"
	}
	ids, err := r.stats.Matching(ctx, words)
	for i, id := range ids {
		m, err := r.lib.Map(ctx, id)
		if ctx.Err() != nil {
			return true, ctx.Err()
		}
		if i == maxScanned || err == nil && m.SourcePath != "" && isIn(folder, m.SourcePath) && !yield(m) {
			return true, nil
		}
	}
	return false, err
}

func isIn(folder, source string) bool {
	return folder == "" || slices.Contains(strings.Split(path.Dir(filepath.ToSlash(source)), "/"), folder)
}

func (r *Reader) selectFiles(ctx context.Context, s *Selection, folder, topic string) (err error) {
	words := strings.NewReplacer("-", " ", "/", " ").Replace(topic)
	s.More, err = r.maps(ctx, folder, words, func(m *citekit.ResourceMap) bool {
		return topic != "" && !isNamed(topic, m.SourcePath) || s.add(m, nil)
	})
	return err
}

func (r *Reader) selectHeadings(ctx context.Context, s *Selection, folder, topic string) (err error) {
	s.More, err = r.maps(ctx, folder, "", func(m *citekit.ResourceMap) bool {
		for n := range m.All() {
			if plain.Slug(n.Title, "", MaxTopic) == topic && !s.add(m, n) {
				return false
			}
		}
		return true
	})
	return err
}

// add adds a part, and reports whether there was room for it.
func (s *Selection) add(m *citekit.ResourceMap, n *citekit.Node) bool {
	if len(s.Parts) == MaxParts {
		return false
	}
	title := m.Title
	if n != nil {
		title = n.Title
	}
	s.Parts = append(s.Parts, Part{ShownPath(m.SourcePath), plain.ShowLine(title, maxTitle), m.Address(n), m.SourcePath})
	return true
}

// slugs returns a path with each name as a slug, "" for one without letters and digits.
func slugs(name string) string {
	names := strings.Split(name, "/")
	for i := range names {
		names[i] = plain.Slug(names[i], "", MaxTopic)
	}
	return strings.Join(names, "/")
}

// isNamed reports whether a topic names a source: its file, or a folder around it.
func isNamed(topic, source string) bool {
	source = strings.TrimPrefix(filepath.ToSlash(source), "/")
	for _, name := range []string{strings.TrimSuffix(source, path.Ext(source)), source} {
		if strings.Contains("/"+slugs(name)+"/", "/"+topic+"/") {
			return true
		}
	}
	return false
}

// reasons say why a file is not loaded.
var reasons = map[string]string{
	message.CodeStale:       "it changed since it was mapped; map it again",
	message.CodeForbidden:   "it is outside the folders that may be read",
	message.CodeNotFound:    "it is gone",
	message.CodeUnsupported: "it has no text",
}

// Reason says why the text of a part cannot be read, without paths.
func Reason(err error) string {
	code := citekit.CodeOf(err)
	if known, ok := reasons[code]; ok {
		return known
	}
	return "it cannot be read: " + string(code)
}
